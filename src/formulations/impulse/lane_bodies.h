#pragma once

// Bodies in lanes: of four bodies anywhere in an array, the same number in the four lanes of a register.
// Kernels only.

#include "formulations/impulse/impulse_kernels.h"

namespace lig::impulse {

// x[k] gets the k-th of four numbers that stand in a row in each of four places.
LIG_INLINE void load_rows(const double* a, const double* b, const double* c, const double* d, Four* x) {
#if defined(__AVX__)
    const __m256d ra = _mm256_loadu_pd(a), rb = _mm256_loadu_pd(b);
    const __m256d rc = _mm256_loadu_pd(c), rd = _mm256_loadu_pd(d);
    const __m256d ab_even = _mm256_unpacklo_pd(ra, rb), ab_odd = _mm256_unpackhi_pd(ra, rb);
    const __m256d cd_even = _mm256_unpacklo_pd(rc, rd), cd_odd = _mm256_unpackhi_pd(rc, rd);
    using Register = Pack<double, lanes>;
    const auto lane_of = [](__m256d v) LIG_INLINE_LAMBDA {
        return Four::of(Register{typename Register::V(v)});
    };
    x[0] = lane_of(_mm256_permute2f128_pd(ab_even, cd_even, 0x20));
    x[1] = lane_of(_mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
    x[2] = lane_of(_mm256_permute2f128_pd(ab_even, cd_even, 0x31));
    x[3] = lane_of(_mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
#else
    for (int k = 0; k < 4; ++k) {
        x[k].set(0, a[k]);
        x[k].set(1, b[k]);
        x[k].set(2, c[k]);
        x[k].set(3, d[k]);
    }
#endif
}

LIG_INLINE void store_rows(const Four* x, double* a, double* b, double* c, double* d) {
#if defined(__AVX__)
    const __m256d x0 = __m256d(x[0].v.v), x1 = __m256d(x[1].v.v);
    const __m256d x2 = __m256d(x[2].v.v), x3 = __m256d(x[3].v.v);
    const __m256d low_even = _mm256_unpacklo_pd(x0, x1), low_odd = _mm256_unpackhi_pd(x0, x1);
    const __m256d high_even = _mm256_unpacklo_pd(x2, x3), high_odd = _mm256_unpackhi_pd(x2, x3);
    _mm256_storeu_pd(a, _mm256_permute2f128_pd(low_even, high_even, 0x20));
    _mm256_storeu_pd(b, _mm256_permute2f128_pd(low_odd, high_odd, 0x20));
    _mm256_storeu_pd(c, _mm256_permute2f128_pd(low_even, high_even, 0x31));
    _mm256_storeu_pd(d, _mm256_permute2f128_pd(low_odd, high_odd, 0x31));
#else
    for (int k = 0; k < 4; ++k) {
        a[k] = x[k][0];
        b[k] = x[k][1];
        c[k] = x[k][2];
        d[k] = x[k][3];
    }
#endif
}

// Numbers [first, first + 4 · Count) of four structures of doubles.
template <int Count, class S>
LIG_INLINE void load_numbers(const S* all, const int* which, int first, Four* x) {
    const double* a = reinterpret_cast<const double*>(all + which[0]) + first;
    const double* b = reinterpret_cast<const double*>(all + which[1]) + first;
    const double* c = reinterpret_cast<const double*>(all + which[2]) + first;
    const double* d = reinterpret_cast<const double*>(all + which[3]) + first;
    for (int k = 0; k < Count; ++k) load_rows(a + 4 * k, b + 4 * k, c + 4 * k, d + 4 * k, x + 4 * k);
}
template <int Count, class S>
LIG_INLINE void store_numbers(const Four* x, S* all, const int* which, int first) {
    double* a = reinterpret_cast<double*>(all + which[0]) + first;
    double* b = reinterpret_cast<double*>(all + which[1]) + first;
    double* c = reinterpret_cast<double*>(all + which[2]) + first;
    double* d = reinterpret_cast<double*>(all + which[3]) + first;
    for (int k = 0; k < Count; ++k) store_rows(x + 4 * k, a + 4 * k, b + 4 * k, c + 4 * k, d + 4 * k);
}

struct LaneVelocity {
    Vec3<Four> v, w;
    Four unused[2];

    LIG_INLINE Vec3<Four> at(const Vec3<Four>& arm) const { return v + cross(w, arm); }
};
static_assert(sizeof(LaneVelocity) == 8 * sizeof(Four) && sizeof(Velocity) == 8 * sizeof(double));

LIG_INLINE LaneVelocity load_velocity(const Velocity* u, const int* which) {
    LaneVelocity out;
    load_numbers<2>(u, which, 0, &out.v.x);
    return out;
}
LIG_INLINE void store_velocity(const LaneVelocity& from, Velocity* u, const int* which) {
    store_numbers<2>(&from.v.x, u, which, 0);
}

struct LanePlace {
    Vec3<Four> x;
    Quat<Four> q;
    Mat3<Four> R;
};
static_assert(sizeof(LanePlace) == 16 * sizeof(Four) && sizeof(Place) == 16 * sizeof(double));

LIG_INLINE LanePlace load_place(const Place* places, const int* which) {
    LanePlace out;
    load_numbers<4>(places, which, 0, &out.x.x);
    return out;
}

struct LaneInertia {
    Vec3<Four> inv_mass;
    Sym3<Four> inv_inertia;
    Four unused[3];
};
static_assert(sizeof(LaneInertia) == 12 * sizeof(Four) && sizeof(Inertia) == 12 * sizeof(double));

LIG_INLINE LaneInertia load_inertia(const Inertia* inertias, const int* which) {
    LaneInertia out;
    load_numbers<3>(inertias, which, 0, &out.inv_mass.x);
    return out;
}

LIG_INLINE double largest_lane(Four x) {
    double largest = x[0];
    for (int k = 1; k < lanes; ++k) largest = x[k] > largest ? x[k] : largest;
    return largest;
}

}  // namespace lig::impulse
