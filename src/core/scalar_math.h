#pragma once

// Elementary functions over any scalar (double, float, lanes).
//
// Every lane gives the bits that the scalar function gives: both run the same operations in the same
// order. That is why sine, cosine and arc tangent are our own and not the C library's, whose results differ
// between its versions. Measured errors are in tests/core/scalar_math_test.cpp.
//
// The polynomials are minimax fits (Remez exchange in 50 digits) of the part of the series that
// remains after its leading terms, so the leading terms are exact and small arguments stay accurate.

#include <ligament/lanes.h>

#include <limits>

namespace lig {

LIG_INLINE double sqrt(double a) { return __builtin_sqrt(a); }
LIG_INLINE float sqrt(float a) { return __builtin_sqrtf(a); }
template <class R, int W>
LIG_INLINE Lanes<R, W> sqrt(Lanes<R, W> a) { return Lanes<R, W>::of(a.v.sqrt()); }

// min and max give the first argument when either is not a number.
LIG_INLINE double min(double a, double b) { return b < a ? b : a; }
LIG_INLINE float min(float a, float b) { return b < a ? b : a; }
template <class R, int W>
LIG_INLINE Lanes<R, W> min(Lanes<R, W> a, Lanes<R, W> b) {
    return Lanes<R, W>::of(Pack<R, W>::min(a.v, b.v));
}
LIG_INLINE double max(double a, double b) { return a < b ? b : a; }
LIG_INLINE float max(float a, float b) { return a < b ? b : a; }
template <class R, int W>
LIG_INLINE Lanes<R, W> max(Lanes<R, W> a, Lanes<R, W> b) {
    return Lanes<R, W>::of(Pack<R, W>::max(a.v, b.v));
}

namespace detail {

// The numbers that depend on the precision. `half_pi_*` sum to π/2 far beyond one Real; the first two have
// so few bits that their products with a quadrant number below `max_quadrants` are exact.
template <class R>
struct MathConstants;

template <>
struct MathConstants<double> {
    static constexpr double sin_cos_limit = 1e6;         // of |x|; max_quadrants = 2^20
    static constexpr double round_magic = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    static constexpr double half_pi_1 = 0x1.921fb544p+0;  // 33 bits
    static constexpr double half_pi_2 = 0x1.0b46p-34;      // 20 bits, the last worth 2^-53
    static constexpr double half_pi_3 = 0x1.1a62633145c07p-54;
    static constexpr double sin_poly[] = {-0.16666666666666632, 0.0083333333333224131,
                                          -0.0001984126982980781, 2.7557313691918952e-06,
                                          -2.505075811540576e-08, 1.5896795661314259e-10};
    static constexpr double cos_poly[] = {0.041666666666666602, -0.0013888888888874125,
                                          2.4801587289482198e-05, -2.755731435233538e-07,
                                          2.0875723273511418e-09, -1.1359647815729446e-11};
    static constexpr double atan_poly[] = {-0.33333333333333198, 0.19999999999953999, -0.1428571428023962,
                                           0.11111110785673155, -0.090908978225662684, 0.076920613817824737,
                                           -0.0666311739415653, 0.05847986574782426, -0.05039742380425026,
                                           0.03807564206871069, -0.017919285140842612};
    static constexpr double pi = 3.1415926535897931, pi_rest = 1.2246467991473532e-16;
};

template <>
struct MathConstants<float> {
    static constexpr float sin_cos_limit = 1e4f;  // max_quadrants = 2^13
    static constexpr float round_magic = 0x1.8p23f;
    static constexpr float half_pi_1 = 0x1.92p+0f;    // 11 bits
    static constexpr float half_pi_2 = 0x1.fb4p-12f;  // 11 bits
    static constexpr float half_pi_3 = 7.54978995e-08f;
    static constexpr float sin_poly[] = {-0.166666552f, 0.008332178f, -0.000195172353f};
    static constexpr float cos_poly[] = {0.0416666456f, -0.00138873665f, 2.44383791e-05f};
    static constexpr float atan_poly[] = {-0.333333164f, 0.199984878f, -0.142438263f, 0.10595829f,
                                          -0.0608299263f};
    static constexpr float pi = 3.14159274f, pi_rest = -8.742278e-08f;
};

LIG_INLINE std::uint64_t bits_of(double a) { return __builtin_bit_cast(std::uint64_t, a); }
LIG_INLINE std::uint32_t bits_of(float a) { return __builtin_bit_cast(std::uint32_t, a); }
LIG_INLINE double with_bits(double, std::uint64_t b) { return __builtin_bit_cast(double, b); }
LIG_INLINE float with_bits(float, std::uint32_t b) { return __builtin_bit_cast(float, b); }
template <class R, int W>
LIG_INLINE auto bits_of(Lanes<R, W> a) { return a.v.bits(); }
// The sign bit, and the lowest bit, of every lane.
template <class T>
LIG_INLINE auto sign_bit() { return bits_of(T(-real_t<T>(0))); }
LIG_INLINE std::uint64_t low_bit(std::uint64_t) { return 1; }
LIG_INLINE std::uint32_t low_bit(std::uint32_t) { return 1; }
template <class I, int W>
LIG_INLINE Pack<I, W> low_bit(Pack<I, W>) { return Pack<I, W>::all_of(1); }
template <class R, int W>
LIG_INLINE Lanes<R, W> with_bits(Lanes<R, W>, Pack<lane_int_t<R>, W> b) {
    return Lanes<R, W>::of(Pack<R, W>::from_bits(b));
}

// c[0] + c[1] z + c[2] z² + …, as a Horner scheme in z² over pairs: as many operations as in z and half
// as long a chain.
template <class T, int N>
LIG_INLINE T polynomial(const real_t<T> (&c)[N], T z, T zz) {
    T sum = N % 2 == 0 ? T(c[N - 2]) + T(c[N - 1]) * z : T(c[N - 1]);
    for (int i = N - 3 - (N - 1) % 2; i >= 0; i -= 2) sum = (T(c[i]) + T(c[i + 1]) * z) + zz * sum;
    return sum;
}

// Outside the range of the fast reduction the C library does it, lane by lane. Internal linkage: each
// translation unit keeps the copy of its own instruction set.
[[gnu::noinline, gnu::cold, maybe_unused]] static void sin_cos_far(const double* x, double* s, double* c,
                                                                   int n) {
    for (int i = 0; i < n; ++i) {
        if (!(__builtin_fabs(x[i]) > MathConstants<double>::sin_cos_limit)) continue;
        s[i] = __builtin_sin(x[i]);
        c[i] = __builtin_cos(x[i]);
    }
}
[[gnu::noinline, gnu::cold, maybe_unused]] static void sin_cos_far(const float* x, float* s, float* c,
                                                                   int n) {
    for (int i = 0; i < n; ++i) {
        if (!(__builtin_fabsf(x[i]) > MathConstants<float>::sin_cos_limit)) continue;
        s[i] = __builtin_sinf(x[i]);
        c[i] = __builtin_cosf(x[i]);
    }
}

}  // namespace detail

LIG_INLINE double abs(double a) { return __builtin_fabs(a); }
LIG_INLINE float abs(float a) { return __builtin_fabsf(a); }
template <class R, int W>
LIG_INLINE Lanes<R, W> abs(Lanes<R, W> a) {
    return detail::with_bits(a, detail::bits_of(a) & ~detail::sign_bit<Lanes<R, W>>());
}

// The magnitude of `a` with the sign bit of `s`.
template <class T>
LIG_INLINE T copysign(T a, T s) {
    const auto sign = detail::sign_bit<T>();
    return detail::with_bits(a, (detail::bits_of(a) & ~sign) | (detail::bits_of(s) & sign));
}

// s = sin x, c = cos x. NaN and infinity give NaN.
template <class T>
LIG_INLINE void sin_cos(T x, T& s, T& c) {
    using R = real_t<T>;
    using K = detail::MathConstants<R>;
    constexpr int top = 8 * sizeof(R) - 1;
    const auto sign = detail::sign_bit<T>();
    const T y = abs(x);  // sine is odd to the last bit, zeros included

    // k is the nearest number of quarter turns; its two low bits stand in the low bits of `shifted`.
    const T shifted = y * T(R(0.63661977236758138)) + T(K::round_magic);
    const T k = shifted - T(K::round_magic);

    // y - k π/2 as r + e. The first two differences are exact: the second is below 1 and a multiple of
    // the last bit of y and of half_pi_2, which is not below the last bit of a number just under 1.
    const T exact = (y - k * T(K::half_pi_1)) - k * T(K::half_pi_2);
    const T third = k * T(K::half_pi_3);
    const T r = exact - third;
    const T e = (exact - r) - third;

    const T z = r * r, zz = z * z;
    const T half_z = T(R(0.5)) * z;
    const T w = T(R(1)) - half_z;
    const T sin_r = r + (e * w + (r * z) * detail::polynomial(K::sin_poly, z, zz));
    const T cos_r = w + (((T(R(1)) - w) - half_z) + (zz * detail::polynomial(K::cos_poly, z, zz) - r * e));

    // An odd quadrant swaps the two. Bit 1 of k is the sign of the sine; bits 1 and 0 differ where the
    // cosine is negative.
    const auto quadrant = detail::bits_of(shifted);
    const auto half_turn = quadrant << (top - 1);
    const auto odd = -(quadrant & detail::low_bit(quadrant));
    const auto sin_bits = detail::bits_of(sin_r), cos_bits = detail::bits_of(cos_r);
    const auto swap = (sin_bits ^ cos_bits) & odd;
    s = detail::with_bits(x, (sin_bits ^ swap) ^ ((half_turn ^ detail::bits_of(x)) & sign));
    c = detail::with_bits(x, (cos_bits ^ swap) ^ ((half_turn ^ (quadrant << top)) & sign));

    if (any(y > T(K::sin_cos_limit))) [[unlikely]] {
        R xs[lane_width<T>], ss[lane_width<T>], cs[lane_width<T>];
        for (int i = 0; i < lane_width<T>; ++i) {
            xs[i] = get_lane(x, i);
            ss[i] = get_lane(s, i);
            cs[i] = get_lane(c, i);
        }
        detail::sin_cos_far(xs, ss, cs, lane_width<T>);
        for (int i = 0; i < lane_width<T>; ++i) {
            set_lane(s, i, ss[i]);
            set_lane(c, i, cs[i]);
        }
    }
}

// The angle of the point (x, y), in [-π, π]. Zeros and infinities as in the C library.
template <class T>
LIG_INLINE T atan2(T y, T x) {
    using R = real_t<T>;
    using K = detail::MathConstants<R>;
    const T zero = T(R(0)), one = T(R(1)), half = T(R(0.5));

    // First octant: 0 <= n <= d. 0/0 becomes 0/1 and ∞/∞ becomes 1/1.
    const T ax = abs(x), ay = abs(y);
    const auto steep = ay > ax;
    const T lesser = select(steep, ax, ay), greater = select(steep, ay, ax);
    const T infinity = T(std::numeric_limits<R>::infinity());
    const auto both_infinite = (ax == infinity) & (ay == infinity);
    const T scale = select(greater > one, half, one);  // keeps n + d from overflow
    const T n = select(both_infinite, one, scale * lesser);
    const T d = select(both_infinite, one, select(greater == zero, one, scale * greater));

    // Beyond π/8 measure from π/4, by tan(α - π/4) = (n - d)/(n + d).
    const auto far = n > T(R(0.41421356237309503)) * d;
    const T u = select(far, n - d, n) / select(far, n + d, d);
    const T z = u * u;
    const T tail = (u * z) * detail::polynomial(K::atan_poly, z, z * z);
    const T offset = select(far, T(R(0.25) * K::pi), zero);
    const T offset_rest = select(far, T(R(0.25) * K::pi_rest), zero);

    // Unfold: π/4 ± …, π/2 - …, π - … are all base ± u with a base of twice the precision.
    const auto left = copysign(one, x) < zero;
    const T flip = select(steep, -one, one);
    const T base1 = flip * offset + select(steep, T(R(0.5) * K::pi), zero);
    const T rest1 = flip * offset_rest + select(steep, T(R(0.5) * K::pi_rest), zero);
    const T turn = select(left, -flip, flip);
    const T base = select(left, T(K::pi) - base1, base1);
    const T rest = select(left, T(K::pi_rest) - rest1, rest1);
    const T angle = base + (turn * u + (turn * tail + rest));
    return copysign(angle, y);
}

// The angle in [0, π] with the given cosine; a cosine pushed beyond ±1 by rounding counts as ±1.
template <class T>
LIG_INLINE T acos(T cosine) {
    using R = real_t<T>;
    const T x = max(min(cosine, T(R(1))), T(R(-1)));
    return atan2(sqrt((T(R(1)) - x) * (T(R(1)) + x)), x);
}

// For the quaternion of a rotation by the vector φ: (cos(|φ|/2), sin(|φ|/2)/|φ| φ). `s_over_angle` is the
// second factor, 1/2 at zero. No series is needed near zero: the sine of a small angle is the angle.
template <class T>
LIG_INLINE void exp_factors(T angle, T& s_over_angle, T& c) {
    using R = real_t<T>;
    T s;
    sin_cos(T(R(0.5)) * angle, s, c);
    const auto at_zero = angle == T(R(0));
    s_over_angle = select(at_zero, T(R(0.5)), s / select(at_zero, T(R(1)), angle));
}

// The inverse: the factor that makes the rotation vector out of the vector part v of a quaternion with real
// part w, 2 atan2(|v|, w)/|v|. The quaternion may have any length. For the shorter of the two rotations pass
// w >= 0 (negate the whole quaternion otherwise).
template <class T>
LIG_INLINE T log_factor(T v_length, T w) {
    using R = real_t<T>;
    const auto at_zero = v_length == T(R(0));
    return T(R(2)) * select(at_zero, T(R(1)), atan2(v_length, w)) / select(at_zero, w, v_length);
}

}  // namespace lig
