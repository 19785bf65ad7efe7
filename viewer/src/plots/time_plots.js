// The column of panels over time.
import { element } from '../page/dom.js';
import { collectGroups } from './data.js';
import { LedgerPanel } from './ledger_panel.js';
import { TimePanel } from './time_panel.js';

/// One for each group, and the ledger below the energies that it explains.
function makePanels(app) {
    const panels = collectGroups(app.content.runs).map((group) => new TimePanel(app, group));
    const ledger = new LedgerPanel(app);
    const energy = panels.findIndex((panel) => panel.group.name === 'energy');
    if (!ledger.empty) panels.splice(energy + 1, 0, ledger);
    return panels;
}

export function makeTimePlots(app) {
    const { store } = app;
    const panels = makePanels(app);
    const node = element(
        'aside',
        { class: 'plots', 'aria-label': 'Plots over time' },
        panels.map((panel) => panel.node),
    );
    node.hidden = panels.length === 0;
    store.listen((state, changed) => {
        if (changed.has('visible') || changed.has('theme')) for (const panel of panels) panel.build();
        else if (changed.has('time')) for (const panel of panels) panel.setTime(state.time);
    });
    new ResizeObserver(() => {
        for (const panel of panels) panel.resize();
    }).observe(node);
    return {
        node,
        /// Once the column has its width.
        start() {
            for (const panel of panels) panel.build();
        },
    };
}
