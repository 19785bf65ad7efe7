// Chains of rods with closed forms: small oscillations of a hanging and of a taut chain, mode by mode, and a
// chain between two hooks that has come to rest.
//
// For small angles RATTLE is Verlet's method on every mode: A cos(n φ) after n steps with 2 sin(φ/2) = h ω.

#include "support/body_runs.h"
#include "support/catenary.h"
#include "support/dense_rows.h"
#include "support/loop_scenes.h"
#include "support/random_scene.h"
#include "support/simulation_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

// The lowest (inverse iteration) and the highest (iteration) mode of K x = ω² M x, both symmetric.
struct Mode {
    std::vector<double> shape;
    double omega;
};
Mode mode_of(const std::vector<double>& M, const std::vector<double>& K, int n, bool lowest) {
    const LongCholesky solver(lowest ? K : M, n);
    const std::vector<double>& other = lowest ? M : K;
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i) x[i] = lowest ? 1 : (i % 2 ? -1 : 1) * (1 + 0.1 * i);
    double ratio = 0;
    for (int k = 0; k < 2000; ++k) {
        std::vector<double> y(n, 0.0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) y[i] += other[i * n + j] * x[j];
        y = solver.solve(y);
        ratio = largest(y) / largest(x);
        const double size = largest(y);
        for (int i = 0; i < n; ++i) x[i] = y[i] / size;
    }
    return {x, std::sqrt(lowest ? 1 / ratio : ratio)};
}

}  // namespace

TEST_CASE("multiplier chains: modes of ten hanging rods") {
    const int n = 10;
    Scene scene;
    BodyId parent = world;
    for (int k = 0; k < n; ++k) {
        parent = scene.add_body(parent, {.name = "rod" + std::to_string(k),
                                         .pose = {{0, 0, k == 0 ? 0.0 : -1.0}},
                                         .inertial = box_mass(1, {0, 0, -0.5}, {1e-3, 1e-3, 1})});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k), .axis = {0, -1, 0}});
    }
    const auto model = compile(scene);
    // In angles from the vertical: T = ½ Σ M θ̇ θ̇, V = ½ Σ K θ².
    std::vector<double> M(n * n), K(n * n, 0.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const int lower = n - 1 - std::max(i, j);  // rods below both
            M[i * n + j] = lower + (i == j ? 1.0 / 3 : 0.5);
        }
        K[i * n + i] = 9.81 * (n - 1 - i + 0.5);
    }
    for (const bool lowest : {true, false}) {
        const Mode mode = mode_of(M, K, n, lowest);
        CHECK(mode.omega == doctest::Approx(lowest ? 1.19129593386 : 26.6377015250).epsilon(1e-9));
        BodyRun run(model);
        const double amplitude = 1e-5, h = lowest ? 0.05 : 0.004;
        for (int i = 0; i < n; ++i)
            run.state.q[i] = amplitude * (mode.shape[i] - (i ? mode.shape[i - 1] : 0));
        const JointState<double> start = run.state;
        const double phase = 2 * std::asin(0.5 * h * mode.omega);
        double worst = 0;
        for (int k = 1; k <= 200; ++k) {
            run.advance_ok(h, {.step = h});
            for (int i = 0; i < n; ++i)
                worst =
                    std::max(worst, std::abs(run.state.q[i] - std::cos(k * phase) * start.q[i]) / amplitude);
        }
        MESSAGE("hanging rods: omega " << mode.omega << ", largest deviation " << worst
                                       << " of the amplitude");
        // Positions are held to 1e-12 m, 1e-7 of the amplitude, at each step.
        CHECK(worst < 1e-4);
    }
}

// Twenty rods of 0.1 m and 0.05 kg between a hook and a slider that pulls with 1000 N; y = sin(j π x/L), ω² =
// 6 T (1 − cos κ)/(m l (2 + cos κ)), κ = j π/20.
TEST_CASE("multiplier chains: modes of a taut chain") {
    const int n = 20;
    const double l = 0.1, m = 0.05, T = 1000;
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    BodyId parent = world;
    for (int k = 0; k < n; ++k) {
        parent = scene.add_body(parent, {.name = "rod" + std::to_string(k),
                                         .pose = {{k == 0 ? 0.0 : l, 0, 0}},
                                         .inertial = box_mass(m, {0.5 * l, 0, 0}, {l, 1e-4, 1e-4})});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k), .axis = {0, -1, 0}});
    }
    const BodyId slider = scene.add_body(
        world,
        {.name = "slider", .pose = {{n * l, 0, 0}}, .inertial = box_mass(0.1, {0, 0, 0}, {0.1, 0.1, 0.1})});
    scene.add_joint(slider, {.name = "slider", .type = JointType::slide, .axis = {1, 0, 0}});
    scene.add_loop({.name = "hook", .body_a = slider, .body_b = parent, .frame_b = {{l, 0, 0}}});
    const auto model = compile(scene);
    for (const int j : {1, 7, 19}) {
        const double kappa = j * std::numbers::pi / n;
        const double omega = std::sqrt(6 * T * (1 - std::cos(kappa)) / (m * l * (2 + std::cos(kappa))));
        if (j == 1) CHECK(omega == doctest::Approx(70.320390395080).epsilon(1e-12));
        if (j == 19) CHECK(omega == doctest::Approx(1534.99741586264).epsilon(1e-12));
        BodyRun run(model);
        run.inputs.qfrc_applied[n] = T;
        const double amplitude = 1e-6, h = std::min(0.1 / omega, 6e-4);  // stable for the highest
        const auto angle = [&](int rod) {
            return amplitude * (std::sin(kappa * (rod + 1)) - std::sin(kappa * rod)) / l;
        };
        for (int i = 0; i < n; ++i) run.state.q[i] = angle(i) - (i ? angle(i - 1) : 0);
        run.begin();
        const JointState<double> start = run.state;
        const double phase = 2 * std::asin(0.5 * h * omega);
        double worst = 0;
        for (int k = 1; k <= 300; ++k) {
            run.advance_ok(h, {.step = h});
            for (int i = 0; i < n; ++i)
                worst = std::max(worst, std::abs(run.state.q[i] - std::cos(k * phase) * start.q[i]) /
                                            (amplitude / l));
        }
        MESSAGE("taut chain, mode " << j << ": omega " << omega << ", largest deviation " << worst);
        CHECK(worst < 1e-3);
    }
}

TEST_CASE("multiplier chains: a chain between two hooks at rest") {
    check_catenary({.formulation = "multiplier"});
}
TEST_CASE("multiplier chains: a chain between two hooks, anticipated") {
    check_catenary({.formulation = "multiplier", .multiplier = {.equalities = EqualityMethod::anticipation}});
}

// A load of 1e5 times the links swings down from the horizontal in frames of 1/60 s: steps of RATTLE become
// as short as the links swing under its weight.
TEST_CASE("multiplier chains: a load of 1e5 times the links in frames of 1/60 s keeps its energy") {
    const int n = 20;
    const double link = 0.5, load = 1e5, radius = 0.3;
    Scene scene;
    BodyId parent = world;
    for (int k = 0; k < n; ++k) {
        parent = scene.add_body(parent, {.name = "link" + std::to_string(k),
                                         .pose = {{k == 0 ? 0.0 : link, 0, 0}},
                                         .inertial = box_mass(1, {link / 2, 0, 0}, {link, 0.05, 0.05})});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k), .type = JointType::ball});
    }
    const double moment = 0.4 * load * radius * radius;
    InertialSpec ball;
    ball.mass = load;
    ball.inertia = Sym3d::diagonal(moment, moment, moment);
    scene.add_body(parent, {.name = "load", .pose = {{link, 0, 0}}, .inertial = ball});
    const auto model = compile(scene);
    Simulation sim(model, {.formulation = "multiplier"});
    const double before = total(sim.energy()), length = n * link;
    double moving = 0, off = 0, apart = 0;
    run(sim, 2, frame, [&](const StepReport& report) {
        moving = std::max(moving, sim.energy().kinetic);
        off = std::max(off, std::abs(total(sim.energy()) - before));
        apart = std::max(apart, report.joint_error);
        CHECK(report.velocity_steps == 0);
    });
    MESSAGE("load on a chain: energy off by " << off << " J of " << moving << " J, joints apart by "
                                              << apart);
    // It has passed the lowest point, to which the links add a thousandth.
    CHECK(moving == doctest::Approx(load * gravity * length).epsilon(1e-3));
    CHECK(off < 1e-5 * moving);
    CHECK(apart < 1e-10);
}
