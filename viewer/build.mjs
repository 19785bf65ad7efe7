// Makes the page: node build.mjs OUT.html. Script, style sheet and licences go into one file; where the
// template has the line <!--LIGAMENT-DOCUMENT-->, `ligament` later puts what is shown.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const place = '<!--LIGAMENT-DOCUMENT-->';

async function licences() {
    const parts = [];
    for (const name of ['three', 'uplot']) {
        const folder = join(here, 'node_modules', name);
        const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
        const text = (await readFile(join(folder, 'LICENSE'), 'utf8')).trim();
        parts.push({ name: name === 'three' ? 'three.js' : 'uPlot', version, text });
    }
    return parts;
}

async function bundle(bundled) {
    const result = await build({
        entryPoints: [join(here, 'src/main.js')],
        bundle: true,
        minify: true,
        write: false,
        outdir: 'out',
        format: 'iife',
        target: ['chrome103', 'firefox113', 'safari16.4'],
        charset: 'utf8',
        legalComments: 'none',
        define: { LIGAMENT_LICENCES: JSON.stringify(bundled) },
        logLevel: 'warning',
    });
    const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
    return { script: text('.js'), style: text('.css') };
}

export async function makePage() {
    const bundled = await licences();
    const { script, style } = await bundle(bundled);
    // Inside of a script element, these would be read as markup.
    if (/<\/script|<!--/i.test(script)) throw new Error('the script holds markup that would end its element');
    const comment = bundled.map(({ name, version, text }) => `${name} ${version}\n\n${text}`).join('\n\n\n');
    const parts = { LICENCES: comment.replaceAll('--', '- -'), STYLE: style, SCRIPT: script };
    const template = await readFile(join(here, 'src/page.html'), 'utf8');
    const page = template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
    if (page.split(`\n${place}\n`).length !== 2 || page.split(place).length !== 2) {
        throw new Error(`the page must have the line ${place} exactly once`);
    }
    return page;
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
    const out = process.argv[2];
    if (!out) {
        console.error('usage: node build.mjs OUT.html');
        process.exit(1);
    }
    const page = await makePage();
    await mkdir(dirname(out), { recursive: true });
    await writeFile(out, page);
    console.log(`${out}: ${Math.round(Buffer.byteLength(page) / 1000)} kB`);
}
