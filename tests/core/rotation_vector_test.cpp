// Rates of rotation vectors against differences of the exponential, in long double where they cancel.

#include "core/rotation_vector.h"
#include "core/rotation.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// φ(t) = p + r t + ½ s t².
struct Path {
    Vec3d p, r, s;
    Vec3d at(double t) const { return p + t * r + (0.5 * t * t) * s; }
    Vec3d rate(double t) const { return r + t * s; }
};

}  // namespace

TEST_CASE("angular velocity and acceleration are those of the rotation") {
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const double angle = trial % 3 == 0 ? std::pow(10, random.uniform(-9, -1)) : random.uniform(0, 3.1);
        const Path path{angle * random_direction(random), random_vec(random, 2), random_vec(random, 3)};
        const double h = 1e-4;
        CAPTURE(angle);
        // Central differences: their error is h² times the third derivative, some 30 here.
        const Vec3d velocity =
            (1 / (2 * h)) * rotation_log(conjugate(rotation_exp(path.at(-h))) * rotation_exp(path.at(h)));
        const Vec3d found = angular_velocity(path.p, path.r);
        CHECK(largest(found - velocity) < 1e-6);
        const Vec3d acceleration = (1 / (2 * h)) * (angular_velocity(path.at(h), path.rate(h)) -
                                                    angular_velocity(path.at(-h), path.rate(-h)));
        CHECK(largest(angular_acceleration(path.p, path.r, path.s) - acceleration) < 1e-6);
        CHECK(largest(rotation_vector_rate(path.p, found) - path.r) < 1e-12);
    }
}

// The series of small angles and the closed forms meet at 0.3 rad.
TEST_CASE("factors are continuous where the series ends") {
    for (const double side : {-1.0, 1.0}) {
        const long double x = 0.3L * (1 + side * 1e-12L), s = std::sin(x), c = std::cos(x);
        const Vec3d phi{static_cast<double>(x), 0, 0};
        const detail::RotationFactors f = detail::rotation_factors(phi);
        CHECK(f.a == doctest::Approx(static_cast<double>((1 - c) / (x * x))).epsilon(1e-13));
        CHECK(f.b == doctest::Approx(static_cast<double>((x - s) / (x * x * x))).epsilon(1e-13));
        CHECK(rotation_vector_curvature(dot(phi, phi)) ==
              doctest::Approx(static_cast<double>((1 - x / 2 / std::tan(x / 2)) / (x * x))).epsilon(1e-13));
        CHECK(f.a_rate ==
              doctest::Approx(static_cast<double>((x * s - 2 * (1 - c)) / (x * x * x * x))).epsilon(1e-10));
        CHECK(f.b_rate == doctest::Approx(static_cast<double>((3 * s - 2 * x - x * c) / (x * x * x * x * x)))
                              .epsilon(1e-9));
    }
}

// c and c' as sums of partial fractions in long double, with the tail by its integral.
TEST_CASE("curvature and its rate are right from zero to 2π") {
    const long double whole =
        4 * 3.14159265358979323846264338327950288L * 3.14159265358979323846264338327950288L;
    for (const double angle :
         {0.0, 1e-8, 1e-3, 0.2, 0.2999, 0.3001, 0.9, 0.9999, 1.0001, 2.0, 3.1, 4.0, 6.0}) {
        const long double z = static_cast<long double>(angle) * angle;
        long double c = 0, rate = 0;
        const int terms = 200000;
        for (int n = terms; n >= 1; --n) {
            const long double part = 1 / (whole * n * n - z);
            c += 2 * part;
            rate += 4 * part * part;
        }
        c += 2 / (whole * (terms + 0.5L));
        CAPTURE(angle);
        CHECK(rotation_vector_curvature(angle * angle) ==
              doctest::Approx(static_cast<double>(c)).epsilon(1e-13));
        CHECK(rotation_vector_curvature_rate(angle * angle) ==
              doctest::Approx(static_cast<double>(rate)).epsilon(3e-13));
    }
}
