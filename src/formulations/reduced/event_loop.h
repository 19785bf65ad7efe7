#pragma once

// EventLoop: a step from event to event (event_step.h) until its time is up. What event steps cannot do,
// velocity steps do, and the report says so.

#include "formulations/reduced/event_step.h"
#include "formulations/velocity/velocity_step.h"

#include <optional>
#include <string>

namespace lig {

class EventLoop {
public:
    // Keeps references.
    EventLoop(StepContext& context, SmoothStep& smooth, VelocityStep& velocity)
        : context_(context), smooth_(smooth), velocity_(velocity) {}

    void take(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report);

private:
    // A step under way.
    struct Progress {
        double remaining;
        double piece;               // that velocity steps are to make where they are needed; grows meanwhile
        // The status to report at the end; until then the rest of the step is taken, with its forces.
        StepStatus status = StepStatus::ok;
        std::string where = {};
    };
    void advance(JointState<double>& state, double dt, Progress& progress, const Callbacks& callbacks,
                 StepReport& report);
    void step_by_velocity(JointState<double>& state, double h, const std::string& why, Progress& progress,
                          const Callbacks& callbacks, StepReport& report);
    void close(JointState<double>& state, StepReport& report);

    StepContext& context_;
    SmoothStep& smooth_;
    VelocityStep& velocity_;
    std::optional<EventStep> event_;  // once it is needed
};

}  // namespace lig
