#pragma once

// Kinematic bodies that have been put elsewhere between two steps, and what hangs on them by equalities.

#include <ligament/simulation.h>

#include <memory>
#include <string>

namespace lig {

// Equalities that are open by more than a step closes in passing: the joints follow, on the branch
// of the mechanism that they are on, within their ranges. Returns what was open and is closed now, as text;
// empty where nothing had to be done, or where no pose was found, and the state is as it was. `before`
// becomes what the state was.
std::string follow_leap(const std::shared_ptr<const Model>& model, SmoothDynamics& dynamics,
                        JointState<double>& state, JointState<double>& before);

// The leaps before one step.
class Leaps {
public:
    explicit Leaps(const Model& model) : before_(model) {}

    bool expected = false;  // a body may be elsewhere than the last step has left it

    // Before a step. Returns whether the state has changed.
    bool follow(const std::shared_ptr<const Model>& model, SmoothDynamics& dynamics,
                JointState<double>& state);
    // After it. Takes back what was followed where the step was not taken, and says what there is to say.
    // Returns whether the state has changed.
    bool end(StepReport& report, JointState<double>& state);

private:
    bool now_ = false;      // this step follows one
    std::string followed_;  // what was open
    JointState<double> before_;
};

}  // namespace lig
