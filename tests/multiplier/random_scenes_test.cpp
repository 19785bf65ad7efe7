// Random scenes whose parts are hard for body coordinates: nets of light links with contacts between them,
// taut ropes, stiff tendons and dampers.

#include "support/passive_run.h"
#include "support/random_model.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

// Contacts between links that loops hold together can move next to nothing, and impulses along them are made
// of rounding: these ended as equality_open, energy_gained or not_converged.
TEST_CASE("multiplier random scenes: nets of links that touch each other are true") {
    for (const int seed : {4, 11, 15, 39})
        for (const int rate : {60, 240}) {
            const PassiveRun run =
                run_passive(random_model(seed), {.formulation = "multiplier"}, 1.0 / rate, 1);
            INFO("seed ", seed, " at ", rate, " Hz, ", run.time, " s: ", run.where);
            CHECK(name_of(run.verdict) == std::string("true"));
        }
}

// Asked for by name, when the guard lets it swing by half of the energy in motion: taut ropes with loads of
// up to 2,000 times a link (0, 22), tethers and tendons on springs (9, 16, 18), dampers (1, 29).
TEST_CASE("multiplier random scenes: RATTLE at 5 ms makes no energy") {
    for (const int seed : {0, 1, 9, 16, 18, 22, 23, 29}) {
        const PassiveRun run = run_passive(random_model(seed),
                                           {.formulation = "multiplier",
                                            .stepping = Stepping::smooth,
                                            .integrator = SmoothIntegrator::rattle},
                                           0.005, 1);
        INFO("seed ", seed, ": ", run.where, ", risen by ", run.later_rise, " J of ", run.kinetic);
        CHECK(run.status == StepStatus::ok);
        CHECK(run.later_rise < 0.03 * run.kinetic);
    }
}
