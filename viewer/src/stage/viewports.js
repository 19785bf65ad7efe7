// How the 3D view is divided: one window for all runs, or one for each.

const gap = 3;

function columnsFor(count, width, height) {
    let best = 1;
    let size = 0;
    for (let columns = 1; columns <= count; columns++) {
        const rows = Math.ceil(count / columns);
        // A window is as good as the circle that fits, if a little wider is no harm.
        const fits = Math.min(width / columns / 1.2, height / rows);
        if (fits > size * 1.001) {
            size = fits;
            best = columns;
        }
    }
    return best;
}

/// Windows in pixels from the upper left corner, each with the runs (indices) that it shows.
export function divide(mode, runs, width, height) {
    if (mode !== 'side' || runs.length < 2) return [{ runs, x: 0, y: 0, width, height }];
    const columns = columnsFor(runs.length, width, height);
    const rows = Math.ceil(runs.length / columns);
    return runs.map((run, i) => {
        const column = i % columns;
        const row = Math.floor(i / columns);
        const left = Math.round((column * width) / columns);
        const top = Math.round((row * height) / rows);
        return {
            runs: [run],
            x: left,
            y: top,
            width: Math.round(((column + 1) * width) / columns) - left - (column + 1 < columns ? gap : 0),
            height: Math.round(((row + 1) * height) / rows) - top - (row + 1 < rows ? gap : 0),
        };
    });
}
