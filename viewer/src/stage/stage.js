// The 3D view: renderer, light, windows. It draws what the state says; who changes the state asks for a
// frame.
import {
    DirectionalLight,
    Group,
    HemisphereLight,
    Raycaster,
    Scene,
    Vector2,
    Vector3,
    WebGLRenderer,
} from 'three';
import { colorOf } from '../colors.js';
import { formatLength, formatTime } from '../format.js';
import { OrbitCamera } from './camera.js';
import { usualForce } from './contacts.js';
import { Ground } from './ground.js';
import { Labels } from './labels.js';
import { Quality, findSoftware } from './quality.js';
import { RunLayers } from './run_layers.js';
import { makeGeometries } from './run_view.js';
import { divide } from './viewports.js';

const mostGapLabels = 6;

/// The usual size of what moves: overlays are drawn in proportion to it.
function typicalSize(scene, geometries) {
    const radius = Math.max(scene.bounds.radius, 1e-3);
    const sizes = scene.shapes
        .filter((shape) => shape.body > 0 && geometries[shape.mesh])
        .map((shape) => geometries[shape.mesh].boundingSphere.radius)
        .sort((a, b) => a - b);
    const middle = sizes.length ? 1.2 * sizes[sizes.length >> 1] : 0.1 * radius;
    return Math.min(0.3 * radius, Math.max(0.03 * radius, middle));
}

export class Stage {
    /// Throws where there is no WebGL.
    constructor(content, canvas, layer, places) {
        this.content = content;
        this.places = places;
        this.canvas = canvas;
        const software = findSoftware();
        if (software === null) throw new Error('no context');
        this.quality = new Quality(software);
        this.renderer = new WebGLRenderer({
            canvas,
            antialias: !software,
            alpha: true,
            powerPreference: 'high-performance',
        });
        this.renderer.setScissorTest(true);
        this.scene = new Scene();
        this.scene.matrixWorldAutoUpdate = false;
        this.orbit = new OrbitCamera(content.scene.bounds);
        this.labels = new Labels(layer);
        this.followed = new Vector3();
        // Poses have 24 bits: smaller distances between bodies are rounding.
        const { center, radius } = content.scene.bounds;
        this.resolution = Number((5e-7 * Math.max(1, Math.hypot(...center) + radius)).toPrecision(1));
        this.width = 1;
        this.height = 1;
        this.buildLight(content.scene.bounds);
        this.buildRuns();
    }

    buildLight({ center, radius }) {
        const sky = new HemisphereLight('#ffffff', '#9aa3ad', 1.9);
        sky.position.set(0, 0, 1);
        this.sun = new DirectionalLight('#ffffff', 2.1);
        const middle = new Vector3(...center);
        this.sun.position.copy(middle).add(new Vector3(-0.45, -0.7, 1.3).multiplyScalar(4 * radius));
        this.sun.target.position.copy(middle);
        const { camera, mapSize } = this.sun.shadow;
        camera.left = camera.bottom = -1.5 * radius;
        camera.right = camera.top = 1.5 * radius;
        camera.near = 0.1 * radius;
        camera.far = 16 * radius;
        mapSize.set(1024, 1024);
        this.sun.shadow.radius = 3;
        this.sun.shadow.normalBias = 0.01 * radius;
        this.sun.shadow.intensity = 0.7;
        this.scene.add(sky, this.sun, this.sun.target);
    }

    buildRuns() {
        const { scene, runs } = this.content;
        const geometries = makeGeometries(scene.meshes);
        const size = typicalSize(scene, geometries);
        const perNewton = (0.3 * Math.max(scene.bounds.radius, 1e-3)) / usualForce(runs);
        const surroundings = new Group();
        this.ground = new Ground(scene, surroundings);
        this.scene.add(surroundings);
        this.layers = runs.map((run, i) => {
            if (!run.drawn) return null;
            const layers = new RunLayers(scene, run, i, { geometries, size, perNewton });
            this.scene.add(layers.group);
            return layers;
        });
    }

    resize() {
        const { clientWidth, clientHeight } = this.canvas.parentElement;
        this.width = Math.max(1, clientWidth);
        this.height = Math.max(1, clientHeight);
    }

    setFineness(ratio) {
        const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
        if (this.canvas.width === width && this.canvas.height === height) return;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(this.width, this.height, false);
    }

    shownRuns(state) {
        return this.layers
            .filter((layers) => layers && state.visible[layers.index])
            .map((layers) => layers.index);
    }

    /// Colours and styles; after the state changed in anything but the time.
    setLook(state) {
        const shown = this.shownRuns(state);
        const alone = state.mode === 'side' || shown.length < 2;
        this.renderer.shadowMap.enabled = state.show.shadows;
        this.sun.castShadow = state.show.shadows;
        this.ground.setLook(state.theme, state.show.shadows);
        for (const i of shown) {
            this.layers[i].setLook({
                color: colorOf(state.theme, this.places[i]),
                alone,
                first: i === shown[0],
                style: state.style,
                selected: state.selected?.run === i ? state.selected.body : -1,
                theme: state.theme,
                shadows: state.show.shadows,
            });
        }
    }

    setTime(state) {
        for (const i of this.shownRuns(state)) this.layers[i].setTime(state.time, state);
    }

    target(state, run) {
        if (state.follow === null || run === undefined) return this.orbit.target;
        this.layers[run].view.bodyPosition(state.follow, this.followed);
        return this.followed.add(this.orbit.target);
    }

    /// `fine`: as it will stay for a while.
    render(state, fine) {
        this.setFineness(this.quality.ratio(!fine));
        const shown = this.shownRuns(state);
        this.scene.updateMatrixWorld();
        this.labels.begin();
        this.windows = divide(state.mode, shown, this.width, this.height);
        for (const window of this.windows) {
            for (const layers of this.layers) {
                if (layers) layers.group.visible = window.runs.includes(layers.index);
            }
            // Runs share what stands in the world: it is drawn once.
            window.runs.forEach((run, i) => {
                this.layers[run].view.show(state.show.shapes, i === 0);
            });
            const camera = this.orbit.apply(window.width / window.height, this.target(state, window.runs[0]));
            const bottom = this.height - window.y - window.height;
            this.renderer.setViewport(window.x, bottom, window.width, window.height);
            this.renderer.setScissor(window.x, bottom, window.width, window.height);
            this.renderer.render(this.scene, camera);
            this.labelWindow(state, window, camera);
        }
        if (shown.length === 0) this.renderEmpty();
        this.labels.end();
    }

    renderEmpty() {
        for (const layers of this.layers) if (layers) layers.group.visible = false;
        this.renderer.render(this.scene, this.orbit.apply(this.width / this.height, this.orbit.target));
    }

    labelWindow(state, window, camera) {
        if (state.view === 'picture' && state.mode !== 'side') return;
        if (this.windows.length > 1) {
            const { run, view, index } = this.layers[window.runs[0]];
            const end = view.ended ? ` – stopped at ${formatTime(run.time[run.samples - 1])}` : '';
            this.labels.add(
                window.x + 14,
                window.y + 10,
                run.name + end,
                'window',
                colorOf(state.theme, this.places[index]),
                window.width - 28,
            );
        }
        if (!state.show.gaps || state.view === 'picture') return;
        const { links } = this.layers[window.runs[0]] ?? {};
        if (!links) return;
        const order = [...links.gaps.keys()]
            .filter((i) => Number.isFinite(links.gaps[i]))
            .sort((a, b) => Math.abs(links.gaps[b]) - Math.abs(links.gaps[a]))
            .slice(0, mostGapLabels);
        const middle = new Vector3();
        for (const i of order) {
            const small = Math.abs(links.gaps[i]) < this.resolution;
            const text = small ? `< ${formatLength(this.resolution)}` : formatLength(links.gaps[i]);
            this.labels.addAt(links.middle(i, middle), camera, window, text, 'gap');
        }
    }

    /// The body under a point of the view (pixels), with its run.
    pick(state, x, y) {
        const window = this.windows?.find(
            (one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height,
        );
        if (!window) return null;
        const camera = this.orbit.apply(window.width / window.height, this.target(state, window.runs[0]));
        const point = new Vector2(
            (2 * (x - window.x)) / window.width - 1,
            1 - (2 * (y - window.y)) / window.height,
        );
        const ray = new Raycaster();
        ray.setFromCamera(point, camera);
        const [hit] = ray.intersectObjects(
            window.runs.flatMap((i) => this.layers[i].view.targets()),
            false,
        );
        return hit
            ? { run: hit.object.userData.run, body: hit.object.userData.bodies[hit.instanceId] }
            : null;
    }
}
