// Torque and tangent of turning springs against differences of their energy in long double; the branch of a
// rotation vector through half a turn and beyond.

#include "dynamics/rotation_spring.h"
#include "core/rotation.h"
#include "support/long_rotation.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

const double angles[] = {1e-9, 1e-6, 1e-3, 0.1, 0.29, 0.31, 0.9, 1, 1.1, 2, 3, 3.14, 3.15, 4, 5, 6};
const Vec3d springs[] = {{7, 7, 7}, {2, 5, 11}, {0, 0, 3}, {1000, 1, 1}, {1, 1e-3, 0}};

long double energy_l(const Vec3d& k, const Vec3l& e) {
    return (k.x * e.x * e.x + k.y * e.y * e.y + k.z * e.z * e.z) / 2;
}

// The derivative of f at 0, of fourth order.
template <class F>
auto slope(long double h, F f) {
    return (8 / (12 * h)) * (f(h) - f(-h)) - (1 / (12 * h)) * (f(2 * h) - f(-2 * h));
}

// −∂V/∂θ and ∂²V/∂θ∂θ of small rotations in the axes of the turned frame, with nothing but exp, log and V.
// The first factor on the right is the rotation that has happened, the second the one that measures the
// torque.
Vec3d torque_by_differences(const Vec3d& k, const Vec3d& e) {
    Vec3d torque;
    for (int i = 0; i < 3; ++i)
        torque[i] = -static_cast<double>(slope(3e-4L, [&](long double s) {
            return energy_l(k, long_log(long_exp(widen(e)) * long_exp(s * axis_l(i)), widen(e)));
        }));
    return torque;
}

Mat3d tangent_by_differences(const Vec3d& k, const Vec3d& e) {
    Mat3d tangent;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            tangent(i, j) = static_cast<double>(slope(6e-4L, [&](long double t) {
                const Quatl turned = long_exp(widen(e)) * long_exp(t * axis_l(j));
                return slope(6e-4L, [&](long double s) {
                    return energy_l(k, long_log(turned * long_exp(s * axis_l(i)), widen(e)));
                });
            }));
    return tangent;
}

Mat3d symmetric_part(const Mat3d& m) { return 0.5 * (m + transpose(m)); }

template <class F>
void for_each_case(F f) {
    Random random(11);
    for (const Vec3d& k : springs)
        for (const double angle : angles)
            for (int trial = 0; trial < 3; ++trial) {
                const Vec3d u = random_direction(random);
                CAPTURE(angle);
                CAPTURE(k.x);
                f(k, angle * u, std::max({k.x, k.y, k.z}));
            }
}

}  // namespace

TEST_CASE("the torque of a turning spring is the slope of its energy") {
    for_each_case([](const Vec3d& k, const Vec3d& e, double size) {
        // Relative to k (1 + |e|²), times 1/|sin(φ/2)|, which J⁻¹ grows by towards 2π.
        const double scale = size * (1 + dot(e, e)) / std::min(1.0, 2 * std::cos(0.25 * length(e)));
        CHECK(largest(rotation_spring_torque(k, e) - torque_by_differences(k, e)) < 1e-11 * scale);
        CHECK(rotation_spring_energy(k, e) ==
              doctest::Approx(static_cast<double>(energy_l(k, widen(e)))).epsilon(1e-14));
    });
}

TEST_CASE("the tangent of a turning spring is the slope of its torque") {
    for_each_case([](const Vec3d& k, const Vec3d& e, double size) {
        const Mat3d exact = rotation_spring_tangent(k, e), measured = tangent_by_differences(k, e);
        // Rounding of the energy, 10⁻¹⁹ k φ², over the squared step; the steps' own error at 6 rad, 0.28 from
        // the pole.
        const double scale = std::max(size, largest(measured));
        CHECK(largest(exact - measured) < 2e-9 * scale * (1 + dot(e, e)));
    });
}

TEST_CASE("the symmetrized tangent is the nearest semidefinite matrix to the symmetric part") {
    int clamped = 0;
    for_each_case([&](const Vec3d& k, const Vec3d& e, double size) {
        const Mat3d measured = symmetric_part(tangent_by_differences(k, e));
        const Sym3d found = rotation_spring_stiffness(k, e);
        const double scale = std::max(size, largest(measured)) * (1 + dot(e, e));
        const Vec3d values = symmetric_eigen(found).values;
        CHECK(values.x >= -1e-14 * scale);
        // found − measured is semidefinite and works only where `found` does not: the nearest in the sense of
        // squares.
        const Mat3d excess = found.full() - measured;
        const SymmetricEigen rest = symmetric_eigen(
            {excess.x.x, excess.y.y, excess.z.z, excess.x.y, excess.x.z, excess.y.z});
        CHECK(rest.values.x > -4e-9 * scale);
        CHECK(largest(found.full() * excess) < 2e-8 * scale * scale);
        if (rest.values.z > 1e-6 * scale) ++clamped;
        if (is_isotropic(k)) {
            const double phi = length(e), across = phi / 2 / std::tan(phi / 2);
            CHECK(values.z == doctest::Approx(k.x).epsilon(1e-13));
            CHECK(values.x == doctest::Approx(k.x * std::max(across, 0.0)).epsilon(1e-12));
        }
    });
    CHECK(clamped > 20);
}

namespace {

// Newton's method for one step of backward Euler, I (ω⁺ − ω) = h τ(R⁺) with R⁺ = R exp(h ω⁺), in the axes of
// the body; the solves it takes until a correction is below 10⁻⁹ rad, or 60. `tangent` is that of the spring;
// that of the left side is taken as I/h, as in a step of bodies.
template <class Tangent>
int solves_of_step(const Vec3d& k, const Vec3d& e, Tangent tangent, Vec3d& end) {
    const Vec3d inertia{0.2, 0.12, 0.064}, before{0.5, -0.3, 0.2};
    const double h = 1.0 / 60;
    const Quatd start = rotation_exp(e);
    Quatd r = start * rotation_exp(h * before);
    for (int solves = 1; solves < 60; ++solves) {
        end = rotation_log(r);
        const Vec3d change = (1 / h) * rotation_log(conjugate(start) * r) - before;
        const Vec3d residual = scaled(inertia, change) - h * rotation_spring_torque(k, end);
        Mat3d A = h * tangent(k, end).full();
        for (int i = 0; i < 3; ++i) A(i, i) += inertia[i] / h;
        const double det = dot(A.x, cross(A.y, A.z));
        const Vec3d step = (-1 / det) * Vec3d{dot(residual, cross(A.y, A.z)), dot(A.x, cross(residual, A.z)),
                                              dot(A.x, cross(A.y, residual))};
        r = r * rotation_exp(step);
        if (length(step) < 1e-9) return solves;
    }
    return 60;
}

}  // namespace

TEST_CASE("backward Euler finds its step by the tangent that returns, from any angle and for any stiffness") {
    int worst_symmetrized = 0;
    for (const Vec3d& shape : {Vec3d{1, 1, 1}, Vec3d{1, 0.05, 0.3}})
        for (const double scale : {1e2, 1e4, 1e6, 1e8})
            for (const double angle : {0.3, 1.5, 3.0}) {
                const Vec3d k = scale * shape, e = angle * Vec3d{0.6, 0.48, 0.64};
                Vec3d end;
                const int solves = solves_of_step(k, e, rotation_spring_return, end);
                CAPTURE(scale);
                CAPTURE(angle);
                CAPTURE(shape.y);
                CHECK(solves <= (scale > 1e5 ? 5 : 15));
                CHECK(length(end) < angle);
                worst_symmetrized =
                    std::max(worst_symmetrized, solves_of_step(k, e, rotation_spring_stiffness, end));
            }
    // What the choice is about.
    CHECK(worst_symmetrized == 60);
}

// Eq. (7) of Hernandez et al. as printed: ∂(φu)/∂θ = φ/(2 sin φ) (Rᵀ + 1), for small rotations in the axes of
// the world, R → exp(δθ) R.
TEST_CASE("the derivative of a rotation vector as printed in the paper fails along the axis") {
    Random random(12);
    for (const double angle : {0.1, 1.0, 2.0, 3.0}) {
        const Vec3d u = random_direction(random), e = angle * u;
        Mat3d measured;
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                measured(i, j) = static_cast<double>(slope(3e-4L, [&](long double s) {
                    return long_log(long_exp(s * axis_l(j)) * long_exp(widen(e)), widen(e))[i];
                }));
        const double factor = angle / (2 * std::sin(angle));
        const Mat3d printed = factor * (transpose(rotation_matrix(rotation_exp(e))) + Mat3d::identity());
        CAPTURE(angle);
        CHECK(largest(measured * u - u) < 1e-12);
        const double off = angle / std::sin(angle) - 1;
        CHECK(largest(printed * u - measured * u - off * u) < 1e-11 * (1 + off));
        CHECK(off > 1e-3);
        // Across the axis it is right, and ours is its transpose everywhere.
        const Vec3d side = cross(u, random_direction(random));
        CHECK(largest(printed * side - measured * side) < 1e-11 * (1 + off));
        CHECK(largest(transpose(rotation_spring_tangent({1, 1, 1}, e)) - measured) < 1e-12);
    }
}

TEST_CASE("a rotation vector is followed through half a turn and beyond") {
    Random random(13);
    for (int trial = 0; trial < 20; ++trial) {
        // About a fixed axis, several turns there and back.
        const Vec3d u = random_direction(random);
        Vec3d e{0, 0, 0};
        for (int step = 0; step <= 400; ++step) {
            const double angle = 15 * std::sin(2 * std::numbers::pi * step / 400);
            e = unwrapped(rotation_log(rotation_exp(angle * u)), e);
            // Close to whole turns the axis is known to half the digits only.
            CHECK(largest(e - angle * u) < 1e-7);
        }
        // On a path that bends, between half a turn and a whole one: always the same rotation, without jumps.
        const Vec3d w = random_direction(random), a = random_direction(random);
        e = rotation_log(rotation_exp(3.0 * a));
        for (int step = 1; step <= 300; ++step) {
            const double t = step / 300.0;
            const Vec3d path = (3 + 2.5 * t) * a + (0.4 * std::sin(6 * t)) * w;
            const Vec3d next = unwrapped(rotation_log(rotation_exp(path)), e);
            CHECK(largest(next - path) < 1e-12);
            e = next;
        }
    }
}

TEST_CASE("at a whole turn the axis is that of the rotation vector before") {
    const double turn = 2 * std::numbers::pi;
    const Vec3d u{0.6, 0, 0.8};
    CHECK(largest(unwrapped({0, 0, 0}, 6.2 * u) - turn * u) < 1e-15 * turn);
    CHECK(largest(unwrapped({0, 0, 0}, -12.7 * u) + 2 * turn * u) < 1e-14 * turn);
    CHECK(largest(unwrapped({0, 1e-12, 0}, 6.2 * u) - turn * u) < 1e-11);
    CHECK(largest(unwrapped(1e-12 * u, 1.0 * u) - 1e-12 * u) == 0);
    CHECK(largest(unwrapped({0, 0, 0}, {0, 0, 0})) == 0);
    // Rotations that keep apart from the identity have one axis only; none of their vectors is near.
    CHECK(largest(unwrapped({0, 1e-3, 0}, turn * u) - Vec3d{0, 1e-3, 0}) == 0);
    CHECK(largest(unwrapped(-1e-3 * u, turn * u) - (turn - 1e-3) * u) < 1e-14 * turn);
}
