// The algebra of vectors, rotations and poses against products written out in long double.

#include "scalar_types.h"

#include <ligament/vec.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace lig;
using namespace lig::test;

namespace {

template <class T>
Vec3<T> random_vec(Random& random) {
    return {random.lanes<T>(-1, 1), random.lanes<T>(-1, 1), random.lanes<T>(-1, 1)};
}
// Never near zero length; not of unit length.
template <class T>
Quat<T> random_quat(Random& random) {
    return {random.lanes<T>(0.3, 1.5), random.lanes<T>(-1, 1), random.lanes<T>(-1, 1),
            random.lanes<T>(-1, 1)};
}
template <class T>
Sym3<T> random_sym(Random& random) {
    const Vec3<T> a = random_vec<T>(random), b = random_vec<T>(random);
    return {a.x, a.y, a.z, b.x, b.y, b.z};
}

// One lane as a matrix of long doubles.
struct Exact {
    long double m[3][3] = {};

    Exact operator*(const Exact& b) const {
        Exact out;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) out.m[i][j] += m[i][k] * b.m[k][j];
        return out;
    }
    Exact transposed() const {
        Exact out;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) out.m[i][j] = m[j][i];
        return out;
    }
    double distance(const Exact& b) const {
        long double worst = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) worst = std::max(worst, std::fabs(m[i][j] - b.m[i][j]));
        return double(worst);
    }
};

template <class T>
Exact exact(const Mat3<T>& a, int lane) {
    Exact out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = get_lane(a(i, j), lane);
    return out;
}

// R v as the vector part of q v q* / |q|², the definition that rotation_matrix must reproduce.
template <class T>
Exact exact_rotation(const Quat<T>& q, int lane) {
    const long double w = get_lane(q.w, lane);
    const long double u[3] = {get_lane(q.x, lane), get_lane(q.y, lane), get_lane(q.z, lane)};
    const long double squared = w * w + u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    Exact out;
    for (int j = 0; j < 3; ++j) {
        // 2 u (u·v) + (w² - u·u) v + 2 w u × v, for v the basis vector j
        const long double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        for (int i = 0; i < 3; ++i) out.m[i][j] = 2 * u[i] * u[j] + (i == j ? w * w - uu : 0);
        out.m[(j + 1) % 3][j] += 2 * w * u[(j + 2) % 3];
        out.m[(j + 2) % 3][j] -= 2 * w * u[(j + 1) % 3];
        for (int i = 0; i < 3; ++i) out.m[i][j] /= squared;
    }
    return out;
}

template <class T>
double largest(const Vec3<T>& a) {
    double worst = 0;
    for (int i = 0; i < lane_width<T>; ++i)
        for (int k = 0; k < 3; ++k) worst = std::max(worst, std::fabs(double(get_lane(a[k], i))));
    return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("products of vectors", T, LIG_TEST_SCALARS) {
    Random random(11);
    for (int round = 0; round < 20; ++round) {
        const Vec3<T> a = random_vec<T>(random), b = random_vec<T>(random);
        const Vec3<T> c = cross(a, b);
        CHECK(largest(Vec3<T>{dot(a, c), dot(b, c),
                              dot(c, c) + dot(a, b) * dot(a, b) - dot(a, a) * dot(b, b)}) < 16 * epsilon<T>);
        CHECK(largest(cross_matrix(a) * b - c) < 4 * epsilon<T>);
        CHECK(largest(cross(b, a) + c) == 0);
    }
    // The orientation: x × y = z.
    const T one = T(real_t<T>(1)), zero = T(real_t<T>(0));
    CHECK(largest(cross(Vec3<T>{one, zero, zero}, Vec3<T>{zero, one, zero}) - Vec3<T>{zero, zero, one}) == 0);
}

TEST_CASE_TEMPLATE("matrix products and transposes", T, LIG_TEST_SCALARS) {
    Random random(12);
    for (int round = 0; round < 20; ++round) {
        const Mat3<T> a = {random_vec<T>(random), random_vec<T>(random), random_vec<T>(random)};
        const Mat3<T> b = {random_vec<T>(random), random_vec<T>(random), random_vec<T>(random)};
        const Vec3<T> v = random_vec<T>(random);
        const Mat3<T> ab = a * b, atb = transpose_mul(a, b);
        for (int i = 0; i < lane_width<T>; ++i) {
            CHECK(exact(ab, i).distance(exact(a, i) * exact(b, i)) < 6 * epsilon<T>);
            CHECK(exact(atb, i).distance(exact(a, i).transposed() * exact(b, i)) < 6 * epsilon<T>);
            CHECK(exact(transpose(a), i).distance(exact(a, i).transposed()) == 0);
        }
        CHECK(largest(transpose_mul(a, v) - transpose(a) * v) == 0);
        CHECK(largest(a * v - (v.x * a.x + v.y * a.y + v.z * a.z)) < 4 * epsilon<T>);
    }
}

TEST_CASE_TEMPLATE("rotation_matrix of a quaternion of any length", T, LIG_TEST_SCALARS) {
    Random random(13);
    for (int round = 0; round < 50; ++round) {
        const Quat<T> q = random_quat<T>(random), r = random_quat<T>(random);
        const Mat3<T> Q = rotation_matrix(q), R = rotation_matrix(r);
        for (int i = 0; i < lane_width<T>; ++i) {
            CHECK(exact(Q, i).distance(exact_rotation(q, i)) < 8 * epsilon<T>);
            // A rotation although the quaternion is not of unit length.
            CHECK(exact(Q * transpose(Q), i).distance(exact(Mat3<T>::identity(), i)) < 16 * epsilon<T>);
            // The product of quaternions is the product of matrices; conjugation is transposition.
            CHECK(exact(rotation_matrix(q * r), i).distance(exact(Q * R, i)) < 24 * epsilon<T>);
            CHECK(exact(rotation_matrix(conjugate(q)), i).distance(exact(transpose(Q), i)) == 0);
        }
        CHECK(all(dot(cross(Q.x, Q.y), Q.z) > T(real_t<T>(0))));
    }
    // A quarter turn about z takes x to y.
    const real_t<T> half = real_t<T>(0.70710678118654752);
    const Mat3<T> quarter = rotation_matrix(Quat<T>{T(half), T(real_t<T>(0)), T(real_t<T>(0)), T(half)});
    CHECK(std::fabs(double(get_lane(quarter.x.y, 0)) - 1) < epsilon<T>);
    CHECK(std::fabs(double(get_lane(quarter.y.x, 0)) + 1) < epsilon<T>);
}

TEST_CASE_TEMPLATE("rotate of a symmetric matrix is R m Rᵀ", T, LIG_TEST_SCALARS) {
    Random random(14);
    for (int round = 0; round < 50; ++round) {
        const Mat3<T> R = rotation_matrix(random_quat<T>(random));
        const Sym3<T> m = random_sym<T>(random);
        const Sym3<T> rotated = rotate(R, m);
        for (int i = 0; i < lane_width<T>; ++i) {
            const Exact expected = exact(R, i) * exact(m.full(), i) * exact(R, i).transposed();
            CHECK(exact(rotated.full(), i).distance(expected) < 16 * epsilon<T>);
        }
        const Vec3<T> v = random_vec<T>(random);
        CHECK(largest(m * v - m.full() * v) < 4 * epsilon<T>);
        Sym3<T> sum = m;
        sum += rotated;
        CHECK(largest((sum - m - rotated) * v) < 8 * epsilon<T>);
    }
}

TEST_CASE_TEMPLATE("a chain of poses composes, applies and inverts", T, LIG_TEST_SCALARS) {
    Random random(15);
    Transform<T> chain = Transform<T>::identity();
    const Vec3<T> start = random_vec<T>(random);
    Transform<T> poses[30];
    for (Transform<T>& pose : poses) {
        pose = {rotation_matrix(random_quat<T>(random)), random_vec<T>(random)};
        chain = chain * pose;
    }
    // From the inside out, one pose after the other, must arrive where the product does.
    Vec3<T> point = start;
    for (int i = 29; i >= 0; --i) point = poses[i] * point;
    CHECK(largest(chain * start - point) < 1000 * epsilon<T>);
    CHECK(largest(point) > 0.1);
    CHECK(largest(chain.inverse() * point - start) < 1000 * epsilon<T>);
    const Transform<T> both = chain * chain.inverse();
    CHECK(largest(both.p) < 1000 * epsilon<T>);
    for (int i = 0; i < lane_width<T>; ++i)
        CHECK(exact(both.R, i).distance(exact(Mat3<T>::identity(), i)) < 1000 * epsilon<T>);
}
