// Planar bodies and particles in motion: alone, held by loops and tendons, in contact, edited while they run.

#include "support/reference_file.h"
#include "support/reference_problems.h"
#include "support/simulation_runs.h"

#include <ligament/acceleration_constraints.h>
#include <ligament/assemble.h>
#include <ligament/dynamics.h>
#include <ligament/smooth_motion.h>

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

JointState<double> after(SmoothMotion& motion, JointState<double> state, double time, double tolerance) {
    const MotionReport report = motion.advance(state, time - state.time, {.tolerance = tolerance});
    INFO(report.where);
    REQUIRE(report.status == MotionStatus::ok);
    return state;
}

// A frame whose z is the world's y, for hinges about y.
constexpr Quatd z_along_y{std::numbers::sqrt2 / 2, -std::numbers::sqrt2 / 2, 0, 0};

const InertialSpec bar{2, {{0.1, 0.3, -0.4}}, Sym3d::diagonal(0.3, 0.2, 0.25), {}};

}  // namespace

TEST_CASE("kinds: a particle falls, a planar body is thrown and spins") {
    Scene scene;
    scene.add_body(world, {.name = "bead",
                           .pose = {{1, 2, 3}, {0.5, 0.5, 0.1, 0.2}},
                           .inertial = point_mass(0.1, {0.3, 0, 0}),
                           .kind = BodyKind::particle});
    scene.add_body(world,
                   {.name = "flat", .pose = {{4, 5, 6}}, .inertial = bar, .kind = BodyKind::planar});
    SmoothMotion motion(compile(scene));
    JointState<double> state(motion.dynamics.model());
    state.v = {0.5, -1, 4, 2, 3, 7};
    const double t = 1.3;
    const JointState<double> end = after(motion, state, t, 1e-12);
    const double fall = 9.81 * t * t / 2;
    const double bead[] = {1 + 0.5 * t, 2 - t, 3 + 4 * t - fall};
    for (int k = 0; k < 3; ++k) CHECK(std::abs(end.q[k] - bead[k]) < 1e-11);
    // The centre of mass of the planar body is on a parabola, the angle grows steadily.
    const double angle = 7 * t, c = std::cos(angle), s = std::sin(angle);
    const Vec3d at = bar.frame.pos;
    const double vx = 2 + 7 * at.z, vz = 3 - 7 * at.x;
    CHECK(std::abs(end.q[5] - angle) < 1e-10);
    CHECK(std::abs(end.q[3] + c * at.x + s * at.z - (4 + at.x + vx * t)) < 1e-10);
    CHECK(std::abs(end.q[4] - s * at.x + c * at.z - (6 + at.z + vz * t - fall)) < 1e-10);
    CHECK(std::abs(end.v[5] - 7) < 1e-10);
}

TEST_CASE("kinds: nothing moves a planar body across its plane, nothing turns a particle") {
    Scene scene;
    scene.options.gravity = {1, 2, 3};
    scene.add_body(world, {.name = "bead", .inertial = bar, .kind = BodyKind::particle});
    scene.add_body(world, {.name = "flat", .inertial = bar, .kind = BodyKind::planar});
    SmoothDynamics dynamics(compile(scene));
    const Force<double> push{{5, 6, 7}, {8, 9, 10}};
    dynamics.xfrc_applied[1] = dynamics.xfrc_applied[2] = push;
    const std::span<const double> a = dynamics.accelerate(JointState<double>(dynamics.model()));
    for (int k = 0; k < 3; ++k)
        CHECK(std::abs(a[k] - (push.lin[k] / 2 + scene.options.gravity[k])) < 1e-14);
    // Of the frame: the centre of mass accelerates by force over mass, and α = 6 / 0.2 turns about it.
    const double alpha = 6 / 0.2;
    CHECK(std::abs(a[5] - alpha) < 1e-12);
    CHECK(std::abs(a[3] - (8.0 / 2 + 1 - alpha * bar.frame.pos.z)) < 1e-12);
    CHECK(std::abs(a[4] - (10.0 / 2 + 3 + alpha * bar.frame.pos.x)) < 1e-12);
}

TEST_CASE("kinds: a planar pendulum held by a hinge that closes a loop is the one on a joint") {
    const Vec3d pivot{0.3, 1, -0.2};
    Scene held, jointed;
    const Pose pose{{0.3, 0, -0.2}};
    const BodyId a =
        held.add_body(world, {.name = "bob", .pose = pose, .inertial = bar, .kind = BodyKind::planar});
    held.add_loop({.name = "pin",
                   .type = JointType::hinge,
                   .body_a = world,
                   .body_b = a,
                   .frame_a = {pivot, z_along_y},
                   .frame_b = {{0, 1, 0}, z_along_y}});
    const BodyId b = jointed.add_body(world, {.name = "bob", .pose = pose, .inertial = bar});
    jointed.add_joint(b, {.name = "pivot", .axis = {0, 1, 0}});

    SmoothMotion loop(compile(held)), joint(compile(jointed));
    JointState<double> state(loop.dynamics.model()), wanted(joint.dynamics.model());
    state.v[2] = wanted.v[0] = 3;
    for (const double t : {0.5, 1.0, 2.0}) {
        state = after(loop, state, t, 1e-12);
        wanted = after(joint, wanted, t, 1e-12);
        CHECK(std::abs(state.q[2] - wanted.q[0]) < 1e-9);
        CHECK(std::abs(state.v[2] - wanted.v[0]) < 1e-9);
        CHECK(std::abs(state.q[0] - 0.3) < 1e-10);
        CHECK(std::abs(state.q[1] + 0.2) < 1e-10);
    }
    // Three of the five rows hold what the kind holds already.
    loop.dynamics.accelerate(state);
    CHECK(loop.dynamics.equality_rows == 5);
    CHECK(loop.dynamics.redundant_rows == 3);
}

TEST_CASE("kinds: the double pendulum of point masses as particles on rods without mass") {
    // The rods are tendons of constant length.
    Scene scene;
    SiteId above = scene.add_site(world, {.name = "pivot"});
    for (const int k : {1, 2}) {
        const std::string name = "bead" + std::to_string(k);
        const BodyId bead = scene.add_body(world, {.name = name,
                                                   .pose = {{double(k), 0, 0}},
                                                   .inertial = point_mass(1, {0, 0, 0}),
                                                   .kind = BodyKind::particle});
        const SiteId site = scene.add_site(bead, {.name = name});
        const TendonId rod = scene.add_tendon({.name = name, .stops = {{.site = above}, {.site = site}}});
        scene.add_tendon_coupling({.follower = rod, .coefficients = {0, 0, 0, 0, 0}});
        above = site;
    }
    SmoothMotion motion(compile(scene));
    JointState<double> state(motion.dynamics.model());
    int checked = 0;
    for (const nlohmann::json& at : references_of("dp_point")) {
        const double t = at["t"];
        CAPTURE(t);
        if (t > 5) break;  // chaotic
        state = after(motion, state, t, 1e-13);
        double x = 0, z = 0, vx = 0, vz = 0;
        for (int k = 0; k < 2; ++k) {
            const double dx = state.q[3 * k] - x, dz = state.q[3 * k + 2] - z;
            const double dvx = state.v[3 * k] - vx, dvz = state.v[3 * k + 2] - vz;
            const double angle = std::atan2(dx, -dz), speed = dx * dvz - dz * dvx;
            CHECK(std::abs(std::remainder(angle - at["theta"][k].get<double>(), 2 * pi)) < 1e-8);
            CHECK(std::abs(speed - at["omega"][k].get<double>()) < 1e-7);
            x += dx, z += dz, vx += dvx, vz += dvz;
        }
        ++checked;
    }
    CHECK((checked == 3 || !have_references()));
}

TEST_CASE("kinds: a particle that is connected to a body is a point mass in it") {
    for (const BodyKind kind : {BodyKind::planar, BodyKind::rigid}) {
        CAPTURE(static_cast<int>(kind));
        const Vec3d at{0.7, 0, 0.2};
        Scene parts, whole;
        for (Scene* scene : {&parts, &whole}) {
            const BodyId body = scene->add_body(world, {.name = "body", .inertial = bar, .kind = kind});
            if (kind == BodyKind::rigid) scene->add_joint(body, {.name = "root", .type = JointType::free});
            if (scene == &whole) {
                scene->add_body(body, {.name = "bead", .pose = {at}, .inertial = point_mass(0.8, {0, 0, 0})});
                continue;
            }
            const BodyId bead = scene->add_body(world, {.name = "bead",
                                                        .pose = {at},
                                                        .inertial = point_mass(0.8, {0, 0, 0}),
                                                        .kind = BodyKind::particle});
            scene->add_loop({.body_a = body, .body_b = bead, .frame_a = {at}});
        }
        SmoothMotion apart(compile(parts)), together(compile(whole));
        JointState<double> state(apart.dynamics.model()), wanted(together.dynamics.model());
        const bool flat = kind == BodyKind::planar;
        const Vec3d linear = flat ? Vec3d{1, 0, 2} : Vec3d{1, 0.5, 2};
        const Vec3d spin = flat ? Vec3d{0, 3, 0} : Vec3d{-1, 3, 2};
        const Vec3d tip = linear + cross(spin, at);  // the bead moves along
        if (flat)
            wanted.v = {linear.x, linear.z, spin.y};
        else
            wanted.v = {linear.x, linear.y, linear.z, spin.x, spin.y, spin.z};
        state.v = wanted.v;
        state.v.insert(state.v.end(), {tip.x, tip.y, tip.z});
        state = after(apart, state, 1.5, 1e-12);
        wanted = after(together, wanted, 1.5, 1e-12);
        for (std::size_t k = 0; k < wanted.q.size(); ++k) CHECK(std::abs(state.q[k] - wanted.q[k]) < 1e-8);
        for (std::size_t k = 0; k < wanted.v.size(); ++k) CHECK(std::abs(state.v[k] - wanted.v[k]) < 1e-8);
    }
}

TEST_CASE("kinds: a particle welded to a planar body keeps it from turning") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId flat = scene.add_body(world, {.name = "flat", .inertial = bar, .kind = BodyKind::planar});
    const BodyId bead = scene.add_body(world, {.name = "bead",
                                               .pose = {{1, 0, 0}},
                                               .inertial = point_mass(3, {0, 0, 0}),
                                               .kind = BodyKind::particle});
    scene.add_loop({.name = "weld",
                    .type = JointType::fixed,
                    .body_a = flat,
                    .body_b = bead,
                    .frame_a = {{1, 0, 0}}});
    SmoothDynamics dynamics(compile(scene));
    dynamics.xfrc_applied[1] = {{0, 4, 0}, {10, 5, 0}};
    dynamics.xfrc_applied[2] = {{0, 0, 0}, {0, 7, 5}};
    const std::span<const double> a = dynamics.accelerate(JointState<double>(dynamics.model()));
    const double wanted[] = {2, 1, 0, 2, 0, 1};  // five kilograms move together in the plane
    for (int k = 0; k < 6; ++k) CHECK(std::abs(a[k] - wanted[k]) < 1e-12);
    CHECK(dynamics.equality_rows == 6);
    CHECK(dynamics.redundant_rows == 2);
}

TEST_CASE("kinds: forces for wanted accelerations, and loops that are put together") {
    Scene scene;
    const BodyId bead = scene.add_body(world, {.name = "bead",
                                               .pose = {{1, 0, 0.2}},
                                               .inertial = point_mass(3, {0, 0, 0}),
                                               .kind = BodyKind::particle});
    const BodyId flat = scene.add_body(world, {.name = "flat", .inertial = bar, .kind = BodyKind::planar});
    scene.add_loop({.name = "pin", .body_a = flat, .body_b = bead, .frame_a = {{0.8, 0, 0}}});
    const auto model = compile(scene);

    ConstraintSolver solver(model);
    const AccelerationConstraint held =
        PointAcceleration{.body = 1, .point = {0, 0, 0}, .direction = {0, 0, 1}};
    solver.set_constraints({&held, 1});
    CHECK(solver.solve().status == ConstraintStatus::ok);
    CHECK(std::abs(solver.forces()[0] - 3 * 9.81) < 1e-12);
    CHECK(std::abs(solver.acceleration()[2]) < 1e-13);

    JointState<double> state(*model);
    const AssembleReport report = assemble(model, state);
    CHECK(report.closed);
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    const Vec3d gap = body_pose(ws, 2) * Vec3d{0.8, 0, 0} - body_pose(ws, 1).p;
    CHECK(std::sqrt(dot(gap, gap)) < 1e-10);
}

TEST_CASE("kinds: a particle slides on a floor without rolling and comes to rest") {
    const double mu = 0.4, speed = 3;
    Simulation sim(model_of(
        "<mujoco><default><geom friction='0.4 0 0'/></default><worldbody>"
        "<geom type='plane' size='0 0 1'/>"
        "<body name='bead' kind='particle' pos='0 0 0.1'><geom size='0.1'/></body>"
        "</worldbody></mujoco>"));
    JointState<double> state = sim.state();
    state.v[0] = speed;
    sim.set_state(state);
    run(sim, 1.5, 1e-3);
    // A ball that can roll would go on at 5/7 of its speed. First order in the step: v h.
    CHECK(std::abs(sim.state().q[0] - speed * speed / (2 * mu * gravity)) < 2 * speed * 1e-3);
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
    CHECK(std::abs(sim.state().q[2] - 0.1) < 1e-6);
    double force = 0;
    for (const Contact& contact : sim.contacts().contacts) force += contact.impulse.z / sim.contact_time();
    CHECK(std::abs(force / (sim.model().total_mass * gravity) - 1) < 1e-6);
}

TEST_CASE("kinds: a planar box falls on a floor and lies flat") {
    Simulation sim(model_of(
        "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
        "<body name='box' kind='planar' pos='0 0.7 1' euler='0 25 0'>"
        "<geom type='box' size='0.2 0.1 0.1'/></body></worldbody></mujoco>"));
    run(sim, 3);
    CHECK(std::abs(sim.state().q[1] - 0.1) < 1e-5);
    CHECK(std::abs(sim.state().q[2] + 25 * pi / 180) < 1e-5);
    for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-5);
    Workspace<double> ws(std::make_shared<Model>(sim.model()));
    forward_kinematics(sim.state(), ws);
    CHECK(std::abs(body_pose(ws, 1).p.y - 0.7) < 1e-15);
}

TEST_CASE("kinds: a planar disc rolls down an incline") {
    // Gravity is turned by 30° instead of the floor.
    const double slope = pi / 6;
    Scene scene = scene_of(
        "<mujoco><default><geom friction='1 0 0'/></default><worldbody>"
        "<geom type='plane' size='0 0 1'/>"
        "<body name='disc' kind='planar' pos='0 0 0.1' euler='90 0 0'>"
        "<geom type='cylinder' size='0.1 0.05'/></body></worldbody></mujoco>");
    scene.options.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
    Simulation sim(compile(scene));
    run(sim, 1, 1e-3);
    const double a = gravity * std::sin(slope) / 1.5;
    CHECK(std::abs(sim.state().v[0] / a - 1) < 1e-3);
    CHECK(std::abs(sim.state().q[0] / (a / 2) - 1) < 3e-3);
    // Right-handed about +y: forwards.
    CHECK(std::abs(sim.state().v[2] * 0.1 / sim.state().v[0] - 1) < 1e-3);
}

TEST_CASE("kinds: a particle hits a planar box and both bounce off") {
    Simulation sim(model_of(
        "<mujoco><option gravity='0 0 0'/><default><geom restitution='0.5'/></default>"
        "<worldbody><body name='box' kind='planar' pos='0 0.05 0'>"
        "<geom type='box' size='0.1 0.1 0.1' mass='3'/></body>"
        "<body name='bead' kind='particle' pos='-1 0 0'><geom size='0.1' mass='1'/></body>"
        "</worldbody></mujoco>"));
    JointState<double> state = sim.state();
    state.v[3] = 2;
    sim.set_state(state);
    run(sim, 1);
    // Momentum 2, and they part with half of 2 m/s.
    const double together = 2.0 / 4;
    CHECK(std::abs(sim.state().v[0] - (together + 0.25)) < 1e-6);
    CHECK(std::abs(sim.state().v[3] - (together - 0.75)) < 1e-6);
    CHECK(std::abs(sim.state().v[2]) < 1e-6);
}

TEST_CASE("kinds: snapshots, and scenes edited while they run") {
    const std::string floor = "<mujoco><worldbody><geom type='plane' size='0 0 1'/>";
    const std::string bodies =
        "<body name='box' kind='planar' pos='0 0 1' euler='0 25 0'><geom type='box' size='.2 .1 .1'/></body>"
        "<body name='bead' kind='particle' pos='2 0 1'><geom size='0.1'/></body>";
    const std::string end = "</worldbody></mujoco>";
    Simulation sim(model_of(floor + bodies + end));
    run(sim, 0.6);
    const Snapshot saved = sim.save();
    Simulation other(model_of(floor + bodies + end));
    other.restore(saved);
    run(sim, 0.5);
    run(other, 0.5);
    CHECK(same_bits(sim, other));

    const JointState<double> before = sim.state();
    sim.recompile(scene_of(floor + "<body name='dust' kind='particle' pos='5 5 5'><geom size='.1'/></body>" +
                           bodies + end),
                  sim.save());
    REQUIRE(sim.state().q.size() == 9);
    for (int k = 0; k < 3; ++k) CHECK(sim.state().q[k] == 5);
    for (int k = 0; k < 6; ++k) {
        CHECK(sim.state().q[3 + k] == before.q[k]);
        CHECK(sim.state().v[3 + k] == before.v[k]);
    }
    run(sim, 0.1);
}

TEST_CASE("kinds: what floats is not driven to a pose") {
    const auto model = model_of(
        "<mujoco><worldbody><body name='flat' kind='planar'><geom size='.1'/>"
        "<body name='arm' pos='0 0 .3'><joint name='j' axis='0 1 0'/>"
        "<geom size='.1' pos='0 0 .2'/></body></body></worldbody></mujoco>");
    Simulation sim(model);
    std::vector<double> pose{4, 4, 4, 0};
    sim.drive_to_pose(pose, {}, 5, 1, 1e3);
    run(sim, 0.5);
    // It falls as if nothing were said about x, z and the angle: in steps of first order, g t h / 2 off.
    CHECK(std::abs(sim.state().q[0]) < 1e-9);
    CHECK(std::abs(sim.state().q[1] + gravity / 8) < 1.01 * gravity * 0.5 * frame / 2);
    CHECK(std::abs(sim.state().q[2]) < 1e-9);
}
