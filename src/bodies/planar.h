#pragma once

// Planar: v = (ṗ_x, ṗ_z, ω_y). It stays in its plane y = const: moments about x and z and forces along y have
// no effect. Φᵀ M₆ Φ = diag(m, m, I_yy), where I_yy does not change as the body turns about y. The gyroscopic
// moment is ω_y² (−I_yz, 0, I_xy), all of it across the plane, so there is no bias.

#include "bodies/body.h"
#include "bodies/free_rotation.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Planar {
    static constexpr BodyKind kind = BodyKind::planar;
    static constexpr std::string_view name = "planar";
    static constexpr std::string_view summary = "moves along x and z and turns about y";
    static constexpr int dim = 3, stretches = 0;
    static constexpr OwnJoint joints[] = {{JointType::slide, {1, 0, 0}, ".x"},
                                          {JointType::slide, {0, 0, 1}, ".z"},
                                          {JointType::hinge, {0, 1, 0}, ".angle"}};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    template <class T>
    LIG_INLINE static Motion<T> expand(const T* v) {
        return {{T(0), v[2], T(0)}, {v[0], T(0), v[1]}};
    }
    template <class T>
    LIG_INLINE static void project(const Force<T>& f, T* out) {
        out[0] = f.lin.x;
        out[1] = f.lin.z;
        out[2] = f.ang.y;
    }
    template <class T>
    LIG_INLINE static void mass_block(const T& mass, const Sym3<T>& inertia, T* M) {
        for (int k = 0; k < dim * dim; ++k) M[k] = T(0);
        M[0] = M[4] = mass;
        M[8] = inertia.yy;
    }
    template <class T>
    LIG_INLINE static void bias(const Sym3<T>&, const Motion<T>&, T* out) {
        out[0] = out[1] = out[2] = T(0);
    }
    static void drift(const FreeRotation&, double h, Vec3d& x, Quatd& quat, Motion<double>& V) {
        x += h * V.lin;
        quat = normalized(rotation_exp(h * V.ang) * quat);
    }
};

}  // namespace lig::bodies
