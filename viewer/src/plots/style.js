// What all plots share.
import { formatNumber } from '../format.js';

export function axisStyle(theme) {
    const dark = theme === 'dark';
    const faint = dark ? '#ffffff14' : '#10182014';
    return {
        stroke: dark ? '#9aa7b4' : '#5b6875',
        font: '11px system-ui, sans-serif',
        grid: { stroke: faint, width: 1 },
        ticks: { stroke: faint, width: 1, size: 4 },
    };
}

const raised = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

function powerOfTen(exponent) {
    return `10${[...String(exponent)].map((sign) => raised[sign]).join('')}`;
}

// Logarithmic axes hold decimal logarithms on a linear scale: uPlot's own ones fail far below its smallest step.

export function logarithm(value) {
    const size = Math.abs(value);
    return size > 0 && Number.isFinite(size) ? Math.log10(size) : null;
}

/// Where lines are: powers of ten, not more than have room; where there are few of those, 2 and 5 of each too.
function logTicks(min, max) {
    const powers = [];
    for (let power = Math.ceil(min - 1e-9); power <= max + 1e-9; power++) powers.push(power);
    if (powers.length > 2) {
        const every = Math.ceil(powers.length / 5);
        return powers.filter((power) => power % every === 0);
    }
    const ticks = [];
    for (let power = Math.floor(min); power <= max; power++) {
        ticks.push(power, power + Math.log10(2), power + Math.log10(5));
    }
    return ticks.filter((tick) => tick >= min - 1e-9 && tick <= max + 1e-9);
}

function tickText(tick, few) {
    if (Number.isInteger(tick) && !(few && Math.abs(tick) < 4)) return powerOfTen(tick);
    return formatNumber(10 ** tick, 1);
}

/// The settings of a logarithmic axis.
export function logAxis(style) {
    return {
        ...style,
        splits: (u, axis, min, max) => logTicks(min, max),
        values: (u, ticks) => {
            const few = ticks.some((tick) => !Number.isInteger(tick));
            return ticks.map((tick) => tickText(tick, few));
        },
    };
}

/// Whole decades around the data; of more than 16, those at the top.
export function logRange(u, min, max) {
    if (min === null || max === null) return [-1, 0];
    const top = Math.ceil(max + 1e-9);
    return [Math.max(Math.floor(min), top - 16), top];
}
