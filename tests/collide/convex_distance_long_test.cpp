// 10⁵ random pairs of convex shapes, each proved as in convex_distance_test.cpp, with a search for a
// shorter way out of every overlap. Prints the largest errors per pair: the table of
// docs/collision-convex.md.

#include "shapes/shape_mass.h"
#include "support/convex_cases.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace lig;
using namespace lig::test;
using namespace lig::collide;

TEST_CASE("convex distance: 10⁵ random cases") {
    constexpr int cases_per_pair = 4800;  // of 21 pairs
    for (const ShapeType type_a : convex_types)
        for (const ShapeType type_b : convex_types) {
            if (type_a > type_b) continue;
            Random random(5000 + 10 * static_cast<int>(type_a) + static_cast<int>(type_b));
            ConvexErrors most;
            int overlapping = 0;
            for (int k = 0; k < cases_per_pair; ++k) {
                const ConvexCase c = random_case(random, type_a, type_b, k % 2 == 1);
                const ClosestPoints found = convex_distance(c.placed_a(), c.placed_b());
                const ConvexErrors e = errors_of(c, found, random, 200, 4);
                most.separation = std::max(most.separation, e.separation);
                most.witness = std::max(most.witness, e.witness);
                most.missed = std::max(most.missed, e.missed);
                most.along = std::max(most.along, e.along);
                overlapping += e.overlapping;
            }
            fmt::print("{:9} {:9}  overlapping {:4}  separation {:.0e}  witness {:.0e}  missed {:.0e}\n",
                       shape_name(type_a), shape_name(type_b), overlapping, most.separation, most.witness,
                       most.missed);
            CHECK(overlapping > cases_per_pair / 8);
            CHECK(most.along < 1e-14);
            CHECK(most.separation < 2e-9);
            CHECK(most.witness < 1e-6);
            CHECK(most.missed < 1e-8);
        }
}
