// Pages that cannot show all: damaged documents, and browsers without 3D graphics.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage } from './open_page.mjs';
import { sampleComparison } from './sample_document.mjs';
import { startTests } from './support.mjs';

let tests;

before(async () => {
    tests = await startTests({ webgl: false });
});
after(() => tests.end());

async function messageOf(name, document) {
    const { page, close } = await openPage(tests.browser, await tests.write(name, document), { wait: false });
    try {
        const reason = await page.evaluate(() =>
            window.ligament.ready.then(
                () => null,
                (error) => error.message,
            ),
        );
        assert.equal(await page.textContent('.failure p'), reason);
        return reason;
    } finally {
        await close();
    }
}

test('documents that cannot be read are told', async () => {
    const good = sampleComparison();
    assert.match(await messageOf('empty.html', null), /holds no document.*ligament run/);
    assert.match(
        await messageOf('newer.html', { ...good, content: { ...good.content, version: 2 } }),
        /version 2.*reads version 1/,
    );
    assert.match(await messageOf('foreign.html', { ...good, content: { format: 'other' } }), /not a report/);
    assert.match(
        await messageOf('cut.html', { ...good, data: good.data.slice(0, 1000) }),
        /data in this page are damaged/,
    );
    const short = structuredClone(good.content);
    short.runs[1].poses.at = 1e9;
    assert.match(
        await messageOf('short.html', { ...good, content: short }),
        /runs\[1\]\.poses ends behind the data/,
    );
});

test('without WebGL plots and table are there', async () => {
    const { page, problems, close } = await openPage(
        tests.browser,
        await tests.write('flat.html', sampleComparison()),
        { hash: 't=1' },
    );
    assert.equal(await page.evaluate(() => window.ligament.state().webgl), false);
    assert.match(await page.textContent('.no-stage'), /no 3D graphics/);
    assert.equal(await page.locator('.panel canvas').count(), 5);
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => window.ligament.state().sample), 61);
    await page.click('text=Results');
    assert.ok(await page.isVisible('.figures'));
    assert.deepEqual(problems, []);
    await close();
});
