// Springs, dampers, rotors, drives, clips and forces from outside: closed forms, and `reduced` where there is
// none.

#include "support/held_character.h"
#include "support/impulse_runs.h"

#include <ligament/tracking.h>

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

std::string two_links(const std::string& joint, const std::string& extra = "",
                      const std::string& option = "") {
    return "<mujoco>" + option +
           "<default><geom contype='0' conaffinity='0'/></default><worldbody><body name='a'>"
           "<joint name='j' axis='0 1 0' " +
           joint +
           "/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.03'/><body name='b' pos='0.5 0 0'>"
           "<joint name='k' axis='0 1 0' " +
           joint + "/><geom type='capsule' fromto='0 0 0 0.3 0 0.1' size='0.03'/></body></body></worldbody>" +
           extra + "</mujoco>";
}

void check(const Convergence& found, double tolerance, double spread = 0.15) {
    CAPTURE(found.coarse);
    CAPTURE(found.fine);
    CHECK(found.fine < tolerance);
    CHECK(found.ratio() == doctest::Approx(2).epsilon(spread));
}

const auto nothing = [](Simulation&) {};

// A wheel of I = 0.5 about its axis, free of gravity's moment.
std::shared_ptr<const Model> wheel(const std::string& actuator) {
    return model_of(
        "<mujoco><worldbody><body name='wheel'><joint name='axle' axis='0 0 1'/>"
        "<inertial pos='0 0 0' mass='4' diaginertia='0.3 0.3 0.5'/></body></worldbody>"
        "<actuator>" +
        actuator + "</actuator></mujoco>");
}

}  // namespace

TEST_CASE("impulse drives: forces from outside") {
    const Effort effort{.substeps = 32};
    SUBCASE("along joints")
    check(converge(model_of(two_links("")), 0.3, effort,
                   [](Simulation& sim) { sim.inputs().qfrc_applied = {2, -0.5}; }),
          0.03);
    SUBCASE("on bodies")
    check(converge(model_of(two_links("")), 0.3, effort,
                   [](Simulation& sim) { sim.inputs().xfrc_applied[2] = {{0, 0.4, 0}, {3, 0, 5}}; }),
          0.03);
    SUBCASE("the same where joints are read anyway")
    check(converge(model_of(two_links("damping='0.01'")), 0.3, effort,
                   [](Simulation& sim) { sim.inputs().xfrc_applied[2] = {{0, 0.4, 0}, {3, 0, 5}}; }),
          0.03);
    SUBCASE("a medium")
    check(converge(model_of(two_links("", "", "<option density='50' viscosity='0.1' wind='2 0 1'/>")), 0.3,
                   effort, nothing),
          0.03);
    SUBCASE("bodies that float") {
        const auto model = model_of(
            "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody><body gravcomp='1'>"
            "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.03'/>"
            "<body pos='0.5 0 0' gravcomp='1'><joint axis='0 1 0'/>"
            "<geom type='capsule' fromto='0 0 0 0.3 0 0.1' size='0.03'/></body></body></worldbody></mujoco>");
        Simulation still(model, impulse_options());
        run(still, 1);
        for (const double q : still.state().q) CHECK(std::abs(q) < 1e-10);
    }
}

namespace {

// An engine on a bushing to a kinematic frame, with an arm on a hinge.
std::shared_ptr<const Model> mounted(double stiffness, double damping) {
    Scene scene;
    const BodyId frame = scene.add_body(world, {.name = "frame", .kinematic = true});
    const BodyId engine =
        scene.add_body(world, {.name = "engine",
                               .pose = {{0.1, 0, 0}},
                               .inertial = InertialSpec{10, {}, Sym3d::diagonal(0.2, 0.3, 0.25), {}}});
    scene.add_joint(engine, {.type = JointType::free});
    const InertialSpec rod{1, {{0.2, 0, 0}}, Sym3d::diagonal(0.01, 0.02, 0.02), {}};
    const BodyId arm = scene.add_body(engine, {.name = "arm", .inertial = rod});
    scene.add_joint(arm, {.axis = {0, 1, 0}, .damping = 0.2});
    BushingSpec mount;
    mount.name = "mount";
    mount.body_a = frame;
    mount.body_b = engine;
    mount.frame_a = {{0.1, 0.05, 0}};
    mount.frame_b = {{0, 0.05, 0}};
    mount.stiffness = stiffness * Vec3d{1, 2, 1.5};
    mount.damping = damping * Vec3d{1, 1, 2};
    mount.turn_stiffness = 0.05 * stiffness * Vec3d{1, 2, 1};
    mount.turn_damping = 0.05 * damping * Vec3d{1, 1, 1};
    scene.add_bushing(mount);
    return compile(scene);
}

}  // namespace

TEST_CASE("impulse drives: bushings, soft and much stiffer than steps are short") {
    check(converge(mounted(2000, 60), 0.3, {.substeps = 32},
                   [](Simulation& sim) {
                       BaseMotion<double> motion = sim.state().kinematic[0];
                       motion.velocity = {{0.5, 1, -0.3}, {0.4, 0, 0.2}};
                       motion.acceleration = {{1, -2, 0.5}, {3, 0.5, -1}};
                       sim.set_kinematic(sim.model().kinematic_bodies[0], motion);
                   }),
          0.02);
    // ω h = 20 at a single step of 1/60 s: it hangs there, sagging by its weight.
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(mounted(2e7, 2e4), impulse_options(1, 20, solver));
        run(sim, 8);
        CHECK(sim.state().q[2] == doctest::Approx(-11 * gravity / 3e7).epsilon(0.05));
        for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-2);
    }
}

TEST_CASE("impulse drives: springs, dampers and rotors of joints") {
    const Effort effort{.substeps = 32};
    check(converge(model_of(two_links("damping='0.3'")), 0.3, effort, nothing), 0.02);
    check(converge(model_of(two_links("stiffness='20' damping='0.1'")), 0.3, effort, nothing), 0.02);
    check(converge(model_of(two_links("stiffness='2000' damping='10'")), 0.3, effort, nothing), 0.005, 0.3);
    check(converge(model_of(two_links("armature='0.2'")), 0.3, effort, nothing), 0.02);
    // In space, turning fast, with rotors heavier than what they move.
    const auto rotors = model_of(
        "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody><body><joint type='ball'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='0.3 0 0'/><body pos='0.5 0 0'>"
        "<joint axis='1 2 0' armature='30'/><geom type='box' size='0.1 0.05 0.2' pos='0.1 0.1 0'/>"
        "<body pos='0.2 0.2 0'><joint type='slide' axis='1 0 0' armature='100'/>"
        "<geom type='box' size='0.05 0.03 0.1' pos='0 0.1 0'/></body></body></body></worldbody></mujoco>");
    const auto spin = [](Simulation& sim) {
        JointState<double> state = sim.state();
        state.v = {3, 2, 1, 4, 0.5};
        sim.set_state(state);
    };
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        check(converge(rotors, 0.2, {.substeps = 32, .solver = solver}, spin), 0.05);
    }
}

TEST_CASE("impulse drives: a stiff spring holds still what hangs on it, in one sweep") {
    // 1e5 N·m/rad against 2 kg at 0.5 m: sags by g/1e5.
    const auto model = model_of(
        "<mujoco><worldbody><body><joint axis='0 1 0' stiffness='1e5' damping='100'/>"
        "<inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.2 0.2'/></body></worldbody></mujoco>");
    Simulation sim(model, impulse_options());
    run(sim, 1);
    CHECK(sim.state().q[0] == doctest::Approx(gravity / 1e5).epsilon(1e-3));
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
}

TEST_CASE("impulse drives: every kind of joint with damper and rotor, several in a body, and a free body") {
    const Effort effort{.substeps = 32};
    const auto moving = [](Simulation& sim) {
        JointState<double> state = sim.state();
        std::fill(state.v.begin(), state.v.end(), 1.0);
        sim.set_state(state);
    };
    for (const JointType type : {JointType::hinge, JointType::slide, JointType::ball, JointType::universal,
                                 JointType::cylindrical, JointType::planar, JointType::screw}) {
        CAPTURE(static_cast<int>(type));
        Scene scene;
        const InertialSpec part{2, {{0.2, 0.1, 0}}, Sym3d::diagonal(0.1, 0.2, 0.25), {}};
        const BodyId first = scene.add_body(world, {.name = "first", .inertial = part});
        JointSpec joint;
        joint.type = type;
        joint.axis = {0, 0, 1};
        if (type == JointType::universal) joint.axis2 = {1, 0, 0};
        if (type == JointType::screw) joint.pitch = 0.1;
        joint.damping = 1;
        joint.armature = 0.5;
        scene.add_joint(first, joint);
        const BodyId second =
            scene.add_body(first, {.name = "second", .pose = {{0.4, 0, 0}}, .inertial = part});
        scene.add_joint(second, {.axis = {1, 0, 0}, .damping = 0.1});
        check(converge(compile(scene), 0.3, effort, moving), 2e-3);
    }
    const std::string begin = "<mujoco><worldbody><body>",
                      end =
                          "<geom type='box' size='0.1 0.2 0.15' pos='0.2 0.1 0'/></body></worldbody>"
                          "</mujoco>";
    check(converge(model_of(begin +
                            "<joint axis='0 1 0' stiffness='20' damping='0.5'/><joint axis='1 0 0' "
                            "armature='0.1'/><joint type='slide' axis='0 0 1' stiffness='500' damping='3' "
                            "armature='2'/>" +
                            end),
                   0.3, effort, moving),
          0.01);
    check(converge(model_of(begin + "<freejoint/>" + end), 0.3, effort,
                   [&](Simulation& sim) {
                       moving(sim);
                       sim.inputs().qfrc_applied = {3, 4, 50, 2, -1, 1};
                   }),
          0.01);
}

TEST_CASE("impulse drives: springs that are stiff about thin rods do not feed on themselves") {
    // A tree whose twigs are 10⁴ times as stiff against twisting as their inertia is large, without wind.
    Diagnostics log;
    Scene scene = load_scene(LIG_SOURCE_DIR "/scenes/plant.xml", {}, log);
    scene.options.wind = {0, 0, 0};
    Simulation sim(compile(scene), impulse_options());
    run(sim, 1);
    for (const double v : sim.state().v) CHECK(std::abs(v) < 1);
}

TEST_CASE("impulse drives: actuators with and without limits, and activations") {
    const auto controlled = [](std::vector<double> ctrl) {
        return [ctrl](Simulation& sim) { sim.inputs().ctrl = ctrl; };
    };
    const std::string servos =
                          "<actuator><position joint='j' kp='50' kv='5'/><velocity joint='k' kv='3'/>"
                          "</actuator>",
                      limited =
                          "<actuator><position joint='j' kp='50' kv='5' forcerange='-3 3'/>"
                          "<velocity joint='k' kv='3' forcerange='-1 1'/></actuator>",
                      filtered =
                          "<actuator><general joint='j' dyntype='filter' dynprm='0.1' gainprm='5'/>"
                          "</actuator>";
    check(converge(model_of(two_links("", servos)), 0.3, {.substeps = 32}, controlled({0.5, 1})), 0.02);
    check(converge(model_of(two_links("", limited)), 0.3, {.substeps = 32, .exact_steps = 400},
                   controlled({0.5, 1})),
          0.03);
    check(converge(model_of(two_links("", filtered)), 0.3, {.substeps = 32}, controlled({0.5})), 0.03);
}

TEST_CASE("impulse drives: a velocity motor of limited torque") {
    // ω = 2, |torque| ≤ 5, I = 0.5: there after 0.2 s, and not beyond.
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(wheel("<velocity joint='axle' kv='1e7' forcerange='-5 5'/>"),
                       impulse_options(0, 0, solver));
        sim.inputs().ctrl[0] = 2;
        run(sim, 0.19, 0.01);
        CHECK(sim.state().v[0] == doctest::Approx(0.19 * 5 / 0.5).epsilon(1e-9));
        run(sim, 0.31, 0.01);
        CHECK(sim.state().v[0] == doctest::Approx(2).epsilon(1e-6));
        // A load that it can carry, and one that it cannot.
        sim.inputs().qfrc_applied[0] = -4;
        run(sim, 0.5, 0.01);
        CHECK(sim.state().v[0] == doctest::Approx(2).epsilon(1e-6));
        sim.inputs().qfrc_applied[0] = -6;
        run(sim, 0.5, 0.01);
        CHECK(sim.state().v[0] == doctest::Approx(2 - 0.5 * 1 / 0.5).epsilon(1e-6));
    }
}

TEST_CASE("impulse drives: a position motor of limited torque follows a sine") {
    // C = θ − sin t, |torque| ≤ 10. The wheel needs I sin t; it starts at rest and has to catch up with
    // ω = 1: at 10/0.5 rad/s² that takes 0.05 s.
    const auto model = wheel("<position joint='axle' kp='1e6' kv='2e4' forcerange='-10 10'/>");
    Simulation sim(model, impulse_options());
    sim.callbacks.control = [](const JointState<double>& state, SmoothDynamics& inputs) {
        inputs.ctrl[0] = std::sin(state.time);
    };
    double worst = 0, fastest = 0, before = 0;
    run(sim, 6, 0.005, [&](const StepReport& report) {
        // The target is that of the beginning of the step, and damping lags by kv/kp = 0.02 s.
        if (report.time > 0.5)
            worst = std::max(worst, std::abs(sim.state().q[0] - std::sin(report.time - 0.005 - 0.02)));
        fastest = std::max(fastest, std::abs(sim.state().v[0] - before) / 0.005);
        before = sim.state().v[0];
    });
    CHECK(worst < 5e-3);
    CHECK(fastest <= 10 / 0.5 + 1e-9);
    // Too heavy a load: the torque is 10 and no more.
    sim.inputs().qfrc_applied[0] = -30;
    const double speed = sim.state().v[0];
    run(sim, 0.2, 0.005);
    CHECK(sim.state().v[0] - speed == doctest::Approx(-0.2 * 20 / 0.5).epsilon(0.03));
}

TEST_CASE("impulse drives: to a pose") {
    const auto pose = [](double torque) {
        return [torque](Simulation& sim) {
            const std::vector<double> target{0.5, 0.3};
            sim.drive_to_pose(target, {}, 5, 1, torque);
        };
    };
    const Effort effort{.substeps = 32, .exact_steps = 400};
    check(converge(model_of(two_links("")), 0.3, effort, pose(HUGE_VAL)), 0.02);
    check(converge(model_of(two_links("")), 0.3, effort, pose(2)), 0.02);
}

TEST_CASE("impulse drives: the powered character comes to its static sag") {
    const auto model = compile(held_character());
    Simulation sim(model, impulse_options());
    const JointState<double> start = sim.state();
    sim.drive_to_pose(start.q, {}, 10, 1, HUGE_VAL);
    run(sim, 4);
    Workspace<double> ws(model);
    std::vector<double> error(model->nv);
    difference<double>(ws, start.q, sim.state().q, error);
    double worst = 0;
    for (const Model::Joint& joint : model->joints) {
        double angle = 0;
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) angle = std::hypot(angle, error[k]);
        worst = std::max(worst, angle * 180 / pi);
    }
    // As of a stiff arm (benchmark scenes, G5); the hand sags at its wrist, too.
    CHECK(std::abs(worst - 10.51) < 0.05);
    for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-3);
}

TEST_CASE("impulse drives: joints that follow a clip") {
    // Two bars under gravity towards a pose: errors decay as (1 + x) e⁻ˣ.
    const auto model = model_of(two_links(""));
    TrackingOptions options;
    options.gains = settling_gains(0.5, 0.1);
    const MotionClip clip(*model, {{0, 1}, {0}, {0.4, -0.3}, {}});
    for (const char* solver : {"split-step", "soft-step"}) {
        CAPTURE(solver);
        Simulation sim(model, impulse_options(16, 20, solver));
        sim.track(clip, options);
        run(sim, 0.5, 0.01);
        CHECK(sim.state().q[0] == doctest::Approx(0.4 * 0.9).epsilon(5e-3));
        CHECK(sim.state().q[1] == doctest::Approx(-0.3 * 0.9).epsilon(5e-3));
    }
}
