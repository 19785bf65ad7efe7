// Contacts behind velocity steps, by the bodies as they are there: closing loops does not press bodies into
// each other, and what turns onto something within a step is seen. Depth is measured from states alone.

#include "support/passive_run.h"
#include "support/random_model.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// 4 kg of rope between two pins 4.9 m apart, and 40 kg on two feet that fall on it.
std::string loaded_rope() {
    constexpr int links = 20;
    std::string text = R"(<mujoco><compiler angle="radian"/><worldbody>)";
    for (int k = 0; k < links; ++k) {
        const std::string name = "r" + std::to_string(k);
        text += "<body name=\"" + name + "\" " +
                (k == 0 ? R"(pos="-2.45 0 3" euler="0 0.33049458 0">)"
                        : R"(pos="0.25 0 0" euler="0 -0.034788903 0">)");
        text += R"(<joint type="ball" damping=".05"/>
            <geom type="capsule" fromto="0 0 0 0.25 0 0" size=".02" mass=".2" friction=".5"/>)";
    }
    for (int k = 0; k < links; ++k) text += "</body>";
    text += R"(<body name="weight" pos="0.1 0 3.2"><freejoint/>
        <geom type="capsule" fromto="0 -.12 -.15 0 -.12 .15" size=".03" mass="15"/>
        <geom type="capsule" fromto="0 .12 -.15 0 .12 .15" size=".03" mass="15"/>
        <geom type="box" pos="0 0 .2" size=".1 .15 .05" mass="10"/></body></worldbody><contact>)";
    for (int k = 1; k < links; ++k)
        text += "<exclude body1=\"r" + std::to_string(k - 1) + "\" body2=\"r" + std::to_string(k) + "\"/>";
    return text + R"(</contact><equality><connect body1="r19" anchor="0.25 0 0"/></equality></mujoco>)";
}

}  // namespace

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
