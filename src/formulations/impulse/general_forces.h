#pragma once

// Everything that acts on the bodies of a sub-step but gravity, joints, limits of balls and hinges, and
// contacts. What there is in a model is found once, inputs are looked at each step, and where there is
// nothing, nothing is computed: not even joint coordinates are read.
//
//   on bodies       applied wrenches, the medium, what holds up floating bodies: pushes with the forces at
//                   the beginning of the sub-step; bushings, as soft rows: constraints/bushing_rows.h
//   along joints    applied forces, springs, dampers, drives, rotor inertia: joint_forces.h
//   rows            loops, pair constraints, couplings, tendons, limited drives, tracking, dry friction,
//                   limits of other joints: row_blocks.h
//
// Rows are those that every formulation reads (constraints/), at the poses that bodies really have. They are
// stated on velocities, J u + (what time and bases add) = 0: the turning of J within a sub-step shows as an
// error of position in the next one, of second order in its length, as that of joints does.

#include "constraints/bounded_constraints.h"
#include "constraints/equalities.h"
#include "constraints/pose_drive.h"
#include "constraints/row_context.h"
#include "constraints/smooth_impulses.h"
#include "constraints/tracking_rows.h"
#include "constraints/warm_starts.h"
#include "core/number_stream.h"
#include "formulations/impulse/freedoms.h"
#include "formulations/impulse/joint_forces.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/impulse/row_blocks.h"
#include "formulations/impulse/substep_velocities.h"

#include <ligament/smooth_motion.h>

#include <span>
#include <utility>
#include <vector>

namespace lig::impulse {

class GeneralForces {
public:
    // Of the formulation.
    struct Sources {
        SmoothDynamics& dynamics;
        WarmStarts& warm;
        const PoseTargets& targets;
        Tracking& tracking;
        Rows& rows;
    };
    GeneralForces(const MovingBodies& bodies, const JointLimits& limits, const Sources& from);

    // Pairs of links (negative: a base) that something here may hold together.
    std::vector<std::pair<int, int>> connected() const;
    // (all bodies) Those that something here acts on, whatever the inputs, but for the medium.
    std::vector<char> acted_on(const MovingBodies& bodies) const;
    // Whether joints are driven to a pose or along a clip within a step.
    bool drives_joints(double time, double dt) const;
    // What acts in a step that begins now, after inputs have been set.
    void begin_step(const JointState<double>& state, double dt);
    bool acts() const { return acts_; }  // in this step
    // Whether that is nothing but the elasticity of bodies that deform, and equalities between them.
    bool is_elastic_alone() const { return is_elastic_alone_ && !acts_anywhere_; }
    // Whether that may be on any body, not only on those of acted_on.
    bool acts_anywhere() const { return acts_anywhere_; }
    // Pushes what does not depend on velocities within the sub-step, and finds rows. The state gets the
    // bodies' q and v if anything needs them.
    struct How {
        bool warm_starting;
        Bend bend;  // of loops and pairs, too
    };
    void prepare(JointState<double>& state, double h, const How& how, MovingBodies& bodies,
                 StepReport& report);
    // After bodies have turned: the same rows, with responses as they are now. Left as they were, a sweep may
    // take more off a thin body than there is.
    void renew_responses(const MovingBodies& bodies);
    // Springs, drives or rotors are much stiffer than what they act on. They are then nearly as rigid as
    // rows, but remove errors by velocities, all at once: with a single sweep, that feeds on itself.
    bool is_stiff() const;
    void warm_start(const BodyView& bodies) const;
    // One sweep each, from the first to the last or back; they return the largest velocity error met. Forces
    // are best swept before joints.
    double sweep_forces(bool back, const Give& give, bool accumulated, const BodyView& bodies);
    double sweep_held(bool back, const Give& give, double slop, bool accumulated, const BodyView& bodies);
    // How far limits that are rows here are passed.
    double limit_violation(const JointState<double>& state);
    // By how much velocities miss what is asked here, at most.
    double missed(const BodyView& bodies) const;
    // ---- For whoever finds the impulses of all rows at once (direct_solve.h).
    // Coordinates and poses of chosen bodies, where prepare has not read them.
    void begin_direct(JointState<double>& state, const MovingBodies& bodies, const ChosenBodies& chosen);
    // After that. Rows: those of prepare and bushings that act on chosen bodies; equalities and the like are
    // the blocks from equalities_begin to two_sided. x: forces along freedoms that change with their
    // velocities.
    struct Direct {
        int equalities_begin = 0, two_sided = 0;
    };
    Direct find_direct_rows(const ChosenBodies& chosen, Rows& rows, std::span<double> x, JointTerms& terms);
    // As of JointLimits, by the cones that are too narrow for it. After find_direct_rows.
    void hold_by_cones(const Workspace<double>& ws, double h, std::vector<HeldLink>& out) const;
    // The impulses of these rows; those along freedoms follow from the velocities.
    void take_impulses(std::span<const double> lambda, const BodyView& bodies, const ChosenBodies& chosen);
    void correct(double rate, double slop, const BodyView& corrections);
    // What all of it has done in a sub-step that began with the state.
    void add_work(const JointState<double>& state, const MovingBodies& bodies, const SubstepVelocities& u,
                  EnergyFlows& flows) const;
    // (links) Of the medium, about their origins; empty where there is none.
    std::span<const Force<double>> drags() const { return drags_; }
    // Around the free motion of the bodies.
    void before_drift(const BodyView& bodies);
    void after_drift(const BodyView& bodies);
    // Keeps impulses and moves activations on.
    void finish(JointState<double>& state, double h, const BodyView& bodies);

    void forget();
    void state_was_set() {
        rotors_turn_ = false;
        freedoms_.forget();
    }
    // Impulses that WarmStarts has no place for and speeds of rotors; always as many numbers.
    void save_or_restore(NumberStream& numbers);
    void scale(double by);

private:
    bool has_input() const;
    int equalities_begin_ = 0, two_sided_ = 0;  // blocks of loops, pairs and couplings
    void push_wrenches(double h, MovingBodies& bodies) const;
    void read_bushings(double h, const MovingBodies& bodies);
    void read_bodies(JointState<double>& state, const MovingBodies& bodies);
    void read_pose(int link, const MovingBodies& bodies);
    void read_body(int link, JointState<double>& state, const MovingBodies& bodies);
    void push_bodies(double h, MovingBodies& bodies);
    void find_joint_forces(const JointState<double>& state, double h);
    void find_accelerations(const Bend& bend, const MovingBodies& bodies);
    void add_equalities(const JointState<double>& state, const RowContext& context, const Bend& bend,
                        const MovingBodies& bodies);
    double stretched_away(const Row& row, const Bend& bend, const MovingBodies& bodies) const;
    void add_bounds(const JointState<double>& state, const RowContext& context);
    void add_rotor_impulses(const JointState<double>& state);
    void add_wrench_work(const MovingBodies& bodies, const SubstepVelocities& u, EnergyFlows& flows) const;
    void add_joint_work(const JointState<double>& state, const SubstepVelocities& u,
                        EnergyFlows& flows) const;
    void add_row_work(const SubstepVelocities& u, EnergyFlows& flows) const;
    bool all_finite(StepReport& report) const;

    const Model& model_;
    Sources from_;
    SmoothImpulses smooth_impulses_;
    PoseDrive pose_drive_;
    JointTerms terms_;
    const Equalities equalities_;
    Freedoms freedoms_;
    JointForces joint_forces_;
    RowBlocks blocks_, bushings_;
    Rows bushing_rows_;
    std::vector<double> bushing_impulses_;
    std::vector<int> direct_blocks_, direct_bushings_;  // the blocks that begin_direct has taken
    std::vector<int> limited_joints_;  // with limits that are rows here
    // Of the model: a medium; bushings; forces along joints, whatever the inputs; rows; bodies held up by
    // wrenches.
    bool has_medium_ = false, has_bushings_ = false, has_joint_forces_ = false, has_rows_ = false;
    bool lifts_bodies_ = false;
    bool is_elastic_alone_ = false;  // of bodies that deform, and equalities
    // Of a step: anything but applied wrenches; applied wrenches.
    bool acts_ = false, acts_anywhere_ = false, pushes_wrenches_ = false;
    // Freedoms with armature: a rotor has the speed that its freedom had when impulses were found, whatever
    // free motion made of that since; the difference acts in the next sub-step, so that nothing of a rotor's
    // momentum is lost.
    std::vector<int> rotors_;                      // dofs
    std::vector<double> rotor_speeds_, drifted_;  // (rotors_), and what changed since by free motion
    bool rotors_turn_ = false;                     // whether rotor_speeds_ are those of the state
    // Of x_ and terms_.added: what drives have put there.
    bool has_drives_ = false;
    std::vector<double> driven_, driven_terms_;
    std::vector<Force<double>> drags_;  // (links) of the medium, if there is one
    std::vector<EqualityTerms> equality_terms_;
    BoundedConstraints bounded_constraints_;
    std::vector<double> x_, zero_, with_tendons_, without_;  // (nv)
};

}  // namespace lig::impulse
