// Constraints between two bodies in motion: against closed forms, and against the same mechanism on joints.

#include "support/motion_energy.h"
#include "support/random_values.h"

#include <ligament/assemble.h>
#include <ligament/pair_kinds.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

InertialSpec mass(double m, const Vec3d& moments, const Vec3d& com = {0, 0, 0}) {
    return {.mass = m, .frame = {com}, .inertia = Sym3d::diagonal(moments.x, moments.y, moments.z)};
}

// A point: three slides, no turning.
BodyId add_point(Scene& scene, const char* name, const Vec3d& pos) {
    const BodyId body = scene.add_body(world, {.name = name, .pose = {pos}, .inertial = mass(2, {1, 1, 1})});
    for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
        scene.add_joint(body, {.type = JointType::slide, .axis = axis});
    return body;
}

template <class Constraint, class... Args>
std::shared_ptr<const PairConstraint> make(Args&&... args) {
    return std::make_shared<Constraint>(std::forward<Args>(args)...);
}

struct Run {
    explicit Run(const Scene& scene) : model(compile(scene)), motion(model), state(*model) {}

    // By rk45 to a tolerance of 1e-11.
    void advance(double duration) {
        const MotionReport report = motion.advance(state, duration, {.step = 0.05, .tolerance = 1e-11});
        CHECK(report.status == MotionStatus::ok);
        CHECK(report.where == "");
        CHECK(report.loop_error < 1e-12);
    }
    double energy() { return total_energy(motion, state); }
    std::vector<Force<double>> reactions() {
        motion.dynamics.accelerate(state);
        std::vector<Force<double>> out(model->pair_constraints.size());
        motion.dynamics.pair_reactions(out);
        return out;
    }

    std::shared_ptr<const Model> model;
    SmoothMotion motion;
    JointState<double> state;
};

// The angle of a pendulum of length r from the vertical, released at rest from θ, after t: by its own
// equation in small steps of the classical method.
double pendulum_angle(double r, double theta, double t) {
    double w = 0;
    const int steps = 20000;
    const double h = t / steps;
    const auto a = [&](double angle) { return -g / r * std::sin(angle); };
    for (int k = 0; k < steps; ++k) {
        const double k1 = w, l1 = a(theta), k2 = w + h / 2 * l1, l2 = a(theta + h / 2 * k1),
                     k3 = w + h / 2 * l2, l3 = a(theta + h / 2 * k2), k4 = w + h * l3, l4 = a(theta + h * k3);
        theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return theta;
}

}  // namespace

TEST_CASE("a point held by a distance, on a circle and on a sphere is a pendulum") {
    const double r = 0.7, start = 1.2;
    const double wanted = pendulum_angle(r, start, 2);
    const Quatd upright = rotation_exp(Vec3d{pi / 2, 0, 0});  // the plane z = 0 of the circle is world's x z
    const std::shared_ptr<const PairConstraint> kinds[] = {
        make<DistanceConstraint>(r), make<CurveConstraint>(CurveConstraint::circle(r)),
        make<CurveConstraint>(CurveConstraint::sphere(r))};
    for (const auto& kind : kinds) {
        CAPTURE(kind->kind());
        Scene scene;
        const Vec3d pivot{0.3, -0.2, 5};
        const BodyId bob =
            add_point(scene, "bob", pivot + r * Vec3d{std::sin(start), 0, -std::cos(start)});
        scene.add_constraint(
            {.name = "rod", .body_a = world, .body_b = bob, .frame_a = {pivot, upright}, .constraint = kind});
        Run run(scene);
        const double before = run.energy();
        run.advance(2);
        const Vec3d p = body_pose(run.motion.dynamics.ws, 1).p;
        // rk45 at 1e-11 over two seconds.
        CHECK(std::abs(std::atan2(p.x - pivot.x, pivot.z - p.z) - wanted) < 1e-8);
        CHECK(std::abs(run.energy() - before) < 1e-7);
        // The rod carries m (g cos θ + r θ'²), with θ'² = 2 g/r (cos θ − cos θ₀).
        const double tension = 2 * g * (3 * std::cos(wanted) - 2 * std::cos(start));
        const Force<double> reaction = run.reactions()[0];
        CHECK(std::abs(reaction.lin.x + tension * std::sin(wanted)) < 1e-5);
        CHECK(std::abs(reaction.lin.z - tension * std::cos(wanted)) < 1e-5);
    }
}

TEST_CASE("a bead on an ellipse and on a parabola keeps its energy, and passes where it must") {
    const Quatd upright = rotation_exp(Vec3d{pi / 2, 0, 0});
    for (const bool parabola : {false, true}) {
        Scene scene;
        const BodyId bead = add_point(scene, "bead", parabola ? Vec3d{1, 0, 1} : Vec3d{2, 0, 0});
        const Quadric bowl{{1, 0, 0, 0, 0, 0}, {0, 0, -1}, 0}, flat{{0, 0, 0, 0, 0, 0}, {0, 1, 0}, 0};
        const auto ellipse = make<CurveConstraint>(CurveConstraint::ellipse(2, 1));
        scene.add_constraint({.body_a = world,
                              .body_b = bead,
                              .frame_a = {{0, 0, 0}, parabola ? Quatd::identity() : upright},
                              .constraint = parabola ? make<CurveConstraint>(bowl, flat) : ellipse});
        Run run(scene);
        const double before = run.energy();
        double lowest = HUGE_VAL, fastest = 0;
        for (int k = 0; k < 60; ++k) {
            run.advance(0.05);
            const Vec3d p = body_pose(run.motion.dynamics.ws, 1).p;
            const double off = parabola ? p.z - p.x * p.x : p.x * p.x / 4 + p.z * p.z - 1;
            CHECK(std::abs(off) < 1e-12);
            lowest = std::min(lowest, p.z);
            fastest = std::max(fastest, std::hypot(run.state.v[0], run.state.v[2]));
        }
        CHECK(std::abs(run.energy() - before) < 1e-7);
        // It falls by 1 m to the bottom.
        CHECK(fastest <= std::sqrt(2 * g) * (1 + 1e-9));
        CHECK(fastest > 0.9 * std::sqrt(2 * g));
        CHECK(lowest >= (parabola ? -1e-12 : -1 - 1e-12));
    }
}

TEST_CASE("points on lines and planes go where slides and planar joints take them") {
    for (const bool line : {true, false}) {
        Scene held, jointed;
        const Quatd turn = rotation_exp(Vec3d{0.4, 0.7, -0.2});
        const Mat3d R = rotation_matrix(turn);
        const BodyId point = add_point(held, "point", {0, 0, 0});
        held.add_constraint({.body_a = world,
                             .body_b = point,
                             .frame_a = {{0, 0, 0}, turn},
                             .constraint = line ? make<PointOnLineConstraint>()
                                                : make<PointOnPlaneConstraint>()});
        const BodyId body = jointed.add_body(world, {.inertial = mass(2, {1, 1, 1})});
        if (line)
            jointed.add_joint(body, {.type = JointType::slide, .axis = R.z});
        else
            for (const Vec3d& along : {R.x, R.y})
                jointed.add_joint(body, {.type = JointType::slide, .axis = along});
        Run a(held), b(jointed);
        a.advance(1);
        b.advance(1);
        const Vec3d p = body_pose(a.motion.dynamics.ws, 1).p, q = body_pose(b.motion.dynamics.ws, 1).p;
        CHECK(length(p - q) < 1e-10);
    }
}

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
    run.motion.dynamics.close_loops(run.state);
    const double disturbed = run.energy();
    run.advance(2);
    CHECK(std::abs(body_pose(run.motion.dynamics.ws, 1).R.z.z - c) > 1e-3);
    CHECK(std::abs(run.energy() - disturbed) < 1e-7);
}

TEST_CASE("two wheels in gear are one wheel of the inertia of both") {
    const double ratio = -2.5, I_a = 0.3, I_b = 0.05, torque = 0.7;
    Scene scene;
    const BodyId a = scene.add_body(world, {.name = "a", .inertial = mass(1, {1, 1, I_a})});
    scene.add_joint(a, {.name = "a"});
    const BodyId b = scene.add_body(
        world, {.name = "b",
                .pose = {{1, 0, 0}, rotation_exp(Vec3d{0.5, 0, 0})},
                .inertial = mass(1, {1, 1, I_b})});
    scene.add_joint(b, {.name = "b"});
    scene.add_constraint(
        {.name = "gear", .body_a = a, .body_b = b, .constraint = make<GearConstraint>(ratio)});
    Run run(scene);
    run.motion.dynamics.qfrc_applied[0] = torque;
    run.state.v = {1, ratio};
    run.advance(1.5);
    const double acceleration = torque / (I_a + ratio * ratio * I_b);
    CHECK(std::abs(run.state.v[0] - (1 + 1.5 * acceleration)) < 1e-11);
    CHECK(std::abs(run.state.v[1] - ratio * run.state.v[0]) < 1e-12);
    CHECK(std::abs(run.state.q[0] - (1.5 + 0.5 * 1.5 * 1.5 * acceleration)) < 1e-10);
    CHECK(std::abs(run.state.q[1] - ratio * run.state.q[0]) < 1e-10);
    // B is turned by the moment that it takes.
    CHECK(std::abs(length(run.reactions()[0].ang) - std::abs(I_b * ratio * acceleration)) < 1e-11);
}

TEST_CASE("a pendulum that is driven by θ = sin t needs the moment of its equation") {
    const double m = 2, l = 0.6, I = 0.05;
    Scene scene;
    const BodyId arm = scene.add_body(world, {.name = "arm", .inertial = mass(m, {I, I, I}, {0, 0, -l})});
    scene.add_joint(arm, {.name = "pin", .axis = {0, 1, 0}});
    const MotionProfile sine{.amplitude = 1, .frequency = 1 / (2 * pi)};
    scene.add_constraint({.name = "drive",
                          .body_a = world,
                          .body_b = arm,
                          .constraint = make<PrescribedConstraint>(PrescribedConstraint::Axes{},
                                                                   PrescribedConstraint::Axes{.y = sine})});
    Run run(scene);
    for (int k = 1; k < 10; ++k) {
        run.advance(0.7);
        const double t = run.state.time, angle = std::sin(t);
        CHECK(std::abs(run.state.q[0] - angle) < 1e-13);
        CHECK(std::abs(run.state.v[0] - std::cos(t)) < 1e-13);
        const double moment = -(I + m * l * l) * std::sin(t) + m * g * l * std::sin(angle);
        CHECK(std::abs(run.reactions()[0].ang.y - moment) < 1e-10);
    }
}

TEST_CASE("a body that is moved along all six axes is where it should be") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "body", .inertial = mass(2, {0.1, 0.2, 0.25})});
    scene.add_joint(body, {.type = JointType::free});
    // From the reference configuration at time 0 on.
    const MotionProfile x{.polynomial = {0, 0.3, -0.2}}, y{.amplitude = 0.5, .frequency = 0.4},
        z{.polynomial = {0, 0, 0, 0.1}, .amplitude = 0.2, .frequency = 1};
    scene.add_constraint({.body_a = world,
                          .body_b = body,
                          .constraint = make<PrescribedConstraint>(PrescribedConstraint::Axes{x, y, z},
                                                                   PrescribedConstraint::Axes{z, x, y})});
    Run run(scene);
    run.advance(1.3);
    const double t = 1.3;
    const Transformd X = body_pose(run.motion.dynamics.ws, 1);
    CHECK(length(X.p - Vec3d{x.value(t), y.value(t), z.value(t)}) < 1e-13);
    const Quatd turn = rotation_exp(Vec3d{z.value(t), 0, 0}) * rotation_exp(Vec3d{0, x.value(t), 0}) *
                       rotation_exp(Vec3d{0, 0, y.value(t)});
    CHECK(largest(X.R - rotation_matrix(turn)) < 1e-13);
    // Newton: what moves it is m (a + g).
    const Vec3d push = 2.0 * Vec3d{x.acceleration(t), y.acceleration(t), z.acceleration(t) + g};
    CHECK(length(run.reactions()[0].lin - push) < 1e-9);
}

namespace {

// Three rods in a row from the origin, and the pivot of a rocker that the last one ends short of.
Scene open_four_bar(double closing_time, double gravity) {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    BodyId parent = world;
    const double lengths[] = {1, 2, 1.5};
    for (int k = 0; k < 3; ++k) {
        const double l = lengths[k];
        const double start[] = {0.3, 1.0, 1.2};
        const BodyId rod = scene.add_body(
            parent, {.name = "rod" + std::to_string(k),
                     .pose = {{k == 0 ? 0 : lengths[k - 1], 0, 0}, rotation_exp(Vec3d{0, start[k], 0})},
                     .inertial = mass(1, {0.001, l * l / 12, l * l / 12}, {l / 2, 0, 0})});
        scene.add_joint(rod, {.name = "pin" + std::to_string(k), .axis = {0, 1, 0}});
        parent = rod;
    }
    scene.add_loop({.name = "closure",
                    .type = JointType::hinge,
                    .body_a = world,
                    .body_b = parent,
                    .frame_a = {{2, 0, -0.5}, rotation_exp(Vec3d{pi / 2, 0, 0})},
                    .frame_b = {{1.5, 0, 0}, rotation_exp(Vec3d{pi / 2, 0, 0})},
                    .closing_time = closing_time});
    return scene;
}

double gap(Run& run) {
    double residual[6] = {};
    forward_kinematics(run.state, run.motion.dynamics.ws);
    loop_residual(run.motion.dynamics.ws, 0, {residual, 5});
    double sum = 0;
    for (const double x : residual) sum += x * x;
    return std::sqrt(sum);
}

}  // namespace

TEST_CASE("an open four-bar assembles itself within its time, and is a four-bar afterwards") {
    const double T = 0.8;
    Run run(open_four_bar(T, g));
    const double open = gap(run);
    REQUIRE(open > 0.3);
    run.advance(0.5 * T);
    CHECK(std::abs(gap(run) - 0.5 * open) < 1e-10);  // φ(1/2) = 1/2
    run.advance(0.5 * T);
    CHECK(gap(run) < 1e-12);
    // Closed, it is at rest relative to the pivot, and nothing does work any more.
    const double before = run.energy();
    run.advance(3);
    CHECK(gap(run) < 1e-12);
    CHECK(std::abs(run.energy() - before) < 1e-7);

    // Without the time it is open by too much to be closed in passing.
    Run at_once(open_four_bar(0, g));
    const MotionReport report = at_once.motion.advance(at_once.state, 0.1);
    CHECK(report.status == MotionStatus::loop_open);
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
        CHECK(report.loop_error < 1e-12);
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

namespace {

// A program's own: B's origin at the height a sin(w t) over A's origin, by nothing but the interface.
class Pump final : public PairConstraint {
public:
    std::string_view kind() const override { return "pump"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& s, PairRow* out) const override {
        *out = {};
        out->error = s.X_WB.p.z - s.X_WA.p.z - std::sin(s.time);
        out->on_a = {{0, 0, 0}, {0, 0, -1}};
        out->on_b = {{0, 0, 0}, {0, 0, 1}};
        out->rate = -std::cos(s.time);
        out->product = std::sin(s.time);
    }
};

}  // namespace

TEST_CASE("a constraint of a program's own") {
    Scene scene;
    const BodyId body = add_point(scene, "body", {0, 0, 0});
    scene.add_constraint(
        {.name = "pump", .body_a = world, .body_b = body, .constraint = std::make_shared<Pump>()});
    Run run(scene);
    run.advance(1.1);
    CHECK(std::abs(run.state.q[2] - std::sin(1.1)) < 1e-13);
    CHECK(std::abs(run.state.v[2] - std::cos(1.1)) < 1e-13);
    CHECK(std::abs(run.reactions()[0].lin.z - 2 * (g - std::sin(1.1))) < 1e-10);
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

TEST_CASE("constraints that contradict each other are named, those that repeat each other are counted") {
    for (const double second : {0.7, 0.9}) {
        Scene scene;
        const BodyId bob = add_point(scene, "bob", {0.7, 0, 0});
        for (const double length : {0.7, second})
            scene.add_constraint({.name = "rod" + std::to_string(length),
                                  .body_a = world,
                                  .body_b = bob,
                                  .constraint = make<DistanceConstraint>(length)});
        Run run(scene);
        const MotionReport report = run.motion.advance(run.state, 0.5);
        for (const double q : run.state.q) CHECK(std::isfinite(q));
        if (second == 0.7) {
            CHECK(report.status == MotionStatus::ok);
            CHECK(report.redundant_rows == 1);
        } else {
            CHECK(report.status == MotionStatus::loop_open);
            CHECK(report.where.find("distance 'rod0.9") == 0);
        }
    }
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

TEST_CASE("event steps hold constraints between bodies as well") {
    // The pendulum of a distance beside a body that falls onto the end of its slide.
    Scene scene;
    const double r = 0.7;
    const BodyId bob =
        scene.add_body(world, {.name = "bob", .pose = {{r, 0, 0}}, .inertial = mass(2, {1, 1, 1})});
    scene.add_joint(bob, {.name = "x", .type = JointType::slide, .axis = {1, 0, 0}});
    scene.add_joint(bob, {.name = "z", .type = JointType::slide, .axis = {0, 0, 1}});
    scene.add_constraint(
        {.name = "rod", .body_a = world, .body_b = bob, .constraint = make<DistanceConstraint>(r)});
    const BodyId other =
        scene.add_body(world, {.name = "other", .pose = {{5, 0, 0}}, .inertial = mass(1, {1, 1, 1})});
    scene.add_joint(
        other,
        {.name = "falls", .type = JointType::slide, .axis = {0, 0, 1}, .range = {Range{-0.2, 9}}});
    const auto model = compile(scene);
    Simulation sim(model, {.stepping = Stepping::event});
    for (int k = 0; k < 40; ++k) {
        const StepReport report = sim.step(0.01);
        REQUIRE(was_taken(report.status));
        CHECK(report.loop_error < 1e-9);
    }
    // From the horizontal at rest: v² = 2 g h.
    const double x = r + sim.state().q[0], z = sim.state().q[1];
    CHECK(std::abs(std::hypot(x, z) - r) < 1e-9);
    CHECK(std::abs(std::hypot(sim.state().v[0], sim.state().v[1]) - std::sqrt(-2 * g * z)) < 1e-5);
    CHECK(std::abs(sim.state().q[2] + 0.2) < 1e-5);
}
