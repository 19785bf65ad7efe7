// Contact points as small discs, and their forces as arrows.
import { ConeGeometry, CylinderGeometry, Group } from 'three';
import { Instances } from './instances.js';

function mostAtOnce(start) {
    let most = 0;
    for (let i = 0; i + 1 < start.length; i++) most = Math.max(most, start[i + 1] - start[i]);
    return most;
}

/// The force below which nine of ten are, over all runs: arrows are scaled by it.
export function usualForce(runs) {
    const sizes = [];
    for (const { contacts } of runs) {
        if (!contacts?.forces) continue;
        const { forces } = contacts;
        const step = 3 * Math.max(1, Math.floor(forces.length / 3 / 5000));
        for (let i = 0; i + 2 < forces.length; i += step) {
            const size = Math.hypot(forces[i], forces[i + 1], forces[i + 2]);
            if (size > 0 && Number.isFinite(size)) sizes.push(size);
        }
    }
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 1;
}

export class ContactView {
    /// `size`: of a typical shape; `perNewton`: metres of arrow.
    constructor(run, size, perNewton) {
        this.contacts = run.contacts;
        this.size = size;
        this.perNewton = perNewton;
        this.group = new Group();
        const capacity = mostAtOnce(this.contacts.start);
        this.discs = new Instances(this.group, new CylinderGeometry(1, 1, 1, 16), capacity, {
            through: true,
            opacity: 0.9,
        });
        this.shafts = new Instances(this.group, new CylinderGeometry(1, 1, 1, 8), capacity);
        this.heads = new Instances(this.group, new ConeGeometry(1, 1, 12), capacity);
    }

    setLook(color, forceColor) {
        this.discs.setColor(color);
        this.shafts.setColor(forceColor);
        this.heads.setColor(forceColor);
    }

    update(index, points, forces, scale) {
        this.discs.clear();
        this.shafts.clear();
        this.heads.clear();
        const { contacts, size } = this;
        for (let i = contacts.start[index]; i < contacts.start[index + 1]; i++) {
            const [x, y, z] = contacts.points.subarray(3 * i, 3 * i + 3);
            if (!Number.isFinite(x + y + z)) continue;
            if (points) {
                const normal = contacts.normals ? contacts.normals.subarray(3 * i, 3 * i + 3) : [0, 0, 1];
                this.discs.add(x, y, z, normal[0], normal[1], normal[2], 0.16 * size, 0.05 * size);
            }
            if (forces && contacts.forces)
                this.addArrow(x, y, z, contacts.forces.subarray(3 * i, 3 * i + 3), scale);
        }
    }

    addArrow(x, y, z, [fx, fy, fz], scale) {
        const force = Math.hypot(fx, fy, fz);
        const length = force * this.perNewton * scale;
        if (!(length > 1e-3 * this.size)) return;
        const head = Math.min(0.4 * length, 0.4 * this.size);
        const width = Math.min(0.05 * this.size, 0.12 * length);
        const ux = fx / force,
            uy = fy / force,
            uz = fz / force;
        const middle = (length - head) / 2;
        this.shafts.add(x + ux * middle, y + uy * middle, z + uz * middle, ux, uy, uz, width, length - head);
        const tip = length - head / 2;
        this.heads.add(x + ux * tip, y + uy * tip, z + uz * tip, ux, uy, uz, 2.6 * width, head);
    }
}
