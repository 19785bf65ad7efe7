// Contacts behind velocity steps, by the bodies as they are there: closing loops does not press bodies into
// each other, and what turns onto something within a step is seen. Depth is measured from states alone.

#include "support/loaded_rope.h"
#include "support/passive_run.h"
#include "support/random_model.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("closing: a weight that falls on a taut rope is not pressed into it") {
    const auto model = model_of(loaded_rope());
    for (const char* formulation : {"reduced", "multiplier"})
        for (const int rate : {60, 240}) {
            CAPTURE(formulation);
            CAPTURE(rate);
            SimulationOptions options;
            options.formulation = formulation;
            const PassiveRun run = run_passive(model, options, 1.0 / rate, 1);
            CHECK(std::string(name_of(run.verdict)) == "true");
            CHECK(run.depth < 1e-3);
            CHECK(run.kinetic > 200);  // it has fallen
        }
}

// Scenes in which rods and boxes turn onto each other: contacts that a step ends with are not those that it
// began with. Without a look at them they got 5 to 12 mm deep.
TEST_CASE("closing: what turns onto something within a step is seen") {
    for (const int seed : {69, 87, 101, 114, 151}) {
        CAPTURE(seed);
        const PassiveRun run = run_passive(random_model(seed), {}, 1.0 / 60, 1.5);
        CHECK(std::string(name_of(run.verdict)) == "true");
        CHECK(run.depth < 2e-3);
    }
}

// Links of a mesh that are pinned end to end touch at their pins. Loops hold such contacts almost entirely:
// to keep them closed to the last digit, impulses of 10¹⁰ N·s were found, and corrections wound up springs by
// 20 J.
TEST_CASE("closing: contacts at pins of loops take no more impulse than they have to") {
    const scenes::Setting setting{"seed", 459};
    const auto model = compile(scenes::generate(scenes::random_scene, {&setting, 1}));
    for (const char* formulation : {"reduced", "multiplier"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        const PassiveRun run = run_passive(model, options, 1e-3, 0.15);
        CHECK(std::string(name_of(run.verdict)) == "true");
        CHECK(run.later_rise < 0.1);
        CHECK(run.guarded == 0);
    }
}
