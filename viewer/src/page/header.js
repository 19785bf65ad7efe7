// The line at the top: what this is, how it was made, where to go.
import { element, icon, iconButton, setIcon } from './dom.js';

function copyable(command) {
    const done = element('span', { class: 'copied', role: 'status' });
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(command);
        } catch {
            // From disk some browsers have no clipboard: the old way works there.
            const field = element('textarea', { style: 'position:fixed;opacity:0' });
            field.value = command;
            document.body.append(field);
            field.select();
            document.execCommand('copy');
            field.remove();
        }
        done.textContent = 'copied';
        setTimeout(() => {
            done.textContent = '';
        }, 1500);
    };
    return element(
        'button',
        {
            type: 'button',
            class: 'command',
            title: `Copy: ${command}`,
            'aria-label': `Copy the command: ${command}`,
            onclick: copy,
        },
        element('code', {}, command),
        icon('copy'),
        done,
    );
}

export function makeHeader(app) {
    const { content, store } = app;
    const kind = content.kind === 'comparison' ? 'comparison' : 'replay';
    const tabs = [
        ['motion', 'Motion'],
        ['results', kind === 'comparison' ? 'Results' : 'Figures'],
    ].map(([view, text]) =>
        element(
            'button',
            { type: 'button', role: 'tab', 'data-view': view, onclick: () => store.set({ view }) },
            text,
        ),
    );
    const theme = iconButton('moon', 'Dark', () => app.toggleTheme());
    const update = (state) => {
        for (const tab of tabs) tab.setAttribute('aria-selected', String(tab.dataset.view === state.view));
        const dark = state.theme === 'dark';
        setIcon(theme, dark ? 'sun' : 'moon', dark ? 'Light' : 'Dark');
    };
    store.listen((state, changed) => {
        if (changed.has('view') || changed.has('theme')) update(state);
    });
    update(store.state);
    return element(
        'header',
        { class: 'top' },
        element(
            'div',
            { class: 'titles' },
            element('h1', { title: content.title }, content.title || 'Ligament'),
            element('span', { class: 'kind' }, `${kind} · ${content.program ?? 'ligament'}`),
        ),
        content.command ? copyable(content.command) : null,
        element('div', { class: 'segments', role: 'tablist', 'aria-label': 'View' }, tabs),
        element(
            'div',
            { class: 'buttons' },
            theme,
            iconButton('help', 'Keys and mouse (?)', () => app.showHelp()),
            iconButton('info', 'About', () => app.showAbout()),
        ),
    );
}
