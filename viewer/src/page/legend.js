// The runs: colour, name, status; a click shows or hides one.
import { colorOf } from '../colors.js';
import { element } from './dom.js';

export function makeLegend(app) {
    const { content, store, places } = app;
    const drawn = content.runs.map((run, i) => [run, i]).filter(([run]) => run.drawn);
    const items = drawn.map(([run, i], place) => {
        const failed = run.status !== 'ok';
        const key = place < 9 ? ` (key ${place + 1})` : '';
        const button = element(
            'button',
            {
                type: 'button',
                class: failed ? 'run failed' : 'run',
                title: (run.message || `Show or hide ${run.name}`) + key,
                onclick: () => store.toggleRun(i),
            },
            element('span', { class: 'swatch' }),
            element('span', { class: 'name' }, run.name),
            failed ? element('span', { class: 'status' }, run.status) : null,
        );
        const message = failed && run.message ? element('p', { class: 'message' }, run.message) : null;
        return { run: i, button, node: element('li', {}, button, message) };
    });
    const update = (state) => {
        for (const { run, button } of items) {
            button.setAttribute('aria-pressed', String(state.visible[run]));
            button.style.setProperty('--color', colorOf(state.theme, places[run]));
        }
    };
    store.listen((state, changed) => {
        if (changed.has('visible') || changed.has('theme')) update(state);
    });
    update(store.state);
    return element(
        'ul',
        {
            class: items.length > 4 ? 'legend many card' : 'legend card',
            hidden: items.length === 0,
            'aria-label': 'Runs',
        },
        items.map((item) => item.node),
    );
}
