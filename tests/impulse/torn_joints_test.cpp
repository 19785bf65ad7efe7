// What sequential impulses cannot hold is said, and what they can is not spoken of.

#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace lig;

namespace {

// Twenty links of 1 kg and 0.2 m, horizontal, with a ball of this mass at the end.
std::shared_ptr<const Model> chain(double mass) {
    Scene scene("chain");
    BodyId last = world;
    for (int k = 0; k < 20; ++k) {
        const std::string number = std::to_string(k);
        last = scene.add_body(last, {.name = "link" + number, .pose = {.pos = {k == 0 ? 0.0 : 0.2, 0, 0}}});
        scene.add_joint(last, {.name = "joint" + number, .type = JointType::ball});
        scene.add_geom(
            last, {.shape = ShapeType::capsule,
                   .pose = {.pos = {0.1, 0, 0}, .quat = {0.70710678118654757, 0, 0.70710678118654757, 0}},
                   .size = {0.02, 0.08, 0},
                   .mass = 1,
                   .collides = false});
    }
    scene.add_geom(last, {.shape = ShapeType::sphere,
                          .pose = {.pos = {0.2, 0, 0}},
                          .size = {0.1, 0, 0},
                          .mass = mass,
                          .collides = false});
    return compile(scene);
}

struct Found {
    double gap = 0;
    StepReport trouble;
};

Found swing(double mass, int sweeps = 0) {
    SimulationOptions options;
    options.formulation = "impulse";
    options.iterations = sweeps;
    Simulation sim(chain(mass), options);
    Found found;
    for (int k = 0; k < 120; ++k) {
        const StepReport report = sim.step(1.0 / 60);
        found.gap = std::max(found.gap, report.joint_error);
        if (report.status != StepStatus::ok && found.trouble.status == StepStatus::ok) found.trouble = report;
    }
    return found;
}

}  // namespace

TEST_CASE("impulse: sweeps alone do not hold a hundred thousand times the mass of a link, and that is said") {
    const Found found = swing(1e5, 1);
    REQUIRE(found.trouble.status == StepStatus::not_converged);
    CHECK(was_taken(found.trouble));
    CHECK(found.trouble.where.starts_with("joint 'joint"));
    CHECK(found.trouble.where.find("is not held: its bodies are apart by") != std::string::npos);
    CHECK(found.gap > 0.02);  // which is promised; by axes of the world, of which one is enough to be said
}

TEST_CASE("impulse: a chain that carries a hundred thousand times the mass of a link holds") {
    const Found found = swing(1e5);
    CHECK(found.trouble.where == "");
    CHECK(found.gap < 1e-4);
}

TEST_CASE("impulse: a chain with a ball of its own mass holds") {
    const Found found = swing(1);
    CHECK(found.trouble.where == "");
    CHECK(found.gap < 0.02);
}
