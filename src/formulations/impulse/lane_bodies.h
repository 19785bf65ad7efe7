#pragma once

// Bodies in lanes: of four bodies anywhere in an array, the same number in the four lanes of a register.
// Kernels only.

#include "core/scalar_math.h"
#include "formulations/impulse/impulse_kernels.h"

namespace lig::impulse {

// x[0] and x[1] get the first and the second of two numbers that stand in a row in each of four places.
LIG_INLINE void load_pairs(const double* a, const double* b, const double* c, const double* d, Four* x) {
#if defined(__AVX__)
    using Register = Pack<double, lanes>;
    const auto both = [](const double* low, const double* high) LIG_INLINE_LAMBDA {
        return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
    };
    const __m256d ac = both(a, c), bd = both(b, d);
    x[0] = Four::of(Register{typename Register::V(_mm256_unpacklo_pd(ac, bd))});
    x[1] = Four::of(Register{typename Register::V(_mm256_unpackhi_pd(ac, bd))});
#else
    for (int k = 0; k < 2; ++k) {
        x[k].set(0, a[k]);
        x[k].set(1, b[k]);
        x[k].set(2, c[k]);
        x[k].set(3, d[k]);
    }
#endif
}

LIG_INLINE void store_pairs(const Four* x, double* a, double* b, double* c, double* d) {
#if defined(__AVX__)
    const __m256d x0 = __m256d(x[0].v.v), x1 = __m256d(x[1].v.v);
    const __m256d ac = _mm256_unpacklo_pd(x0, x1), bd = _mm256_unpackhi_pd(x0, x1);
    _mm_storeu_pd(a, _mm256_castpd256_pd128(ac));
    _mm_storeu_pd(b, _mm256_castpd256_pd128(bd));
    _mm_storeu_pd(c, _mm256_extractf128_pd(ac, 1));
    _mm_storeu_pd(d, _mm256_extractf128_pd(bd, 1));
#else
    for (int k = 0; k < 2; ++k) {
        a[k] = x[k][0];
        b[k] = x[k][1];
        c[k] = x[k][2];
        d[k] = x[k][3];
    }
#endif
}

// Numbers [first, first + 2 · Pairs) of four structures of doubles.
template <int Pairs, class S>
LIG_INLINE void load_numbers(const S* all, const int* which, int first, Four* x) {
    const double* a = reinterpret_cast<const double*>(all + which[0]) + first;
    const double* b = reinterpret_cast<const double*>(all + which[1]) + first;
    const double* c = reinterpret_cast<const double*>(all + which[2]) + first;
    const double* d = reinterpret_cast<const double*>(all + which[3]) + first;
    for (int k = 0; k < Pairs; ++k) load_pairs(a + 2 * k, b + 2 * k, c + 2 * k, d + 2 * k, x + 2 * k);
}
template <int Pairs, class S>
LIG_INLINE void store_numbers(const Four* x, S* all, const int* which, int first) {
    double* a = reinterpret_cast<double*>(all + which[0]) + first;
    double* b = reinterpret_cast<double*>(all + which[1]) + first;
    double* c = reinterpret_cast<double*>(all + which[2]) + first;
    double* d = reinterpret_cast<double*>(all + which[3]) + first;
    for (int k = 0; k < Pairs; ++k) store_pairs(x + 2 * k, a + 2 * k, b + 2 * k, c + 2 * k, d + 2 * k);
}

struct LaneVelocity {
    Vec3<Four> v, w;

    LIG_INLINE Vec3<Four> at(const Vec3<Four>& arm) const { return v + cross(w, arm); }
};
static_assert(sizeof(LaneVelocity) == 6 * sizeof(Four));

LIG_INLINE LaneVelocity load_velocity(const Velocity* u, const int* which) {
    LaneVelocity out;
    load_numbers<3>(u, which, 0, &out.v.x);
    return out;
}
LIG_INLINE void store_velocity(const LaneVelocity& from, Velocity* u, const int* which) {
    store_numbers<3>(&from.v.x, u, which, 0);
}

// Angular velocities alone, with what stands before them.
struct LaneTurning {
    Four before;
    Vec3<Four> w;
};
static_assert(sizeof(LaneTurning) == 4 * sizeof(Four));

LIG_INLINE LaneTurning load_turning(const Velocity* u, const int* which) {
    LaneTurning out;
    load_numbers<2>(u, which, 2, &out.before);
    return out;
}
LIG_INLINE void store_turning(const LaneTurning& from, Velocity* u, const int* which) {
    store_numbers<2>(&from.before, u, which, 2);
}

struct LaneSpin {
    Vec3<Four> change, w;
    Four followed, unused;

    LIG_INLINE Vec3<Four> bend(const Vec3<Four>& arm) const {
        return cross(change, arm) + cross(w, cross(w, arm));
    }
};
static_assert(sizeof(LaneSpin) == 8 * sizeof(Four) && sizeof(Spin) == 8 * sizeof(double));

LIG_INLINE LaneSpin load_spin(const Spin* spins, const int* which) {
    LaneSpin out;
    load_numbers<4>(spins, which, 0, &out.change.x);
    return out;
}

struct LanePlace {
    Vec3<Four> x;
    Quat<Four> q;
    Mat3<Four> R;
};
static_assert(sizeof(LanePlace) == 16 * sizeof(Four) && sizeof(Place) == 16 * sizeof(double));

LIG_INLINE LanePlace load_place(const Place* places, const int* which) {
    LanePlace out;
    load_numbers<8>(places, which, 0, &out.x.x);
    return out;
}

struct LaneInertia {
    Vec3<Four> inv_mass;
    Sym3<Four> inv_inertia;
    Four unused;
};
static_assert(sizeof(LaneInertia) == 10 * sizeof(Four) && sizeof(Inertia) >= 10 * sizeof(double));

LIG_INLINE LaneInertia load_inertia(const Inertia* inertias, const int* which) {
    LaneInertia out;
    load_numbers<5>(inertias, which, 0, &out.inv_mass.x);
    return out;
}

LIG_INLINE Four size_of(const Vec3<Four>& v) { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }
LIG_INLINE Vec3<Four> scaled(const Vec3<Four>& by, const Vec3<Four>& v) {
    return {by.x * v.x, by.y * v.y, by.z * v.z};
}

LIG_INLINE double sum_of_lanes(Four x) { return (x[0] + x[1]) + (x[2] + x[3]); }
LIG_INLINE double largest_lane(Four x) {
    double largest = x[0];
    for (int k = 1; k < lanes; ++k) largest = x[k] > largest ? x[k] : largest;
    return largest;
}

}  // namespace lig::impulse
