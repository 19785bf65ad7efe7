// Balls and disks that roll, and blades: constraints that restrain velocities, against closed forms.

#include "support/pair_runs.h"

#include <ligament/assemble.h>
#include <ligament/simulation.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("Chaplygin's sleigh") {
    // The blade is at the body's origin along x, the centre of mass a ahead of it.
    const double a = 0.3, J = 0.1;
    Scene scene;
    const BodyId sleigh =
        scene.add_body(world, {.name = "sleigh", .inertial = mass(1, {J, J, J}, {a, 0, 0})});
    scene.add_joint(sleigh, {.name = "ice", .type = JointType::planar});
    scene.add_constraint(
        {.name = "blade", .body_a = world, .body_b = sleigh, .constraint = make<KnifeEdgeConstraint>()});
    Run run(scene);
    run.state.v = {1, 0, 1};  // u = 1 along x, ω = 1
    struct Reference {
        double t, u, w;
    };
    const Reference references[] = {{1, 1.0878497400172855, 0.18613723211827993},
                                    {2, 1.0907746688631448, 0.03329467845077124},
                                    {5, 1.0908712083267358, 0.00018978890359691965}};
    for (const Reference& wanted : references) {
        run.advance(wanted.t - run.state.time);
        forward_kinematics(run.state, run.motion.dynamics.ws);
        const Transformd X = body_pose(run.motion.dynamics.ws, 1);
        const Motion<double> V = body_velocity(run.motion.dynamics.ws, 1);
        CHECK(std::abs(dot(V.lin, X.R.x) - wanted.u) < 1e-9);
        CHECK(std::abs(dot(V.lin, X.R.y)) < 1e-12);
        CHECK(std::abs(V.ang.z - wanted.w) < 1e-9);
    }
}

TEST_CASE("a ball rolls down an incline with 5/7 of g sin α, and circles on a turning table") {
    const double r = 0.2, alpha = 0.5;
    const double I = 0.4 * 2 * r * r;
    Scene scene;
    const Quatd tilt = rotation_exp(Vec3d{0, alpha, 0});  // x of the plane goes down
    const Mat3d R = rotation_matrix(tilt);
    const BodyId ball =
        scene.add_body(world, {.name = "ball", .pose = {r * R.z}, .inertial = mass(2, {I, I, I})});
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_constraint({.body_a = world,
                          .body_b = ball,
                          .frame_a = {{0, 0, 0}, tilt},
                          .constraint = make<RollingBallConstraint>(r)});
    Run run(scene);
    run.advance(1);
    const double way = 0.5 * 5.0 / 7 * g * std::sin(alpha);
    CHECK(length(body_pose(run.motion.dynamics.ws, 1).p - (r * R.z + way * R.x)) < 1e-10);
    // The plane pushes with m g cos α, and friction holds back 2/7 of m g sin α.
    const Force<double> reaction = run.reactions()[0];
    CHECK(std::abs(dot(reaction.lin, R.z) - 2 * g * std::cos(alpha)) < 1e-9);
    CHECK(std::abs(dot(reaction.lin, R.x) + 2.0 / 7 * 2 * g * std::sin(alpha)) < 1e-9);
    CHECK(length(reaction.ang + cross(R.z, r * reaction.lin)) < 1e-9);

    // On a table that turns at Ω the centre goes in a circle at 2/7 Ω.
    Scene table;
    const BodyId disc = table.add_body(world, {.name = "disc", .kinematic = true});
    const BodyId rolling =
        table.add_body(world, {.name = "ball", .pose = {{1, 0, r}}, .inertial = mass(2, {I, I, I})});
    table.add_joint(rolling, {.type = JointType::free});
    table.add_constraint({.body_a = disc, .body_b = rolling, .constraint = make<RollingBallConstraint>(r)});
    Run turning(table);
    const double Omega = 2;
    turning.state.kinematic[0].velocity.ang = {0, 0, Omega};
    turning.advance(2 * pi / (2.0 / 7 * Omega));
    // It has been set moving by the projection of the start; after a period it is where it was.
    const int body = turning.model->find_body("ball");
    CHECK(length(body_pose(turning.motion.dynamics.ws, body).p - Vec3d{1, 0, r}) < 1e-7);
}

TEST_CASE("a disk rolls in a circle at the spin its tilt asks for; disturbed, it keeps its energy") {
    // The axis k of the disk is at θ from the vertical z and goes around it at Ω. With e from the centre to
    // the lowest point, k = (sin θ, 0, cos θ), e = (cos θ, 0, −sin θ), k × e = y, the angular velocity is
    // n k − Ω sin θ e, and rolling moves the centre by v = −r ω × e = −r n y. Turning with Ω it is
    // accelerated by Ω z × v = r n Ω x, so the plane pushes with F = m (r n Ω, 0, g) at r e: a moment
    // about the centre of
    //     −r m (r n Ω sin θ + g cos θ) along y,
    // which turns the momentum L = C n k − A Ω sin θ e by Ω z × L = Ω sin θ (C n − A Ω cos θ) y. Hence n.
    const double m = 1.3, r = 0.4, theta = 1.1, Omega = 1.7;
    const double A = m * r * r / 4, C = m * r * r / 2, s = std::sin(theta), c = std::cos(theta);
    const double n = (A * Omega * Omega * s * c - m * g * r * c) / (Omega * s * (C + m * r * r));
    Scene scene;
    const BodyId disk = scene.add_body(
        world, {.name = "disk",
                .pose = {{0, 0, r * s}, rotation_exp(Vec3d{0, theta, 0})},
                .inertial = mass(m, {A, A, C})});
    scene.add_joint(disk, {.type = JointType::free});
    scene.add_constraint({.body_a = world, .body_b = disk, .constraint = make<RollingDiskConstraint>(r)});
    Run run(scene);
    // The angular velocity in the axes of the body: its z is k, its x is e.
    run.state.v = {0, -r * n, 0, -Omega * s, 0, n};
    const double before = run.energy();
    for (int k = 0; k < 8; ++k) {
        run.advance(2 * pi / Omega / 8);
        const Transformd X = body_pose(run.motion.dynamics.ws, 1);
        CHECK(std::abs(X.R.z.z - c) < 1e-8);
        CHECK(std::abs(X.p.z - r * s) < 1e-8);
        CHECK(std::abs(X.R.z.x - s * std::cos(Omega * run.state.time)) < 1e-8);
    }
    CHECK(length(body_pose(run.motion.dynamics.ws, 1).p - Vec3d{0, 0, r * s}) < 1e-7);
    CHECK(std::abs(run.energy() - before) < 1e-8);

    // Off the steady motion it wobbles.
    run.state.v[5] *= 1.3;
    run.motion.dynamics.close_equalities(run.state);
    const double disturbed = run.energy();
    run.advance(2);
    CHECK(std::abs(body_pose(run.motion.dynamics.ws, 1).R.z.z - c) > 1e-3);
    CHECK(std::abs(run.energy() - disturbed) < 1e-7);
}

TEST_CASE("velocity steps hold constraints between bodies as well") {
    const double r = 0.2, alpha = 0.5, I = 0.4 * 2 * r * r;
    Scene scene;
    const Quatd tilt = rotation_exp(Vec3d{0, alpha, 0});
    const Mat3d R = rotation_matrix(tilt);
    const BodyId ball =
        scene.add_body(world, {.name = "ball", .pose = {r * R.z}, .inertial = mass(2, {I, I, I})});
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_constraint({.name = "rolls",
                          .body_a = world,
                          .body_b = ball,
                          .frame_a = {{0, 0, 0}, tilt},
                          .constraint = make<RollingBallConstraint>(r)});
    // A joint with dry friction, elsewhere, is never smooth.
    const BodyId rubbing = scene.add_body(
        world, {.name = "rubbing", .pose = {{9, 9, 9}}, .inertial = mass(1, {1, 1, 1})});
    scene.add_joint(rubbing, {.name = "rub", .friction_loss = 1});
    const auto model = compile(scene);
    Simulation sim(model);
    double end = 0;
    while (sim.state().time < 1 - 1e-9) {
        const StepReport report = sim.step(0.01);
        REQUIRE(report.status == StepStatus::ok);
        CHECK(report.equality_error < 1e-12);
        end = sim.state().time;
    }
    Workspace<double> ws(model);
    forward_kinematics(sim.state(), ws);
    const Vec3d p = body_pose(ws, model->find_body("ball")).p;
    const double a = 5.0 / 7 * g * std::sin(alpha);
    // First order in the step.
    CHECK(std::abs(dot(p, R.x) - 0.5 * a * end * end) < 0.03);
    CHECK(std::abs(dot(p, R.z) - r) < 1e-12);
    const Motion<double> V = body_velocity(ws, model->find_body("ball"));
    CHECK(length(V.lin - cross(V.ang, r * R.z)) < 1e-10);
    CHECK(std::abs(dot(V.lin, R.x) - a * end) < 1e-6);
    std::vector<Force<double>> reactions(1);
    sim.pair_reactions(reactions);
    CHECK(std::abs(dot(reactions[0].lin, R.z) - 2 * g * std::cos(alpha)) < 1e-6);
    CHECK(std::abs(dot(reactions[0].lin, R.x) + 2.0 / 7 * 2 * g * std::sin(alpha)) < 1e-6);
}

TEST_CASE("a disk that lies flat is held on the plane and stays finite") {
    Scene scene;
    const BodyId disk = scene.add_body(world, {.name = "disk", .inertial = mass(1, {0.1, 0.1, 0.2})});
    scene.add_joint(disk, {.type = JointType::free});
    scene.add_constraint({.body_a = world, .body_b = disk, .constraint = make<RollingDiskConstraint>(0.5)});
    Run run(scene);
    run.state.v = {1, 0, 0, 0, 0, 2};
    run.advance(0.5);
    const Transformd X = body_pose(run.motion.dynamics.ws, 1);
    CHECK(length(X.p - Vec3d{0.5, 0, 0}) < 1e-12);
    CHECK(std::abs(run.state.v[5] - 2) < 1e-12);
}

TEST_CASE("a pose on its constraints is found, whatever restrains velocities") {
    // The blade must be moved across itself to reach the circle.
    Scene scene;
    const BodyId sleigh = scene.add_body(world, {.name = "sleigh", .inertial = mass(1, {0.1, 0.1, 0.1})});
    scene.add_joint(sleigh, {.name = "ice", .type = JointType::planar});
    scene.add_constraint({.body_a = world, .body_b = sleigh, .constraint = make<KnifeEdgeConstraint>()});
    scene.add_constraint({.body_a = world,
                          .body_b = sleigh,
                          .frame_a = {{0, 2, 0}},
                          .constraint = make<CurveConstraint>(CurveConstraint::sphere(0.5))});
    const auto model = compile(scene);
    JointState<double> state(*model);
    const AssembleReport report = assemble(model, state);
    CHECK(report.closed);
    CHECK(std::abs(state.q[0]) < 1e-9);
    CHECK(std::abs(state.q[1] - 1.5) < 1e-9);
}
