// Drives to a pose, as the powered character of the benchmarks (G5) has them.

#include "support/held_character.h"
#include "support/implicit_runs.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: the powered character reaches its static sag and does not jitter") {
    const auto model = compile(held_character());
    for (const auto& [frequency, degrees] : {std::pair{10.0, 10.51}, std::pair{20.0, 2.67}}) {
        CAPTURE(frequency);
        Simulation sim(model, implicit_options());
        const JointState<double> start = sim.state();
        sim.drive_to_pose(start.q, {}, frequency, 1, HUGE_VAL);
        run(sim, 5);
        Workspace<double> ws(model);
        std::vector<double> error(model->nv);
        const auto worst_angle = [&] {
            difference<double>(ws, start.q, sim.state().q, error);
            double worst = 0;
            for (const Model::Joint& joint : model->joints) {
                double angle = 0;
                for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                    angle = std::hypot(angle, error[k]);
                worst = std::max(worst, angle * 180 / std::numbers::pi);
            }
            return worst;
        };
        // The figures are those of a stiff arm; the hand sags at its wrist, too.
        CHECK(std::abs(worst_angle() - degrees) < 0.02);
        const double at = worst_angle();
        double most = 0;
        run(sim, 1, frame, [&](const StepReport&) {
            for (const double v : sim.state().v) most = std::max(most, std::abs(v));
        });
        CHECK(most < 1e-4);
        CHECK(std::abs(worst_angle() - at) < 1e-3);
    }
}
