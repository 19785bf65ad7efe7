// The page in a browser: what it shows is compared with the closed forms from which its document was made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage } from './open_page.mjs';
import {
    bodies,
    notRun,
    poseOf,
    rate,
    runs,
    sampleBare,
    sampleComparison,
    sampleFigures,
    sampleLedger,
    sampleReplay,
    samples,
    seconds,
    swingAngle,
} from './sample_document.mjs';
import { cellColors, startTests } from './support.mjs';

let tests;
let comparison;
let replay;

before(async () => {
    tests = await startTests();
    comparison = await tests.write('comparison.html', sampleComparison());
    replay = await tests.write('replay.html', sampleReplay());
});
after(() => tests.end());

async function withPage(file, options, use) {
    const opened = await openPage(tests.browser, file, options);
    try {
        await use(opened.page, opened);
        assert.deepEqual(opened.problems, [], 'nothing on the console');
        assert.deepEqual(opened.requests, [], 'no requests');
    } finally {
        await opened.close();
    }
}

const state = (page) => page.evaluate(() => window.ligament.state());
const seek = (page, time) =>
    page.evaluate((t) => {
        window.ligament.seek(t);
        return window.ligament.frame();
    }, time);
const setView = (page, view) =>
    page.evaluate((wanted) => {
        window.ligament.setView(wanted);
        return window.ligament.frame();
    }, view);

function assertPose({ pos, quat }, expected, what) {
    const sign = Math.sign(
        quat[0] * expected[3] + quat[1] * expected[4] + quat[2] * expected[5] + quat[3] * expected[6],
    );
    const found = [...pos, ...quat.map((part) => sign * part)];
    found.forEach((value, k) =>
        assert.ok(Math.abs(value - expected[k]) < 2e-6, `${what}: ${found} instead of ${expected}`),
    );
}

async function assertPoses(page, time, what) {
    for (const [r, run] of runs.entries()) {
        const last = run.last === undefined ? Infinity : run.last / rate;
        for (const body of bodies.keys()) {
            const found = await page.evaluate(([a, b]) => window.ligament.bodyPose(a, b), [r, body]);
            assertPose(
                found,
                poseOf(run, body, Math.min(time, last)),
                `${what}, ${run.name}, ${bodies[body]} at ${time}`,
            );
        }
    }
}

test('it opens from disk with title, command and licences', () =>
    withPage(comparison, { hash: 't=0' }, async (page) => {
        assert.equal(await page.title(), 'Pendulum & box <sample> – Ligament');
        assert.equal(await page.textContent('h1'), 'Pendulum & box <sample>');
        assert.match(await page.textContent('.command'), /ligament compare sample\.xml/);
        await page.click('[aria-label="About"]');
        assert.match(await page.textContent('dialog.about'), /three\.js authors[\s\S]*Leon Sorokin/);
        assert.match(tests.template, /<!--[^]*three\.js authors[^]*Leon Sorokin[^]*-->/);
        assert.ok(tests.template.length < 800e3, 'the page stays small');
    }));

test('seek puts every body of every run where it was recorded', () =>
    withPage(comparison, { hash: 't=0' }, async (page) => {
        for (const sample of [0, 1, 37, 120, 149, 150, 151, 200, samples - 1]) {
            await seek(page, sample / rate);
            await assertPoses(page, sample / rate, 'seek');
        }
        await seek(page, 100);
        assert.equal((await state(page)).time, seconds);
        await seek(page, -1);
        assert.equal((await state(page)).time, 0);
    }));

test('the scrubber moves the bodies to recorded poses', () =>
    withPage(comparison, { hash: 't=0' }, async (page) => {
        for (const sample of [90, 17]) {
            await page.fill('.scrubber', String(sample));
            assert.equal((await state(page)).sample, sample);
            await assertPoses(page, sample / rate, 'scrubber');
            assert.match(
                await page.textContent('.clock'),
                new RegExp(`^${(sample / rate).toFixed(2)} / 4.00 s`),
            );
        }
    }));

test('between samples the shortest turn is taken', () =>
    withPage(comparison, { hash: 't=0' }, async (page) => {
        // The box turns steadily about z: half of the way is the closed form there.
        const time = (80 + 0.5) / rate;
        await seek(page, time);
        const found = await page.evaluate(() => window.ligament.bodyPose('reduced', 'box'));
        assertPose(found, poseOf(runs[0], 2, time), 'half way');
    }));

test('bodies are drawn where they are said to be', () =>
    withPage(replay, { hash: 't=0&view=picture&hide=shadows' }, async (page) => {
        // From the front, close, at the box: the middle of the picture has the box's yellow, and once it fell
        // no more.
        await setView(page, { camera: { azimuth: -90, elevation: 5, distance: 3, target: [1.1, 0.4, 1.4] } });
        const middle = async () => {
            const { width, height } = page.viewportSize();
            const png = await page.screenshot({
                clip: { x: width / 2 - 2, y: height / 2 - 2, width: 4, height: 4 },
            });
            return (await cellColors(page, png, 1, 1))[0];
        };
        const [r, g, b] = await middle();
        assert.ok(r > 120 && g > 90 && b < 0.6 * g, `yellow, not ${[r, g, b]}`);
        await seek(page, 1);
        const [, green, blue] = await middle();
        assert.ok(blue > 0.9 * green, 'the box is gone');
    }));

test('the keyboard steers', () =>
    withPage(comparison, { hash: 't=1' }, async (page) => {
        const press = async (key) => {
            await page.keyboard.press(key);
            return state(page);
        };
        assert.equal((await press('ArrowRight')).sample, 61);
        assert.equal((await press('Shift+ArrowRight')).sample, 71);
        assert.equal((await press('Shift+ArrowLeft')).sample, 61);
        assert.equal((await press('ArrowLeft')).sample, 60);
        assert.equal((await press('Space')).playing, true);
        await page.waitForFunction(() => window.ligament.state().time > 1.05);
        assert.equal((await press('Space')).playing, false);
        assert.equal((await press('Backspace')).time, 0);
        assert.equal((await press('End')).time, seconds);
        assert.equal((await press('Home')).time, 0);
        assert.equal((await press('+')).speed, 2);
        assert.equal((await press('-')).speed, 1);
        assert.equal((await press('-')).speed, 0.5);
        assert.equal((await press('l')).loop, false);
        assert.deepEqual((await press('2')).runs.map((run) => run.visible).slice(0, 3), [true, false, true]);
        assert.equal((await press('o')).mode, 'side');
        assert.equal((await press('o')).mode, 'overlay');
        for (const [key, name] of [
            ['c', 'contacts'],
            ['a', 'forces'],
            ['j', 'joints'],
            ['g', 'gaps'],
            ['m', 'center'],
            ['b', 'frames'],
        ]) {
            const was = (await state(page)).show[name];
            assert.equal((await press(key)).show[name], !was, name);
        }
        // A click leaves the space bar to the motion; results scroll with theirs.
        await page.click('[data-show=joints]');
        assert.equal((await press('Space')).playing, true);
        assert.equal((await press('Space')).playing, false);
        assert.equal((await press('w')).style, 'transparent');
        assert.equal((await press('v')).view, 'results');
        assert.equal((await press('Space')).playing, false);
        assert.equal((await press('v')).view, 'motion');
        await press('?');
        assert.ok(await page.isVisible('dialog.help'));
        await press('Escape');
        assert.ok(!(await page.isVisible('dialog.help')));
    }));

test('a motion ends, or begins again', () =>
    withPage(replay, { hash: 't=3.9' }, async (page) => {
        await page.evaluate(() => {
            window.ligament.setView({ loop: false, speed: 4 });
            window.ligament.play();
        });
        await page.waitForFunction(() => !window.ligament.state().playing);
        assert.equal((await state(page)).time, seconds);
        await page.evaluate(() => {
            window.ligament.setView({ loop: true });
            window.ligament.seek(3.9);
            window.ligament.play();
        });
        await page.waitForFunction(() => window.ligament.state().time < 3);
        assert.equal((await state(page)).playing, true);
    }));

test('by itself it plays, but not for those who want no motion', async () => {
    await withPage(replay, {}, async (page) => {
        await page.waitForFunction(() => window.ligament.state().time > 0.1);
    });
    await withPage(replay, { motion: 'reduce' }, async (page) =>
        assert.equal((await state(page)).playing, false),
    );
});

test('a body is chosen with a click and followed', () =>
    withPage(replay, { hash: 't=1.2' }, async (page) => {
        const [x, y, z] = poseOf(runs[0], 2, 1.2);
        await setView(page, { camera: { azimuth: -90, elevation: 20, distance: 4, target: [x, y, z] } });
        const box = await page.locator('canvas[tabindex]').boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        assert.deepEqual((await state(page)).selected, { run: 0, body: 2 });
        await page.evaluate(() => window.ligament.frame());
        assert.match(await page.textContent('.body-card'), /box[^]*1\.1000 {2}0\.4000 {2}0\.2000/);
        await page.keyboard.press('f');
        assert.equal((await state(page)).follow, 2);
        // Followed, it stays in the middle.
        await seek(page, 0);
        await page.mouse.click(box.x + box.width / 2 + 2, box.y + box.height / 2 + 2);
        assert.deepEqual((await state(page)).selected, { run: 0, body: 2 });
        await page.keyboard.press('f');
        assert.equal((await state(page)).follow, null);
    }));

test('the camera turns, zooms and comes back', () =>
    withPage(replay, { hash: 't=0' }, async (page) => {
        const first = (await state(page)).camera;
        const box = await page.locator('canvas[tabindex]').boundingBox();
        await page.mouse.move(box.x + 300, box.y + 300);
        await page.mouse.down();
        await page.mouse.move(box.x + 380, box.y + 340, { steps: 4 });
        await page.mouse.up();
        const turned = (await state(page)).camera;
        assert.ok(turned.azimuth < first.azimuth - 5 && turned.elevation > first.elevation + 2);
        await page.mouse.wheel(0, -300);
        await page.waitForFunction(
            (distance) => window.ligament.state().camera.distance < 0.9 * distance,
            first.distance,
        );
        await page.keyboard.press('r');
        assert.deepEqual((await state(page)).camera, first);
    }));

test('plots and motion are linked', () =>
    withPage(comparison, { hash: 't=1' }, async (page) => {
        const lines = async () =>
            page.$$eval('.plot-now', (nodes) =>
                nodes.map((node) => {
                    const over = node.parentElement.getBoundingClientRect();
                    return (
                        (node.getBoundingClientRect().left +
                            node.getBoundingClientRect().width / 2 -
                            over.left) /
                        over.width
                    );
                }),
            );
        const groups = await page.$$eval('.panel', (nodes) => nodes.map((node) => node.dataset.group));
        assert.deepEqual(groups, ['energy', 'errors', 'residuals', 'coordinates', 'stage times']);
        for (const time of [1, 3]) {
            await seek(page, time);
            const places = await lines();
            assert.equal(places.length, 5);
            for (const place of places)
                assert.ok(Math.abs(place - time / seconds) < 0.01, `${place} at ${time}`);
        }
        const over = await page.locator('[data-group="energy"] .u-over').boundingBox();
        await page.mouse.move(over.x + 0.25 * over.width, over.y + 40);
        await page.mouse.down();
        assert.ok(Math.abs((await state(page)).time - 1) < 0.02);
        await page.mouse.move(over.x + 0.75 * over.width, over.y + 40, { steps: 3 });
        await page.mouse.up();
        const { time, sample } = await state(page);
        assert.ok(
            Math.abs(time - 3) < 0.02 && Math.abs(time - sample / rate) < 1e-6,
            'dragging goes by samples',
        );
    }));

test('coordinates are chosen, scales changed', () =>
    withPage(comparison, { hash: 't=1' }, async (page) => {
        const panel = page.locator('[data-group="coordinates"]');
        assert.deepEqual(await panel.locator('.plot-names span').allTextContents(), ['pivot']);
        await panel.locator('summary').click();
        await panel.locator('[type=search]').fill('fall.z');
        await panel.locator('label:visible input').check();
        assert.deepEqual(await panel.locator('.plot-names span').allTextContents(), ['pivot', 'fall.z']);
        const log = page.locator('[data-group="errors"] .panel-top > button');
        assert.equal(await log.getAttribute('aria-pressed'), 'true');
        await log.click();
        assert.equal(await log.getAttribute('aria-pressed'), 'false');
    }));

test('the values under the pointer are told', () =>
    withPage(comparison, { hash: 't=1' }, async (page) => {
        await page.locator('[data-group="coordinates"]').scrollIntoViewIfNeeded();
        const over = await page.locator('[data-group="coordinates"] .u-over').boundingBox();
        await page.mouse.move(over.x + 0.5 * over.width, over.y + 40);
        await page.waitForSelector('[data-group="coordinates"] .plot-tip:not([hidden])');
        const rows = await page.locator('[data-group="coordinates"] .plot-tip tr').allTextContents();
        assert.equal(rows.length, 3);
        runs.forEach((run, i) => {
            const [, name, value] = rows[i].match(/^●(\w+?)(−?[\d.]+) rad$/);
            assert.equal(name, run.name);
            assert.ok(Math.abs(Number(value.replace('−', '-')) - swingAngle(run, 2)) < 0.01, rows[i]);
        });
    }));

test('the energy ledger is stacked', async () => {
    const ledger = await tests.write('ledger.html', sampleLedger());
    const panel = '[data-group="energy ledger"]';
    const number = (text) => Number(text.replace('−', '-'));
    for (const theme of ['light', 'dark']) {
        await withPage(ledger, { hash: 't=1', theme }, async (page) => {
            const groups = await page.$$eval('.panel', (nodes) => nodes.map((node) => node.dataset.group));
            assert.deepEqual(groups, ['energy', 'energy ledger', 'work and losses']);
            const names = () => page.locator(`${panel} .plot-names span`).allTextContents();
            assert.deepEqual(await names(), [
                'start + put in',
                'kinetic',
                'gravity',
                'gone into dampers',
            ]);
            // Which colours a column of the plot has: none is that of what the method makes, then one is.
            const reds = async () => {
                const over = await page.locator(`${panel} .u-over`).boundingBox();
                const png = await page.screenshot({
                    clip: { x: over.x + 0.95 * over.width, y: over.y, width: 3, height: over.height },
                });
                const cells = await cellColors(page, png, 1, 40);
                return cells.filter(([r, g, b]) => r > 190 && g < 110 && b < 160).length;
            };
            assert.equal(await reds(), 0);
            await page.selectOption(`${panel} select`, { label: 'inventive' });
            assert.ok((await names()).includes('made by the method'));
            // 2 J of 16 J.
            assert.ok(Math.abs((await reds()) - (40 * 2) / 16 / 1.04) < 2, `${await reds()} of 40`);

            const over = await page.locator(`${panel} .u-over`).boundingBox();
            await page.mouse.move(over.x + 0.5 * over.width, over.y + 40);
            await page.waitForSelector(`${panel} .plot-tip:not([hidden])`);
            const rows = await page.$$eval(`${panel} .plot-tip tr`, (nodes) =>
                nodes.map((row) => [...row.children].slice(1).map((cell) => cell.textContent)),
            );
            const wanted = [
                ['start + put in', 6 + 4],
                ['kinetic', 6 * Math.exp(-2) + 1],
                ['gravity', 4],
                ['by drives', 4],
                ['by dampers', -6 * (1 - Math.exp(-2))],
                ['by the method', 1],
            ];
            assert.deepEqual(
                rows.map(([name]) => name),
                wanted.map(([name]) => name),
            );
            rows.forEach(([name, text], i) => {
                assert.match(text, / J$/);
                assert.ok(Math.abs(number(text.slice(0, -2)) - wanted[i][1]) < 0.06, `${name} ${text}`);
            });
        });
    }
});

test('a promise that was missed is told', async () => {
    await withPage(await tests.write('missed.html', sampleLedger()), { hash: 'view=results' }, async (page) => {
        assert.deepEqual(await page.locator('.results .message').allTextContents(), [
            'Missed: energy 0.2 of the energy in motion at 4 s, 0.01 promised',
        ]);
    });
    const { content, data } = sampleComparison();
    content.runs[1].missed = 'loops 0.02 m or rad at 4 s, 1e-07 promised';
    await withPage(await tests.write('mark.html', { content, data }), { hash: 'view=results' }, async (page) => {
        assert.deepEqual(await page.locator('.figures th .status').allTextContents(), ['missed', 'diverged']);
        assert.match((await page.locator('.figures .why').allTextContents())[0], /^Missed: loops 0\.02 m/);
    });
});

test('runs side by side have their names, failed ones their message', () =>
    withPage(comparison, { hash: 't=3' }, async (page) => {
        assert.match(await page.textContent('.legend'), /impulse.*diverged.*left the world at 2\.5 s/);
        await setView(page, { mode: 'side' });
        assert.deepEqual(await page.locator('.label.window:visible').allTextContents(), [
            'reduced',
            'multiplier',
            'impulse – stopped at 2.50 s',
        ]);
        await page.click('.legend button:has-text("multiplier")');
        await page.evaluate(() => window.ligament.frame());
        assert.deepEqual(await page.locator('.label.window:visible').allTextContents(), [
            'reduced',
            'impulse – stopped at 2.50 s',
        ]);
    }));

test('gaps of loops are told', () =>
    withPage(comparison, { hash: 't=1&runs=multiplier' }, async (page) => {
        assert.deepEqual(await page.locator('.label.gap:visible').allTextContents(), ['4 mm']);
        // Poses have 24 bits: no gap at all is not told from one that small.
        await setView(page, { runs: ['reduced'] });
        assert.match((await page.locator('.label.gap:visible').allTextContents())[0], /^< 1 µm$/);
    }));

test('light and dark', () =>
    withPage(comparison, { hash: 't=1', theme: 'dark' }, async (page) => {
        const brightness = () =>
            page.$eval('body', (body) => Number(getComputedStyle(body).backgroundColor.match(/\d+/)[0]));
        assert.equal((await state(page)).theme, 'dark');
        assert.ok((await brightness()) < 60);
        await page.click('[aria-label="Light"]');
        assert.equal((await state(page)).theme, 'light');
        assert.ok((await brightness()) > 200);
    }));

test('the table of a comparison', () =>
    withPage(comparison, { hash: 'view=results' }, async (page) => {
        const rows = await page.$$eval('.figures tbody tr', (nodes) =>
            nodes.map((row) => [...row.children].map((cell) => cell.textContent)),
        );
        assert.deepEqual(await page.locator('.figures thead th').allTextContents(), [
            'Run',
            'error [mm]',
            'energy drift [J]',
            'equality gap [mm]',
            'penetration [mm]',
            'time per second [ms]',
        ]);
        assert.deepEqual(rows[0], ['reduced', '1.00', '0.0100', '0', '0', '0.500']);
        assert.deepEqual(rows[1], ['multiplier', '1.04', '0.0140', '4.00', '2.00', '0.800']);
        assert.deepEqual(rows[2], ['impulsediverged', '–', '0.0300', '20.0', '10.0', '1.20']);
        assert.match(rows[3][0], /left the world/);
        assert.deepEqual(rows[4], ['reduced:rk4 0.02 s', '1.60', '0.0200', '0.400', '0', '1.50']);
        const best = await page.$$eval('.figures .best', (cells) => cells.map((cell) => cell.textContent));
        assert.ok(best.includes('3.91e−4') && !best.includes('20.0'));
        assert.match(await page.textContent('.results'), /Errors against reduced:rk4 at 0\.0001 s/);
        assert.match(
            await page.textContent('.not-run'),
            new RegExp(`${notRun[0].name}.*${notRun[0].reason}`),
        );
        assert.deepEqual(await page.locator('.curve:has-text("Convergence") li').allTextContents(), [
            'reduced rk4 – order 4.0',
            'multiplier rattle – order 2.0',
            'impulse euler – order 1.0',
        ]);
        assert.equal(await page.locator('.curve:has-text("Work and precision") li').count(), 3);
        assert.equal(await page.locator('.curve canvas').count(), 2);
    }));

test('the figures of a replay', () =>
    withPage(replay, { hash: 'view=results' }, async (page) => {
        assert.match(
            await page.textContent('.results'),
            /Formulationreduced.*Step0\.01 s.*Energy drift10 mJ/,
        );
    }));

test('a picture is the 3D view alone', () =>
    withPage(
        comparison,
        {
            hash: 't=1.5&view=picture&camera=-30,25,5&target=0,0,1&theme=light&runs=reduced',
            width: 640,
            height: 400,
        },
        async (page) => {
            const shown = await state(page);
            assert.equal(shown.time, 1.5);
            assert.equal(shown.playing, false);
            assert.deepEqual(
                [shown.camera.azimuth, shown.camera.elevation, shown.camera.distance].map(Math.round),
                [-30, 25, 5],
            );
            assert.deepEqual(shown.camera.target, [0, 0, 1]);
            assert.deepEqual(await page.locator('canvas[tabindex]').boundingBox(), {
                x: 0,
                y: 0,
                width: 640,
                height: 400,
            });
            assert.equal(await page.locator('button:visible, .card:visible, .label:visible').count(), 0);
        },
    ));

test('every control has a name', () =>
    withPage(comparison, { hash: 't=1' }, async (page) => {
        const nameless = await page.$$eval('button, select, input', (nodes) =>
            nodes
                .filter(
                    (node) =>
                        !(
                            node.getAttribute('aria-label') ||
                            node.textContent.trim() ||
                            node.closest('label')?.textContent.trim()
                        ),
                )
                .map((node) => node.outerHTML),
        );
        assert.deepEqual(nameless, []);
    }));

test('a document with hardly anything in it', async () => {
    await withPage(await tests.write('bare.html', sampleBare()), {}, async (page) => {
        assert.equal((await state(page)).playing, false);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Space');
        assertPose(
            await page.evaluate(() => window.ligament.bodyPose(0, 'one')),
            [0, 0, 0, 1, 0, 0, 0],
            'the body',
        );
        assert.ok(!(await page.isVisible('.plots')));
        assert.equal(await page.locator('[data-show]').count(), 2, 'only toggles of what there is');
    });
    await withPage(await tests.write('figures.html', sampleFigures()), {}, async (page) => {
        assert.equal(await page.locator('.curve canvas').count(), 2);
        await page.click('text=Motion');
        assert.match(await page.textContent('.no-stage'), /No motion/);
    });
});
