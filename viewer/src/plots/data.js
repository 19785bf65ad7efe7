// Series of all runs, sorted into panels.
import { logarithm } from './style.js';

/// Groups in the order in which they first come: name, and its series by name, each with the runs that have
/// it.
export function collectGroups(runs) {
    const groups = new Map();
    runs.forEach((run, index) => {
        if (!run.samples) return;
        for (const one of run.series) {
            if (!groups.has(one.group)) groups.set(one.group, { name: one.group, series: new Map() });
            const { series } = groups.get(one.group);
            if (!series.has(one.name)) {
                series.set(one.name, {
                    name: one.name,
                    unit: one.unit ?? '',
                    shown: Boolean(one.shown),
                    runs: [],
                });
            }
            series.get(one.name).runs.push({ run: index, values: one.values });
            series.get(one.name).shown ||= Boolean(one.shown);
        }
    });
    return [...groups.values()].map((group) => ({ ...group, series: [...group.series.values()] }));
}

/// All times of some runs, each once, in order; and for every run the place of its samples among them.
export function mergeTimes(runs, indices) {
    const all = new Set();
    for (const i of indices) for (const time of runs[i].time) all.add(time);
    const times = Float64Array.from(all).sort();
    const placeOf = new Map();
    times.forEach((time, place) => placeOf.set(time, place));
    return {
        times,
        places: new Map(indices.map((i) => [i, Uint32Array.from(runs[i].time, (time) => placeOf.get(time))])),
    };
}

/// Values at merged times for uPlot: undefined where a run has no sample (the line goes on), null where it
/// has no value.
export function spread(values, places, count, log) {
    const out = new Array(count).fill(undefined);
    for (let i = 0; i < places.length; i++) {
        const value = log ? logarithm(values[i]) : values[i];
        out[places[i]] = Number.isFinite(value) ? value : null;
    }
    return out;
}
