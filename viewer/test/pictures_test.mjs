// The main views against stored pictures: node pictures_test.mjs; with --update they are written anew (look
// at them).
//
// Pictures are compared as 80 × 50 cells of mean colour, so that hinting and antialiasing, which move edges
// by a pixel, cost little; those with a 3D view are stored small, 3 × 3 pixels of each cell. A cell is off
// when a colour differs by more than 20 of 255, and 2 % may be off. Tried: a serif font in place of the other
// changes 0.6 % at most; without bodies or curves it is 3 to 30 %.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPage } from './open_page.mjs';
import { sampleComparison, sampleReplay } from './sample_document.mjs';
import { cellColors, shrink, startTests } from './support.mjs';

const update = process.argv.includes('--update');
const folder = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const columns = 80;
const rows = 50;
const offBy = 20;
const mostOff = 0.02;

const views = {
    overlay: { hash: 't=1&view=picture&show=joints,contacts,forces,center&hide=shadows' },
    side: { hash: 't=1&view=picture&mode=side&show=shadows,contacts' },
    single: { document: 'replay', hash: 't=0.25&view=picture&show=shadows' },
    page: { hash: 't=1&hide=shadows' },
    dark: { hash: 't=1&mode=side&theme=dark&show=shadows' },
    plots: { hash: 't=1&hide=shadows', scroll: '.motion' },
    table: { hash: 'view=results', text: true },
    curves: { hash: 'view=results', scroll: '.results', text: true },
};

let tests;
const files = {};

before(async () => {
    tests = await startTests();
    files.comparison = await tests.write('comparison.html', sampleComparison());
    files.replay = await tests.write('replay.html', sampleReplay());
});
after(() => tests.end());

async function take({ document = 'comparison', hash, scroll }, change, use) {
    const { page, problems, close } = await openPage(tests.browser, files[document], {
        hash,
        width: 800,
        height: 500,
    });
    try {
        if (scroll) await page.$eval(scroll, (node) => node.scrollTo(0, node.scrollHeight));
        if (change) await page.evaluate((view) => window.ligament.setView(view), change);
        await page.evaluate(() => window.ligament.frame());
        await use(await page.screenshot({ animations: 'disabled' }), page);
        assert.deepEqual(problems, []);
    } finally {
        await close();
    }
}

async function partOff(page, name, png) {
    const stored = await readFile(join(folder, `${name}.png`));
    const [expected, found] = [
        await cellColors(page, stored, columns, rows),
        await cellColors(page, png, columns, rows),
    ];
    const off = expected.filter((color, i) => color.some((part, k) => Math.abs(part - found[i][k]) > offBy));
    return off.length / expected.length;
}

const percent = (part) => `${(100 * part).toFixed(1)} % of the cells are off`;

for (const [name, view] of Object.entries(views)) {
    test(`the picture of ${name}`, () =>
        take(view, null, async (png, page) => {
            if (update) {
                await mkdir(folder, { recursive: true });
                await writeFile(join(folder, `${name}.png`), view.text ? png : await shrink(page, png, 240));
            }
            const off = await partOff(page, name, png);
            assert.ok(off <= mostOff, `${name}: ${percent(off)}`);
        }));
}

test('bodies that are not drawn are noticed', async () => {
    for (const name of ['overlay', 'side', 'single']) {
        await take(views[name], { show: { shapes: false } }, async (png, page) => {
            const off = await partOff(page, name, png);
            assert.ok(off > 2 * mostOff, `${name}: only ${percent(off)}`);
        });
    }
});
