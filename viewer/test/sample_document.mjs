// A comparison whose motions have closed forms, so that tests know every pose without the page: a pendulum on
// a post, a box that falls and then rests on the ground, and a bar whose end should be at the pendulum's, but
// is not quite.
import { DataWriter, addMesh, boxMesh, capsuleMesh } from './document_writer.mjs';

export const rate = 60;
export const seconds = 4;
export const samples = rate * seconds + 1;
export const bodies = ['world', 'pendulum', 'box', 'bar'];
const pivot = [0, 0, 2];
const length = 1;
const boxHalf = 0.2;
const boxStart = 1.4;
const gravity = 9.81;
const weight = 2 * gravity;

/// Runs differ in the swing of the pendulum, its gap to the bar, and how deep the box sinks in.
export const runs = [
    { name: 'reduced', formulation: 'reduced', integrator: 'euler', dt: 0.01, swing: 0.8, gap: 0, sink: 0 },
    {
        name: 'multiplier',
        formulation: 'multiplier',
        integrator: 'rattle',
        dt: 0.01,
        swing: 0.65,
        gap: 0.004,
        sink: 0.002,
    },
    {
        name: 'impulse',
        formulation: 'impulse',
        integrator: 'euler',
        dt: 0.01,
        swing: 0.45,
        gap: 0.02,
        sink: 0.01,
        last: 150,
    },
];

function aboutY(angle) {
    return [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
}

export function swingAngle(run, t) {
    return run.swing * Math.cos(Math.sqrt(gravity / length) * t);
}

export function boxHeight(run, t) {
    return Math.max(boxStart - (gravity * t * t) / 2, boxHalf - run.sink);
}

export function boxRests(run, t) {
    return boxStart - (gravity * t * t) / 2 <= boxHalf - run.sink;
}

/// x y z w x y z of a body of run `run` (of `runs`) at time t.
export function poseOf(run, body, t) {
    const angle = swingAngle(run, t);
    // A rod that hangs along −z from its frame; turned about y by −angle it swings to +x.
    const end = [pivot[0] + length * Math.sin(angle), pivot[1], pivot[2] - length * Math.cos(angle)];
    switch (bodies[body]) {
        case 'pendulum':
            return [...pivot, ...aboutY(-angle)];
        case 'box':
            return [1.1, 0.4, boxHeight(run, t), Math.cos(0.4 * t), 0, 0, Math.sin(0.4 * t)];
        case 'bar':
            return [end[0], end[1] + run.gap, end[2], ...aboutY(0.5 * angle)];
        default:
            return [0, 0, 0, 1, 0, 0, 0];
    }
}

function sceneOf(writer) {
    const meshes = [
        capsuleMesh(0.06, length / 2),
        boxMesh([boxHalf, boxHalf, boxHalf]),
        capsuleMesh(0.05, 0.3),
        boxMesh([0.08, 0.08, 1]),
        capsuleMesh(0.14, 0),
    ];
    const unit = [1, 0, 0, 0];
    return {
        bodies: bodies.map((name, i) => ({ name, parent: i === 0 ? -1 : i === 3 ? 1 : 0 })),
        meshes: meshes.map((mesh) => addMesh(writer, mesh)),
        shapes: [
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
            {
                name: 'post',
                body: 0,
                kind: 'box',
                mesh: 3,
                pos: [0, 0.3, 1],
                quat: unit,
                color: null,
                size: [0, 0],
            },
            {
                name: 'rod',
                body: 1,
                kind: 'capsule',
                mesh: 0,
                pos: [0, 0, -length / 2],
                quat: unit,
                color: [0.85, 0.35, 0.25, 1],
                size: [0, 0],
            },
            {
                name: 'bob',
                body: 1,
                kind: 'sphere',
                mesh: 4,
                pos: [0, 0, -length],
                quat: unit,
                color: [0.85, 0.35, 0.25, 1],
                size: [0, 0],
            },
            {
                name: 'cube',
                body: 2,
                kind: 'box',
                mesh: 1,
                pos: [0, 0, 0],
                quat: unit,
                color: [0.95, 0.75, 0.2, 1],
                size: [0, 0],
            },
            {
                name: 'bar',
                body: 3,
                kind: 'capsule',
                mesh: 2,
                pos: [0, 0, -0.3],
                quat: unit,
                color: null,
                size: [0, 0],
            },
        ],
        joints: [
            { name: 'pivot', type: 'hinge', body: 1, pos: [0, 0, 0], axes: [[0, 1, 0]] },
            { name: 'fall', type: 'free', body: 2, pos: [0, 0, 0], axes: [] },
            { name: 'swivel', type: 'ball', body: 3, pos: [0, 0, 0], axes: [] },
        ],
        links: [{ name: 'pin', type: 'connect', a: 1, b: 3, pos_a: [0, 0, -length], pos_b: [0, 0, 0] }],
        bounds: { center: [0.3, 0.1, 0.95], radius: 1.25 },
        gravity: [0, 0, -gravity],
    };
}

function contactsOf(writer, run, times) {
    const start = [0],
        points = [],
        forces = [],
        normals = [],
        distances = [];
    for (const t of times) {
        if (boxRests(run, t)) {
            for (const [sx, sy] of [
                [-1, -1],
                [1, -1],
                [1, 1],
                [-1, 1],
            ]) {
                points.push(1.1 + sx * boxHalf, 0.4 + sy * boxHalf, 0);
                forces.push(0, 0, weight / 4);
                normals.push(0, 0, 1);
                distances.push(-run.sink);
            }
        }
        start.push(points.length / 3);
    }
    return {
        start: writer.u32(start),
        points: writer.f32(points, 3),
        forces: writer.f32(forces, 3),
        normals: writer.f32(normals, 3),
        distances: writer.f32(distances),
    };
}

function seriesOf(writer, run, times) {
    const one = (group, name, unit, shown, value) => ({
        group,
        name,
        unit,
        shown,
        values: writer.f32(times.map(value)),
    });
    return [
        one('energy', 'kinetic', 'J', true, (t) => 4 * run.swing ** 2 * Math.sin(3.13 * t) ** 2),
        one(
            'energy',
            'potential',
            'J',
            true,
            (t) => 4 * run.swing ** 2 * Math.cos(3.13 * t) ** 2 - 0.05 * run.gap * 100 * t,
        ),
        one('errors', 'equality gap', 'm', true, (t) => (run.gap ? run.gap * (0.3 + t) : 1e-12 * (1 + t))),
        // So small that plotting programs get lost; and nothing at all, which has no logarithm.
        one('residuals', 'tiny', 'm', true, (t) => 1e-21 * (1 + t)),
        one('residuals', 'none', 'm', true, () => 0),
        one('errors', 'penetration', 'm', true, (t) => (boxRests(run, t) ? run.sink : 0)),
        one('coordinates', 'pivot', 'rad', true, (t) => swingAngle(run, t)),
        ...[
            'fall.x',
            'fall.y',
            'fall.z',
            'swivel.w',
            'swivel.x',
            'swivel.y',
            'swivel.z',
            'pivot.v',
            'fall.vx',
            'fall.vy',
            'fall.vz',
        ].map((name, i) =>
            one('coordinates', name, 'm', false, (t) =>
                name === 'fall.z' ? boxHeight(run, t) : Math.sin(t + i),
            ),
        ),
        one('stage times', 'dynamics', 'µs', true, (t) => 8 + 3 * run.swing + Math.sin(40 * t)),
        one('stage times', 'contacts', 'µs', true, (t) => 3 + (boxRests(run, t) ? 6 : 0)),
    ];
}

function runOf(writer, run) {
    const failed = run.last !== undefined;
    const count = failed ? run.last + 1 : samples;
    const times = Array.from({ length: count }, (_, i) => i / rate);
    const poses = times.flatMap((t) => bodies.flatMap((_, body) => poseOf(run, body, t)));
    return {
        name: run.name,
        formulation: run.formulation,
        integrator: run.integrator,
        dt: run.dt,
        status: failed ? 'diverged' : 'ok',
        message: failed ? 'body "box" left the world at 2.5 s: try a smaller step (--dt)' : '',
        drawn: true,
        time: writer.f32(times),
        poses: { ...writer.f32(poses), shape: [count, bodies.length, 7] },
        com: writer.f32(
            times.flatMap((t) => {
                const box = poseOf(run, 2, t),
                    bar = poseOf(run, 3, t);
                return [0, 1, 2].map((k) => (box[k] + bar[k]) / 2);
            }),
            3,
        ),
        contacts: contactsOf(writer, run, times),
        series: seriesOf(writer, run, times),
        figures: {
            error_position: failed ? null : 0.001 * (1 + 10 * run.gap),
            energy_max_drift: 0.01 + run.gap,
            max_equality_error: run.gap,
            max_penetration: run.sink,
            time_per_second: 0.0021 - 0.002 * run.swing,
        },
    };
}

/// Runs of the table alone: error falls with the order of the scheme.
function figureRuns() {
    const made = [];
    for (const [formulation, integrator, order, cost] of [
        ['reduced', 'rk4', 4, 3e-3],
        ['multiplier', 'rattle', 2, 2e-3],
        ['impulse', 'euler', 1, 1e-3],
    ]) {
        for (const dt of [0.02, 0.01, 0.005, 0.0025]) {
            made.push({
                name: `${formulation}:${integrator} ${dt} s`,
                formulation,
                integrator,
                dt,
                status: 'ok',
                message: '',
                drawn: false,
                time: null,
                poses: null,
                com: null,
                contacts: null,
                series: [],
                figures: {
                    error_position: (10 * dt) ** order,
                    energy_max_drift: dt,
                    max_equality_error: dt * dt,
                    max_penetration: 0,
                    time_per_second: (cost * 0.01) / dt,
                },
            });
        }
    }
    return made;
}

export const notRun = [
    { name: 'implicit', reason: 'joint "swivel" is a ball between two loops, which implicit does not have' },
];

export function sampleComparison() {
    const writer = new DataWriter();
    const scene = sceneOf(writer);
    const drawn = runs.map((run) => runOf(writer, run));
    const figures = figureRuns();
    const names = ['reduced rk4', 'multiplier rattle', 'impulse euler'];
    return {
        content: {
            format: 'ligament-report',
            version: 1,
            kind: 'comparison',
            title: 'Pendulum & box <sample>',
            command:
                'ligament compare sample.xml --formulations reduced,multiplier,impulse --dt 0.02,0.01 --out report.html',
            program: 'ligament 0.1.0',
            scene,
            runs: [...drawn, ...figures],
            comparison: {
                reference: 'reduced:rk4 at 0.0001 s',
                columns: [
                    {
                        key: 'error_position',
                        title: 'error',
                        unit: 'mm',
                        scale: 1000,
                        digits: 3,
                        better: 'low',
                    },
                    {
                        key: 'energy_max_drift',
                        title: 'energy drift',
                        unit: 'J',
                        scale: 1,
                        digits: 3,
                        better: 'low',
                    },
                    {
                        key: 'max_equality_error',
                        title: 'equality gap',
                        unit: 'mm',
                        scale: 1000,
                        digits: 3,
                        better: 'low',
                    },
                    {
                        key: 'max_penetration',
                        title: 'penetration',
                        unit: 'mm',
                        scale: 1000,
                        digits: 3,
                        better: 'low',
                    },
                    {
                        key: 'time_per_second',
                        title: 'time per second',
                        unit: 'ms',
                        scale: 1000,
                        digits: 3,
                        better: 'low',
                    },
                ],
                rows: [...drawn, ...figures].map((_, run) => ({ run })),
                orders: names.map((name, i) => ({
                    name,
                    order: [4, 2, 1][i],
                    runs: [0, 1, 2, 3].map((k) => 3 + 4 * i + k),
                })),
                not_run: notRun,
            },
        },
        data: writer.base64(),
    };
}

export function sampleReplay() {
    const writer = new DataWriter();
    const scene = sceneOf(writer);
    return {
        content: {
            format: 'ligament-report',
            version: 1,
            kind: 'replay',
            title: 'Pendulum and box',
            command: 'ligament run sample.xml --out replay.html',
            program: 'ligament 0.1.0',
            scene,
            runs: [runOf(writer, runs[0])],
            columns: [{ key: 'energy_max_drift', title: 'energy drift', unit: 'mJ', scale: 1e3, digits: 3 }],
            comparison: null,
        },
        data: writer.base64(),
    };
}

/// Two runs of a motor that lifts steadily while a damper stops a wheel; in the second one the method makes half a watt.
export function sampleLedger() {
    const replayed = sampleReplay().content;
    const writer = new DataWriter();
    const scene = sceneOf(writer);
    const ledgerRun = (name, made) => {
        const run = runOf(writer, { ...runs[0], name });
        const one = (group, title, value) => ({
            group,
            name: title,
            unit: 'J',
            shown: group === 'energy',
            values: writer.f32(Array.from({ length: samples }, (_, i) => value(i / rate))),
        });
        const series = [
            one('energy', 'kinetic', (t) => 6 * Math.exp(-t) + made * t),
            one('energy', 'potential', (t) => 2 * t - 20),
            one('work and losses', 'work_drives', (t) => 2 * t),
            one('work and losses', 'lost_dampers', (t) => 6 * (1 - Math.exp(-t))),
        ];
        if (made) series.push(one('work and losses', 'made_by_method', (t) => made * t));
        return { ...run, series, missed: made ? 'energy 0.2 of the energy in motion at 4 s, 0.01 promised' : '' };
    };
    return {
        content: {
            ...replayed,
            scene,
            runs: [ledgerRun('honest', 0), ledgerRun('inventive', 0.5)],
            ledger: [
                { name: 'work_drives', title: 'drives', sign: 1 },
                { name: 'work_applied', title: 'applied forces', sign: 1 },
                { name: 'lost_dampers', title: 'dampers', sign: -1 },
                { name: 'made_by_method', title: 'the method', sign: 1 },
            ],
        },
        data: writer.base64(),
    };
}

/// As little as a document can hold: no ground, one sample, nothing measured; and a body that is nowhere.
export function sampleBare() {
    const writer = new DataWriter();
    const unit = [1, 0, 0, 0];
    return {
        content: {
            format: 'ligament-report',
            version: 1,
            kind: 'replay',
            title: 'Bare',
            command: '',
            program: 'ligament 0.1.0',
            scene: {
                bodies: [
                    { name: 'world', parent: -1 },
                    { name: 'one', parent: 0 },
                    { name: 'lost', parent: 0 },
                ],
                meshes: [addMesh(writer, boxMesh([0.5, 0.3, 0.2]))],
                shapes: [1, 2].map((body) => ({
                    name: '',
                    body,
                    kind: 'box',
                    mesh: 0,
                    pos: [0, 0, 0],
                    quat: unit,
                    color: null,
                    size: null,
                })),
                joints: [],
                links: [],
                bounds: { center: [0, 0, 0], radius: 1 },
                gravity: [0, 0, 0],
            },
            runs: [
                {
                    name: 'reduced',
                    formulation: 'reduced',
                    integrator: 'euler',
                    dt: 0.01,
                    status: 'ok',
                    message: '',
                    drawn: true,
                    time: writer.f32([0]),
                    poses: {
                        ...writer.f32([
                            0,
                            0,
                            0,
                            ...unit,
                            0,
                            0,
                            0,
                            ...unit,
                            NaN,
                            NaN,
                            NaN,
                            NaN,
                            NaN,
                            NaN,
                            NaN,
                        ]),
                        shape: [1, 3, 7],
                    },
                    com: null,
                    contacts: null,
                    series: [],
                    figures: {},
                },
            ],
        },
        data: writer.base64(),
    };
}

/// A comparison of which only the figures were kept.
export function sampleFigures() {
    const { content, data } = sampleComparison();
    return {
        content: {
            ...content,
            runs: content.runs.map((run) => ({
                ...run,
                drawn: false,
                time: null,
                poses: null,
                com: null,
                contacts: null,
                series: [],
            })),
        },
        data,
    };
}
