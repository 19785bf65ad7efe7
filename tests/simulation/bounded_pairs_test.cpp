// Constraints between two bodies whose forces have bounds: motors that are only so strong, ropes and stops,
// under every formulation.

#include "formulations/formulation_list.h"

#include <ligament/function_constraint.h>
#include <ligament/pair_kinds.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;
using lig::formulations::formulation_list;
using lig::formulations::FormulationInfo;

namespace {

constexpr double g = 9.81;
// A bob of 1 kg and 0.01 kg·m² at 0.5 m from a hinge along y, hanging.
constexpr double arm = 0.5, inertia = arm * arm + 0.01;

std::shared_ptr<const Model> pendulum(std::shared_ptr<const PairConstraint> constraint, const Range& force) {
    Scene scene;
    const InertialSpec inertial{1, {{0, 0, -arm}}, Sym3d::diagonal(0.01, 0.01, 0.01)};
    const BodyId bob = scene.add_body(world, {.name = "bob", .inertial = inertial});
    scene.add_joint(bob, {.name = "hinge", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_constraint(
        {.name = "motor", .body_b = bob, .constraint = std::move(constraint), .force = force});
    return compile(scene);
}

// The angle about y of B in A.
template <class T>
T angle(const Transform<T>& X) {
    return atan2(X.R(0, 2), X.R(2, 2));
}

// How far an angle is after a time under a constant torque, by steps of fourth order.
double angle_under(double torque, double time) {
    double q = 0, v = 0;
    const auto a = [&](double at) { return (torque - g * arm * std::sin(at)) / inertia; };
    const int steps = 10000;
    const double h = time / steps;
    for (int k = 0; k < steps; ++k) {
        const double k1 = a(q), k2 = a(q + h / 2 * v), k3 = a(q + h / 2 * v + h * h / 4 * k1),
                     k4 = a(q + h * v + h * h / 2 * k2);
        q += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
}

}  // namespace

// Catto's motor: C = θ − sin t, with a torque from −10 to 10 N·m.
TEST_CASE("bounded pairs: a motor that is strong enough follows its target") {
    const auto model = pendulum(
        holonomic([](const auto& X, const auto& t) { return angle(X) - sin(t); }), {-10, 10});
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        JointState<double> start(*model);
        start.v[0] = 1;
        simulation.set_state(start);
        double off = 0;
        for (int step = 0; step < 3000; ++step) {
            REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
            off = std::max(off, std::abs(simulation.state().q[0] - std::sin(simulation.state().time)));
        }
        // Sweeps ask for the velocity at the beginning of the step: half a step late, for a time τ.
        CHECK(off < (info.can.leaves_slop ? 0.6e-3 * 0.02 : 1e-6));
        std::vector<Force<double>> on_bob(1);
        simulation.pair_reactions(on_bob);
        const double wanted = -inertia * std::sin(3.0) + g * arm * std::sin(std::sin(3.0));
        CHECK(on_bob[0].ang.y == doctest::Approx(wanted).epsilon(0.01));
    }
}

TEST_CASE("bounded pairs: a motor that is too weak gives all it has") {
    for (const double side : {1.0, -1.0}) {
        const auto model = pendulum(
            holonomic([=](const auto& X, const auto&) { return side * (angle(X) - side * 1.5); }), {-2, 2});
        for (const FormulationInfo& info : formulation_list) {
            CAPTURE(info.name);
            CAPTURE(side);
            Simulation simulation(model, {.formulation = std::string(info.name)});
            double error[2];
            for (const int refined : {0, 1}) {
                simulation.reset();
                const int steps = refined ? 1600 : 800;
                EnergyFlows flows;
                for (int step = 0; step < steps; ++step) {
                    const StepReport report = simulation.step(0.8 / steps);
                    REQUIRE(report.status == StepStatus::ok);
                    flows += report.energy.flows;
                }
                const double q = simulation.state().q[0];
                error[refined] = std::abs(q - side * angle_under(2, 0.8));
                CHECK(flows.drives == doctest::Approx(2 * std::abs(q)).epsilon(2e-3));
            }
            CHECK(error[0] < 2e-3);
            CHECK((error[1] < 0.6 * error[0] || error[1] < 1e-6));  // of first order at least
        }
    }
}

TEST_CASE("bounded pairs: a flywheel spins up evenly and keeps its speed") {
    Scene scene;
    const BodyId wheel =
        scene.add_body(world, {.name = "wheel", .inertial = InertialSpec{2, {}, {0.1, 0.1, 0.2, 0, 0, 0}}});
    scene.add_joint(wheel, {.name = "axle", .type = JointType::hinge, .axis = {0, 0, 1}});
    scene.add_constraint(
        {.name = "motor",
         .body_a = world,
         .body_b = wheel,
         .constraint = nonholonomic([](const auto&, const auto& V, const auto&) { return V.ang.z - 3.0; }),
         .force = {-0.8, 0.8}});
    const auto model = compile(scene);
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        for (int step = 0; step < 200; ++step) {
            REQUIRE(simulation.step(0.005).status == StepStatus::ok);
            CHECK(simulation.state().v[0] ==
                  doctest::Approx(std::min(3.0, 0.8 / 0.2 * simulation.state().time)).epsilon(1e-9));
        }
    }
}

// A ball on a rope that is slack at first: it falls freely, then swings; it never gets farther away. And the
// same turned over: it must not come nearer than the rope is long.
TEST_CASE("bounded pairs: ropes and struts act on one side") {
    for (const bool rope : {true, false}) {
        Scene scene;
        const Vec3d start = rope ? Vec3d{0.6, 0, 0} : Vec3d{0.2, 0, 1.3};
        const BodyId ball =
            scene.add_body(world, {.name = "ball", .pose = {start}, .kind = BodyKind::particle});
        scene.add_geom(ball, {.shape = ShapeType::sphere, .size = {0.05}, .mass = 1.0});
        scene.add_constraint({.name = "line",
                              .body_a = world,
                              .body_b = ball,
                              .constraint = std::make_shared<DistanceConstraint>(1),
                              .force = rope ? Range{.upper = 0} : Range{.lower = 0}});
        const auto model = compile(scene);
        for (const FormulationInfo& info : formulation_list) {
            CAPTURE(rope);
            CAPTURE(info.name);
            const bool gives = info.can.leaves_slop;
            Simulation simulation(model, {.formulation = std::string(info.name)});
            double before = HUGE_VAL, meets = 0;
            EnergyFlows flows;
            for (int step = 0; step < 1000; ++step) {
                const StepReport report = simulation.step(1e-3);
                REQUIRE(report.status == StepStatus::ok);
                flows += report.energy.flows;
                const std::vector<double>& q = simulation.state().q;
                const double far = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
                CHECK((rope ? far - 1 : 1 - far) < (gives ? 2e-3 : 1e-4));
                const double slack = (rope ? 1 - far : far - 1), energy = report.energy.after();
                if (slack > 1e-2 && meets == 0) {
                    const double t = report.time;
                    CHECK(q[2] == doctest::Approx(start.z - 0.5 * g * t * t).epsilon(2e-3));
                } else if (meets == 0) {
                    meets = report.time;
                }
                CHECK(energy < before + 1e-3);
                before = energy;
            }
            // Free fall until the distance is 1.
            const double height = std::sqrt(1 - start.x * start.x);
            const double fall = std::sqrt(2 * (rope ? height : start.z - height) / g);
            CHECK(meets == doctest::Approx(fall).epsilon(0.05));
            // What the impact takes: the motion along the line.
            const double along = g * fall * height;
            CHECK(flows.limits + flows.corrections == doctest::Approx(0.5 * along * along).epsilon(0.02));
        }
    }
}

TEST_CASE("bounded pairs: what cannot be is refused by name") {
    const auto plane = std::make_shared<PointOnPlaneConstraint>(0);
    for (const Range& force : {Range{1, 2}, Range{-2, -1}, Range{0, 0}, Range{3, -3}, Range{std::nan(""), 1}})
        CHECK_THROWS_WITH_AS(pendulum(plane, force), doctest::Contains("its forces are from"),
                             std::exception);
    const auto model = pendulum(plane, {-1, 1});
    const auto refused = [&](SimulationOptions options) {
        try {
            const Simulation simulation(model, options);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused({.stepping = Stepping::event}).find("constraint 'motor'") != std::string::npos);
    CHECK(refused({.stepping = Stepping::smooth}).find("constraint 'motor'") != std::string::npos);
    CHECK(refused({.formulation = "implicit", .touching = Touching::penalty}).find("constraint 'motor'") !=
          std::string::npos);
}
