// What panels over time have in common: a plot in a box, the mark of the present time, a tip under the pointer.
import { formatNumber } from '../format.js';
import { nearestSample } from '../motion.js';
import { element } from '../page/dom.js';
import { axisStyle } from './style.js';

export class Panel {
    /// `name`: of what is plotted; controls go into `top`, beside it.
    constructor(app, name, height) {
        this.app = app;
        this.height = height;
        this.box = element('div', { class: 'plot-box' });
        this.now = element('div', { class: 'plot-now' });
        this.tip = element('div', { class: 'plot-tip card', hidden: true });
        this.names = element('div', { class: 'plot-names' });
        this.top = element('div', { class: 'panel-top' }, element('h3', {}, name));
        this.node = element(
            'section',
            { class: 'panel', 'data-group': name, 'aria-label': `Plot of ${name}` },
            this.top,
            this.names,
            this.box,
        );
    }

    /// Settings of uPlot that all panels have. `y`: of the vertical axis; `unit` stands beside it.
    plotSettings(y, unit) {
        const { range, store } = this.app;
        const style = axisStyle(store.state.theme);
        return {
            width: Math.max(50, this.box.clientWidth),
            height: this.height,
            padding: [8, 8, 0, 0],
            legend: { show: false },
            cursor: { drag: { x: false, y: false, setScale: false }, points: { size: 5 }, y: false },
            scales: { x: { time: false, range: [range.start, range.end] }, y: y.scale ?? {} },
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
                    label: unit || undefined,
                    labelSize: 14,
                    labelGap: 0,
                    labelFont: style.font,
                    ...(y.axis?.(style) ?? {
                        values: (u, ticks) => ticks.map((tick) => formatNumber(tick)),
                    }),
                },
            ],
            // Positions are known only once it has been laid out.
            hooks: {
                setCursor: [(u) => this.showTip(u)],
                draw: [() => this.setTime(this.app.store.state.time)],
            },
        };
    }

    /// Puts the marks into a plot that has just been made.
    finish() {
        this.plot.over.append(this.now, this.tip);
        this.listen(this.plot.over);
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

    /// `tipRows` of the panel has a [colour, name, text] for each line.
    showTip(plot) {
        const { idx, left } = plot.cursor;
        const hide = idx === null || idx === undefined || left < 0;
        this.tip.toggleAttribute('hidden', hide);
        if (hide) return;
        this.tip.replaceChildren(
            element('div', {}, `${formatNumber(this.times[idx])} s`),
            element(
                'table',
                {},
                this.tipRows(plot, idx).map(([color, name, text]) =>
                    element(
                        'tr',
                        {},
                        element('td', { style: `color:${color}` }, '●'),
                        element('td', {}, name),
                        element('td', {}, text),
                    ),
                ),
            ),
        );
        // Beside the pointer, where there is room: to the left as far as the axis goes.
        const width = this.tip.offsetWidth;
        const fits = left + 12 + width <= plot.over.clientWidth;
        this.tip.style.left = `${fits ? left + 12 : Math.max(left - 12 - width, 8 - plot.over.offsetLeft)}px`;
    }

    setTime(time) {
        if (!this.plot) return;
        this.now.style.transform = `translateX(${this.plot.valToPos(time, 'x').toFixed(1)}px)`;
    }

    resize() {
        const width = this.box.clientWidth;
        if (!this.plot || width < 50 || width === this.plot.width) return;
        this.plot.setSize({ width, height: this.height });
    }
}
