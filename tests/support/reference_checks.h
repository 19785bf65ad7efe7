#pragma once

// What the benchmark problems of multibody dynamics must come out as: closed forms and numbers of other
// programs. Where their file of references is not there, the numbers that stand here are checked alone.
//
// A check is a template over what moves a state,
//     Mover mover(model, tolerance);              tolerance: of a step
//     mover.state                                 may be set before the first go_to
//     mover.inputs                                SmoothDynamics
//     const Moved moved = mover.go_to(time);      requires success
// so that every formulation is asked the same.

#include "support/motion_energy.h"
#include "support/reference_file.h"
#include "support/reference_problems.h"

#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

#include <cmath>

namespace lig::test {

struct Moved {
    int equality_rows = 0, redundant_rows = 0;
    double equality_error = 0;  // m or rad
};

// A01: the pendulum released from the horizontal.
template <class Mover>
void check_pendulum() {
    Mover mover(reference_pendulum(), 1e-12);
    mover.state.q[0] = -std::numbers::pi / 2;
    int checked = 0;
    for (const nlohmann::json& at : references_of("A01_pendulum")) {
        mover.go_to(at["t"]);
        const double s = std::sin(mover.state.q[0]), c = std::cos(mover.state.q[0]), w = mover.state.v[0];
        // Ten periods at 1e-12 a step.
        CHECK(std::abs(s - at["x"].get<double>()) < 1e-9);
        CHECK(std::abs(-c - at["y"].get<double>()) < 1e-9);
        CHECK(std::abs(c * w - at["vx"].get<double>()) < 1e-8);
        CHECK(std::abs(s * w - at["vy"].get<double>()) < 1e-8);
        ++checked;
    }
    CHECK((checked == 4 || !have_references()));
}

template <class Mover>
void check_pendulum_period() {
    int checked = 0;
    for (const nlohmann::json& at : references_of("pendulum_period")) {
        const double degrees = at["amplitude_deg"];
        CAPTURE(degrees);
        const double amplitude = degrees * std::numbers::pi / 180;
        // Half a period after the release it is on the other side at rest: where v changes its sign.
        const double half = std::numbers::pi * std::sqrt(1 / 9.81) * at["ratio"].get<double>();
        Mover mover(reference_pendulum(), 1e-12);
        mover.state.q[0] = amplitude;
        mover.go_to(half);
        // v̇ there is 9.81 sin: the error of the time is v over that, 1e-5 of the period asked for.
        CHECK(std::abs(mover.state.v[0] / (9.81 * std::sin(amplitude))) < 1e-9 * half);
        CHECK(std::abs(mover.state.q[0] + amplitude) < 1e-8);
        ++checked;
    }
    CHECK((checked == 9 || !have_references()));
}

template <class Mover>
void check_double_pendulum(bool rods) {
    CAPTURE(rods);
    Mover mover(reference_double_pendulum(rods), 1e-13);
    mover.state.q[0] = std::numbers::pi / 2;
    for (const nlohmann::json& at : references_of(rods ? "dp_rod" : "dp_point")) {
        const double t = at["t"];
        CAPTURE(t);
        if (t > 5) break;  // they are chaotic
        mover.go_to(t);
        for (int k = 0; k < 2; ++k) {
            const double angle = mover.state.q[0] + k * mover.state.q[1];
            const double speed = mover.state.v[0] + k * mover.state.v[1];
            CHECK(std::abs(angle - at["theta"][k].get<double>()) < 1e-8);
            CHECK(std::abs(speed - at["omega"][k].get<double>()) < 1e-7);
        }
    }
}

// Ten links on ball joints in space. Angular velocities of the links are given; a ball has those relative to
// the link before.
inline JointState<double> chain10_start(const Model& model) {
    JointState<double> state(model);
    for (int k = 0; k < 10; ++k) {
        state.v[3 * k + 0] = k == 0 ? 1 : 0;
        state.v[3 * k + 1] = 0.2;
        state.v[3 * k + 2] = k == 0 ? -0.5 : 0;
    }
    return state;
}
template <class Mover>
void check_chain10() {
    Mover mover(reference_chain10(), 1e-12);
    mover.state = chain10_start(mover.inputs.model());
    CHECK(total_energy(mover.inputs, mover.state) == doctest::Approx(42.2511875).epsilon(1e-14));
    for (const nlohmann::json& at : references_of("chain10")) {
        mover.go_to(at["t"]);
        forward_kinematics(mover.state, mover.inputs.ws);
        const Vec3d tip = body_pose(mover.inputs.ws, 10) * Vec3d{0.5, 0, 0};
        for (int k = 0; k < 3; ++k) CHECK(std::abs(tip[k] - at["tip"][k].get<double>()) < 1e-8);
    }
}

template <class Mover>
void check_free_tops() {
    struct Case {
        const char *id, *quat;
        Vec3d moments, omega;
    };
    for (const Case& top : {Case{"asymtop", "quat_wxyz", {1, 2, 3}, {0.1, 3, 0.1}},
                            Case{"axisym", "quat", {0.04, 0.04, 0.02}, {2, 4, 6}}}) {
        CAPTURE(top.id);
        Mover mover(reference_top(top.moments), 1e-12);
        for (int k = 0; k < 3; ++k) mover.state.v[3 + k] = top.omega[k];
        for (const nlohmann::json& at : references_of(top.id)) {
            mover.go_to(at["t"]);
            const JointState<double>& state = mover.state;
            const nlohmann::json& turned = at[top.quat];
            double same = 0;
            for (int k = 0; k < 4; ++k) same += state.q[3 + k] * turned[k].get<double>();
            for (int k = 0; k < 4; ++k)
                CHECK(std::abs(std::copysign(1, same) * state.q[3 + k] - turned[k].get<double>()) <
                      1e-8);
            for (int k = 0; k < 3; ++k)
                CHECK(std::abs(state.v[3 + k] - at["omega_body"][k].get<double>()) < 1e-8);
        }
    }
}

// The conical pendulum goes round at its angle.
inline constexpr double conical_angle = std::numbers::pi / 6;
inline double conical_speed() { return std::sqrt(9.81 / std::cos(conical_angle)); }
// The bob at (−sin, 0, −cos), moving along −y.
inline JointState<double> conical_start(const Model& model) {
    JointState<double> state(model);
    state.q[1] = conical_angle;
    state.v[0] = -conical_speed() * std::tan(conical_angle);
    return state;
}
template <class Mover>
void check_conical_pendulum() {
    Mover mover(reference_conical_pendulum(), 1e-12);
    const double angle = conical_angle, omega = conical_speed();
    CHECK(omega == doctest::Approx(3.36565183604907).epsilon(1e-14));
    mover.state = conical_start(mover.inputs.model());
    for (int eighth = 1; eighth <= 16; ++eighth) {
        mover.go_to(eighth * std::numbers::pi / (4 * omega));
        forward_kinematics(mover.state, mover.inputs.ws);
        const Vec3d bob = body_pose(mover.inputs.ws, 1) * Vec3d{0, 0, -1};
        const double phase = eighth * std::numbers::pi / 4;
        CHECK(std::abs(bob.x + std::sin(angle) * std::cos(phase)) < 1e-9);
        CHECK(std::abs(bob.y + std::sin(angle) * std::sin(phase)) < 1e-9);
        CHECK(std::abs(bob.z + std::cos(angle)) < 1e-9);
    }
}

inline JointState<double> andrews_start(const Model& model) {
    JointState<double> state(model);
    for (int k = 0; k < 7; ++k) state.q[Andrews::in_model[k]] = Andrews::start[k];
    return state;
}
template <class Mover>
void check_andrews() {
    const Andrews andrews;
    Mover mover(andrews.model(), 1e-11);
    mover.state = andrews_start(mover.inputs.model());
    mover.inputs.qfrc_applied[0] = andrews.mom;
    const auto check = [&](const std::array<double, 7>& q, const std::array<double, 7>& qd) {
        for (int k = 0; k < 7; ++k) {
            // Relative to the largest angle and speed; 1e-6 is asked for.
            CHECK(std::abs(mover.state.q[Andrews::in_model[k]] - q[k]) < 1e-9 * std::abs(q[0]));
            CHECK(std::abs(mover.state.v[Andrews::in_model[k]] - qd[k]) < 1e-8 * std::abs(qd[0]));
        }
    };
    const Moved moved = mover.go_to(0.03);
    CHECK(moved.equality_rows == 15);
    CHECK(moved.redundant_rows == 9);  // three of each hinge lead out of the plane
    CHECK(moved.equality_error < Mover::closed);
    check({15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
           0.524409965879954, 0.5347301163420796, 1.048080741041938},
          {1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204, 0.5735699148295025,
           -19.29337410503204, 0.3231791492491309});
    mover.go_to(0.05);
    check({33.82586776695452, -33.58343151746387, 0.11339507381259901, -0.40785286560188444,
           0.5260604449169958, 0.40785286560188444, 1.056902429434963},
          {1144.5355026538475, -1336.0337226511924, -190.93706860429464, -334.3170608708647,
           0.8758650829430151, 334.3170608708647, -39.617288978352995});
}

// N four-bars, which pass positions where their rows become dependent: the tip of the first rod.
struct FourBarsAnswer {
    int count;
    double t, x, y, vx, vy;
};
inline constexpr FourBarsAnswer four_bars_answers[] = {
    {2, 10, 0.3284581115408154, 0.944518538178601, 1.4230514702069441, -0.49486884548704296},
    {40, 20, 0.4109011537629452, 0.9116799009719807, 1.5667853719090699, -0.7061622355938373}};
template <class Mover>
void check_four_bars(const FourBarsAnswer& at) {
    CAPTURE(at.count);
    Mover mover(reference_four_bars(at.count), 1e-9);
    mover.state = four_bars_start(mover.inputs.model());
    const double before = total_energy(mover.inputs, mover.state);
    const Moved moved = mover.go_to(at.t);
    CHECK(moved.equality_rows == 5 * at.count);
    CHECK(moved.redundant_rows == 3 * at.count);
    CHECK(moved.equality_error < 1e-12);
    const JointState<double>& state = mover.state;
    const double s = std::sin(state.q[0]), c = std::cos(state.q[0]), w = state.v[0];
    // 1e-3 is asked for, and 0.1 J.
    CHECK(std::abs(-s - at.x) < 1e-6);
    CHECK(std::abs(c - at.y) < 1e-6);
    CHECK(std::abs(-c * w - at.vx) < 2e-6);
    CHECK(std::abs(-s * w - at.vy) < 2e-6);
    CHECK(std::abs(total_energy(mover.inputs, state) - before) < 1e-6 * at.count);
    // Still parallelograms: all rods at one angle, all couplers level.
    for (int k = 0; k < mover.inputs.model().nv; ++k)
        CHECK(std::abs(state.q[k] - (k % 2 == 0 ? state.q[0] : -state.q[0])) < 1e-9);
}

// Bricard's mechanism, whose loop has one row too many.
struct BricardAnswer {
    double t;
    Vec3d P3;
};
inline constexpr BricardAnswer bricard_answers[] = {
    {0.5, {0.7747178080392336, -0.9798150476556691, -0.1999061589534436}},
    {1, {0.274481319264621, -0.886707938734672, -0.4623300026873766}},
    {2, {-0.778135373033302, -0.980352683443258, -0.1972526706171536}},
    {5, {0.999932742302091, -0.9999999977383593, -6.725543609165933e-05}},
    {10, {0.9997309873037067, -0.999999963825841, -0.0002689765122283387}}};
template <class Mover>
void check_bricard() {
    Mover mover(reference_bricard(), 1e-11);
    for (const BricardAnswer& at : bricard_answers) {
        CAPTURE(at.t);
        const Moved moved = mover.go_to(at.t);
        CHECK(moved.equality_rows == 5);
        CHECK(moved.redundant_rows == 1);
        CHECK(moved.equality_error < Mover::closed);
        forward_kinematics(mover.state, mover.inputs.ws);
        const Vec3d P3 = body_pose(mover.inputs.ws, 2) * Vec3d{0, -1, 0};
        for (int k = 0; k < 3; ++k) CHECK(std::abs(P3[k] - at.P3[k]) < 1e-9);
    }
}

// The stiff flyball governor.
template <class Mover>
void check_flyball(double until) {
    Mover mover(reference_flyball(), 1e-10);
    mover.state = flyball_start(mover.inputs.model());
    struct At {
        double t, s, beta, psi, psid;
    };
    for (const At& at :
         {At{0.1, 0.5238364755695757, 0.4961738690759003, 0.622106681402688, 6.10371780883086},
          At{0.5, 0.7432494247863257, 0.2594913815434131, 2.8076794883679, 5.10341542197154},
          At{1, 0.5014209223795677, 0.5218333016255462, 5.58634696586901, 6.27112574187655},
          At{5, 0.5355631037216435, 0.4828745765869398, 27.942531991043, 6.02249649975846},
          At{10, 0.6196229170613657, 0.3900737018446451, 55.9354099091024, 5.54820362265493}}) {
        if (at.t > until) break;
        CAPTURE(at.t);
        mover.go_to(at.t);
        const JointState<double>& state = mover.state;
        CHECK(std::abs(state.q[0] - at.psi) < 1e-7);
        CHECK(std::abs(state.q[1] - at.s) < 1e-7);
        CHECK(std::abs(state.q[2] - at.beta) < 1e-7);
        CHECK(std::abs(state.q[3] - at.beta) < 1e-7);
        CHECK(std::abs(state.v[0] - at.psid) < 1e-6);
    }
}

}  // namespace lig::test
