// Pair constraints, loops, couplings, tendons and limits as rows on bodies: closed forms, and `reduced` where
// there is none. Steps are of first order: halving sub-steps halves the distance.

#include "support/impulse_runs.h"
#include "support/loop_scenes.h"
#include "support/pair_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

const char* const splitting = "split-step";

const auto nothing = [](Simulation&) {};

auto with_velocities(std::vector<double> v) {
    return [v = std::move(v)](Simulation& sim) {
        JointState<double> state = sim.state();
        state.v = v;
        sim.set_state(state);
    };
}

// First order, and near enough with 64 sub-steps.
void check(const Convergence& found, double tolerance) {
    CAPTURE(found.coarse);
    CAPTURE(found.fine);
    CHECK(found.fine < tolerance);
    CHECK(found.ratio() == doctest::Approx(2).epsilon(0.15));
}

// A free rigid body with a constraint to the world.
std::shared_ptr<const Model> constrained_body(std::shared_ptr<const PairConstraint> constraint,
                                              const Vec3d& pos, const Pose& on_body = {},
                                              const Vec3d& gravity = {0, 0, -g}) {
    Scene scene;
    scene.options.gravity = gravity;
    const BodyId body =
        scene.add_body(world, {.name = "body", .pose = {pos}, .inertial = mass(2, {0.1, 0.2, 0.25})});
    scene.add_joint(body, {.type = JointType::free});
    scene.add_constraint({.name = "held",
                          .body_a = world,
                          .body_b = body,
                          .frame_b = on_body,
                          .constraint = std::move(constraint)});
    return compile(scene);
}

// By limits, of steps of a frame.
double worst_violation(Simulation& sim, double seconds) {
    double worst = 0;
    run(sim, seconds, frame,
        [&](const StepReport& report) { worst = std::max(worst, report.limit_violation); });
    return worst;
}

// Two links in the x–z plane; geoms do not touch.
std::string two_links(const std::string& joint, const std::string& extra) {
    return "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody><body name='a'>"
           "<joint name='j' axis='0 1 0' " +
           joint +
           "/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.03'/><site name='s' pos='0.4 0 0'/>"
           "<body name='b' pos='0.5 0 0'><joint name='k' axis='0 1 0' " +
           joint +
           "/><geom type='capsule' fromto='0 0 0 0.3 0 0.1' size='0.03'/><site name='t' pos='0.3 0 0.1'/>"
           "</body></body><site name='w' pos='0.3 0.2 0.8'/></worldbody>" +
           extra + "</mujoco>";
}

}  // namespace

TEST_CASE("impulse rows: pair constraints between a free body and the world") {
    const Effort effort{.substeps = 32, .iterations = 50};
    SUBCASE("distance")
    check(converge(constrained_body(make<DistanceConstraint>(0.7), {0.7, 0, 0}), 0.5, effort,
                   with_velocities({0, 0.3, 0, 0.5, 0.2, 0.1})),
          0.03);
    SUBCASE("point on a line")
    check(converge(constrained_body(make<PointOnLineConstraint>(), {0, 0, -0.2}, {{0, 0, 0.2}}, {1, 0, -g}),
                   0.5, effort, with_velocities({0, 0, 0.2, 0, 0.8, 0.3})),
          0.03);
    SUBCASE("point on a plane")
    check(converge(constrained_body(make<PointOnPlaneConstraint>(), {0.1, 0, 0.3}, {{0, 0, -0.3}},
                                    {1, 0, -g}),
                   0.3, effort, with_velocities({0, 0, 0, 0.5, 0.4, 3})),
          0.03);
    SUBCASE("bead on an ellipse")
    check(converge(constrained_body(make<CurveConstraint>(CurveConstraint::ellipse(1, 0.5)), {1, 0, 0}, {},
                                    {0, -g, 0}),
                   0.5, effort, nothing),
          0.03);
    SUBCASE("knife edge") {
        // problems.json `chaplygin`: m = 1, J = 0.1, a = 0.3, u = w = 1 at the start; after 2 s
        constexpr double u2 = 1.09077466886314, w2 = 0.0332946784507712;
        Scene scene;
        scene.options.gravity = {0, 0, 0};
        const BodyId body =
            scene.add_body(world, {.name = "sleigh", .inertial = mass(1, {0.05, 0.05, 0.1}, {0.3, 0, 0})});
        scene.add_joint(body, {.type = JointType::slide, .axis = {1, 0, 0}});
        scene.add_joint(body, {.type = JointType::slide, .axis = {0, 1, 0}});
        scene.add_joint(body, {.type = JointType::hinge, .axis = {0, 0, 1}});
        scene.add_constraint(
            {.name = "blade", .body_a = world, .body_b = body, .constraint = make<KnifeEdgeConstraint>()});
        const auto model = compile(scene);
        const auto error = [&](int substeps) {
            Simulation sim(model, impulse_options(substeps, 50));
            with_velocities({1, 0, 1})(sim);
            run(sim, 2);
            const JointState<double>& state = sim.state();
            const double speed = state.v[0] * std::cos(state.q[2]) + state.v[1] * std::sin(state.q[2]);
            return std::max(std::abs(speed - u2), std::abs(state.v[2] - w2));
        };
        const double coarse = error(16), fine = error(32);
        CHECK(fine < 1e-3);
        CHECK(coarse / fine == doctest::Approx(2).epsilon(0.1));
    }
    SUBCASE("a disk that rolls in a circle")
    check(converge(
              [] {
                  Scene scene;
                  const BodyId disk = scene.add_body(world, {.name = "disk",
                                                             .pose = {{0, 0, 0.25}},
                                                             .inertial = mass(2, {0.03, 0.06, 0.03})});
                  scene.add_joint(disk, {.type = JointType::free});
                  scene.add_constraint({.name = "floor",
                                        .body_a = world,
                                        .body_b = disk,
                                        .frame_b = {{0, 0, 0}, {std::sqrt(0.5), -std::sqrt(0.5), 0, 0}},
                                        .constraint = make<RollingDiskConstraint>(0.25)});
                  return compile(scene);
              }(),
              0.3, effort, with_velocities({1.5, 0, 0, 0, 6, 0.3})),
          0.05);
}

TEST_CASE("impulse rows: rods between particles and between planar bodies, and a ring of hinges") {
    const Effort effort{.substeps = 32};
    for (const BodyKind kind : {BodyKind::particle, BodyKind::planar}) {
        Scene scene;
        BodyId before = world;
        for (int k = 0; k < 3; ++k) {
            const BodyId body = scene.add_body(world, {.name = "part" + std::to_string(k),
                                                       .pose = {{0.4 * (k + 1), 0, 0}},
                                                       .inertial = mass(1 + k, {0.1, 0.1, 0.1}),
                                                       .kind = kind});
            scene.add_constraint({.name = "rod" + std::to_string(k),
                                  .body_a = before,
                                  .body_b = body,
                                  .constraint = make<DistanceConstraint>(0.4)});
            before = body;
        }
        check(converge(compile(scene), 0.3, effort, nothing), 5e-3);
    }
    check(converge(compile(ring_scene(6, true)), 0.3, effort,
                   with_velocities({0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0})),
          5e-3);
}

TEST_CASE("impulse rows: a planar body on a pin, whose row across the plane moves nothing") {
    // A ball loop has three rows. The one across gets a response of rounding alone as soon as the body has
    // turned.
    Scene scene;
    const BodyId rod = scene.add_body(world, {.name = "rod",
                                              .pose = {{0.1, 0, 0}},
                                              .inertial = mass(1, {0.01, 0.01, 0.01}),
                                              .kind = BodyKind::planar});
    scene.add_loop(
        {.name = "pin", .type = JointType::ball, .body_a = rod, .body_b = world, .frame_a = {{-0.1, 0, 0}}});
    Simulation sim(compile(scene), impulse_options(16));
    run(sim, 0.3, 0.01);
    const JointState<double>& state = sim.state();
    CHECK(std::abs(std::hypot(state.q[0], state.q[1]) - 0.1) < 1e-5);
    // Fallen by z from rest: (I + m r²) ω²/2 = m g z.
    const double omega = std::sqrt(-2 * g * state.q[1] / 0.02);
    CHECK(std::abs(std::abs(state.v[2]) - omega) < 1e-2 * omega);
}

TEST_CASE("impulse rows: a ball that rolls down a slope") {
    Scene scene;
    const double angle = 0.4;
    scene.options.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
    const BodyId ball = scene.add_body(
        world, {.name = "ball", .pose = {{0, 0, 0.2}}, .inertial = mass(3, {0.048, 0.048, 0.048})});
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_constraint(
        {.name = "slope", .body_a = world, .body_b = ball, .constraint = make<RollingBallConstraint>(0.2)});
    Simulation sim(compile(scene), impulse_options(16));
    run(sim, 1, 0.01);
    // 2/5 m r² = 0.048: a = 5/7 g sin α. Semi-implicit steps are ahead by half a sub-step.
    const double a = 5.0 / 7 * g * std::sin(angle), h = 0.01 / 16;
    CHECK(std::abs(sim.state().v[0] - a) < 1e-6);
    CHECK(std::abs(sim.state().q[0] - 0.5 * a * (1 + h)) < 1e-5);
    CHECK(std::abs(sim.state().q[2] - 0.2) < 1e-6);
}

TEST_CASE("impulse rows: wheels in gear share their inertia") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    BodyId wheel[2];
    const double inertia[2] = {0.1, 0.7};
    for (int k = 0; k < 2; ++k) {
        wheel[k] = scene.add_body(
            world,
            {.name = k ? "b" : "a", .pose = {{1.0 * k, 0, 0}}, .inertial = mass(1, {1, 1, inertia[k]})});
        scene.add_joint(wheel[k], {.type = JointType::hinge, .axis = {0, 0, 1}});
    }
    scene.add_constraint(
        {.name = "gear", .body_a = wheel[0], .body_b = wheel[1], .constraint = make<GearConstraint>(-0.5)});
    const auto model = compile(scene);
    for (const char* solver : {splitting, "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(model, impulse_options(8, 20, solver));
        sim.inputs().qfrc_applied[0] = 0.3;
        run(sim, 1, 0.01);
        // One wheel of 0.1 + 0.7/4.
        CHECK(std::abs(sim.state().v[0] - 0.3 / 0.275) < 1e-6);
        CHECK(std::abs(sim.state().v[1] + 0.5 * 0.3 / 0.275) < 1e-6);
        // Soft rows and Baumgarte's feedback leave something of the error.
        CHECK(std::abs(sim.state().q[1] + 0.5 * sim.state().q[0]) < (solver == splitting ? 1e-6 : 1e-3));
    }
}

TEST_CASE("impulse rows: a prescribed crank follows its law of time") {
    Scene scene;
    const BodyId arm =
        scene.add_body(world, {.name = "arm", .inertial = mass(2, {0.05, 0.05, 0.05}, {0, 0, -0.6})});
    scene.add_joint(arm, {.name = "pin", .axis = {0, 1, 0}});
    const MotionProfile sine{.amplitude = 1, .frequency = 1 / (2 * pi)};
    scene.add_constraint({.name = "drive",
                          .body_a = world,
                          .body_b = arm,
                          .constraint = make<PrescribedConstraint>(PrescribedConstraint::Axes{},
                                                                   PrescribedConstraint::Axes{.y = sine})});
    const auto model = compile(scene);
    for (const char* solver : {splitting, "soft-step", "classic"}) {
        CAPTURE(solver);
        SimulationOptions options = impulse_options(16, 20, solver);
        // What soft rows carry makes them give by less than the tolerance.
        if (options.solver == "soft-step") options.impulse.joints = {240, 2};
        Simulation sim(model, options);
        double worst_angle = 0, worst_speed = 0;
        run(sim, 4, 0.02, [&](const StepReport& report) {
            worst_angle = std::max(worst_angle, std::abs(sim.state().q[0] - std::sin(report.time)));
            worst_speed = std::max(worst_speed, std::abs(sim.state().v[0] - std::cos(report.time)));
        });
        // Rows ask for the speed at the beginning of a sub-step, 1/800 s; errors of position are removed.
        CHECK(worst_speed < 1.3e-3);
        CHECK(worst_angle < 2e-4);
    }
}

TEST_CASE("impulse rows: loops, also with rows that follow from others") {
    check(converge(model_of(four_bar), 0.3, {.substeps = 32},
                   [](Simulation& sim) { sim.inputs().ctrl[0] = 0.5; }),
          0.05);
    check(converge(compile(heavy_four_bar_scene()), 0.5, {.substeps = 32}, nothing), 2e-3);
    // With as few sweeps as by default; bars of 0.3 m to 0.8 m.
    const std::pair<const char*, double> errors[] = {
        {splitting, 1e-4}, {"soft-step", 0.01}, {"classic", 0.03}};
    for (const auto& [solver, most] : errors) {
        CAPTURE(solver);
        Simulation sim(model_of(four_bar), impulse_options(0, 0, solver));
        double worst = 0;
        run(sim, 2, frame, [&](const StepReport& report) {
            CHECK(report.equality_rows == 3);
            worst = std::max(worst, report.equality_error);
        });
        CHECK(worst > 0);
        CHECK(worst < most);
    }
}

TEST_CASE("impulse rows: a loop that closes gradually") {
    Scene scene;
    const BodyId bar = scene.add_body(
        world, {.name = "bar", .pose = {{0.3, 0, 0}}, .inertial = mass(1, {0.02, 0.02, 0.001})});
    scene.add_joint(bar, {.type = JointType::free});
    LoopSpec pin;
    pin.name = "pin";
    pin.type = JointType::ball;
    pin.body_a = world;
    pin.body_b = bar;
    pin.frame_b = {{0, 0, 0.25}};
    pin.closing_time = 0.5;
    scene.add_loop(pin);
    const auto model = compile(scene);
    check(converge(model, 0.8, {.substeps = 32}, nothing, 0.01), 0.05);
}

TEST_CASE("impulse rows: couplings and tendons") {
    const Effort effort{.substeps = 32};
    SUBCASE("a joint that follows another by a polynomial")
    check(converge(model_of(two_links("",
                                      "<equality><joint joint1='j' joint2='k' polycoef='0 0.5 0.2 0 0'/>"
                                      "</equality>")),
                   0.4, effort, nothing),
          0.03);
    SUBCASE("a tendon with spring and damper along joints")
    check(converge(model_of(two_links("",
                                      "<tendon><fixed stiffness='30' damping='1' springlength='0.1'>"
                                      "<joint joint='j' coef='0.5'/><joint joint='k' coef='-0.3'/>"
                                      "</fixed></tendon>")),
                   0.3, effort, nothing),
          0.03);
    SUBCASE("a tendon through space")
    check(converge(model_of(two_links("",
                                      "<tendon><spatial stiffness='40' damping='2' springlength='0.3'>"
                                      "<site site='w'/><site site='s'/><site site='t'/></spatial>"
                                      "</tendon>")),
                   0.2, effort, nothing),
          0.03);
    SUBCASE("a tendon with inertia")
    check(converge(model_of(two_links("",
                                      "<tendon><spatial armature='3'><site site='w'/><site site='t'/>"
                                      "</spatial></tendon>")),
                   0.4, effort, nothing),
          0.03);
    SUBCASE("a tendon that follows another")
    check(converge(model_of(two_links("",
                                      "<tendon><spatial name='one'><site site='w'/><site site='s'/>"
                                      "</spatial><fixed name='two'><joint joint='k' coef='0.4'/></fixed>"
                                      "</tendon><equality><tendon tendon1='one' tendon2='two' "
                                      "polycoef='0 0.7 0 0 0'/></equality>")),
                   0.3, effort, nothing),
          0.03);
    SUBCASE("a tendon that pulls with a motor")
    check(converge(model_of(two_links("damping='0.1'",
                                      "<tendon><spatial name='one'><site site='w'/><site site='t'/></spatial>"
                                      "</tendon><actuator><position tendon='one' kp='60' kv='3'/>"
                                      "</actuator>")),
                   0.4, effort, [](Simulation& sim) { sim.inputs().ctrl[0] = 0.5; }),
          0.03);
}

TEST_CASE("impulse rows: a tendon at the end of its range carries what hangs on it") {
    const auto model = model_of(
        "<mujoco><worldbody><body name='ball'><freejoint/><geom size='0.1' mass='2'/><site name='s'/></body>"
        "<site name='w' pos='0 0 1'/></worldbody><tendon><spatial range='0 1.2' limited='true'>"
        "<site site='w'/><site site='s'/></spatial></tendon></mujoco>");
    Simulation sim(model, impulse_options());
    CHECK(worst_violation(sim, 3) < 2e-3);
    CHECK(std::abs(sim.state().q[2] + 0.2) < 2e-4);  // slop: 1e-4
    CHECK(std::abs(sim.state().v[2]) < 1e-6);
}

TEST_CASE("impulse rows: limits of slides, universals and narrow cones") {
    SUBCASE("slide") {
        Simulation sim(model_of("<mujoco><worldbody><body><joint name='s' type='slide' axis='0 0 1' "
                                "range='-0.1 1' limited='true'/><geom size='0.1' mass='3'/></body>"
                                "</worldbody></mujoco>"),
                       impulse_options());
        run(sim, 1);
        CHECK(std::abs(sim.state().q[0] + 0.1) < 2e-4);
        CHECK(std::abs(sim.state().v[0]) < 1e-9);
        std::vector<double> force(1);
        sim.limit_forces(force);
        CHECK(force[0] == doctest::Approx(3 * g).epsilon(1e-6));
    }
    SUBCASE("two hinges in one body") {
        Simulation sim(model_of("<mujoco><worldbody><body><joint axis='0 1 0' range='-20 20' limited='true'/>"
                                "<joint axis='1 0 0' range='-10 10' limited='true'/>"
                                "<geom type='box' pos='0.3 0.2 0' size='0.2 0.1 0.05' mass='3'/></body>"
                                "</worldbody></mujoco>"),
                       impulse_options());
        CHECK(worst_violation(sim, 2) < 5e-3);
        CHECK(std::abs(std::abs(sim.state().q[0]) - 20 * pi / 180) < 1e-3);
        CHECK(std::abs(std::abs(sim.state().q[1]) - 10 * pi / 180) < 1e-3);
        for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-3);
    }
    SUBCASE("a ball in a narrow cone") {
        Simulation sim(model_of("<mujoco><worldbody><body><joint type='ball' range='0 5' limited='true'/>"
                                "<geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05' mass='3'/></body>"
                                "</worldbody></mujoco>"),
                       impulse_options());
        CHECK(worst_violation(sim, 2) < 5e-3);
        for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-2);
    }
}

TEST_CASE("impulse rows: dry friction holds what it can and no more") {
    // A bar of 2 kg, 1 m on a horizontal hinge: weight 2 g/2 N·m.
    for (const double share : {0.9, 1.1}) {
        CAPTURE(share);
        Scene scene;
        const BodyId bar = scene.add_body(
            world, {.name = "bar", .inertial = mass(2, {0.001, 1.0 / 6, 1.0 / 6}, {0.5, 0, 0})});
        scene.add_joint(bar, {.axis = {0, 1, 0}, .friction_loss = share * g});
        Simulation sim(compile(scene), impulse_options(16, 20));
        run(sim, 0.1, 0.01);
        // I = 2/3: what is left of the weight turns it.
        if (share > 1)
            CHECK(std::abs(sim.state().v[0]) < 1e-9);
        else
            CHECK(sim.state().v[0] == doctest::Approx(0.1 * (1 - share) * g / (2.0 / 3)).epsilon(2e-3));
    }
    check(converge(model_of(two_links("frictionloss='0.5'", "")), 0.5,
                   {.substeps = 32, .exact_steps = 400}, nothing),
          0.03);
}
