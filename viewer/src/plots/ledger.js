// The energy of a run as layers on top of each other: what it has gone into, and above that what is stored.
// Together they are as high as what was there at the start and what was put in; what is higher, the method has
// made.

/// What the method itself has made, in the list of flows.
export const method = 'made_by_method';

/// Shares of the heap below this cannot be seen.
const visible = 1e-3;

function seriesOf(run, name) {
    return run.series.find((one) => one.name === name)?.values ?? null;
}

/// Whether a run can be shown. What is zero throughout has no series.
export function hasLedger(run, list) {
    return Boolean(
        run.samples && seriesOf(run, 'kinetic') && list.some(({ name }) => seriesOf(run, name)),
    );
}

/// `layers` from the lowest to the highest, each with its own height in `values`; `putIn`: how high they should
/// be; `top`: how high they are; `made`: whether that is more. Energies of position count from the lowest that
/// the run comes to.
export function stackLedger(run, list) {
    const count = run.samples;
    const zero = new Float64Array(count);
    const read = (name) => seriesOf(run, name) ?? zero;
    const elastic = Float64Array.from(read('elastic'));
    const gravity = Float64Array.from(read('potential'), (value, i) => value - elastic[i]);
    const lowest = (values) => values.reduce((least, value) => (value < least ? value : least), Infinity);
    const above = (values, level) => values.map((value) => value - level);
    const stored = [
        { name: 'elastic', title: 'elastic', values: above(elastic, Math.min(0, lowest(elastic))) },
        { name: 'gravity', title: 'gravity', values: above(gravity, lowest(gravity)) },
        { name: 'kinetic', title: 'kinetic', values: Float64Array.from(read('kinetic')) },
    ];
    const start = stored.reduce((sum, { values }) => sum + values[0], 0);
    const putIn = new Float64Array(count).fill(start);
    const gone = [];
    list.forEach(({ name, title, sign }, place) => {
        const values = seriesOf(run, name);
        if (!values) return;
        const added = Float64Array.from(values, (value) => sign * value);
        if (name !== method) added.forEach((value, i) => (putIn[i] += Math.max(0, value)));
        gone.push({ name, title, place, added, values: added.map((value) => Math.max(0, -value)) });
    });
    const all = [...gone, ...stored];
    const heap = zero.map((_, i) => all.reduce((sum, { values }) => sum + values[i], 0));
    const least = visible * heap.reduce((most, value) => Math.max(most, value), 0);
    const layers = all.filter(({ values }) => values.some((value) => value > least));
    // Rounding of single precision is nothing that the method has made.
    const made = heap.some((value, i) => value - putIn[i] > least);
    const top = made ? heap.map((value, i) => Math.max(value, putIn[i])) : putIn;
    return { layers, flows: gone, putIn, top, made };
}
