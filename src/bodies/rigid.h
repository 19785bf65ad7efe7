#pragma once

// Rigid: v = (ω, ṗ), angular before linear as in Motion. Φ = 1, M = diag(I, m 1).

#include "bodies/body.h"
#include "bodies/free_rotation.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Rigid {
    static constexpr BodyKind kind = BodyKind::rigid;
    static constexpr std::string_view name = "rigid";
    static constexpr std::string_view summary = "moves and turns in space";
    static constexpr int dim = 6, stretches = 0;
    static constexpr std::span<const OwnJoint> own_joints{};

    template <class T>
    LIG_INLINE static Motion<T> expand(const T* v) {
        return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    }
    template <class T>
    LIG_INLINE static void project(const Force<T>& f, T* out) {
        for (int k = 0; k < 3; ++k) {
            out[k] = f.ang[k];
            out[3 + k] = f.lin[k];
        }
    }
    template <class T>
    LIG_INLINE static void mass_block(const T& mass, const Sym3<T>& inertia, T* M) {
        const Mat3<T> I = inertia.full();
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) {
                M[row * dim + column] = I(row, column);
                M[row * dim + 3 + column] = M[(3 + row) * dim + column] = T(0);
                M[(3 + row) * dim + 3 + column] = row == column ? mass : T(0);
            }
    }
    template <class T>
    LIG_INLINE static void bias(const Sym3<T>& inertia, const Motion<T>& V, T* out) {
        project({cross(inertia * V.ang, V.ang), Vec3<T>::zero()}, out);
    }
    static void drift(const FreeRotation& rotation, double h, Vec3d& x, Quatd& quat, Motion<double>& V) {
        x += h * V.lin;
        rotation.advance(h, quat, V.ang);
    }
};

}  // namespace lig::bodies
