#pragma once

// `multiplier`: simulation on body coordinates, after Baraff 1996. multiplier.cpp has the main line.

#include "formulations/formulation.h"
#include "formulations/maximal/body_algebra.h"
#include "formulations/multiplier/body_stepper.h"
#include "formulations/smooth_step.h"
#include "formulations/velocity/velocity_step.h"

#include <memory>

namespace lig {

class Multiplier final : public Formulation {
public:
    // Keeps a reference to the options.
    Multiplier(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void look_back() override { velocity_.look_back(); }

private:
    void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                   StepReport& report) override;

    maximal::BodyAlgebra algebra_;
    Stiffness stiffness_;
    multiplier::BodyStepper stepper_;
    SmoothStep smooth_;
    VelocityStep velocity_;
};

}  // namespace lig
