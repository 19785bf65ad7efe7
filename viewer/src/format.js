// Numbers and times as text, the same in every locale.

export function formatTime(seconds, digits = 2) {
    return `${seconds.toFixed(digits)} s`;
}

export function formatNumber(value, digits = 4) {
    if (value === null || value === undefined || Number.isNaN(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) {
        const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 1)).split('e');
        const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
        return `${short}e${Number(exponent)}`.replace('-', '−').replace('e-', 'e−');
    }
    return String(Number(value.toPrecision(digits))).replace('-', '−');
}

const prefixes = [
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
    [1e-9, 'n'],
    [1e-12, 'p'],
];

/// A length with the prefix that leaves few zeros.
export function formatLength(metres) {
    const size = Math.abs(metres);
    if (size === 0) return '0 m';
    for (const [factor, prefix] of prefixes) {
        if (size >= factor) return `${formatNumber(metres / factor, 3)} ${prefix}m`;
    }
    return `${formatNumber(metres, 2)} m`;
}

export function withUnit(name, unit) {
    return unit ? `${name} [${unit}]` : name;
}
