#pragma once

// `reduced`: simulation on joint coordinates, after Kokkevis 2004 and Featherstone. reduced.cpp has the main
// line.

#include "formulations/formulation.h"
#include "formulations/reduced/crowd/crowd_step.h"
#include "formulations/reduced/event_loop.h"
#include "formulations/reduced/joint_algebra.h"
#include "formulations/smooth_step.h"
#include "formulations/velocity/velocity_step.h"

#include <memory>

namespace lig {

// Smooth phases: Runge–Kutta methods on joint coordinates.
class JointStepper final : public SmoothStepper {
public:
    explicit JointStepper(StepContext& context) : context_(context) {}
    MotionReport advance(JointState<double>& state, double duration, SmoothOptions& options) override;

private:
    StepContext& context_;
};

class Reduced final : public Formulation {
public:
    // Keeps a reference to the options.
    Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void look_back() override { velocity_.look_back(); }

private:
    void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                   StepReport& report) override;

    JointAlgebra algebra_;
    Stiffness stiffness_;
    JointStepper stepper_;
    SmoothStep smooth_;
    VelocityStep velocity_;
    EventLoop events_;
    CrowdStep crowd_;
};

}  // namespace lig
