// Accuracy is measured against the C library in long double (64 bits of mantissa), lanes against the scalar
// run.

#include "core/scalar_math.h"

#include "scalar_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

// Inside the namespace, as all users of these functions are: outside, the C library's would be called.
namespace lig::test {
namespace {

template <class R>
constexpr R inf = std::numeric_limits<R>::infinity();
template <class R>
constexpr R nan = std::numeric_limits<R>::quiet_NaN();

// The distance to a long double in units of the last place of R.
template <class R>
double ulps(R got, long double exact) {
    const R near = std::fabs(R(exact));
    const long double unit = (long double)(std::nextafter(near, inf<R>)) - (long double)(near);
    return double(std::fabs((long double)(got)-exact) / unit);
}

// Arguments of every kind that the reduction treats differently.
template <class R>
R angle(Random& random, int kind, double limit) {
    switch (kind % 5) {
        case 0: return R(random.uniform(-0.8, 0.8));
        case 1: return R(random.uniform(-7, 7));
        case 2: return R(random.uniform(-limit, limit));
        case 3:
            return R(std::round(random.uniform(-limit, limit) * 0.6) * 1.5707963267948966L);  // near zeros
        default:
            return R((std::round(random.uniform(-limit, limit) * 0.6) + 0.5L) * 1.5707963267948966L);  // ties
    }
}

}  // namespace

TEST_CASE_TEMPLATE("sin_cos is right to rounding, and the same bits in lanes", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const double limit = sizeof(R) == 8 ? 1e6 : 1e4;
    const double allowed = sizeof(R) == 8 ? 1.2e-16 : 6.5e-8;
    Random random(2);
    double sin_error = 0, cos_error = 0;
    bool same = true;
    for (int round = 0; round < 200000 / lane_width<T>; ++round) {
        T x, s, c;
        for (int i = 0; i < lane_width<T>; ++i) set_lane(x, i, angle<R>(random, round + i, limit));
        sin_cos(x, s, c);
        for (int i = 0; i < lane_width<T>; ++i) {
            const R one = get_lane(x, i);
            R s1, c1;
            sin_cos(one, s1, c1);
            same = same && same_bits(s1, R(get_lane(s, i))) && same_bits(c1, R(get_lane(c, i)));
            sin_error = std::max(sin_error, double(std::fabs(s1 - std::sin((long double)(one)))));
            cos_error = std::max(cos_error, double(std::fabs(c1 - std::cos((long double)(one)))));
        }
    }
    CHECK(same);
    CHECK(sin_error < allowed);
    CHECK(cos_error < allowed);
}

TEST_CASE_TEMPLATE("sin_cos of small angles keeps all digits", T, double, float) {
    Random random(3);
    double worst = 0;
    for (int round = 0; round < 20000; ++round) {
        const T x = T(std::exp2(random.uniform(sizeof(T) == 8 ? -300 : -60, -1)));
        T s, c;
        sin_cos(x, s, c);
        worst = std::max(worst, ulps(s, std::sin((long double)(x))));
    }
    CHECK(worst < 1.0);
    // The sine of the number nearest to π is what that number lacks.
    double s, c;
    sin_cos(3.141592653589793, s, c);
    CHECK(s == 1.2246467991473532e-16);
    CHECK(c == -1.0);
}

TEST_CASE_TEMPLATE("sin_cos of special values and beyond the fast range", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const R limit = sizeof(R) == 8 ? R(1e6) : R(1e4);
    T s, c;
    sin_cos(T(R(-0.0)), s, c);
    CHECK(same_bits(R(get_lane(s, 0)), R(-0.0)));
    CHECK(all(c == T(R(1))));
    sin_cos(T(R(0)), s, c);
    CHECK(same_bits(R(get_lane(s, 0)), R(0)));

    // One far value among near ones must change its own lane only.
    Random random(4);
    for (R far : {inf<R>, -inf<R>, nan<R>, R(1e22), R(-3e30), limit, -limit, std::nextafter(limit, inf<R>),
                  std::numeric_limits<R>::max(), std::numeric_limits<R>::denorm_min()}) {
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            T x = random.lanes<T>(-7, 7);
            set_lane(x, lane, far);
            sin_cos(x, s, c);
            for (int i = 0; i < lane_width<T>; ++i) {
                const R one = get_lane(x, i);
                R s1, c1;
                sin_cos(one, s1, c1);
                CHECK(same_bits(s1, R(get_lane(s, i))));
                CHECK(same_bits(c1, R(get_lane(c, i))));
                if (std::isfinite(one)) {
                    CHECK(ulps(s1, std::sin((long double)(one))) < 1.5);
                    CHECK(ulps(c1, std::cos((long double)(one))) < 1.5);
                } else {
                    CHECK(std::isnan(s1));
                    CHECK(std::isnan(c1));
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("atan2 and acos are right to a few units, and the same bits in lanes", T,
                   LIG_TEST_SCALARS) {
    using R = real_t<T>;
    Random random(5);
    double atan2_error = 0, acos_error = 0;
    bool same = true;
    for (int round = 0; round < 100000 / lane_width<T>; ++round) {
        T x = random.lanes<T>(-1, 1), y = random.lanes<T>(-1, 1);
        if (round % 3 == 1) y = y * T(R(1e-6));  // flat
        if (round % 3 == 2) x = x * T(R(1e-6));  // steep
        const T cosine = round % 2 ? random.lanes<T>(-1, 1) : T(R(1)) - random.lanes<T>(0, 1e-3);
        const T angle = atan2(y, x), arc = acos(cosine);
        for (int i = 0; i < lane_width<T>; ++i) {
            const R x1 = get_lane(x, i), y1 = get_lane(y, i), cosine1 = get_lane(cosine, i);
            const R angle1 = lig::atan2(y1, x1), arc1 = lig::acos(cosine1);
            same = same && same_bits(angle1, R(get_lane(angle, i))) && same_bits(arc1, R(get_lane(arc, i)));
            atan2_error =
                std::max(atan2_error, ulps(angle1, std::atan2((long double)(y1), (long double)(x1))));
            acos_error = std::max(acos_error, ulps(arc1, std::acos((long double)(cosine1))));
        }
    }
    CHECK(same);
    CHECK(atan2_error < 2.0);
    CHECK(acos_error < 3.5);
}

TEST_CASE_TEMPLATE("atan2 treats zeros, infinities and extremes as the C library does", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const R big = std::numeric_limits<R>::max(), tiny = std::numeric_limits<R>::denorm_min();
    const R values[] = {R(0), R(-0.0), R(1), R(-1), inf<R>, -inf<R>, nan<R>,
                        big, -big, tiny, -tiny, R(0.5), R(-0.41)};
    for (R y : values) {
        for (R x : values) {
            const T angle = atan2(T(y), T(x));
            const R expected = R(std::atan2((long double)(y), (long double)(x)));
            CAPTURE(y);
            CAPTURE(x);
            for (int i = 0; i < lane_width<T>; ++i) {
                const R got = get_lane(angle, i);
                if (std::isnan(expected)) {
                    CHECK(std::isnan(got));
                } else {
                    CHECK(std::signbit(got) == std::signbit(expected));
                    CHECK(std::fabs(got - expected) <= 2 * epsilon<T> * std::fabs(expected) + 2 * tiny);
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("acos is clamped", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const R pi = R(3.14159265358979323846L);
    CHECK(all(acos(T(R(1))) == T(R(0))));
    CHECK(all(acos(T(R(1) + 4 * epsilon<T>)) == T(R(0))));
    CHECK(all(acos(T(R(-1))) == T(pi)));
    CHECK(all(acos(T(R(-2))) == T(pi)));
    CHECK(all(acos(T(R(0))) == T(pi / 2)));
    const T not_a_number = acos(T(nan<R>));
    CHECK(all(not_a_number != not_a_number));
}

TEST_CASE_TEMPLATE("sqrt, abs, min, max and copysign by lane", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    Random random(6);
    bool same = true;
    for (int round = 0; round < 200; ++round) {
        T a = random.lanes<T>(-2, 2), b = random.lanes<T>(-2, 2);
        if (round % 4 == 0) set_lane(a, round / 4 % lane_width<T>, R(-0.0));
        if (round % 4 == 1) set_lane(b, round / 4 % lane_width<T>, -inf<R>);
        const T root = sqrt(abs(a)), size = abs(a), low = min(a, b), high = max(a, b),
                signed_a = copysign(a, b);
        for (int i = 0; i < lane_width<T>; ++i) {
            const R x = get_lane(a, i), y = get_lane(b, i);
            same = same && same_bits<R>(get_lane(root, i), std::sqrt(std::fabs(x))) &&
                   same_bits<R>(get_lane(size, i), std::fabs(x)) &&
                   same_bits<R>(get_lane(low, i), y < x ? y : x) &&
                   same_bits<R>(get_lane(high, i), x < y ? y : x) &&
                   same_bits<R>(get_lane(signed_a, i), std::copysign(x, y));
        }
    }
    CHECK(same);
    const T one = T(R(1)), bad = T(nan<R>);
    CHECK(all(min(one, bad) == one));
    CHECK(all(max(one, bad) == one));
    CHECK(all(min(bad, one) != min(bad, one)));
    CHECK(all(max(bad, one) != max(bad, one)));
    CHECK(all(sqrt(-one) != sqrt(-one)));
}

TEST_CASE_TEMPLATE("exponential and logarithm factors of rotations", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    Random random(7);
    double s_error = 0, c_error = 0, log_error = 0;
    bool same = true;
    for (int round = 0; round < 2000; ++round) {
        T angle;
        for (int i = 0; i < lane_width<T>; ++i) {
            // From far below the square root of the precision up to beyond a turn.
            const double size = round % 2 ? std::exp2(random.uniform(-100, 0)) : random.uniform(0, 8);
            set_lane(angle, i, R(size));
        }
        T s, c;
        exp_factors(angle, s, c);
        const T scale = random.lanes<T>(0.5, 2);  // the logarithm takes quaternions of any length
        const T factor = log_factor(scale * s * angle, scale * c);
        for (int i = 0; i < lane_width<T>; ++i) {
            const R one = get_lane(angle, i), length = get_lane(scale, i);
            const long double exact = one;
            R s1, c1;
            exp_factors(one, s1, c1);
            same = same && same_bits(s1, R(get_lane(s, i))) && same_bits(c1, R(get_lane(c, i))) &&
                   same_bits(log_factor(R(length * s1 * one), R(length * c1)), R(get_lane(factor, i)));
            s_error = std::max(s_error, double(std::fabs(s1 - std::sin(exact / 2) / exact)));
            c_error = std::max(c_error, double(std::fabs(c1 - std::cos(exact / 2))));
            if (one < R(6)) {
                const long double v = (long double)(R(length * s1 * one)), w = (long double)(R(length * c1));
                const long double expected = 2 * std::atan2(v, w) / v;
                log_error = std::max(log_error, double(std::fabs(get_lane(factor, i) / expected - 1)));
            }
        }
    }
    CHECK(same);
    CHECK(s_error < epsilon<T>);
    CHECK(c_error < epsilon<T>);
    CHECK(log_error < 4 * epsilon<T>);

    T s, c;
    exp_factors(T(R(0)), s, c);
    CHECK(all(s == T(R(0.5))));
    CHECK(all(c == T(R(1))));
    CHECK(all(log_factor(T(R(0)), T(R(1))) == T(R(2))));
    CHECK(all(log_factor(T(R(0)), T(R(2))) == T(R(1))));
}

}  // namespace lig::test
