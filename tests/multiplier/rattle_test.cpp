// RATTLE against motions that are known: its order, its errors where theory gives them in closed form, and
// energy over many periods.

#include "support/body_runs.h"

#include <algorithm>
#include <functional>

using namespace lig;
using namespace lig::test;
using multiplier::BodyMotionOptions;
using multiplier::Method;

namespace {

struct Problem {
    std::string name;
    std::shared_ptr<const Model> model;
    JointState<double> start;
    double time, step;
    double force = 0;  // on the first freedom
    double most;       // error allowed at that step
};

std::vector<Problem> problems() {
    std::vector<Problem> out;
    const auto add = [&](const char* name, std::shared_ptr<const Model> model, double time, double step,
                         double most, const std::function<void(JointState<double>&)>& set, double force = 0) {
        JointState<double> start(*model);
        set(start);
        out.push_back({name, model, start, time, step, force, most});
    };
    add("pendulum", reference_pendulum(), 2, 0.01, 2e-3, [](auto& s) { s.q[0] = -std::numbers::pi / 2; });
    add("dp_point", reference_double_pendulum(false), 1, 0.005, 1e-3,
        [](auto& s) { s.q[0] = std::numbers::pi / 2; });
    add("dp_rod", reference_double_pendulum(true), 1, 0.005, 1e-3,
        [](auto& s) { s.q[0] = std::numbers::pi / 2; });
    const auto chain = reference_chain10();
    add("chain10", chain, 0.5, 0.0025, 1e-3, [&](auto& s) { s = chain10_start(*chain); });
    add("asymtop", reference_top({1, 2, 3}), 5, 0.01, 2e-3, [](auto& s) {
        s.v[3] = s.v[5] = 0.1;
        s.v[4] = 3;
    });
    add("axisym", reference_top({0.04, 0.04, 0.02}), 2, 0.01, 1e-9, [](auto& s) {
        s.v[3] = 2;
        s.v[4] = 4;
        s.v[5] = 6;
    });
    const auto cone = reference_conical_pendulum();
    add("conical", cone, 2, 0.01, 1e-3, [&](auto& s) { s = conical_start(*cone); });
    const Andrews andrews;
    const auto squeezer = andrews.model();
    add("andrews", squeezer, 0.01, 2e-5, 1e-4, [&](auto& s) { s = andrews_start(*squeezer); }, andrews.mom);
    add("bricard", reference_bricard(), 1, 0.005, 1e-4, [](auto&) {});
    const auto bars = reference_four_bars(2);
    add("four_bars", bars, 1, 0.005, 1e-3, [&](auto& s) { s = four_bars_start(*bars); });
    return out;
}

}  // namespace

namespace {

void check_order(bool of_thin_rods) {
    for (const Problem& problem : problems()) {
        if ((problem.name == "dp_rod" || problem.name == "four_bars") != of_thin_rods) continue;
        CAPTURE(problem.name);
        SmoothMotion reference(problem.model);
        JointState<double> exact = problem.start;
        reference.dynamics.qfrc_applied[0] = problem.force;
        REQUIRE(reference.advance(exact, problem.time, {.tolerance = 1e-12}).status == MotionStatus::ok);
        double errors[2];
        for (int half = 0; half < 2; ++half) {
            BodyRun run(problem.model);
            run.state = problem.start;
            run.inputs.qfrc_applied[0] = problem.force;
            const MotionReport report = run.advance_ok(problem.time, {.step = problem.step / (1 + half)});
            // Constraints hold to 1e-12; where Newton's method is stuck, near singular positions, to 1e-9.
            const double held = problem.name == "four_bars" ? 1e-9 : 2e-11;
            REQUIRE(report.joint_error < held);
            CHECK(report.equality_error < held);
            errors[half] = pose_difference(problem.model, run.state, exact);
        }
        MESSAGE(problem.name << ": error " << errors[0] << " at a step of " << problem.step << " s, order "
                             << std::log2(errors[0] / errors[1]));
        CHECK(errors[0] < problem.most);
        // A body with an axis of symmetry that turns freely is moved exactly.
        if (errors[0] > 1e-9) CHECK(std::log2(errors[0] / errors[1]) == doctest::Approx(2).epsilon(0.05));
    }
}

}  // namespace

TEST_CASE("rattle: second order on the reference problems") { check_order(false); }
TEST_CASE("rattle: second order on mechanisms of thin rods") { check_order(true); }

// For small angles the step is Verlet's: θₙ₊₁ − 2 θₙ + θₙ₋₁ = −h² ω² θₙ, whatever carries the mass, so θₙ = A
// cos(n φ) with 2 sin(φ/2) = h ω.
TEST_CASE("rattle: small swings have the frequency of Verlet's method") {
    Scene scene;
    const BodyId bar =
        scene.add_body(world, {.name = "bar", .inertial = box_mass(2, {0, 0, -0.3}, {0.2, 0.1, 0.5})});
    scene.add_joint(bar, {.name = "pivot", .axis = {0, -1, 0}});
    const double about_pivot = 2.0 / 12 * (0.04 + 0.25) + 2 * 0.09;
    struct Case {
        std::shared_ptr<const Model> model;
        double omega;
    };
    for (const Case& c : {Case{reference_pendulum(), std::sqrt(9.81)},
                          Case{compile(scene), std::sqrt(2 * 9.81 * 0.3 / about_pivot)}}) {
        BodyRun run(c.model);
        const double amplitude = 1e-4, h = 0.1;
        run.state.q[0] = amplitude;
        const double phase = 2 * std::asin(0.5 * h * c.omega);
        for (int n = 1; n <= 100; ++n) {
            run.advance_ok(h, {.step = h});
            // Angles count in the second order: n φ A²/16, and positions are held to 1e-12.
            CHECK(std::abs(run.state.q[0] / amplitude - std::cos(n * phase)) < 2e-6);
        }
    }
}

// Symplectic, so energy swings by O(h²) and does not drift. How far: the step keeps, to fourth order,
//     H + h² (vᵀ (V″ + λ g″) v/12 − |a|²/24),   g: the constraint, λ: its force, a: the acceleration,
// which for the bob of unit mass and length is H + h² ((γ cos θ + ω²) ω²/12 − (γ² sin² θ + ω⁴)/24), ω² = 2 γ
// cos θ after a release from the horizontal: H at the bottom is off by (1/3 + 1/24) h² γ².
TEST_CASE("rattle: the energy of a pendulum over a hundred periods") {
    const double period = 2 * std::numbers::pi * std::sqrt(1 / 9.81) * 1.180340599016096;
    BodyRun run(reference_pendulum());
    run.state.q[0] = std::numbers::pi / 2;
    const double h = 0.01;
    double worst = 0, first = 0, last = 0;
    const int steps = static_cast<int>(100 * period / h), each = steps / 10;
    for (int n = 0; n < steps; ++n) {
        run.advance_ok(h, {.step = h});
        const double error = std::abs(total_energy(run.inputs, run.state));
        worst = std::max(worst, error);
        if (n < each) first = std::max(first, error);
        if (n >= steps - each) last = std::max(last, error);
    }
    MESSAGE("pendulum: energy swings by " << worst << " J of 9.81 J at a step of " << h
                                          << " s; in the first tenth by " << first << ", in the last by "
                                          << last);
    CHECK(worst == doctest::Approx(0.375 * h * h * 9.81 * 9.81).epsilon(1e-3));
    CHECK(std::abs(last / first - 1) < 1e-4);
}

TEST_CASE("rattle: the energy of mechanisms and tops does not drift") {
    struct Case {
        std::string name;
        std::shared_ptr<const Model> model;
        JointState<double> start;
        double h;
    };
    const auto bricard = reference_bricard(), top = reference_top({1, 2, 3}),
               cone = reference_conical_pendulum();
    JointState<double> tumbling(*top);
    tumbling.v = {0, 0, 0, 0.1, 3, 0.1};
    JointState<double> swinging = conical_start(*cone);
    swinging.v[0] *= 0.5;
    for (const Case& c : {Case{"bricard", bricard, JointState<double>(*bricard), 0.01},
                          Case{"top", top, tumbling, 0.02}, Case{"cone", cone, swinging, 0.01}}) {
        CAPTURE(c.name);
        BodyRun run(c.model);
        run.state = c.start;
        const double before = total_energy(run.inputs, run.state);
        double worst[4] = {};
        for (int n = 0; n < 8000; ++n) {
            run.advance_ok(c.h, {.step = c.h});
            double& own = worst[n / 2000];
            own = std::max(own, std::abs(total_energy(run.inputs, run.state) - before));
        }
        MESSAGE(c.name << ": energy swings by " << worst[0] << " J, in the last quarter by " << worst[3]
                       << " J");
        for (int quarter = 1; quarter < 4; ++quarter) CHECK(worst[quarter] < 1.02 * worst[0] + 1e-12);
    }
}

// Reversible: with velocities turned round it goes back to where it came from.
TEST_CASE("rattle: goes back the way it came") {
    for (const auto& model : {reference_chain10(), reference_bricard()}) {
        BodyRun run(model);
        for (int k = 0; k < model->nv; ++k)
            run.state.v[k] = model->loops.empty() ? 0.3 * ((k * 7) % 5 - 2) : 0.0;
        run.begin();
        const JointState<double> start = run.state;
        const maximal::BodyCoordinates bodies = run.bodies;
        run.advance_ok(0.5, {.step = 0.01});
        CHECK(pose_difference(model, run.state, start) > 0.1);
        for (Motion<double>& V : run.bodies.V) V = {-1.0 * V.ang, -1.0 * V.lin};
        run.advance_ok(0.5, {.step = 0.01});
        double most = 0;
        for (std::size_t i = 0; i < bodies.x.size(); ++i) {
            const Vec3d d = run.bodies.x[i] - bodies.x[i], w = run.bodies.V[i].ang + bodies.V[i].ang;
            most = std::max({most, std::sqrt(dot(d, d)), std::sqrt(dot(w, w))});
        }
        // Constraints are solved to 1e-12 m in every step, and errors grow on the way.
        CHECK(most < 1e-8);
    }
}
