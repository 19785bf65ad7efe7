// One panel over time: the series of a group, of all visible runs.
import uPlot from 'uplot';
import { colorOf } from '../colors.js';
import { formatNumber } from '../format.js';
import { nearestSample } from '../motion.js';
import { element } from '../page/dom.js';
import { mergeTimes, spread } from './data.js';
import { axisStyle, logAxis, logRange } from './style.js';

const dashes = [[], [7, 4], [2, 3], [10, 4, 2, 4], [4, 2], [1, 2]];
const mostInTip = 14;
const height = 132;

export class TimePanel {
    constructor(app, group) {
        this.app = app;
        this.group = group;
        this.chosen = new Set(group.series.filter((one) => one.shown).map((one) => one.name));
        this.log = /error|drift|residual|gap/i.test(group.name);
        this.box = element('div', { class: 'plot-box' });
        this.now = element('div', { class: 'plot-now' });
        this.tip = element('div', { class: 'plot-tip card', hidden: true });
        this.names = element('div', { class: 'plot-names' });
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
        this.node = element(
            'section',
            { class: 'panel', 'data-group': group.name, 'aria-label': `Plot of ${group.name}` },
            element(
                'div',
                { class: 'panel-top' },
                element('h3', {}, group.name),
                this.makeChooser(),
                this.logButton,
            ),
            this.names,
            this.box,
        );
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
        const { content, range, store } = this.app;
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
        const style = axisStyle(store.state.theme);
        this.box.replaceChildren();
        this.plot = new uPlot(
            {
                width: Math.max(50, this.box.clientWidth),
                height,
                padding: [8, 8, 0, 0],
                legend: { show: false },
                cursor: { drag: { x: false, y: false, setScale: false }, points: { size: 5 }, y: false },
                scales: {
                    x: { time: false, range: [range.start, range.end] },
                    y: this.log ? { range: logRange } : {},
                },
                axes: [
                    {
                        ...style,
                        size: 26,
                        gap: 3,
                        values: (u, ticks) => ticks.map((tick) => `${formatNumber(tick)}`),
                    },
                    {
                        ...style,
                        size: 52,
                        gap: 3,
                        label: units.length === 1 && units[0] ? units[0] : undefined,
                        labelSize: 14,
                        labelGap: 0,
                        labelFont: style.font,
                        ...(this.log
                            ? logAxis(style)
                            : { values: (u, ticks) => ticks.map((tick) => formatNumber(tick)) }),
                    },
                ],
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
                // Positions are known only once it has been laid out.
                hooks: {
                    setCursor: [(u) => this.showTip(u)],
                    draw: [() => this.setTime(this.app.store.state.time)],
                },
            },
            data,
            this.box,
        );
        this.plot.over.append(this.now, this.tip);
        this.listen(this.plot.over);
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

    /// Click and drag go to that time, at samples.
    listen(over) {
        const { playback } = this.app;
        let held = false;
        const go = (event) => {
            const box = over.getBoundingClientRect();
            const time = this.plot.posToVal(event.clientX - box.left, 'x');
            playback.pause();
            playback.seekSample(nearestSample(playback.timeline, time));
        };
        over.addEventListener('pointerdown', (event) => {
            held = true;
            over.setPointerCapture(event.pointerId);
            go(event);
        });
        over.addEventListener('pointermove', (event) => held && go(event));
        for (const name of ['pointerup', 'pointercancel'])
            over.addEventListener(name, () => {
                held = false;
            });
        over.addEventListener('pointerleave', () => this.tip.toggleAttribute('hidden', true));
    }

    showTip(plot) {
        const { idx, left } = plot.cursor;
        const hide = idx === null || idx === undefined || left < 0;
        this.tip.toggleAttribute('hidden', hide);
        if (hide) return;
        const rows = [];
        this.drawn.forEach(({ one, run, color }, i) => {
            const drawn = plot.data[i + 1][idx];
            const value = this.log && typeof drawn === 'number' ? 10 ** drawn : drawn;
            if (value === undefined || rows.length >= mostInTip) return;
            const text = this.shownSeries.length > 1 ? one.name : this.app.content.runs[run].name;
            rows.push(
                element(
                    'tr',
                    {},
                    element('td', { style: `color:${color}` }, '●'),
                    element('td', {}, text),
                    element('td', {}, `${formatNumber(value)} ${one.unit}`),
                ),
            );
        });
        this.tip.replaceChildren(
            element('div', {}, `${formatNumber(this.times[idx])} s`),
            element('table', {}, rows),
        );
        const right = left > plot.over.clientWidth / 2;
        this.tip.style.left = right ? '' : `${left + 12}px`;
        this.tip.style.right = right ? `${plot.over.clientWidth - left + 12}px` : '';
    }

    setTime(time) {
        if (!this.plot) return;
        this.now.style.transform = `translateX(${this.plot.valToPos(time, 'x').toFixed(1)}px)`;
    }

    resize() {
        const width = this.box.clientWidth;
        if (!this.plot || width < 50 || width === this.plot.width) return;
        this.plot.setSize({ width, height });
    }
}
