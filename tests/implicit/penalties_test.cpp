// Limits, contacts and dry friction by penalties: closed forms, and beside hard ones.

#include "core/length.h"
#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

#include <fmt/format.h>

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

SimulationOptions penalty_options() {
    SimulationOptions options = implicit_options();
    options.touching = Touching::penalty;
    return options;
}

// doctest's Approx adds 1 to what it scales by.
doctest::Approx near(double value, double share) { return doctest::Approx(value).epsilon(share).scale(0); }

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
        SimulationOptions options = penalty_options();
        options.implicit.penalty_frequency = frequency;
        Simulation sim(compile(box_on_slope(0, 0.5)), options);
        run(sim, 3);
        const double depth = gravity / std::pow(2 * pi * frequency, 2) / 4;
        CHECK(0.1 - position_of(sim).z == near(depth, 1e-3));
        CHECK(length(velocity_of(sim)) < 1e-6);
    }
}

TEST_CASE("implicit penalties: a box on a slope sticks without creeping, or slides as it should") {
    const double slope = pi / 6;
    {
        Simulation sim(compile(box_on_slope(slope, 0.6)), penalty_options());
        run(sim, 1);
        const Vec3d at = position_of(sim);
        run(sim, 5);
        // tan 30° = 0.577: it holds, and stays where it is.
        CHECK(length(position_of(sim) - at) < 1e-7);
    }
    {
        Simulation sim(compile(box_on_slope(slope, 0.3)), penalty_options());
        run(sim, 0.5);
        const double before = velocity_of(sim).x;
        run(sim, 1);
        const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
        CHECK(velocity_of(sim).x - before == near(a, 1e-3));
    }
}

TEST_CASE("implicit penalties: a joint leans on its limit as far as the stiffness says") {
    for (const double frequency : {20.0, 100.0}) {
        SimulationOptions options = penalty_options();
        options.implicit.penalty_frequency = frequency;
        Simulation sim(compile(pendulum_with_limit(0.5)), options);
        JointState<double> state = sim.state();
        state.q[0] = 1;
        sim.set_state(state);
        run(sim, 5);
        // k d = m g l sin(angle), k = I (2π f)², about the hinge.
        const double inertia = 0.01 + 2 * 0.25, k = inertia * std::pow(2 * pi * frequency, 2);
        double angle = 0.5;
        for (int n = 0; n < 50; ++n) angle = 0.5 - 2 * gravity * 0.5 * std::sin(angle) / k;
        CHECK(sim.state().q[0] - 0.5 == near(angle - 0.5, 1e-3));
    }
}

TEST_CASE("implicit: hard limits and contacts beside penalties") {
    for (const bool box : {false, true}) {
        const auto model = compile(box ? box_on_slope(pi / 6, 0.6) : pendulum_with_limit(0.5));
        SimulationOptions hard = implicit_options(), soft = penalty_options();
        hard.touching = Touching::hard;
        soft.implicit.penalty_frequency = 2000;
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
    Simulation sim(compile(scene), penalty_options());
    int solves = 0, steps = 0;
    run(sim, 3, frame, [&](const StepReport& report) {
        solves += report.newton_iterations;
        steps += report.substeps;
    });
    const double k = std::pow(2 * pi * 100, 2);
    // Stiffness goes with what rests on a contact: each gives way by the same.
    const double depth = gravity / k / 4;
    CHECK(0.1 - position_of(sim).z == near(depth, 1e-3));
    CHECK(0.3 - position_of(sim, "upper_root").z == near(2 * depth, 1e-3));
    CHECK(solves < 1.2 * steps);
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
    Simulation held(compile(scene), penalty_options());
    run(held, 1);
    CHECK(std::abs(held.state().q[0]) < 1.1e-4);  // creeping speed
    joint.friction_loss = 2;
    Scene other;
    other.options.gravity = {0, 0, -gravity};
    const BodyId arm = other.add_body(
        world,
        {.name = "arm", .inertial = InertialSpec{1, {{0.5, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
    other.add_joint(arm, joint);
    Simulation falls(compile(other), penalty_options());
    run(falls, 0.01, 0.0001);
    CHECK(falls.state().v[0] == near(0.01 * (4.905 - 2) / 0.35, 1e-2));
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
    CHECK_THROWS_WITH(Simulation(model, penalty_options()), doctest::Contains("rubber"));
    CHECK_THROWS_WITH(Simulation(model, penalty_options()), doctest::Contains("take touching hard"));
    CHECK_NOTHROW(Simulation(model, implicit_options()));
}

// A box of 1000 kg on one of 1 kg: on the ground, on the light one, and where the two can move in a plane
// only, or the light one is a platform on a slide that a spring of 10 MN/m holds.
TEST_CASE("implicit penalties: what is heavy rests on what is light as deep as on the ground") {
    const double depth = gravity / std::pow(2 * pi * 100, 2) / 4;
    const char* const plane =
        "<joint name='{0}' type='slide' axis='1 0 0'/><joint name='{0}z' type='slide' axis='0 0 1'/>"
        "<joint type='hinge' axis='0 1 0'/>";
    for (const bool flat : {false, true}) {
        const auto root = [&](const char* name) {
            return flat ? fmt::format(fmt::runtime(plane), name)
                        : fmt::format("<freejoint name='{}'/>", name);
        };
        Simulation sim(model_of(fmt::format(
                           "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='0 0 1'/>"
                           "<body pos='0 0 .05'>{}<geom type='box' size='.2 .2 .05' mass='1'/></body>"
                           "<body pos='0 0 .35'>{}<geom type='box' size='.3 .3 .25' mass='1000'/></body>"
                           "</worldbody></mujoco>",
                           root("light"), root("heavy"))),
                       penalty_options());
        double deepest = 0, solves = 0;
        run(sim, 3, frame, [&](const StepReport& report) {
            deepest = std::max(deepest, report.penetration);
            solves += report.newton_iterations;
        });
        CHECK(deepest < 1.1 * depth);
        const auto sunk = [&](const char* name, double from) {
            return flat ? -sim.state().q[joint_of(sim, std::string(name) + "z").q_adr]
                        : from - position_of(sim, name).z;
        };
        // 1001 kg rest on the ground, 1000 on the light box.
        CHECK(sunk("light", 0.05) == near(depth, 1e-2));
        CHECK(sunk("heavy", 0.35) == near(2 * depth, 1e-2));
        CHECK(solves < 1.2 * 180);
    }
    Simulation lift(
        model_of("<mujoco><option gravity='0 0 -9.81'/><worldbody>"
                 "<body><joint name='lift' type='slide' axis='0 0 1' stiffness='1e7'/>"
                 "<geom type='box' size='.2 .2 .05' mass='1'/></body>"
                 "<body pos='0 0 .3'><freejoint name='root'/><geom type='box' size='.2 .2 .25' mass='1000'/>"
                 "</body></worldbody></mujoco>"),
        penalty_options());
    run(lift, 3);
    CHECK(lift.state().q[0] == near(-1001 * gravity / 1e7, 1e-3));
    CHECK(lift.state().q[0] + 0.3 - position_of(lift).z == near(depth, 1e-2));
}

TEST_CASE("implicit penalties: tendons keep their range and rub") {
    const auto pendulum = [](const char* tendon) {
        return model_of(
            fmt::format("<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>"
                        "<body><joint name='a' axis='0 1 0'/><inertial pos='.25 0 0' mass='1' "
                        "diaginertia='.02 .02 .02'/></body>"
                        "</worldbody><tendon><fixed name='t' {}><joint joint='a' coef='2'/></fixed></tendon>"
                        "</mujoco>",
                        tendon));
    };
    // Held by its upper bound: k d = m g l cos(angle) / 2, along a tendon whose inertia is I / 4.
    Simulation bound(pendulum("limited='true' range='-.8 .8'"), penalty_options());
    StepReport last;
    run(bound, 5, 0.01, [&](const StepReport& report) { last = report; });
    const double inertia = (0.02 + 0.25 * 0.25) / 4;
    const double k = inertia * std::pow(2 * pi * 100, 2), torque = gravity * 0.25 * std::cos(0.4);
    CHECK(2 * bound.state().q[0] - 0.8 == near(torque / 2 / k, 1e-3));
    CHECK(last.limit_violation == near(torque / 2 / k, 1e-3));
    // Dry friction of 2 N along the tendon is 4 N·m at the joint, more than its weight has; of 1 N it is not.
    Simulation held(pendulum("frictionloss='2'"), penalty_options());
    run(held, 1);
    CHECK(std::abs(held.state().q[0]) < 1e-4);
    Simulation falls(pendulum("frictionloss='1'"), penalty_options());
    EnergyFlows flows;
    run(falls, 0.01, 0.0001, [&](const StepReport& report) { flows += report.energy.flows; });
    CHECK(falls.state().v[0] == near(0.01 * (gravity * 0.25 - 2) / (4 * inertia), 1e-2));
    CHECK(flows.joint_friction == near(2 * falls.state().q[0], 1e-2));
}

TEST_CASE("implicit: hard is the default, unless there are bushings") {
    Scene scene = box_on_slope(0, 0.5);
    Simulation hard(compile(scene), implicit_options());
    CHECK(step_ok(hard, frame).velocity_steps > 0);
    BushingSpec tie;
    tie.body_a = world;
    tie.body_b = BodyId{1};
    tie.stiffness = {1, 1, 1};
    scene.add_bushing(tie);
    Simulation tied(compile(scene), implicit_options());
    CHECK(step_ok(tied, frame).velocity_steps == 0);
}

// Normals are those of the beginning of a step. A box that comes down beside the middle of a round end leaves
// them by centimetres within one.
TEST_CASE("implicit penalties: what slides off a round end gets no deeper than promised") {
    Simulation sim(model_of("<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
                            "<body pos='-.04 0 .5'><freejoint/><geom type='capsule' size='.16 .2' mass='40'/>"
                            "</body><body pos='.05 -.03 1.13'><freejoint/>"
                            "<geom type='box' size='.1 .14 .08' mass='9'/></body></worldbody></mujoco>"),
                   penalty_options());
    double deepest = 0;
    int steps = 0;
    run(sim, 1.5, frame, [&](const StepReport& report) {
        deepest = std::max(deepest, report.penetration);
        steps += report.substeps;
    });
    CHECK(deepest < 5e-3);
    CHECK(steps < 120);
}

// A ton on six links of half a kilogram swings until their cones hold it. The spin of a thin link about
// itself is next to nothing beside the moment of its cone.
TEST_CASE("implicit penalties: light links under a heavy load lean on their cones in few solutions") {
    std::string xml = "<mujoco><compiler angle='radian'/><worldbody>";
    for (int k = 0; k < 6; ++k)
        xml += fmt::format(
            "<body pos='0 0 {}'><joint type='ball' range='0 .3' limited='true'/>"
            "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='.02' mass='.5' contype='0' "
            "conaffinity='0'/>",
            k == 0 ? 3 : -0.25);
    xml +=
        "<body pos='0 0 -.25'><joint type='ball'/><geom size='.2' pos='0 0 -.2' mass='1000' contype='0' "
        "conaffinity='0'/></body>";
    for (int k = 0; k < 6; ++k) xml += "</body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"), penalty_options());
    JointState<double> state = sim.state();
    state.v[0] = 1;
    state.v[1] = 0.5;
    sim.set_state(state);
    const double start = total(sim.energy());
    int solves = 0;
    double widest = 0;
    run(sim, 1.5, frame, [&](const StepReport& report) {
        solves += report.newton_iterations;
        CHECK(report.rejected == 0);
        CHECK(total(sim.energy()) < start + 1e-6 * std::abs(start));
        for (int k = 0; k < 6; ++k) widest = std::max(widest, 2 * std::acos(sim.state().q[4 * k]));
    });
    CHECK(widest > 0.3);
    CHECK(widest < 0.31);
    CHECK(solves < 5 * 90);
}
