// The clock: play, pause, steps, speed. Times lie between the first and the last sample of all drawn runs.
import { nearestSample } from './motion.js';

export const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export function timeRange(runs) {
    let start = Infinity;
    let end = -Infinity;
    for (const run of runs) {
        if (!run.samples) continue;
        start = Math.min(start, run.time[0]);
        end = Math.max(end, run.time[run.samples - 1]);
    }
    return start <= end ? { start, end } : { start: 0, end: 0 };
}

export class Playback {
    constructor(runs, store, range) {
        this.runs = runs;
        this.store = store;
        this.range = range;
        this.last = null;
    }

    /// The times that steps and the scrubber go by: those of the visible run that lasts longest.
    get timeline() {
        let best = null;
        const longer = (run) => !best || run.time[run.samples - 1] > best.time[best.samples - 1];
        this.runs.forEach((run, i) => {
            if (run.drawn && this.store.state.visible[i] && longer(run)) best = run;
        });
        best ??= this.runs.find((run) => run.samples > 0);
        return best ? best.time : new Float32Array([0]);
    }

    get sample() {
        return nearestSample(this.timeline, this.store.state.time);
    }

    seek(time) {
        const { start, end } = this.range;
        if (!Number.isFinite(time)) return;
        this.store.set({ time: Math.max(start, Math.min(end, time)) });
    }

    seekSample(index) {
        const { timeline } = this;
        this.seek(timeline[Math.max(0, Math.min(timeline.length - 1, index))]);
    }

    step(count) {
        this.pause();
        this.seekSample(this.sample + count);
    }

    toStart() {
        this.pause();
        this.seek(this.range.start);
    }

    toEnd() {
        this.pause();
        this.seek(this.range.end);
    }

    play() {
        const { start, end } = this.range;
        if (end <= start) return;
        if (this.store.state.time >= end) this.seek(start);
        this.last = null;
        this.store.set({ playing: true });
    }

    pause() {
        this.store.set({ playing: false });
    }

    toggle() {
        if (this.store.state.playing) this.pause();
        else this.play();
    }

    changeSpeed(direction) {
        const { speed } = this.store.state;
        const place = speeds.findIndex((one) => one >= speed - 1e-9);
        this.store.set({ speed: speeds[Math.max(0, Math.min(speeds.length - 1, place + direction))] });
    }

    /// Called with the time of every frame in milliseconds.
    tick(now) {
        const { state } = this.store;
        if (!state.playing) {
            this.last = null;
            return;
        }
        // After a pause of the browser (a hidden page) it goes on where it was.
        const passed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
        this.last = now;
        const { start, end } = this.range;
        const time = state.time + passed * state.speed;
        if (time < end) this.seek(time);
        else if (state.loop) this.seek(start + ((time - end) % (end - start)));
        else this.store.set({ time: end, playing: false });
    }
}
