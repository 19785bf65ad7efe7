#pragma once

// Particle: v = ṗ. It never turns, so moments have no effect and its rotational inertia does not matter;
// it may have none. M = m 1.

#include "bodies/body.h"
#include "bodies/free_rotation.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Particle {
    static constexpr BodyKind kind = BodyKind::particle;
    static constexpr std::string_view name = "particle";
    static constexpr std::string_view summary = "moves without turning";
    static constexpr int dim = 3, stretches = 0;
    static constexpr OwnJoint joints[] = {{JointType::slide, {1, 0, 0}, ".x"},
                                          {JointType::slide, {0, 1, 0}, ".y"},
                                          {JointType::slide, {0, 0, 1}, ".z"}};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    template <class T>
    LIG_INLINE static Motion<T> expand(const T* v) {
        return {Vec3<T>::zero(), {v[0], v[1], v[2]}};
    }
    template <class T>
    LIG_INLINE static void project(const Force<T>& f, T* out) {
        for (int k = 0; k < 3; ++k) out[k] = f.lin[k];
    }
    template <class T>
    LIG_INLINE static void mass_block(const T& mass, const Sym3<T>&, T* M) {
        for (int k = 0; k < dim * dim; ++k) M[k] = T(0);
        M[0] = M[4] = M[8] = mass;
    }
    template <class T>
    LIG_INLINE static void bias(const Sym3<T>&, const Motion<T>&, T* out) {
        out[0] = out[1] = out[2] = T(0);
    }
    static void drift(const FreeRotation&, double h, Vec3d& x, Quatd&, Motion<double>& V) {
        x += h * V.lin;
    }
};

}  // namespace lig::bodies
