#pragma once

// ContactGaps: the contacts of a velocity step, and the distances that closing equalities and putting limits
// back is to leave them.

#include "formulations/step_context.h"
#include "formulations/velocity/step_impulses.h"
#include "simulation/equality_closure.h"

#include <vector>

namespace lig {

class ContactGaps {
public:
    // Keeps references.
    ContactGaps(StepContext& context, const StepImpulses& impulses)
        : context_(context), impulses_(impulses) {}

    // Those that have rows, and the distances that they have, or touch with, less their slack. Before
    // anything moves; after forward_kinematics.
    void note();
    // Where the step has made bodies part, that is not to be taken back. After forward_kinematics.
    void note_parted();
    // How much nearer than they are to be the bodies of a contact are. After forward_kinematics.
    double pressed_by(const HeldContact& contact) const;
    const std::vector<HeldContact>& contacts() const { return contacts_; }

private:
    StepContext& context_;
    const StepImpulses& impulses_;
    std::vector<HeldContact> contacts_;
    std::vector<double> touching_;  // (contacts) the distances that they touch with
};

}  // namespace lig
