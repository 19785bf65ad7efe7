// RATTLE on rows that restrain velocities alone: its order against rk45 in joint coordinates, that it goes
// back the way it came, and energy over many periods.

#include "support/body_runs.h"
#include "support/pair_runs.h"

#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A disk near its steady circle, which it leaves: it wobbles.
Scene wobbling_disk() {
    Scene scene;
    const double r = 0.4, theta = 1.1;
    const BodyId disk = scene.add_body(
        world, {.name = "disk",
                .pose = {{0, 0, r * std::sin(theta)}, rotation_exp(Vec3d{0, theta, 0})},
                .inertial = mass(1.3, {0.052, 0.052, 0.104})});
    scene.add_joint(disk, {.type = JointType::free});
    scene.add_constraint(
        {.name = "rolls", .body_a = world, .body_b = disk, .constraint = make<RollingDiskConstraint>(r)});
    return scene;
}

// A ball whose centre of mass is not its own and whose moments differ.
Scene loaded_ball() {
    Scene scene;
    scene.options.gravity = {0.4, 0.2, -g};
    const BodyId ball =
        scene.add_body(world, {.name = "ball",
                               .pose = {{0, 0, 0.2}},
                               .inertial = mass(3, {0.04, 0.05, 0.06}, {0.03, 0.01, -0.05})});
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_constraint(
        {.name = "rolls", .body_a = world, .body_b = ball, .constraint = make<RollingBallConstraint>(0.2)});
    return scene;
}

// A sleigh on a slope with a pendulum on it: its blade is across what swings.
Scene sleigh_with_pendulum() {
    Scene scene;
    scene.options.gravity = {2, 0, -g};
    const BodyId sleigh =
        scene.add_body(world, {.name = "sleigh", .inertial = mass(1, {0.05, 0.05, 0.1}, {0.2, 0, 0})});
    scene.add_joint(sleigh, {.type = JointType::planar});
    const BodyId bob = scene.add_body(
        sleigh,
        {.name = "bob", .pose = {{0.1, 0, 0}}, .inertial = mass(0.5, {0.01, 0.02, 0.03}, {0, 0, -0.4})});
    scene.add_joint(bob, {.type = JointType::ball});
    scene.add_constraint(
        {.name = "blade", .body_a = world, .body_b = sleigh, .constraint = make<KnifeEdgeConstraint>()});
    return scene;
}

// A wheel whose angle goes with that of a pendulum through a gear: a velocity row that could be integrated.
Scene geared_pendulum() {
    Scene scene;
    BodyId part[2];
    for (int k = 0; k < 2; ++k) {
        part[k] = scene.add_body(world, {.name = k ? "wheel" : "bob",
                                         .pose = {{0, 1.0 * k, 0}},
                                         .inertial = mass(1, {0.1, 0.2, 0.3}, {0, 0, k ? 0.0 : -0.5})});
        scene.add_joint(part[k], {.type = JointType::hinge, .axis = {1, 0, 0}});
    }
    const Quatd along_x = rotation_exp(Vec3d{0, pi / 2, 0});
    scene.add_constraint({.name = "gear",
                          .body_a = part[0],
                          .body_b = part[1],
                          .frame_a = {{0, 0, 0}, along_x},
                          .frame_b = {{0, 0, 0}, along_x},
                          .constraint = make<GearConstraint>(-1.5)});
    return scene;
}

struct Rolling {
    std::string name;
    std::shared_ptr<const Model> model;
    std::vector<double> v;
    double time, step;
    double most;   // error allowed at that step
    double swing;  // of the energy, allowed at that step, relative to that of motion; 0: nothing returns
};

std::vector<Rolling> problems() {
    return {{"disk", compile(wobbling_disk()), {0, 1.5, 0, -1.5, 0, -4.5}, 2, 0.005, 1e-3, 5e-5},
            {"ball", compile(loaded_ball()), {0.3, 0.2, 0, -1, 2, 3}, 2, 0.005, 1e-3, 5e-4},
            {"sleigh", compile(sleigh_with_pendulum()), {1, 0, 1, 3, 2, 1}, 2, 0.005, 1e-3, 0},
            {"gear", compile(geared_pendulum()), {5, -7.5}, 2, 0.005, 1e-3, 2e-4}};
}

JointState<double> start_of(const Rolling& problem) {
    SmoothMotion motion(problem.model);
    JointState<double> start(*problem.model);
    start.v = problem.v;
    REQUIRE(motion.dynamics.close_equalities(start).closed);
    return start;
}

}  // namespace

TEST_CASE("rattle: second order on rows that restrain velocities alone") {
    for (const Rolling& problem : problems()) {
        CAPTURE(problem.name);
        SmoothMotion reference(problem.model);
        const JointState<double> start = start_of(problem);
        JointState<double> exact = start;
        REQUIRE(reference.advance(exact, problem.time, {.tolerance = 1e-12}).status == MotionStatus::ok);
        double errors[2];
        for (int half = 0; half < 2; ++half) {
            BodyRun run(problem.model);
            run.state = start;
            const MotionReport report =
                run.advance_ok(problem.time, {.step = problem.step / (1 + half)});
            CHECK(report.equality_error < 1e-11);
            CHECK(report.rejected == 0);
            errors[half] = pose_difference(problem.model, run.state, exact);
        }
        MESSAGE(problem.name << ": error " << errors[0] << " at a step of " << problem.step << " s, order "
                             << std::log2(errors[0] / errors[1]));
        CHECK(errors[0] < problem.most);
        CHECK(std::log2(errors[0] / errors[1]) == doctest::Approx(2).epsilon(0.05));
    }
}

TEST_CASE("rattle: what rolls goes back the way it came") {
    for (const Rolling& problem : problems()) {
        CAPTURE(problem.name);
        BodyRun run(problem.model);
        const JointState<double> start = start_of(problem);
        run.state = start;
        run.advance_ok(problem.time, {.step = problem.step});
        CHECK(pose_difference(problem.model, run.state, start) > 0.1);
        for (Motion<double>& V : run.bodies.V) V = (-1.0) * V;
        run.advance_ok(problem.time, {.step = problem.step});
        CHECK(pose_difference(problem.model, run.state, start) < 1e-6);
    }
}

TEST_CASE("rattle: the energy of what rolls over many periods") {
    for (const Rolling& problem : problems()) {
        if (problem.swing == 0) continue;
        CAPTURE(problem.name);
        double swings[2];
        for (int half = 0; half < 2; ++half) {
            BodyRun run(problem.model);
            run.state = start_of(problem);
            SmoothMotion measure(problem.model);
            const double before = total_energy(measure, run.state);
            forward_kinematics(run.state, measure.dynamics.ws);
            const double moving = energy(run.state, measure.dynamics.ws).kinetic;
            // The largest in the first and in the last fifth of a hundred times the period, about.
            double early = 0, late = 0;
            const double time = 60;
            while (run.state.time < time - 1e-9) {
                run.advance_ok(0.05, {.step = problem.step / (1 + half)});
                const double off = std::abs(total_energy(measure, run.state) - before) / moving;
                if (run.state.time < time / 5) early = std::max(early, off);
                if (run.state.time > 4 * time / 5) late = std::max(late, off);
            }
            MESSAGE(problem.name << ": energy off by " << early << " of that of motion, then by " << late);
            swings[half] = std::max(early, late);
            CHECK(swings[half] < problem.swing);
            CHECK(late < 1.5 * early);
        }
        CHECK(swings[1] < 0.35 * swings[0]);
    }
}
