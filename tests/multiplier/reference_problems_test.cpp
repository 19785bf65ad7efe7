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

TEST_CASE("multiplier: Bricard's mechanism, whose loop has one row too many") {
    check_bricard<ByRk45>();
    check_bricard<ByMultiplier>();
}

TEST_CASE("multiplier: the stiff flyball governor") { check_flyball<ByMultiplier>(1); }
