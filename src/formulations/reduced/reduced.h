#pragma once

// `reduced`: simulation on joint coordinates, after Kokkevis 2004 and Featherstone.
//
// Solved in a velocity step of length h, with the joint-space inertia and what implicit springs and dampers
// add,
//     M̂ (v⁺ − v) = h (τ − bias forces − h K v) + Jᵀ λ,    rows of rows.h on J v⁺,    q⁺ = q ⊕ h v⁺.
// Joints are exact by construction. Unknowns: λ, one per row; cost: O(n) for n freedoms, and per row and
// sweep the way from its links to the root. Contacts and limits that could be reached within the step have
// rows already (their gaps enter the bias), so nothing is passed unseen. Errors of position are removed in q⁺
// alone; v⁺ is computed without them. Where no such row acts, a step is left to the smooth integrator.

#include "constraints/equality_terms.h"
#include "constraints/pose_drive.h"
#include "constraints/row_context.h"
#include "constraints/rows.h"
#include "constraints/smooth_impulses.h"
#include "constraints/tracking_rows.h"
#include "constraints/warm_starts.h"
#include "dynamics/equality_system.h"
#include "dynamics/joint_factor.h"
#include "formulations/reduced/event_step.h"
#include "formulations/reduced/impacts.h"
#include "formulations/reduced/row_solver.h"
#include "formulations/reduced/surroundings.h"
#include "simulation/contact_events.h"

#include <ligament/simulation.h>

#include <optional>
#include <vector>

namespace lig {

enum class SubstepKind {
    none,      // since the beginning, or since the state was set
    smooth,
    velocity
};
// What the last sub-step began with, for whoever computes forces from what it did.
struct LastSubstep {
    SubstepKind kind = SubstepKind::none;
    double h = 0;                // velocity: its length,
    JointState<double> before;   // … and the state at its beginning
};

class Reduced {
public:
    Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options);

    // Moves the state on by dt. On failure the report says why, and the caller takes back what has been done.
    StepReport step(JointState<double>& state, double dt, const Callbacks& callbacks);
    // Forgets impulses and contacts.
    void forget();

    SmoothMotion motion;           // with the inputs
    CollisionWorkspace collision;
    WarmStarts warm;
    PoseTargets pose_targets;
    Tracking tracking;
    double impulse_time = 0;       // how long the impulses that are kept acted; 0: there are none
    ContactEvents events;          // of the last step
    LastSubstep last;
    // Of the last velocity sub-step: rows with their impulses, and the change of the velocities.
    const Rows& rows() const { return rows_; }
    std::span<const double> velocity_change() const { return change_; }

private:
    void look(const JointState<double>& state, double h, StepReport& report);
    bool assemble(const JointState<double>& state, double h, StepReport& report);
    void leave_out_redundant_rows(StepReport& report);
    bool factor(const JointState<double>& state, double h, StepReport& report);
    double find_impulses(std::span<const double> b, bool correcting, std::span<double> lambda,
                         std::span<double> s, StepReport& report);
    bool resolve(StepReport& report);
    double longest_step(double h) const;
    bool fits(const JointState<double>& state, double h);
    struct Approach;
    double gap_of(const RowBlock& contact) const;
    std::optional<Approach> approach_of(std::size_t block, double h) const;
    double first_impact(double h) const;
    void restitute(double h, StepReport& report);
    bool has_several_pairs() const;
    void bounce_in_turn(double h, StepReport& report);
    void correct(const JointState<double>& state, double h, StepReport& report);
    bool advance(JointState<double>& state, double h, StepReport& report);
    bool close(JointState<double>& state, StepReport& report);
    bool smooth_step(JointState<double>& state, double h, const Callbacks& callbacks, bool may_give_up,
                     StepReport& report);
    void step_by_velocity(JointState<double>& state, double dt, bool automatic, const Callbacks& callbacks,
                          StepReport& report);
    void step_by_events(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report);
    void keep_impulses(double h);

    std::shared_ptr<const Model> model_;
    const SimulationOptions& options_;
    JointFactor factor_;
    SmoothImpulses smooth_impulses_;
    PoseDrive pose_drive_;
    EqualitySystem equalities_;  // tells which rows of loops are redundant
    std::vector<EqualityTerms> loop_terms_;
    int loops_begin_ = 0;  // the first block of a loop or coupling
    int two_sided_ = 0;    // behind the last of those and of drives and tendons: what touches begins here
    Rows rows_;
    RowSolver solver_;
    Impacts impacts_;
    double missed_ = 0;  // by which velocity the rows of the last attempt are missed
    Surroundings surroundings_;
    std::vector<double> tau_, x_, s_free_, s_, s_after_, zero_, change_, correction_, corrected_;  // (nv)
    std::vector<double> b_, b_kept_, b_after_, rate_, lambda_, landing_, struck_;  // (rows)
    std::vector<double> restitution_;  // (blocks)
    JointState<double> tried_;
    std::optional<EventStep> event_;  // once it is needed
};

}  // namespace lig
