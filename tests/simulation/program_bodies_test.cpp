// Bodies of a kind that a program defines: in the formulations that have them, against closed forms, against
// kinds of the library that say the same, and what cannot be used.

#include "support/body_runs.h"
#include "support/deforming_scenes.h"
#include "support/random_values.h"

#include <ligament/body_kind.h>
#include <ligament/dynamics.h>
#include <ligament/lanes.h>
#include <ligament/pair_kinds.h>
#include <ligament/save.h>
#include <ligament/snapshot.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr Vec3d half{0.5, 0.3, 0.2};
constexpr double young = 2e4, poisson = 0.3, density = 100;

// What `stretching` is, as a program would say it.
std::shared_ptr<const ProgramBody> stretching_kind(double damping = 0) {
    return body_kind<3>(
        [](const auto& r) {
            const auto zero = 0.0 * r.x;
            return std::array{Vec3{r.x, zero, zero}, Vec3{zero, r.y, zero}, Vec3{zero, zero, r.z}};
        },
        [](const auto& s) {
            constexpr double volume = 8 * half.x * half.y * half.z;
            constexpr double mu = young / (2 * (1 + poisson));
            constexpr double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
            const auto sum = s[0] + s[1] + s[2];
            return volume * (mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + 0.5 * lambda * sum * sum);
        },
        {.damping = damping});
}

// Bends along x, twists about it and swells, stiffer the farther.
std::shared_ptr<const ProgramBody> odd_kind() {
    return body_kind<3>(
        [](const auto& r) {
            const auto zero = 0.0 * r.x;
            return std::array{Vec3{zero, zero, r.x * r.x}, Vec3{zero, -r.x * r.z, r.x * r.y},
                              Vec3{zero, r.y, r.z}};
        },
        [](const auto& s) {
            return 300.0 * s[0] * s[0] + 200.0 * s[1] * s[1] * (1.0 + s[0] * s[0]) + 500.0 * s[2] * s[2];
        },
        {.kind = "odd"});
}

BodyId add_program(Scene& scene, const std::string& name, const Pose& pose,
                   std::shared_ptr<const ProgramBody> kind, bool touches = false) {
    const BodyId body = scene.add_body(
        world, {.name = name, .pose = pose, .kind = BodyKind::program, .program = std::move(kind)});
    scene.add_geom(body, {.name = name + "_box",
                          .shape = ShapeType::box,
                          .size = half,
                          .density = density,
                          .contype = touches ? 1 : 0,
                          .conaffinity = touches ? 1 : 0});
    return body;
}

std::shared_ptr<const Model> free_body(std::shared_ptr<const ProgramBody> kind) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    add_program(scene, "it", {{0.3, -0.2, 1}}, std::move(kind));
    return compile(scene);
}

Force<double> momentum_of(const std::shared_ptr<const Model>& model, const Simulation& sim) {
    Workspace<double> ws(model);
    forward_kinematics(sim.state(), ws);
    return shift_back(momentum(ws), center_of_mass(ws));
}
double energy_of(const std::shared_ptr<const Model>& model, const JointState<double>& state) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    return total(energy(state, ws));
}
double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }

// A bar in a wall with two modes, x² and x³, seen from the wall.
constexpr double bar_width = 0.02, bar_density = 1000, bar_young = 2e9;
constexpr double bar_area = bar_width * bar_width, bar_bending = bar_young * bar_area * bar_area / 12;
std::shared_ptr<const Model> cantilever() {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const auto modes = [](const auto& r) {
        const auto zero = 0.0 * r.x, square = r.x * r.x;
        return std::array{Vec3{zero, zero, square}, Vec3{zero, zero, square * r.x}};
    };
    const auto energy = [](const auto& s) {
        return bar_bending * (2.0 * s[0] * s[0] + 6.0 * s[0] * s[1] + 6.0 * s[1] * s[1]);
    };
    const BodyId bar = scene.add_body(
        world, {.name = "bar", .kind = BodyKind::program, .program = body_kind<2>(modes, energy)});
    scene.add_geom(bar, {.shape = ShapeType::box,
                         .pose = {{0.5, 0, 0}},
                         .size = {0.5, bar_width / 2, bar_width / 2},
                         .density = bar_density});
    scene.add_loop({.name = "wall", .type = JointType::fixed, .body_a = world, .body_b = bar});
    return compile(scene);
}

}  // namespace

TEST_CASE("program bodies: free ones keep both momenta to rounding, and their energy") {
    const auto model = free_body(odd_kind());
    double first_error = 0;
    for (const double dt : {0.001, 0.0005}) {
        Simulation sim(model, {.formulation = "multiplier",
                               .stepping = Stepping::smooth,
                               .integrator = SmoothIntegrator::rattle});
        sim.set_state(spinning(*model));
        const Force<double> begin = momentum_of(model, sim);
        const double energy = energy_of(model, sim.state());
        double early = 0, late = 0;
        const int steps = static_cast<int>(std::lround(3 / dt));
        for (int k = 0; k < steps; ++k) {
            step_ok(sim, dt);
            const Force<double> now = momentum_of(model, sim);
            CHECK(far(now.lin, begin.lin) < 1e-11);
            CHECK(far(now.ang, begin.ang) < 1e-10);
            double& most = k < steps / 3 ? early : late;
            most = std::max(most, std::abs(energy_of(model, sim.state()) - energy) / energy);
        }
        CHECK(early < 2e-3);
        CHECK(late < 1.3 * early);
        if (first_error > 0) CHECK(early < 0.3 * first_error);  // of second order
        first_error = early;
    }
}

TEST_CASE("program bodies: RATTLE and Runge-Kutta agree, of second order") {
    Scene scene;
    const BodyId a = add_program(scene, "a", {{0.5, 0, 0}}, odd_kind());
    const BodyId b =
        add_jelly(scene, "b", {{1.5, 0, 0}}, {.kind = BodyKind::affine, .half = {0.5, 0.2, 0.2}});
    scene.add_loop({.name = "hook", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
    scene.add_loop({.name = "knee",
                    .type = JointType::hinge,
                    .body_a = a,
                    .body_b = b,
                    .frame_a = {{0.5, 0, 0}},
                    .frame_b = {{-0.5, 0, 0}}});
    scene.add_constraint({.name = "rope",
                          .body_a = world,
                          .body_b = a,
                          .frame_a = {{1, 0.3, 1}},
                          .frame_b = {{0.5, 0.3, 0}},
                          .constraint = std::make_shared<DistanceConstraint>(1)});
    const auto model = compile(scene);
    const auto end = [&](SmoothIntegrator integrator, double dt) {
        Simulation sim(model, {.formulation = "multiplier",
                               .stepping = Stepping::smooth,
                               .integrator = integrator,
                               .tolerance = 1e-11});
        run(sim, 0.3, dt);
        return sim.state();
    };
    const JointState<double> best = end(SmoothIntegrator::rk45, 0.01);
    const auto error = [&](const JointState<double>& state) {
        double most = 0;
        for (std::size_t k = 0; k < state.v.size(); ++k)
            most = std::max(most, std::abs(state.v[k] - best.v[k]));
        return most;
    };
    const double coarse = error(end(SmoothIntegrator::rattle, 0.001));
    const double fine = error(end(SmoothIntegrator::rattle, 0.0005));
    CHECK(coarse < 0.05);
    CHECK(fine < 0.3 * coarse);
    CHECK(error(end(SmoothIntegrator::rk4, 0.0005)) < 1e-6);
}

// ω² are the eigenvalues of K s = ω² M s with M = ρA (1/5 1/6; 1/6 1/7), K = EI (4 6; 6 12): ω is 3.5327 and
// 34.807 times √(EI/ρA); Euler and Bernoulli's are 3.5160 and 22.034.
TEST_CASE("program bodies: a bar in a wall swings at the frequency of its mode") {
    const auto model = cantilever();
    // The lower root λ of det(K − λ M) = 12 − 34/35 λ + λ²/1260, and its vector (1, second).
    const double middle = 34.0 / 35, lambda = 630 * (middle - std::sqrt(middle * middle - 48.0 / 1260));
    const double second = -(4 - lambda / 5) / (6 - lambda / 6), ratio = std::sqrt(lambda);
    CHECK(ratio == doctest::Approx(3.5327).epsilon(1e-5));
    const double unit = std::sqrt(bar_bending / (bar_density * bar_area));
    for (const char* formulation : {"multiplier", "implicit"}) {
        CAPTURE(formulation);
        Simulation sim(model, {.formulation = formulation});
        JointState<double> state(*model);
        state.q[7] = 1e-4;
        state.q[8] = second * 1e-4;  // the lowest mode
        state.q[2] += state.q[7] / 3 + state.q[8] / 4;  // the centre of mass, with the end still in the wall
        sim.set_state(state);
        const double dt = 1e-4;
        double before = 1, first = 0, last = 0;
        int periods = -1;
        for (int k = 0; k < 20000 && periods < 5; ++k) {
            step_ok(sim, dt);
            const double now = sim.state().q[7] + sim.state().q[8];  // of the tip
            if (before < 0 && now >= 0) {
                last = sim.state().time - dt * now / (now - before);
                if (periods < 0) first = last;
                ++periods;
            }
            before = now;
        }
        REQUIRE(periods == 5);
        const double omega = 2 * std::numbers::pi * periods / (last - first);
        CHECK(omega == doctest::Approx(ratio * unit).epsilon(1e-5));
    }
}

TEST_CASE("program bodies: a bar bends under its weight as its modes let it") {
    // K s = −ρ A g ∫ φ dx: of x² and x³, (1/3, 1/4).
    Scene scene;
    const auto model = cantilever();
    auto heavy = std::make_shared<Model>(*model);
    heavy->options.gravity = {0, 0, -9.81};
    const double load = -bar_density * bar_area * 9.81 / bar_bending;
    const double det = 4 * 12 - 6 * 6;
    const double s1 = load * (12.0 / 3 - 6.0 / 4) / det, s2 = load * (4.0 / 4 - 6.0 / 3) / det;
    Simulation sim(heavy, {.formulation = "implicit"});
    run(sim, 3, 0.01);  // backward differences damp it
    CHECK(sim.state().q[7] == doctest::Approx(s1).epsilon(1e-5));
    CHECK(sim.state().q[8] == doctest::Approx(s2).epsilon(1e-5));
}

TEST_CASE("program bodies: one that says what a kind of the library is moves as it does") {
    const auto scene_of = [&](bool program, bool floor) {
        Scene scene;
        const Pose pose{{0.3, -0.2, 0.5}, {0.98, 0.1, 0.15, 0.05}};
        const BodyId body =
            program ? add_program(scene, "jelly", pose, stretching_kind(0.01), floor)
                    : add_jelly(scene, "jelly", pose,
                                {.kind = BodyKind::stretching, .damping = 0.01, .touches = floor});
        if (floor)
            scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}});
        else
            scene.add_loop({.name = "hook",
                            .body_a = world,
                            .body_b = body,
                            .frame_a = {{0.7, 0, 0.6}},
                            .frame_b = {{0.5, 0.3, 0.2}},
                            .closing_time = 0.1});
        return compile(scene);
    };
    for (const bool floor : {false, true}) {
        CAPTURE(floor);
        const auto own = scene_of(true, floor), library = scene_of(false, floor);
        REQUIRE(own->nv == library->nv);
        for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
            CAPTURE(formulation);
            SimulationOptions options{.formulation = formulation};
            if (options.formulation != "impulse") options.touching = Touching::hard;
            Simulation a(own, options), b(library, options);
            for (int k = 0; k < 300; ++k) {
                step_ok(a, 0.002);
                step_ok(b, 0.002);
            }
            // Free motion is that of other integrators of second order under `multiplier`.
            const double tolerance = std::string(formulation) == "implicit" ? 1e-7 : 2e-3;
            const std::vector<double>&p = a.state().q, &q = b.state().q;
            for (int k = 0; k < 7; ++k) CHECK(std::abs(p[k] - q[k]) < tolerance);
            for (int k = 7; k < 10; ++k) CHECK(std::abs(p[k] - (q[k] - 1)) < tolerance);
            CHECK(energy_of(own, a.state()) ==
                  doctest::Approx(energy_of(library, b.state())).epsilon(10 * tolerance));
        }
    }
}

TEST_CASE("program bodies: inverse dynamics, mass matrix, Jacobian, momentum, in lanes as well") {
    const auto model = free_body(odd_kind());
    Random random(4);
    JointState<double> state = spinning(*model);
    const int nv = model->nv;
    for (double& v : state.v) v = random.uniform(-1, 1);
    Workspace<double> ws(model);
    std::vector<double> M(nv * nv), a(nv), tau(nv), bias(nv), zero(nv, 0.0), J(6 * nv);
    for (double& x : a) x = random.uniform(-1, 1);
    mass_matrix<double>(state, ws, M);
    inverse_dynamics<double>(state, a, ws, tau);
    inverse_dynamics<double>(state, zero, ws, bias);
    double twice = 0;
    for (int r = 0; r < nv; ++r) {
        double sum = bias[r];
        for (int c = 0; c < nv; ++c) {
            sum += M[r * nv + c] * a[c];
            twice += state.v[r] * M[r * nv + c] * state.v[c];
            CHECK(M[r * nv + c] == doctest::Approx(M[c * nv + r]).epsilon(1e-13));
        }
        CHECK(std::abs(tau[r] - sum) < 1e-12);
    }
    forward_kinematics(state, ws);
    CHECK(energy(state, ws).kinetic == doctest::Approx(0.5 * twice).epsilon(1e-13));
    // Along a motion, a point moves at J v.
    const int body = model->find_body("it");
    const Vec3d p{0.4, 0.2, -0.1};
    frame_jacobian<double>(ws, body, p, Axes::world, J);
    const auto place = [&](double h) {
        JointState<double> moved = state;
        integrate<double>(ws, state.q, state.v, h, moved.q);
        Workspace<double> there(model);
        forward_kinematics(moved, there);
        const double* s = moved.q.data() + 7;
        // The box's ∫ x² dm, which the first mode loses, is a third of the square of its half length.
        const Vec3d bent{0, s[2] * p.y - s[1] * p.x * p.z,
                         s[0] * (p.x * p.x - half.x * half.x / 3) + s[1] * p.x * p.y + s[2] * p.z};
        return body_pose(there, body) * (p + bent);
    };
    const double h = 1e-6;
    const Vec3d velocity = (0.5 / h) * (place(h) - place(-h));
    for (int row = 0; row < 3; ++row) {
        double sum = 0;
        for (int c = 0; c < nv; ++c) sum += J[(3 + row) * nv + c] * state.v[c];
        CHECK(std::abs(sum - velocity[row]) < 1e-8);
    }

    using T = Lanes4d;
    JointState<T> wide(*model);
    for (std::size_t k = 0; k < state.q.size(); ++k) wide.q[k] = T(state.q[k]);
    for (std::size_t k = 0; k < state.v.size(); ++k) wide.v[k] = T(state.v[k]);
    Workspace<T> wide_ws(model);
    std::vector<T> wide_a(nv), wide_tau(nv);
    for (int k = 0; k < nv; ++k) wide_a[k] = T(a[k]);
    inverse_dynamics<T>(wide, wide_a, wide_ws, wide_tau);
    for (int k = 0; k < nv; ++k)
        for (int lane = 0; lane < 4; ++lane) CHECK(wide_tau[k][lane] == tau[k]);
    std::vector<double> springs(nv, 0.0);
    std::vector<T> wide_springs(nv, T(0.0));
    add_spring_forces<double>(state, *model, springs);
    add_spring_forces<T>(wide, *model, wide_springs);
    for (int k = 0; k < nv; ++k) CHECK(wide_springs[k][3] == springs[k]);
}

TEST_CASE("program bodies: they fall, touch and rest, and steps can be taken up again bit for bit") {
    Scene scene;
    scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}});
    const auto stiff = body_kind<2>(
        [](const auto& r) {
            const auto zero = 0.0 * r.x;
            return std::array{Vec3{zero, zero, r.x * r.x}, Vec3{zero, zero, r.z}};
        },
        [](const auto& s) { return 2000.0 * s[0] * s[0] + 3000.0 * s[1] * s[1]; }, {.damping = 0.02});
    add_program(scene, "it", {{0, 0, 0.4}}, stiff, true);
    const auto model = compile(scene);
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        SimulationOptions options{.formulation = formulation};
        if (options.formulation != "impulse") options.touching = Touching::hard;
        Simulation sim(model, options);
        for (int k = 0; k < 500; ++k) step_ok(sim, 0.004);
        const Snapshot kept = sim.save();
        for (int k = 0; k < 500; ++k) step_ok(sim, 0.004);
        const std::vector<double> q = sim.state().q;
        for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-4);
        // Pressed by what is above the floor: the body is lower than it is high.
        const double weight = model->bodies[1].mass * 9.81;
        CHECK(q[8] < 0);
        CHECK(q[2] < half.z);
        CHECK(q[2] > half.z - 0.05);
        CHECK(weight > 0);
        sim.restore(kept);
        for (int k = 0; k < 500; ++k) step_ok(sim, 0.004);
        CHECK(sim.state().q == q);
    }
}

TEST_CASE("program bodies: what cannot be is named") {
    const auto model = free_body(odd_kind());
    CHECK_THROWS_WITH_AS(Simulation(model, {.formulation = "reduced"}), doctest::Contains("body 'it'"),
                         std::invalid_argument);
    const auto said = [](std::shared_ptr<const ProgramBody> kind, BodyKind word = BodyKind::program,
                         bool weighs = true) {
        Scene scene;
        const BodyId it = scene.add_body(world, {.name = "it", .kind = word, .program = std::move(kind)});
        scene.add_geom(it, {.shape = ShapeType::box, .size = half, .mass = weighs ? 1.0 : 0.0});
        if (word == BodyKind::program && weighs)
            CHECK_THROWS_WITH_AS(write_mjcf(scene), doctest::Contains("a file cannot hold it"),
                                 std::invalid_argument);
        try {
            compile(scene);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto soft = [](const auto& s) { return 1.0 * s[0] * s[0]; };
    const auto rises = [](const auto& r) { return std::array{Vec3{0.0 * r.x, 0.0 * r.x, r.x * r.x}}; };
    CHECK(said(nullptr).find("body 'it' is of a program's kind, and no program gives it") !=
          std::string::npos);
    CHECK(said(odd_kind(), BodyKind::planar).find("is said to be planar") != std::string::npos);
    CHECK(said(body_kind<1>(rises, soft), BodyKind::program, false).find("has no mass") != std::string::npos);
    CHECK(said(body_kind<1>(rises, soft, {.damping = -1})).find("its damping is not") != std::string::npos);
    const auto lifts = [](const auto& r) { return std::array{Vec3{0.0 * r.x, 0.0 * r.x, 1.0 + 0.0 * r.x}}; };
    CHECK(said(body_kind<1>(lifts, soft)).find("has a mode without mass") != std::string::npos);
    const auto turns = [](const auto& r) { return std::array{Vec3{-r.y, r.x, 0.0 * r.x}}; };
    CHECK(said(body_kind<1>(turns, soft)).find("has a mode without mass") != std::string::npos);
    const auto nowhere = [](const auto& r) {
        return std::array{Vec3{0.0 * r.x, 0.0 * r.x, sqrt(r.x - 9.0)}};
    };
    CHECK(said(body_kind<1>(nowhere, soft)).find("its modes or masses are not finite") != std::string::npos);
    const auto undefined = [](const auto& s) { return sqrt(s[0]); };
    CHECK(said(body_kind<1>(rises, undefined)).find("at rest is not finite") != std::string::npos);
    const auto pushes = [](const auto& s) { return -1.0 * s[0] * s[0]; };
    CHECK(
        said(body_kind<1>(rises, pushes, {.damping = 1})).find("its damping is not symmetric, or negative") !=
        std::string::npos);

    // A law that ends: the step does, the last good state is kept.
    const auto ends = [](const auto& s) { return -0.01 * s[0] + 0.0 * sqrt(1e-4 - s[0]); };
    const auto broken = free_body(body_kind<1>(rises, ends));
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        Simulation sim(broken, {.formulation = formulation});
        StepReport report;
        double before = 0;
        for (int k = 0; k < 1000 && report.status == StepStatus::ok; ++k) {
            before = sim.state().q[7];
            report = sim.step(0.01);
        }
        CAPTURE(report.where);
        CHECK(report.status == StepStatus::non_finite);
        CHECK(report.where.find("it") != std::string::npos);
        CHECK(sim.state().q[7] == before);
    }
}
