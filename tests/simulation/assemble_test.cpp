// Poses in which loops close, found from poses in which they do not.

#include "support/random_loops.h"
#include "support/reference_problems.h"

#include <ligament/assemble.h>
#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// All loops by their residuals, which the search does not use.
double largest_residual(const std::shared_ptr<const Model>& model, const JointState<double>& state) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    double most = 0;
    for (int k = 0; k < static_cast<int>(model->loops.size()); ++k) {
        std::vector<double> C(model->loops[k].rows);
        loop_residual(ws, k, C);
        most = std::max(most, largest(C));
    }
    return most;
}

}  // namespace

TEST_CASE("random trees whose loops close somewhere are assembled from elsewhere") {
    Random random(41);
    int runs = 0, near = 0, regulars = 0;
    for (const joints::JointInfo& info : joints::joint_list) {
        if (info.type == JointType::free) continue;
        for (int run = 0; run < 8; ++run) {
            CAPTURE(info.name);
            CAPTURE(run);
            const Scene tree = random_scene(random, {.bodies = 8, .chain = 0.9});
            Scene scene = tree;
            if (!add_random_loop(random, scene, info.type, "loop")) continue;
            // Frame M is put where the loop is closed in some other pose.
            LoopSpec loop = scene.loops()[0];
            const auto open = compile(tree);
            const JointState<double> there = random_state(random, *open, 1, 0);
            Workspace<double> ws(open);
            forward_kinematics(there, ws);
            const auto pose = [&](BodyId body) {
                return body_pose(ws, open->find_body(tree.bodies()[body.index].spec.name));
            };
            const Transformd X_AF{rotation_matrix(loop.frame_a.quat), loop.frame_a.pos};
            const Transformd X_BM = pose(loop.body_b).inverse() * (pose(loop.body_a) * X_AF);
            loop.frame_b = {X_BM.p, quaternion(X_BM.R)};
            Scene made = tree;
            made.add_loop(loop);
            const auto model = compile(made);
            REQUIRE(largest_residual(model, there) < 1e-14);

            JointState<double> state(*model);
            for (double& v : state.v) v = random.uniform(-1, 1);
            const AssembleReport report = assemble(model, state);
            ++runs;
            near += report.starts == 1;
            CHECK(report.closed);
            // Where the tree leaves fewer freedoms than there are rows, the pose may be a double root, which
            // is found to half of the digits.
            SmoothDynamics dynamics(model);
            dynamics.accelerate(state);
            const bool regular = dynamics.redundant_rows == 0;
            regulars += regular;
            CHECK(largest_residual(model, state) < (regular ? 1e-12 : 1e-6));
            if (regular) CHECK(dynamics.close_equalities(state).iterations == 0);
        }
    }
    CHECK(runs > 40);
    CHECK(near > runs / 2);
    CHECK(regulars > runs / 2);
}

TEST_CASE("mechanisms are put together from their parts, several loops at once") {
    const Andrews andrews;
    const auto model = andrews.model();
    JointState<double> state(*model);  // all angles 0: far from closed
    const AssembleReport report = assemble(model, state);
    CHECK(report.closed);
    CHECK(largest_residual(model, state) < 1e-14);
    // The same again.
    JointState<double> again(*model);
    assemble(model, again);
    CHECK(largest_difference(again.q, state.q) == 0);

    const auto bars = reference_four_bars(6);
    JointState<double> bent(*bars);
    Random random(42);
    for (double& q : bent.q) q = random.uniform(-0.7, 0.7);
    CHECK(assemble(bars, bent).closed);
    CHECK(largest_residual(bars, bent) < 1e-13);
}

TEST_CASE("couplings are part of it, and states of other models are not") {
    Scene scene;
    JointId joints[2];
    for (int k = 0; k < 2; ++k) {
        const BodyId body =
            scene.add_body(world, {.name = "b" + std::to_string(k), .inertial = rod_mass(1, {0, 0, -1})});
        joints[k] = scene.add_joint(body, {.name = "j" + std::to_string(k), .axis = {0, 1, 0}});
    }
    scene.add_coupling(
        {.name = "gear", .follower = joints[1], .leader = joints[0], .coefficients = {1, 2, 0, 0, 0}});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.v = {1, 0};
    CHECK(assemble(model, state).closed);
    CHECK(std::abs(state.q[1] - 1 - 2 * state.q[0]) < 1e-14);
    CHECK(std::abs(state.v[1] - 2 * state.v[0]) < 1e-14);
    // Equal inertias: the least change of (0, 0) onto 2 x − y + 1 = 0.
    CHECK(state.q[0] == doctest::Approx(-0.4).epsilon(1e-9));
    JointState<double> other(*reference_pendulum());
    CHECK_THROWS_AS(assemble(model, other), std::invalid_argument);
}
