// Plots of a comparison over its steps: error against cost, and error against the step, both logarithmic.
import uPlot from 'uplot';
import { colorOf } from '../colors.js';
import { formatNumber } from '../format.js';
import { element } from '../page/dom.js';
import { axisStyle, logAxis, logarithm } from '../plots/style.js';

/// The keys of figures that are plotted: as the document says, or the first column that sounds like it.
export function curveKeys({ columns, error, time }) {
    const find = (pattern) => columns.find(({ key }) => pattern.test(key))?.key ?? null;
    return { error: error ?? find(/error/i), time: time ?? find(/time|wall|cost/i) };
}

function pointsOf(content, order, x, y) {
    return order.runs
        .map((i) => content.runs[i])
        .map((run) => ({ x: x(run), y: y(run), run }))
        .filter((point) => point.x > 0 && point.y > 0 && Number.isFinite(point.x + point.y))
        .sort((a, b) => a.x - b.x);
}

function rangeOf(values) {
    return [Math.log10(Math.min(...values)) - 0.2, Math.log10(Math.max(...values)) + 0.2];
}

export class Curves {
    constructor(app, { title, xLabel, yLabel, x, y, withOrder }) {
        this.app = app;
        this.labels = { x: xLabel, y: yLabel };
        const { content, places } = app;
        this.curves = content.comparison.orders
            .map((order) => ({
                order,
                place: places[order.runs.find((i) => content.runs[i].drawn) ?? order.runs[0]],
                points: pointsOf(content, order, x, y),
            }))
            .filter((curve) => curve.points.length);
        this.box = element('div', { class: 'plot-box' });
        this.tip = element('div', { class: 'plot-tip card', hidden: true });
        this.legend = element(
            'ul',
            { class: 'curve-names' },
            this.curves.map(({ order }) => {
                const text =
                    withOrder && Number.isFinite(order.order)
                        ? `${order.name} – order ${order.order.toFixed(1)}`
                        : order.name;
                return element('li', {}, element('span', { class: 'swatch' }), text);
            }),
        );
        this.node = element(
            'section',
            { class: 'block curve', 'aria-label': title },
            element('h2', {}, title),
            this.box,
            this.legend,
        );
    }

    get empty() {
        return this.curves.length === 0;
    }

    build() {
        const { theme } = this.app.store.state;
        this.plot?.destroy();
        const xs = [...new Set(this.curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort(
            (a, b) => a - b,
        );
        const data = [
            xs.map(logarithm),
            ...this.curves.map(({ points }) => {
                const at = new Map(points.map((point) => [point.x, point.y]));
                return xs.map((x) => (at.has(x) ? logarithm(at.get(x)) : undefined));
            }),
        ];
        const style = axisStyle(theme);
        const axis = { ...logAxis(style), labelFont: '12px system-ui, sans-serif', labelSize: 20 };
        this.curves.forEach(({ place }, i) =>
            this.legend.children[i].style.setProperty('--color', colorOf(theme, place)),
        );
        const all = this.curves.flatMap((curve) => curve.points);
        this.plot = new uPlot(
            {
                width: Math.max(50, this.box.clientWidth),
                height: 280,
                padding: [8, 12, 0, 0],
                legend: { show: false },
                cursor: { drag: { x: false, y: false, setScale: false }, x: false, y: false },
                scales: {
                    x: { time: false, range: rangeOf(all.map((point) => point.x)) },
                    y: { range: rangeOf(all.map((point) => point.y)) },
                },
                axes: [
                    { ...axis, label: this.labels.x, size: 30 },
                    { ...axis, label: this.labels.y, size: 48 },
                ],
                series: [
                    {},
                    ...this.curves.map(({ place }) => ({
                        stroke: colorOf(theme, place),
                        width: 2,
                        spanGaps: true,
                        points: { show: true, size: 7, fill: colorOf(theme, place) },
                    })),
                ],
                hooks: { setCursor: [(u) => this.showTip(u)] },
            },
            data,
            this.box,
        );
        this.plot.over.append(this.tip);
    }

    showTip(plot) {
        const { left, top } = plot.cursor;
        let nearest = null;
        let least = 24;
        for (const curve of this.curves) {
            for (const point of curve.points) {
                const away = Math.hypot(
                    plot.valToPos(Math.log10(point.x), 'x') - left,
                    plot.valToPos(Math.log10(point.y), 'y') - top,
                );
                if (away < least) {
                    least = away;
                    nearest = point;
                }
            }
        }
        this.tip.toggleAttribute('hidden', !nearest);
        if (!nearest) return;
        this.tip.replaceChildren(
            element('div', {}, nearest.run.name),
            element('div', {}, `${this.labels.x}: ${formatNumber(nearest.x)}`),
            element('div', {}, `${this.labels.y}: ${formatNumber(nearest.y)}`),
        );
        const right = left > plot.over.clientWidth / 2;
        this.tip.style.left = right ? '' : `${left + 12}px`;
        this.tip.style.right = right ? `${plot.over.clientWidth - left + 12}px` : '';
        this.tip.style.top = `${Math.max(0, Math.min(top, plot.over.clientHeight - 60))}px`;
    }

    resize() {
        const width = this.box.clientWidth;
        if (this.plot && width >= 50 && width !== this.plot.width) this.plot.setSize({ width, height: 280 });
    }
}
