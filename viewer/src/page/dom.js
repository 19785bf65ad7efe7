// Elements, written short.

/// An element with attributes (`on…` are listeners, `class`, …) and children (elements or text).
export function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
        else made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return made;
}

const shapes = {
    play: '<path d="M5 3.5v11l9-5.5z" fill="currentColor" stroke="none"/>',
    pause: '<path d="M5 3.5h3v11H5zM10 3.5h3v11h-3z" fill="currentColor" stroke="none"/>',
    back: '<path d="M11.5 4 6.5 9l5 5"/>',
    forward: '<path d="m6.5 4 5 5-5 5"/>',
    start: '<path d="M13 4 7 9l6 5zM5 4v10" fill="currentColor"/>',
    loop: '<path d="M3.5 9A4.5 4.5 0 0 1 8 4.5h5.5m-2-2.3 2.3 2.3-2.3 2.3M14.5 9a4.5 4.5 0 0 1-4.5 4.5H4.5m2 2.3-2.3-2.3 2.3-2.3"/>',
    sun: '<circle cx="9" cy="9" r="3"/><path d="M9 2v1.5M9 14.5V16M2 9h1.5M14.5 9H16M4.1 4.1l1 1M12.9 12.9l1 1M4.1 13.9l1-1M12.9 5.1l1-1"/>',
    moon: '<path d="M14.5 10.6A6 6 0 0 1 7.4 3.5a6 6 0 1 0 7.1 7.1z"/>',
    help: '<circle cx="9" cy="9" r="6.5"/><path d="M7.2 7.1a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1v.4M9 12.6v.1"/>',
    info: '<circle cx="9" cy="9" r="6.5"/><path d="M9 8.3v4M9 5.6v.1"/>',
    copy: '<rect x="6.5" y="6.5" width="8" height="8" rx="1.5"/><path d="M11.5 6.5V5A1.5 1.5 0 0 0 10 3.5H5A1.5 1.5 0 0 0 3.5 5v5A1.5 1.5 0 0 0 5 11.5h1.5"/>',
    home: '<path d="M3 9V3h6M3 3l5 5M15 9v6H9M15 15l-5-5"/>',
    close: '<path d="m5 5 8 8M13 5l-8 8"/>',
};

export function icon(name) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 18 18');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    svg.innerHTML = shapes[name];
    return svg;
}

export function iconButton(name, label, onclick, attributes = {}) {
    return element(
        'button',
        { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick, ...attributes },
        icon(name),
    );
}

export function setIcon(button, name, label) {
    button.replaceChildren(icon(name));
    button.setAttribute('aria-label', label);
    button.title = label;
}
