// K of acceleration constraints: four ways to it, against J M⁻¹ Jᵀ by dense algebra.

#include "support/acceleration_cases.h"

#include "formulations/reduced/acceleration/acceleration_deltas.h"
#include "formulations/reduced/acceleration/test_forces.h"
#include "scenes/generator_list.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const Model> random_model(Random& random, int trial) {
    Scene scene = random_scene(
        random, {.bodies = 2 + trial % 12, .chain = trial % 3 * 0.45, .kinematic = trial % 3});
    for (int loops = trial % 4, attempt = 0; loops > 0 && attempt < 20; ++attempt)
        loops -= add_random_loop(random, scene, loops % 2 ? JointType::ball : JointType::hinge,
                                 "loop" + std::to_string(loops));
    for (int b = 1; b < static_cast<int>(scene.bodies().size()); b += 4) scene.body({b}).gravity_scale = 0.5;
    return compile(scene);
}

std::vector<AccelerationConstraint> random_constraints(Random& random, const Model& model, int count) {
    std::vector<AccelerationConstraint> out;
    for (int k = 0; k < count; ++k) out.push_back(random_constraint(random, model));
    return out;
}

std::shared_ptr<const Model> chain(int count) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(count)}};
    return compile(scenes::generate(scenes::hinges, settings));
}

std::vector<double> matrix_by(ConstraintSolver& solver, ResponseMethod method) {
    solver.options.method = method;
    const std::span<const double> K = solver.matrix();
    return {K.begin(), K.end()};
}

}  // namespace

TEST_CASE("K of random constraints on random trees is J M⁻¹ Jᵀ, whichever way it is found") {
    Random random(401);
    double worst_dense = 0, worst_between = 0;
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        const auto model = random_model(random, trial);
        if (model->nv == 0) continue;
        const JointState<double> state = random_state(random, *model);
        const std::vector<AccelerationConstraint> constraints =
            random_constraints(random, *model, 1 + trial % 11);
        DenseConstraints dense(model, state, constraints);
        ConstraintSolver solver(model);
        solver.set_state(state, random_numbers(random, model->nv, 5));
        solver.set_constraints(constraints);
        REQUIRE(solver.rows() == dense.rows);
        const std::vector<double> wanted = dense.response(state);
        const std::vector<double> deltas = matrix_by(solver, ResponseMethod::deltas);
        for (const ResponseMethod method : all_methods) {
            CAPTURE(int(method));
            const std::vector<double> K = matrix_by(solver, method);
            REQUIRE(K.size() == wanted.size());
            // The dense side has the condition of M in it, up to 10⁴ here.
            worst_dense = std::max(worst_dense, largest_relative_difference(K, wanted, dense.rows));
            worst_between = std::max(worst_between, largest_relative_difference(K, deltas, dense.rows));
        }
        // Each lane is an evaluation of its own, to the bit.
        const std::vector<double> plain = matrix_by(solver, ResponseMethod::evaluations),
                                  lanes = matrix_by(solver, ResponseMethod::lanes);
        CHECK(std::memcmp(plain.data(), lanes.data(), plain.size() * sizeof(double)) == 0);
    }
    CHECK(worst_dense < 1e-12);
    CHECK(worst_between < 1e-12);
}

TEST_CASE("values without forces have the products of velocities in them") {
    Random random(402);
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const auto model = random_model(random, trial);
        if (model->nv == 0) continue;
        const JointState<double> state = random_state(random, *model);
        const std::vector<AccelerationConstraint> constraints = random_constraints(random, *model, 8);
        const DenseConstraints dense(model, state, constraints);
        ConstraintSolver solver(model);
        solver.set_state(state, random_numbers(random, model->nv, 5));
        solver.set_constraints(constraints);
        for (int r = 0; r < dense.rows; ++r) {
            const auto begin = dense.J.begin() + static_cast<std::ptrdiff_t>(r) * model->nv;
            const std::span<const double> free = solver.free_acceleration();
            const double wanted = dense.k[r] + dot_of({begin, begin + model->nv}, {free.begin(), free.end()});
            double size = 1;
            for (int k = 0; k < model->nv; ++k) size += std::abs(begin[k] * free[k]);
            // Differences of fourth order over 1e-3 s.
            CHECK(std::abs(solver.free_values()[r] - wanted) < 1e-8 * size);
        }
    }
}

TEST_CASE("long ways to the root are multiplied by the response of a link, to the same K") {
    Random random(403);
    // Chains and a deep tree: common ways of more freedoms than are multiplied one by one.
    for (const int kind : {0, 1, 2}) {
        CAPTURE(kind);
        const auto model = kind == 0 ? chain(60)
                                     : compile(random_scene(random, {.bodies = 60,
                                                                     .chain = kind == 1 ? 0.97 : 0.85,
                                                                     .free_joints = false,
                                                                     .kinematic = kind}));
        const JointState<double> state = random_state(random, *model, 0.4);
        // Rows enough for the responses of links to pay.
        const std::vector<AccelerationConstraint> constraints = random_constraints(random, *model, 150);
        ConstraintSolver solver(model);
        solver.set_state(state, std::vector<double>(model->nv, 0.0));
        solver.set_constraints(constraints);
        const std::vector<double> deltas = matrix_by(solver, ResponseMethod::deltas);
        const std::vector<double> propagated = matrix_by(solver, ResponseMethod::propagation);
        const double d = largest_relative_difference(propagated, deltas, solver.rows());
        CHECK(d < 1e-12);
        DenseConstraints dense(model, state, constraints);
        const double e = largest_relative_difference(propagated, dense.response(state), solver.rows());
        CHECK(e < 1e-10);  // the condition of M
    }
}

TEST_CASE("deltas of an external force and of a joint torque are differences of two evaluations") {
    Random random(404);
    for (int trial = 0; trial < 20; ++trial) {
        CAPTURE(trial);
        const auto model = random_model(random, trial);
        if (model->nv == 0) continue;
        const JointState<double> state = random_state(random, *model);
        Workspace<double> ws(model);
        JointFactor factor(*model);
        forward_kinematics(state, ws);
        REQUIRE(factor.factor(ws) == -1);
        AccelerationDeltas deltas(*model);
        const std::size_t nv = model->nv;
        std::vector<double> tau = random_numbers(random, model->nv, 5), before(nv), after(nv);
        forward_dynamics<double>(state, tau, ws, before);
        const auto compare = [&] {
            for (std::size_t k = 0; k < nv; ++k) after[k] -= before[k];
            const std::vector<double> got(deltas.joints().begin(), deltas.joints().end());
            // Differences of accelerations up to about 1e3 times what they differ by.
            CHECK(largest_difference(got, after) < 1e-11 * (largest(before) + largest(after)));
            // Outwards once more: what the links have is what the joints give them.
            for (std::size_t i = 0; i < model->tree.links.size(); ++i) {
                const TreeLink<double>& link = model->tree.links[i];
                Motion<double> a = link.parent >= 0 ? shift(deltas.links()[link.parent], ws.links[i].r)
                                                    : Motion<double>::zero();
                for (int k = 0; k < link.nv; ++k) a += got[link.v_adr + k] * ws.S[link.v_adr + k];
                CHECK(largest(a - deltas.links()[i]) < 1e-12 * (1 + largest(a)));
            }
        };
        const int link = random_index(random, static_cast<int>(model->tree.links.size()));
        const Force<double> force{random_vec(random, 5), random_vec(random, 5)};
        deltas.of_external_force(factor, link, force);
        clear_external(ws);
        ws.f_ext[link] = force;
        forward_dynamics<double>(state, tau, ws, after, true);
        compare();
        const int dof = random_index(random, model->nv);
        deltas.of_joint_torque(factor, dof, 3.5);
        tau[dof] += 3.5;
        forward_dynamics<double>(state, tau, ws, after);
        compare();
    }
}

TEST_CASE_TEMPLATE("test forces in lanes of any width give the bits of one at a time", T, Lanes4d, Lanes8d) {
    Random random(406);
    for (int trial = 0; trial < 10; ++trial) {
        const auto model = random_model(random, 5 + trial);
        const JointState<double> state = random_state(random, *model);
        const std::vector<double> tau = random_numbers(random, model->nv, 5);
        Workspace<double> ws(model);
        std::vector<double> qacc(model->nv);
        forward_kinematics(state, ws);
        forward_dynamics<double>(state, tau, ws, qacc);
        ConstraintRows rows;
        rows.assemble(ws, random_constraints(random, *model, 11));
        const std::size_t m = rows.count();
        std::vector<double> start(m), wide(m * m), single(m * m);
        std::vector<Motion<double>> a(model->tree.links.size());
        row_values<double>(rows, ws, qacc, a, start);
        TestForces<T> lanes(model);
        TestForces<double> plain(model);
        lanes.set_state(state, tau, ws);
        plain.set_state(state, tau, ws);
        for (int k = 0; k < rows.count(); k += lane_width<T>) lanes.columns(rows, ws, k, 8, start, wide);
        for (int k = 0; k < rows.count(); ++k) plain.columns(rows, ws, k, 8, start, single);
        CHECK(std::memcmp(wide.data(), single.data(), wide.size() * sizeof(double)) == 0);
    }
}

TEST_CASE("K by test forces has the digits that the size of the test force leaves it") {
    Random random(405);
    const auto model = character();
    const JointState<double> state = random_state(random, *model, 0.5, 3);
    const std::vector<AccelerationConstraint> constraints = random_constraints(random, *model, 12);
    ConstraintSolver solver(model);
    const auto error_with = [&](double torque, double test_force) {
        solver.set_state(state, std::vector<double>(model->nv, torque));
        solver.set_constraints(constraints);
        solver.options.test_force = test_force;
        const std::vector<double> exact = matrix_by(solver, ResponseMethod::deltas);
        return largest_relative_difference(matrix_by(solver, ResponseMethod::evaluations), exact,
                                           solver.rows());
    };
    // docs/acceleration-constraints.md: what acts anyway hides what is measured.
    CHECK(error_with(0, 0x1p-10) > 1e-12);
    CHECK(error_with(1000, 1) > 1e-13);
    CHECK(error_with(1e6, 1) > 1e-10);
    CHECK(error_with(0, 0x1p60) < 1e-13);
    CHECK(error_with(1e6, 0x1p60) < 1e-13);
}
