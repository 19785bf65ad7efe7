// Constraints between any number of bodies, given by a function: their rows, motions under them in every
// formulation, and what cannot be used.

#include "formulations/formulation_list.h"
#include "support/pair_samples.h"

#include <ligament/function_constraint.h>
#include <ligament/save.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

using namespace lig;
using namespace lig::test;
using lig::formulations::formulation_list;
using lig::formulations::FormulationInfo;

namespace {

// Six times the volume of a tetrahedron.
template <class Poses>
auto volume(const Poses& X) {
    return dot(X[1].p - X[0].p, cross(X[2].p - X[0].p, X[3].p - X[0].p));
}

BodyId add_ball(Scene& scene, const std::string& name, const Vec3d& at, double mass, bool slides) {
    const BodyId ball = scene.add_body(
        world, {.name = name, .pose = {at}, .kind = slides ? BodyKind::rigid : BodyKind::particle});
    scene.add_geom(ball, {.shape = ShapeType::sphere, .size = {0.05}, .mass = mass, .collides = false});
    if (slides) scene.add_joint(ball, {.name = name, .type = JointType::slide, .axis = {1, 0, 0}});
    return ball;
}

std::shared_ptr<const Model> tetrahedron(const std::shared_ptr<const GroupConstraint>& constraint) {
    Scene scene;
    GroupConstraintSpec group{.name = "volume", .constraint = constraint};
    const Vec3d corners[] = {{0, 0, 2}, {1, 0, 2}, {0, 1.2, 2}, {0.2, 0.3, 2.8}};
    for (int k = 0; k < 4; ++k)
        group.bodies.push_back(add_ball(scene, "p" + std::to_string(k), corners[k], 1 + 0.5 * k, false));
    scene.add_group_constraint(group);
    return compile(scene);
}

}  // namespace

TEST_CASE("group constraints: rows are the derivatives of the function, along any motion") {
    const auto held = holonomic_group<3>([](const auto& X, const auto& t) {
        return std::array{dot(X[0].R.x, X[1].R.y) + dot(X[2].p - X[0].p, X[1].R.z) * sin(t),
                          dot(X[0].p, X[1].p) - X[2].p.z * t};
    });
    const auto rolled = nonholonomic_group<3>([](const auto& X, const auto& V, const auto& t) {
        return dot(V[0].lin, X[1].R.x) + dot(V[2].ang, X[0].p) * t - cos(t);
    });
    Random random(7);
    for (int run = 0; run < 20; ++run) {
        // Poses that move with constant velocities, as rows ask for accelerations of 0.
        std::array<PairState, 3> at;
        std::array<Transformd, 3> X;
        std::array<Motion<double>, 3> V;
        for (int k = 0; k < 3; ++k) {
            const PairState sample = PairMotion(random).start;
            X[k] = sample.X_WB;
            V[k] = sample.V_WB;
        }
        const double time = 0.3 * run;
        const auto state_at = [&](double dt, std::array<Transformd, 3>& moved) {
            for (int k = 0; k < 3; ++k)
                moved[k] = {rotation_matrix(rotation_exp(dt * V[k].ang)) * X[k].R, X[k].p + dt * V[k].lin};
            return GroupState{moved, V, time + dt};
        };
        const auto rows_at = [&](const GroupConstraint& constraint, double dt) {
            std::array<Transformd, 3> moved;
            std::array<GroupRow, GroupConstraint::max_rows> rows;
            constraint.evaluate(state_at(dt, moved), rows.data());
            return rows;
        };
        const auto rate_of = [&](const GroupRow& row) {
            double sum = row.rate;
            for (int k = 0; k < 3; ++k) sum += dot(row.on[k], V[k]);
            return sum;
        };
        const double h = 1e-5;
        for (int r = 0; r < held->rows(); ++r) {
            const GroupRow now = rows_at(*held, 0)[r], before = rows_at(*held, -h)[r],
                           after = rows_at(*held, h)[r];
            CHECK(now.holonomic);
            CHECK(std::abs((after.error - before.error) / (2 * h) - rate_of(now)) < 1e-7);
            CHECK(std::abs((rate_of(after) - rate_of(before)) / (2 * h) - now.product) < 1e-6);
        }
        const GroupRow now = rows_at(*rolled, 0)[0];
        CHECK_FALSE(now.holonomic);
        CHECK(std::abs((rate_of(rows_at(*rolled, h)[0]) - rate_of(rows_at(*rolled, -h)[0])) / (2 * h) -
                       now.product) < 1e-6);
    }
}

// Three carts on a line, pushed by constant forces; the middle one stays halfway between the others:
// M a = F + Jᵀ λ with J = (−½, 1, −½).
TEST_CASE("group constraints: three carts share their forces, in every formulation") {
    const double masses[] = {1, 2, 4}, forces[] = {3, -1, 0.5}, row[] = {-0.5, 1, -0.5};
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    GroupConstraintSpec group{.name = "halfway",
                              .constraint = holonomic_group<3>([](const auto& X, const auto&) {
                                  return X[1].p.x - 0.5 * (X[0].p.x + X[2].p.x);
                              })};
    for (int k = 0; k < 3; ++k)
        group.bodies.push_back(add_ball(scene, "c" + std::to_string(k), {k - 1.0, 0, 0}, masses[k], true));
    scene.add_group_constraint(group);
    const auto model = compile(scene);
    double lambda = 0, response = 0;
    for (int k = 0; k < 3; ++k) {
        lambda -= row[k] * forces[k] / masses[k];
        response += row[k] * row[k] / masses[k];
    }
    lambda /= response;
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        for (int k = 0; k < 3; ++k) simulation.inputs().qfrc_applied[k] = forces[k];
        for (int step = 0; step < 200; ++step) REQUIRE(simulation.step(0.005).status == StepStatus::ok);
        for (int k = 0; k < 3; ++k) {
            CAPTURE(k);
            const double a = (forces[k] + row[k] * lambda) / masses[k];
            CHECK(simulation.state().v[k] == doctest::Approx(a).epsilon(1e-9));
        }
        const std::vector<double>& q = simulation.state().q;
        CHECK(std::abs(q[1] - 0.5 * (q[0] + q[2])) < 1e-9);
    }
}

TEST_CASE("group constraints: four balls keep the volume between them, their momentum and energy") {
    const auto model = tetrahedron(
        holonomic_group<4>([](const auto& X, const auto&) { return volume(X) - 0.96; }));
    // Runs a second and checks what is kept; returns by how much the energy changes.
    const auto run = [&](const FormulationInfo& info, int steps) {
        Simulation simulation(model, {.formulation = std::string(info.name)});
        JointState<double> start = simulation.state();
        for (int k = 0; k < model->nv; ++k) start.v[k] = std::sin(2.0 * k + 1);
        simulation.set_state(start);
        double first = 0, last = 0;
        for (int step = 0; step < steps; ++step) {
            const StepReport report = simulation.step(1.0 / steps);
            REQUIRE(report.status == StepStatus::ok);
            // The first step takes out what does not fit of the velocities.
            if (step == 0) first = report.energy.after();
            last = report.energy.after();
        }
        const std::vector<double>&q = simulation.state().q, &v = simulation.state().v;
        std::array<Transformd, 4> X;
        Vec3d momentum{0, 0, 0}, before{0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            X[k].p = {q[3 * k], q[3 * k + 1], q[3 * k + 2]};
            momentum += (1 + 0.5 * k) * Vec3d{v[3 * k], v[3 * k + 1], v[3 * k + 2]};
            before += (1 + 0.5 * k) * Vec3d{start.v[3 * k], start.v[3 * k + 1], start.v[3 * k + 2]};
        }
        CHECK(std::abs(volume(X) - 0.96) < (info.can.leaves_slop ? 1e-4 : 1e-9));
        CHECK(momentum.x == doctest::Approx(before.x).epsilon(1e-9));
        CHECK(momentum.y == doctest::Approx(before.y).epsilon(1e-9));
        CHECK(momentum.z == doctest::Approx(before.z - 7 * 9.81 * 1).epsilon(1e-9));
        return std::abs(last - first);
    };
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        const double coarse = run(info, 400);
        // Backward Euler and sweeps damp what the balls do to each other, the less the shorter the step.
        if (info.name == "implicit" || info.can.leaves_slop)
            CHECK(run(info, 1600) < 0.5 * coarse);
        else
            CHECK(coarse < 1e-3);
    }
}

TEST_CASE("group constraints: one on velocities, of balls that share a speed") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    GroupConstraintSpec group{
        .name = "mean",
        .constraint = nonholonomic_group<3>([](const auto&, const auto& V, const auto&) {
            return V[0].lin.x + V[1].lin.x + V[2].lin.x - 0.6;
        })};
    for (int k = 0; k < 3; ++k)
        group.bodies.push_back(add_ball(scene, "c" + std::to_string(k), {k - 1.0, 0, 0}, 1 + k, true));
    scene.add_group_constraint(group);
    const auto model = compile(scene);
    for (const FormulationInfo& info : formulation_list) {
        CAPTURE(info.name);
        Simulation simulation(model, {.formulation = std::string(info.name)});
        simulation.inputs().qfrc_applied[0] = 2;
        for (int step = 0; step < 100; ++step) REQUIRE(simulation.step(0.01).status == StepStatus::ok);
        const std::vector<double>& v = simulation.state().v;
        CHECK(v[0] + v[1] + v[2] == doctest::Approx(0.6).epsilon(1e-9));
    }
}

TEST_CASE("group constraints: what cannot be used is named") {
    const auto same = [](const auto& X, const auto&) { return volume(X) - 0.96; };
    Scene scene;
    const BodyId ball = add_ball(scene, "ball", {0, 0, 1}, 1, false);
    const auto said = [&](GroupConstraintSpec spec) {
        Scene with = scene;
        spec.name = "odd";
        with.add_group_constraint(spec);
        Diagnostics log;
        try {
            compile(with, log);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(said({.bodies = {ball}, .constraint = holonomic_group<4>(same)})
              .find("constraint 'odd' is between 4 bodies and names 1") != std::string::npos);
    CHECK(said({.bodies = {ball}}).find("has no GroupConstraint") != std::string::npos);
    const auto high = [](const auto& X, const auto&) { return X[0].p.z - 1.0; };
    CHECK(said({.bodies = {ball}, .frames = {{}, {}}, .constraint = holonomic_group<1>(high)})
              .find("has 2 frames for 1 bodies") != std::string::npos);
    CHECK(said({.bodies = {ball}, .constraint = holonomic_group<1>(high, {.scale = -1})})
              .find("its scale is not a positive number") != std::string::npos);
    const auto quadratic = nonholonomic_group<2>(
        [](const auto&, const auto& V, const auto&) { return dot(V[0].lin, V[1].lin); });
    CHECK(quadratic->fault() == "its function is not linear in the velocity");

    // What is not finite once the balls have fallen below 1 m.
    const auto model = tetrahedron(holonomic_group<4>(
        [](const auto& X, const auto&) { return volume(X) - 0.96 + 0.0 * sqrt(X[0].p.z - 1.0); }));
    Simulation simulation(model, {});
    StepReport report;
    for (int step = 0; step < 100 && report.status == StepStatus::ok; ++step) report = simulation.step(0.01);
    CHECK(report.status == StepStatus::non_finite);
    CHECK(report.where.find("function 'volume' of 'p0' 'p1' 'p2' 'p3' states what is not finite") == 0);

    scene.add_group_constraint({.name = "high", .bodies = {ball}, .constraint = holonomic_group<1>(high)});
    CHECK_THROWS_WITH_AS(write_mjcf(scene), doctest::Contains("a file cannot hold it"),
                         std::invalid_argument);
}
