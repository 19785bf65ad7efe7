// Help and about.
import { keys } from '../keyboard.js';
import { element, iconButton } from './dom.js';

function makeDialog(title, name, ...children) {
    const dialog = element('dialog', { class: name, 'aria-label': title });
    dialog.append(
        element(
            'div',
            { class: 'dialog-top' },
            element('h2', {}, title),
            iconButton('close', 'Close', () => dialog.close()),
        ),
        ...children.flat().filter(Boolean),
    );
    dialog.addEventListener('click', (event) => {
        if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    return dialog;
}

export function makeHelp() {
    const rows = keys.map(([key, text]) =>
        element(
            'tr',
            {},
            element(
                'td',
                {},
                key
                    .split(/( … |, | )/)
                    .map((part) => (/^( … |, | )$/.test(part) ? part : element('kbd', {}, part))),
            ),
            element('td', {}, text),
        ),
    );
    return makeDialog(
        'Keys and mouse',
        'help',
        element(
            'p',
            {},
            'Drag to turn, drag with the right button or Shift to move, wheel or two fingers to zoom. Click on a body to ' +
                'choose it, double-click to follow it. Click or drag in a plot to go to that time.',
        ),
        element('table', { class: 'keys' }, element('tbody', {}, rows)),
    );
}

/* global LIGAMENT_LICENCES */
export function makeAbout(content) {
    return makeDialog(
        'About this page',
        'about',
        element(
            'p',
            {},
            `Made by ${content.program ?? 'ligament'}, a simulator of articulated bodies. Everything is in this one file: it needs ` +
                'no network, and sends nothing.',
        ),
        content.command ? element('p', {}, element('code', {}, content.command)) : null,
        element('p', {}, 'The page holds these programs:'),
        LIGAMENT_LICENCES.map(({ name, version, text }) =>
            element('details', {}, element('summary', {}, `${name} ${version}`), element('pre', {}, text)),
        ),
    );
}
