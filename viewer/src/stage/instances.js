// Many copies of one shape, placed anew for every frame.
import { DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from 'three';

const up = new Vector3(0, 1, 0);

export class Instances {
    constructor(group, geometry, capacity, { lit = null, through = false, opacity = 1 } = {}) {
        this.material = lit ?? new MeshBasicMaterial({ transparent: opacity < 1 || through, opacity });
        if (through) {
            this.material.depthTest = false;
            this.material.depthWrite = false;
        }
        this.mesh = new InstancedMesh(geometry, this.material, Math.max(1, capacity));
        this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        this.mesh.frustumCulled = false;
        this.mesh.count = 0;
        this.mesh.renderOrder = through ? 10 : 1;
        this.matrix = new Matrix4();
        this.position = new Vector3();
        this.direction = new Vector3();
        this.scale = new Vector3();
        this.rotation = new Quaternion();
        group.add(this.mesh);
    }

    clear() {
        this.mesh.count = 0;
    }

    /// Centre (x, y, z), the direction of the shape's own y axis, widths along x and z and along y.
    add(x, y, z, dx, dy, dz, width, length) {
        this.position.set(x, y, z);
        this.direction.set(dx, dy, dz);
        this.rotation.setFromUnitVectors(up, this.direction.normalize());
        this.scale.set(width, length, width);
        this.matrix.compose(this.position, this.rotation, this.scale);
        this.mesh.setMatrixAt(this.mesh.count++, this.matrix);
        this.mesh.instanceMatrix.needsUpdate = true;
    }

    setColor(color) {
        this.material.color.set(color);
    }
}
