// Planar bodies and particles in the model: links with joints of their own.

#include "bodies/body_list.h"
#include "model/coordinate_names.h"
#include "model/support_scene.h"
#include "support/random_values.h"

#include <ligament/dynamics.h>
#include <ligament/state.h>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double mass = 2.5;
const Vec3d com{0.2, -0.1, 0.3};
const Sym3d inertia{0.4, 0.5, 0.3, 0.02, -0.03, 0.01};

// A body of each kind, in an arbitrary pose, beside one on a hinge.
struct Kinds {
    Scene scene;
    Pose pose{{1, 2, 3}, {0.5, -0.3, 0.7, 0.4}};
    std::shared_ptr<const Model> model;

    Kinds() {
        scene.add_joint(scene.add_body(world, body_named("arm")), {.name = "elbow"});
        const InertialSpec inertial{mass, {com}, inertia, {}};
        scene.add_body(world,
                       {.name = "bead", .pose = pose, .inertial = inertial, .kind = BodyKind::particle});
        scene.add_body(world, {.name = "flat", .pose = pose, .inertial = inertial, .kind = BodyKind::planar});
        model = compile(scene);
    }
};

// Right-handed about +y: z turns towards x.
Mat3d turned_about_y(double angle) {
    const double s = std::sin(angle), c = std::cos(angle);
    return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}

}  // namespace

TEST_CASE("kinds: bodies have a link and joints of their own") {
    const Kinds kinds;
    const Model& model = *kinds.model;
    CHECK(model.nq == 7);
    CHECK(model.nv == 7);
    CHECK(model.tree.links.size() == 3);
    CHECK(model.bodies[2].link == 1);
    CHECK(model.bodies[3].link == 2);
    const std::vector<std::string> names{"elbow", "bead.x", "bead.y", "bead.z",
                                         "flat.x", "flat.z", "flat.angle"};
    CHECK(joint_names(model) == names);
    for (int j = 0; j < 7; ++j) {
        CHECK(model.joints[j].scene_joint == (j == 0 ? 0 : -1));
        CHECK(coordinate_names(model.joints[j].type, names[j]) == std::vector{names[j]});
        CHECK(model.find_joint(names[j]) == j);
    }
    CHECK(model.bodies[3].joint_begin == 4);
    CHECK(model.bodies[3].joint_count == 3);
    // Where they are in the world; angles count from the reference.
    CHECK(model.q0 == std::vector<double>{0, 1, 2, 3, 1, 3, 0});
    CHECK(model.q_spring == model.q0);
}

TEST_CASE("kinds: poses and velocities by the coordinates") {
    const Kinds kinds;
    Workspace<double> ws(kinds.model);
    JointState<double> state(*kinds.model);
    const Mat3d R0 = kinds.model->bodies[2].X_WB0.R;
    forward_kinematics(state, ws);
    for (const int body : {2, 3}) {
        const Transformd X = body_pose(ws, body);
        CHECK(largest(X.R - R0) < 1e-15);
        CHECK(largest(X.p - Vec3d{1, 2, 3}) < 1e-15);
    }
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
        for (double& x : state.q) x = random.uniform(-4, 4);
        for (double& x : state.v) x = random.uniform(-4, 4);
        forward_kinematics(state, ws);
        const double* q = state.q.data();
        const double* v = state.v.data();
        const Transformd bead = body_pose(ws, 2), flat = body_pose(ws, 3);
        CHECK(largest(bead.R - R0) < 1e-15);
        CHECK(largest(bead.p - Vec3d{q[1], q[2], q[3]}) < 4e-15);
        CHECK(largest(flat.R - turned_about_y(q[6]) * R0) < 1e-15);
        CHECK(largest(flat.p - Vec3d{q[4], 2, q[5]}) < 4e-15);
        // The freedoms of the kinds.
        CHECK(largest(body_velocity(ws, 2) - bodies::Particle::expand(v + 1)) < 4e-15);
        CHECK(largest(body_velocity(ws, 3) - bodies::Planar::expand(v + 4)) < 4e-15);
    }
}

TEST_CASE("kinds: inertia against the coordinates") {
    const Kinds kinds;
    const Model& model = *kinds.model;
    Workspace<double> ws(kinds.model);
    JointState<double> state(model);
    state.q[6] = 0.7;
    std::vector<double> M(49);
    mass_matrix<double>(state, ws, M);
    const Mat3d R = turned_about_y(0.7) * model.bodies[3].X_WB0.R;
    const Vec3d c = R * com;
    const double Iyy = rotate(R, inertia).yy;
    // The centre of mass moves with (ẋ + ω c_z, ż − ω c_x).
    const double flat[3][3] = {{mass, 0, mass * c.z},
                               {0, mass, -mass * c.x},
                               {mass * c.z, -mass * c.x, Iyy + mass * (c.x * c.x + c.z * c.z)}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            CHECK(std::abs(M[(1 + i) * 7 + 1 + j] - (i == j ? mass : 0)) < 1e-14);
            CHECK(std::abs(M[(4 + i) * 7 + 4 + j] - flat[i][j]) < 1e-14);
            CHECK(M[(1 + i) * 7 + 4 + j] == 0);
        }
}

TEST_CASE("kinds: bodies on them, and bodies without names") {
    Scene scene;
    const BodyId flat =
        scene.add_body(world, {.inertial = unit_inertial(), .kind = BodyKind::planar});
    scene.add_body(flat, body_named("fixed on it", {1, 0, 0}));
    const BodyId arm = scene.add_body(flat, body_named("arm", {0, 0, 1}));
    scene.add_joint(arm, {.name = "body1.z"});
    const Compiled result(scene);
    REQUIRE(result.model);
    CHECK(result.log.all().empty());
    const Model& model = *result.model;
    CHECK(model.nv == 4);
    CHECK(model.bodies[2].link == 0);
    CHECK(model.tree.links[model.bodies[3].link].parent == 0);
    CHECK(joint_names(model) == std::vector<std::string>{"body1.x", "body1.z_", "body1.angle", "body1.z"});
}

TEST_CASE("kinds: keyframes count their coordinates in the order of the bodies") {
    Kinds kinds;
    kinds.scene.add_keyframe({.name = "key", .qpos = {0.1, 4, 5, 6, 7, 8, 0.9}});
    const auto model = compile(kinds.scene);
    const JointState<double> state = keyframe_state(*model, 0);
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    CHECK(largest(body_pose(ws, 2).p - Vec3d{4, 5, 6}) < 2e-15);
    CHECK(largest(body_pose(ws, 3).p - Vec3d{7, 2, 8}) < 2e-15);
    kinds.scene.add_keyframe({.name = "long", .qpos = {0.1, 4, 5, 6, 7, 8, 0.9, 1}});
    check_diagnosed(kinds.scene, "E047", "'long'");
}
