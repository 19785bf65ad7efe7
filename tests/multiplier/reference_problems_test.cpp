// The benchmark problems of multibody dynamics on body coordinates, by Runge–Kutta methods to tight
// tolerances: through BodyMotion and through a simulation.

#include "support/body_runs.h"

using namespace lig;
using namespace lig::test;
using multiplier::Method;

namespace {

using ByRk45 = ByBodies<Method::rk45>;

}  // namespace

TEST_CASE("multiplier: A01, the pendulum released from the horizontal") {
    check_pendulum<ByRk45>();
    check_pendulum<ByMultiplier>();
}

TEST_CASE("multiplier: the period of the pendulum over its amplitude") {
    check_pendulum_period<ByRk45>();
    check_pendulum_period<ByMultiplier>();
}

TEST_CASE("multiplier: double pendulums of point masses and of rods") {
    for (const bool rods : {false, true}) check_double_pendulum<ByRk45>(rods);
}

TEST_CASE("multiplier: chain10, ten links on ball joints in space") { check_chain10<ByRk45>(); }

TEST_CASE("multiplier: a whole motion in one call") {
    check_double_pendulum<ByMultiplier>(true);
    check_chain10<ByMultiplier>();
}

TEST_CASE("multiplier: free tops") {
    check_free_tops<ByRk45>();
    check_free_tops<ByMultiplier>();
}

TEST_CASE("multiplier: the conical pendulum goes round at its angle") {
    check_conical_pendulum<ByRk45>();
    check_conical_pendulum<ByMultiplier>();
}

TEST_CASE("multiplier: Andrews' squeezing mechanism") { check_andrews<ByMultiplier>(); }

TEST_CASE("multiplier: N four-bars, which pass positions where their rows become dependent") {
    check_four_bars<ByMultiplier>(four_bars_answers[0]);
}

// Rows are as good as dependent at the start and are told apart by the first steps. The speed follows from
// the energy: two couplers and three rods that turn as one.
TEST_CASE("multiplier: two four-bars that start next to a position where their rows become dependent") {
    const auto model = reference_four_bars(2);
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation})
        for (const double off : {1e-8, 1e-6, 3e-5, -3e-5, 3e-4}) {
            CAPTURE(off);
            BodyRun run(model, loops);
            const double start = -std::numbers::pi / 2 + off;
            for (int k = 0; k < model->nv; ++k) {
                run.state.q[k] = k % 2 == 0 ? start : -start;
                run.state.v[k] = k % 2 == 0 ? -5 : 5;
            }
            const MotionReport report =
                run.advance_ok(0.3, {.method = Method::rk45, .step = 0.1, .tolerance = 1e-9});
            CHECK(report.steps + report.rejected < 500);
            CHECK(report.redundant_rows == 6);
            const double angle = run.state.q[0];
            const double inertia = 3.0 / 3 + 2, weight = 9.81 * (3.0 / 2 + 2);
            const double speed = std::sqrt(25 + 2 * weight / inertia * (std::cos(start) - std::cos(angle)));
            CHECK(std::abs(run.state.v[0] + speed) < 1e-8);
            for (int k = 0; k < model->nv; ++k)
                CHECK(std::abs(run.state.q[k] - (k % 2 == 0 ? angle : -angle)) < 1e-12);
        }
}

TEST_CASE("multiplier: Bricard's mechanism, whose loop has one row too many") {
    check_bricard<ByRk45>();
    check_bricard<ByMultiplier>();
}

TEST_CASE("multiplier: the stiff flyball governor") { check_flyball<ByMultiplier>(1); }
