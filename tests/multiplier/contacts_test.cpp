// Contacts, friction, bounces and limits under `multiplier`, whose velocity steps find them in anticipation
// of what joints do: problems with known answers (those of contact_problems_test.cpp), and the same bodies
// held by joints in other ways. Frames of 60 Hz and default options.

#include "support/contact_scenes.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

Simulation simulate(const std::string& xml, EqualityMethod loops = EqualityMethod::direct) {
    return Simulation(model_of(xml), {.formulation = "multiplier", .multiplier = {.equalities = loops}});
}

// How far a position may be off after velocities have changed by so much in the course of time.
double ahead(double change, double dt = frame) { return 0.505 * dt * change; }

}  // namespace

TEST_CASE("multiplier contacts: a box on an incline slides, and sticks if the friction suffices") {
    {
        Simulation sim = simulate(incline(0.3, 0.1, box));
        run(sim, 1);
        const double v = dot(velocity_of(sim), downhill()), a = 2.3562872366623973;
        MESSAGE("box_incline: v(1 s) " << v << " m/s of " << a);
        CHECK(std::abs(v / a - 1) < 1e-5);
        CHECK(std::abs(way_down(sim) - a / 2) < ahead(a));
    }
    for (const double share : {1.001, 1.5}) {
        CAPTURE(share);
        Simulation sim = simulate(incline(share * std::tan(slope), 0.1, box));
        run(sim, 1);
        const double before = way_down(sim);
        run(sim, 3);
        CHECK(std::abs(before) < 1e-4);
        CHECK(std::abs(way_down(sim) - before) < 1e-12);
    }
    Simulation sim = simulate(incline(0.999 * std::tan(slope), 0.1, box));
    run(sim, 5);
    const double v = 5 * 0.001 * gravity * std::sin(slope);
    CHECK(std::abs(dot(velocity_of(sim), downhill()) / v - 1) < 0.02);
}

TEST_CASE("multiplier contacts: a ball on an incline rolls, and slips where friction is too small") {
    const double sine = std::sin(slope), cosine = std::cos(slope);
    for (const double mu : {0.10, 0.17, 0.5}) {
        CAPTURE(mu);
        Simulation sim = simulate(incline(mu, 0.1, ball));
        run(sim, 1);
        const bool rolls = mu > 0.1649572197684645;
        const double a = rolls ? 3.5035714285714286 : gravity * (sine - mu * cosine);
        const double turning = rolls ? a / 0.1 : 2.5 * mu * gravity * cosine / 0.1;
        CHECK(std::abs(dot(velocity_of(sim), downhill()) / a - 1) < 1e-3);
        CHECK(std::abs(spin_of(sim).y / turning - 1) < 1e-3);
        CHECK(std::abs(way_down(sim) - a / 2) < ahead(a));
    }
}

// h = 1 m, restitution 0.8: impacts at 0.4515…, 1.1739…, 1.7519… s.
TEST_CASE("multiplier contacts: a ball that bounces") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "it", .pose = {{0, 0, 1.1}}});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    GeomSpec sphere{.shape = ShapeType::sphere};
    sphere.size = {0.1, 0, 0};
    sphere.restitution = 0.8;
    scene.add_geom(body, sphere);
    GeomSpec floor{.shape = ShapeType::plane};
    floor.restitution = 0.8;
    scene.add_geom(world, floor);
    Simulation sim(compile(scene), {.formulation = "multiplier"});
    std::vector<double> impacts;
    double before = 0;
    const double dt = 1.0 / 240;
    run(sim, 2, dt, [&](const StepReport& report) {
        const double v = velocity_of(sim).z;
        // Upwards at v now, so it left the floor v.. ago: z = v₀ t − g t²/2, v = v₀ − g t.
        if (before < 0 && v > 0) {
            const double height = position_of(sim).z - 0.1, start = std::sqrt(v * v + 2 * gravity * height);
            impacts.push_back(report.time - (start - v) / gravity);
        }
        before = v;
    });
    REQUIRE(impacts.size() >= 3);
    MESSAGE("bounce: impacts at " << impacts[0] << " " << impacts[1] << " " << impacts[2]);
    CHECK(std::abs(impacts[0] - 0.451523640985731) < 1e-3);
    CHECK(std::abs(impacts[1] - 1.17396146656290) < 2e-3);
    CHECK(std::abs(impacts[2] - 1.75191172702464) < 3e-3);
}

// A hinge with a limit, a bar that falls onto it and rests: the limit carries m g l/2.
TEST_CASE("multiplier contacts: limits stop a bar and carry it") {
    const char* const xml = R"(<mujoco><worldbody><body name="bar">
      <joint name="hinge" axis="0 1 0" range="-90 30" limited="true"/>
      <geom type="box" size="0.5 0.01 0.01" pos="0.5 0 0" mass="2" contype="0" conaffinity="0"/></body>
      </worldbody></mujoco>)";
    Simulation sim = simulate(xml);
    double violation = 0;
    run(sim, 2, frame,
        [&](const StepReport& report) { violation = std::max(violation, report.limit_violation); });
    const double limit = 30 * std::numbers::pi / 180;
    CHECK(violation < 0.01);
    CHECK(std::abs(sim.state().q[0] - limit) < 1e-4);
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
    std::vector<double> forces(1);
    sim.limit_forces(forces);
    CHECK(forces[0] == doctest::Approx(-2 * gravity * 0.5 * std::cos(limit)).epsilon(1e-5));
}

// A double pendulum of spheres that leans against a wall: what joints do is anticipated.
TEST_CASE("multiplier contacts: a chain that leans on a wall as with reduced") {
    const char* const xml = R"(<mujoco><default><geom friction="0.3 0 0"/></default><worldbody>
      <geom type="plane" size="5 5 1" pos="-0.3 0 0" euler="0 90 0"/>
      <body><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/>
       <body pos="0 0 -0.5"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/>
        <body pos="0 0 -0.5"><joint type="ball"/><geom type="sphere" size="0.1"/></body></body></body>
      </worldbody></mujoco>)";
    JointState<double> ends[2] = {JointState<double>(*model_of(xml)), JointState<double>(*model_of(xml))};
    int contacts = 0;
    for (const bool bodies : {false, true}) {
        Simulation sim(
            model_of(xml),
            {.formulation = bodies ? "multiplier" : "reduced", .tolerance = 1e-9, .accuracy = 1e-10});
        sim.inputs().xfrc_applied[2].lin = {-60, 0, 0};
        run(sim, 0.6, 1.0 / 480,
            [&](const StepReport& report) { contacts = std::max(contacts, report.contacts); });
        ends[bodies] = sim.state();
    }
    CHECK(contacts > 0);
    double most = 0;
    for (std::size_t k = 0; k < ends[0].q.size(); ++k)
        most = std::max(most, std::abs(ends[0].q[k] - ends[1].q[k]));
    MESSAGE("chain on a wall: coordinates differ by " << most);
    // Other integrators before the impact, so other times of it.
    CHECK(most < 0.02);
}

TEST_CASE("multiplier contacts: a conveyor takes along what is put on it") {
    Simulation sim = simulate(R"(<mujoco><default><geom friction='0.3 0 0'/></default><worldbody>
      <body name="belt" mocap="true" pos="0 0 -0.1"><geom type="box" size="50 1 0.1"/></body>
      <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.2 0.2 0.1"/></body>
      </worldbody></mujoco>)");
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.velocity.lin = {1.5, 0, 0};
    sim.set_kinematic(1, motion);
    run(sim, 3);
    const double sliding = 1.5 / (0.3 * gravity);
    CHECK(std::abs(position_of(sim).x - (0.5 * 1.5 * sliding + 1.5 * (3 - sliding))) < ahead(1.5));
    CHECK(std::abs(velocity_of(sim).x - 1.5) < 1e-6);
}

namespace {

// A parallelogram with a foot on the ground: loops and contacts in one step.
void check_mechanism_on_ground(EqualityMethod loops) {
    const char* const xml = R"(<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body name="base" pos="0 0 0.6"><freejoint name="root"/><geom type="box" size="0.35 0.1 0.03"/>
       <body name="left" pos="-0.3 0 0"><joint name="left" axis="0 1 0" damping="0.5"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" contype="0" conaffinity="0"/>
        <body name="bottom" pos="0 0 -0.4"><joint name="bottom" axis="0 1 0" damping="0.5"/>
         <geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.05"/></body></body>
       <body name="right" pos="0.3 0 0"><joint name="right" axis="0 1 0" damping="0.5"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" contype="0" conaffinity="0"/></body></body>
      </worldbody>
      <equality><connect name="pin" body1="bottom" body2="right" anchor="0.6 0 0"/></equality></mujoco>)";
    Simulation sim = simulate(xml, loops);
    JointState<double> state = sim.state();
    state.v[3] = 0.3;
    sim.set_state(state);
    double gap = 0, depth = 0;
    int contacts = 0;
    for (int k = 0; k < 240; ++k) {
        const StepReport report = sim.step(frame);
        CAPTURE(report.where);
        REQUIRE(was_taken(report));
        gap = std::max(gap, report.equality_error);
        depth = std::max(depth, report.penetration);
        contacts = std::max(contacts, report.contacts);
    }
    MESSAGE("mechanism on the ground: loop error " << gap << ", depth " << depth << ", kinetic energy "
                                                   << sim.energy().kinetic);
    CHECK(contacts > 0);
    CHECK(gap < 1e-8);
    CHECK(depth < 5e-3);
    CHECK(sim.energy().kinetic < 0.05);
}

}  // namespace

TEST_CASE("multiplier contacts: a mechanism with a loop falls and comes to rest") {
    check_mechanism_on_ground(EqualityMethod::direct);
}
TEST_CASE("multiplier contacts: a mechanism with a loop falls, anticipated") {
    check_mechanism_on_ground(EqualityMethod::anticipation);
}
