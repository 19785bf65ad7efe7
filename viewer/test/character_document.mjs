// Characters of 16 capsules and a root each, tumbling by closed forms: as much as a real report of a falling
// ragdoll.
import { DataWriter, addMesh, capsuleMesh } from './document_writer.mjs';

const limbs = [
    [0, 0, 0, 0.11, 0.12],
    [0, 0, 0.25, 0.12, 0.12],
    [0, 0, 0.5, 0.1, 0.08],
    [0, 0, 0.75, 0.11, 0.02],
    [0.25, 0, 0.5, 0.05, 0.12],
    [0.25, 0, 0.2, 0.045, 0.12],
    [0.25, 0, -0.02, 0.04, 0.04],
    [-0.25, 0, 0.5, 0.05, 0.12],
    [-0.25, 0, 0.2, 0.045, 0.12],
    [-0.25, 0, -0.02, 0.04, 0.04],
    [0.1, 0, -0.3, 0.07, 0.16],
    [0.1, 0, -0.7, 0.055, 0.16],
    [0.1, 0.08, -0.95, 0.04, 0.06],
    [-0.1, 0, -0.3, 0.07, 0.16],
    [-0.1, 0, -0.7, 0.055, 0.16],
    [-0.1, 0.08, -0.95, 0.04, 0.06],
    [0, 0, 0.15, 0.1, 0.03],
];

export function characterDocument({ runs = 4, characters = 1, seconds = 10, rate = 60, series = 24 } = {}) {
    const writer = new DataWriter();
    const unit = [1, 0, 0, 0];
    const across = Math.ceil(Math.sqrt(characters));
    const bodies = [{ name: 'world', parent: -1 }];
    const shapes = [
        {
            name: 'ground',
            body: 0,
            kind: 'plane',
            mesh: null,
            pos: [0, 0, 0],
            quat: unit,
            color: null,
            size: [0, 0],
        },
    ];
    const joints = [];
    const meshes = limbs.map(([, , , radius, half]) => addMesh(writer, capsuleMesh(radius, half, 16, 5)));
    for (let c = 0; c < characters; c++) {
        limbs.forEach((_, i) => {
            bodies.push({ name: `character${c}.limb${i}`, parent: i ? 1 + c * limbs.length : 0 });
            shapes.push({
                name: '',
                body: bodies.length - 1,
                kind: 'capsule',
                mesh: i,
                pos: [0, 0, 0],
                quat: unit,
                color: null,
                size: [0, 0],
            });
            joints.push({
                name: '',
                type: i ? 'ball' : 'free',
                body: bodies.length - 1,
                pos: [0, 0, 0],
                axes: [],
            });
        });
    }
    const count = seconds * rate + 1;
    const times = Array.from({ length: count }, (_, i) => i / rate);
    const made = Array.from({ length: runs }, (_, r) => {
        const poses = new Float32Array(count * bodies.length * 7);
        const com = [],
            start = [0],
            points = [],
            forces = [],
            normals = [];
        times.forEach((t, i) => {
            const fall = Math.max(1.05, 2.5 - 4.9 * t * t);
            for (let b = 0; b < bodies.length; b++) {
                const at = (i * bodies.length + b) * 7;
                if (b === 0) {
                    poses[at + 3] = 1;
                    continue;
                }
                const c = Math.floor((b - 1) / limbs.length);
                const [x, y, z] = limbs[(b - 1) % limbs.length];
                // Every number with noise, as real motion has: it compresses no better.
                const noise = (k) => 0.01 * Math.sin(12.9 * b + 78.2 * k + 3.1 * t + r);
                const lean = 0.3 * Math.sin(t + r * 0.2 + c);
                poses[at] = (c % across) * 1.2 + x * Math.cos(lean) + z * Math.sin(lean) + noise(1);
                poses[at + 1] = Math.floor(c / across) * 1.2 + y + noise(2);
                poses[at + 2] = fall + z * Math.cos(lean) - x * Math.sin(lean) + noise(3);
                const half = lean / 2 + noise(4);
                poses[at + 3] = Math.cos(half);
                poses[at + 5] = Math.sin(half);
            }
            com.push(0.01 * r, 0, fall);
            if (fall === 1.05) {
                for (let k = 0; k < 8 * characters; k++) {
                    const c = Math.floor(k / 8);
                    points.push(
                        (c % across) * 1.2 + 0.1 * Math.sin(k),
                        Math.floor(c / across) * 1.2 + 0.1 * Math.cos(k),
                        0,
                    );
                    forces.push(10 * Math.sin(t + k), 0, 60 + 20 * Math.sin(3 * t + k));
                    normals.push(0, 0, 1);
                }
            }
            start.push(points.length / 3);
        });
        return {
            name: ['reduced', 'multiplier', 'implicit', 'impulse'][r] ?? `run ${r}`,
            formulation: 'reduced',
            integrator: 'euler',
            dt: 0.005,
            status: 'ok',
            message: '',
            drawn: true,
            time: writer.f32(times),
            poses: { ...writer.f32(poses), shape: [count, bodies.length, 7] },
            com: writer.f32(com, 3),
            contacts: {
                start: writer.u32(start),
                points: writer.f32(points, 3),
                forces: writer.f32(forces, 3),
                normals: writer.f32(normals, 3),
                distances: writer.f32(new Float32Array(points.length / 3)),
            },
            series: Array.from({ length: series }, (_, k) => ({
                group: ['energy', 'errors', 'coordinates', 'stage times'][Math.min(3, Math.floor(k / 4))],
                name: `series ${k}`,
                unit: 'J',
                shown: k % 4 < 2,
                values: writer.f32(times.map((t) => 1 + Math.sin(t + k + r * 0.1) ** 2)),
            })),
            figures: {},
        };
    });
    const width = 1.2 * (across - 1);
    return {
        content: {
            format: 'ligament-report',
            version: 1,
            kind: runs > 1 ? 'comparison' : 'replay',
            title: `${characters} characters`,
            command: 'ligament compare scenes/character.xml',
            program: 'ligament 0.1.0',
            scene: {
                bodies,
                meshes,
                shapes,
                joints,
                links: [],
                bounds: { center: [width / 2, width / 2, 1.2], radius: 1.5 + 0.75 * width },
                gravity: [0, 0, -9.81],
            },
            runs: made,
            comparison: runs > 1 ? { reference: null, columns: [], rows: [], orders: [], not_run: [] } : null,
        },
        data: writer.base64(),
    };
}
