#pragma once

// SmoothStep: a sub-step in which nothing touches, under forces and equalities alone, whatever the method.
//
// A formulation brings the method as a SmoothStepper: Runge–Kutta methods on joint coordinates (`reduced`),
// RATTLE or Runge–Kutta methods on bodies (`multiplier`), backward differences (`implicit`). Beside it stands
// what belongs to every such step: where it would need more steps than it is worth, the state is put back and
// the caller takes velocity steps, which are implicit.

#include "formulations/step_context.h"
#include "formulations/stiffness.h"
#include "simulation/stopwatch.h"

#include <vector>

namespace lig {

// How a formulation moves on where nothing is touched, and the bodies that it keeps for it.
class SmoothStepper : public BodyMemory {
public:
    // Moves on by `duration`, in at most options.max_steps steps. The method is its own affair, whatever
    // options.method is.
    virtual MotionReport advance(JointState<double>& state, double duration, SmoothOptions& options) = 0;
    // Adds the time that its stages took, where somebody asks.
    virtual void give_stage_times(StageSeconds&) {}
};

class SmoothStep {
public:
    // Keeps references. The bodies that the stepper keeps become those of the context.
    SmoothStep(StepContext& context, SmoothStepper& stepper, Stiffness& stiffness);

    // Moves the state on by h. False: it failed, or, if it may give up, would need more steps than it is
    // worth beside velocity steps: then the report is as before but for rejected steps and fallbacks, and so
    // is the state.
    bool take(JointState<double>& state, double h, const Callbacks& callbacks, bool may_give_up,
              StepReport& report);
    // One motion by the stepper, in so many steps at most as a step may have, and nothing else. False: it
    // failed.
    bool take_whole(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report);
    // Puts the state back to where the last step that might give up began.
    void take_back(JointState<double>& state);

private:
    SmoothOptions options_of(double h, int max_steps, const Callbacks& callbacks) const;
    MotionReport go_on(JointState<double>& state, double h, const MotionReport& first, SmoothOptions& smooth,
                       int allowed);
    bool note(const MotionReport& moved, StepReport& report);

    StepContext& context_;
    SmoothStepper& stepper_;
    Stiffness& stiffness_;
    // Where the last step began that might give up: the state, and the bodies that are kept of it.
    JointState<double> began_;
    std::vector<double> began_bodies_;
};

}  // namespace lig
