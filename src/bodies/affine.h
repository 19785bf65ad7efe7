#pragma once

// Affine: S is any symmetric matrix, s = (xx, yy, zz, xy, xz, yz). While nothing acts, Ȧ is constant: free
// motion is exact.

#include "bodies/deforming.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Affine : Deforming<Affine, 6> {
    static constexpr BodyKind kind = BodyKind::affine;
    static constexpr std::string_view name = "affine";
    static constexpr std::string_view summary = "moves, turns, stretches and shears";
    static constexpr OwnJoint joints[] = {free_joint, stretch_joint(".xx", 1), stretch_joint(".yy", 1),
                                          stretch_joint(".zz", 1), stretch_joint(".xy", 0),
                                          stretch_joint(".xz", 0), stretch_joint(".yz", 0)};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    template <class T>
    LIG_INLINE static Sym3<T> spread(const T* s) { return {s[0], s[1], s[2], s[3], s[4], s[5]}; }
    template <class T>
    LIG_INLINE static void gather(const Sym3<T>& f, T* out) {
        out[0] = f.xx;
        out[1] = f.yy;
        out[2] = f.zz;
        out[3] = f.xy;
        out[4] = f.xz;
        out[5] = f.yz;
    }
    static void read(const Sym3d& S, double* s) { gather(S, s); }

    static void drift(const Substance&, double h, Vec3d& x, Quatd& quat, Motion<double>& V,
                      StretchWork<double>& shape) {
        x += h * V.lin;
        const Mat3d R = rotation_matrix(quat);
        const Vec3d w = transpose_mul(R, V.ang);
        const Mat3d D = turned_by(w, shape.S.full()) + shape.rate.full();
        const Quatd Q = polar_rotation(shape.S.full() + h * D, rotation_exp(h * w), shape.S);
        const Mat3d rate = seen_in(rotation_matrix(Q), D);
        const Vec3d turning = turn_of_polar(shape.S, axial(rate));
        shape.rate = symmetric_part(rate + -1.0 * turned_by(turning, shape.S.full()));
        quat = normalized(quat * Q);
        V.ang = rotation_matrix(quat) * turning;
    }
};

}  // namespace lig::bodies
