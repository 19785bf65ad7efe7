// Pages that the program itself writes: the character under all formulations, in the browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPage, startBrowser } from './open_page.mjs';

const ligament = process.env.LIGAMENT;
const scene = join(process.env.SOURCE_DIR, 'scenes', 'character.xml');
let browser;
let folder;

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ligament-report-'));
    browser = await startBrowser();
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
});

// As tables have it: three digits, small ones by their power of ten.
function shown(number) {
    return number < 1e-3 ? number.toExponential(2).replace('-', '−') : Number(number.toPrecision(3)).toString();
}

async function withPage(file, use) {
    const opened = await openPage(browser, file);
    try {
        await use(opened.page);
        assert.deepEqual(opened.problems, [], 'nothing on the console');
        assert.deepEqual(opened.requests, [], 'no requests');
    } finally {
        await opened.close();
    }
}

test('a comparison of ten seconds is below 5 MB and shows all formulations', async () => {
    const page = join(folder, 'report.html');
    const table = join(folder, 'report.json');
    execFileSync(ligament, ['compare', scene, '--key', 'tumble', '--duration', '10', '--out', page, '--out', table]);
    assert.ok(statSync(page).size < 5e6, `${statSync(page).size} bytes`);
    const { runs } = JSON.parse(readFileSync(table, 'utf-8'));
    await withPage(page, async (opened) => {
        const state = await opened.evaluate(() => window.ligament.state());
        assert.deepEqual(state.runs.map((run) => run.name), ['reduced', 'multiplier', 'implicit', 'impulse', 'reference']);
        assert.ok(Math.abs(state.end - 10) < 1e-6);
        await opened.evaluate(() => window.ligament.setView({ view: 'results' }));
        const text = await opened.evaluate(() => document.body.innerText);
        for (const run of runs.slice(0, 4)) {
            assert.ok(text.includes(run.name), run.name);
            assert.ok(text.includes(shown(1e3 * run.max_penetration)), `overlap of ${run.name}`);
        }
    });
});

test('at the end bodies are drawn where the program says that they are', async () => {
    const page = join(folder, 'fall.html');
    for (const formulation of ['reduced', 'impulse']) {
        const told = execFileSync(
            ligament,
            ['run', scene, '--key', 'tumble', '--duration', '1.5', '--formulation', formulation, '--out', page, '--json'],
            { encoding: 'utf-8' },
        );
        const { final } = JSON.parse(told);
        await withPage(page, async (opened) => {
            const poses = await opened.evaluate(async (names) => {
                window.ligament.seek(1e9);
                await window.ligament.frame();
                return Object.fromEntries(names.map((name) => [name, window.ligament.bodyPose(0, name)]));
            }, Object.keys(final.xpos));
            for (const [name, place] of Object.entries(final.xpos))
                // Single precision at a few metres.
                place.forEach((x, k) => assert.ok(Math.abs(poses[name].pos[k] - x) < 1e-6, `${name} ${k}: ${poses[name].pos[k]} is not ${x}`));
        });
    }
});
