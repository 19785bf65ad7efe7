// The benchmark problems of multibody dynamics on joint coordinates, by rk45.

#include "support/reference_checks.h"

using namespace lig;
using namespace lig::test;

namespace {

struct ByJoints {
    static constexpr double closed = 1e-14;  // m, rad: what loops are held to

    ByJoints(std::shared_ptr<const Model> model, double tolerance)
        : motion(model), state(*model), tolerance_(tolerance) {}

    Moved go_to(double time) {
        const MotionReport report = motion.advance(state, time - state.time, {.tolerance = tolerance_});
        INFO(report.where);
        REQUIRE(report.status == MotionStatus::ok);
        return {report.equality_rows, report.redundant_rows, report.equality_error};
    }

    SmoothMotion motion;
    SmoothDynamics& inputs = motion.dynamics;
    JointState<double> state;

private:
    double tolerance_;
};

}  // namespace

TEST_CASE("A01: the pendulum released from the horizontal") { check_pendulum<ByJoints>(); }

TEST_CASE("the period of the pendulum over its amplitude") { check_pendulum_period<ByJoints>(); }

TEST_CASE("double pendulums of point masses and of rods") {
    for (const bool rods : {false, true}) check_double_pendulum<ByJoints>(rods);
}

TEST_CASE("chain10: ten links on ball joints in space") { check_chain10<ByJoints>(); }

TEST_CASE("free tops") { check_free_tops<ByJoints>(); }

TEST_CASE("the conical pendulum goes round at its angle") { check_conical_pendulum<ByJoints>(); }

TEST_CASE("Andrews' squeezing mechanism") {
    const Andrews andrews;
    const auto model = andrews.model();
    SmoothDynamics dynamics(model);
    const JointState<double> state = andrews_start(*model);
    dynamics.qfrc_applied[0] = andrews.mom;
    CHECK(dynamics.equality_errors(state).largest < 1e-15);

    // At the start: accelerations and the force through the hinges at E, of which the definition has
    // components along other axes.
    const std::span<const double> qacc = dynamics.accelerate(state);
    CHECK(qacc[0] == doctest::Approx(14222.443919954114).epsilon(1e-10));
    CHECK(qacc[1] == doctest::Approx(-10666.832939965585).epsilon(1e-10));
    for (int k = 2; k < 7; ++k) CHECK(std::abs(qacc[k]) < 1e-6);
    const std::vector<double>& force = dynamics.multipliers;
    REQUIRE(force.size() == 15);
    CHECK(std::hypot(force[0], force[1]) ==
          doctest::Approx(std::hypot(98.56687039624109, -6.122688344255662)));
    CHECK(dynamics.equality_rows == 15);
    CHECK(dynamics.redundant_rows == 9);

    check_andrews<ByJoints>();
}

TEST_CASE("N four-bars, which pass positions where their rows become dependent") {
    for (const FourBarsAnswer& at : four_bars_answers) check_four_bars<ByJoints>(at);
}

TEST_CASE("Bricard's mechanism, whose loop has one row too many") { check_bricard<ByJoints>(); }

TEST_CASE("the stiff flyball governor") { check_flyball<ByJoints>(10); }
