#pragma once

// LimitsPutBack: what a velocity step has led beyond its limits, put back. Rows of limits are tangents, and
// closing equalities does not look at them.

#include "formulations/step_context.h"
#include "formulations/velocity/contact_gaps.h"
#include "formulations/velocity/step_equations.h"
#include "simulation/limit_closure.h"

#include <memory>
#include <vector>

namespace lig {

class LimitsPutBack {
public:
    // Keeps references.
    LimitsPutBack(StepContext& context, const StepEquations& equations, ContactGaps& gaps);

    // Where they cannot be put back, the coordinates stay. After forward_kinematics of the state, to which a
    // step of length h has led.
    void put_back(JointState<double>& state, double h);

    bool were_put_back() const { return were_put_back_; }
    bool stay_passed() const { return stay_passed_; }        // they could not be put back
    double potential_lost() const { return potential_lost_; }  // by putting back, J
    // How far open it has left equalities, relative to the parts.
    double left_open() const { return closure_->left(); }
    // Where coordinates were before they were put back. (nq)
    std::vector<double>& passed_q() { return passed_q_; }

private:
    bool find_passed(const JointState<double>& state, double h);
    bool close(JointState<double>& state, double h);

    StepContext& context_;
    const StepEquations& equations_;
    ContactGaps& gaps_;
    std::unique_ptr<LimitClosure> closure_;  // null: there are no limits
    std::vector<NearLimit> near_;
    std::vector<double> passed_q_;
    bool were_put_back_ = false, stay_passed_ = false;
    double potential_lost_ = 0;
};

}  // namespace lig
