// What the page shows: the JSON document and the bytes that its arrays refer to. docs/report.md has the
// format.

export class DocumentError extends Error {}

const types = { f32: Float32Array, u32: Uint32Array, u8: Uint8Array };

function parseDocument() {
    const element = document.getElementById('ligament-document');
    if (!element) {
        throw new DocumentError(
            'This page holds no document. It is the empty page that ligament fills: ' +
                'ligament run SCENE --out replay.html, or ligament compare SCENE --out report.html.',
        );
    }
    let content;
    try {
        content = JSON.parse(element.textContent);
    } catch (error) {
        throw new DocumentError(`The document in this page is damaged: ${error.message}.`);
    }
    if (content?.format !== 'ligament-report')
        throw new DocumentError('The document in this page is not a report of Ligament.');
    if (content.version !== 1) {
        throw new DocumentError(
            `The document in this page has version ${content.version}; this page reads version 1. ` +
                'Make the report again, with one version of ligament.',
        );
    }
    return content;
}

function decodeBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
    return bytes;
}

async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).arrayBuffer();
}

async function readBytes() {
    const text = document.getElementById('ligament-data')?.textContent.trim() ?? '';
    if (!text) return new ArrayBuffer(0);
    try {
        return await inflate(decodeBase64(text));
    } catch {
        throw new DocumentError('The data in this page are damaged: the file is incomplete, or was changed.');
    }
}

/// An array with its shape: `data`, `count` (the first of the shape) and `width` (the product of the others).
function view(buffer, description, path) {
    const Type = types[description.type];
    const shape = description.shape;
    if (!Type || !Array.isArray(shape))
        throw new DocumentError(`The document in this page is damaged: ${path} is no array.`);
    const length = shape.reduce((product, size) => product * size, 1);
    if (description.at + length * Type.BYTES_PER_ELEMENT > buffer.byteLength) {
        throw new DocumentError(`The document in this page is damaged: ${path} ends behind the data.`);
    }
    const count = shape[0] ?? 1;
    return { data: new Type(buffer, description.at, length), count, width: count ? length / count : 0 };
}

function decodeRun(buffer, run, bodies, path) {
    const array = (member) => (run[member] ? view(buffer, run[member], `${path}.${member}`) : null);
    const time = array('time');
    const samples = time?.count ?? 0;
    const poses = run.drawn ? array('poses') : null;
    if (poses && poses.data.length !== samples * bodies * 7) {
        throw new DocumentError(
            `The document in this page is damaged: ${path}.poses has not 7 numbers per body and time.`,
        );
    }
    let contacts = null;
    if (run.contacts) {
        contacts = {};
        for (const member of ['start', 'points', 'forces', 'normals', 'distances']) {
            if (run.contacts[member])
                contacts[member] = view(buffer, run.contacts[member], `${path}.contacts.${member}`).data;
        }
    }
    const series = (run.series ?? []).map((one, i) => ({
        ...one,
        values: view(buffer, one.values, `${path}.series[${i}]`).data,
    }));
    const drawn = Boolean(poses) && samples > 0;
    return {
        ...run,
        drawn,
        samples,
        contacts,
        series,
        figures: run.figures ?? {},
        time: time?.data ?? new Float32Array(0),
        poses: poses?.data ?? null,
        stretches: array('stretches')?.data ?? null,
        com: array('com')?.data ?? null,
    };
}

function decodeScene(buffer, scene) {
    const meshes = (scene.meshes ?? []).map((mesh, i) => {
        const part = (member) => view(buffer, mesh[member], `scene.meshes[${i}].${member}`).data;
        return { positions: part('positions'), normals: part('normals'), indices: part('indices') };
    });
    return {
        ...scene,
        meshes,
        bodies: scene.bodies ?? [],
        shapes: scene.shapes ?? [],
        joints: scene.joints ?? [],
        links: scene.links ?? [],
        bounds: {
            center: [0, 1, 2].map((k) => scene.bounds?.center?.[k] ?? 0),
            radius: scene.bounds?.radius > 0 ? scene.bounds.radius : 1,
        },
    };
}

export async function readDocument() {
    const content = parseDocument();
    const buffer = await readBytes();
    const scene = decodeScene(buffer, content.scene ?? {});
    const runs = (content.runs ?? []).map((run, i) =>
        decodeRun(buffer, run, scene.bodies.length, `runs[${i}]`),
    );
    return { ...content, scene, runs, ledger: content.ledger ?? [], comparison: content.comparison ?? null };
}
