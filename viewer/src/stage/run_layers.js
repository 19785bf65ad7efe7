// All that is drawn of one run: its bodies, and what lies over them.
import { Color } from 'three';
import { ContactView } from './contacts.js';
import { FrameView } from './frames.js';
import { JointView } from './joints.js';
import { LinkView } from './links.js';
import { MassCenterView } from './mass_center.js';
import { RunView } from './run_view.js';

export class RunLayers {
    constructor(scene, run, index, { geometries, size, perNewton }) {
        this.view = new RunView(scene, run, index, geometries);
        this.run = run;
        this.index = index;
        this.group = this.view.group;
        this.joints = scene.joints.length ? this.add(new JointView(scene, size)) : null;
        this.contacts = run.contacts ? this.add(new ContactView(run, size, perNewton)) : null;
        this.links = scene.links.length ? this.add(new LinkView(scene, size)) : null;
        this.center = run.com ? this.add(new MassCenterView(run, size)) : null;
        this.frames = this.add(new FrameView(scene, size));
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
        this.update(this.joints, show.joints, () => this.joints.update(bodies));
        this.update(this.contacts, show.contacts || show.forces, () =>
            this.contacts.update(place.index, show.contacts, show.forces, forceScale),
        );
        this.update(this.links, show.gaps, () => this.links.update(bodies));
        this.update(this.center, show.center, () => this.center.update(place));
        this.update(this.frames, show.frames, () => this.frames.update(bodies));
    }

    update(layer, shown, change) {
        if (!layer) return;
        layer.group.visible = shown;
        if (shown) change();
    }

    /// `alone`: no other run is in the same window; `first`: the others are laid over this one.
    setLook({ color, alone, first, style, selected, theme, shadows }) {
        this.color.set(color);
        const opacity = { solid: alone || first ? 1 : 0.55, transparent: 0.32, wireframe: 1 }[style];
        const rgb = this.color.getRGB({}, 'srgb');
        this.view.setLook({
            color: alone ? null : [rgb.r, rgb.g, rgb.b],
            opacity,
            wireframe: style === 'wireframe',
            selected,
            shadows,
        });
        const accent = theme === 'dark' ? '#ffb454' : '#e0651a';
        const mark = alone ? (theme === 'dark' ? '#e8edf2' : '#1c2733') : color;
        this.joints?.setColor(alone ? accent : color);
        this.contacts?.setLook(
            alone ? (theme === 'dark' ? '#ff6b6b' : '#d62f2f') : color,
            alone ? accent : color,
        );
        this.links?.setColor(alone ? (theme === 'dark' ? '#ff7ab8' : '#c2187a') : color);
        this.center?.setColor(mark);
    }
}
