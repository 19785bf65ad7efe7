// Text over the 3D view: elements that are kept and moved.
import { Vector3 } from 'three';
import { element } from '../page/dom.js';

export class Labels {
    constructor(layer) {
        this.layer = layer;
        this.items = [];
        this.used = 0;
        this.point = new Vector3();
    }

    begin() {
        this.used = 0;
    }

    /// In pixels of the layer; hidden where there is nothing in front of the camera.
    addAt(position, camera, viewport, text, kind, color) {
        const p = this.point.copy(position).project(camera);
        if (p.z > 1 || Math.abs(p.x) > 1 || Math.abs(p.y) > 1) return;
        this.add(
            viewport.x + ((p.x + 1) / 2) * viewport.width,
            viewport.y + ((1 - p.y) / 2) * viewport.height,
            text,
            kind,
            color,
        );
    }

    add(x, y, text, kind, color, width) {
        let item = this.items[this.used];
        if (!item) {
            item = element('div');
            this.items.push(item);
            this.layer.append(item);
        }
        this.used++;
        const name = `label ${kind}`;
        if (item.className !== name) item.className = name;
        if (item.textContent !== text) item.textContent = text;
        item.style.setProperty('--color', color ?? '');
        item.style.maxWidth = width ? `${width}px` : '';
        item.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }

    end() {
        this.items.forEach((item, i) => item.toggleAttribute('hidden', i >= this.used));
    }
}
