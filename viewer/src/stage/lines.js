import { BufferAttribute, BufferGeometry } from 'three';

/// Points of a line, three numbers each; changes of the array are drawn after `needsUpdate` of the attribute.
export function lineGeometry(positions) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    return geometry;
}
