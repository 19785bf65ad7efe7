// The bodies of one run with their shapes. Shapes with the same mesh are drawn in one go: without a graphics
// card the number of draws counts.
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    DoubleSide,
    DynamicDrawUsage,
    FrontSide,
    Group,
    InstancedMesh,
    Matrix4,
    MeshLambertMaterial,
    Quaternion,
    Vector3,
} from 'three';
import { locate, poseAt, stretchAt } from '../motion.js';

export function makeGeometries(meshes) {
    return meshes.map(({ positions, normals, indices }) => {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setAttribute('normal', new BufferAttribute(normals, 3));
        geometry.setIndex(new BufferAttribute(indices, 1));
        geometry.computeBoundingSphere();
        return geometry;
    });
}

const one = new Vector3(1, 1, 1);

/// Where a shape is in its body's frame.
export function shapeMatrix(shape) {
    const [w, x, y, z] = shape.quat;
    return new Matrix4().compose(new Vector3(...shape.pos), new Quaternion(x, y, z, w), one);
}

// What bodies without a colour of their own get: shades of one hue, so that neighbours are told apart.
const shades = [
    [0.53, 0.63, 0.75],
    [0.62, 0.71, 0.81],
    [0.46, 0.56, 0.69],
];
const worldShade = [0.66, 0.67, 0.69];
const nowhere = new Matrix4().makeScale(0, 0, 0);

function ownColor(shape) {
    return shape.color ?? (shape.body === 0 ? worldShade : shades[shape.body % shades.length]);
}

/// Shapes that can be drawn together: of one mesh, see-through or not, of the world or of what moves.
function batches(scene) {
    const found = new Map();
    for (const shape of scene.shapes) {
        if (shape.mesh === null || shape.mesh === undefined) continue;
        const alpha = shape.color?.[3] ?? 1;
        const key = `${shape.mesh} ${alpha} ${shape.body === 0}`;
        if (!found.has(key)) found.set(key, { mesh: shape.mesh, alpha, world: shape.body === 0, shapes: [] });
        found.get(key).shapes.push({ shape, local: shapeMatrix(shape) });
    }
    return [...found.values()];
}

export class RunView {
    constructor(scene, run, index, geometries) {
        this.run = run;
        this.index = index;
        this.group = new Group();
        this.pose = new Float32Array(7);
        this.position = new Vector3();
        this.rotation = new Quaternion();
        this.product = new Matrix4();
        this.bodies = scene.bodies.map(() => ({ matrix: new Matrix4(), visible: true, stretch: null }));
        this.deforming = run.stretches ? (scene.deforming ?? []) : [];
        this.stretch = new Float32Array(6);
        for (const body of this.deforming) this.bodies[body].stretch = new Matrix4();
        this.batches = batches(scene).map((batch) => {
            const material = new MeshLambertMaterial();
            const mesh = new InstancedMesh(geometries[batch.mesh], material, batch.shapes.length);
            mesh.instanceMatrix.setUsage(DynamicDrawUsage);
            mesh.frustumCulled = false;
            mesh.userData = { run: index, bodies: batch.shapes.map(({ shape }) => shape.body) };
            this.group.add(mesh);
            return { ...batch, material, drawn: mesh };
        });
    }

    /// Puts the bodies where they are at that time; where a pose is not finite there is nothing to see.
    setTime(time) {
        this.place = locate(this.run.time, time);
        this.bodies.forEach((body, i) => {
            const p = poseAt(this.run, this.bodies.length, i, this.place, this.pose);
            body.visible = Number.isFinite(p[0] + p[1] + p[2] + p[3] + p[4] + p[5] + p[6]);
            if (!body.visible) return;
            this.position.set(p[0], p[1], p[2]);
            this.rotation.set(p[4], p[5], p[6], p[3]);
            body.matrix.compose(this.position, this.rotation, one);
        });
        this.deforming.forEach((index, k) => {
            const count = this.deforming.length;
            const [xx, yy, zz, xy, xz, yz] = stretchAt(this.run, count, k, this.place, this.stretch);
            this.bodies[index].stretch.set(xx, xy, xz, 0, xy, yy, yz, 0, xz, yz, zz, 0, 0, 0, 0, 1);
        });
        for (const { shapes, drawn } of this.batches) {
            shapes.forEach(({ shape, local }, i) => {
                const body = this.bodies[shape.body];
                this.product.copy(body.visible ? body.matrix : nowhere);
                if (body.visible && body.stretch) this.product.multiply(body.stretch);
                if (body.visible) this.product.multiply(local);
                drawn.setMatrixAt(i, this.product);
            });
            drawn.instanceMatrix.needsUpdate = true;
        }
    }

    get ended() {
        return this.run.status !== 'ok' && this.place?.index === this.run.samples - 1;
    }

    /// `color`: the run's (null: shapes have their own), `opacity`, `wireframe`, `selected` (a body or −1).
    setLook({ color, opacity, wireframe, selected, shadows }) {
        const made = new Color();
        for (const { shapes, drawn, material, alpha, world } of this.batches) {
            shapes.forEach(({ shape }, i) => {
                const [r, g, b] = color && !world ? color : ownColor(shape);
                made.setRGB(r, g, b, 'srgb');
                if (shape.body === selected) made.lerp(new Color(1, 0.85, 0.2), 0.55);
                drawn.setColorAt(i, made);
            });
            drawn.instanceColor.needsUpdate = true;
            const seen = world ? alpha : Math.min(alpha, opacity);
            material.opacity = seen;
            material.transparent = seen < 1;
            // What is seen through hides nothing, whatever the order in which it is drawn.
            material.depthWrite = seen === 1;
            material.wireframe = wireframe;
            material.side = wireframe ? DoubleSide : FrontSide;
            // Where runs agree their faces coincide: the later one lies on top, instead of both in patches.
            material.polygonOffset = this.index > 0;
            material.polygonOffsetFactor = -this.index;
            material.polygonOffsetUnits = -4 * this.index;
            material.needsUpdate = true;
            drawn.castShadow = shadows && seen > 0.3;
            drawn.receiveShadow = shadows;
        }
    }

    /// `world`: whether what stands in the world is drawn with this run.
    show(shapes, world) {
        for (const batch of this.batches) batch.drawn.visible = shapes && (world || !batch.world);
    }

    /// The body's frame in the world, as its first shape is drawn; of a body without shapes as it was
    /// computed.
    bodyMatrix(body) {
        for (const { shapes, drawn } of this.batches) {
            const i = shapes.findIndex(({ shape }) => shape.body === body);
            if (i < 0) continue;
            const matrix = new Matrix4();
            drawn.getMatrixAt(i, matrix);
            matrix.premultiply(drawn.matrixWorld).multiply(shapes[i].local.clone().invert());
            const { stretch } = this.bodies[body];
            return stretch ? matrix.multiply(stretch.clone().invert()) : matrix;
        }
        return this.bodies[body].matrix;
    }

    bodyPosition(body, out) {
        return out.setFromMatrixPosition(this.bodies[body].matrix);
    }

    /// For rays: what of it is seen.
    targets() {
        const seen = this.batches.filter(({ drawn }) => drawn.visible).map(({ drawn }) => drawn);
        // It is kept once computed, though the bodies move.
        for (const drawn of seen) drawn.boundingSphere = null;
        return seen;
    }
}

/// x y z and w x y z of a matrix without scale.
export function poseOfMatrix(matrix) {
    const position = new Vector3();
    const rotation = new Quaternion();
    matrix.decompose(position, rotation, new Vector3());
    return { pos: position.toArray(), quat: [rotation.w, rotation.x, rotation.y, rotation.z] };
}
