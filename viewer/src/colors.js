// Colours of runs. Okabe and Ito's set, told apart also by those who see fewer colours; a little darker on
// light ground and lighter on dark, for lines to be seen.

const light = ['#0072b2', '#d55e00', '#009e73', '#b0538f', '#3f9bd6', '#c98500', '#6b5bb5', '#66727c'];
const dark = ['#4ea5e0', '#ff8a3d', '#2ec99a', '#e08cc0', '#86ccf5', '#f0b429', '#a493ee', '#a3b0ba'];

export function palette(theme) {
    return theme === 'dark' ? dark : light;
}

/// For every run the place of its colour. Drawn runs take them in their order; a run with figures only has
/// that of a drawn one with the same formulation and integrator, if there is one.
export function colorPlaces(runs) {
    const places = new Array(runs.length).fill(-1);
    const ofKind = new Map();
    const kind = (run) => `${run.formulation} ${run.integrator ?? ''}`;
    let next = 0;
    runs.forEach((run, i) => {
        if (!run.drawn) return;
        places[i] = next++;
        if (!ofKind.has(kind(run))) ofKind.set(kind(run), places[i]);
    });
    runs.forEach((run, i) => {
        if (places[i] >= 0) return;
        if (!ofKind.has(kind(run))) ofKind.set(kind(run), next++);
        places[i] = ofKind.get(kind(run));
    });
    return places;
}

export function colorOf(theme, place) {
    const colors = palette(theme);
    return colors[place % colors.length];
}

// Layers of the energy ledger: what is stored in cool colours, what flows in the order of the document, from
// green (work) over warm ones (losses) to grey.
const stored = {
    light: { kinetic: '#0072b2', gravity: '#63b1dd', elastic: '#8173c9' },
    dark: { kinetic: '#3f97d6', gravity: '#8fcbee', elastic: '#a99ff0' },
};
const flows = {
    light: ['#009e73', '#56b894', '#7d9f35', '#d55e00', '#e8a317', '#a65628', '#c7679c', '#8e3b76', '#8a949e', '#4d565f'],
    dark: ['#2ec99a', '#7fd8bb', '#a8c95a', '#ff8a3d', '#f0b429', '#c98350', '#e08cc0', '#b56aa0', '#8f9ba6', '#65707b'],
};
const made = { light: '#d0104c', dark: '#ff4d7d' };
const lost = { light: '#c3a9b2', dark: '#85707a' };

export function storedColor(theme, name) {
    return stored[theme][name];
}

/// `place`: in the list of the document.
export function flowColor(theme, place) {
    return flows[theme][place % flows[theme].length];
}

/// Of what the method has made, and of what it has lost.
export function madeColor(theme) {
    return made[theme];
}

export function lostColor(theme) {
    return lost[theme];
}
