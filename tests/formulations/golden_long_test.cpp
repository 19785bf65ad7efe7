// Bits of longer runs: every scene of the gallery and fifty random scenes by every formulation with every
// stepping and integrator. Random scenes take few steps, but for the default method: some of the others need
// thousands of sub-steps for each.

#include "support/golden.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("golden: longer trajectories are the same bits as before") {
    GoldenFile golden("long_runs");
    for (const GoldenScene& scene : gallery_scenes())
        for (const GoldenMethod& method : golden_methods(true)) golden.check(scene, method, 8);
    for (int seed = 0; seed < 50; ++seed)
        for (const GoldenMethod& method : golden_methods(true))
            golden.check(random_golden_scene(seed), method, method.is_default() ? 12 : 3);
    golden.finish();
}
