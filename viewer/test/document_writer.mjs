// Writes pages with documents as docs/report.md describes them, in place of ligament itself.
import { deflateSync } from 'node:zlib';

export class DataWriter {
    constructor() {
        this.parts = [];
        this.at = 0;
    }

    add(type, values, shape = [values.length]) {
        const Type = { f32: Float32Array, u32: Uint32Array, u8: Uint8Array }[type];
        const bytes = Buffer.from(Type.from(values).buffer);
        const description = { type, shape, at: this.at };
        this.parts.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
        this.at += Math.ceil(bytes.length / 4) * 4;
        return description;
    }

    f32(values, width) {
        return this.add('f32', values, width ? [values.length / width, width] : [values.length]);
    }

    u32(values, width) {
        return this.add('u32', values, width ? [values.length / width, width] : [values.length]);
    }

    base64() {
        return deflateSync(Buffer.concat(this.parts)).toString('base64');
    }
}

export function fillPage(page, { content, data }) {
    const json = JSON.stringify(content).replaceAll('<', '\\u003c');
    return page.replace(
        '<!--LIGAMENT-DOCUMENT-->',
        () =>
            `<script type="application/json" id="ligament-document">${json}</script>\n` +
            `<script type="text/plain" id="ligament-data">${data}</script>`,
    );
}

/// Triangles of a box around the origin.
export function boxMesh([a, b, c]) {
    const positions = [],
        normals = [],
        indices = [];
    for (let axis = 0; axis < 3; axis++) {
        for (const sign of [-1, 1]) {
            const first = positions.length / 3;
            const u = (axis + 1) % 3,
                v = (axis + 2) % 3;
            for (const [s, t] of [
                [-1, -1],
                [1, -1],
                [1, 1],
                [-1, 1],
            ]) {
                const point = [0, 0, 0];
                point[axis] = sign * [a, b, c][axis];
                point[u] = s * sign * [a, b, c][u];
                point[v] = t * [a, b, c][v];
                const normal = [0, 0, 0];
                normal[axis] = sign;
                positions.push(...point);
                normals.push(...normal);
            }
            indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
        }
    }
    return { positions, normals, indices };
}

/// Triangles of a capsule along z: a sphere where the half length is 0.
export function capsuleMesh(radius, half, around = 20, rings = 6) {
    const positions = [],
        normals = [],
        indices = [];
    const latitudes = [];
    for (let i = 0; i <= rings; i++) latitudes.push([-Math.PI / 2 + (i * Math.PI) / 2 / rings, -half]);
    for (let i = 0; i <= rings; i++) latitudes.push([(i * Math.PI) / 2 / rings, half]);
    for (const [latitude, shift] of latitudes) {
        for (let j = 0; j <= around; j++) {
            const longitude = (2 * Math.PI * j) / around;
            const normal = [
                Math.cos(latitude) * Math.cos(longitude),
                Math.cos(latitude) * Math.sin(longitude),
                Math.sin(latitude),
            ];
            positions.push(radius * normal[0], radius * normal[1], radius * normal[2] + shift);
            normals.push(...normal);
        }
    }
    for (let i = 0; i + 1 < latitudes.length; i++) {
        for (let j = 0; j < around; j++) {
            const a = i * (around + 1) + j;
            const b = a + around + 1;
            indices.push(a, a + 1, b + 1, a, b + 1, b);
        }
    }
    return { positions, normals, indices };
}

export function addMesh(writer, { positions, normals, indices }) {
    return {
        positions: writer.f32(positions, 3),
        normals: writer.f32(normals, 3),
        indices: writer.u32(indices, 3),
    };
}
