// The figures of a replay, and of the runs of a page without a table.
import { formatNumber } from '../format.js';
import { element } from '../page/dom.js';

function words(key) {
    return key.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
}

/// Name and text of a figure, with title and unit where the document has them.
function figure(key, value, column) {
    if (typeof value !== 'number') return [words(key), value];
    if (!column) return [words(key), formatNumber(value, 5)];
    const text = formatNumber(value * (column.scale ?? 1), 5);
    return [words(column.title), column.unit ? `${text} ${column.unit}` : text];
}

export function makeSummary(content) {
    return content.runs.map((run) => {
        const facts = [
            ['Formulation', run.formulation],
            ['Integrator', run.integrator],
            ['Step', Number.isFinite(run.dt) ? `${formatNumber(run.dt)} s` : null],
            ['Status', run.status],
        ];
        const columns = new Map((content.columns ?? []).map((column) => [column.key, column]));
        const figures = Object.entries(run.figures)
            .filter(([, value]) => ['number', 'string'].includes(typeof value))
            .map(([key, value]) => figure(key, value, columns.get(key)));
        const tiles = [...facts, ...figures]
            .filter(([, value]) => value)
            .map(([name, value]) =>
                element('div', { class: 'tile' }, element('dt', {}, name), element('dd', {}, value)),
            );
        return element(
            'section',
            { class: 'block' },
            element('h2', {}, run.name),
            run.message && run.status !== 'ok' ? element('p', { class: 'message' }, run.message) : null,
            run.missed ? element('p', { class: 'message' }, `Missed: ${run.missed}`) : null,
            element('dl', { class: 'tiles' }, tiles),
        );
    });
}
