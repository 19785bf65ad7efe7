// Loops and other constraints between two bodies: what should be together, and how far it is apart.
import { Group, LineBasicMaterial, LineSegments, SphereGeometry, Vector3 } from 'three';
import { Instances } from './instances.js';
import { lineGeometry } from './lines.js';

export class LinkView {
    constructor(scene, size) {
        this.links = scene.links;
        this.size = size;
        this.group = new Group();
        this.positions = new Float32Array(6 * Math.max(1, this.links.length));
        this.lines = new LineSegments(
            lineGeometry(this.positions),
            new LineBasicMaterial({ depthTest: false, transparent: true }),
        );
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 11;
        this.group.add(this.lines);
        this.ends = new Instances(this.group, new SphereGeometry(1, 12, 8), 2 * this.links.length, {
            through: true,
            opacity: 0.8,
        });
        this.gaps = new Float32Array(this.links.length);
        this.a = new Vector3();
        this.b = new Vector3();
    }

    setColor(color) {
        this.lines.material.color.set(color);
        this.ends.setColor(color);
    }

    update(bodies) {
        this.ends.clear();
        const { a, b, positions } = this;
        this.links.forEach((link, i) => {
            a.fromArray(link.pos_a);
            b.fromArray(link.pos_b);
            if (bodies[link.a].stretch) a.applyMatrix4(bodies[link.a].stretch);
            if (bodies[link.b].stretch) b.applyMatrix4(bodies[link.b].stretch);
            a.applyMatrix4(bodies[link.a].matrix);
            b.applyMatrix4(bodies[link.b].matrix);
            a.toArray(positions, 6 * i);
            b.toArray(positions, 6 * i + 3);
            this.gaps[i] = link.distance ? a.distanceTo(b) - link.distance : a.distanceTo(b);
            const radius = 0.07 * this.size;
            if (!bodies[link.a].visible || !bodies[link.b].visible) return;
            this.ends.add(a.x, a.y, a.z, 0, 1, 0, radius, radius);
            this.ends.add(b.x, b.y, b.z, 0, 1, 0, 0.7 * radius, 0.7 * radius);
        });
        this.lines.geometry.attributes.position.needsUpdate = true;
    }

    /// The middle of a link, for its label.
    middle(i, out) {
        const p = this.positions;
        return out
            .set(p[6 * i] + p[6 * i + 3], p[6 * i + 1] + p[6 * i + 4], p[6 * i + 2] + p[6 * i + 5])
            .multiplyScalar(0.5);
    }
}
