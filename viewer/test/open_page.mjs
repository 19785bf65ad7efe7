// Opens a page from disk in headless Chromium: what every test of a page begins with.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

/// The browser's program: CHROMIUM says it, or it is where distributions put it. Null: there is none.
export function findChromium() {
    const places = [
        process.env.CHROMIUM,
        '/usr/bin/chromium',
        '/usr/bin/chromium-browser',
        '/usr/bin/google-chrome',
    ];
    return places.find((place) => place && existsSync(place)) ?? null;
}

export async function startBrowser({ webgl = true } = {}) {
    const program = findChromium();
    if (!program) throw new Error('there is no Chromium: install it, or set CHROMIUM');
    const graphics = webgl
        ? ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
        : ['--disable-gpu', '--disable-3d-apis', '--disable-software-rasterizer'];
    return chromium.launch({
        executablePath: program,
        args: [
            '--no-sandbox',
            '--disable-dev-shm-usage',
            '--force-color-profile=srgb',
            '--font-render-hinting=none',
            '--hide-scrollbars',
            ...graphics,
        ],
    });
}

/// A page of a file with what went wrong in it: `problems` (errors and warnings of the console, exceptions)
/// and `requests` (all but of the file itself). With `wait`, the page has drawn its first frame.
export async function openPage(
    browser,
    file,
    { hash = '', width = 1000, height = 640, theme = 'light', wait = true, motion = 'no-preference' } = {},
) {
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        deviceScaleFactor: 1,
        reducedMotion: motion,
        locale: 'en-GB',
    });
    const page = await context.newPage();
    const address = pathToFileURL(resolve(file)).href;
    const problems = [];
    const requests = [];
    page.on('console', (message) => {
        // Where WebGL is computed by the processor, its driver remarks that reading pixels back is slow. So
        // it is.
        if (/GL Driver Message \(OpenGL, Performance/.test(message.text())) return;
        if (['error', 'warning'].includes(message.type()))
            problems.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
    page.on('request', (request) => {
        const url = request.url().split('#')[0];
        if (url !== address && !url.startsWith('data:') && !url.startsWith('blob:')) requests.push(url);
    });
    await page.goto(address + (hash ? `#${hash}` : ''));
    if (wait) await page.evaluate(() => window.ligament.ready);
    return { page, problems, requests, close: () => context.close() };
}
