// What all plots share.

export function axisStyle(theme) {
    const dark = theme === 'dark';
    const faint = dark ? '#ffffff14' : '#10182014';
    return {
        stroke: dark ? '#9aa7b4' : '#5b6875', font: '11px system-ui, sans-serif', grid: { stroke: faint, width: 1 },
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

/// The powers of ten among ticks, not more than have room; null in place of the others.
function chosenPowers(ticks) {
    const powers = ticks.map(exponentOf);
    const every = Math.max(1, Math.ceil(powers.filter((power) => power !== null).length / 5));
    return powers.map((power) => (power !== null && power % every === 0 ? power : null));
}

/// The settings of an axis that is logarithmic: lines and numbers at powers of ten.
export function logAxis(style) {
    const filter = (u, ticks) => chosenPowers(ticks).map((power, i) => (power === null ? null : ticks[i]));
    return {
        filter, grid: { ...style.grid, filter }, ticks: { ...style.ticks, filter },
        values: (u, ticks) => ticks.map((tick) => (tick === null ? '' : powerOfTen(exponentOf(tick)))),
    };
}
