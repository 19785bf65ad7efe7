// Penalties are as stiff as what hangs on them asks for, by whatever it hangs.

#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

#include <fmt/format.h>

#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const double static_depth = gravity / std::pow(2 * std::numbers::pi * 100, 2);

SimulationOptions quiet() {
    SimulationOptions options = implicit_options();
    options.touching = Touching::penalty;
    options.implicit.penalty_dissipation = 30;
    return options;
}

double deepest_of(const std::string& text, double dt) {
    Simulation sim(model_of(text), quiet());
    double deepest = 0;
    run(sim, 1, dt, [&](const StepReport& report) { deepest = std::max(deepest, report.penetration); });
    return deepest;
}

}  // namespace

// A rod of 1 kg lies on two blocks, and a ton hangs on it. It rests on the 8 corners, 4 or 2 points; the fall
// onto the springs goes twice as deep as rest at most.
TEST_CASE("implicit penalties: a rod with a load that hangs on it sinks in as little as one that is heavy") {
    const std::pair<const char*, std::string> rods[] = {
        {"box", "<geom type='box' size='1.2 .1 .05' mass='1'/>"},
        {"capsule", "<geom type='capsule' fromto='-1.2 0 0 1.2 0 0' size='.05' mass='1'/>"},
        {"cylinder", "<geom type='cylinder' fromto='-1.2 0 0 1.2 0 0' size='.05' mass='1'/>"},
        {"balls",
         "<geom type='sphere' pos='-1 0 0' size='.05' mass='.5'/>"
         "<geom type='sphere' pos='1 0 0' size='.05' mass='.5'/>"},
        {"ellipsoids",
         "<geom type='ellipsoid' pos='-1 0 0' size='.1 .08 .05' mass='.5'/>"
         "<geom type='ellipsoid' pos='1 0 0' size='.1 .08 .05' mass='.5'/>"},
        {"hull", "<geom type='mesh' mesh='bar' mass='1'/>"},
    };
    const std::pair<const char*, std::string> ways[] = {
        {"loop", "<equality><connect body1='rod' body2='load' anchor='0 0 -.5'/></equality>"},
        {"weld", "<equality><weld body1='rod' body2='load'/></equality>"},
        {"string",
         "<tendon><spatial limited='true' range='0 .8'><site site='above'/><site site='below'/>"
         "</spatial></tendon>"},
    };
    for (const auto& [rod, geoms] : rods)
        for (const auto& [way, joined] : ways)
            for (const double dt : {frame, 0.001}) {
                CAPTURE(rod);
                CAPTURE(way);
                CAPTURE(dt);
                const double deepest = deepest_of(
                    fmt::format(
                        "<mujoco><option gravity='0 0 -9.81'/><asset><mesh name='bar' vertex='-1.2 -.1 -.05 "
                        "1.2 -.1 -.05 -1.2 .1 -.05 1.2 .1 -.05 -1.2 -.1 .05 1.2 -.1 .05 -1.2 .1 .05 1.2 .1 "
                        ".05'/></asset><worldbody><geom type='box' pos='-1 0 -.1' size='.5 .5 .05'/>"
                        "<geom type='box' pos='1 0 -.1' size='.5 .5 .05'/>"
                        "<body name='rod'><freejoint/>{}<site name='above'/></body>"
                        "<body name='load' pos='0 0 -1'><freejoint/><geom type='box' size='.2 .2 .2' "
                        "mass='1000'/><site name='below' pos='0 0 .2'/></body></worldbody>{}</mujoco>",
                        geoms, joined),
                    dt);
                CHECK(deepest > 0);
                CHECK(deepest < 2 * static_depth);
            }
}

// A light arm leans on its limit with a ton at its end, by a joint or by a loop; and as one of two branches
// that a loop closes, the other one of which has the load.
TEST_CASE(
    "implicit penalties: a limit with a load that hangs on it gives way as little as one that is heavy") {
    const std::string arm =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body><joint name='limit' "
        "axis='0 1 0' limited='true' range='-1 0'/><inertial pos='.5 0 0' mass='1' diaginertia='.1 .1 .1'/>";
    const std::string load = "<inertial pos='0 0 0' mass='1000' diaginertia='1 1 1'/>";
    const std::pair<const char*, std::string> ways[] = {
        {"joint",
         arm + "<body pos='1 0 0'><joint type='ball'/>" + load + "</body></body></worldbody></mujoco>"},
        {"loop", arm + "<body name='tip' pos='1 0 0'/></body><body name='load' pos='1 0 0'><freejoint/>" +
                     load +
                     "</body></worldbody><equality><connect body1='tip' body2='load' anchor='0 0 0'/>"
                     "</equality></mujoco>"},
    };
    for (const auto& [way, text] : ways)
        for (const double dt : {frame, 0.001}) {
            CAPTURE(way);
            CAPTURE(dt);
            Simulation sim(model_of(text), quiet());
            double most = 0;
            run(sim, 1, dt, [&](const StepReport& report) { most = std::max(most, report.limit_violation); });
            // A ton at 1 m.
            CHECK(most > 0.9 * static_depth);
            CHECK(most < 2 * static_depth);
        }
    // Both branches are on one base that a hinge turns. The load is on the other one, which slides.
    Simulation sim(
        model_of("<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>"
                 "<body name='base'><joint name='turns' axis='0 0 1'/>"
                 "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>"
                 "<body name='leans'><joint axis='0 1 0' limited='true' range='-1 0'/>"
                 "<inertial pos='.5 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
                 "<body name='other'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
                 "<inertial pos='1 0 0' mass='1000' diaginertia='1 1 1'/></body></body></worldbody>"
                 "<equality><connect body1='leans' body2='other' anchor='1 0 0'/></equality></mujoco>"),
        quiet());
    double most = 0;
    run(sim, 1, frame, [&](const StepReport& report) { most = std::max(most, report.limit_violation); });
    CHECK(most > 0.9 * static_depth);
    CHECK(most < 2 * static_depth);
}
