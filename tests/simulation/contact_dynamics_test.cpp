// Accelerations and forces of single states in which something touches, against closed forms.

#include "support/contact_scenes.h"

#include <ligament/contact_dynamics.h>
#include <ligament/function_constraint.h>
#include <ligament/pair_kinds.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double exact = 1e-9;

// A state of the reference configuration, with what is to be found in it.
struct Case {
    explicit Case(std::shared_ptr<const Model> model_)
        : model(std::move(model_)), state(*model), dynamics(model) {}
    explicit Case(const std::string& mjcf) : Case(model_of(mjcf)) {}

    void accelerate() {
        const TouchingStatus status = dynamics.accelerate(state);
        CAPTURE(dynamics.where);
        REQUIRE(status == TouchingStatus::ok);
    }
    // … and forces for accelerations.
    void find_forces(std::vector<double> qacc) {
        const TouchingStatus status = dynamics.find_forces(state, qacc);
        CAPTURE(dynamics.where);
        REQUIRE(status == TouchingStatus::ok);
    }
    double along(const Vec3d& direction) const {
        return dot(direction, {dynamics.qacc[0], dynamics.qacc[1], dynamics.qacc[2]});
    }

    std::shared_ptr<const Model> model;
    JointState<double> state;
    ContactDynamics dynamics;
};

// N·m and N as they come.
doctest::Approx near(double value) { return doctest::Approx(value).epsilon(exact).scale(1); }

}  // namespace

TEST_CASE("contact dynamics: a box on an incline sticks, breaks away, slides down and up") {
    const double g = gravity, s = std::sin(slope), c = std::cos(slope);
    const double weight = 1000 * 0.4 * 0.4 * 0.2 * g;
    for (const double mu : {0.9, 0.58, 0.5, 0.2}) {
        CAPTURE(mu);
        Case it(incline(mu, 0.1, box));
        it.accelerate();
        const bool holds = mu > std::tan(slope);
        CHECK(it.along(downhill()) == near(holds ? 0 : g * (s - mu * c)));
        CHECK(it.dynamics.contacts.size() == 4);
        Vec3d sum = Vec3d::zero();
        for (const TouchingContact& contact : it.dynamics.contacts) {
            CHECK(contact.mode == (holds ? TouchingMode::sticks : TouchingMode::breaks_away));
            sum += contact.force;
        }
        const Vec3d normal{s, 0, c};
        CHECK(dot(sum, normal) == near(weight * c));
        CHECK(dot(sum, downhill()) == near(-(holds ? weight * s : mu * weight * c)));

        for (const double speed : {1.5, -2.0}) {
            for (int k = 0; k < 3; ++k) it.state.v[k] = speed * downhill()[k];
            it.accelerate();
            CHECK(it.along(downhill()) == near(g * (s - std::copysign(mu * c, speed))));
            CHECK(it.dynamics.contacts[0].mode == TouchingMode::slides);
            std::fill(it.state.v.begin(), it.state.v.end(), 0.0);
        }
    }
}

TEST_CASE("contact dynamics: four feet share a weight, least squares where many answers do") {
    // 2 m × 1 m between the feet; a push in the middle of the top and one off it.
    Case it(
        "<mujoco><default><geom friction='0.7 0 0'/></default><worldbody><geom type='plane' size='0 0 1'/>"
        "<body pos='0 0 0.5'><freejoint/><geom type='box' size='1 0.5 0.5' mass='8'/></body></worldbody>"
        "</mujoco>");
    it.accelerate();
    REQUIRE(it.dynamics.contacts.size() == 4);
    for (const TouchingContact& contact : it.dynamics.contacts) {
        CHECK(contact.force.z == near(8 * gravity / 4));
        CHECK(contact.force.x == near(0));
    }
    // A moment of 20 N·m about y: what is nearer to +x carries more. (Σ N = W, Σ x N = 20, each side alike.)
    it.dynamics.inputs().qfrc_applied = {0, 0, 0, 0, 20, 0};
    it.accelerate();
    for (const double a : it.dynamics.qacc) CHECK(a == near(0));
    for (const TouchingContact& contact : it.dynamics.contacts)
        CHECK(contact.force.z == near(8 * gravity / 4 + (contact.point.x > 0 ? 5 : -5)));
    // 100 N·m tip it over the edge x = 1: about that, the weight has 8 g · 1 m. Sliding is prevented.
    it.dynamics.inputs().qfrc_applied = {0, 0, 0, 0, 100, 0};
    it.accelerate();
    const double about_edge = 8.0 / 12 * (4 + 1) + 8 * (1 + 0.25);
    CHECK(it.dynamics.qacc[4] == near((100 - 8 * gravity) / about_edge));
    int open = 0;
    for (const TouchingContact& contact : it.dynamics.contacts) open += contact.mode == TouchingMode::opens;
    CHECK(open == 2);
}

TEST_CASE("contact dynamics: a ladder stands, slips, and slides") {
    // A rod of length 2 h along (cos a, sin a) in the plane of x and z, thin, against a wall x = 0; its lower
    // end at x > 0. Balls at its ends touch.
    const double h = 1, mass = 3, radius = 0.01;
    const auto ladder = [&](double angle, double floor, double wall) {
        const std::string text =
            "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1' friction='" + number(floor) +
            " 0 0' priority='1'/><geom name='wall' type='plane' size='0 0 1' zaxis='1 0 0' friction='" +
            number(wall) + " 0 0' priority='1'/><body pos='" + number(radius + h * std::cos(angle)) +
            " 0 " + number(radius + h * std::sin(angle)) +
            "'><joint type='slide' axis='1 0 0'/><joint type='slide' "
            "axis='0 0 1'/><joint type='hinge' axis='0 1 0'/><inertial pos='0 0 0' mass='3' diaginertia='1 "
            "1 1'/>"
            "<geom size='0.01' pos='" +
            number(h * std::cos(angle)) + " 0 " + number(-h * std::sin(angle)) +
            "'/><geom size='0.01' pos='" + number(-h * std::cos(angle)) + " 0 " +
            number(h * std::sin(angle)) + "'/></body></worldbody></mujoco>";
        return Case(text);
    };
    const double I = 1, weight = mass * gravity, angle = 1.1;
    const double s = std::sin(angle), c = std::cos(angle);
    // The balls touch at (h c, −h s − r) and (−h c − r, h s) from the middle. About +y, the moment of (fx,
    // fz) at (x, z) is z fx − x fz. A rough floor and a smooth wall: forces (−R, W) and (R, 0).
    Case stands = ladder(angle, 0.9, 0);
    stands.accelerate();
    for (const double a : stands.dynamics.qacc) CHECK(a == near(0));
    REQUIRE(stands.dynamics.contacts.size() == 2);
    const auto on = [&](Case& it, const char* surface) {
        Vec3d sum = Vec3d::zero();
        for (const TouchingContact& contact : it.dynamics.contacts)
            if (it.model->geoms[contact.geom_a].spec.name == surface) sum += contact.force;
        return sum;
    };
    const double bears = weight * h * c / (2 * h * s + radius);
    CHECK(on(stands, "floor").z == near(weight));
    CHECK(on(stands, "floor").x == near(-bears));
    CHECK(on(stands, "wall").x == near(bears));
    // It slides with the rate w: the middle is at (h cos a, h sin a), ȧ = −w, and turns by ä about +y.
    //   ẍ = −h s ä − h c w²,  z̈ = h c ä − h s w²
    // Forces on the floor (−mu N, N), at the wall (R, nu R):
    //   m ẍ = R − mu N,  m z̈ = N + nu R − W,  I ä = (h s + r) mu N − h c N + h s R + (h c + r) nu R
    struct Sliding {
        double w, mu, nu;
    };
    for (const auto& [w, mu, nu] : {Sliding{0, 0, 0}, {0, 0.1, 0.2}, {0.7, 0.3, 0.2}}) {
        CAPTURE(w);
        CAPTURE(mu);
        Case slides = ladder(angle, mu, nu);
        slides.state.v = {h * s * w, -h * c * w, -w};
        slides.accelerate();
        const auto lacks = [&, w = w, mu = mu, nu = nu](double a) {
            const double x = -h * s * a - h * c * w * w, z = h * c * a - h * s * w * w;
            const double R = (mass * x + mu * (weight + mass * z)) / (1 + mu * nu);
            const double N = weight + mass * z - nu * R;
            return I * a -
                   ((h * s + radius) * mu * N - h * c * N + h * s * R + (h * c + radius) * nu * R);
        };
        CHECK(slides.dynamics.qacc[2] ==
              doctest::Approx(-lacks(0) / (lacks(1) - lacks(0))).epsilon(w > 0 ? 1e-7 : exact));
    }
}

TEST_CASE("contact dynamics: two fingers grasp with what the cone needs") {
    // Two fingers on slides hold a box by its sides; only friction carries it.
    const double mass = 2, mu = 0.4;
    const std::string text =
        "<mujoco><default><geom friction='0.4 0 0'/></default><worldbody>"
        "<body pos='-0.11 0 1'><joint name='left' type='slide' axis='1 0 0'/><geom type='sphere' "
        "size='0.01' "
        "mass='0.3'/></body>"
        "<body pos='0.11 0 1'><joint name='right' type='slide' axis='-1 0 0'/><geom type='sphere' "
        "size='0.01' "
        "mass='0.3'/></body>"
        "<body pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody>"
        "<actuator><motor joint='left'/><motor joint='right'/></actuator></mujoco>";
    Case it(text);
    it.find_forces(std::vector<double>(it.model->nv, 0.0));
    const double squeeze = mass * gravity / (2 * mu);
    for (int k = 0; k < 2; ++k) CHECK(it.dynamics.loops.actuator_force[k] == near(squeeze));
    // These forces hold it, a little less does not: then it falls by what friction lacks.
    it.dynamics.inputs().ctrl = {1.001 * squeeze, 1.001 * squeeze};
    it.accelerate();
    for (const double a : it.dynamics.qacc) CHECK(a == near(0));
    it.dynamics.inputs().ctrl = {0.9 * squeeze, 0.9 * squeeze};
    it.accelerate();
    CHECK(it.dynamics.qacc[4] == near(-0.1 * gravity));
    // Down between the fingers with 3 m/s²: friction is at its cone then. Up: there it points down.
    std::vector<double> along(it.model->nv, 0.0);
    along[4] = -3;
    it.find_forces(along);
    CHECK(it.dynamics.loops.actuator_force[0] == near(mass * (gravity - 3) / (2 * mu)));
    along[4] = 3;
    CHECK(it.dynamics.find_forces(it.state, along) == TouchingStatus::unreachable);
    // Nothing lets it turn about the line between the fingers.
    std::vector<double> turning(it.model->nv, 0.0);
    turning[5] = 1;
    CHECK(it.dynamics.find_forces(it.state, turning) == TouchingStatus::unreachable);
    CHECK(it.dynamics.where.find("no actuator gives the motion what it asks for along") == 0);
}

TEST_CASE("contact dynamics: limits and dry friction of joints") {
    // A rod of 2 kg and 1 m on a hinge about y, horizontal at its limit: the limit holds it up.
    const std::string text =
        "<mujoco><compiler angle='radian'/><worldbody><body><joint name='pin' axis='0 1 0' range='-1 0' "
        "frictionloss='{}'/><inertial pos='0.5 0 0' mass='2' diaginertia='0.1 0.1 0.1'/></body></worldbody>"
        "<actuator><motor joint='pin'/></actuator></mujoco>";
    const auto rod = [&](const char* friction) {
        std::string own = text;
        own.replace(own.find("{}"), 2, friction);
        return Case(own);
    };
    const double torque = 2 * gravity * 0.5, inertia = 0.1 + 2 * 0.25;
    Case it = rod("0");
    it.accelerate();
    CHECK(it.dynamics.qacc[0] == near(0));
    REQUIRE(it.dynamics.limits.size() == 1);
    CHECK(it.dynamics.limits[0].force == near(torque));
    CHECK(it.dynamics.limit_force[0] == near(-torque));
    it.dynamics.inputs().ctrl = {-torque - 3};
    it.accelerate();
    CHECK(it.dynamics.qacc[0] == near(-3 / inertia));
    CHECK(it.dynamics.limits[0].force == 0);
    // To stay takes nothing, to leave takes all; beyond it no motor can.
    it.find_forces({0});
    CHECK(it.dynamics.loops.actuator_force[0] == near(0).epsilon(1e-5));
    it.find_forces({-2});
    CHECK(it.dynamics.loops.actuator_force[0] == near(-torque - 2 * inertia));
    std::vector<double> beyond{0.5};
    CHECK(it.dynamics.find_forces(it.state, beyond) == TouchingStatus::into_contact);
    CHECK(it.dynamics.where.find("the accelerations lead into the limit of joint 'pin', by 0.5") == 0);
    // Into the limit: an impact.
    it.state.v[0] = 0.25;
    CHECK(it.dynamics.accelerate(it.state) == TouchingStatus::impact);
    CHECK(it.dynamics.where.find("joint 'pin' is at its limit and moves beyond it at 0.25") == 0);

    // Dry friction of 4 N·m: sticks up to that, then takes it off.
    Case dry = rod("4");
    dry.state.q[0] = -0.5;
    const double hanging = 2 * gravity * 0.5 * std::cos(0.5);
    for (const double control : {-hanging - 3.9, -hanging + 3.9}) {
        dry.dynamics.inputs().ctrl = {control};
        dry.accelerate();
        CHECK(dry.dynamics.qacc[0] == near(0));
        CHECK(dry.dynamics.friction_force[0] == near(-control - hanging));
    }
    for (const double sign : {1.0, -1.0}) {
        dry.dynamics.inputs().ctrl = {-hanging + sign * 5};
        dry.accelerate();
        CHECK(dry.dynamics.qacc[0] == near(sign / inertia));
        dry.state.v[0] = -sign;  // it goes on against what pushes
        dry.accelerate();
        CHECK(dry.dynamics.qacc[0] == near(sign * 9 / inertia));
        dry.state.v[0] = 0;
    }
    dry.find_forces({0});
    CHECK(dry.dynamics.loops.actuator_force[0] == doctest::Approx(-(hanging - 4)).epsilon(1e-5));
}

TEST_CASE("contact dynamics: what approaches is an impact, what parts is free") {
    Case it(floor_with(0.5, 0, 0, 3,
                       "<body pos='0 0 0.1'><freejoint name='root'/><geom name='ball' "
                       "size='0.1'/></body>"));
    it.state.v[2] = -0.1;
    CHECK(it.dynamics.touches(it.state));
    CHECK(it.dynamics.accelerate(it.state) == TouchingStatus::impact);
    CHECK(it.dynamics.where.find("geom 0 and geom 'ball' touch and approach each other at 0.1") == 0);
    it.state.v[2] = 0.1;
    CHECK_FALSE(it.dynamics.touches(it.state));
    it.accelerate();
    CHECK(it.dynamics.qacc[2] == near(-gravity));
    // Into the floor: no force does that.
    it.state.v[2] = 0;
    std::vector<double> down{0, 0, -1, 0, 0, 0};
    CHECK(it.dynamics.find_forces(it.state, down) == TouchingStatus::into_contact);
    // A rolling ball keeps rolling: the point that touches is not at rest relative to the surface's curve.
    it.state.v = {0.3, 0, 0, 0, 3, 0};
    it.accelerate();
    for (const double a : it.dynamics.qacc) CHECK(a == doctest::Approx(0).scale(1).epsilon(1e-7));
    CHECK(it.dynamics.contacts[0].mode == TouchingMode::sticks);
}

TEST_CASE("contact dynamics: a rope that is taut") {
    Scene scene;
    const InertialSpec inertial{2, {{0, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1)};
    const BodyId load = scene.add_body(world, {.name = "load", .pose = {{0, 0, -2}}, .inertial = inertial});
    scene.add_joint(load, {.name = "x", .type = JointType::slide, .axis = {1, 0, 0}});
    scene.add_joint(load, {.name = "z", .type = JointType::slide, .axis = {0, 0, 1}});
    scene.add_constraint({.name = "rope",
                          .body_b = load,
                          .constraint = std::make_shared<DistanceConstraint>(2),
                          .force = {.upper = 0}});
    Case it(compile(scene));
    // A pendulum at its lowest point: the rope bears the weight and turns it, v²/l.
    it.state.v = {1.5, 0};
    it.accelerate();
    CHECK(it.dynamics.qacc[0] == near(0));
    CHECK(it.dynamics.qacc[1] == doctest::Approx(1.5 * 1.5 / 2).epsilon(1e-7));
    // Slack: it falls.
    it.state.q[1] = 0.1;
    it.accelerate();
    CHECK(it.dynamics.qacc[1] == near(-gravity));
    it.state.q[1] = 0;
    it.state.v = {0, -0.2};
    CHECK(it.dynamics.accelerate(it.state) == TouchingStatus::impact);
    // To be lifted by 1 m/s², 2 (g + 1) N where nothing else helps.
    it.state.v = {0, 0};
    it.find_forces({0, 1});
    CHECK(it.dynamics.loops.joint_force[1] == near(2 * (gravity + 1)));
}

TEST_CASE("contact dynamics: a motor that is only so strong") {
    // A bob of 1 kg at 0.5 m below a hinge along y; the motor brings its angle to 0 as exp(−t/τ), τ = 0.02 s.
    Scene scene;
    const InertialSpec inertial{1, {{0, 0, -0.5}}, Sym3d::diagonal(0.01, 0.01, 0.01)};
    const BodyId bob = scene.add_body(world, {.name = "bob", .inertial = inertial});
    scene.add_joint(bob, {.name = "hinge", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_constraint({.name = "motor",
                          .body_b = bob,
                          .constraint = holonomic(
                              [](const auto& X, const auto&) { return atan2(X.R(0, 2), X.R(2, 2)); }),
                          .force = {-10, 10}});
    Case it(compile(scene));
    const double inertia = 0.26, tau = 0.02;
    const auto falls = [&](double angle) { return -gravity * 0.5 * std::sin(angle); };
    // As fast as it wants to be, and strong enough: it slows down as the exponential does.
    it.state.q = {1e-3};
    it.state.v = {-1e-3 / tau};
    it.accelerate();
    CHECK(it.dynamics.qacc[0] == doctest::Approx(1e-3 / (tau * tau)).epsilon(1e-6));
    CHECK(it.dynamics.friction_force[0] ==
          doctest::Approx(inertia * 1e-3 / (tau * tau) - falls(1e-3)).epsilon(1e-6));
    // The same from where that takes more than it has; too slow, too fast: all it has.
    for (const auto& [speed, force] : {std::pair{-0.3 / tau, 10.0}, {0.0, -10.0}, {-20.0, 10.0}}) {
        it.state.q = {0.3};
        it.state.v = {speed};
        it.accelerate();
        CHECK(it.dynamics.qacc[0] == near((force + falls(0.3)) / inertia));
    }
}

TEST_CASE("contact dynamics: accelerations are the limit of small steps, to first order") {
    // A slider crank with dry friction in the crank, whose slider is a block that slides on a floor.
    const double crank = 0.7, rate = 3, s = std::sin(crank), c = std::cos(crank);
    const double tilt = std::asin(0.3 * s), tilting = -0.3 * c * rate / std::cos(tilt);
    Case it(
        "<mujoco><compiler angle='radian'/><default><geom friction='0.4 0 0'/></default><worldbody>"
        "<geom name='floor' type='plane' size='0 0 1' pos='0 0 -0.1'/>"
        "<body name='crank'><joint name='crank' axis='0 -1 0' frictionloss='0.5' range='-9 " +
        number(crank) +
        "'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.01' mass='1' contype='0' conaffinity='0'/>"
        "<body name='rod' pos='.3 0 0'><joint name='rod' axis='0 -1 0'/><geom type='capsule' "
        "fromto='0 0 0 1 0 0' size='.01' mass='2' contype='0' conaffinity='0'/></body></body>"
        "<body name='block' pos='1.3 0 0'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' "
        "type='slide' axis='0 0 1'/><joint name='turn' axis='0 -1 0'/><geom type='box' size='.2 .1 .1' "
        "mass='5'/></body></worldbody>"
        "<equality><connect name='pin' body1='rod' body2='block' anchor='1 0 0'/></equality></mujoco>");
    it.state.q = {crank, -tilt - crank, 0.3 * c + std::cos(tilt) - 1.3, 0, 0};
    for (const double sign : {1.0, -1.0}) {
        CAPTURE(sign);
        it.state.v = {rate, tilting - rate, -0.3 * s * rate + std::sin(tilt) * tilting, 0, 0};
        for (double& v : it.state.v) v *= sign;
        // Forwards the crank would leave its range.
        if (sign > 0) {
            CHECK(it.dynamics.accelerate(it.state) == TouchingStatus::impact);
            continue;
        }
        it.accelerate();
        CHECK(it.dynamics.contacts.size() == 4);
        std::vector<double> errors;
        for (const double h : {4e-4, 2e-4, 1e-4}) {
            Simulation sim(it.model, {.stepping = Stepping::velocity});
            sim.set_state(it.state);
            // Of two steps: velocities at the end of each are half a step off along what is curved.
            REQUIRE(sim.step(h).status == StepStatus::ok);
            const std::vector<double> v = sim.state().v;
            REQUIRE(sim.step(h).status == StepStatus::ok);
            double error = 0;
            for (int k = 0; k < it.model->nv; ++k)
                error = std::max(error, std::abs((sim.state().v[k] - v[k]) / h - it.dynamics.qacc[k]));
            errors.push_back(error);
        }
        MESSAGE("errors " << errors[0] << " " << errors[1] << " " << errors[2]);
        CHECK(errors[2] < 0.02);
        for (int k = 0; k < 2; ++k) CHECK(errors[k + 1] / errors[k] == doctest::Approx(0.5).epsilon(0.1));
    }
}
