// The chosen body: name, pose, follow. And the name of what is under the pointer.
import { poseOfMatrix } from '../stage/run_view.js';
import { element, iconButton } from './dom.js';

function fixed(values, digits) {
    return values.map((value) => value.toFixed(digits).replace('-', '−')).join('  ');
}

export function makeBodyCard(app) {
    const { content, store } = app;
    const name = element('strong');
    const run = element('span', { class: 'run-name' });
    const position = element('dd');
    const rotation = element('dd');
    const follow = element(
        'button',
        { type: 'button', class: 'pill', title: 'Follow (F)', onclick: () => app.toggleFollow() },
        'Follow',
    );
    const card = element(
        'div',
        { class: 'body-card card', hidden: true },
        element(
            'div',
            { class: 'body-top' },
            name,
            iconButton('close', 'Close', () => store.set({ selected: null })),
        ),
        run,
        element('dl', {}, element('dt', {}, 'x y z'), position, element('dt', {}, 'w x y z'), rotation),
        follow,
    );
    const update = (state) => {
        card.toggleAttribute('hidden', !state.selected);
        if (!state.selected) return;
        const { run: index, body } = state.selected;
        name.textContent = content.scene.bodies[body]?.name || `body ${body}`;
        run.textContent = content.runs.length > 1 ? content.runs[index].name : '';
        const { pos, quat } = poseOfMatrix(app.stage.layers[index].view.bodyMatrix(body));
        position.textContent = fixed(pos, 4);
        rotation.textContent = fixed(quat, 4);
        follow.setAttribute('aria-pressed', String(state.follow === body));
    };
    return { card, update };
}

export function listenToPointer(app, surface, control, tip) {
    const { store, content } = app;
    let asked = false;
    const at = (event) => {
        const box = surface.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    surface.addEventListener('pointermove', (event) => {
        if (asked || control.active) return;
        asked = true;
        setTimeout(() => {
            asked = false;
            const [x, y] = at(event);
            const hit = control.active ? null : app.stage.pick(store.state, x, y);
            tip.toggleAttribute('hidden', !hit);
            if (!hit) return;
            const name = content.scene.bodies[hit.body]?.name || `body ${hit.body}`;
            tip.textContent = app.has.several ? `${name} · ${content.runs[hit.run].name}` : name;
            tip.style.transform = `translate(${x + 14}px, ${y + 14}px)`;
        }, 60);
    });
    surface.addEventListener('pointerleave', () => tip.toggleAttribute('hidden', true));
    surface.addEventListener('pointerdown', () => tip.toggleAttribute('hidden', true));
    surface.addEventListener('click', (event) => {
        if (!control.dragged) store.set({ selected: app.stage.pick(store.state, ...at(event)) });
    });
    surface.addEventListener('dblclick', (event) => {
        const hit = app.stage.pick(store.state, ...at(event));
        if (hit && hit.body > 0) app.follow(hit.body);
    });
}
