#include "simulation/follow_leap.h"

#include <ligament/assemble.h>

namespace lig {

std::string follow_leap(const std::shared_ptr<const Model>& model, SmoothDynamics& dynamics,
                        JointState<double>& state, JointState<double>& before) {
    before = state;
    // Any step closes what is not seen at all.
    constexpr double small = 1e-6;  // m, rad
    if (!dynamics.has_equalities() || dynamics.equality_errors(state).largest < small) return {};
    const ClosingReport in_passing = dynamics.close_equalities(state);
    state = before;
    if (in_passing.closed) return {};
    // Steps of a tenth of a radian, or of the size of the mechanism, do not pass over to another branch.
    constexpr AssembleOptions along{.starts = 1, .iterations = 1000, .longest_step = 0.1};
    if (!assemble(model, state, along).closed) return {};
    return in_passing.where;
}

bool Leaps::follow(const std::shared_ptr<const Model>& model, SmoothDynamics& dynamics,
                   JointState<double>& state) {
    now_ = expected;
    expected = false;
    followed_.clear();
    if (!now_) return false;
    followed_ = follow_leap(model, dynamics, state, before_);
    return !followed_.empty();
}

bool Leaps::end(StepReport& report, JointState<double>& state) {
    if (!now_) return false;
    if (was_taken(report)) {
        if (!followed_.empty() && report.fallbacks++ == 0)
            report.fallback = "assembled where kinematic bodies have been put: " + followed_;
        return false;
    }
    expected = true;
    if (report.status == StepStatus::equality_open)
        report.where += ", where kinematic bodies have been put: move them less at once, or by velocities";
    if (followed_.empty()) return false;
    state = before_;
    return true;
}

}  // namespace lig
