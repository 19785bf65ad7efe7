#pragma once

// `--stepping event`: the simulation step of Kokkevis 2004, section 7, from event to event.
//
//     while time is left
//         what is closed and approaches: impacts (section 5), velocities jump
//         what is closed and does not: accelerations with forces that keep it closed (sections 4,
//         6, 8.1, 8.2) a tentative step of rk45, as long as its error allows and nothing is expected to
//         happen something has happened nevertheless (overlap, a limit passed, sliding that would turn
//         round): the step is taken again so that it ends where that begins, by Newton's method on the gap or
//         the secant on the slip
//
// Where the paper halves a step, the event is located; where it takes Euler steps with forces of their
// beginning, forces are found anew at every stage of a method of fifth order. What remains of errors is
// removed after each step: coordinates and velocities are put back onto what is closed by their least change.
//
// Forces. With w the acceleration of a row (event_set.h), f its force,
//     normals, bounds   w ≥ 0, f ≥ 0, w f = 0                                                      (16)
//     sticking          w = 0 as long as the cone allows; on its surface f opposes w: sliding begins
//     sliding           f on the cone against the slip; once the slip has come to nothing: sticking
//     dry friction      the same with one direction and a constant bound
// A ball on the floor that is thrown down again and again bounces ever faster: infinitely often in a finite
// time. Bounces slower than min_bounce, or beyond max_bounces of one pair in a step, end at rest.
//
// Not everything has such forces (Painlevé). And while something slides slowly, the direction of its friction
// turns quickly, μg/v per second, which no explicit method follows. Then a sub-step says that it is stuck,
// and the caller makes a piece of it by velocity steps, which always exist, and whose error is small where
// what slides is slow.

#include "dynamics/equality_system.h"
#include "dynamics/joint_factor.h"
#include "formulations/impacts.h"
#include "formulations/reduced/event_set.h"
#include "formulations/rows/row_solver.h"
#include "formulations/step_context.h"
#include "formulations/surroundings.h"
#include "simulation/equality_closure.h"
#include "simulation/force_flows.h"

#include <optional>
#include <string>
#include <vector>

namespace lig {

// What counts as nothing.
struct EventTolerances {
    double accuracy;  // m/s², rad/s²: of accelerations
    // m, rad: up to such a gap what does not bounce touches, and what does.
    double caught_gap, caught_angle, bouncing_gap;
    double speed;     // m/s, rad/s: slower than that nothing approaches or parts,
    double slip;      // … or slides
};

class EventStep {
public:
    // Keeps a reference. Tolerances: those of the options, unless others are given.
    explicit EventStep(StepContext& context);
    EventStep(StepContext& context, const EventTolerances& tolerances);

    enum class Outcome {
        moved,   // `time` has passed
        jumped,  // velocities have jumped; no time has passed
        idle,    // nothing is near that could be touched: time is left to the smooth integrator
        stuck    // no such step: `why` says it. The state is as before.
    };
    struct Result {
        Outcome outcome;
        double time = 0;
        const char* why = "";
        bool forceless = false;  // stuck because there are no forces, which will hardly be otherwise soon
    };
    // At the beginning of a step of length dt: forgets what is not in a snapshot.
    void begin(double dt);
    // The next sub-step, of `remaining` at most. Errors of callbacks pass through.
    Result advance(JointState<double>& state, double remaining,
                   const Callbacks& callbacks, StepReport& report);

    // Forces that act at a state: rows with forces for impulses, and accelerations. For whoever asks after a
    // step. False: there are none.
    bool find_forces(const JointState<double>& state, const Callbacks& callbacks, StepReport& report);
    // For contact_dynamics.cpp, which asks about a single state: finds what is closed there. False:
    // something of it approaches, which would be an impact; approach() is the fastest.
    bool look_at(const JointState<double>& state, StepReport& report);
    struct Approach {
        double speed = 0;
        const Contact* contact = nullptr;
        const ReachedBound* bound = nullptr;  // neither: a constraint whose force has bounds
    };
    Approach approach() const;
    // … the rows of what is closed, with what they ask of accelerations: J v̇ + bias. False: a link has no
    // inertia.
    bool assemble(const JointState<double>& state, const Callbacks& callbacks, StepReport& report);
    // … and forces. False: there are none.
    bool solve(const JointState<double>& state, StepReport& report, std::span<double> qacc);
    const EventSet& set() const { return set_; }
    const Rows& rows() const { return rows_; }
    int one_sided() const { return one_sided_; }  // the block of rows() behind those of equalities
    std::span<const double> row_bias() const { return b_; }
    std::span<const double> row_forces() const { return lambda_; }
    JointFactor& factor() { return factor_; }
    std::span<const double> accelerations() const { return qacc_; }
    // Writes the forces into contacts and warm starts, as impulses of one second.
    void store_forces() const;

private:
    // A contact or bound that is near.
    struct Near {
        bool closed;  // its gap is nothing,
        bool loaded;  // and it was pushed a moment ago
        double gap, rate;
    };
    struct NearBound {
        ReachedBound bound;
        Near near;
        int row;  // of bound_rows_
    };

    struct Stages;

    // event_step.cpp
    void look(const JointState<double>& state, double h, StepReport& report);
    void find_bounds(const JointState<double>& state, double h);
    void choose_set(const JointState<double>& state, bool resting_only);
    bool approaches() const;
    Result step_to_event(JointState<double>& state, double h, const Callbacks& callbacks,
                         StepReport& report);
    double expected(std::span<const double> qacc, double h) const;
    // event_detection.cpp
    double look_back(double h, StepReport& report);
    double look_back_at_contacts(double h);
    double look_back_at_bounds(double h);
    double look_back_at_sliding(double h) const;
    double time_since_passed(double h, double gap, double rate, double caught) const;
    // Whether one of the bodies of a contact can move.
    bool yields(const Manifold& manifold) const;
    double closed_gap(const ContactProperties& how, bool loaded) const;
    Motion<double> motion_between(const Workspace<double>& ws, int geom_a, int geom_b, const Vec3d& p) const;
    double slip_speed(const ContactProperties& how, const Vec3d& normal, const Vec3d& slip,
                      const Vec3d& spin) const;
    double slip_product(const ContactProperties& how, const Vec3d& normal, const ClosedContact& own,
                        const Motion<double>& V_AB) const;
    double speed_of(const JointState<double>& state, const Rubbing& rubbing) const;

    // event_flows.cpp
    // force: of the row r, or its impulse; rate: of what the row is stated on, kinematic bodies included.
    void add_row_work(const RowBlock& block, int r, double force, double rate, EnergyFlows& sum) const;
    EnergyFlows find_powers(const JointState<double>& state,
                            std::span<const double> qacc);
    void add_jump_work(const Workspace<double>& ws, EnergyFlows& sum) const;
    void find_outside_forces();

    // event_forces.cpp
    void add_equalities(const JointState<double>& state, StepReport& report);
    void leave_out_redundant_rows(StepReport& report);
    void add_tracking(const JointState<double>& state);
    void add_pose_drives(const JointState<double>& state);
    void set_bias(const JointState<double>& state);
    bool accelerate(const JointState<double>& state, const Callbacks& callbacks,
                    StepReport& report, std::span<double> qacc);
    double longest_onset(double h) const;
    void find_held();
    void collect_held(const JointState<double>& state, StepReport& report);
    void settle(JointState<double>& state, StepReport& report);
    bool factored_at(const JointState<double>& state);
    double restitution_of(const ClosedContact& contact, double approach);
    double jump(JointState<double>& state, StepReport& report);

    StepContext& context_;
    const Model& model_;
    EventSet set_;
    JointFactor factor_;
    RowSolver solver_;
    Impacts impacts_;
    Surroundings surroundings_;
    PoseDrive pose_drive_;
    std::optional<EqualityClosure> closure_;
    EqualitySystem equalities_;
    CollisionWorkspace probe_;      // for tentative states
    const EventTolerances nothing_;
    double step_ = 0;               // the whole step,
    double next_step_ = 0;          // and what the last error allows
    double last_h_ = 0;
    double settled_ = 0;            // by how much errors were removed before this sub-step; m, rad
    double missed_ = 0;             // by which velocity the last impact misses its rows; 0 after a step

    Rows rows_;                     // of the last accelerations: equalities, then those of the set
    int one_sided_ = 0;             // block of rows_ with which the latter begin
    Rows bound_rows_, tried_bounds_;
    std::vector<Near> near_;        // (contacts)
    std::vector<NearBound> near_bounds_;
    std::vector<double> products_, b_, lambda_, rate_, restitution_;  // (rows)
    Rows held_;                     // what is put back after a step
    std::vector<double> gap_, held_lambda_;
    std::vector<double> tau_, x_, zero_, s_, s_free_, qacc_, drive_;  // (nv)
    std::vector<double> drives_;    // (nv) forces of pose drives and of a clip's
    JointState<double> next_;
    PoseTargets unlimited_;
    Rows unused_;
    JointTerms unused_terms_;
    ForceFlows flows_;
    EnergyFlows powers_;            // of the last accelerations,
    OutsideImpulses outside_;       // … and forces from outside
    struct Bounces {
        int geom_a, geom_b, count;
    };
    std::vector<Bounces> bounces_;  // of this step
};

}  // namespace lig
