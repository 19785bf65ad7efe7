// The figures of a replay, and of the runs of a page without a table.
import { formatNumber } from '../format.js';
import { element } from '../page/dom.js';

function words(key) {
    return key.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
}

export function makeSummary(content) {
    return content.runs.map((run) => {
        const facts = [
            ['Formulation', run.formulation],
            ['Integrator', run.integrator],
            ['Step', Number.isFinite(run.dt) ? `${formatNumber(run.dt)} s` : null],
            ['Status', run.status],
        ];
        const figures = Object.entries(run.figures)
            .filter(([, value]) => ['number', 'string'].includes(typeof value))
            .map(([key, value]) => [words(key), typeof value === 'number' ? formatNumber(value, 5) : value]);
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
            element('dl', { class: 'tiles' }, tiles),
        );
    });
}
