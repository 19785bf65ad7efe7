// Constraints between two bodies in motion: against closed forms, and against the same mechanism on joints.
// Rolling and blades are in rolling_test.cpp.

#include "support/pair_runs.h"

#include <ligament/simulation.h>

using namespace lig;
using namespace lig::test;

namespace {

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
    CHECK(report.status == MotionStatus::equality_open);
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
            CHECK(report.status == MotionStatus::equality_open);
            CHECK(report.where.find("distance 'rod0.9") == 0);
        }
    }
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
        REQUIRE(was_taken(report));
        CHECK(report.equality_error < 1e-9);
    }
    // From the horizontal at rest: v² = 2 g h.
    const double x = r + sim.state().q[0], z = sim.state().q[1];
    CHECK(std::abs(std::hypot(x, z) - r) < 1e-9);
    CHECK(std::abs(std::hypot(sim.state().v[0], sim.state().v[1]) - std::sqrt(-2 * g * z)) < 1e-5);
    CHECK(std::abs(sim.state().q[2] + 0.2) < 1e-5);
}

TEST_CASE("small, large and far away: a distance and a circle hold to the rounding of positions") {
    const double start = 1.2;
    for (const double r : {1e-3, 1.0, 1e3})
        for (const double away : {0.0, 1e4})
            for (const bool circle : {false, true}) {
                CAPTURE(r);
                CAPTURE(away);
                CAPTURE(circle);
                const double duration = 2 * std::sqrt(r);
                const double wanted = pendulum_angle(r, start, duration);
                Scene scene;
                const Vec3d pivot{away, -away, 0};
                const BodyId bob =
                    add_point(scene, "bob", pivot + r * Vec3d{std::sin(start), 0, -std::cos(start)});
                scene.add_constraint(
                    {.body_a = world,
                     .body_b = bob,
                     .frame_a = {pivot, rotation_exp(Vec3d{pi / 2, 0, 0})},
                     .constraint = circle ? make<CurveConstraint>(CurveConstraint::circle(r))
                                          : make<DistanceConstraint>(r)});
                Run run(scene);
                const MotionReport report = run.motion.advance(
                    run.state, duration, {.step = 0.02 * duration, .tolerance = 1e-11});
                CHECK(report.status == MotionStatus::ok);
                // A few bits of the positions, which is what there is to be had; a circle counts errors
                // relative to the size of its body, here 1 m.
                const double rounding = 1e-14 * (r + away);
                CHECK(report.equality_error <= rounding + (circle ? 5e-15 : 0));
                const Vec3d p = body_pose(run.motion.dynamics.ws, 1).p;
                const double angle = std::atan2(p.x - pivot.x, pivot.z - p.z);
                // The tolerance of the motion is relative to 1 m at least.
                CHECK(std::abs(angle - wanted) < 1e-8 / std::min(r, 1.0) + 100 * rounding / r);
            }
}

TEST_CASE("impulses of constraints go over to a model that was compiled anew") {
    Scene scene;
    const BodyId bob = add_point(scene, "bob", {0.5, 0, 0});
    scene.add_constraint(
        {.name = "rod", .body_a = world, .body_b = bob, .constraint = make<DistanceConstraint>(0.5)});
    Simulation sim(compile(scene), {.stepping = Stepping::velocity});
    for (int k = 0; k < 20; ++k) sim.step(0.01);
    const auto sum = [](const Simulation& of) {
        double out = 0;
        for (const double x : of.save().impulses) out += std::abs(x);
        return out;
    };
    const double before = sum(sim);
    REQUIRE(before > 0.1);
    Scene more;
    add_point(more, "new", {9, 9, 9});
    const BodyId again = add_point(more, "bob", {0.5, 0, 0});
    more.add_constraint({.name = "other",
                         .body_a = world,
                         .body_b = again,
                         .constraint = make<KnifeEdgeConstraint>(),
                         .active = false});
    more.add_constraint(
        {.name = "rod", .body_a = world, .body_b = again, .constraint = make<DistanceConstraint>(0.5)});
    sim.recompile(more, sim.save());
    CHECK(sum(sim) == before);
    CHECK(was_taken(sim.step(0.01)));
}
