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
