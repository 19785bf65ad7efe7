#pragma once

// Scaling: S = s 1, Baraff's example of a body that is not rigid (1996, sec. 4). Moments are s² times those
// at rest.

#include "bodies/deforming.h"

#include <ligament/specs.h>

namespace lig::bodies {

struct Scaling : Deforming<Scaling, 1> {
    static constexpr BodyKind kind = BodyKind::scaling;
    static constexpr std::string_view name = "scaling";
    static constexpr std::string_view summary = "moves, turns and grows";
    static constexpr OwnJoint joints[] = {free_joint, stretch_joint(".scale", 1)};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    template <class T>
    LIG_INLINE static Sym3<T> spread(const T* s) { return Sym3<T>::diagonal(s[0], s[0], s[0]); }
    template <class T>
    LIG_INLINE static void gather(const Sym3<T>& f, T* out) { out[0] = f.xx + f.yy + f.zz; }
    static void read(const Sym3d& S, double* s) { s[0] = S.xx; }

    static void drift(const Substance& own, double h, Vec3d& x, Quatd& quat, Motion<double>& V,
                      StretchWork<double>& shape) {
        x += h * V.lin;
        double s = shape.S.xx, rate = shape.rate.xx;
        const Sym3d& J = own.moment;
        const double all = J.xx + J.yy + J.zz;
        const Vec3d I{J.yy + J.zz, J.xx + J.zz, J.xx + J.yy};
        drift_by_axes(
            h, quat, V.ang, [&](int k) { return s * s * I[k]; }, [&](double time) { s += time * rate; },
            [&](int k, double amount) { rate += amount * s * I[k] / all; });
        shape = {Sym3d::diagonal(s, s, s), Sym3d::diagonal(rate, rate, rate)};
    }
};

}  // namespace lig::bodies
