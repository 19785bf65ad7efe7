// The table of a comparison: one line per run, the best of each column marked.
import { colorOf } from '../colors.js';
import { element } from '../page/dom.js';
import { withUnit } from '../format.js';

function scaled(run, column) {
    const value = run.figures[column.key];
    return typeof value === 'number' && Number.isFinite(value) ? value * (column.scale ?? 1) : null;
}

/// `digits` significant ones, in figures that line up where sizes are alike.
export function cellText(value, digits = 3) {
    if (value === null) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    const minus = (text) => text.replace('-', '−');
    if (size >= 1e5 || size < 1e-3) {
        const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 1)).split('e');
        return `${minus(mantissa)}e${minus(String(Number(exponent)))}`;
    }
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return minus(value.toFixed(places));
}

function bestOf(column, runs) {
    if (column.better !== 'low') return null;
    const values = runs
        .filter((run) => run.status === 'ok')
        .map((run) => scaled(run, column))
        .filter((value) => value !== null);
    return values.length > 1 ? Math.min(...values.map(Math.abs)) : null;
}

export function makeTable(app) {
    const { content, store, places } = app;
    const { columns, rows } = content.comparison;
    const runs = rows.map((row) => content.runs[row.run]);
    const rivals = runs.filter((_, i) => !rows[i].reference);
    const best = columns.map((column) => bestOf(column, rivals));
    const swatches = [];
    const lines = rows.map((row) => {
        const run = content.runs[row.run];
        const swatch = element('span', { class: 'swatch' });
        swatches.push([swatch, places[row.run]]);
        const failed = run.status !== 'ok';
        const why = [failed ? run.message : '', run.missed ? `Missed: ${run.missed}` : ''].filter(Boolean);
        const cells = columns.map((column, i) => {
            const value = scaled(run, column);
            const isBest =
                !row.reference &&
                best[i] !== null &&
                value !== null &&
                run.status === 'ok' &&
                Math.abs(value) === best[i];
            return element(
                'td',
                { class: isBest ? 'best' : null, title: isBest ? 'best' : null },
                cellText(value, column.digits),
            );
        });
        return [
            element(
                'tr',
                { class: [failed ? 'failed' : '', why.length ? 'told' : ''].join(' ').trim() || null },
                element(
                    'th',
                    { scope: 'row' },
                    swatch,
                    run.name,
                    failed ? element('span', { class: 'status' }, run.status) : null,
                    run.missed ? element('span', { class: 'status' }, 'missed') : null,
                ),
                cells,
            ),
            why.map((text) =>
                element('tr', { class: 'why' }, element('td', { colspan: columns.length + 1 }, text)),
            ),
        ];
    });
    const paint = (state) =>
        swatches.forEach(([swatch, place]) =>
            swatch.style.setProperty('--color', colorOf(state.theme, place)),
        );
    store.listen((state, changed) => changed.has('theme') && paint(state));
    paint(store.state);
    return element(
        'div',
        { class: 'scroll' },
        element(
            'table',
            { class: 'figures' },
            element(
                'thead',
                {},
                element(
                    'tr',
                    {},
                    element('th', { scope: 'col' }, 'Run'),
                    columns.map((column) =>
                        element(
                            'th',
                            { scope: 'col', title: column.key },
                            withUnit(column.title, column.unit),
                        ),
                    ),
                ),
            ),
            element('tbody', {}, lines),
        ),
    );
}

export function makeNotRun(list) {
    return element(
        'section',
        { class: 'block not-run' },
        element('h2', {}, 'Not run'),
        element(
            'dl',
            {},
            list.map(({ name, reason }) => [element('dt', {}, name), element('dd', {}, reason)]),
        ),
    );
}
