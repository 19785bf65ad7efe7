#pragma once

// The implicit counterpart of add_smooth_forces (drives.h): all smooth forces of a model but gravity, inertia
// and the medium, as impulses of a step that takes them at its end as far as it can. What becomes of them:
//
//   joints' springs, dampers   into JointTerms::added and x (implicit_terms.h)
//   tendons with a spring that is not slack, a damper or inertia
//                              a soft row along the tendon (soft_row.h)
//   actuators whose force does not depend on length and velocity
//                              constant: into x
//   on a joint, no limits      into added and x: h c + h² k along the row J of one joint, x += h Jᵀ (f − h k
// l̇)
//   on a joint with a range of force
//                              a soft row with bounds
//   on a joint of one freedom with a range of effort
//                              one soft row for all that act on this joint, within what the others leave of
// the
//                              effort; limits of the single ones count in the sum
//   on a tendon, a site, a crank
//                              a soft row, with the bounds of the force and the tendon's effort. Constant
// where
//                              it moves a joint of limited effort or where several share a tendon's effort.
//
// Slopes −k, −c of an actuator's force are those of (g₁ u + b₁) l + (g₂ u + b₂) l̇ where they resist, zero
// where they drive. Lengths that are zero by definition (free joints; a site without reference) have no k.
// Rows that come out without slope in a state are constant there. A constant force is the one of
// actuator_forces, clamped.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"
#include "dynamics/joint_terms.h"

#include <ligament/drives.h>

#include <span>
#include <vector>

namespace lig {

enum class DriveHandling : unsigned char {
    constant,
    in_joint,
    row,
    joint_row  // with the other actuators of its joint
};

// Sized once; `add` does not allocate but for rows.
class SmoothImpulses {
public:
    explicit SmoothImpulses(const Model& model);

    // Of the actuators; a matter of the model alone. (nu)
    const std::vector<DriveHandling>& handling() const { return handling_; }

    struct Step {
        const JointState<double>& state;
        const Model& model;
        std::span<const double> ctrl;
        const RowContext& context;
        const WarmStarts& warm;
        DriveWorkspace<double>& drives;
    };
    // x comes with h (what is applied − bias) and leaves with all smooth forces; `bias` is that of the
    // inverse_dynamics of drives.h, which has the J̇ v of tendons with inertia. Calls actuator_forces. After
    // update_drives; terms.added must be cleared before, and be factored afterwards.
    void add(const Step& step, JointTerms& terms, std::span<double> x, Rows& rows) {
        add_passive(step, terms, x, rows);
        add_actuators(step, terms, x, rows);
    }
    // Its two parts: springs and dampers; drives.
    void add_passive(const Step& step, JointTerms& terms, std::span<double> x, Rows& rows);
    void add_actuators(const Step& step, JointTerms& terms, std::span<double> x, Rows& rows);

private:
    struct Job;

    std::vector<DriveHandling> handling_;
    std::vector<int> joint_begin_;    // (joints + 1) where the actuators of joint_row begin,
    std::vector<int> joint_members_;  // … in this list
    std::vector<double> force_;       // (nv)
    std::vector<double> act_;         // (na)
};

}  // namespace lig
