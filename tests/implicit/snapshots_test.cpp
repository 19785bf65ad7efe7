// A simulation that is restored goes on bit for bit, whatever the thread count.

#include "support/implicit_runs.h"
#include "support/simulation_cases.h"
#include "support/simulation_scenes.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: snapshots go on bit for bit") {
    for (const SmoothIntegrator integrator : {SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2})
        for (const Touching touching : {Touching::penalty, Touching::hard}) {
            SimulationOptions options = implicit_options(integrator);
            options.touching = touching;
            const auto model = character();
            Simulation sim(model, options);
            run(sim, 0.6);
            options.threads = 2;
            Simulation other(model, options);
            other.restore(sim.save());
            for (int k = 0; k < 40; ++k) {
                step_ok(sim, frame);
                step_ok(other, frame);
                REQUIRE(sim.state().q == other.state().q);
                REQUIRE(sim.state().v == other.state().v);
            }
        }
}

// Velocities that bodies have got to their places with do not quite fit the loops there: a state that is
// restored is not put onto them as one that was set is.
TEST_CASE("implicit: snapshots of mechanisms with loops go on bit for bit") {
    for (const SmoothIntegrator integrator : {SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2}) {
        const auto model = model_of(four_bar);
        const SimulationOptions options = implicit_options(integrator);
        Simulation sim(model, options), other(model, options);
        push_four_bar(sim);
        run(sim, 0.5, 0.01);
        SmoothDynamics dynamics(model);
        REQUIRE(dynamics.equality_errors(sim.state()).relative < 1e-9);
        REQUIRE_FALSE(dynamics.velocities_fit(sim.state()));
        other.restore(sim.save());
        for (int k = 0; k < 20; ++k) {
            step_ok(sim, 0.01);
            step_ok(other, 0.01);
            REQUIRE(sim.state().q == other.state().q);
            REQUIRE(sim.state().v == other.state().v);
        }
    }
}

TEST_CASE("implicit: a failed step leaves everything as it was") {
    SimulationOptions options = implicit_options();
    options.implicit.newton = 1;
    options.implicit.geometric_stiffness = false;
    Simulation sim(heavy_chain(100, 1000), options);
    for (int k = 0; k < 600; ++k) {
        const JointState<double> before = sim.state();
        const StepReport report = sim.step(frame);
        if (report.status == StepStatus::ok) continue;
        CHECK(report.status == StepStatus::not_converged);
        CHECK(report.given_up);
        CHECK(report.where.find("joint") != std::string::npos);
        CHECK(sim.state().q == before.q);
        CHECK(sim.state().v == before.v);
        CHECK(sim.state().time == before.time);
        CHECK(report.time == before.time);
        return;
    }
    FAIL("it held");
}

TEST_CASE("implicit: what makes no sense or is not there is refused by name") {
    const auto model = heavy_chain(2, 1);
    const auto refused = [&](auto change, const char* word) {
        SimulationOptions options = implicit_options();
        change(options);
        CHECK_THROWS_WITH(Simulation(model, options), doctest::Contains(word));
    };
    refused([](SimulationOptions& o) { o.implicit.newton = -1; }, "implicit.newton");
    refused([](SimulationOptions& o) { o.implicit.penalty_frequency = 0; }, "frequency");
    refused([](SimulationOptions& o) { o.implicit.penalty_frequency = std::nan(""); }, "frequency");
    refused([](SimulationOptions& o) { o.implicit.penalty_dissipation = -1; }, "dissipation");
    refused([](SimulationOptions& o) { o.integrator = SmoothIntegrator::rk4; }, "rk4");
    refused([](SimulationOptions& o) { o.multiplier.law = Law::kinematic; }, "multiplier.law");
    refused([](SimulationOptions& o) { o.coordinates = Coordinates::joint; }, "the coordinates joint");
    refused([](SimulationOptions& o) { o.multiplier.equalities = EqualityMethod::anticipation; },
            "multiplier.equalities");
    refused([](SimulationOptions& o) { o.multiplier.baumgarte = 1; }, "multiplier.baumgarte");
    refused([](SimulationOptions& o) { o.stepping = Stepping::event; }, "event");
    Simulation sim(model, implicit_options());
    for (const double h : {0.0, -1.0, std::nan("")}) CHECK(sim.step(h).status == StepStatus::bad_arguments);
    for (const char* formulation : {"reduced", "multiplier"}) {
        SimulationOptions options;
        options.formulation = formulation;
        options.touching = Touching::penalty;
        CHECK_THROWS_WITH(Simulation(model, options), doctest::Contains("the touching penalty"));
        options.touching = Touching::automatic;
        options.integrator = SmoothIntegrator::bdf2;
        CHECK_THROWS_WITH(Simulation(model, options), doctest::Contains("bdf2"));
    }
}
