// node test/make_sample.mjs OUT.html [comparison|replay|ledger|characters] [COUNT]: a page to look at without
// ligament.
import { writeFile } from 'node:fs/promises';
import { makePage } from '../build.mjs';
import { characterDocument } from './character_document.mjs';
import { fillPage } from './document_writer.mjs';
import { sampleComparison, sampleLedger, sampleReplay } from './sample_document.mjs';

const [out, kind = 'comparison', count = '1'] = process.argv.slice(2);
const made = {
    comparison: sampleComparison,
    replay: sampleReplay,
    ledger: sampleLedger,
    characters: () => characterDocument({ characters: Number(count), runs: 4 / Number(count) >= 1 ? 4 : 1 }),
}[kind]();
await writeFile(out, fillPage(await makePage(), made));
console.log(out);
