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
    window.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
        if (event.target.matches('input:not([type=range]):not([type=checkbox]), textarea, select')) return;
        // A button has its own idea of the space bar, which users of the keyboard expect.
        if (event.key === ' ' && event.target.matches('button, summary, input[type=checkbox]')) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (actions[key]) actions[key](event);
        else if (toggles[key]) app.toggleShown(toggles[key]);
        else if (/^[1-9]$/.test(key)) app.toggleDrawnRun(Number(key) - 1);
        else return;
        event.preventDefault();
    });
}
