// The line above the 3D view: how runs are arranged and what is drawn.
import { element, iconButton } from './dom.js';

function toggle(app, name, text, key) {
    const { store } = app;
    const button = element(
        'button',
        {
            type: 'button',
            class: 'pill',
            'data-show': name,
            title: key ? `${text} (${key})` : text,
            onclick: () => app.toggleShown(name),
        },
        text,
    );
    const update = (state) => button.setAttribute('aria-pressed', String(state.show[name]));
    store.listen((state, changed) => changed.has('show') && update(state));
    update(store.state);
    return button;
}

function arrangement(store) {
    const buttons = [
        ['overlay', 'Overlaid'],
        ['side', 'Side by side'],
    ].map(([mode, text]) =>
        element(
            'button',
            {
                type: 'button',
                'data-mode': mode,
                title: `${text} (O)`,
                onclick: () => store.set({ mode }),
            },
            text,
        ),
    );
    const update = (state) => {
        for (const button of buttons)
            button.setAttribute('aria-pressed', String(button.dataset.mode === state.mode));
    };
    store.listen((state, changed) => changed.has('mode') && update(state));
    update(store.state);
    return element('div', { class: 'segments', role: 'group', 'aria-label': 'Arrangement of runs' }, buttons);
}

function choice(label, options, read, write, store) {
    const select = element(
        'select',
        { 'aria-label': label, title: label, onchange: () => write(select.value) },
        options.map(([value, text]) => element('option', { value }, text)),
    );
    store.listen((state) => {
        if (select.value !== read(state)) select.value = read(state);
    });
    select.value = read(store.state);
    return select;
}

function forceScale(store) {
    const slider = element('input', {
        type: 'range',
        min: -1,
        max: 1,
        step: 0.05,
        'aria-label': 'Length of force arrows',
        title: 'Length of force arrows',
        oninput: () => store.set({ forceScale: 10 ** Number(slider.value) }),
    });
    const holder = element('label', { class: 'force-scale card' }, 'Arrows', slider);
    const update = (state) => {
        slider.value = Math.log10(state.forceScale);
        holder.toggleAttribute('hidden', !state.show.forces);
    };
    store.listen((state, changed) => (changed.has('show') || changed.has('forceScale')) && update(state));
    update(store.state);
    return holder;
}

export function makeToolbar(app) {
    const { store, has } = app;
    return element(
        'div',
        { class: 'toolbar', role: 'toolbar', 'aria-label': 'What is drawn' },
        has.several ? arrangement(store) : null,
        has.joints ? toggle(app, 'joints', 'Joints', 'J') : null,
        has.contacts ? toggle(app, 'contacts', 'Contacts', 'C') : null,
        has.contacts ? toggle(app, 'forces', 'Forces', 'A') : null,
        has.links ? toggle(app, 'gaps', 'Gaps', 'G') : null,
        has.center ? toggle(app, 'center', 'Centre of mass', 'M') : null,
        toggle(app, 'frames', 'Frames', 'B'),
        toggle(app, 'shadows', 'Shadows', 'S'),
        element('span', { class: 'grow' }),
        choice(
            'Style of shapes (W)',
            [
                ['solid', 'Solid'],
                ['transparent', 'Transparent'],
                ['wireframe', 'Wireframe'],
            ],
            (state) => state.style,
            (style) => store.set({ style }),
            store,
        ),
    );
}

/// In the lower corners of the 3D view.
export function makeCorner(app) {
    return element(
        'div',
        { class: 'corner' },
        app.has.contacts ? forceScale(app.store) : null,
        iconButton('home', 'Reset the camera (R)', () => app.resetCamera()),
    );
}
