// Joints of several freedoms against the same mechanism of single freedoms with massless bodies between them.

#include "support/decompose.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

struct Comparison {
    double acceleration_error;  // relative to the largest acceleration
    double pose_error, velocity_error;
};

Comparison compare(Random& random, const Scene& scene) {
    const auto model = compile(scene);
    const JointState<double> state = random_state(random, *model);
    const Decomposition parts = Decomposer(scene, *model, state).run();
    const auto other_model = compile(parts.scene);
    REQUIRE(other_model->nv == model->nv);
    for (const TreeLink<double>& link : other_model->tree.links) REQUIRE(link.nv == 1);

    // The decomposed joints in the order of their model.
    std::vector<int> place(parts.scene.joints().size());
    JointState<double> other(*other_model);
    for (std::size_t j = 0; j < other_model->joints.size(); ++j) {
        const int scene_joint = other_model->joints[j].scene_joint;
        place[scene_joint] = other_model->joints[j].v_adr;
        other.q[other_model->joints[j].q_adr] = parts.q[scene_joint];
        other.v[other_model->joints[j].v_adr] = parts.v[scene_joint];
    }
    other.kinematic = state.kinematic;

    const std::vector<double> tau = random_numbers(random, model->nv, 5);
    std::vector<double> other_tau(model->nv), qacc(model->nv), other_qacc(model->nv), expected(model->nv);
    for (int k = 0; k < model->nv; ++k) other_tau[place[parts.dof[k]]] = tau[k];
    Workspace<double> ws(model), other_ws(other_model);
    forward_dynamics<double>(state, tau, ws, qacc);
    forward_dynamics<double>(other, other_tau, other_ws, other_qacc);
    for (int k = 0; k < model->nv; ++k) expected[k] = other_qacc[place[parts.dof[k]]] + parts.extra[k];

    Comparison out{largest_difference(qacc, expected) / std::max(1.0, largest(expected)), 0, 0};
    forward_kinematics(state, ws);
    forward_kinematics(other, other_ws);
    for (std::size_t b = 1; b < scene.bodies().size(); ++b) {
        const int mine = model->find_body(scene.bodies()[b].spec.name);
        const int theirs = other_model->find_body(scene.bodies()[b].spec.name);
        REQUIRE(mine > 0);
        REQUIRE(theirs > 0);
        const Transformd X = body_pose(ws, mine), Y = body_pose(other_ws, theirs);
        out.pose_error = std::max({out.pose_error, largest(X.p - Y.p), largest(X.R - Y.R)});
        out.velocity_error =
            std::max(out.velocity_error, largest(body_velocity(ws, mine) - body_velocity(other_ws, theirs)));
    }
    return out;
}

}  // namespace

TEST_CASE(
    "dynamics: one body on every kind of joint moves as on single freedoms with massless bodies between") {
    for (const joints::JointInfo& info : joints::joint_list) {
        CAPTURE(std::string(info.name));
        Random random(51 + int(info.type));
        TreeShape shape;
        shape.armature = 0;
        for (int trial = 0; trial < 20; ++trial) {
            Scene scene("one");
            const BodyId body =
                scene.add_body(world, {.name = "b",
                                       .pose = {random_vec(random, 0.4), random_rotation(random)},
                                       .inertial = random_inertial(random)});
            scene.add_joint(body, random_joint(random, info.type, shape, "j"));
            const Comparison result = compare(random, scene);
            // Rounding of a few operations; the inertias are well conditioned.
            CHECK(result.acceleration_error < 1e-12);
            CHECK(result.pose_error < 1e-14);
            CHECK(result.velocity_error < 1e-14);
        }
    }
}

TEST_CASE(
    "dynamics: random trees with compound joints move as on single freedoms with massless bodies between") {
    Random random(52);
    for (int tree = 0; tree < 60; ++tree) {
        CAPTURE(tree);
        TreeShape shape;
        shape.bodies = 1 + tree % 20;
        shape.compound = 0.5;
        shape.kinematic = tree % 3;
        // Rotor inertia on a ball acts on ω̇, on the three hinges on the second derivatives of the angles.
        shape.armature_on_quaternions = false;
        const Comparison result = compare(random, random_scene(random, shape));
        // Relative to the largest acceleration of the tree. Compound joints at a random configuration may be
        // far from orthogonal, which costs up to four digits in either way of computing.
        CHECK(result.acceleration_error < 1e-10);
        CHECK(result.pose_error < 1e-13);
        CHECK(result.velocity_error < 1e-13);
    }
}
