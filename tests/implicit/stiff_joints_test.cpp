// Any stiffness and any mass ratio at 60 Hz, with the default options.

#include "core/length.h"
#include "support/implicit_runs.h"
#include "support/reference_problems.h"

using namespace lig;
using namespace lig::test;

namespace {

// A chain of `count` links of 0.1 m along x on ball joints; the last weighs `ratio` times the others.
Scene springy_chain(int count, double stiffness, double damping, double ratio) {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        const double m = i == count - 1 ? 0.1 * ratio : 0.1;
        body = scene.add_body(body, {.name = "link" + std::to_string(i),
                                     .pose = {{i == 0 ? 0.0 : 0.1, 0, 0}},
                                     .inertial = box_mass(m, {0.05, 0, 0}, {0.1, 0.02, 0.02})});
        JointSpec joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = JointType::ball;
        joint.stiffness = stiffness;
        joint.damping = damping;
        scene.add_joint(body, joint);
    }
    return scene;
}

}  // namespace

TEST_CASE("implicit: chains of any stiffness at 60 Hz gain no energy") {
    for (const double stiffness : {0.0, 1e-2, 1.0, 1e2, 1e4, 1e6, 1e8}) {
        CAPTURE(stiffness);
        Simulation sim(compile(springy_chain(20, stiffness, 0, 1)), implicit_options());
        const double start = total(sim.energy()), scale = 2 * gravity * 2;
        run(sim, 3, frame, [&](const StepReport& report) {
            REQUIRE(report.joint_error < 1e-6);
            // Springs of 1e8 have the energy of rounding, 1e8 · 1e-32, and more by tolerance: 1e8 · 1e-14.
            REQUIRE(total(sim.energy()) - start < 1e-6 * scale + 1e-14 * stiffness);
        });
    }
}

TEST_CASE("implicit: a stiff chain sags as a beam of its hinges does") {
    // k θᵢ = the moment of what is outward, for small angles.
    const int count = 10;
    const double stiffness = 1e5;
    Simulation sim(compile(springy_chain(count, stiffness, 100, 1)), implicit_options());
    run(sim, 5, frame);
    for (int i = 0; i < count; ++i) {
        double outward = 0;
        for (int k = i; k < count; ++k) outward += 0.1 * gravity * (0.1 * (k - i) + 0.05);
        const double* q = sim.state().q.data() + 4 * i;
        // About +y, which turns x down: gravity is along −z.
        CHECK(2 * q[2] == doctest::Approx(outward / stiffness).epsilon(1e-4));
    }
}

TEST_CASE("implicit: mass ratios to a hundred thousand, both ways") {
    for (const double ratio : {1e-5, 1e-3, 1e3, 1e5})
        for (const double stiffness : {0.0, 1.0, 1e5}) {
            CAPTURE(ratio);
            CAPTURE(stiffness);
            Simulation sim(compile(springy_chain(20, stiffness, 0, ratio)), implicit_options());
            const double start = total(sim.energy()), scale = 2 * gravity * 2 * std::max(1.0, 0.05 * ratio);
            run(sim, 3, frame, [&](const StepReport& report) {
                REQUIRE(report.joint_error < 1e-6);
                REQUIRE(total(sim.energy()) - start < 1e-6 * scale);
            });
        }
}

TEST_CASE("implicit: a thousand links under their own weight") {
    Simulation sim(compile(springy_chain(1000, 0, 0, 1)), implicit_options());
    const double start = total(sim.energy()), scale = 100 * gravity * 50;
    int solves = 0, steps = 0;
    run(sim, 2, frame, [&](const StepReport& report) {
        REQUIRE(report.joint_error < 1e-6);
        REQUIRE(total(sim.energy()) - start < 1e-9 * scale);
        solves += report.newton_iterations;
        steps += report.substeps;
    });
    MESSAGE("a thousand links: " << static_cast<double>(solves) / steps << " solves a step, " << steps
                                 << " steps");
    CHECK(steps < 400);
}

// Momenta are what steps carry on, so that a body that nothing turns keeps its own, however fast it tumbles.
TEST_CASE("implicit: a free body keeps its angular momentum") {
    Scene scene;
    scene.options.gravity = Vec3d::zero();
    const BodyId top =
        scene.add_body(world, {.name = "top", .inertial = box_mass(1, {0, 0, 0}, {0.2, 0.1, 0.3})});
    scene.add_joint(top, {.name = "root", .type = JointType::free});
    const auto model = compile(scene);
    for (const SmoothIntegrator integrator : {SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2}) {
        SimulationOptions options = implicit_options(integrator);
        options.tolerance = 1e-13;
        Simulation sim(model, options);
        set_velocity(sim, {1, 2, 3}, {0.2, 4, 0.3});
        Workspace<double> ws(model);
        const auto momentum_now = [&] {
            forward_kinematics(sim.state(), ws);
            // About the centre of mass, which is the body's origin.
            const Force<double> about_world = momentum(ws);
            return Force<double>{about_world.ang - cross(position_of(sim), about_world.lin), about_world.lin};
        };
        const Force<double> start = momentum_now();
        run(sim, 5, frame, [&](const StepReport&) {
            const Force<double> now = momentum_now();
            // 300 steps, each to rounding and the tolerance.
            REQUIRE(length(now.lin - start.lin) < 1e-11);
            REQUIRE(length(now.ang - start.ang) < 1e-10 * length(start.ang));
        });
    }
}
