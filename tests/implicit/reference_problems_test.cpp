// Reference problems at steps that are long for them.

#include "support/catenary.h"
#include "support/implicit_runs.h"
#include "support/reference_checks.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: a chain between two hooks at rest") { check_catenary(implicit_options()); }

// Its struts are springs of 8e5 N/m with dampers of 4e4 N·s/m: time constants of 30 µs, in steps of 1 ms.
TEST_CASE("implicit: the stiff flyball governor") {
    const auto model = reference_flyball();
    for (const auto& [integrator, h, accepted] : {std::tuple{SmoothIntegrator::bdf2, 1e-3, 1e-3},
                                                  std::tuple{SmoothIntegrator::backward_euler, 2e-4, 5e-3}}) {
        CAPTURE(h);
        Simulation sim(model, implicit_options(integrator));
        sim.set_state(flyball_start(*model));
        double t = 0;
        for (const auto& [at, s, psi] : {std::tuple{0.5, 0.7432494247863257, 2.8076794883679},
                                         std::tuple{1.0, 0.5014209223795677, 5.58634696586901}}) {
            run(sim, at - t, h);
            t = at;
            CAPTURE(at);
            CHECK(std::abs(sim.state().q[1] - s) < accepted);
            CHECK(std::abs(sim.state().q[0] - psi) < 5 * accepted);
        }
    }
}

TEST_CASE("implicit: four-bars pass their singular positions with their loops closed") {
    SimulationOptions options = implicit_options(SmoothIntegrator::bdf2);
    const auto bars = reference_four_bars(2);
    Simulation sim(bars, options);
    sim.set_state(four_bars_start(*bars));
    run(sim, 3, 1e-3, [](const StepReport& report) {
        REQUIRE(report.joint_error < 1e-8);
        REQUIRE(report.equality_error < 1e-8);
    });
}
