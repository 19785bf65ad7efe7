#pragma once

// `reduced`: simulation on joint coordinates, after Kokkevis 2004 and Featherstone.
//
// Joints are exact by construction. Unknowns of a velocity step (formulation.h): λ, one per row; cost: O(n)
// for n freedoms, and per row and sweep the way from its links to the root. Smooth phases: SmoothMotion.
// Has steps from event to event as well (event_step.h).

#include "formulations/reduced/event_step.h"
#include "formulations/reduced/joint_algebra.h"
#include "formulations/velocity_formulation.h"

#include <optional>

namespace lig {

class Reduced final : public VelocityFormulation {
public:
    Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options);
    static const formulations::Capabilities capabilities;

private:
    StepAlgebra& algebra() override { return algebra_; }
    MotionReport advance_smoothly(JointState<double>& state, double duration,
                                  SmoothOptions& options) override;
    void step_by_events(JointState<double>& state, double dt, const Callbacks& callbacks,
                        StepReport& report) override;

    JointAlgebra algebra_;
    std::optional<EventStep> event_;  // once it is needed
};

}  // namespace lig
