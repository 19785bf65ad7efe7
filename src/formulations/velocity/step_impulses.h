#pragma once

// StepImpulses: the impulses along the rows of a velocity step, and when contacts are reached and how they
// bounce.
//
// With b the velocities of rows without impulses, λ within its bounds for b + J M̂⁻¹ Jᵀ λ + … = 0 or beyond,
// and s the change of the velocities by it (step_algebra.h), three problems stand side by side:
//   landing      velocities that are kept and move coordinates: b without what removes errors of position
//   corrected    those with it, which move coordinates alone; solved from landing
//   after        velocities after the step: landing, with what bounces

#include "formulations/impacts.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/turning_inertia.h"
#include "formulations/velocity/step_equations.h"

#include <optional>
#include <span>
#include <vector>

namespace lig {

class StepImpulses {
public:
    // Keeps references.
    StepImpulses(StepContext& context, StepAlgebra& algebra, const StepEquations& equations);

    Impulses landing, after;
    std::vector<double> rate;  // (rows) J v at the beginning of the step, bases at rest
    std::vector<double> slacks;  // (blocks) m, by which pinned contacts may still be passed

    // The factor of what is assembled, and the problems. resists_turning: with what tension of a long step
    // adds to the inertia. False: the report says what is not finite or has no inertia.
    bool factor(const JointState<double>& state, double h, bool resists_turning, StepReport& report);
    // Finds `landing`; `after` is the same until something bounces. False: it failed.
    bool resolve(StepReport& report);
    // Contacts that have been reached and bounce: finds `after`.
    void restitute(double h, StepReport& report);
    // The step is not to bounce.
    void keep_landing() { after.s = landing.s; }
    // Turns `landing` into what removes errors of position as well.
    void correct(StepReport& report) { find(corrected_b_, true, landing.lambda, landing.s, report); }
    // `landing.s` of other impulses along the rows, but for those of equalities, which are made to hold.
    void hold_equalities(std::span<double> lambda);

    // By which velocity the rows of the last `resolve` are missed.
    double missed() const { return missed_; }
    bool corrects() const { return corrected_b_ != landing.b; }
    bool bounces() const { return landing.s != after.s; }

    bool has_one_sided_rows() const;
    // Whether a limit, contact or dry friction has an impulse.
    bool one_sided_rows_act() const;
    // Whether equalities or contacts would do much work. They are asked for velocities that follow their
    // curvature, and where rows are nearly dependent that may take any; such a step is taken by velocities
    // that fit them as they are, by which they can only take energy.
    bool rows_drive();
    // Whether, by the last rows_drive, impulses make the motion grow.
    bool motion_grows() const { return motion_grows_; }
    // The time of the first impact that bounces, or acts from afar, at most h.
    double first_impact(double h);

private:
    // The approach of a contact that bounces: when within the step it is reached and how fast, from the
    // motion that it would have without impulses.
    struct Approach {
        double time, speed, restitution;
    };
    std::optional<Approach> approach_of(std::size_t block, double h);
    double gap_of(const RowBlock& contact) const;
    // By how far a contact may still be closed in a step, m.
    double room_of(std::size_t block) const;
    double restitution_of(std::size_t block) const;
    void find_slacks(double h);
    const ContactProperties& properties_of(const RowBlock& contact) const;
    bool has_several_pairs() const;
    void bounce_in_turn(double h, StepReport& report);
    double find(std::span<const double> b, bool correcting, std::span<double> lambda, std::span<double> s,
                StepReport& report);

    StepContext& context_;
    StepAlgebra& algebra_;
    const StepEquations& equations_;
    TurningInertia turning_;
    Impacts impacts_;
    double missed_ = 0;
    bool motion_grows_ = false;
    std::vector<double> resisted_x_;    // (nv) x with the impulses of turning_
    std::vector<double> free_s_;        // of the algebra: without λ
    std::vector<double> corrected_b_;   // (rows)
    std::vector<char> changed_;         // (rows) by corrections
    std::vector<double> struck_b_;      // (rows) of an impact pair by pair
    std::vector<double> restitution_;   // (blocks)
    std::vector<char> pinned_;          // (blocks) contacts that equalities hold almost entirely
};

}  // namespace lig
