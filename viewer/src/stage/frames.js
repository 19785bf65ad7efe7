// The frames of bodies: their x, y and z axes in red, green and blue.
import { BufferAttribute, Group, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import { lineGeometry } from './lines.js';

export class FrameView {
    constructor(scene, size) {
        this.group = new Group();
        this.length = 0.6 * size;
        const count = scene.bodies.length;
        this.positions = new Float32Array(18 * count);
        const colors = new Float32Array(18 * count);
        for (let i = 0; i < 6 * count; i++) colors[3 * i + (Math.floor(i / 2) % 3)] = 1;
        const geometry = lineGeometry(this.positions);
        geometry.setAttribute('color', new BufferAttribute(colors, 3));
        this.lines = new LineSegments(
            geometry,
            new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }),
        );
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 12;
        this.group.add(this.lines);
        this.start = new Vector3();
        this.axis = new Vector3();
    }

    update(bodies) {
        const { positions, start, axis, length } = this;
        bodies.forEach(({ matrix, visible }, body) => {
            start.setFromMatrixPosition(matrix);
            for (let k = 0; k < 3; k++) {
                axis.setFromMatrixColumn(matrix, k)
                    .multiplyScalar(visible ? length : 0)
                    .add(start);
                start.toArray(positions, 18 * body + 6 * k);
                axis.toArray(positions, 18 * body + 6 * k + 3);
            }
        });
        this.lines.geometry.attributes.position.needsUpdate = true;
    }
}
