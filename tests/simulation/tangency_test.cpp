// Surfaces that stay tangent [Baraff 1996, sec. 2.2]: gaps against closed forms, and motions on them against
// conservation laws and closed forms, in every formulation.

#include "support/random_values.h"

#include <ligament/dynamics.h>
#include <ligament/model.h>
#include <ligament/pair_kinds.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <functional>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const SmoothSurface> surface(SurfaceKind kind, std::array<double, 4> sizes = {},
                                             bool inside = false) {
    return std::make_shared<StandardSurface>(kind, sizes, inside);
}

PairRow first_row(const TangencyConstraint& pair, const PairState& state) {
    PairRow rows[PairConstraint::max_rows];
    pair.evaluate(state, rows);
    return rows[0];
}

BodyId add_body(Scene& scene, const char* name, const Vec3d& at, double mass, const Vec3d& inertia) {
    const BodyId body = scene.add_body(
        world, {.name = name,
                .pose = {.pos = at},
                .inertial = InertialSpec{
                    .mass = mass, .frame = {}, .inertia = Sym3d::diagonal(inertia.x, inertia.y, inertia.z)}});
    scene.add_joint(body, {.name = name, .type = JointType::free});
    return body;
}

// A solid ball on something that is fixed.
std::shared_ptr<const Model> ball_on(std::shared_ptr<const SmoothSurface> ground, const Vec3d& start,
                                     double radius,
                                     bool rolling) {
    Scene scene("ball");
    const double moment = 0.4 * radius * radius;
    const BodyId ball = add_body(scene, "ball", start, 1, {moment, moment, moment});
    scene.add_constraint({.name = "touch",
                          .body_a = world,
                          .body_b = ball,
                          .constraint = std::make_shared<TangencyConstraint>(
                              std::move(ground), surface(SurfaceKind::sphere, {radius}), rolling)});
    return compile(scene);
}

double energy_of(const Model& model, const JointState<double>& state) {
    Workspace<double> ws(std::shared_ptr<const Model>(&model, [](const Model*) {}));
    forward_kinematics(state, ws);
    const auto energy = lig::energy(state, ws);
    return energy.kinetic + energy.potential;
}

}  // namespace

TEST_CASE("tangency: the gap of a sphere and a surface is the distance of its centre less its radius") {
    struct Ground {
        SurfaceKind kind;
        std::array<double, 4> sizes;
        std::function<double(const Vec3d&)> distance;
    };
    const double angle = 0.5;
    const auto from_axis = [](const Vec3d& p) { return std::hypot(p.x, p.y); };
    const auto to_plane = [](const Vec3d& p) { return p.z; };
    const auto to_sphere = [](const Vec3d& p) { return length(p) - 0.7; };
    const auto to_cylinder = [=](const Vec3d& p) { return from_axis(p) - 0.6; };
    const auto to_capsule = [](const Vec3d& p) {
        return length(p - Vec3d{0, 0, std::clamp(p.z, -0.5, 0.5)}) - 0.4;
    };
    const auto to_cone = [=](const Vec3d& p) {
        return from_axis(p) * std::cos(angle) - p.z * std::sin(angle);
    };
    const auto to_torus = [=](const Vec3d& p) { return std::hypot(from_axis(p) - 0.9, p.z) - 0.3; };
    const Ground grounds[] = {
        {SurfaceKind::plane, {}, to_plane},
        {SurfaceKind::sphere, {0.7}, to_sphere},
        {SurfaceKind::cylinder, {0.6}, to_cylinder},
        {SurfaceKind::capsule, {0.4, 0.5}, to_capsule},
        {SurfaceKind::cone, {angle}, to_cone},
        {SurfaceKind::torus, {0.9, 0.3}, to_torus},
    };
    Random random(71);
    for (const Ground& ground : grounds) {
        const TangencyConstraint pair(surface(ground.kind, ground.sizes),
                                      surface(SurfaceKind::sphere, {0.25}));
        CAPTURE(pair.surface_a->kind());
        CHECK(pair.fault() == "");
        int tried = 0;
        for (int run = 0; run < 200; ++run) {
            PairState state;
            state.X_WA = {rotation_matrix(random_rotation(random)), random_vec(random, 1)};
            const Vec3d centre = random_vec(random, 1.5);
            // Not within a surface by more than the ball, nor beyond the tip of the cone.
            const double distance = ground.distance(centre);
            if (std::abs(distance - 0.25) > 0.2) continue;
            const double along = centre.z * std::cos(angle) + from_axis(centre) * std::sin(angle);
            if (ground.kind == SurfaceKind::cone && along < 0.2) continue;
            ++tried;
            state.X_WB = {rotation_matrix(random_rotation(random)), state.X_WA * centre};
            CHECK(std::abs(first_row(pair, state).error - (distance - 0.25)) < 1e-13);
        }
        CHECK(tried > 8);
    }
}

TEST_CASE("tangency: an ellipsoid and a plane are as far apart as the ellipsoid reaches along the normal") {
    const Vec3d half{0.5, 0.3, 0.8};
    Random random(72);
    for (const bool inside : {false, true}) {
        const TangencyConstraint pair(surface(SurfaceKind::plane, {}, inside),
                                      surface(SurfaceKind::ellipsoid, {half.x, half.y, half.z}));
        for (int run = 0; run < 50; ++run) {
            PairState state;
            const Mat3d R = rotation_matrix(random_rotation(random));
            const Vec3d n{R(2, 0), R(2, 1), R(2, 2)};  // z of A in the axes of B
            const double reach = length({half.x * n.x, half.y * n.y, half.z * n.z});
            state.X_WB = {R, {0.3, -0.2, random.uniform(-1, 1)}};
            const double height = inside ? -state.X_WB.p.z : state.X_WB.p.z;
            CHECK(std::abs(first_row(pair, state).error - (height - reach)) < 1e-13);
        }
    }
}

TEST_CASE("tangency: points of superquadrics and of a program's own surfaces touch with one normal") {
    const auto egg = make_surface(
        [](const auto& p) { return p.x * p.x + p.y * p.y + (1.0 + 0.2 * p.z) * p.z * p.z - 0.49; }, 0.7);
    Random random(73);
    int found = 0;
    for (int run = 0; run < 60; ++run) {
        const TangencyConstraint pair(surface(SurfaceKind::superquadric, {0.6, 0.5, 0.4, 3.5}), egg);
        PairState state;
        state.X_WA = {rotation_matrix(random_rotation(random)), {0, 0, 0}};
        state.X_WB = {rotation_matrix(random_rotation(random)), 1.3 * random_direction(random)};
        const PairRow row = first_row(pair, state);
        if (pair.undefined_because(state) != "") continue;
        ++found;
        // The line of the force: through the points of contact, along n. Both surfaces have it for a normal
        // where they are met.
        const Vec3d n = row.on_b.lin, arm_b = cross(n, row.on_b.ang);
        const auto meets = [&](const SmoothSurface& s, const Transformd& X, const Vec3d& through,
                               double sign) {
            const Vec3d inward = transpose_mul(X.R, through - X.p), along = transpose_mul(X.R, n);
            double t = 0;
            for (int k = 0; k < 100; ++k) {
                const SurfacePoint at = s.at(inward + t * along);
                t -= at.f / dot(at.gradient, along);
            }
            const SurfacePoint at = s.at(inward + t * along);
            return length((1 / length(at.gradient)) * at.gradient - sign * along) < 1e-8;
        };
        const Vec3d through = state.X_WB.p + arm_b;
        CHECK(meets(*pair.surface_a, state.X_WA, through - 0.2 * n, 1));
        CHECK(meets(*pair.surface_b, state.X_WB, through - 0.2 * n, -1));
    }
    CHECK(found > 50);
}

TEST_CASE("tangency: a ball slides over an ellipsoid without leaving it, and keeps its energy") {
    const Vec3d half{1.2, 0.9, 0.7};
    const double radius = 0.2;
    for (const char* formulation : {"multiplier", "reduced", "implicit", "impulse"}) {
        CAPTURE(formulation);
        const bool exact = std::string_view(formulation) == "multiplier";
        const auto ground = surface(SurfaceKind::ellipsoid, {half.x, half.y, half.z});
        const auto model = ball_on(ground, {0, 0, half.z + radius}, radius, false);
        Simulation simulation(model, {.formulation = formulation});
        JointState<double> start = simulation.state();
        start.v[0] = 0.6;
        start.v[1] = 0.35;
        start.v[3] = 1.5;
        simulation.set_state(start);
        const double before = energy_of(*model, simulation.state());
        const TangencyConstraint& pair =
            dynamic_cast<const TangencyConstraint&>(*model->pair_constraints[0].constraint);
        double parted = 0;
        for (int step = 0; step < 1000; ++step) {
            REQUIRE(simulation.step(2e-3).status == StepStatus::ok);
            const std::vector<double>& q = simulation.state().q;
            PairState state;
            state.X_WB.p = {q[0], q[1], q[2]};
            parted = std::max(parted, std::abs(first_row(pair, state).error));
        }
        CHECK(parted < (exact ? 1e-12 * half.x : std::string_view(formulation) == "impulse" ? 1e-3
                                                                                            : 1e-9));
        const double kinetic = 0.5 * (0.6 * 0.6 + 0.35 * 0.35);
        const double drift = std::abs(energy_of(*model, simulation.state()) - before);
        // It has been all around: energies of 20 J went to and fro. Backward Euler and sweeps are of first
        // order.
        CHECK(drift < (exact || std::string_view(formulation) == "reduced" ? 2e-3 : 1.5) * (1 + kinetic));
        // Nothing turns a ball that is pushed through its centre.
        CHECK(simulation.state().v[3] == doctest::Approx(1.5).epsilon(1e-9));
    }
}

TEST_CASE("tangency: two ellipsoids in space keep their momenta and their energy") {
    Scene scene("pair");
    scene.options.gravity = {0, 0, 0};
    const BodyId a = add_body(scene, "a", {0, 0, 0}, 2, {0.3, 0.4, 0.35});
    const BodyId b = add_body(scene, "b", {0, 0, 0.75}, 1, {0.05, 0.07, 0.06});
    scene.add_constraint({.name = "touch",
                          .body_a = a,
                          .body_b = b,
                          .constraint = std::make_shared<TangencyConstraint>(
                              surface(SurfaceKind::ellipsoid, {0.6, 0.7, 0.45}),
                              surface(SurfaceKind::ellipsoid, {0.35, 0.25, 0.3}))});
    const auto model = compile(scene);
    Simulation simulation(model, {.formulation = "multiplier"});
    JointState<double> start = simulation.state();
    start.v = {0, 0, 0, 0.4, -0.3, 0.2, 0.3, 0.2, 0, -0.5, 0.6, 0.7};
    // Onto velocities that keep the gap: along z both go alike where they touch.
    start.v[2] = 0;
    start.v[8] = 0;
    simulation.set_state(start);
    const auto momenta = [&] {
        Workspace<double> ws(model);
        forward_kinematics(simulation.state(), ws);
        return momentum(ws);
    };
    REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
    const auto before = momenta();
    const double energy = energy_of(*model, simulation.state());
    for (int step = 0; step < 2000; ++step) REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
    const auto after = momenta();
    CHECK(length(after.lin - before.lin) < 1e-12);
    CHECK(length(after.ang - before.ang) < 1e-11);
    CHECK(std::abs(energy_of(*model, simulation.state()) - energy) < 1e-5 * energy);
}

TEST_CASE("tangency: a ball rolls down a sphere as energy says, and its spin about the normal stays") {
    const double R = 1, r = 0.25;
    for (const char* formulation : {"multiplier", "reduced"}) {
        CAPTURE(formulation);
        const double tilt = 0.3;
        const Vec3d start{(R + r) * std::sin(tilt), 0, (R + r) * std::cos(tilt)};
        Simulation simulation(ball_on(surface(SurfaceKind::sphere, {R}), start, r, true),
                              {.formulation = formulation});
        JointState<double> state = simulation.state();
        const Vec3d n0{std::sin(tilt), 0, std::cos(tilt)};
        for (int k = 0; k < 3; ++k) state.v[3 + k] = 4 * n0[k];
        simulation.set_state(state);
        for (int step = 0; step < 600; ++step) REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
        const std::vector<double>&q = simulation.state().q, &v = simulation.state().v;
        const Vec3d p{q[0], q[1], q[2]}, n = (1 / (R + r)) * p, velocity{v[0], v[1], v[2]};
        CHECK(length(p) == doctest::Approx(R + r).epsilon(1e-12));
        const Mat3d turned = rotation_matrix(Quatd{q[3], q[4], q[5], q[6]});
        const Vec3d spin = turned * Vec3d{v[3], v[4], v[5]};
        // No slip: what touches is at rest.
        CHECK(length(velocity + cross(spin, -r * n)) < 1e-8);
        CHECK(dot(spin, n) == doctest::Approx(4).epsilon(1e-5));
        // ½ (1 + 2/5) v² = g (R + r)(cos tilt − n_z).
        CHECK(0.7 * dot(velocity, velocity) ==
              doctest::Approx(9.81 * (R + r) * (std::cos(tilt) - n.z)).epsilon(1e-4));
    }
}

TEST_CASE("tangency: a cam lifts its follower as the closed form says") {
    const double R = 0.3, r = 0.05, e = 0.1, speed = 6;
    for (const char* formulation : {"multiplier", "reduced", "implicit"}) {
        CAPTURE(formulation);
        Scene scene("cam");
        const BodyId cam = scene.add_body(
            world, {.name = "cam",
                    .inertial = InertialSpec{.mass = 5, .frame = {}, .inertia = Sym3d::diagonal(1, 1, 1)}});
        scene.add_joint(cam, {.name = "shaft", .type = JointType::hinge, .axis = {0, 0, 1}});
        const BodyId follower = scene.add_body(
            world, {.name = "follower",
                    .pose = {.pos = {0, std::sqrt((R + r) * (R + r) - e * e), 0}},
                    .inertial = InertialSpec{.mass = 0.5, .frame = {}, .inertia = Sym3d::diagonal(1, 1, 1)}});
        scene.add_joint(follower, {.name = "guide", .type = JointType::slide, .axis = {0, 1, 0}});
        // An eccentric disk on the shaft, a roller on the follower.
        scene.add_constraint({.name = "contact",
                              .body_a = cam,
                              .body_b = follower,
                              .frame_a = {.pos = {e, 0, 0}},
                              .constraint = std::make_shared<TangencyConstraint>(
                                  surface(SurfaceKind::cylinder, {R}), surface(SurfaceKind::sphere, {r}))});
        scene.add_constraint({.name = "motor",
                              .body_a = world,
                              .body_b = cam,
                              .constraint = std::make_shared<PrescribedConstraint>(
                                  PrescribedConstraint::Axes{},
                                  PrescribedConstraint::Axes{.z = MotionProfile{{0, speed}, 0, 0, 0}})});
        Simulation simulation(compile(scene), {.formulation = formulation});
        JointState<double> state = simulation.state();
        state.v[0] = speed;
        state.v[1] = speed * e;
        simulation.set_state(state);
        double worst = 0;
        for (int step = 0; step < 1000; ++step) {
            REQUIRE(simulation.step(2e-3).status == StepStatus::ok);
            const double angle = simulation.state().q[0];
            const double lift = e * std::sin(angle) +
                                std::sqrt((R + r) * (R + r) - e * e * std::cos(angle) * std::cos(angle));
            const double risen = simulation.state().q[1] + std::sqrt((R + r) * (R + r) - e * e);
            worst = std::max(worst, std::abs(risen - lift));
        }
        CHECK(worst < 1e-9);
        CHECK(simulation.state().q[0] == doctest::Approx(speed * 2).epsilon(1e-9));
    }
}
