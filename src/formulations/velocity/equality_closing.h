#pragma once

// EqualityClosing: equalities closed behind a velocity step, where coordinates have moved to, with contacts
// held meanwhile that this would press.

#include "formulations/step_context.h"
#include "formulations/velocity/contact_gaps.h"
#include "formulations/velocity/step_equations.h"

#include <span>
#include <string>
#include <vector>

namespace lig {

class EqualityClosing {
public:
    // Keeps references.
    EqualityClosing(StepContext& context, ContactGaps& gaps);

    // The state's coordinates, behind a step of length h, become closed. After forward_kinematics of it.
    StepOutcome close(JointState<double>& state, double h, const SubstepRules& rules, StepReport& report);

    // Of the last that succeeded: where coordinates were before it and after, (nq); how far open equalities
    // still are, relative to the parts.
    std::span<const double> open_q() const { return open_q_; }
    std::span<const double> closed_q() const { return closed_q_; }
    double left_open() const { return left_open_; }
    // Of one that failed: what is open.
    const std::string& where() const { return where_; }

private:
    bool press_back(JointState<double>& state, ClosingReport& closing);

    StepContext& context_;
    ContactGaps& gaps_;
    std::vector<HeldContact> held_;
    std::vector<double> open_q_, closed_q_;  // (nq)
    std::vector<double> pressed_q_;          // (nq) closed without contacts being held
    double left_open_ = 0;
    double step_ = 0;  // the length of the step
    std::string where_;
};

}  // namespace lig
