#include "core/unit_quaternion.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace lig;
using namespace lig::test;

namespace {

bool same_bits(const Quatd& a, const Quatd& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("unit_quaternion: the direction stays, the length becomes 1") {
    const Quatd q = unit_quaternion({3, 0, 4, 0});
    CHECK(q.w == doctest::Approx(0.6).epsilon(1e-15));
    CHECK(q.y == doctest::Approx(0.8).epsilon(1e-15));
    // Neither overflow nor underflow on the way.
    for (const double size : {1e-300, 1e-160, 1e160, 1e300}) {
        CAPTURE(size);
        const Quatd p = unit_quaternion({size, -size, size, size});
        CHECK(p.w == 0.5);
        CHECK(p.x == -0.5);
    }
}

TEST_CASE("unit_quaternion: twice is once, and rounding is left alone") {
    Random random(7);
    for (int k = 0; k < 100'000; ++k) {
        const double size = std::exp(random.uniform(-20, 20));
        const Quatd q{size * random.uniform(-1, 1), size * random.uniform(-1, 1),
                      size * random.uniform(-1, 1), size * random.uniform(-1, 1)};
        const Quatd once = unit_quaternion(q);
        REQUIRE(std::abs(dot(once, once) - 1) < 1.5e-15);
        REQUIRE(same_bits(unit_quaternion(once), once));
        // A product of two still has unit length to rounding.
        const Quatd product = once * unit_quaternion({q.x, q.y, q.z, q.w});
        REQUIRE(std::abs(dot(unit_quaternion(product), unit_quaternion(product)) - 1) <= 2e-15);
    }
}
