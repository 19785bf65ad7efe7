// Planar bodies and particles under `multiplier`, mixed with rigid ones by joints, loops and contacts.

#include "support/body_runs.h"
#include "support/loop_scenes.h"
#include "support/simulation_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

const InertialSpec bar{2, {{0, 0.1, -0.4}}, Sym3d::diagonal(0.15, 0.2, 0.1), {}};
// z of a frame along y.
const Quatd z_along_y{std::numbers::sqrt2 / 2, -std::numbers::sqrt2 / 2, 0, 0};

SimulationOptions bodies_with(EqualityMethod loops, SmoothIntegrator integrator = SmoothIntegrator::rk45) {
    return {.formulation = "multiplier",
            .integrator = integrator,
            .tolerance = 1e-11,
            .multiplier = {.equalities = loops}};
}

}  // namespace

namespace {

// Planar bodies move in x–z and turn about y. Returns how many rows of the loop are said to be redundant.
int check_planar_pendulum(JointType closing, EqualityMethod loops) {
    const Vec3d pivot{0.3, 1, -0.2};
    const Pose pose{{0.3, 0, -0.2}};
    Scene held, jointed;
    const BodyId a =
        held.add_body(world, {.name = "bob", .pose = pose, .inertial = bar, .kind = BodyKind::planar});
    held.add_loop({.name = "pin",
                   .type = closing,
                   .body_a = world,
                   .body_b = a,
                   .frame_a = {pivot, z_along_y},
                   .frame_b = {{0, 1, 0}, z_along_y}});
    const BodyId b = jointed.add_body(world, {.name = "bob", .pose = pose, .inertial = bar});
    jointed.add_joint(b, {.name = "pivot", .axis = {0, 1, 0}});
    Simulation loop(compile(held), bodies_with(loops)), joint(compile(jointed), {.tolerance = 1e-11});
    JointState<double> s = loop.state(), t = joint.state();
    s.v[2] = t.v[0] = 3;
    loop.set_state(s);
    joint.set_state(t);
    int redundant_rows = 0;
    for (int k = 0; k < 20; ++k) {
        redundant_rows = step_ok(loop, 0.05).redundant_rows;
        step_ok(joint, 0.05);
        REQUIRE(std::abs(loop.state().q[2] - joint.state().q[0]) < 1e-8);
        CHECK(std::abs(loop.state().v[2] - joint.state().v[0]) < 1e-7);
    }
    return redundant_rows;
}

}  // namespace

TEST_CASE("multiplier kinds: a planar pendulum held by a loop is the rigid one on a hinge") {
    check_planar_pendulum(JointType::hinge, EqualityMethod::direct);
    check_planar_pendulum(JointType::ball, EqualityMethod::direct);
    check_planar_pendulum(JointType::hinge, EqualityMethod::anticipation);
    check_planar_pendulum(JointType::ball, EqualityMethod::anticipation);
}
TEST_CASE("multiplier kinds: rows that a kind holds already are redundant") {
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
        CHECK(check_planar_pendulum(JointType::hinge, loops) == 3);
        CHECK(check_planar_pendulum(JointType::ball, loops) == 1);
    }
}

// A rigid rod with a bead at either end, one of them a particle that a ball loop holds there.
TEST_CASE("multiplier kinds: a particle on the end of a rigid rod weighs like a point mass") {
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
        Scene with, without;
        for (Scene* scene : {&with, &without}) {
            const BodyId rod =
                scene->add_body(world, {.name = "rod", .inertial = box_mass(1, {0.5, 0, 0}, {1, 0.1, 0.1})});
            scene->add_joint(rod, {.name = "ball", .type = JointType::ball});
            if (scene == &with) {
                const BodyId bead = scene->add_body(world, {.name = "bead",
                                                            .pose = {{1, 0, 0}},
                                                            .inertial = point_mass(3, {0, 0, 0}),
                                                            .kind = BodyKind::particle});
                scene->add_loop({.name = "glue", .body_a = rod, .body_b = bead, .frame_a = {{1, 0, 0}}});
            } else {
                const BodyId bead = scene->add_body(
                    rod, {.name = "bead", .pose = {{1, 0, 0}}, .inertial = point_mass(3, {0, 0, 0})});
                (void)bead;
            }
        }
        Simulation a(compile(with), bodies_with(loops)), b(compile(without), {.tolerance = 1e-11});
        JointState<double> s = a.state(), t = b.state();
        s.v[0] = t.v[0] = 1;
        s.v[2] = t.v[2] = 2;
        s.v[4] = 2;   // the bead: ω × (1, 0, 0)
        a.set_state(s);
        b.set_state(t);
        for (int k = 0; k < 20; ++k) {
            step_ok(a, 0.05);
            step_ok(b, 0.05);
        }
        double same = 0;
        for (int k = 0; k < 4; ++k) same += a.state().q[k] * b.state().q[k];
        CHECK(1 - std::abs(same) < 1e-12);
        for (int k = 0; k < 3; ++k) CHECK(std::abs(a.state().v[k] - b.state().v[k]) < 1e-7);
    }
}

// Beads on rods without mass: loops of planar and rigid rods between particles, energy kept by RATTLE.
TEST_CASE("multiplier kinds: planar rods and particles in one chain keep their energy") {
    Scene scene;
    BodyId before = world;
    Vec3d at{0, 0, 0};
    for (int k = 0; k < 6; ++k) {
        const BodyKind kind = k % 3 == 0 ? BodyKind::planar : k % 3 == 1 ? BodyKind::particle
                                                                         : BodyKind::rigid;
        const BodyId body = scene.add_body(
            world, {.name = "b" + std::to_string(k),
                    .pose = {at},
                    .inertial = kind == BodyKind::particle ? point_mass(1, {0, 0, 0})
                                                           : box_mass(1, {0.25, 0, 0}, {0.5, 0.1, 0.1}),
                    .kind = kind});
        if (kind == BodyKind::rigid)
            scene.add_joint(body, {.name = "root" + std::to_string(k), .type = JointType::free});
        // A particle sits on the end of the body before it; others hang on by their origins.
        scene.add_loop({.name = "loop" + std::to_string(k),
                        .body_a = before,
                        .body_b = body,
                        .frame_a = {before == world || k % 3 == 2 ? Vec3d{0, 0, 0} : Vec3d{0.5, 0, 0}}});
        if (kind != BodyKind::particle) at.x += 0.5;
        before = body;
    }
    const auto model = compile(scene);
    double swing[2];
    for (int half = 0; half < 2; ++half) {
        BodyRun run(model);
        run.begin();
        const double start = total_energy(run.inputs, run.state), h = 0.002 / (1 + half);
        swing[half] = 0;
        for (int k = 0; k < 500 * (1 + half); ++k) {
            const MotionReport report = run.advance_ok(h, {.step = h});
            REQUIRE(report.equality_error < 1e-10);
            swing[half] = std::max(swing[half], std::abs(total_energy(run.inputs, run.state) - start));
        }
        CHECK(equality_gap(model, run.state) < 1e-9);
    }
    MESSAGE("chain of all kinds: energy swings by " << swing[0] << " J, at half the step by " << swing[1]);
    CHECK(swing[0] < 0.1);
    CHECK(swing[0] / swing[1] == doctest::Approx(4).epsilon(0.1));
}

// A kinematic body that goes round takes along a rigid, a planar and a particle that loops tie to it.
TEST_CASE("multiplier kinds: loops to a kinematic body follow it") {
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
        Scene scene;
        const BodyId hand = scene.add_body(world, {.name = "hand", .kinematic = true});
        const BodyKind kinds[] = {BodyKind::rigid, BodyKind::planar, BodyKind::particle};
        for (int k = 0; k < 3; ++k) {
            const Vec3d at{1.0 + k, 0, 0};
            const BodyId body = scene.add_body(
                world, {.name = "b" + std::to_string(k),
                        .pose = {at},
                        .inertial = InertialSpec{1, {}, Sym3d::diagonal(0.1, 0.1, 0.1), {}},
                        .kind = kinds[k]});
            if (k == 0) scene.add_joint(body, {.name = "root", .type = JointType::free});
            scene.add_loop(
                {.name = "grip" + std::to_string(k), .body_a = hand, .body_b = body, .frame_a = {at}});
        }
        const auto model = compile(scene);
        for (const SmoothIntegrator integrator : {SmoothIntegrator::rattle, SmoothIntegrator::rk45}) {
            CAPTURE(int(integrator));
            Simulation sim(model, bodies_with(loops, integrator));
            BaseMotion<double> motion = sim.state().kinematic[0];
            motion.velocity = {{0, 2, 0}, {0.3, 0, 0}};
            sim.set_kinematic(1, motion);
            JointState<double> state = sim.state();
            SmoothDynamics closing(model);
            REQUIRE(closing.close_equalities(state).closed);
            sim.set_state(state);
            run(sim, 1, 0.01);
            CHECK(equality_gap(model, sim.state()) < 1e-9);
            CHECK(sim.state().kinematic[0].pos.x == doctest::Approx(0.3));
        }
    }
}

TEST_CASE("multiplier kinds: particles and planar bodies come to rest on a floor") {
    Scene scene;
    GeomSpec floor{.shape = ShapeType::plane};
    scene.add_geom(world, floor);
    const BodyKind kinds[] = {BodyKind::particle, BodyKind::planar};
    for (int k = 0; k < 2; ++k) {
        const BodyId body =
            scene.add_body(world, {.name = "b" + std::to_string(k),
                                   .pose = {{double(k), 0, 0.5}},
                                   .inertial = InertialSpec{1, {}, Sym3d::diagonal(0.01, 0.01, 0.01), {}},
                                   .kind = kinds[k]});
        GeomSpec shape{.shape = k == 0 ? ShapeType::sphere : ShapeType::box};
        shape.size = {0.1, 0.1, 0.1};
        scene.add_geom(body, shape);
    }
    Simulation sim(compile(scene), {.formulation = "multiplier"});
    run(sim, 2);
    forward_kinematics(sim.state(), sim.inputs().ws);
    for (int k = 0; k < 2; ++k) CHECK(std::abs(body_pose(sim.inputs().ws, k + 1).p.z - 0.1) < 1e-4);
    CHECK(sim.energy().kinetic < 1e-12);
    CHECK(contact_force_on(sim, 1).z == doctest::Approx(gravity).epsilon(1e-4));
    CHECK(contact_force_on(sim, 2).z == doctest::Approx(gravity).epsilon(1e-4));
}
