// One panel over time: the series of a group, of all visible runs.
import uPlot from 'uplot';
import { colorOf } from '../colors.js';
import { formatNumber } from '../format.js';
import { element } from '../page/dom.js';
import { mergeTimes, spread } from './data.js';
import { Panel } from './panel.js';
import { logAxis, logRange } from './style.js';

const dashes = [[], [7, 4], [2, 3], [10, 4, 2, 4], [4, 2], [1, 2]];
const mostInTip = 14;
const height = 132;

export class TimePanel extends Panel {
    constructor(app, group) {
        super(app, group.name, height);
        this.group = group;
        this.chosen = new Set(group.series.filter((one) => one.shown).map((one) => one.name));
        this.log = /error|drift|residual|gap/i.test(group.name);
        this.logButton = element(
            'button',
            {
                type: 'button',
                class: 'pill small',
                title: 'Logarithmic scale',
                onclick: () => {
                    this.log = !this.log;
                    this.build();
                },
            },
            'log',
        );
        this.top.append(...[this.makeChooser(), this.logButton].filter(Boolean));
    }

    makeChooser() {
        const { series } = this.group;
        if (series.length < 2 && series[0]?.shown) return null;
        const list = element('div', { class: 'choices' });
        for (const one of series) {
            const box = element('input', {
                type: 'checkbox',
                checked: this.chosen.has(one.name),
                onchange: () => this.choose(one.name, box.checked),
            });
            list.append(element('label', { 'data-name': one.name.toLowerCase() }, box, one.name));
        }
        const filter =
            series.length > 10
                ? element('input', {
                      type: 'search',
                      placeholder: 'Filter',
                      'aria-label': 'Filter',
                      oninput: () => {
                          const text = filter.value.toLowerCase();
                          for (const label of list.children)
                              label.toggleAttribute('hidden', !label.dataset.name.includes(text));
                      },
                  })
                : null;
        const chooser = element(
            'details',
            { class: 'chooser' },
            element('summary', { class: 'pill small' }, `choose (${series.length})`),
            element('div', { class: 'card' }, filter, list),
        );
        document.addEventListener('pointerdown', (event) => {
            if (!chooser.contains(event.target)) chooser.open = false;
        });
        return chooser;
    }

    choose(name, on) {
        if (on) this.chosen.add(name);
        else this.chosen.delete(name);
        this.build();
    }

    /// A run without motion is seen with the drawn one of its colour.
    isSeen(run) {
        const { content, places, store } = this.app;
        if (content.runs[run].drawn) return store.state.visible[run];
        const drawn = content.runs.findIndex((one, i) => one.drawn && places[i] === places[run]);
        return drawn < 0 || store.state.visible[drawn];
    }

    /// One line per chosen series and visible run.
    lines() {
        const { state } = this.app.store;
        const { content, places } = this.app;
        const lines = [];
        this.shownSeries = this.group.series.filter((one) => this.chosen.has(one.name));
        this.shownSeries.forEach((one, i) => {
            for (const { run, values } of one.runs) {
                if (!this.isSeen(run)) continue;
                lines.push({
                    one,
                    run,
                    values,
                    color: colorOf(state.theme, places[run]),
                    dash: dashes[i % dashes.length],
                    width: content.runs[run].drawn ? 1.5 : 1,
                });
            }
        });
        return lines;
    }

    build() {
        const { content } = this.app;
        this.plot?.destroy();
        this.plot = null;
        this.logButton.setAttribute('aria-pressed', String(this.log));
        this.drawn = this.lines();
        this.showNames();
        if (!this.drawn.length) {
            this.box.replaceChildren();
            if (this.chosen.size) this.box.append(element('p', { class: 'empty' }, 'No run is shown.'));
            return;
        }
        const runs = [...new Set(this.drawn.map((line) => line.run))];
        const { times, places } = mergeTimes(content.runs, runs);
        const data = [
            times,
            ...this.drawn.map(({ run, values }) => spread(values, places.get(run), times.length, this.log)),
        ];
        this.times = times;
        const units = [...new Set(this.shownSeries.map((one) => one.unit))];
        this.box.replaceChildren();
        this.plot = new uPlot(
            {
                ...this.plotSettings(
                    this.log ? { scale: { range: logRange }, axis: logAxis } : {},
                    units.length === 1 ? units[0] : '',
                ),
                series: [
                    {},
                    ...this.drawn.map(({ color, dash, width }) => ({
                        stroke: color,
                        width,
                        dash,
                        pxAlign: 0,
                        spanGaps: false,
                        points: { show: false },
                    })),
                ],
            },
            data,
            this.box,
        );
        this.finish();
    }

    showNames() {
        this.names.replaceChildren(
            ...this.shownSeries.map((one, i) => {
                const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
                svg.setAttribute('viewBox', '0 0 24 8');
                svg.setAttribute('aria-hidden', 'true');
                svg.innerHTML = `<path d="M0 4h24" stroke-dasharray="${dashes[i % dashes.length].join(' ')}"/>`;
                return element('span', {}, svg, one.name);
            }),
        );
    }

    tipRows(plot, idx) {
        const rows = [];
        this.drawn.forEach(({ one, run, color }, i) => {
            const drawn = plot.data[i + 1][idx];
            const value = this.log && typeof drawn === 'number' ? 10 ** drawn : drawn;
            if (value === undefined || rows.length >= mostInTip) return;
            const text = this.shownSeries.length > 1 ? one.name : this.app.content.runs[run].name;
            rows.push([color, text, `${formatNumber(value)} ${one.unit}`]);
        });
        return rows;
    }
}
