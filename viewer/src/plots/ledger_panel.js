// The energy ledger of one run: layers over time, and which run.
import uPlot from 'uplot';
import { flowColor, lostColor, madeColor, storedColor } from '../colors.js';
import { formatNumber } from '../format.js';
import { element } from '../page/dom.js';
import { hasLedger, method, stackLedger } from './ledger.js';
import { Panel } from './panel.js';

const height = 210;
const translucent = 'b8';

export class LedgerPanel extends Panel {
    constructor(app) {
        super(app, 'energy ledger', height);
        const { content, store } = app;
        this.runs = content.runs.map((run, i) => i).filter((i) => hasLedger(content.runs[i], content.ledger));
        this.run = this.runs.find((i) => store.state.visible[i]) ?? this.runs[0];
        if (this.runs.length < 2) return;
        const choice = element(
            'select',
            {
                class: 'pill small',
                'aria-label': 'Run',
                onchange: () => {
                    this.run = Number(choice.value);
                    this.build();
                },
            },
            this.runs.map((i) =>
                element('option', { value: String(i), selected: i === this.run }, content.runs[i].name),
            ),
        );
        this.top.append(choice);
    }

    get empty() {
        return this.runs.length === 0;
    }

    color({ name, place }) {
        const { theme } = this.app.store.state;
        if (place === undefined) return storedColor(theme, name);
        return name === method ? lostColor(theme) : flowColor(theme, place);
    }

    build() {
        const { content, store } = this.app;
        this.plot?.destroy();
        const run = content.runs[this.run];
        this.stack = stackLedger(run, content.ledger);
        this.times = run.time;
        const { layers, putIn, top } = this.stack;
        const heights = [new Float64Array(run.samples)];
        for (const { values } of layers)
            heights.push(heights.at(-1).map((below, i) => below + values[i]));
        // In uPlot the first series is the time, so the first of `heights`, the ground, is the second.
        const bands = layers.map((layer, i) => ({
            series: [i + 2, i + 1],
            fill: this.color(layer) + translucent,
        }));
        const line = heights.length + 1;
        const red = madeColor(store.state.theme);
        bands.push({ series: [line + 1, line], fill: red });
        const plain = { width: 0, points: { show: false }, pxAlign: 0 };
        const ink = getComputedStyle(document.documentElement).getPropertyValue('--text').trim();
        this.showNames();
        this.box.replaceChildren();
        this.plot = new uPlot(
            {
                ...this.plotSettings({ scale: { range: (u, min, max) => [0, max > 0 ? 1.04 * max : 1] } }, 'J'),
                bands,
                series: [
                    {},
                    ...heights.map((_, i) =>
                        i === 0 ? plain : { ...plain, width: 1, stroke: this.color(layers[i - 1]) },
                    ),
                    { ...plain, width: 1.6, stroke: ink, dash: [6, 3] },
                    plain,
                ],
            },
            [run.time, ...heights, putIn, top],
            this.box,
        );
        this.finish();
    }

    /// As the layers lie: the highest first.
    showNames() {
        const square = (color, kind) =>
            element('i', { class: `swatch ${kind ?? ''}`, style: `--color:${color}` });
        const { layers, made } = this.stack;
        const red = madeColor(this.app.store.state.theme);
        this.names.replaceChildren(
            element('span', {}, square('currentColor', 'dashed'), 'start + put in'),
            ...(made ? [element('span', {}, square(red), 'made by the method')] : []),
            ...[...layers]
                .reverse()
                .map((layer) => element('span', {}, square(this.color(layer)), this.titleOf(layer))),
        );
    }

    titleOf({ name, title, place }) {
        if (place === undefined) return title;
        return name === method ? 'lost by the method' : `gone into ${title}`;
    }

    tipRows(plot, idx) {
        const { layers, flows, putIn } = this.stack;
        const joules = (value) => `${formatNumber(value)} J`;
        const stored = layers.filter(({ place }) => place === undefined).reverse();
        return [
            ['currentColor', 'start + put in', joules(putIn[idx])],
            ...stored.map((layer) => [this.color(layer), layer.title, joules(layer.values[idx])]),
            ...flows.map((flow) => [
                flow.name === method && flow.added[idx] > 0
                    ? madeColor(this.app.store.state.theme)
                    : this.color(flow),
                `by ${flow.title}`,
                `${flow.added[idx] > 0 ? '+' : ''}${joules(flow.added[idx])}`,
            ]),
        ];
    }
}
