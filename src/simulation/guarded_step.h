#pragma once

// GuardedStep: a step of a formulation under the energy guard (energy_guard.h). Where the method makes more
// energy than it may, the step is taken again in shorter parts; where that does not help, with the parts that
// make the least, and slowed down by the rest.

#include "formulations/step_context.h"
#include "simulation/energy_guard.h"
#include "simulation/step_memory.h"

#include <string>

namespace lig {

class GuardedStep {
public:
    // Keeps references. leaves_slop: joints and contacts of the formulation give, and are put back all the
    // time. before: the beginning of the step, which the caller notes.
    GuardedStep(const SteppingParts& parts, const SimulationOptions& options, bool leaves_slop,
                const StepMemory& before);

    StepReport take(double dt, const Callbacks& checked);

private:
    StepReport take_parts(double dt, int parts, const Callbacks& checked);
    bool slow_down(double surplus, StepReport& report);
    bool take_calmly(double dt, const Callbacks& checked, StepReport& report);
    double unpaid_corrections(double dt, const StepReport& report) const;
    void avoid_leap(double dt, const Callbacks& checked, int& parts, StepReport& report);
    void count_corrections(double dt, StepReport& report);
    std::string name_of_gain(double made) const;

    const SteppingParts parts_;
    JointState<double>& state_;
    StepContext& context_;
    EnergyGuard& guard_;
    const SimulationOptions& options_;
    const bool leaves_slop_;
    const StepMemory& before_;
    Brake brake_;
};

}  // namespace lig
