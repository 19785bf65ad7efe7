// All that is drawn of one run: its bodies, and what lies over them.
import { AxesHelper, Color } from 'three';
import { ContactView } from './contacts.js';
import { JointView } from './joints.js';
import { LinkView } from './links.js';
import { MassCenterView } from './mass_center.js';
import { RunView } from './run_view.js';

export class RunLayers {
    constructor(scene, run, index, { geometries, size, perNewton }) {
        this.view = new RunView(scene, run, index, geometries);
        this.run = run;
        this.index = index;
        this.size = size;
        this.group = this.view.group;
        this.joints = scene.joints.length ? this.add(new JointView(scene, size)) : null;
        this.contacts = run.contacts ? this.add(new ContactView(run, size, perNewton)) : null;
        this.links = scene.links.length ? this.add(new LinkView(scene, size)) : null;
        this.center = run.com ? this.add(new MassCenterView(run, size)) : null;
        this.axes = [];
        this.color = new Color();
    }

    add(layer) {
        this.group.add(layer.group);
        return layer;
    }

    setTime(time, { show, forceScale }) {
        const { view } = this;
        view.setTime(time);
        const { bodies, place } = view;
        for (const mesh of view.meshes) mesh.visible = show.shapes;
        this.update(this.joints, show.joints, () => this.joints.update(bodies));
        this.update(this.contacts, show.contacts || show.forces,
            () => this.contacts.update(place.index, show.contacts, show.forces, forceScale));
        this.update(this.links, show.gaps, () => this.links.update(bodies));
        this.update(this.center, show.center, () => this.center.update(place));
        this.showAxes(show.frames);
    }

    update(layer, shown, change) {
        if (!layer) return;
        layer.group.visible = shown;
        if (shown) change();
    }

    showAxes(shown) {
        if (shown && !this.axes.length) {
            this.axes = this.view.bodies.map((object) => {
                const axes = new AxesHelper(0.6 * this.size);
                axes.material.depthTest = false;
                axes.material.transparent = true;
                axes.renderOrder = 8;
                object.add(axes);
                return axes;
            });
        }
        for (const axes of this.axes) axes.visible = shown;
    }

    /// `alone`: no other run is in the same window.
    setLook({ color, alone, single, style, selected, theme, shadows }) {
        this.color.set(color);
        const opacity = { solid: alone ? 1 : 0.62, transparent: 0.32, wireframe: 1 }[style];
        const rgb = this.color.getRGB({}, 'srgb');
        const own = single || alone;
        this.view.setLook({
            color: own ? null : [rgb.r, rgb.g, rgb.b], opacity, wireframe: style === 'wireframe', selected, shadows,
        });
        const accent = theme === 'dark' ? '#ffb454' : '#e0651a';
        const mark = alone ? (theme === 'dark' ? '#e8edf2' : '#1c2733') : color;
        this.joints?.setColor(alone ? accent : color);
        this.contacts?.setLook(alone ? (theme === 'dark' ? '#ff6b6b' : '#d62f2f') : color, alone ? accent : color);
        this.links?.setColor(alone ? (theme === 'dark' ? '#ff7ab8' : '#c2187a') : color);
        this.center?.setColor(mark);
    }
}
