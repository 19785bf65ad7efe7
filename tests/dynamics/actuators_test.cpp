// Actuators: every transmission, activation and clamp against MuJoCo.

#include "support/drive_reference.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

TEST_CASE("lengths, velocities and forces of all transmissions are those of MuJoCo") {
    for (const char* name : {"transmissions", "tendons", "actuators"}) {
        CAPTURE(std::string(name));
        const DriveReference reference(name);
        const Model& model = *reference.model;
        Driven<double> here(reference.model, reference.state);
        actuator_forces<double>(reference.state, model, reference.ctrl, here.drives);
        CHECK(difference_of(here.drives.actuator_length, reference.get("actuator_length")) < 1e-13);
        CHECK(difference_of(here.drives.actuator_velocity, reference.get("actuator_velocity")) < 1e-13);
        CHECK(difference_of(here.drives.actuator_force, reference.get("actuator_force")) < 1e-13);
        CHECK(difference_of(here.drives.joint_force, reference.get("qfrc_actuator")) < 1e-13);
    }
}

TEST_CASE("accelerations with actuators are those of MuJoCo") {
    for (const char* name : {"transmissions", "actuators"}) {
        CAPTURE(std::string(name));
        const DriveReference reference(name);
        Driven<double> here(reference.model, reference.state);
        std::vector<double> tau(reference.model->nv, 0.0), qacc = tau;
        add_smooth_forces<double>(reference.state, *reference.model, reference.ctrl, here.drives, tau);
        forward_dynamics<double>(reference.state, tau, here.ws, here.drives, qacc);
        CHECK(difference_of(qacc, reference.get("qacc")) < 1e-12);
    }
}

TEST_CASE("activations move as in MuJoCo, and those of a disabled group stay") {
    const DriveReference reference("actuators");
    const Model& model = *reference.model;
    Driven<double> here(reference.model, reference.state);
    actuator_forces<double>(reference.state, model, reference.ctrl, here.drives);
    CHECK(difference_of(here.drives.act_dot, reference.get("act_dot")) < 1e-13);
    std::vector<double> act(model.na);
    next_activation<double>(reference.state, model, here.drives, model.options.timestep, act);
    CHECK(difference_of(act, reference.get("act_next")) < 1e-13);
    const int off = model.actuators[model.find_actuator("off")].act_adr;
    CHECK(act[off] == reference.state.act[off]);
    CHECK(here.drives.act_dot[off] != 0);
}

TEST_CASE("servos given by a damping ratio get the damping of MuJoCo") {
    const DriveReference reference("transmissions");
    const std::vector<std::vector<double>> wanted = reference.numbers.at("biasprm");
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (int k = 0; k < 3; ++k)
            CHECK(reference.model->actuators[i].bias[k] == doctest::Approx(wanted[i][k]).epsilon(1e-13));
}

TEST_CASE("controls are clamped unless that is switched off") {
    const DriveReference reference("actuators", [](Scene& scene) {
        scene.options.enabled.clamp_control = false;
    });
    Driven<double> here(reference.model, reference.state);
    actuator_forces<double>(reference.state, *reference.model, reference.ctrl, here.drives);
    const int clamped = reference.model->find_actuator("clamp");
    CHECK(here.drives.actuator_force[clamped] == 10 * reference.ctrl[clamped]);
    CHECK(std::abs(here.drives.actuator_force[clamped]) > 4);
}

TEST_CASE("without actuation there are no forces and no rates") {
    const DriveReference reference("actuators",
                                   [](Scene& scene) { scene.options.enabled.actuation = false; });
    Driven<double> here(reference.model, reference.state);
    actuator_forces<double>(reference.state, *reference.model, reference.ctrl, here.drives);
    CHECK(here.drives.joint_force == std::vector<double>(reference.model->nv, 0.0));
    CHECK(here.drives.actuator_force == std::vector<double>(reference.model->nu, 0.0));
    CHECK(here.drives.act_dot == std::vector<double>(reference.model->na, 0.0));
}

TEST_CASE("a control that is not a number stays one") {
    const DriveReference reference("actuators");
    Driven<double> here(reference.model, reference.state);
    std::vector<double> ctrl = reference.ctrl;
    const int clamped = reference.model->find_actuator("clamp");
    ctrl[clamped] = std::nan("");
    actuator_forces<double>(reference.state, *reference.model, ctrl, here.drives);
    CHECK(std::isnan(here.drives.actuator_force[clamped]));
}

TEST_CASE("rows of sliders and cranks are the derivatives of their lengths") {
    const DriveReference reference("transmissions");
    const Model& model = *reference.model;
    Driven<double> here(reference.model, reference.state), there(reference.model, reference.state);
    constexpr double h = 2e-6;  // the crank is near the end of its reach, where its length bends sharply
    for (const char* name : {"a0", "a1", "a10"}) {
        CAPTURE(std::string(name));
        const int i = model.find_actuator(name);
        std::vector<double> wanted(model.nv), got(model.nv, 0.0);
        for (int k = 0; k < model.nv; ++k) {
            std::vector<double> v(model.nv, 0.0);
            v[k] = 1;
            for (const double sign : {1.0, -1.0}) {
                there.update(moved(here.ws, reference.state, v, sign * h));
                wanted[k] += sign * there.drives.actuator_length[i] / (2 * h);
            }
        }
        const Model::Row& row = model.actuators[i].row;
        for (int k = row.begin; k < row.begin + row.count; ++k)
            got[model.row_velocities[k]] = here.drives.row_entries[k];
        CHECK(difference_of(got, wanted) < 1e-9);
    }
}

TEST_CASE("a tendon on a moving base moves with it") {
    // A kinematic body carries one end along; the other is fixed to the world.
    Scene scene;
    BodySpec carrier;
    carrier.kinematic = true;
    carrier.pose.pos = {1, 0, 0};
    const BodyId body = scene.add_body(world, carrier);
    const SiteId a = scene.add_site(world, {}), b = scene.add_site(body, {});
    TendonSpec tendon;
    tendon.stops = {{TendonStop::Kind::site, a}, {TendonStop::Kind::site, b}};
    scene.add_tendon(tendon);
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.kinematic[0].velocity = {{0, 0, 0}, {0.5, 2, 0}};
    const Driven<double> here(model, state);
    CHECK(here.drives.tendon_length[0] == 1);
    CHECK(here.drives.tendon_velocity[0] == 0.5);
}

TEST_CASE("a frequency is relative to the two bodies of the joint") {
    // A disc of moment 0.5 on an axle carries another of moment 0.2 on the same axle.
    Scene scene;
    const auto disc = [](double moment) {
        BodySpec body;
        body.inertial = InertialSpec{1, {}, Sym3d::diagonal(moment, moment, moment), {}};
        return body;
    };
    const BodyId first = scene.add_body(world, disc(0.5)), second = scene.add_body(first, disc(0.2));
    const JointId on_world = scene.add_joint(first, {}), between = scene.add_joint(second, {});
    ActuatorSpec servo;
    servo.frequency = 3;
    servo.gear[0] = 2;
    servo.joint = on_world;
    scene.add_actuator(servo);
    servo.joint = between;
    servo.damping_ratio = 0.25;
    scene.add_actuator(servo);
    const auto model = compile(scene);
    const double omega = 2 * std::numbers::pi * 3;
    const double masses[] = {0.5, 1 / (1 / 0.5 + 1 / 0.2)}, ratios[] = {1, 0.25};
    for (int i = 0; i < 2; ++i) {
        const Model::Actuator& actuator = model->actuators[i];
        CHECK(actuator.gain[0] == doctest::Approx(masses[i] * omega * omega / 4).epsilon(1e-14));
        CHECK(actuator.bias[1] == -actuator.gain[0]);
        CHECK(actuator.bias[2] == doctest::Approx(-2 * ratios[i] * masses[i] * omega / 4).epsilon(1e-14));
    }
}
