// Keys, as in other viewers.

export const keys = [
    ['Space', 'play or pause'],
    ['← →', 'one sample back or forward (with Shift: ten)'],
    ['Backspace, Home', 'back to the start'],
    ['End', 'to the end'],
    ['+ −', 'faster, slower'],
    ['L', 'repeat'],
    ['1 … 9', 'show or hide a run'],
    ['O', 'overlaid or side by side'],
    ['C', 'contact points'],
    ['A', 'contact forces'],
    ['J', 'joints'],
    ['G', 'gaps of loops'],
    ['M', 'centre of mass'],
    ['B', 'frames of bodies'],
    ['S', 'shadows'],
    ['W', 'solid, transparent, wireframe'],
    ['F', 'follow the chosen body, or the first'],
    ['R', 'camera back to where it was'],
    ['V', 'motion or results'],
    ['T', 'light or dark'],
    ['?', 'this help'],
];

const toggles = {
    c: 'contacts',
    a: 'forces',
    j: 'joints',
    g: 'gaps',
    m: 'center',
    b: 'frames',
    s: 'shadows',
};

const scrolling = new Set([' ', 'Home', 'End', 'ArrowLeft', 'ArrowRight', 'Backspace']);

/// Whether the element that has the focus does something with the key itself.
function keepsKey(target, key) {
    if (target.matches('input:not([type=range]):not([type=checkbox]), textarea, select')) return true;
    if (key === ' ') return target.matches('button, summary, input[type=checkbox]');
    return scrolling.has(key) && target.matches('input[type=range]:not(.scrubber)');
}

export function listenToKeys(app) {
    const { store, playback } = app;
    const actions = {
        ' ': () => playback.toggle(),
        ArrowLeft: (event) => playback.step(event.shiftKey ? -10 : -1),
        ArrowRight: (event) => playback.step(event.shiftKey ? 10 : 1),
        Backspace: () => playback.toStart(),
        Home: () => playback.toStart(),
        End: () => playback.toEnd(),
        '+': () => playback.changeSpeed(1),
        '=': () => playback.changeSpeed(1),
        '-': () => playback.changeSpeed(-1),
        l: () => store.set({ loop: !store.state.loop }),
        o: () => store.set({ mode: store.state.mode === 'side' ? 'overlay' : 'side' }),
        w: () => app.nextStyle(),
        f: () => app.toggleFollow(),
        r: () => app.resetCamera(),
        v: () => store.set({ view: store.state.view === 'results' ? 'motion' : 'results' }),
        t: () => app.toggleTheme(),
        '?': () => app.showHelp(),
        Escape: () => store.set({ selected: null }),
    };
    // A button that was clicked would take the space bar for itself; whoever came to it by keyboard expects that.
    for (const name of ['click', 'change']) {
        document.addEventListener(name, (event) => {
            if (name === 'change' || event.detail > 0) event.target.closest?.('button, summary, select')?.blur();
        });
    }
    window.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
        if (keepsKey(event.target, event.key) || (store.state.view === 'results' && scrolling.has(event.key))) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (actions[key]) actions[key](event);
        else if (toggles[key]) app.toggleShown(toggles[key]);
        else if (/^[1-9]$/.test(key)) app.toggleDrawnRun(Number(key) - 1);
        else return;
        event.preventDefault();
    });
}
