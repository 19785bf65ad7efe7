// Limits, contacts and dry friction by penalties: closed forms, and beside hard ones.

#include "core/length.h"
#include "support/implicit_runs.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

// A body of one geom, named like it, on a free joint.
void add_free(Scene& scene, const std::string& joint, const Vec3d& at, const GeomSpec& geom) {
    const BodyId body = scene.add_body(world, {.name = geom.name, .pose = {at}});
    scene.add_joint(body, {.name = joint, .type = JointType::free});
    scene.add_geom(body, geom);
}

Scene box_on_slope(double slope, double friction) {
    Scene scene;
    scene.options.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
    GeomSpec ground;
    ground.name = "ground";
    ground.shape = ShapeType::plane;
    ground.friction = {friction, 0.005, 0.0001};
    scene.add_geom(world, ground);
    GeomSpec box;
    box.name = "box";
    box.shape = ShapeType::box;
    box.size = {0.2, 0.2, 0.1};
    box.mass = 3;
    box.friction = {friction, 0.005, 0.0001};
    add_free(scene, "root", {0, 0, 0.1}, box);
    return scene;
}

Scene pendulum_with_limit(double limit) {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    const BodyId body = scene.add_body(
        world,
        {.name = "bob", .inertial = InertialSpec{2, {{0, 0, -0.5}}, Sym3d::diagonal(0.01, 0.01, 0.01), {}}});
    JointSpec joint;
    joint.name = "hinge";
    joint.axis = {0, 1, 0};
    joint.range = {Range{limit, 3}, {}, {}};
    scene.add_joint(body, joint);
    return scene;
}

}  // namespace

TEST_CASE("implicit penalties: a box rests on its four corners as deep as their stiffness says") {
    for (const double frequency : {30.0, 100.0, 1000.0}) {
        CAPTURE(frequency);
        SimulationOptions options = implicit_options();
        options.penalty_frequency = frequency;
        Simulation sim(compile(box_on_slope(0, 0.5)), options);
        run(sim, 3);
        const double depth = gravity / std::pow(2 * pi * frequency, 2) / 4;
        CHECK(0.1 - position_of(sim).z == doctest::Approx(depth).epsilon(1e-3));
        CHECK(length(velocity_of(sim)) < 1e-6);
    }
}

TEST_CASE("implicit penalties: a box on a slope sticks without creeping, or slides as it should") {
    const double slope = pi / 6;
    {
        Simulation sim(compile(box_on_slope(slope, 0.6)), implicit_options());
        run(sim, 1);
        const Vec3d at = position_of(sim);
        run(sim, 5);
        // tan 30° = 0.577: it holds, and stays where it is.
        CHECK(length(position_of(sim) - at) < 1e-7);
    }
    {
        Simulation sim(compile(box_on_slope(slope, 0.3)), implicit_options());
        run(sim, 0.5);
        const double before = velocity_of(sim).x;
        run(sim, 1);
        const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
        CHECK(velocity_of(sim).x - before == doctest::Approx(a).epsilon(1e-3));
    }
}

TEST_CASE("implicit penalties: a joint leans on its limit as far as the stiffness says") {
    for (const double frequency : {20.0, 100.0}) {
        SimulationOptions options = implicit_options();
        options.penalty_frequency = frequency;
        Simulation sim(compile(pendulum_with_limit(0.5)), options);
        JointState<double> state = sim.state();
        state.q[0] = 1;
        sim.set_state(state);
        run(sim, 5);
        // k d = m g l sin(angle), k = I (2π f)², about the hinge.
        const double inertia = 0.01 + 2 * 0.25, k = inertia * std::pow(2 * pi * frequency, 2);
        double angle = 0.5;
        for (int n = 0; n < 50; ++n) angle = 0.5 - 2 * gravity * 0.5 * std::sin(angle) / k;
        CHECK(sim.state().q[0] == doctest::Approx(angle).epsilon(1e-6));
    }
}

TEST_CASE("implicit: hard limits and contacts beside penalties") {
    for (const bool box : {false, true}) {
        const auto model = compile(box ? box_on_slope(pi / 6, 0.6) : pendulum_with_limit(0.5));
        SimulationOptions hard = implicit_options(), soft = implicit_options();
        hard.touching = Touching::hard;
        soft.penalty_frequency = 2000;
        Simulation a(model, hard), b(model, soft);
        if (!box)
            for (Simulation* sim : {&a, &b}) {
                JointState<double> state = sim->state();
                state.q[0] = 1;
                sim->set_state(state);
            }
        run(a, 4);
        run(b, 4);
        for (std::size_t k = 0; k < a.state().q.size(); ++k)
            CHECK(std::abs(a.state().q[k] - b.state().q[k]) < 2e-4);
    }
}

TEST_CASE("implicit penalties: two boxes on each other, coupled by their contacts") {
    Scene scene = box_on_slope(0, 0.5);
    GeomSpec box;
    box.name = "upper";
    box.shape = ShapeType::box;
    box.size = {0.2, 0.2, 0.1};
    box.mass = 3;
    add_free(scene, "upper_root", {0, 0, 0.3}, box);
    Simulation sim(compile(scene), implicit_options());
    int solves = 0, steps = 0;
    run(sim, 3, frame, [&](const StepReport& report) {
        solves += report.newton_iterations;
        steps += report.substeps;
    });
    const double k = std::pow(2 * pi * 100, 2);
    // Below: twice the weight on its own stiffness; between: its weight on that of the two masses in turn.
    const double below = 2 * gravity / k / 4, between = gravity / (0.5 * k) / 4;
    CHECK(0.1 - position_of(sim).z == doctest::Approx(below).epsilon(1e-2));
    CHECK(0.3 - position_of(sim, "upper_root").z == doctest::Approx(below + between).epsilon(1e-2));
    CHECK(solves < 6 * steps);
}

TEST_CASE("implicit penalties: dry friction in a joint holds what it can") {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    const BodyId body = scene.add_body(
        world,
        {.name = "arm", .inertial = InertialSpec{1, {{0.5, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
    JointSpec joint;
    joint.name = "hinge";
    joint.axis = {0, 1, 0};
    joint.friction_loss = 6;  // more than m g l = 4.905
    scene.add_joint(body, joint);
    Simulation held(compile(scene), implicit_options());
    run(held, 1);
    CHECK(std::abs(held.state().q[0]) < 1.1e-4);  // creeping speed
    joint.friction_loss = 2;
    Scene other;
    other.options.gravity = {0, 0, -gravity};
    const BodyId arm = other.add_body(
        world,
        {.name = "arm", .inertial = InertialSpec{1, {{0.5, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
    other.add_joint(arm, joint);
    Simulation falls(compile(other), implicit_options());
    run(falls, 0.01, 0.0001);
    CHECK(falls.state().v[0] == doctest::Approx(0.01 * (4.905 - 2) / 0.35).epsilon(1e-2));
}

TEST_CASE("implicit penalties: what bounces is refused by name") {
    Scene scene = box_on_slope(0, 0.5);
    GeomSpec ball;
    ball.name = "rubber";
    ball.shape = ShapeType::sphere;
    ball.size = {0.1, 0, 0};
    ball.mass = 1;
    ball.restitution = 0.8;
    add_free(scene, "ball_root", {1, 0, 1}, ball);
    const auto model = compile(scene);
    CHECK_THROWS_WITH(Simulation(model, implicit_options()), doctest::Contains("rubber"));
    SimulationOptions hard = implicit_options();
    hard.touching = Touching::hard;
    CHECK_NOTHROW(Simulation(model, hard));
}
