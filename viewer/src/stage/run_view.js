// The bodies of one run with their shapes.
import {
    BufferAttribute, BufferGeometry, DoubleSide, Group, Matrix4, Mesh, MeshLambertMaterial, Object3D, Quaternion, Vector3,
} from 'three';
import { locate, poseAt } from '../motion.js';

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

export function placeShape(object, shape) {
    const [w, x, y, z] = shape.quat;
    object.matrixAutoUpdate = false;
    object.matrix.compose(new Vector3(...shape.pos), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

// What bodies without a colour of their own get: shades of one hue, so that neighbours are told apart.
const shades = [[0.53, 0.63, 0.75], [0.62, 0.71, 0.81], [0.46, 0.56, 0.69]];
const worldShade = [0.66, 0.67, 0.69];
const one = new Vector3(1, 1, 1);

export class RunView {
    constructor(scene, run, index, geometries) {
        this.run = run;
        this.index = index;
        this.group = new Group();
        this.group.matrixAutoUpdate = false;
        this.pose = new Float32Array(7);
        this.position = new Vector3();
        this.rotation = new Quaternion();
        this.materials = new Map();
        this.meshes = [];
        this.bodies = scene.bodies.map((body, i) => {
            const object = new Object3D();
            object.matrixAutoUpdate = false;
            object.userData = { run: index, body: i };
            this.group.add(object);
            return object;
        });
        for (const shape of scene.shapes) {
            if (shape.mesh === null || shape.mesh === undefined) continue;
            const mesh = new Mesh(geometries[shape.mesh]);
            placeShape(mesh, shape);
            mesh.userData = { run: index, body: shape.body, shape };
            this.bodies[shape.body].add(mesh);
            this.meshes.push(mesh);
        }
    }

    /// Puts the bodies where they are at that time; where a pose is not finite there is nothing to see.
    setTime(time) {
        this.place = locate(this.run.time, time);
        this.bodies.forEach((object, body) => {
            const p = poseAt(this.run, this.bodies.length, body, this.place, this.pose);
            object.visible = Number.isFinite(p[0] + p[1] + p[2] + p[3] + p[4] + p[5] + p[6]);
            if (!object.visible) return;
            this.position.set(p[0], p[1], p[2]);
            this.rotation.set(p[4], p[5], p[6], p[3]);
            object.matrix.compose(this.position, this.rotation, one);
            object.matrixWorldNeedsUpdate = true;
        });
    }

    get ended() {
        return this.run.status !== 'ok' && this.place?.index === this.run.samples - 1;
    }

    /// `color`: the run's (null: shapes have their own), `opacity`, `wireframe`, `selected` (a body or −1).
    setLook({ color, opacity, wireframe, selected, shadows }) {
        for (const mesh of this.meshes) {
            const { body, shape } = mesh.userData;
            const own = shape.color ?? (body === 0 ? [...worldShade, 1] : [...shades[body % shades.length], 1]);
            const rgb = color && body !== 0 ? color : own;
            const alpha = Math.min(own[3] ?? 1, body === 0 ? 1 : opacity);
            mesh.material = this.material(rgb, alpha, wireframe, body === selected);
            mesh.castShadow = shadows && alpha > 0.3;
            mesh.receiveShadow = shadows;
        }
    }

    material(rgb, alpha, wireframe, selected) {
        const key = `${rgb[0]} ${rgb[1]} ${rgb[2]} ${alpha} ${wireframe} ${selected}`;
        let material = this.materials.get(key);
        if (!material) {
            material = new MeshLambertMaterial({ wireframe, opacity: alpha, transparent: alpha < 1, side: wireframe ? DoubleSide : 0 });
            material.color.setRGB(rgb[0], rgb[1], rgb[2], 'srgb');
            // Where runs agree their faces coincide: the later one lies on top, instead of both in patches.
            material.polygonOffset = this.index > 0;
            material.polygonOffsetFactor = -this.index;
            material.polygonOffsetUnits = -4 * this.index;
            if (selected) material.emissive.setRGB(0.35, 0.28, 0.05);
            this.materials.set(key, material);
        }
        return material;
    }

    bodyMatrix(body) {
        this.bodies[body].updateWorldMatrix(true, false);
        return this.bodies[body].matrixWorld;
    }

    bodyPosition(body, out) {
        return out.setFromMatrixPosition(this.bodies[body].matrix);
    }
}

/// x y z and w x y z of a matrix without scale.
export function poseOfMatrix(matrix) {
    const position = new Vector3();
    const rotation = new Quaternion();
    new Matrix4().copy(matrix).decompose(position, rotation, new Vector3());
    return { pos: position.toArray(), quat: [rotation.w, rotation.x, rotation.y, rotation.z] };
}
