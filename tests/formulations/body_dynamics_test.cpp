// Accelerations in body coordinates against the articulated-body method, which shares neither coordinates nor
// factorization with it.

#include "formulations/multiplier/body_dynamics.h"

#include "support/random_loops.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

struct Compared {
    double difference = 0, size = 0, residual = 0;
    int redundant = 0;
};

Compared compare(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                 SmoothDynamics& inputs) {
    multiplier::BodyDynamics bodies(model, LoopMethod::direct);
    std::vector<double> qacc(model->nv);
    const auto solved = bodies.accelerate(inputs, state, qacc);
    REQUIRE(solved.bad_link == -1);
    const std::span<const double> expected = inputs.accelerate(state);
    Compared out{0, 0, solved.residual, solved.redundant_rows};
    for (int k = 0; k < model->nv; ++k) {
        out.difference = std::max(out.difference, std::abs(qacc[k] - expected[k]));
        out.size = std::max(out.size, std::abs(expected[k]));
    }
    return out;
}

}  // namespace

TEST_CASE("body dynamics: accelerations of random trees are those of the articulated-body method") {
    Random random(71);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        TreeShape shape;
        shape.bodies = 1 + random_index(random, 25);
        shape.springs = trial % 2 == 0;
        shape.kinematic = trial % 3;
        const auto model = compile(random_scene(random, shape));
        const JointState<double> state = random_state(random, *model);
        SmoothDynamics inputs(model);
        for (double& x : inputs.qfrc_applied) x = random.uniform(-3, 3);
        for (std::size_t b = 1; b < model->bodies.size(); ++b)
            if (trial % 4 == 1) inputs.xfrc_applied[b] = {random_vec(random, 2), random_vec(random, 2)};
        const Compared c = compare(model, state, inputs);
        CAPTURE(c.difference / c.size);
        // Some compound joints are nearly singular: accelerations of 10⁶ lose four digits.
        CHECK(c.difference <= 1e-9 * (1 + c.size));
        CHECK(c.redundant == 0);
    }
}

TEST_CASE("body dynamics: with loops and couplings as nodes, accelerations are those of reduced") {
    Random random(72);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        TreeShape shape;
        shape.bodies = 4 + random_index(random, 15);
        shape.compound = trial % 2 ? 0.3 : 0;
        shape.kinematic = trial % 3;
        Scene scene = random_scene(random, shape);
        const JointType kinds[] = {JointType::ball, JointType::hinge, JointType::universal, JointType::cylindrical,
                                   JointType::planar};
        const int wanted = 1 + random_index(random, 2);
        for (int k = 0; k < wanted; ++k)
            add_random_loop(random, scene, kinds[random_index(random, 5)], "loop" + std::to_string(k));
        std::vector<int> ones;
        for (std::size_t j = 0; j < scene.joints().size(); ++j)
            if (joints::joint_info(scene.joints()[j].spec.type).nq == 1) ones.push_back(static_cast<int>(j));
        if (ones.size() > 1)
            scene.add_coupling({.name = "gear",
                                .follower = {ones[0]},
                                .leader = {ones[1]},
                                .coefficients = {0.1, 2, -0.3, 0.2, 0}});
        const auto model = compile(scene);
        const JointState<double> state = random_state(random, *model, 1, 1);
        SmoothDynamics inputs(model);
        const Compared c = compare(model, state, inputs);
        CHECK(inputs.redundant_rows == c.redundant);
        CAPTURE(c.difference / c.size);
        CAPTURE(inputs.smallest_sine);
        // Loops that are open at random contradict each other where their rows are redundant: which of them to
        // believe is then a choice.
        if (c.redundant == 0 && inputs.smallest_sine > 1e-3) CHECK(c.difference <= 1e-9 * (1 + c.size) / inputs.smallest_sine);
    }
}
