// window.ligament: what tests and scripts that take pictures use. docs/report.md has it.
import { chooseTheme } from './theme.js';
import { poseOfMatrix } from './stage/run_view.js';

function indexOf(list, wanted, kind) {
    const index = typeof wanted === 'number' ? wanted : list.findIndex((one) => one.name === wanted);
    if (!list[index]) throw new RangeError(`there is no ${kind} ${wanted}`);
    return index;
}

export function makeHook(app) {
    const { content, store, playback } = app;
    return {
        seek(time) {
            playback.pause();
            playback.seek(time);
        },
        step: (count) => playback.step(count),
        play: () => playback.play(),
        pause: () => playback.pause(),
        state() {
            const { state } = store;
            return {
                time: state.time,
                sample: playback.sample,
                samples: playback.timeline.length,
                start: playback.range.start,
                end: playback.range.end,
                playing: state.playing,
                speed: state.speed,
                loop: state.loop,
                view: state.view,
                mode: state.mode,
                theme: state.theme,
                style: state.style,
                show: { ...state.show },
                runs: content.runs.map((run, i) => ({
                    name: run.name,
                    status: run.status,
                    drawn: run.drawn,
                    visible: state.visible[i],
                })),
                bodies: content.scene.bodies.map((body) => body.name),
                selected: state.selected && { ...state.selected },
                follow: state.follow,
                camera: app.stage?.orbit.settings() ?? null,
                webgl: Boolean(app.stage),
            };
        },
        /// From what is drawn: { pos, quat } of a body in the world. Run and body by index or name.
        bodyPose(run, body) {
            const layers = app.stage?.layers[indexOf(content.runs, run, 'run')];
            if (!layers) return null;
            layers.setTime(store.state.time, store.state);
            return poseOfMatrix(layers.view.bodyMatrix(indexOf(content.scene.bodies, body, 'body')));
        },
        /// Any of view, mode, theme, style, show, runs (names or indices that are seen), follow (a body or
        /// null), speed, loop, forceScale, camera (azimuth and elevation in degrees, distance, target).
        setView({ theme, show, runs, follow, camera, ...rest }) {
            const allowed = ['view', 'mode', 'style', 'speed', 'loop', 'forceScale'];
            const unknown = Object.keys(rest).filter((key) => !allowed.includes(key));
            if (unknown.length) throw new RangeError(`setView does not know ${unknown.join(', ')}`);
            store.set(rest);
            if (theme) chooseTheme(store, theme);
            if (show) store.show(show);
            if (runs) {
                const wanted = new Set(runs.map((run) => indexOf(content.runs, run, 'run')));
                store.set({ visible: content.runs.map((run, i) => run.drawn && wanted.has(i)) });
            }
            if (follow !== undefined)
                app.follow(follow === null ? null : indexOf(content.scene.bodies, follow, 'body'));
            if (camera && app.stage) {
                app.stage.orbit.set(camera);
                app.askFrame();
            }
        },
        /// Resolves once what is set is on the screen.
        frame: () => app.nextFrame(true),
        /// Milliseconds of the frames drawn of late, and from navigation to the first.
        timing: () => ({ ready: app.readyAfter, frames: [...app.frameTimes] }),
    };
}
