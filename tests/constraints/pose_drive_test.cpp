// Drives towards a pose: their frequency against the inertia matrix, their limits in closed form, and the sag
// of the benchmark's character, which tells that a frequency means here what it means there.

#include "constraints/pose_drive.h"

#include "support/dense_step.h"
#include "support/held_character.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double unlimited = HUGE_VAL;

struct Driven {
    explicit Driven(std::shared_ptr<const Model> shared)
        : model(std::move(shared)),
          ws(model),
          factor(*model),
          terms(*model),
          warm(*model),
          drive(*model),
          targets(*model),
          x(model->nv) {}

    void set(std::span<const double> pose, double frequency, double damping_ratio, double max_torque) {
        targets.set(*model, pose, {}, frequency, damping_ratio, max_torque, {});
    }

    // Impulses, rows and what is added to the factor; x comes with `start`, zero if there is none.
    void assemble(const JointState<double>& state, double h, const std::vector<double>& start = {}) {
        forward_kinematics(state, ws);
        terms.clear_added();
        rows.clear();
        x = start;
        x.resize(model->nv);
        drive.add(targets, state, ws, {.h = h}, warm, {terms, x, rows});
    }

    std::vector<double> velocities(const JointState<double>& state, double h,
                                   const std::vector<double>& start = {}) {
        assemble(state, h, start);
        REQUIRE(factor.factor(ws, terms) == -1);
        return stepped(factor, state.v, x, rows);
    }

    // K by what is added to the factor at a step of 1 s without damping.
    std::vector<double> stiffness(const JointState<double>& state) {
        assemble(state, 1);
        const int nv = model->nv;
        std::vector<double> K(nv * nv);
        for (int i = 0; i < nv; ++i)
            for (int j = 0; j < nv; ++j) {
                if (factor.link_of_dof[i] == factor.link_of_dof[j])
                    K[i * nv + j] = terms.added[terms.added_at(i, j)];
            }
        return K;
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    JointFactor factor;
    JointTerms terms;
    WarmStarts warm;
    PoseDrive drive;
    PoseTargets targets;
    Rows rows;
    std::vector<double> x;
};

// Two bodies on a joint at both centres of mass; the first floats, or is held.
std::shared_ptr<const Model> pair(Random& random, JointType type, bool held) {
    Scene scene("pair");
    scene.options.gravity = {0, 0, 0};
    const auto inertial = [&] {
        InertialSpec out = random_inertial(random);
        out.frame.pos = {0, 0, 0};
        return out;
    };
    const BodyId a = scene.add_body(world, {.name = "a", .inertial = inertial()});
    if (!held) scene.add_joint(a, {.name = "root", .type = JointType::free});
    const BodyId b = scene.add_body(
        a, {.name = "b", .pose = {{0, 0, 0}, random_rotation(random)}, .inertial = inertial()});
    const Mat3d axes = rotation_matrix(random_rotation(random));
    scene.add_joint(b, {.name = "j", .type = type, .axis = axes.x, .axis2 = axes.y, .pitch = 0.3});
    return compile(scene);
}

// Newton's method for K e = the weight that rests on the joints, with its matrix by differences.
JointState<double> equilibrium(Driven& driven) {
    const Model& model = *driven.model;
    const int nv = model.nv;
    const std::vector<double> still(nv);
    JointState<double> state(model);
    const auto excess = [&](const JointState<double>& at) {
        driven.assemble(at, 1e-3);
        std::vector<double> force = driven.x, weight(nv);
        inverse_dynamics<double>(at, still, driven.ws, weight);
        for (int k = 0; k < nv; ++k) force[k] = force[k] / 1e-3 - weight[k];
        return force;
    };
    const auto moved = [&](const std::vector<double>& v, double h) {
        JointState<double> out = state;
        integrate<double>(driven.ws, state.q, v, h, out.q);
        return out;
    };
    double change = 1;
    for (int iteration = 0; iteration < 20 && change > 1e-12; ++iteration) {
        const std::vector<double> force = excess(state);
        std::vector<double> A(nv * nv);
        for (int j = 0; j < nv; ++j) {
            std::vector<double> along(nv);
            along[j] = 1;
            const std::vector<double> above = excess(moved(along, 1e-5)), below = excess(moved(along, -1e-5));
            for (int i = 0; i < nv; ++i) A[i * nv + j] = -(above[i] - below[i]) / 2e-5;
        }
        const std::vector<double> step = dense_solve(A, force);
        state = moved(step, 1);
        change = largest(step);
    }
    REQUIRE(change <= 1e-12);
    return state;
}

}  // namespace

TEST_CASE("two bodies joined at their centres of mass have the frequency of their drive") {
    Random random(91);
    const double frequency = 3, squared = std::pow(2 * pi * frequency, 2);
    for (const JointType type : {JointType::hinge, JointType::slide, JointType::ball, JointType::screw})
        for (const bool held : {false, true}) {
            Driven driven(pair(random, type, held));
            const Model::Joint& joint = driven.model->joints.back();
            // Lengths of zero, so that the centres of mass stay where the joint is.
            JointState<double> state = random_state(random, *driven.model);
            if (type == JointType::slide || type == JointType::screw) state.q[joint.q_adr] = 0;
            std::fill(state.v.begin(), state.v.end(), 0.0);
            driven.set(state.q, frequency, 0, unlimited);
            const int nv = driven.model->nv;
            const std::vector<double> K = driven.stiffness(state);
            std::vector<double> M(nv * nv);
            Workspace<double> ws(driven.model);
            mass_matrix<double>(state, ws, M);
            // M⁻¹ K = ω² 1 at the joint's freedoms: K is a column's force, what answers is its acceleration.
            for (int j = 0; j < joint.nv; ++j) {
                std::vector<double> force(nv);
                for (int i = 0; i < nv; ++i) force[i] = K[i * nv + joint.v_adr + j];
                const std::vector<double> a = dense_solve(M, force);
                for (int i = 0; i < joint.nv; ++i)
                    CHECK(a[joint.v_adr + i] ==
                          doctest::Approx(i == j ? squared : 0).epsilon(1e-9).scale(squared));
            }
            // Free joints are not driven.
            if (!held)
                for (int i = 0; i < 6; ++i) CHECK(K[i * nv + i] == 0);
        }
}

TEST_CASE("joints of several coordinates: each by itself, in random trees") {
    Random random(92);
    for (const JointType type : {JointType::universal, JointType::cylindrical, JointType::planar}) {
        Driven driven(pair(random, type, true));
        const JointState<double> state = random_state(random, *driven.model);
        driven.set(state.q, 1, 0, unlimited);
        const std::vector<double> K = driven.stiffness(state);
        const int nv = driven.model->nv;
        const Model::Body& body = driven.model->bodies.back();
        const Mat3d R_WB = body_pose(driven.ws, static_cast<int>(driven.model->bodies.size()) - 1).R;
        for (int k = 0; k < nv; ++k) {
            const Vec3d a = driven.ws.S[k].ang;
            const double inertia = dot(a, a) > 0 ? dot(a, rotate(R_WB, body.inertia) * a) : body.mass;
            CHECK(K[k * nv + k] == doctest::Approx(4 * pi * pi * inertia).epsilon(1e-12));
            for (int l = 0; l < k; ++l) CHECK(K[k * nv + l] == 0);
        }
    }
}

TEST_CASE("a limited drive that does not reach its limit is an unlimited one") {
    Random random(93);
    for (int trial = 0; trial < 20; ++trial) {
        Driven driven(compile(random_scene(random, {})));
        const JointState<double> state = random_state(random, *driven.model, 0.5);
        const JointState<double> pose = random_state(random, *driven.model, 0.5);
        const std::vector<double> velocity = random_numbers(random, driven.model->nv, 2);
        const double h = 0.02;
        const auto step = [&](double most) {
            driven.targets.set(*driven.model, pose.q, velocity, 4, 0.7, most, {});
            return driven.velocities(state, h);
        };
        const std::vector<double> free = step(unlimited);
        CHECK(driven.rows.rows.empty());
        const std::vector<double> within = step(1e6);
        CHECK(driven.rows.rows.size() > 5);
        CHECK(largest_difference(free, within) < 1e-8 * largest(free));
        step(0);
        CHECK(driven.rows.rows.empty());
        CHECK(largest(driven.x) == 0);
    }
}

TEST_CASE("a hinge on its drive in closed form") {
    Scene scene("hinge");
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "b", .inertial = InertialSpec{2, {}, Sym3d::diagonal(0.3, 0.4, 0.5), {}}});
    scene.add_joint(body, {.name = "j", .axis = {0, 0, 1}});
    Driven driven(compile(scene));
    JointState<double> state(*driven.model);
    const double I = 0.5, f = 5, ratio = 0.6, h = 0.01, q = 0.2, v = -1, target = 0.7, speed = 3;
    state.q[0] = q;
    state.v[0] = v;
    const double K = I * 4 * pi * pi * f * f, C = 2 * ratio * I * 2 * pi * f;
    const double next =
        v + h * (K * (target - q - h * v) + C * (speed - v)) / (I + h * C + h * h * K);
    const std::vector<double> pose{target}, velocity{speed};
    const auto step = [&](double most) {
        driven.targets.set(*driven.model, pose, velocity, f, ratio, most, {});
        return driven.velocities(state, h)[0];
    };
    CHECK(step(unlimited) == doctest::Approx(next).epsilon(1e-13));
    const double torque = I * (next - v) / h;
    CHECK(step(1.01 * torque) == doctest::Approx(next).epsilon(1e-13));
    CHECK(step(0.5 * torque) == doctest::Approx(v + 0.5 * (next - v)).epsilon(1e-13));
    REQUIRE(driven.rows.blocks.size() == 1);
    CHECK(driven.rows.blocks[0].kind == RowKind::drive);
    CHECK(driven.rows.blocks[0].source == -1);
    CHECK(driven.rows.rows[0].lambda == doctest::Approx(0.5 * torque * h));
}

TEST_CASE("a ball on its drive: target velocities are in the axes of the target") {
    Random random(94);
    Driven driven(pair(random, JointType::ball, true));
    const Model::Body& body = driven.model->bodies.back();
    JointState<double> state = random_state(random, *driven.model);
    const JointState<double> goal = random_state(random, *driven.model);
    // Without damping forces there is nothing but the spring; with a very short step, only what it begins
    // with.
    const double f = 2, ratio = 0.5, h = 1e-9;
    driven.targets.set(*driven.model, goal.q, goal.v, f, ratio, unlimited, {});
    driven.assemble(state, h);
    const auto quaternion_of = [](const JointState<double>& s) {
        return Quatd{s.q[0], s.q[1], s.q[2], s.q[3]};
    };
    const Mat3d R = rotation_matrix(quaternion_of(state)), R_goal = rotation_matrix(quaternion_of(goal));
    const Vec3d w_goal = transpose_mul(R, R_goal * Vec3d{goal.v[0], goal.v[1], goal.v[2]});
    const Vec3d w{state.v[0], state.v[1], state.v[2]};
    const Vec3d error = rotation_log(conjugate(quaternion_of(state)) * quaternion_of(goal));
    const double omega = 2 * pi * f;
    const Vec3d torque = body.inertia * (omega * omega * error + 2 * ratio * omega * (w_goal - w));
    for (int k = 0; k < 3; ++k)
        CHECK(driven.x[k] / h == doctest::Approx(torque[k]).epsilon(1e-6).scale(length(torque)));
}

TEST_CASE("the character held at its pelvis sags as the benchmark says") {
    Driven driven(compile(held_character()));
    const JointState<double> start(*driven.model);
    driven.set(start.q, 10, 0, unlimited);
    const std::vector<double> stiffness = driven.stiffness(start);
    for (const auto& [frequency, degrees] : {std::pair{10.0, 10.51}, std::pair{20.0, 2.67}}) {
        driven.set(start.q, frequency, 1, unlimited);
        const JointState<double> rest = equilibrium(driven);
        double worst = 0;
        std::string where;
        std::vector<double> error(driven.model->nv);
        difference<double>(driven.ws, start.q, rest.q, error);
        for (const Model::Joint& joint : driven.model->joints) {
            double angle = 0;
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) angle = std::hypot(angle, error[k]);
            if (angle > worst) {
                worst = angle;
                where = joint.name;
            }
        }
        // The figures given are those of a stiff arm, K θ = m g r cos θ. The hand sags at its wrist, too,
        // which takes 0.008° off the shoulder at 10 Hz.
        CHECK(std::abs(worst * 180 / pi - degrees) < 0.01);
        CHECK(where.starts_with("shoulder"));

        const int dof = driven.model->joints[driven.model->find_joint("shoulder_left")].v_adr + 1;
        const double K = frequency * frequency / 100 * stiffness[dof * driven.model->nv + dof];
        const double moment = 9.81 * (1.96 * 0.14 + 1.12 * 0.41 + 0.42 * 0.61);
        double angle = 0;
        for (int iteration = 0; iteration < 50; ++iteration) angle = moment * std::cos(angle) / K;
        CHECK(std::abs(angle * 180 / pi - degrees) < 0.005);
    }
}

TEST_CASE("targets: which joints, what is refused, release") {
    Random random(95);
    TreeShape shape;
    shape.bodies = 6;
    shape.compound = 0;
    Driven driven(compile(random_scene(random, shape)));
    const Model& model = *driven.model;
    PoseTargets& targets = driven.targets;
    const std::vector<double> pose = JointState<double>(model).q;
    const std::vector<int> second{1};
    targets.set(model, pose, {}, 2, 1, 5, second);
    for (std::size_t i = 0; i < model.joints.size(); ++i)
        CHECK(targets.joints[i].frequency ==
              (i == 1 && model.joints[i].type != JointType::free && model.joints[i].nv > 0 ? 2 : 0));
    targets.set(model, pose, {}, 3, 1, 5, {});
    for (std::size_t i = 0; i < model.joints.size(); ++i)
        CHECK((targets.joints[i].frequency == 3) ==
              (model.joints[i].type != JointType::free && model.joints[i].nv > 0));
    const std::vector<double> short_pose(pose.begin(), pose.end() - 1), zero(pose.size(), 0.0);
    std::vector<double> bad = pose;
    bad[0] = NAN;
    const std::vector<int> none{99};
    CHECK_THROWS_AS(targets.set(model, short_pose, {}, 1, 1, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, pose, short_pose, 1, 1, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, bad, {}, 1, 1, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, pose, {}, -1, 1, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, pose, {}, 1, NAN, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, pose, {}, 1, 1, NAN, {}), std::invalid_argument);
    CHECK_THROWS_AS(targets.set(model, pose, {}, 1, 1, 1, none), std::invalid_argument);
    CHECK(targets.q == PoseTargets(model).q);
    targets.release();
    for (const PoseTargets::Joint& joint : targets.joints) CHECK(joint.frequency == 0);
    // A quaternion that is none.
    Driven ball(pair(random, JointType::ball, true));
    const std::vector<double> no_rotation(4);
    CHECK_THROWS_AS(ball.targets.set(*ball.model, no_rotation, {}, 1, 1, 1, {}), std::invalid_argument);
}
