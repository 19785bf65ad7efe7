// A camera that looks at a point from a direction and a distance; z is up.
import { PerspectiveCamera, Vector3 } from 'three';

const halfField = (20 * Math.PI) / 180;
const highest = (89.5 * Math.PI) / 180;

export class OrbitCamera {
    constructor(bounds) {
        this.bounds = bounds;
        this.camera = new PerspectiveCamera((2 * halfField * 180) / Math.PI, 1, 0.01, 1000);
        this.camera.up.set(0, 0, 1);
        this.target = new Vector3();
        this.reset();
    }

    reset() {
        this.azimuth = (-60 * Math.PI) / 180;
        this.elevation = (16 * Math.PI) / 180;
        this.target.fromArray(this.bounds.center);
        this.distance = Math.max(this.bounds.radius, 1e-3) / Math.sin(halfField);
    }

    rotate(dx, dy) {
        this.azimuth -= dx;
        this.elevation = Math.max(-highest, Math.min(highest, this.elevation + dy));
    }

    zoom(factor) {
        const radius = Math.max(this.bounds.radius, 1e-3);
        this.distance = Math.max(radius * 1e-3, Math.min(radius * 200, this.distance * factor));
    }

    /// By fractions of the window's height.
    pan(dx, dy) {
        const size = 2 * this.distance * Math.tan(halfField);
        const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0);
        const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
        this.target.addScaledVector(right, -dx * size).addScaledVector(up, dy * size);
    }

    /// The camera for a window of that aspect (width by height). Narrow windows look from further away, so
    /// that what fits the height of a wide one still fits.
    apply(aspect, target) {
        const distance = this.distance * Math.max(1, 1 / aspect);
        const { camera } = this;
        const flat = Math.cos(this.elevation);
        camera.position
            .set(flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation))
            .multiplyScalar(distance)
            .add(target);
        camera.aspect = aspect;
        camera.near = distance / 100;
        camera.far = distance + 60 * Math.max(this.bounds.radius, distance);
        camera.lookAt(target);
        camera.updateProjectionMatrix();
        camera.updateMatrix();
        camera.updateMatrixWorld();
        return camera;
    }

    settings() {
        const degrees = 180 / Math.PI;
        return {
            azimuth: this.azimuth * degrees,
            elevation: this.elevation * degrees,
            distance: this.distance,
            target: this.target.toArray(),
        };
    }

    set({ azimuth, elevation, distance, target }) {
        const radians = Math.PI / 180;
        if (Number.isFinite(azimuth)) this.azimuth = azimuth * radians;
        if (Number.isFinite(elevation))
            this.elevation = Math.max(-highest, Math.min(highest, elevation * radians));
        if (distance > 0) this.distance = distance;
        if (target?.length === 3 && target.every(Number.isFinite)) this.target.fromArray(target);
    }
}

/// Mouse and touch: drag turns, with the right button or shift it moves, the wheel and two fingers zoom.
export function controlCamera(surface, orbit, changed) {
    const pointers = new Map();
    let moved = 0;

    const spread = () => {
        const [a, b] = [...pointers.values()];
        return { size: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    };
    surface.addEventListener('pointerdown', (event) => {
        if (pointers.size === 0) moved = 0;
        pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener('pointermove', (event) => {
        const last = pointers.get(event.pointerId);
        if (!last) return;
        const height = surface.clientHeight || 1;
        const before = pointers.size === 2 ? spread() : null;
        const dx = event.clientX - last.x;
        const dy = event.clientY - last.y;
        pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        moved += Math.abs(dx) + Math.abs(dy);
        if (before) {
            const after = spread();
            if (after.size > 0) orbit.zoom(before.size / after.size);
            orbit.pan((after.x - before.x) / height, (after.y - before.y) / height);
        } else if (event.shiftKey || event.ctrlKey || (event.buttons & 6) !== 0) {
            orbit.pan(dx / height, dy / height);
        } else {
            orbit.rotate((3.2 * dx) / height, (3.2 * dy) / height);
        }
        changed();
    });
    for (const name of ['pointerup', 'pointercancel']) {
        surface.addEventListener(name, (event) => pointers.delete(event.pointerId));
    }
    surface.addEventListener('contextmenu', (event) => event.preventDefault());
    surface.addEventListener(
        'wheel',
        (event) => {
            event.preventDefault();
            const lines = event.deltaMode === 1 ? 30 : 1;
            orbit.zoom(Math.exp(0.0012 * lines * event.deltaY));
            changed();
        },
        { passive: false },
    );
    return {
        /// Whether the pointer moved since it was pressed: then a click is the end of a turn.
        get dragged() {
            return moved > 4;
        },
        get active() {
            return pointers.size > 0;
        },
    };
}
