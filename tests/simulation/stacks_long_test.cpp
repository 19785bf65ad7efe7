// The pyramid of the benchmark scenes, 210 boxes: stands for 10 s in frames of 60 Hz with the default
// options.

#include "scenes/generator_list.h"
#include "support/standing_boxes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("a pyramid of 210 boxes stands") {
    Simulation sim(compile(scenes::generate(scenes::pyramid, {})));
    REQUIRE(sim.model().joints.size() == 210);
    const Standing standing = stand(sim, 10);
    MESSAGE("pyramid of 210: moved by " << 1e3 * standing.moved << " mm, penetration "
                                        << 1e3 * standing.penetration << " mm, kinetic energy "
                                        << standing.kinetic << " J");
    CHECK(standing.moved < 0.05);
    CHECK(standing.penetration < 2e-3);
    CHECK(standing.kinetic < 1);
}
