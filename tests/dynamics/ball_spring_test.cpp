// Springs of balls with a stiffness of its own about each of three axes.

#include "core/rotation.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

const Vec3d moments{0.2, 0.3, 0.4}, stiffness{3, 7, 12};
const Quatd turned = rotation_exp(Vec3d{0.4, -0.7, 0.3});

// A body turning about its centre of mass, held by a spring whose axes are those of its inertia.
Scene sprung_body(const Vec3d& k = stiffness, double spread = 1) {
    Scene scene("ball spring");
    scene.options.gravity = {0, 0, 0};
    const Sym3d inertia = Sym3d::diagonal(moments.x, spread * moments.y, spread * spread * moments.z);
    const BodyId body =
        scene.add_body(world, {.inertial = InertialSpec{1, {{0, 0, 0}, turned}, inertia, {}}});
    scene.add_joint(body,
                    {.name = "ball", .type = JointType::ball, .axis_stiffness = k, .stiffness_axes = turned});
    return scene;
}

void set_ball(std::vector<double>& q, const Vec3d& e) {
    const Quatd r = rotation_exp(e);
    q = {r.w, r.x, r.y, r.z};
}

}  // namespace

// About one axis the torque is −k φ, so φ̈ = −(k/I) φ up to half a turn.
TEST_CASE("a ball turned about one of its spring's axes is pulled back by that axis' stiffness") {
    const auto model = compile(sprung_body());
    Workspace<double> ws(model);
    JointState<double> state(*model);
    const Mat3d R = rotation_matrix(turned);
    for (int axis = 0; axis < 3; ++axis)
        for (const double angle : {1e-6, 0.5, 2.0, 3.0}) {
            set_ball(state.q, angle * (&R.x)[axis]);
            std::vector<double> tau(3, 0.0), qacc(3);
            add_spring_forces<double>(state, *model, tau);
            forward_dynamics<double>(state, tau, ws, qacc);
            const Vec3d expected = (-stiffness[axis] / moments[axis] * angle) * (&R.x)[axis];
            CHECK(largest(Vec3d{qacc[0], qacc[1], qacc[2]} - expected) < 1e-13 * (1 + length(expected)));
            forward_kinematics(state, ws);
            CHECK(energy(state, ws).potential ==
                  doctest::Approx(0.5 * stiffness[axis] * angle * angle).epsilon(1e-14));
        }
}

TEST_CASE("a ball turns back and forth about an axis at the frequency of its stiffness") {
    for (const char* formulation : {"reduced", "multiplier"})
        for (int axis = 0; axis < 3; ++axis) {
            Simulation sim(
                compile(sprung_body()),
                {.formulation = formulation, .integrator = SmoothIntegrator::rk45, .tolerance = 1e-11});
            JointState<double> state = sim.state();
            const Mat3d R = rotation_matrix(turned);
            set_ball(state.q, 1.2 * (&R.x)[axis]);
            sim.set_state(state);
            // The middle axis of inertia is unstable for fast turns only.
            const double omega = std::sqrt(stiffness[axis] / moments[axis]);
            double worst = 0;
            run(sim, 1, frame, [&](const StepReport& report) {
                const double* q = sim.state().q.data();
                const Vec3d e = rotation_log(Quatd{q[0], q[1], q[2], q[3]});
                worst = std::max(worst, largest(e - 1.2 * std::cos(omega * report.time) * (&R.x)[axis]));
            });
            CAPTURE(std::string(formulation));
            CAPTURE(axis);
            CHECK(worst < 1e-7);
        }
}

TEST_CASE("the torque of a ball's spring is the slope of its energy, in lanes as well") {
    const auto model = compile(sprung_body());
    Workspace<double> ws(model);
    Random random(5);
    const auto potential = [&](const std::vector<double>& q) {
        JointState<double> state(*model);
        state.q = q;
        forward_kinematics(state, ws);
        return energy(state, ws).potential;
    };
    JointState<double> state(*model);
    Workspace<Lanes4d> wide(model);
    JointState<Lanes4d> lanes(*model);
    std::vector<std::vector<double>> torques;
    for (int trial = 0; trial < 4; ++trial) {
        set_ball(state.q, random.uniform(0, 3) * random_direction(random));
        std::vector<double> tau(3, 0.0);
        add_spring_forces<double>(state, *model, tau);
        for (int k = 0; k < 3; ++k) {
            std::vector<double> along(3, 0.0), there(4), back(4);
            along[k] = 1;
            const double h = 1e-5;
            integrate<double>(ws, state.q, along, h, there);
            integrate<double>(ws, state.q, along, -h, back);
            // h² times the third derivative, some 10² here, and rounding over h.
            CHECK(tau[k] == doctest::Approx(-(potential(there) - potential(back)) / (2 * h)).epsilon(1e-7));
        }
        for (int k = 0; k < 4; ++k) set_lane(lanes.q[k], trial, state.q[k]);
        torques.push_back(tau);
    }
    std::vector<Lanes4d> tau(3, Lanes4d(0.0));
    add_spring_forces<Lanes4d>(lanes, *model, tau);
    for (int trial = 0; trial < 4; ++trial)
        for (int k = 0; k < 3; ++k) CHECK(get_lane(tau[k], trial) == torques[trial][k]);
}

TEST_CASE("a ball on a spring of three axes keeps its energy") {
    for (const char* formulation : {"reduced", "multiplier"}) {
        Simulation sim(
            compile(sprung_body()),
            {.formulation = formulation, .integrator = SmoothIntegrator::rk45, .tolerance = 1e-10});
        JointState<double> state = sim.state();
        set_ball(state.q, {1.1, -0.6, 0.9});
        state.v = {0.3, 1, -0.5};
        sim.set_state(state);
        const double start = total(sim.energy());
        double worst = 0;
        run(sim, 5, frame, [&](const StepReport&) {
            worst = std::max(worst, std::abs(total(sim.energy()) / start - 1));
        });
        CAPTURE(std::string(formulation));
        CHECK(worst < 1e-7);
    }
}

// In velocity steps of 60 Hz the spring is implicit: however stiff, and from however far, energy falls.
TEST_CASE("velocity steps bear springs of three axes of any stiffness") {
    for (const char* formulation : {"reduced", "multiplier"})
        for (const double scale : {1e2, 1e5, 1e8})
            for (const double angle : {0.3, 1.5, 3.0}) {
                Simulation sim(compile(sprung_body(scale * Vec3d{1, 0.01, 0.3}, 0.4)),
                               {.formulation = formulation, .stepping = Stepping::velocity});
                JointState<double> state = sim.state();
                set_ball(state.q, angle * Vec3d{0.6, 0.48, 0.64});
                sim.set_state(state);
                const double start = total(sim.energy());
                double most = 0;
                run(sim, 2, frame,
                    [&](const StepReport&) { most = std::max(most, total(sim.energy()) / start); });
                CAPTURE(std::string(formulation));
                CAPTURE(scale);
                CAPTURE(angle);
                CHECK(most < 1);
                CHECK(total(sim.energy()) < 0.05 * start);
            }
}

// Time constant t and damping ratio ζ: k = I/(tζ)², d = 2 I/t, with 1/I the mean of 1/I over the three axes.
TEST_CASE("a ball's spring may be given by time constant and damping ratio") {
    Scene scene = sprung_body();
    JointSpec& joint = scene.joint({0});
    joint.axis_stiffness.reset();
    joint.spring_damper = {{0.5, 0.8}};
    const auto model = compile(scene);
    const double inertia = 3 / (1 / moments.x + 1 / moments.y + 1 / moments.z);
    CHECK(model->joints[0].stiffness == doctest::Approx(inertia / (0.4 * 0.4)).epsilon(1e-12));
    CHECK(model->joints[0].damping == doctest::Approx(2 * inertia / 0.5).epsilon(1e-12));
}

TEST_CASE("stiffnesses about three axes that cannot be are refused") {
    const auto refused = [](auto change, const char* part) {
        Scene scene = sprung_body();
        change(scene.joint({0}));
        Diagnostics log;
        CHECK_THROWS_AS(compile(scene, log), InputError);
        REQUIRE(log.all().size() == 1);
        CHECK(log.all()[0].to_string().find(part) != std::string::npos);
    };
    refused([](JointSpec& joint) { joint.axis_stiffness->y = -1; }, "stiffness about an axis");
    refused([](JointSpec& joint) { joint.axis_stiffness->z = std::nan(""); }, "stiffness about an axis");
    refused([](JointSpec& joint) { joint.stiffness_axes = {0, 0, 0, 0}; }, "quaternion");
    refused([](JointSpec& joint) { joint.type = JointType::hinge; }, "E170");
    refused([](JointSpec& joint) { joint.stiffness = 1; }, "E170");
    refused([](JointSpec& joint) { joint.stiffness_poly = {0, 1}; }, "E170");
    refused([](JointSpec& joint) { joint.spring_damper = {{1, 1}}; }, "E170");
}
