// Acceleration constraints whose forces act along something else: against dense elimination, and a cart that
// balances a pole.

#include "support/acceleration_cases.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// Constraints with one row each.
AccelerationConstraint random_row(Random& random, const Model& model) {
    AccelerationConstraint out = random_constraint(random, model);
    while (std::holds_alternative<LoopAcceleration>(out)) out = random_constraint(random, model);
    return out;
}

std::vector<double> zeros(int n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); }

}  // namespace

TEST_CASE("forces that act elsewhere give what is wanted, and nothing else acts") {
    Random random(77);
    int solved = 0;
    for (int run = 0; run < 40; ++run) {
        const auto model = compile(random_scene(random, {.bodies = 3 + run % 6}));
        const JointState<double> state = random_state(random, *model);
        const int count = 1 + run % 3;
        std::vector<AccelerationConstraint> wanted, acting;
        for (int k = 0; k < count; ++k) {
            wanted.push_back(random_row(random, *model));
            acting.push_back(random_row(random, *model));
        }
        ConstraintSolver solver(model);
        solver.set_state(state, zeros(model->nv));
        solver.set_constraints(wanted, acting);
        const ConstraintReport report = solver.solve();
        if (report.status != ConstraintStatus::ok) {
            CHECK(report.status == ConstraintStatus::uncontrollable);
            continue;
        }
        ++solved;
        // The accelerations under these forces, found anew.
        std::vector<double> tau = zeros(model->nv), qacc = zeros(model->nv);
        Workspace<double> ws(model);
        forward_kinematics(state, ws);
        clear_external(ws);
        solver.add_forces(solver.forces(), tau, ws.f_ext);
        forward_dynamics<double>(state, tau, ws, qacc, true);
        // Rounding is a share of what cancels, and joints whose axes nearly coincide enlarge it.
        double largest = 1;
        for (const double a : solver.free_acceleration()) largest = std::max(largest, std::abs(a));
        for (int k = 0; k < model->nv; ++k)
            CHECK(std::abs(qacc[k] - solver.acceleration()[k]) < 1e-8 * largest);
        // What acts are forces along `acting` alone: its own rows as forces of unit size.
        ConstraintSolver along(model);
        along.set_state(state, zeros(model->nv));
        along.set_constraints(acting);
        std::vector<double> tau_along = zeros(model->nv);
        std::vector<Force<double>> on_links(model->tree.links.size(), Force<double>::zero());
        along.add_forces(solver.forces(), tau_along, on_links);
        CHECK(tau_along == tau);
        for (std::size_t r = 0; r < solver.values().size(); ++r) {
            const double asked = std::visit(
                [](const auto& c) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(c)>, LoopAcceleration>)
                        return 0.0;
                    else
                        return c.wanted;
                },
                wanted[r]);
            CHECK(solver.values()[r] == doctest::Approx(asked).epsilon(1e-7));
        }
    }
    CHECK(solved > 25);
}

// A pole of length l with its mass at the end, on a cart of mass M. Only the cart is pushed, and so that the
// pole's angle accelerates by α: with θ from upright, ẍ = (g sin θ − l α)/cos θ, and the push is
// F = (M + m) ẍ + m l (α cos θ − θ̇² sin θ).
TEST_CASE("a push on a cart moves its pole as wanted") {
    const double M = 2, m = 0.3, l = 0.7, g = 9.81, alpha = -1.5, theta = 0.3, omega = 0.8;
    Scene scene;
    scene.options.gravity = {0, 0, -g};
    const BodyId cart = scene.add_body(
        world, {.name = "cart",
                .inertial = InertialSpec{.mass = M, .frame = {}, .inertia = Sym3d::diagonal(1, 1, 1)}});
    scene.add_joint(cart, {.name = "x", .type = JointType::slide, .axis = {1, 0, 0}});
    const BodyId pole = scene.add_body(
        cart, {.name = "pole",
               .inertial = InertialSpec{.mass = m, .frame = {.pos = {0, 0, l}}, .inertia = {}}});
    scene.add_joint(pole, {.name = "angle", .type = JointType::hinge, .axis = {0, 1, 0}});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q = {0, theta};
    state.v = {0.4, omega};
    ConstraintSolver solver(model);
    solver.set_state(state, zeros(2));
    const AccelerationConstraint wanted[] = {JointAcceleration{.dof = 1, .wanted = alpha}},
                                 acting[] = {JointAcceleration{.dof = 0}};
    solver.set_constraints(wanted, acting);
    REQUIRE(solver.solve().status == ConstraintStatus::ok);
    const double x = (g * std::sin(theta) - l * alpha) / std::cos(theta);
    CHECK(solver.acceleration()[0] == doctest::Approx(x).epsilon(1e-12));
    CHECK(solver.acceleration()[1] == doctest::Approx(alpha).epsilon(1e-12));
    const double push = (M + m) * x + m * l * (alpha * std::cos(theta) - omega * omega * std::sin(theta));
    CHECK(solver.forces()[0] == doctest::Approx(push).epsilon(1e-12));
    CHECK(*solver.single_force(0) == doctest::Approx(push).epsilon(1e-12));
}

TEST_CASE("what forces elsewhere cannot do is said") {
    Random random(5);
    const auto model = compile(random_scene(random, {.bodies = 4}));
    ConstraintSolver solver(model);
    // Two wishes, and the same force for both.
    const AccelerationConstraint wanted[] = {JointAcceleration{0, 1}, JointAcceleration{1, 2}},
                                 same[] = {JointAcceleration{2}, JointAcceleration{2}},
                                 one[] = {JointAcceleration{2}},
                                 bounded[] = {JointAcceleration{0, 0, {.lower = 0}}, JointAcceleration{1}};
    solver.set_constraints(wanted, same);
    CHECK(solver.solve().status == ConstraintStatus::uncontrollable);
    for (const double f : solver.forces()) CHECK(f == 0);
    CHECK_THROWS_AS(solver.set_constraints(wanted, one), std::invalid_argument);
    CHECK_THROWS_WITH_AS(solver.set_constraints(wanted, bounded), doctest::Contains("is not symmetric"),
                         std::invalid_argument);
    CHECK(solver.rows() == 2);  // as before
}
