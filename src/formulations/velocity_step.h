#pragma once

// VelocityStep: a step on the velocities at the end of a step.
//
// Solved in a velocity step of length h, with the inertia and what implicit springs, dampers and tension add,
//     M̂ (v⁺ − v) = h (τ − ½ c − h K v) + Jᵀ λ,    rows of rows.h on J v⁺,    q⁺ = q ⊕ h v⁺,
// c being what the curvature of joint coordinates takes (Coriolis and centrifugal forces). The other half of
// it comes with the new coordinates: v̄ = M(q⁺)⁻¹ Sᵀ(q⁺) p has the momenta p of the links that v⁺ has at q,
// and the velocities afterwards are ½ (v⁺ + v̄), put onto the equalities; trees that float get the momentum
// that is due to them. Equalities are asked for J v⁺ = −½ h γ, so that q⁺ leaves them by O(h³) only; what is
// left is closed behind the step, and a step that cannot be closed is taken again, shorter. Contacts and
// limits that could be reached within the step have rows already (their gaps enter the bias), so nothing is
// passed unseen. Errors of position are removed in q⁺ alone; v⁺ is computed without them. Where no such row
// acts, a step is left to the smooth integrator. All of that is here: the main line (velocity_substeps.cpp),
// forces and rows assembled (velocity_step.cpp), impulses found and bounces resolved (velocity_impulses.cpp),
// the new state made (velocity_advance.cpp), equalities closed (velocity_closing.cpp), limits put back
// (velocity_limits.cpp) and its energy accounted for (velocity_ledger.cpp), whatever the linear algebra
// (step_algebra.h). A formulation brings that algebra, and its way of moving where nothing is touched.

#include "constraints/equalities.h"
#include "constraints/limit_rows.h"
#include "constraints/row_context.h"
#include "constraints/smooth_impulses.h"
#include "dynamics/joint_factor.h"
#include "formulations/impacts.h"
#include "formulations/momentum_transport.h"
#include "formulations/smooth_step.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/surroundings.h"
#include "formulations/tree_momenta.h"
#include "formulations/turning_inertia.h"
#include "simulation/energy_guard.h"
#include "simulation/equality_closure.h"
#include "simulation/limit_closure.h"
#include "simulation/stopwatch.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lig {

class VelocityStep {
public:
    // Keeps references.
    VelocityStep(StepContext& context, StepAlgebra& algebra, SmoothStep& smooth, Stiffness& stiffness);

    // Steps on the velocities at their end: exactly one, or as many as accuracy asks, with smooth ones
    // between them where nothing is touched.
    void take(JointState<double>& state, double dt, bool automatic, const Callbacks& callbacks,
              StepReport& report);
    // Fills in what the context keeps of the last sub-step.
    void look_back();

private:
    // Relative to the parts: equalities that are open by no more are closed.
    static constexpr double closed_enough = 1e-8;
    static bool is_closed(const ClosingReport& closing) {
        return closing.straight || closing.relative <= closed_enough;
    }
    void look(const JointState<double>& state, double h, StepReport& report);
    double longest_step(double h) const;
    bool rows_drive();
    double deepest_contact() const;
    bool has_passed(const JointState<double>& state, double deep, double beyond);
    void push_by_forces(const JointState<double>& state);
    bool assemble(const JointState<double>& state, double h, StepReport& report);
    bool factor(const JointState<double>& state, double h, StepReport& report);
    // velocity_substeps.cpp
    struct Substeps;
    enum class Attempt {
        made,
        too_long,
        failed
    };
    double begin_substep(JointState<double>& state, Substeps& steps, const Callbacks& callbacks,
                         StepReport& report);
    bool has_one_sided_rows() const;
    bool one_sided_rows_act() const;
    bool solve_rows(const JointState<double>& state, double h, StepReport& report);
    void glide(JointState<double>& state, double h, Substeps& steps, const Callbacks& callbacks,
               StepReport& report);
    bool fits(const JointState<double>& state, double h);
    bool is_too_long(const JointState<double>& state, double h, Substeps& steps);
    Attempt end_at_impact(const JointState<double>& state, double& h, Substeps& steps, StepReport& report);
    Attempt take_substep(JointState<double>& state, double h, const Substeps& steps, StepReport& report);
    void report_misses(const Substeps& steps, StepReport& report) const;
    bool find_moving(const JointState<double>& state, double h, bool bounces, StepReport& report);
    void correct(const JointState<double>& state, double h, StepReport& report);
    void find_end_velocities(JointState<double>& state, double h, bool in_flight);
    enum class Advance {
        moved,
        open,     // equalities could not be closed behind it: the state is as before
        astray,  // … without pressing bodies into each other; or it leads into something or makes energy:
                 // likewise
        failed  // the report says why
    };
    Advance advance(JointState<double>& state, double h, StepReport& report);
    // velocity_closing.cpp
    // m, by which closing may press bodies into each other before the step is to be shorter.
    static constexpr double max_pressed = 5e-4;
    Advance close_behind(JointState<double>& state, const TreeMomenta::Step& step, StepReport& report);
    void note_contacts();
    void note_gaps();
    double pressed_by(std::size_t contact) const;
    bool press_back(JointState<double>& state, ClosingReport& closing);
    void note_tendons();
    bool find_passed_limits(const JointState<double>& state, double h);
    void put_limits_back(JointState<double>& state, double h);
    void carry_velocities(JointState<double>& state);
    bool leads_astray(const JointState<double>& state, double h);
    bool admits(JointState<double>& state, EnergyFlows& flows, StepReport& report);
    void find_momenta();
    void average_velocities(JointState<double>& state);
    double kinetic_energy_of(std::span<const double> v);
    void slow_down_with_closing(JointState<double>& state, double h);
    bool flies();
    bool take_off(const JointState<double>& state, double h);
    void keep_impulses(double h);
    void add_bias(const JointState<double>& state, double h);
    void add_drives(const SmoothImpulses::Step& step);
    void add_flows(const JointState<double>& state, double h, EnergyFlows& flows);
    void add_flows_of_rows(double h, EnergyFlows& flows);
    void add_flows_of_bushings(const JointState<double>& state, double h, EnergyFlows& flows);
    void propose_impulses(double h);

    double find_impulses(std::span<const double> b, bool correcting, std::span<double> lambda,
                         std::span<double> s, StepReport& report);
    bool resolve(StepReport& report);
    struct Approach;
    double gap_of(const RowBlock& contact) const;
    std::optional<Approach> approach_of(std::size_t block, double h);
    double first_impact(double h);
    void restitute(double h, StepReport& report);
    bool has_several_pairs() const;
    void bounce_in_turn(double h, StepReport& report);

    StepContext& context_;
    StepAlgebra& algebra_;
    SmoothStep& smooth_;
    Stiffness& stiffness_;
    SmoothImpulses smooth_impulses_;
    TurningInertia turning_;
    TreeMomenta trees_;
    MomentumTransport transport_;
    JointFactor factor_;  // of the inertia alone, at the end of the step
    std::string open_equality_;
    // Contacts of the step, with the distances that closing equalities is to leave them; where they would
    // touch; and of them those that are held.
    std::vector<HeldContact> near_, held_;
    std::vector<double> touching_;
    std::vector<double> closed_q_;  // (nq) where equalities are closed without them
    std::vector<double> q_on_equalities_;  // (nq) where they are closed, before limits are put back
    std::unique_ptr<LimitClosure> limit_closure_;  // null: there are no limits
    std::vector<NearLimit> passed_;
    std::vector<TendonGaps> tendon_gaps_;  // (tendons) at the beginning of the step, where some are limited
    bool limits_put_back_ = false;     // they were: from closed_q_
    bool limits_stay_passed_ = false;  // they could not be put back
    double potential_put_back_ = 0;    // J, lost by putting limits back
    std::vector<double> closing_;   // (nv) velocities that closing has moved coordinates with
    bool has_drives_ = false;
    bool pushed_ = false;  // links, by forces other than weight
    bool whole_ = false;  // all of the curvature is in the forces of the step, none in its end
    bool looking_back_ = false, to_look_back_ = false;
    // equalities and contacts are asked for velocities that fit them, not for coordinates that will
    bool calm_ = false;
    // (links) forces, about their origins; momenta, about centres of mass
    std::vector<Force<double>> carried_;
    std::vector<Vec3d> held_back_;        // (links) moments by which turning_ has held them back
    std::vector<double> curved_;          // (nv) of what curvature takes in the step: half, or all
    std::vector<double> resisted_;        // (nv) x_ with the impulses of turning_
    std::vector<double> driven_;          // (nv) of x_: what drives have put there,
    std::vector<double> driven_terms_;    // and of the algebra's terms.added
    std::vector<double> after_;           // (nv)
    std::vector<double> earlier_;         // warm.lambda before the step
    std::vector<Motion<double>> kept_motion_;  // (links) by the change of velocities that is kept
    bool last_try_ = false;  // the step cannot be shorter
    bool grows_ = false;  // kinetic energy does, by the impulses of the step
    Brake brake_;
    bool may_be_pressed_ = false;  // it is not to be, for what it leads into
    bool tendons_are_limited_ = false;  // some of them
    double tendons_beyond_ = 0;  // their limits, at the beginning of the step, m
    PoseDrive pose_drive_;
    const Equalities equalities_;
    std::vector<EqualityTerms> equality_terms_;
    int equalities_begin_ = 0;  // the first block of an equality
    int two_sided_ = 0;    // behind the last of those and of drives and tendons: what touches begins here
    Impacts impacts_;
    double missed_ = 0;  // by which velocity the rows of the last attempt are missed
    Surroundings surroundings_;
    std::unique_ptr<CollisionWorkspace> probe_;  // to see what is touched without that being an event
    std::vector<double> x_, zero_, moving_, correction_, uncorrected_;  // (nv)
    std::vector<double> s_free_, s_, s_after_;                              // of the algebra
    std::vector<double> b_, b_kept_, b_after_, rate_, lambda_, landing_, struck_;  // (rows)
    std::vector<double> restitution_;  // (blocks)
    JointState<double> tried_;
};

}  // namespace lig
