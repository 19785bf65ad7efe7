// The centre of mass: a ball, the path so far, and faintly all of it.
import { Group, Line, LineBasicMaterial, SphereGeometry } from 'three';
import { Instances } from './instances.js';
import { lineGeometry } from './lines.js';

export class MassCenterView {
    constructor(run, size) {
        this.com = run.com;
        this.group = new Group();
        this.size = size;
        this.ball = new Instances(this.group, new SphereGeometry(1, 18, 12), 1, {
            through: true,
            opacity: 0.95,
        });
        const geometry = lineGeometry(this.com);
        this.path = new Line(
            geometry,
            new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.25 }),
        );
        this.past = new Line(
            lineGeometry(this.com),
            new LineBasicMaterial({ depthTest: false, transparent: true }),
        );
        for (const line of [this.path, this.past]) {
            line.frustumCulled = false;
            line.renderOrder = 9;
            this.group.add(line);
        }
    }

    setColor(color) {
        this.ball.setColor(color);
        this.path.material.color.set(color);
        this.past.material.color.set(color);
    }

    update({ index, fraction }) {
        this.past.geometry.setDrawRange(0, index + 1);
        this.ball.clear();
        const i = 3 * index;
        const j = fraction > 0 ? i + 3 : i;
        const at = (k) => this.com[i + k] + fraction * (this.com[j + k] - this.com[i + k]);
        const [x, y, z] = [at(0), at(1), at(2)];
        if (Number.isFinite(x + y + z)) this.ball.add(x, y, z, 0, 1, 0, 0.14 * this.size, 0.14 * this.size);
    }
}
