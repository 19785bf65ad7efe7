// Joints: a stroke along every axis, a ball where there is none; seen through the bodies.
import { CylinderGeometry, Group, SphereGeometry, Vector3 } from 'three';
import { Instances } from './instances.js';

const sliding = new Set(['slide', 'prismatic']);

export class JointView {
    constructor(scene, size) {
        this.joints = scene.joints.filter((joint) => joint.type !== 'free');
        this.size = size;
        this.group = new Group();
        const axes = this.joints.reduce((count, joint) => count + (joint.axes?.length ?? 0), 0);
        this.balls = new Instances(this.group, new SphereGeometry(1, 14, 10), this.joints.length, {
            through: true,
            opacity: 0.85,
        });
        this.strokes = new Instances(this.group, new CylinderGeometry(1, 1, 1, 10), axes, {
            through: true,
            opacity: 0.85,
        });
        this.point = new Vector3();
        this.axis = new Vector3();
    }

    setColor(color) {
        this.balls.setColor(color);
        this.strokes.setColor(color);
    }

    update(bodies) {
        this.balls.clear();
        this.strokes.clear();
        const { size, point, axis } = this;
        for (const joint of this.joints) {
            const object = bodies[joint.body];
            if (!object.visible) continue;
            point.fromArray(joint.pos).applyMatrix4(object.matrix);
            const axes = joint.axes ?? [];
            const radius = axes.length ? 0.09 : 0.13;
            this.balls.add(point.x, point.y, point.z, 0, 1, 0, radius * size, radius * size);
            for (const direction of axes) {
                axis.fromArray(direction).transformDirection(object.matrix);
                const thin = sliding.has(joint.type);
                this.strokes.add(
                    point.x,
                    point.y,
                    point.z,
                    axis.x,
                    axis.y,
                    axis.z,
                    (thin ? 0.03 : 0.05) * size,
                    (thin ? 1.4 : 0.7) * size,
                );
            }
        }
    }
}
