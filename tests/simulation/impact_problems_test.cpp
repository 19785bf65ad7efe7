// Impacts with known answers: bounces, rocking, what is fast and thin, what passes by, and Painlevé's rod.
// Closed forms, and the numbers of the collection of reference problems (section 3). Default options; frames
// of 60 Hz, unless it is said otherwise. docs/validation.md has the table.

#include "support/simulation_runs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const char* const bouncing_ball = R"(<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 1.1"><freejoint name="root"/><geom size="0.1" restitution="0.8"/></body>
  </worldbody></mujoco>)";

// A ball of 5 cm that flies along x, and a box of 1 m that its path passes.
std::string flight(const std::string& box_at, const std::string& ball_at) {
    return "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='0.5 0.5 0.5' pos='" + box_at +
           "'/><body pos='" + ball_at +
           "'><freejoint name='root'/><geom size='0.05'/></body></worldbody></mujoco>";
}

}  // namespace

// Between impacts the ball flies freely, so that the time of the last one follows from where it is and how
// fast.
TEST_CASE("bounces: when, how high, and when they have ended") {
    Simulation sim(model_of(bouncing_ball));
    const double expected[] = {0.4515236409857309, 1.1739614665629003, 1.7519117270246358};
    std::vector<double> impacts;
    double before = 0;
    run(sim, 3, frame, [&](const StepReport& report) {
        const double v = velocity_of(sim).z, height = position_of(sim).z - 0.1;
        if (v > 0 && before < 0)
            impacts.push_back(report.time - (std::sqrt(v * v + 2 * gravity * height) - v) / gravity);
        before = v;
    });
    REQUIRE(impacts.size() >= 5);
    for (int k = 0; k < 3; ++k) {
        MESSAGE("bounce " << k + 1 << ": " << impacts[k] << " s of " << expected[k]);
        CHECK(std::abs(impacts[k] - expected[k]) < 1e-3);
    }
    // The sum of all bounces is finite: 4.0637 s.
    run(sim, 1);
    const double energy = sim.energy().kinetic;
    run(sim, 0.5);
    MESSAGE("bounce: at 4 s " << energy << " J, at 4.5 s " << sim.energy().kinetic << " J, gap "
                              << position_of(sim).z - 0.1);
    CHECK(sim.energy().kinetic < 1e-12);
    CHECK(std::abs(position_of(sim).z - 0.1) < 1e-3);
}

TEST_CASE("bounces: a box that falls flat keeps its share at all corners, and does not turn") {
    for (const double e : {0.3, 0.7}) {
        Simulation sim(
            model_of("<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.6'><freejoint "
                     "name='root'/><geom type='box' size='0.3 0.2 0.1' restitution='" +
                     std::to_string(e) + "'/></body></worldbody></mujoco>"));
        double highest = 0, before = 0;
        bool up = false;
        run(sim, 0.35 + std::sqrt(2 * 0.5 / gravity) * e * 1.8, frame, [&](const StepReport&) {
            const double v = velocity_of(sim).z;
            up = up || (before < 0 && v > 0);
            if (up)
                highest = std::max(highest, position_of(sim).z - 0.1 + (v > 0 ? v * v / (2 * gravity) : 0));
            before = v;
        });
        MESSAGE("box, e = " << e << ": rises to " << highest << " m of " << 0.5 * e * e);
        CHECK(std::abs(highest / (0.5 * e * e) - 1) < 1e-4);
        CHECK(std::abs(spin_of(sim).x) + std::abs(spin_of(sim).y) < 1e-5);  // the solver's accuracy
    }
}

// Balls of 1, 2 and 3 kg in a row, hit one after the other: cradle_1_2_3. With `gap` between them.
namespace {
void check_cradle(double gap, ImpactLaw law = ImpactLaw::automatic) {
    std::string xml =
        "<mujoco><option gravity='0 0 0'/><default><geom restitution='1' condim='1'/></default><worldbody>";
    for (int k = 0; k < 3; ++k)
        xml += "<body pos='" + std::to_string(k * (0.2 + gap) - (k == 0 ? 0.3 : 0)) +
               " 0 0'><freejoint name='" + "abc"[k] + "'/><geom size='0.1' mass='" + std::to_string(k + 1) +
               "'/></body>";
    SimulationOptions options;
    options.impact = law;
    Simulation sim(model_of(xml + "</worldbody></mujoco>"), options);
    set_velocity(sim, {1, 0, 0}, Vec3d::zero(), "a");
    run(sim, 1);
    MESSAGE("cradle, gap " << gap << ": " << velocity_of(sim, "a").x << " " << velocity_of(sim, "b").x << " "
                           << velocity_of(sim, "c").x << " of -0.333333 -0.133333 0.533333");
    CHECK(std::abs(velocity_of(sim, "a").x + 1.0 / 3) < 1e-6);
    CHECK(std::abs(velocity_of(sim, "b").x + 2.0 / 15) < 1e-6);
    CHECK(std::abs(velocity_of(sim, "c").x - 8.0 / 15) < 1e-6);
}
}  // namespace

TEST_CASE("bounces: three balls in a row, elastic") { check_cradle(0.05); }
// The second impact would be in the same frame as the first.
TEST_CASE("bounces: three balls in a row, near each other") { check_cradle(0.003); }

// Those that touch are hit one after the other all the same.
TEST_CASE("bounces: three balls in a row that touch") {
    check_cradle(0);
    check_cradle(0, ImpactLaw::sequential);
}

// A block of 0.2 × 1 m stands on an edge, tilted by half the angle α at which it would fall over, and rocks.
// At the impact ω falls to 1 − 3/2 sin² α of itself.
TEST_CASE("Housner's block rocks from edge to edge") {
    const double alpha = std::atan2(0.1, 0.5), R = std::hypot(0.1, 0.5);
    Simulation sim(
        model_of(R"(<mujoco><default><geom friction='2 0 0'/></default><worldbody><geom type="plane"
      size="0 0 1"/><body pos="0 0 0.5"><freejoint name="root"/><geom type="box" size="0.1 0.3 0.5"/></body>
      </worldbody></mujoco>)"));
    JointState<double> state = sim.state();
    const double tilt = alpha / 2;  // about +y, on the edge at x = +0.1, z = 0
    state.q[0] = 0.1 - R * std::sin(alpha - tilt);
    state.q[2] = R * std::cos(alpha - tilt);
    state.q[3] = std::cos(tilt / 2);
    state.q[5] = std::sin(tilt / 2);
    sim.set_state(state);
    const auto angle = [&] { return 2 * std::atan2(sim.state().q[5], sim.state().q[3]); };

    const double dt =
        1.0 / 4000;  // rocking is first order in the step: at 60 Hz the second peak is 29 % too low
    double when = 0, speed_before = 0, speed_after = 0, peak = 0;
    run(sim, 0.8, dt, [&](const StepReport& report) {
        const double theta = angle(), omega = -spin_of(sim).y;
        if (when == 0 && theta > 0) speed_before = omega;
        if (when == 0 && theta <= 0) when = report.time;
        if (when > 0 && report.time < when + 3.5 * dt) speed_after = omega;
        if (when > 0) peak = std::max(peak, -theta);
    });
    MESSAGE("housner: impact " << when << " s of 0.347094, omega " << speed_before << " of 0.648049, then "
                               << speed_after << " of 0.610662, second peak " << peak << " of 0.0833391");
    CHECK(std::abs(when / 0.3470935867888813 - 1) < 0.01);
    CHECK(std::abs(speed_before / 0.6480490122675323 - 1) < 0.01);
    CHECK(std::abs(speed_after / 0.6106615692520978 - 1) < 0.01);
    CHECK(std::abs(peak / 0.08333911316435469 - 1) < 0.01);
}

// 1.7 m per frame against a wall of 1 mm.
TEST_CASE("a fast small ball does not pass through a thin wall") {
    for (const double speed : {20.0, 100.0})
        for (const double aside : {0.0, 0.3}) {
            CAPTURE(speed);
            CAPTURE(aside);
            Simulation sim(model_of(R"(<mujoco><worldbody><geom type="box" size="0.0005 5 5" pos="2 0 0"/>
              <body><freejoint name="root"/><geom size="0.01"/></body></worldbody></mujoco>)"));
            set_velocity(sim, {speed, aside * speed, 0});
            run(sim, 0.3, frame, [&](const StepReport&) { CHECK(position_of(sim).x < 2 - 0.0005 - 0.0095); });
            CHECK(position_of(sim).x > 1.9);
        }
}

// Contacts are looked at before they touch; what does not touch must not feel them.
TEST_CASE("what passes by is not slowed down") {
    struct Case {
        std::string what, box, ball;
        Vec3d velocity;
    };
    const Case cases[] = {
        {"along a face", "0 0 -0.551", "-2 0 0", {10, 0, 0}},
        {"along a face, fast", "0 0 -0.551", "-2 0 0", {100, 0, 0}},
        // Past the edge at x = 0, z = 0 with 1 mm to spare, downwards at 45°: the centre passes it at 51 mm.
        {"across an edge", "-0.5 0 -0.5", "-0.927875113 0 1", {10, 0, -10}},
        {"across an edge, fast", "-0.5 0 -0.5", "-0.927875113 0 1", {50, 0, -50}},
        {"down beside a face", "-0.551 0 0", "0 0 2", {0, 0, -20}},
    };
    for (const Case& c : cases) {
        Simulation sim(model_of(flight(c.box, c.ball)));
        set_velocity(sim, c.velocity);
        run(sim, 0.4);
        const Vec3d v = velocity_of(sim);
        MESSAGE(c.what << ": v " << v.x << " " << v.y << " " << v.z);
        CHECK(std::abs(v.x - c.velocity.x) + std::abs(v.y) + std::abs(v.z - c.velocity.z) < 1e-9);
    }
}

// A rod that slides on its end, mass 1, half length 1, moment of inertia 1, as in Drake's rod2d: with this
// friction no bounded force does it at 45°; an impulse must. The energy does not grow, whatever the angle and
// the friction: never above the start, and above what it has fallen to by the error of turning about a fixed
// end in frames of 60 Hz only.
TEST_CASE("Painlevé's rod stays finite and gains no energy") {
    double rise = 0;
    for (const double mu : {1.0, 5.0, 1000.0})
        for (const double degrees : {20.0, 45.0, 63.4349488, 80.0, 135.0})
            for (const double speed : {-1.0, 1.0}) {
                CAPTURE(mu);
                CAPTURE(degrees);
                CAPTURE(speed);
                const double angle = degrees * std::numbers::pi / 180;
                // The rod is along x of its body; turning about −y by `angle` raises that end.
                Simulation sim(model_of(
                    "<mujoco><worldbody><geom type='plane' size='0 0 1' friction='" + std::to_string(mu) +
                    " 0 0'/><body><joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' "
                    "axis='0 0 1'/>"
                    "<joint name='turn' axis='0 -1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                    "<geom type='sphere' size='0.001' pos='-1 0 0' friction='0 0 0'/>"
                    "<geom type='sphere' size='0.001' pos='1 0 0' friction='0 0 "
                    "0'/></body></worldbody></mujoco>"));
                JointState<double> state = sim.state();
                state.q[1] = 0.001 + std::sin(angle);
                state.q[2] = angle;
                state.v[0] = speed;
                sim.set_state(state);
                const double start = total(sim.energy());
                double least = start;
                run(sim, 3, frame, [&](const StepReport&) {
                    const double energy = total(sim.energy());
                    REQUIRE(std::isfinite(energy));
                    rise = std::max(rise, (energy - least) / start);
                    CHECK(energy < start);
                    least = std::min(least, energy);
                });
            }
    MESSAGE("painleve: energy above its running minimum by " << 100 * rise << " % of the start at most");
    CHECK(rise < 2e-3);
}
