// Starts the page: reads the document, builds the views, draws frames when something changed.
import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/stage.css';
import './style/plots.css';
import './style/results.css';
import { App } from './app.js';
import { readDocument } from './document.js';
import { element } from './page/dom.js';

function showFailure(error) {
    console.error(error);
    document
        .getElementById('app')
        .replaceChildren(
            element(
                'main',
                { class: 'failure' },
                element('h1', {}, 'This report cannot be shown'),
                element('p', {}, error.message),
            ),
        );
}

async function start() {
    const content = await readDocument();
    document.title = content.title ? `${content.title} – Ligament` : 'Ligament';
    const app = new App(content, document.getElementById('app'));
    Object.assign(window.ligament, app.hook);
    await app.start();
}

// An address with another part behind # asks for another view of the same page.
window.addEventListener('hashchange', () => window.location.reload());

// The promise is there from the beginning, so that scripts can wait for it; it fails with what the page says.
const ready = start();
window.ligament = { ready };
ready.catch(showFailure);
