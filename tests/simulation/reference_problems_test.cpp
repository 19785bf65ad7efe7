// The benchmark problems of multibody dynamics, by rk45, against closed forms and other programs. Where their
// file of references is not there, the numbers that stand here are checked alone.

#include "support/reference_problems.h"
#include "support/motion_energy.h"
#include "support/reference_file.h"

#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// Advances to a time and complains where that fails.
MotionReport go_to(SmoothMotion& motion, JointState<double>& state, double time, double tolerance) {
    const MotionReport report = motion.advance(state, time - state.time, {.tolerance = tolerance});
    INFO(report.where);
    REQUIRE(report.status == MotionStatus::ok);
    return report;
}

}  // namespace

TEST_CASE("A01: the pendulum released from the horizontal") {
    SmoothMotion motion(reference_pendulum());
    JointState<double> state(motion.dynamics.model());
    state.q[0] = -std::numbers::pi / 2;
    int checked = 0;
    for (const nlohmann::json& at : references_of("A01_pendulum")) {
        go_to(motion, state, at["t"], 1e-12);
        const double s = std::sin(state.q[0]), c = std::cos(state.q[0]), w = state.v[0];
        // Ten periods at 1e-12 a step.
        CHECK(std::abs(s - at["x"].get<double>()) < 1e-9);
        CHECK(std::abs(-c - at["y"].get<double>()) < 1e-9);
        CHECK(std::abs(c * w - at["vx"].get<double>()) < 1e-8);
        CHECK(std::abs(s * w - at["vy"].get<double>()) < 1e-8);
        ++checked;
    }
    CHECK((checked == 4 || !have_references()));
}

TEST_CASE("the period of the pendulum over its amplitude") {
    SmoothMotion motion(reference_pendulum());
    int checked = 0;
    for (const nlohmann::json& at : references_of("pendulum_period")) {
        const double degrees = at["amplitude_deg"];
        CAPTURE(degrees);
        const double amplitude = degrees * std::numbers::pi / 180;
        // Half a period after the release it is on the other side at rest: where v changes its sign.
        const double half = std::numbers::pi * std::sqrt(1 / 9.81) * at["ratio"].get<double>();
        JointState<double> state(motion.dynamics.model());
        state.q[0] = amplitude;
        go_to(motion, state, half, 1e-12);
        // v̇ there is 9.81 sin: the error of the time is v over that, 1e-5 of the period asked for.
        CHECK(std::abs(state.v[0] / (9.81 * std::sin(amplitude))) < 1e-9 * half);
        CHECK(std::abs(state.q[0] + amplitude) < 1e-8);
        ++checked;
    }
    CHECK((checked == 9 || !have_references()));
}

TEST_CASE("double pendulums of point masses and of rods") {
    for (const bool rods : {false, true}) {
        CAPTURE(rods);
        SmoothMotion motion(reference_double_pendulum(rods));
        JointState<double> state(motion.dynamics.model());
        state.q[0] = std::numbers::pi / 2;
        for (const nlohmann::json& at : references_of(rods ? "dp_rod" : "dp_point")) {
            const double t = at["t"];
            CAPTURE(t);
            if (t > 5) break;  // they are chaotic
            go_to(motion, state, t, 1e-13);
            for (int k = 0; k < 2; ++k) {
                const double angle = state.q[0] + k * state.q[1], speed = state.v[0] + k * state.v[1];
                CHECK(std::abs(angle - at["theta"][k].get<double>()) < 1e-8);
                CHECK(std::abs(speed - at["omega"][k].get<double>()) < 1e-7);
            }
        }
    }
}

TEST_CASE("chain10: ten links on ball joints in space") {
    SmoothMotion motion(reference_chain10());
    JointState<double> state(motion.dynamics.model());
    // Angular velocities of the links are given; a ball has those relative to the link before.
    for (int k = 0; k < 10; ++k) {
        state.v[3 * k + 0] = k == 0 ? 1 : 0;
        state.v[3 * k + 1] = 0.2;
        state.v[3 * k + 2] = k == 0 ? -0.5 : 0;
    }
    CHECK(total_energy(motion, state) == doctest::Approx(42.2511875).epsilon(1e-14));
    for (const nlohmann::json& at : references_of("chain10")) {
        go_to(motion, state, at["t"], 1e-12);
        forward_kinematics(state, motion.dynamics.ws);
        const Vec3d tip = body_pose(motion.dynamics.ws, 10) * Vec3d{0.5, 0, 0};
        for (int k = 0; k < 3; ++k) CHECK(std::abs(tip[k] - at["tip"][k].get<double>()) < 1e-8);
    }
}

TEST_CASE("free tops") {
    struct Case {
        const char *id, *quat;
        Vec3d moments, omega;
    };
    for (const Case& top : {Case{"asymtop", "quat_wxyz", {1, 2, 3}, {0.1, 3, 0.1}},
                            Case{"axisym", "quat", {0.04, 0.04, 0.02}, {2, 4, 6}}}) {
        CAPTURE(top.id);
        SmoothMotion motion(reference_top(top.moments));
        JointState<double> state(motion.dynamics.model());
        for (int k = 0; k < 3; ++k) state.v[3 + k] = top.omega[k];
        for (const nlohmann::json& at : references_of(top.id)) {
            go_to(motion, state, at["t"], 1e-12);
            double same = 0;
            for (int k = 0; k < 4; ++k) same += state.q[3 + k] * at[top.quat][k].get<double>();
            for (int k = 0; k < 4; ++k)
                CHECK(std::abs(std::copysign(1, same) * state.q[3 + k] - at[top.quat][k].get<double>()) <
                      1e-8);
            for (int k = 0; k < 3; ++k)
                CHECK(std::abs(state.v[3 + k] - at["omega_body"][k].get<double>()) < 1e-8);
        }
    }
}

TEST_CASE("the conical pendulum goes round at its angle") {
    SmoothMotion motion(reference_conical_pendulum());
    JointState<double> state(motion.dynamics.model());
    const double angle = std::numbers::pi / 6, omega = std::sqrt(9.81 / std::cos(angle));
    CHECK(omega == doctest::Approx(3.36565183604907).epsilon(1e-14));
    // The bob at (−sin, 0, −cos), moving along −y.
    state.q[1] = angle;
    state.v[0] = -omega * std::tan(angle);
    for (int eighth = 1; eighth <= 16; ++eighth) {
        go_to(motion, state, eighth * std::numbers::pi / (4 * omega), 1e-12);
        forward_kinematics(state, motion.dynamics.ws);
        const Vec3d bob = body_pose(motion.dynamics.ws, 1) * Vec3d{0, 0, -1};
        const double phase = eighth * std::numbers::pi / 4;
        CHECK(std::abs(bob.x + std::sin(angle) * std::cos(phase)) < 1e-9);
        CHECK(std::abs(bob.y + std::sin(angle) * std::sin(phase)) < 1e-9);
        CHECK(std::abs(bob.z + std::cos(angle)) < 1e-9);
    }
}

TEST_CASE("Andrews' squeezing mechanism") {
    const Andrews andrews;
    const auto model = andrews.model();
    SmoothMotion motion(model);
    JointState<double> state(*model);
    for (int k = 0; k < 7; ++k) state.q[Andrews::in_model[k]] = Andrews::start[k];
    motion.dynamics.qfrc_applied[0] = andrews.mom;
    CHECK(motion.dynamics.loop_error(state) < 1e-15);

    // At the start: accelerations and the force through the hinges at E, of which the definition has
    // components along other axes.
    const std::span<const double> qacc = motion.dynamics.accelerate(state);
    CHECK(qacc[0] == doctest::Approx(14222.443919954114).epsilon(1e-10));
    CHECK(qacc[1] == doctest::Approx(-10666.832939965585).epsilon(1e-10));
    for (int k = 2; k < 7; ++k) CHECK(std::abs(qacc[k]) < 1e-6);
    const std::vector<double>& force = motion.dynamics.multipliers;
    REQUIRE(force.size() == 15);
    CHECK(std::hypot(force[0], force[1]) ==
          doctest::Approx(std::hypot(98.56687039624109, -6.122688344255662)));
    CHECK(motion.dynamics.loop_rows == 15);
    CHECK(motion.dynamics.redundant_rows == 9);  // three of each hinge lead out of the plane

    const auto check = [&](const std::array<double, 7>& q, const std::array<double, 7>& qd) {
        for (int k = 0; k < 7; ++k) {
            // Relative to the largest angle and speed; 1e-6 is asked for.
            CHECK(std::abs(state.q[Andrews::in_model[k]] - q[k]) < 1e-9 * std::abs(q[0]));
            CHECK(std::abs(state.v[Andrews::in_model[k]] - qd[k]) < 1e-8 * std::abs(qd[0]));
        }
    };
    const MotionReport report = go_to(motion, state, 0.03, 1e-11);
    CHECK(report.redundant_rows == 9);
    CHECK(report.loop_error < 1e-14);
    check({15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
           0.524409965879954, 0.5347301163420796, 1.048080741041938},
          {1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204, 0.5735699148295025,
           -19.29337410503204, 0.3231791492491309});
    go_to(motion, state, 0.05, 1e-11);
    check({33.82586776695452, -33.58343151746387, 0.11339507381259901, -0.40785286560188444,
           0.5260604449169958, 0.40785286560188444, 1.056902429434963},
          {1144.5355026538475, -1336.0337226511924, -190.93706860429464, -334.3170608708647,
           0.8758650829430151, 334.3170608708647, -39.617288978352995});
}

TEST_CASE("N four-bars, which pass positions where their rows become dependent") {
    struct At {
        int count;
        double t, x, y, vx, vy;
    };
    for (const At& at :
         {At{2, 10, 0.3284581115408154, 0.944518538178601, 1.4230514702069441, -0.49486884548704296},
          At{40, 20, 0.4109011537629452, 0.9116799009719807, 1.5667853719090699, -0.7061622355938373}}) {
        CAPTURE(at.count);
        SmoothMotion motion(reference_four_bars(at.count));
        JointState<double> state = four_bars_start(motion.dynamics.model());
        const double before = total_energy(motion, state);
        const MotionReport report = go_to(motion, state, at.t, 1e-9);
        CHECK(report.loop_rows == 5 * at.count);
        CHECK(report.redundant_rows == 3 * at.count);
        CHECK(report.loop_error < 1e-12);
        const double s = std::sin(state.q[0]), c = std::cos(state.q[0]), w = state.v[0];
        // 1e-3 is asked for, and 0.1 J.
        CHECK(std::abs(-s - at.x) < 1e-6);
        CHECK(std::abs(c - at.y) < 1e-6);
        CHECK(std::abs(-c * w - at.vx) < 2e-6);
        CHECK(std::abs(-s * w - at.vy) < 2e-6);
        CHECK(std::abs(total_energy(motion, state) - before) < 1e-6 * at.count);
        // Still parallelograms: all rods at one angle, all couplers level.
        for (int k = 0; k < motion.dynamics.model().nv; ++k)
            CHECK(std::abs(state.q[k] - (k % 2 == 0 ? state.q[0] : -state.q[0])) < 1e-9);
    }
}

TEST_CASE("Bricard's mechanism, whose loop has one row too many") {
    SmoothMotion motion(reference_bricard());
    JointState<double> state(motion.dynamics.model());
    struct At {
        double t;
        Vec3d P3;
    };
    for (const At& at : {At{0.5, {0.7747178080392336, -0.9798150476556691, -0.1999061589534436}},
                         At{1, {0.274481319264621, -0.886707938734672, -0.4623300026873766}},
                         At{2, {-0.778135373033302, -0.980352683443258, -0.1972526706171536}},
                         At{5, {0.999932742302091, -0.9999999977383593, -6.725543609165933e-05}},
                         At{10, {0.9997309873037067, -0.999999963825841, -0.0002689765122283387}}}) {
        CAPTURE(at.t);
        const MotionReport report = go_to(motion, state, at.t, 1e-11);
        CHECK(report.loop_rows == 5);
        CHECK(report.redundant_rows == 1);
        CHECK(report.loop_error < 1e-14);
        forward_kinematics(state, motion.dynamics.ws);
        const Vec3d P3 = body_pose(motion.dynamics.ws, 2) * Vec3d{0, -1, 0};
        for (int k = 0; k < 3; ++k) CHECK(std::abs(P3[k] - at.P3[k]) < 1e-9);
    }
}

TEST_CASE("the stiff flyball governor") {
    SmoothMotion motion(reference_flyball());
    JointState<double> state = flyball_start(motion.dynamics.model());
    struct At {
        double t, s, beta, psi, psid;
    };
    for (const At& at :
         {At{0.1, 0.5238364755695757, 0.4961738690759003, 0.622106681402688, 6.10371780883086},
          At{0.5, 0.7432494247863257, 0.2594913815434131, 2.8076794883679, 5.10341542197154},
          At{1, 0.5014209223795677, 0.5218333016255462, 5.58634696586901, 6.27112574187655},
          At{5, 0.5355631037216435, 0.4828745765869398, 27.942531991043, 6.02249649975846},
          At{10, 0.6196229170613657, 0.3900737018446451, 55.9354099091024, 5.54820362265493}}) {
        CAPTURE(at.t);
        go_to(motion, state, at.t, 1e-10);
        CHECK(std::abs(state.q[0] - at.psi) < 1e-7);
        CHECK(std::abs(state.q[1] - at.s) < 1e-7);
        CHECK(std::abs(state.q[2] - at.beta) < 1e-7);
        CHECK(std::abs(state.q[3] - at.beta) < 1e-7);
        CHECK(std::abs(state.v[0] - at.psid) < 1e-6);
    }
}
