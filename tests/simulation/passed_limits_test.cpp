// Limits that bend, of light links under a heavy load: what a step passes them by is put back.

#include "constraints/limit_rows.h"
#include "simulation/limit_closure.h"
#include "support/passive_run.h"
#include "support/random_model.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// A thin rod on a ball joint with a cone, and a load of 1,000 times its mass on a ball joint at its end.
std::shared_ptr<const Model> loaded_rod() {
    Scene scene;
    const BodyId rod = scene.add_body(world, {.name = "rod"});
    scene.add_joint(rod, {.name = "top", .type = JointType::ball, .cone = 0.5});
    scene.add_geom(rod, {.shape = ShapeType::capsule,
                         .pose = {.pos = {0, 0, -0.1}},
                         .size = {0.005, 0.09, 0},
                         .mass = 0.1});
    const BodyId load = scene.add_body(rod, {.name = "load", .pose = {.pos = {0, 0, -0.2}}});
    scene.add_joint(load, {.name = "hook", .type = JointType::ball});
    scene.add_geom(load, {.shape = ShapeType::sphere,
                          .pose = {.pos = {0, 0, -0.1}},
                          .size = {0.08, 0, 0},
                          .mass = 100});
    return compile(scene);
}

}  // namespace

// The rod is turned by more about its own axis, which takes next to no inertia: the tangent of the cone leads
// along its circle there.
TEST_CASE("limits are put back where the joint would rather turn along them") {
    const std::shared_ptr<const Model> model = loaded_rod();
    Workspace<double> ws(model);
    DriveWorkspace<double> drives(*model);
    LimitClosure closure(*model);
    JointState<double> state(*model);
    const double angle = 0.51;
    const Vec3d axis = (1 / std::sqrt(1.09)) * Vec3d{1, 0, 0.3};
    for (int k = 0; k < 3; ++k) state.q[1 + k] = std::sin(angle / 2) * axis[k];
    state.q[0] = std::cos(angle / 2);
    closure.limits = {{0, -1, LimitSlots::cone, -0.001}};
    REQUIRE(closure.close(state, ws, drives));
    CHECK(2 * std::acos(state.q[0]) == doctest::Approx(0.501).epsilon(1e-9));
    // The load, far heavier than all that turns, has hardly moved.
    CHECK(std::abs(state.q[4]) > 0.999);
}

// Chains of light links with cones that carry a load. Before limits were put back they passed them by up to
// 0.15 rad, in steps of any length.
TEST_CASE("random scenes of loaded chains with cones keep their limits") {
    for (const int seed : {225, 358, 695, 1225}) {
        const std::shared_ptr<const Model> model = random_model(seed);
        for (const char* formulation : {"reduced", "multiplier"}) {
            const PassiveRun run = run_passive(model, {.formulation = formulation}, 1.0 / 240, 1.5);
            INFO("seed ", seed, ", ", formulation, ", limits passed by ", run.limit, ": ", run.where);
            CHECK(name_of(run.verdict) == std::string("true"));
            CHECK(run.limit < 0.01);
        }
    }
}
