// Under the 3D view: play, steps, the scrubber, speed.
import { speeds } from '../playback.js';
import { element, iconButton, setIcon } from './dom.js';

export function makeTransport(app) {
    const { store, playback } = app;
    const play = iconButton('play', 'Play (space)', () => playback.toggle(), {
        class: 'icon-button primary',
    });
    const loop = iconButton('loop', 'Repeat (L)', () => store.set({ loop: !store.state.loop }));
    const scrubber = element('input', {
        type: 'range',
        class: 'scrubber',
        min: 0,
        step: 1,
        value: 0,
        'aria-label': 'Time',
        oninput: () => {
            playback.pause();
            playback.seekSample(Number(scrubber.value));
        },
    });
    const clock = element('output', { class: 'clock' });
    const speed = element(
        'select',
        {
            class: 'speed',
            'aria-label': 'Speed',
            title: 'Speed (+ and −)',
            onchange: () => store.set({ speed: Number(speed.value) }),
        },
        speeds.map((one) => element('option', { value: one }, `${one}×`)),
    );

    const { start, end } = playback.range;
    const digits = end - start >= 100 ? 1 : end - start >= 1 ? 2 : 3;
    const updateTime = (state) => {
        const last = playback.timeline.length - 1;
        const { sample } = playback;
        if (Number(scrubber.max) !== last) scrubber.max = last;
        scrubber.value = sample;
        const part = end > start ? (state.time - start) / (end - start) : 0;
        scrubber.style.setProperty('--part', `${(100 * part).toFixed(2)}%`);
        const text = `${state.time.toFixed(digits)} / ${end.toFixed(digits)} s`;
        scrubber.setAttribute('aria-valuetext', text);
        clock.textContent = text;
    };
    const updateControls = (state) => {
        setIcon(play, state.playing ? 'pause' : 'play', state.playing ? 'Pause (space)' : 'Play (space)');
        loop.setAttribute('aria-pressed', String(state.loop));
        speed.value = state.speed;
    };
    store.listen((state, changed) => {
        if (changed.has('time') || changed.has('visible')) updateTime(state);
        if (changed.has('playing') || changed.has('loop') || changed.has('speed')) updateControls(state);
    });
    updateTime(store.state);
    updateControls(store.state);
    return element(
        'div',
        { class: 'transport', role: 'group', 'aria-label': 'Playback' },
        iconButton('start', 'Back to the start (Backspace)', () => playback.toStart()),
        iconButton('back', 'One sample back (←)', () => playback.step(-1)),
        play,
        iconButton('forward', 'One sample forward (→)', () => playback.step(1)),
        scrubber,
        clock,
        speed,
        loop,
    );
}
