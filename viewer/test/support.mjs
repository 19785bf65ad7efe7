// What the tests of the page share: pages made of documents, a browser, pixels.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePage } from '../build.mjs';
import { fillPage } from './document_writer.mjs';
import { startBrowser } from './open_page.mjs';

/// A folder with pages, and a browser; `end` closes both.
export async function startTests(options) {
    const folder = await mkdtemp(join(tmpdir(), 'ligament-viewer-'));
    const page = await makePage();
    const browser = await startBrowser(options);
    return {
        browser,
        template: page,
        async write(name, document) {
            const file = join(folder, name);
            await writeFile(file, document ? fillPage(page, document) : page);
            return file;
        },
        async end() {
            await browser.close();
            await rm(folder, { recursive: true });
        },
    };
}

/// The mean colours (r, g, b) of the cells of a picture (bytes of a PNG), row by row. The browser decodes it.
export async function cellColors(page, png, columns, rows) {
    return page.evaluate(
        async ([text, across, down]) => {
            const image = await createImageBitmap(
                new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: 'image/png' }),
            );
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, image.width, image.height);
            const sums = new Float64Array(4 * across * down);
            for (let y = 0; y < image.height; y++) {
                for (let x = 0; x < image.width; x++) {
                    const cell =
                        4 *
                        (Math.floor((y * down) / image.height) * across +
                            Math.floor((x * across) / image.width));
                    for (let k = 0; k < 3; k++) sums[cell + k] += data[4 * (y * image.width + x) + k];
                    sums[cell + 3]++;
                }
            }
            const out = [];
            for (let i = 0; i < across * down; i++)
                out.push([0, 1, 2].map((k) => sums[4 * i + k] / sums[4 * i + 3]));
            return out;
        },
        [png.toString('base64'), columns, rows],
    );
}

/// A picture (bytes of a PNG), smaller.
export async function shrink(page, png, width) {
    const text = await page.evaluate(
        async ([source, wanted]) => {
            const image = await createImageBitmap(
                new Blob([Uint8Array.from(atob(source), (c) => c.charCodeAt(0))], { type: 'image/png' }),
            );
            const canvas = document.createElement('canvas');
            canvas.width = wanted;
            canvas.height = (image.height * wanted) / image.width;
            const context = canvas.getContext('2d');
            context.imageSmoothingQuality = 'high';
            context.drawImage(image, 0, 0, canvas.width, canvas.height);
            return canvas.toDataURL('image/png').split(',')[1];
        },
        [png.toString('base64'), width],
    );
    return Buffer.from(text, 'base64');
}
