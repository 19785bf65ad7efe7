// Sliding, sticking and rolling with known answers: closed forms, and the numbers of the collection of
// reference problems (section 3). Default options and frames of 60 Hz, unless it is said otherwise: what a
// user gets who asks for nothing. docs/validation.md has the table.
//
// Velocities under constant forces are exact. Positions go with the velocity at the end of a step, so they
// are off by up to half a step's change of velocity: `ahead` below.

#include "support/contact_scenes.h"
#include "support/simulation_runs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// How far a position may be off after velocities have changed by so much in the course of time.
double ahead(double change, double dt = frame) { return 0.505 * dt * change; }

const std::string ball_on_floor = "<body pos='0 0 0.1'><freejoint name='root'/><geom size='0.1'/></body>";

}  // namespace

TEST_CASE("box on an incline: slides as it should") {
    Simulation sim(model_of(incline(0.3, 0.1, box)));
    run(sim, 1);
    const double v = dot(velocity_of(sim), downhill()), a = 2.3562872366623973;
    MESSAGE("box_incline: v(1 s) " << v << " m/s of " << a << ", x(1 s) " << way_down(sim) << " m of "
                                   << a / 2);
    CHECK(std::abs(v / a - 1) < 1e-5);
    CHECK(std::abs(way_down(sim) - a / 2) < ahead(a));
    CHECK(std::abs(position_of(sim).y) < 1e-6);
}

// A thousandth beside tan 30°. Impulses are found from velocities to 1e-5 m/s, so the box may give way a
// little before it is held; then it is held to rounding.
TEST_CASE("box on an incline: sticks if and only if the friction suffices") {
    const double bound = std::tan(slope);
    for (const double share : {1.001, 1.01, 1.5}) {
        CAPTURE(share);
        Simulation sim(model_of(incline(share * bound, 0.1, box)));
        run(sim, 1);
        const double before = way_down(sim);
        run(sim, 5);
        MESSAGE("box_incline: mu = " << share << " tan: moved by " << before << " m in the first second, by "
                                     << way_down(sim) - before << " m in five more");
        CHECK(std::abs(before) < 1e-4);
        CHECK(std::abs(way_down(sim) - before) < 1e-12);
    }
    Simulation sim(model_of(incline(0.999 * bound, 0.1, box)));
    run(sim, 5);
    const double v = 5 * 0.001 * gravity * std::sin(slope);
    MESSAGE("box_incline: mu = 0.999 tan: v(5 s) " << dot(velocity_of(sim), downhill()) << " m/s of " << v);
    CHECK(std::abs(dot(velocity_of(sim), downhill()) / v - 1) < 0.02);
}

TEST_CASE("ball on an incline: rolls, and slips where friction is too small for it") {
    const double sine = std::sin(slope), cosine = std::cos(slope);
    for (const double mu : {0.10, 0.16, 0.17, 0.5, 1.0}) {
        CAPTURE(mu);
        Simulation sim(model_of(incline(mu, 0.1, ball)));
        run(sim, 1);
        const bool rolls = mu > 0.1649572197684645;
        const double a = rolls ? 3.5035714285714286 : gravity * (sine - mu * cosine);
        const double turning = rolls ? a / 0.1 : 2.5 * mu * gravity * cosine / 0.1;
        MESSAGE("sphere_incline: mu " << mu << ": v(1 s) " << dot(velocity_of(sim), downhill()) << ", x "
                                      << way_down(sim) << ", expected " << a << ", " << a / 2);
        CHECK(std::abs(dot(velocity_of(sim), downhill()) / a - 1) < 1e-3);
        CHECK(std::abs(spin_of(sim).y / turning - 1) < 1e-3);
        CHECK(std::abs(way_down(sim) - a / 2) < ahead(a));
    }
}

// Sliding at first, v = v0 − μ g t and ω = 5 μ g t/(2 r), until both fit at t = 2 v0/(7 μ g).
TEST_CASE("a ball that slides comes to roll") {
    Simulation sim(model_of(floor_with(0.2, 0, 0, 3, ball_on_floor)));
    set_velocity(sim, {5, 0, 0});
    double when = 0;
    run(sim, 1.5, frame, [&](const StepReport& report) {
        const double slip = velocity_of(sim).x - 0.1 * spin_of(sim).y;
        if (slip > 1e-3) when = report.time + slip / (3.5 * 0.2 * gravity);
    });
    const double way = 3.1205142607501717 + (1.5 - 0.72811999417504) * 25 / 7;
    MESSAGE("slide_to_roll: t " << when << " v " << velocity_of(sim).x << " x(1.5 s) " << position_of(sim).x
                                << " of " << way);
    CHECK(std::abs(when / 0.72811999417504 - 1) < 0.01);
    CHECK(std::abs(velocity_of(sim).x / (25.0 / 7) - 1) < 0.01);
    CHECK(std::abs(position_of(sim).x / way - 1) < 0.01);
    CHECK(std::abs(spin_of(sim).y * 0.1 - velocity_of(sim).x) < 1e-5);
}

TEST_CASE("a box that slides comes to a stop") {
    Simulation sim(model_of(floor_with(
        0.4, 0, 0, 3,
        "<body pos='0 0 0.05'><freejoint name='root'/><geom type='box' size='0.2 0.2 0.05'/></body>")));
    set_velocity(sim, {3, 4, 0});  // not along an axis: the cone is round
    const double dt = 1.0 / 240;  // positions: 0.33 %; with 60 Hz frames they are off by 1.3 %
    double when = 0;
    run(sim, 2, dt, [&](const StepReport& report) {
        const Vec3d v = velocity_of(sim);
        if (std::hypot(v.x, v.y) > 1e-3) when = report.time + std::hypot(v.x, v.y) / (0.4 * gravity);
    });
    const Vec3d at = position_of(sim);
    MESSAGE("sliding_stop: " << std::hypot(at.x, at.y) << " m of 3.1855249745158, t " << when
                             << " of 1.2742099898");
    CHECK(std::abs(std::hypot(at.x, at.y) / 3.1855249745158 - 1) < 0.005);
    CHECK(std::abs(when / 1.27420998980632 - 1) < 1e-5);
    CHECK(std::abs(at.y / at.x - 4.0 / 3) < 1e-4);
    CHECK(std::abs(velocity_of(sim).x) < 1e-9);
}

// Boxes of friction that are not round stick here: the push is 5.1 % above what the ground holds, along a
// slanting direction. The balls roll on the box under them, so they have 2/7 of its acceleration.
TEST_CASE("25 balls on a box that is pushed") {
    std::string xml =
        "<mujoco><worldbody><geom type='plane' size='0 0 1' friction='0.4 0 0'/>"
        "<body name='box' pos='0 0 0.5'><freejoint name='box'/><geom type='box' size='10 10 0.5' mass='10' "
        "friction='0.4 0 0'/></body>";
    for (int k = 0; k < 25; ++k)
        xml += "<body pos='" + std::to_string(2 * (k % 5) - 4) + " " + std::to_string(2 * (k / 5) - 4) +
               " 1.5'><freejoint name='ball" + std::to_string(k) +
               "'/><geom size='0.5' mass='1' friction='0.8 0 0'/></body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"));
    const Vec3d along{0.5, std::sqrt(3) / 2, 0};
    sim.inputs().xfrc_applied[1].lin = 150.0 * along;
    run(sim, 4);
    const double v_box = dot(velocity_of(sim, "box"), along);
    MESSAGE("25 balls: box " << v_box / 4 << " of 0.7385, balls "
                             << dot(velocity_of(sim, "ball12"), along) / 4 << " of 0.211 m/s^2");
    CHECK(std::abs(v_box / 2.954 - 1) < 1e-3);
    for (int k = 0; k < 25; ++k) {
        const double v = dot(velocity_of(sim, "ball" + std::to_string(k)), along);
        CHECK(std::abs(v / 0.844 - 1) < 1e-3);
    }
    const Vec3d v = velocity_of(sim, "box");
    CHECK(std::abs(v.y - std::sqrt(3) * v.x) < 1e-4);
}

// A torque of μ_t N about the normal: ω = ω0 − μ_t m g t/I.
TEST_CASE("torsional friction stops a ball that spins on the spot") {
    Simulation sim(model_of(floor_with(1, 0.01, 0, 4, ball_on_floor)));
    set_velocity(sim, {0, 0, 0}, {0, 0, 20});
    const double slowing = 0.01 * gravity / (0.4 * 0.01);
    run(sim, 0.5);
    MESSAGE("torsional: omega(0.5) " << spin_of(sim).z << " of " << 20 - 0.5 * slowing);
    CHECK(std::abs(spin_of(sim).z / (20 - 0.5 * slowing) - 1) < 1e-4);
    run(sim, 20 / slowing - 0.5 - 0.02);
    CHECK(spin_of(sim).z > 0);
    run(sim, 0.1);
    CHECK(std::abs(spin_of(sim).z) < 1e-5);
    CHECK(std::hypot(position_of(sim).x, position_of(sim).y) < 1e-4);
}

// A moment of μ_r N against rolling and the friction f at the contact, m a = −f, I a/r = f r − μ_r N: a =
// −5/7 μ_r g/r. Sliding and rolling friction share one cone, so the moment falls short of μ_r N by 1 − √(1 −
// (f/μN)²) = 1e-4.
TEST_CASE("rolling friction stops a ball that rolls") {
    Simulation sim(model_of(floor_with(1, 0.001, 0.002, 6, ball_on_floor)));
    set_velocity(sim, {0.6, 0.8, 0}, {-8, 6, 0});
    const double slowing = 5.0 / 7 * 0.002 * gravity / 0.1;
    run(sim, 3);
    const Vec3d v = velocity_of(sim), at = position_of(sim);
    MESSAGE("rolling: v(3) " << std::hypot(v.x, v.y) << " of " << 1 - 3 * slowing);
    CHECK(std::abs((1 - std::hypot(v.x, v.y)) / (3 * slowing) - 1) < 1e-3);
    CHECK(std::abs(std::hypot(at.x, at.y) - (3 - 4.5 * slowing)) < 1.01 * ahead(3 * slowing));
    CHECK(std::abs(v.y / v.x - 4.0 / 3) < 1e-6);
    run(sim, 5);
    CHECK(std::abs(velocity_of(sim).x) < 1e-5);
    CHECK(std::abs(std::hypot(position_of(sim).x, position_of(sim).y) - 0.5 / slowing) < 1.1 * ahead(1));
}

// A belt: a kinematic plate that goes on at one speed. What is put on it slides until it goes along, then
// stays on it.
TEST_CASE("a conveyor takes along what is put on it") {
    Simulation sim(model_of(R"(<mujoco><default><geom friction='0.3 0 0'/></default><worldbody>
      <body name="belt" mocap="true" pos="0 0 -0.1"><geom type="box" size="50 1 0.1"/></body>
      <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.2 0.2 0.1"/></body>
      </worldbody></mujoco>)"));
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.velocity.lin = {1.5, 0, 0};
    sim.set_kinematic(1, motion);
    run(sim, 3);
    const double sliding = 1.5 / (0.3 * gravity);  // s
    const double way = 0.5 * 1.5 * sliding + 1.5 * (3 - sliding);
    MESSAGE("conveyor: x(3) " << position_of(sim).x << " of " << way << ", belt "
                              << sim.state().kinematic[0].pos.x);
    CHECK(std::abs(position_of(sim).x - way) < ahead(1.5));
    CHECK(std::abs(velocity_of(sim).x - 1.5) < 1e-6);
    CHECK(std::abs(sim.state().kinematic[0].pos.x - 4.5) < 1e-9);
}

// On a lift that is accelerated upwards and sideways a box goes along, and its contacts carry m (a + g). Rows
// know the plate's velocity at the beginning of a step, so what sticks to it lags behind by half a step's
// change of velocity.
TEST_CASE("a plate that is accelerated carries a box, and the contacts say with what force") {
    Simulation sim(model_of(R"(<mujoco><default><geom friction='0.5 0 0'/></default><worldbody>
      <body name="plate" mocap="true" pos="0 0 -0.1"><geom type="box" size="1 1 0.1"/></body>
      <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.2 0.2 0.1" mass="5"/>
      </body>
      </worldbody></mujoco>)"));
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.acceleration.lin = {2, 0, 1};
    sim.set_kinematic(1, motion);
    run(sim, 1);
    const Vec3d plate = sim.state().kinematic[0].pos, force = contact_force_on(sim, 2);
    const Vec3d at = position_of(sim);
    MESSAGE("lift: box " << at.x - plate.x << " m on its plate, force " << force.x << " " << force.z);
    CHECK(std::abs(plate.x - 1) < 1e-9);
    CHECK(std::abs(at.x - plate.x) < ahead(2));
    CHECK(std::abs(at.z - plate.z - 0.2) < 1e-3);
    CHECK(std::abs(force.x - 5 * 2.0) < 1e-2);
    CHECK(std::abs(force.z - 5 * (gravity + 1)) < 1e-2);
}
