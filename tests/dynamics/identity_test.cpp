// Forward and inverse dynamics undo each other, and both agree with the inertia matrix, on random trees over
// all joint kinds with compound joints, rotor inertias, moving bases and external forces.

#include "support/random_scene.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// In units of the largest joint wrench: what the issue asks for.
constexpr double tolerance = 1e-10;

TreeShape shape_of(int bodies, double chain) {
    TreeShape shape;
    shape.bodies = bodies;
    shape.chain = chain;
    shape.kinematic = bodies > 1 ? 2 : 0;
    // Free joints cut a tree apart; half of the trees are whole.
    shape.free_joints = chain != 0.9;
    return shape;
}

// Forces on some of the bodies. Leaves the kinematics in the workspace.
void random_external(Random& random, const JointState<double>& state, Workspace<double>& ws) {
    forward_kinematics(state, ws);
    clear_external(ws);
    for (int b = 1; b < int(ws.model().bodies.size()); b += 1 + random_index(random, 3))
        add_body_wrench(ws, b, random_vec(random, 5), random_vec(random, 5));
}

struct RoundTrip {
    double error;      // |ID(FD(tau)) − tau|, relative to the largest joint wrench
    double last_digit; // the same for ID of accelerations changed in their last digit
};

RoundTrip round_trip(Random& random, const std::shared_ptr<const Model>& model) {
    Workspace<double> ws(model);
    const JointState<double> state = random_state(random, *model);
    random_external(random, state, ws);
    const std::vector<double> tau = random_numbers(random, model->nv, 10);
    std::vector<double> qacc(model->nv), back(model->nv), changed(model->nv);
    forward_dynamics<double>(state, tau, ws, qacc, true);
    inverse_dynamics<double>(state, qacc, ws, back, true);
    const double wrench = largest_joint_wrench(ws);
    RoundTrip out{largest_difference(tau, back) / wrench, 0};
    for (int trial = 0; trial < 4; ++trial) {
        std::vector<double> near = qacc;
        for (double& x : near) x = std::nextafter(x, random.uniform(-1, 1) * INFINITY);
        inverse_dynamics<double>(state, near, ws, changed, true);
        out.last_digit = std::max(out.last_digit, largest_difference(back, changed) / wrench);
    }
    return out;
}

}  // namespace

TEST_CASE("dynamics: inverse after forward dynamics gives the forces back, trees of up to 100 bodies") {
    Random random(11);
    double worst = 0;
    for (const auto& [bodies, trees] :
         {std::pair{1, 300}, std::pair{2, 300}, std::pair{10, 100}, std::pair{100, 20}})
        for (int tree = 0; tree < trees; ++tree) {
            CAPTURE(bodies);
            CAPTURE(tree);
            const auto model = compile(random_scene(random, shape_of(bodies, 0.3 * (tree % 4))));
            if (model->nv == 0) continue;
            const double error = round_trip(random, model).error;
            CHECK(error < tolerance);
            worst = std::max(worst, error);
        }
    MESSAGE("largest error: " << worst);
}

TEST_CASE(
    "dynamics: inverse after forward dynamics gives the forces back, trees of 1,000 and 10,000 bodies") {
    Random random(12);
    double worst = 0;
    for (const int bodies : {1000, 10000})
        for (const double chain : {0.0, 0.3, 0.6}) {
            CAPTURE(bodies);
            CAPTURE(chain);
            const double error =
                round_trip(random, compile(random_scene(random, shape_of(bodies, chain)))).error;
            CHECK(error < tolerance);
            worst = std::max(worst, error);
        }
    MESSAGE("largest error: " << worst);
}

TEST_CASE(
    "dynamics: inverse after forward dynamics gives the forces back, chains of 1,000 and 10,000 bodies") {
    // Links thousands of joints from the root, at speeds and accelerations that add up along the chain, on
    // joints that let most of the force fall away: the last digit of an acceleration near the root is then
    // worth more than 1e-10 of the largest wrench, whatever computed it. A computation that loses no digits
    // stays within a few times that.
    Random random(16);
    for (const int bodies : {1000, 10000})
        for (const double chain : {0.9, 1.0, 1.0}) {
            CAPTURE(bodies);
            CAPTURE(chain);
            const RoundTrip result =
                round_trip(random, compile(random_scene(random, shape_of(bodies, chain))));
            CHECK(result.error < std::max(tolerance, 4 * result.last_digit));
            MESSAGE("error " << result.error << ", of the last digit " << result.last_digit);
        }
}

TEST_CASE("dynamics: M qacc + bias = tau, up to 1,000 bodies") {
    Random random(13);
    double worst = 0;
    for (const auto& [bodies, trees] :
         {std::pair{1, 100}, std::pair{10, 50}, std::pair{100, 10}, std::pair{1000, 2}})
        for (int tree = 0; tree < trees; ++tree) {
            CAPTURE(bodies);
            const auto model = compile(random_scene(random, shape_of(bodies, tree % 2 ? 0.9 : 0.3)));
            const std::size_t n = model->nv;
            if (n == 0) continue;
            Workspace<double> ws(model);
            const JointState<double> state = random_state(random, *model);
            random_external(random, state, ws);
            const std::vector<double> tau = random_numbers(random, int(n), 10), rest(n, 0.0);
            std::vector<double> qacc(n), bias(n), M(n * n), sum(n), wrench(n);
            forward_dynamics<double>(state, tau, ws, qacc, true);
            inverse_dynamics<double>(state, rest, ws, bias, true);
            inverse_dynamics<double>(state, qacc, ws, wrench, true);
            const double scale = largest_joint_wrench(ws);
            mass_matrix<double>(state, ws, M);
            double asymmetry = 0;
            for (std::size_t i = 0; i < n; ++i) {
                sum[i] = bias[i];
                for (std::size_t j = 0; j < n; ++j) {
                    sum[i] += M[n * i + j] * qacc[j];
                    asymmetry = std::max(asymmetry, std::abs(M[n * i + j] - M[n * j + i]));
                }
            }
            CHECK(asymmetry == 0);
            const double error = largest_difference(sum, tau) / scale;
            CHECK(error < tolerance);
            worst = std::max(worst, error);
        }
    MESSAGE("largest error: " << worst);
}

TEST_CASE(
    "dynamics: the inertia matrix column by column is what inverse dynamics asks for unit accelerations") {
    Random random(14);
    for (int tree = 0; tree < 20; ++tree) {
        Scene scene = random_scene(random, shape_of(20, 0.5));
        scene.options.gravity = {0, 0, 0};
        const auto model = compile(scene);
        const std::size_t n = model->nv;
        Workspace<double> ws(model);
        JointState<double> state = random_state(random, *model);
        for (double& v : state.v) v = 0;
        for (BaseMotion<double>& base : state.kinematic)
            base.velocity = base.acceleration = Motion<double>::zero();
        std::vector<double> M(n * n), column(n);
        mass_matrix<double>(state, ws, M);
        for (std::size_t j = 0; j < n; ++j) {
            std::vector<double> unit(n, 0.0);
            unit[j] = 1;
            inverse_dynamics<double>(state, unit, ws, column);
            double worst = 0;
            for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(M[n * i + j] - column[i]));
            // Inertias up to a few hundred kg m², computed in two different orders.
            CHECK(worst < 1e-12 * std::max(1.0, largest(M)));
        }
    }
}

TEST_CASE("dynamics: float closes the same circle to its own precision") {
    Random random(15);
    std::vector<double> worst;
    for (int tree = 0; tree < 100; ++tree) {
        TreeShape shape = shape_of(1 + tree % 20, 0.5);
        const auto model = compile(random_scene(random, shape));
        if (model->nv == 0) continue;
        Workspace<float> ws(model);
        const JointState<double> exact = random_state(random, *model);
        JointState<float> state(*model);
        for (int k = 0; k < model->nq; ++k) state.q[k] = float(exact.q[k]);
        for (int k = 0; k < model->nv; ++k) state.v[k] = float(exact.v[k]);
        std::vector<float> tau(model->nv), qacc(model->nv), back(model->nv);
        for (float& x : tau) x = float(random.uniform(-10, 10));
        forward_dynamics<float>(state, tau, ws, qacc);
        inverse_dynamics<float>(state, qacc, ws, back);
        // The tolerance of double, 1e-10, in units of float's rounding, which is 2²⁹ times larger.
        CHECK(largest_difference(tau, back) < 0x1p29 * tolerance * largest_joint_wrench(ws));
        worst.push_back(largest_difference(tau, back) / largest_joint_wrench(ws));
    }
    // That is wide. Half of the trees do a thousand times better.
    std::sort(worst.begin(), worst.end());
    CHECK(worst[worst.size() / 2] < 1e-4);
}
