// Bodies that deform under `multiplier`: what free ones keep, energy, joints between any two kinds, contacts.

#include "support/body_runs.h"
#include "support/deforming_scenes.h"

#include <ligament/pair_kinds.h>

using namespace lig;
using namespace lig::test;

namespace {

SimulationOptions with(SmoothIntegrator integrator, double tolerance = 1e-11) {
    return {.formulation = "multiplier",
            .stepping = Stepping::smooth,
            .integrator = integrator,
            .tolerance = tolerance};
}

struct Totals {
    double energy;
    Force<double> momentum;
};
Totals totals(const std::shared_ptr<const Model>& model, const Simulation& sim) {
    Workspace<double> ws(model);
    forward_kinematics(sim.state(), ws);
    const Force<double> about_com = momentum(ws);
    const Vec3d com = center_of_mass(ws);
    return {total(energy(sim.state(), ws)), shift_back(about_com, com)};
}
double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }

}  // namespace

TEST_CASE("multiplier deforming: free bodies keep both momenta to rounding, and their energy") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const auto model = free_jelly(kind);
        Simulation sim(model, with(SmoothIntegrator::rattle));
        sim.set_state(spinning(*model));
        const Totals begin = totals(model, sim);
        double early = 0, late = 0;
        for (int k = 0; k < 3000; ++k) {
            step_ok(sim, 0.001);
            const Totals now = totals(model, sim);
            CHECK(far(now.momentum.lin, begin.momentum.lin) < 1e-11);
            CHECK(far(now.momentum.ang, begin.momentum.ang) < 1e-10);
            double& most = k < 1000 ? early : late;
            most = std::max(most, std::abs(now.energy - begin.energy) / begin.energy);
        }
        CHECK(early < 5e-3);
        CHECK(late < 1.2 * early);
    }
}

TEST_CASE("multiplier deforming: RATTLE and Runge-Kutta agree, of second order") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        const BodyId a = add_jelly(scene, "a", {{0.5, 0, 0}}, {.kind = kind});
        const BodyId b = add_jelly(scene, "b", {{1.5, 0, 0}},
                                   {.kind = BodyKind::affine, .half = {0.5, 0.2, 0.2}});
        scene.add_loop({.name = "hook", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
        scene.add_loop({.name = "knee",
                        .type = JointType::hinge,
                        .body_a = a,
                        .body_b = b,
                        .frame_a = {{0.5, 0, 0}},
                        .frame_b = {{-0.5, 0, 0}}});
        scene.add_constraint({.name = "rope",
                              .body_a = world,
                              .body_b = b,
                              .frame_a = {{2, 0.1, 1}},
                              .frame_b = {{0.5, 0.1, 0}},
                              .constraint = std::make_shared<DistanceConstraint>(1)});
        const auto model = compile(scene);
        const auto end = [&](SmoothIntegrator integrator, double dt) {
            Simulation sim(model, with(integrator));
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
}

TEST_CASE("multiplier deforming: a weight hangs as far down as Hooke says") {
    // A bar of length 1 and section 0.4 x 0.4, hung at one end: its own weight acts at its middle, half of
    // its length below the hook.
    Scene scene;
    const BodyId bar = add_jelly(scene, "bar", {{0, 0, -0.5}},
                                 {.half = {0.2, 0.2, 0.5}, .young = 1e4, .poisson = 0.3, .damping = 0.05});
    scene.add_loop({.name = "hook", .body_a = world, .body_b = bar, .frame_b = {{0, 0, 0.5}}});
    const auto model = compile(scene);
    Simulation sim(model, with(SmoothIntegrator::rattle));
    run(sim, 5, 0.005);
    const double weight = model->bodies[1].mass * gravity, stress = 0.5 * weight / (0.4 * 0.4);
    const TreeStretch& own = model->tree.stretches[0];
    const double* s = sim.state().q.data() + own.q_adr;
    CHECK(std::abs(s[2] - 1 - stress / 1e4) < 1e-6);
    CHECK(std::abs(s[0] - 1 + 0.3 * stress / 1e4) < 1e-6);
    CHECK(std::abs(s[1] - s[0]) < 1e-9);
}

TEST_CASE("multiplier deforming: reduced refuses them by name") {
    const auto model = free_jelly(BodyKind::affine);
    CHECK_THROWS_WITH_AS(Simulation(model, {.formulation = "reduced"}),
                         doctest::Contains("bodies that deform, as body 'jelly' does"),
                         std::invalid_argument);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    std::vector<double> tau(model->nv), qacc(model->nv);
    CHECK_THROWS_AS(forward_dynamics<double>(state, tau, ws, qacc), std::invalid_argument);
}

TEST_CASE("multiplier deforming: the factor of a chain takes linear time") {
    const auto operations = [](int count) {
        Scene scene;
        BodyId before = world;
        for (int k = 0; k < count; ++k) {
            const BodyId own = add_jelly(scene, "b" + std::to_string(k), {{k + 0.5, 0, 0}});
            scene.add_loop({.body_a = before,
                            .body_b = own,
                            .frame_a = {{k == 0 ? 0.0 : 0.5, 0, 0}},
                            .frame_b = {{-0.5, 0, 0}}});
            before = own;
        }
        const BodyRun run(compile(scene));
        const BlockLdlt& blocks = run.motion.dynamics.system.matrix.blocks();
        CHECK(blocks.fill() == 0);
        return blocks.factor_operations() + blocks.solve_operations();
    };
    const double short_one = operations(100), long_one = operations(1600);
    CHECK(std::log(long_one / short_one) / std::log(16.0) < 1.01);
}

TEST_CASE("multiplier deforming: a jelly comes to rest on the floor, as low as Hooke says") {
    for (const BodyKind kind : {BodyKind::affine, BodyKind::stretching}) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}});
        add_jelly(scene, "jelly", {{0, 0, 0.25}},
                  {.kind = kind,
                   .half = {0.3, 0.3, 0.2},
                   .young = 2e4,
                   .poisson = 0.2,
                   .damping = 0.02,
                   .touches = true});
        const auto model = compile(scene);
        Simulation sim(model, {.formulation = "multiplier"});
        run(sim, 3, 0.005);
        const TreeStretch& own = model->tree.stretches[0];
        const double* s = sim.state().q.data() + own.q_adr;
        // Half of the weight acts through the middle; friction holds the corners, so it is between a free
        // sheet and one that cannot spread.
        const double stress = 0.5 * model->bodies[1].mass * gravity / 0.36;
        CHECK(1 - s[2] < 1.001 * stress / 2e4);
        CHECK(1 - s[2] > 0.85 * stress / 2e4);
        // The floor is where the lower side is.
        CHECK(std::abs(sim.state().q[2] - 0.2 * s[2]) < 1e-4);
    }
}

TEST_CASE("multiplier deforming: loops and contacts together make no momentum, and keep to their promises") {
    for (const char* formulation : {"multiplier", "implicit"}) {
        CAPTURE(std::string(formulation));
        SimulationOptions options{.formulation = formulation};
        options.momentum_ledger = true;
        Simulation sim(falling_jellies(), options);
        Vec3d made{0, 0, 0};
        run(sim, 1, 0.002, [&](const StepReport& report) {
            REQUIRE(report.momentum.measured);
            made += report.momentum.method.lin;
            CHECK(report.equality_error < 1e-9);
            CHECK(report.penetration < 5e-4);
        });
        CHECK(far(made, {0, 0, 0}) < 1e-9);
        // At rest.
        for (const double v : sim.state().v) CHECK(std::abs(v) < 0.05);
    }
}

TEST_CASE("multiplier deforming: a simulation that is restored goes on bit for bit") {
    for (const char* formulation : {"multiplier", "implicit"})
        for (const Stepping stepping : {Stepping::smooth, Stepping::automatic}) {
            const auto model = falling_jellies();
            const SimulationOptions options{.formulation = formulation, .stepping = stepping};
            Simulation sim(model, options), other(model, options);
            run(sim, 0.1, 0.005);
            other.restore(sim.save());
            for (int k = 0; k < 20; ++k) {
                step_ok(sim, 0.005);
                step_ok(other, 0.005);
                REQUIRE(sim.state().q == other.state().q);
                REQUIRE(sim.state().v == other.state().v);
            }
        }
}
