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

function exponentOf(tick) {
    const power = tick > 0 ? Math.log10(tick) : NaN;
    return Math.abs(power - Math.round(power)) < 1e-6 ? Math.round(power) : null;
}

function leadingDigit(tick) {
    return Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-6));
}

/// Which ticks get a line: powers of ten, not more than have room; where there are few of those, 2 and 5 of
/// each too.
function chosen(ticks) {
    const powers = ticks.map(exponentOf).filter((power) => power !== null);
    const every = Math.max(1, Math.ceil(powers.length / 5));
    return ticks.map((tick) => {
        const power = exponentOf(tick);
        if (power !== null) return power % every === 0;
        return powers.length < 3 && [2, 5].includes(leadingDigit(tick));
    });
}

/// The settings of an axis that is logarithmic.
export function logAxis(style) {
    const filter = (u, ticks) => {
        const keep = chosen(ticks);
        return ticks.map((tick, i) => (keep[i] ? tick : null));
    };
    const text = (tick, few) => {
        if (tick === null) return '';
        const power = exponentOf(tick);
        return power === null || (few && Math.abs(power) < 4) ? formatNumber(tick) : powerOfTen(power);
    };
    return {
        filter,
        grid: { ...style.grid, filter },
        ticks: { ...style.ticks, filter },
        values: (u, ticks) => {
            const few = ticks.some((tick) => tick !== null && exponentOf(tick) === null);
            return ticks.map((tick) => text(tick, few));
        },
    };
}
