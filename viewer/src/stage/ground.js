// Planes, as checkers that fade out far away, and a grid of lines where a scene has none.
import {
    Color,
    DoubleSide,
    Group,
    Mesh,
    PlaneGeometry,
    ShaderMaterial,
    ShadowMaterial,
    Vector3,
} from 'three';
import { shapeMatrix } from './run_view.js';

const vertexShader = `
varying vec2 place;
varying vec3 world;
void main() {
    place = position.xy;
    vec4 position4 = modelMatrix * vec4(position, 1.0);
    world = position4.xyz;
    gl_Position = projectionMatrix * viewMatrix * position4;
}`;

// The checker is filtered over a pixel, so that it turns to its mean where squares are smaller than that.
const fragmentShader = `
uniform vec3 even;
uniform vec3 odd;
uniform vec3 line;
uniform vec3 center;
uniform vec2 fade;
uniform float cell;
uniform float fill;
varying vec2 place;
varying vec3 world;
void main() {
    vec2 p = place / cell;
    vec2 w = fwidth(p) + 1e-4;
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    vec3 color = mix(even, odd, 0.5 - 0.5 * i.x * i.y);
    vec2 edge = abs(fract(p - 0.5) - 0.5) / w;
    float near = 1.0 - min(min(edge.x, edge.y), 1.0);
    float thin = near / (1.0 + 8.0 * max(w.x, w.y));
    float far = 1.0 - smoothstep(fade.x, fade.y, distance(world, center));
    float below = gl_FrontFacing ? 1.0 : 0.25;
    gl_FragColor = vec4(mix(color, line, thin), far * below * mix(thin, 1.0, fill));
    #include <colorspace_fragment>
}`;

/// A step of 1, 2 or 5 times a power of ten near to that length.
function niceLength(length) {
    const power = 10 ** Math.floor(Math.log10(length));
    const ratio = length / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

const colors = {
    light: { even: '#e9edf2', odd: '#dde3ea', line: '#c6ced8', alone: '#9fabb8' },
    dark: { even: '#20262d', odd: '#262d35', line: '#3a444f', alone: '#56636f' },
};

export class Ground {
    constructor(scene, group) {
        const { center, radius } = scene.bounds;
        this.radius = Math.max(radius, 1e-3);
        this.materials = [];
        this.shadows = [];
        for (const shape of scene.shapes) {
            if (shape.kind === 'plane') this.addPlane(group, shape, center);
        }
        if (this.materials.length === 0) this.addGrid(group, center);
    }

    material(center, fill) {
        const material = new ShaderMaterial({
            vertexShader,
            fragmentShader,
            transparent: true,
            side: DoubleSide,
            depthWrite: fill === 1,
            uniforms: {
                even: { value: new Color() },
                odd: { value: new Color() },
                line: { value: new Color() },
                center: { value: new Vector3(...center) },
                cell: { value: niceLength(this.radius / 3) },
                fill: { value: fill },
                fade: {
                    value:
                        fill === 1
                            ? [3 * this.radius, 14 * this.radius]
                            : [0.5 * this.radius, 3.5 * this.radius],
                },
            },
        });
        this.materials.push(material);
        return material;
    }

    addPlane(group, shape, center) {
        const [a = 0, b = 0] = shape.size ?? [];
        const far = 40 * this.radius + 2 * Math.hypot(...center);
        const width = a > 0 ? 2 * a : far;
        const height = b > 0 ? 2 * b : far;
        const holder = new Group();
        holder.matrixAutoUpdate = false;
        holder.matrix.copy(shapeMatrix(shape));
        const plane = new Mesh(new PlaneGeometry(width, height), this.material(center, 1));
        plane.renderOrder = -2;
        const shadow = new Mesh(
            new PlaneGeometry(width, height),
            new ShadowMaterial({ opacity: 0.22, depthWrite: false }),
        );
        shadow.receiveShadow = true;
        shadow.renderOrder = -1;
        shadow.material.polygonOffset = true;
        shadow.material.polygonOffsetFactor = -2;
        shadow.material.polygonOffsetUnits = -2;
        this.shadows.push(shadow);
        holder.add(plane, shadow);
        group.add(holder);
    }

    addGrid(group, center) {
        const grid = new Mesh(new PlaneGeometry(8 * this.radius, 8 * this.radius), this.material(center, 0));
        const floor = center[2] - this.radius;
        const { value: cell } = this.materials[0].uniforms.cell;
        // At the height of the world's origin where that is below what moves, as drawing programs have it.
        grid.position.set(
            Math.round(center[0] / cell) * cell,
            Math.round(center[1] / cell) * cell,
            floor <= 0 && center[2] > 0 ? 0 : floor,
        );
        grid.renderOrder = -2;
        group.add(grid);
    }

    setLook(theme, shadows) {
        for (const { uniforms } of this.materials) {
            const { even, odd, line, alone } = colors[theme];
            uniforms.even.value.set(even);
            uniforms.odd.value.set(odd);
            uniforms.line.value.set(uniforms.fill.value ? line : alone);
        }
        for (const shadow of this.shadows) {
            shadow.visible = shadows;
            shadow.material.opacity = theme === 'dark' ? 0.5 : 0.2;
        }
    }
}
