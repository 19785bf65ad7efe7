// The second view: what came out, in figures.
import { withUnit } from '../format.js';
import { element } from '../page/dom.js';
import { Curves, curveKeys } from './curves.js';
import { makeSummary } from './summary.js';
import { makeNotRun, makeTable } from './table.js';

function makeCurves(app) {
    const { comparison } = app.content;
    if (!comparison.orders?.length) return [];
    const keys = curveKeys(comparison);
    if (!keys.error) return [];
    const column = (key) =>
        comparison.columns.find((one) => one.key === key) ?? {
            key,
            title: key.replaceAll('_', ' '),
            scale: 1,
        };
    const read = (key) => (run) =>
        typeof run.figures[key] === 'number' ? run.figures[key] * (column(key).scale ?? 1) : NaN;
    const label = (key) => withUnit(column(key).title, column(key).unit);
    const curves = [
        new Curves(app, {
            title: 'Convergence',
            xLabel: 'step [s]',
            yLabel: label(keys.error),
            x: (run) => run.dt,
            y: read(keys.error),
            withOrder: true,
        }),
    ];
    if (keys.time) {
        curves.unshift(
            new Curves(app, {
                title: 'Work and precision',
                xLabel: label(keys.time),
                yLabel: label(keys.error),
                x: read(keys.time),
                y: read(keys.error),
            }),
        );
    }
    return curves.filter((curve) => !curve.empty);
}

export function makeResults(app) {
    const { content, store } = app;
    const { comparison } = content;
    const curves = comparison ? makeCurves(app) : [];
    const node = element('main', { class: 'results', 'aria-label': 'Results' });
    if (comparison?.columns?.length && comparison.rows?.length) {
        node.append(
            element(
                'section',
                { class: 'block' },
                element('h2', {}, 'Comparison'),
                comparison.reference
                    ? element('p', { class: 'note' }, `Errors against ${comparison.reference}.`)
                    : null,
                makeTable(app),
            ),
        );
    } else {
        node.append(...makeSummary(content));
    }
    if (curves.length)
        node.append(
            element(
                'div',
                { class: 'curves' },
                curves.map((curve) => curve.node),
            ),
        );
    if (comparison?.not_run?.length) node.append(makeNotRun(comparison.not_run));

    let built = false;
    const build = () => {
        built = true;
        for (const curve of curves) curve.build();
    };
    store.listen((state, changed) => {
        // A plot can be laid out only while it is seen.
        if (state.view === 'results' && (!built || changed.has('theme'))) build();
        else if (changed.has('theme')) built = false;
    });
    new ResizeObserver(() => {
        for (const curve of curves) curve.resize();
    }).observe(node);
    return { node, start: () => store.state.view === 'results' && build() };
}
