#pragma once

// Stretching: S is diagonal, s = (xx, yy, zz), along the principal axes of the inertia. With J along them the
// moments are Iₓ = s_y² J_y + s_z² J_z, …

#include "bodies/deforming.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Stretching : Deforming<Stretching, 3> {
    static constexpr BodyKind kind = BodyKind::stretching;
    static constexpr std::string_view name = "stretching";
    static constexpr std::string_view summary = "moves, turns and stretches along its axes";
    static constexpr OwnJoint joints[] = {free_joint, stretch_joint(".xx", 1), stretch_joint(".yy", 1),
                                          stretch_joint(".zz", 1)};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    template <class T>
    LIG_INLINE static Sym3<T> spread(const T* s) { return Sym3<T>::diagonal(s[0], s[1], s[2]); }
    template <class T>
    LIG_INLINE static void gather(const Sym3<T>& f, T* out) {
        out[0] = f.xx;
        out[1] = f.yy;
        out[2] = f.zz;
    }
    static void read(const Sym3d& S, double* s) { gather(S, s); }

    static void drift(const Substance& own, double h, Vec3d& x, Quatd& quat, Motion<double>& V,
                      StretchWork<double>& shape) {
        x += h * V.lin;
        const Vec3d J{own.moment.xx, own.moment.yy, own.moment.zz};
        Vec3d s{shape.S.xx, shape.S.yy, shape.S.zz}, rate{shape.rate.xx, shape.rate.yy, shape.rate.zz};
        const auto moment = [&](int k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            return s[a] * s[a] * J[a] + s[b] * s[b] * J[b];
        };
        drift_by_axes(
            h, quat, V.ang, moment, [&](double time) { s += time * rate; },
            [&](int k, double amount) {
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                rate[a] += amount * s[a];
                rate[b] += amount * s[b];
            });
        shape = {Sym3d::diagonal(s.x, s.y, s.z), Sym3d::diagonal(rate.x, rate.y, rate.z)};
    }
};

}  // namespace lig::bodies
