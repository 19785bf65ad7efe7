// Constraints between any number of bodies whose forces have bounds: motors that are only so strong, ropes
// over pulleys, stops, under every formulation.

#include "formulations/formulation_list.h"
#include "support/allocating_steps.h"

#include <ligament/function_constraint.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;
using namespace lig::test;
using lig::formulations::formulation_list;
using lig::formulations::FormulationInfo;

namespace {

constexpr double g = 9.81;
constexpr double masses[] = {1, 2, 4}, row[] = {-0.5, 1, -0.5};

BodyId add_cart(Scene& scene, const std::string& name, const Vec3d& at, double mass, const Vec3d& along) {
    const BodyId cart = scene.add_body(world, {.name = name, .pose = {at}});
    scene.add_joint(cart, {.name = name, .type = JointType::slide, .axis = along});
    scene.add_geom(cart, {.shape = ShapeType::sphere, .size = {0.05}, .mass = mass, .collides = false});
    return cart;
}

// Three carts on a line; what is bounded is the way of the middle one from halfway between the others.
template <class Function>
std::shared_ptr<const Model> carts(Function function, const Range& force) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    GroupConstraintSpec group{
        .name = "motor", .constraint = holonomic_group<3>(std::move(function)), .force = force};
    for (int k = 0; k < 3; ++k)
        group.bodies.push_back(
            add_cart(scene, "c" + std::to_string(k), {k - 1.0, 0, 0}, masses[k], {1, 0, 0}));
    scene.add_group_constraint(group);
    return compile(scene);
}

template <class Poses>
auto way(const Poses& X) {
    return X[1].p.x - 0.5 * (X[0].p.x + X[2].p.x);
}

// Two weights hang from one rope over pulleys; seen from above, it is as long as both are deep.
std::shared_ptr<const Model> pulley(const Range& force) {
    Scene scene;
    GroupConstraintSpec group{.name = "rope",
                              .constraint = holonomic_group<2>([](const auto& X, const auto&) {
                                  return -1.0 * X[0].p.z - X[1].p.z - 2.0;
                              }),
                              .force = force};
    for (int k = 0; k < 2; ++k)
        group.bodies.push_back(
            add_cart(scene, "w" + std::to_string(k), {0.5 * k, 0, -1}, masses[k], {0, 0, 1}));
    scene.add_group_constraint(group);
    return compile(scene);
}

}  // namespace

TEST_CASE("bounded groups: a motor that is strong enough follows its target") {
    const auto model = carts([](const auto& X, const auto& t) { return way(X) - 0.3 * sin(t); }, {-10, 10});
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        JointState<double> start(*model);
        start.v[1] = 0.3;
        simulation.set_state(start);
        double off = 0, momentum = 0;
        for (int step = 0; step < 2000; ++step) {
            REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
            const std::vector<double>& q = simulation.state().q;
            off =
                std::max(off, std::abs(q[1] - 0.5 * (q[0] + q[2]) - 0.3 * std::sin(simulation.state().time)));
        }
        // Sweeps ask for the velocity at the beginning of the step: half a step late, for a time τ.
        CHECK(off < (info.can.leaves_slop ? 0.6e-3 * 0.02 : 1e-6));
        for (int k = 0; k < 3; ++k) momentum += masses[k] * simulation.state().v[k];
        CHECK(momentum == doctest::Approx(masses[1] * 0.3).epsilon(1e-9));
    }
}

TEST_CASE("bounded groups: a motor that is too weak gives all it has") {
    for (const double side : {1.0, -1.0}) {
        const auto model =
            carts([=](const auto& X, const auto&) { return side * (way(X) - side * 100.0); }, {-2, 2});
        for (const FormulationInfo& info : formulation_list) {
            CAPTURE(info.name);
            CAPTURE(side);
            Simulation simulation(model, {.formulation = std::string(info.name)});
            EnergyFlows flows;
            for (int step = 0; step < 200; ++step) {
                const StepReport report = simulation.step(0.005);
                REQUIRE(report.status == StepStatus::ok);
                flows += report.energy.flows;
            }
            double energy = 0;
            for (int k = 0; k < 3; ++k) {
                const double v = side * 2 * row[k] / masses[k];
                CHECK(simulation.state().v[k] == doctest::Approx(v).epsilon(1e-9));
                energy += 0.5 * masses[k] * v * v;
            }
            CHECK(flows.drives == doctest::Approx(energy).epsilon(1e-6));
        }
    }
}

TEST_CASE("bounded groups: a motor on velocities spins up evenly and keeps its speed") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    GroupConstraintSpec group{
        .name = "mean",
        .constraint = nonholonomic_group<2>(
            [](const auto&, const auto& V, const auto&) { return V[0].lin.x + V[1].lin.x - 0.6; }),
        .force = {-0.5, 0.5}};
    for (int k = 0; k < 2; ++k)
        group.bodies.push_back(
            add_cart(scene, "c" + std::to_string(k), {1.0 * k, 0, 0}, masses[k], {1, 0, 0}));
    scene.add_group_constraint(group);
    const auto model = compile(scene);
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        for (int step = 0; step < 400; ++step) {
            REQUIRE(simulation.step(0.005).status == StepStatus::ok);
            const std::vector<double>& v = simulation.state().v;
            CHECK(v[0] + v[1] ==
                  doctest::Approx(std::min(0.6, 0.5 * (1 + 0.5) * simulation.state().time)).epsilon(1e-9));
        }
    }
}

TEST_CASE("bounded groups: a rope over pulleys hangs slack, then pulls") {
    for (const bool turned : {false, true}) {
        // {.upper = 0} pulls where C would become positive: the depths together are 2 m at most. Turned over,
        // it is a strut, and they are no less.
        const auto model = pulley(turned ? Range{.lower = 0} : Range{.upper = 0});
        for (const FormulationInfo& info : formulation_list) {
            CAPTURE(info.name);
            CAPTURE(turned);
            Simulation simulation(model, {.formulation = std::string(info.name)});
            JointState<double> start = simulation.state();
            // Thrown up together at 1 m/s: back after 2/g.
            start.v = {1, 1};
            simulation.set_state(start);
            const double back = 2 / g, h = 1e-3;
            for (int step = 0; step < 600; ++step) {
                const StepReport report = simulation.step(h);
                REQUIRE(report.status == StepStatus::ok);
                const std::vector<double>&q = simulation.state().q, &v = simulation.state().v;
                const double t = report.time, slack = 0.5 * (q[0] + q[1]);
                if (turned) {
                    // It stops them at once, and lets them fall.
                    if (step == 0) CHECK(v[0] + v[1] < 1e-3);
                    continue;
                }
                CHECK(slack > -(info.can.leaves_slop ? 2e-3 : 1e-4));
                if (t < back - 2 * h) {
                    CHECK(v[0] == doctest::Approx(1 - g * t).epsilon(1e-9));
                    CHECK(v[1] == doctest::Approx(1 - g * t).epsilon(1e-9));
                }
            }
            if (turned) continue;
            // The impulse p stops v₀ + v₁ = −2: p (1 + 1/2) = 2; then both are accelerated evenly.
            const double p = 2 / 1.5, a = g * (masses[1] - masses[0]) / (masses[0] + masses[1]);
            const double v = -1 + p / masses[0] + a * (0.6 - back);
            CHECK(simulation.state().v[0] == doctest::Approx(v).epsilon(5e-3));
            CHECK(simulation.state().v[1] == doctest::Approx(-v).epsilon(5e-3));
        }
    }
}

TEST_CASE("bounded groups: a rope breaks off its pull at its strength") {
    // Each weight may be held with 3 N; the rest it falls with.
    const auto model = pulley({-3, 0});
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        for (int step = 0; step < 200; ++step) REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
        for (int k = 0; k < 2; ++k)
            CHECK(simulation.state().v[k] == doctest::Approx(-0.2 * (g - 3 / masses[k])).epsilon(1e-9));
    }
}

TEST_CASE("bounded groups: steps do not allocate, nor those of groups and subtrees without bounds") {
    Scene held;
    const BodyId trunk = add_cart(held, "trunk", {0, 0, 1}, 2, {1, 0, 0});
    const BodyId arm = held.add_body(trunk, {.name = "arm"});
    held.add_joint(arm, {.name = "arm", .type = JointType::hinge, .axis = {0, 1, 0}});
    held.add_geom(arm, {.shape = ShapeType::capsule, .pose = {{0, 0, 0.3}}, .size = {0.02, 0.2}});
    held.add_subtree_constraint({.name = "spin",
                                 .body = trunk,
                                 .quantity = SubtreeQuantity::linear_momentum,
                                 .axes = {true, false, false}});
    const auto equality = carts([](const auto& X, const auto&) { return way(X); }, {});
    const auto motor = carts([](const auto& X, const auto& t) { return way(X) - 0.3 * sin(t); }, {-10, 10});
    const auto rope = pulley({.upper = 0});
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        for (const auto& model : {motor, rope, equality, compile(held)}) {
            Simulation simulation(model, {.formulation = std::string(info.name)});
            CHECK(allocating_steps(simulation, 1e-3, 5, 50) == 0);
        }
    }
}

TEST_CASE("bounded groups: what cannot be is refused by name") {
    const auto still = [](const auto& X, const auto&) { return way(X); };
    for (const Range& force : {Range{1, 2}, Range{-2, -1}, Range{0, 0}, Range{3, -3}, Range{std::nan(""), 1}})
        CHECK_THROWS_WITH_AS(carts(still, force), doctest::Contains("its forces are from"), std::exception);
    const auto model = carts(still, {-1, 1});
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
