#pragma once

// Simulation: a model, its state, one formulation and everything it needs between steps.
//
//   Simulation sim(model);
//   while (sim.state().time < 10) {
//       const StepReport report = sim.step(1.0 / 60);
//       if (report.status != StepStatus::ok) …  // report.where says what failed
//   }
//
// A step never throws. One that fails leaves everything as it was: state, inputs, contacts and impulses; only
// not_converged steps and those of too_many_events have been taken. Sizes are fixed by the model; a step
// allocates only while the number of contacts grows beyond what it has been, and the first time a solver is
// needed. docs/simulation.md tells more.

#include <ligament/collision.h>
#include <ligament/energy_ledger.h>
#include <ligament/momentum_ledger.h>
#include <ligament/simulation_options.h>
#include <ligament/smooth_motion.h>
#include <ligament/snapshot.h>
#include <ligament/tracking.h>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig {

enum class StepStatus {
    ok,
    not_converged,    // impulses were not found to the tolerance, and the step was taken with the best ones;
                      // or no step that joints hold in was found, and none was taken (StepReport::given_up)
    too_many_events,  // with Stepping::event; the rest of the step was made by velocity steps
    non_finite,       // a number that is not finite; `where` names the joint, control or force
    step_too_small,   // accuracy would need more sub-steps than allowed
    bad_arguments,    // a duration that is not a positive number
    callback_failed,  // a callback threw
    equality_open,    // an equality cannot be closed; `where` names it
    overflow,         // more contacts or rows than memory holds
    energy_gained     // the method would make more energy than the guard allows; `where` names where
};
std::string_view name_of(StepStatus status);
enum class StepStage {
    look,      // kinematics and contacts
    assemble,  // forces and rows
    factor,    // inertias and responses
    resolve,   // impulses
    advance    // new velocities and coordinates
};
inline constexpr int step_stages = 5;

// What a step did. Counts are sums over its sub-steps, figures the largest of them.
struct StepReport {
    StepStatus status = StepStatus::ok;
    std::string where;            // what failed and where; empty when all went well
    double time = 0;              // of the state that is left
    int substeps = 0;             // steps taken, of all kinds:
    int smooth_steps = 0;         // … of which under forces and equalities alone, by the smooth integrator
    int velocity_steps = 0;       // … and by impulses on velocities; the others are from event to event
    int rejected = 0;             // … and those that were too long and taken again
    int events = 0,
        impacts = 0;  // Stepping::event: what ended sub-steps, and of these where velocities jumped
    int projected_steps = 0;      // smooth steps by projection, at singular positions where others fail
    bool given_up = false;        // not_converged: no step was taken
    int fallbacks = 0;  // sub-steps or solutions that another method had to find than the one asked for
    std::string fallback;         // the first of them: which method, and why
    int iterations = 0;           // of the solver of impulses
    int rows = 0, contacts = 0;   // of the last sub-step
    int equality_rows = 0, redundant_rows = 0;  // of the last sub-step: rows of equalities, and how many
                                            // of them follow from the others
    double residual = 0;          // velocity (m/s, rad/s) by which rows are missed
    int newton_iterations = 0;    // of integrators that solve for where joints and equalities hold
    double joint_error = 0;       // m or rad, after the step: of joints; 0 on joint coordinates
    int sleeping = 0;             // bodies that are left alone
    double equality_error = 0;    // m or rad, after the step
    double penetration = 0;       // m; of active contacts, after the step
    double limit_violation = 0;   // rad or m, after the step
    EnergyLedger energy;          // of the whole step
    MomentumLedger momentum;      // the same; zero unless options.momentum_ledger
    int guarded = 0;              // sub-steps taken again, or slowed down, because of the energy they made
    std::array<double, step_stages> seconds{};  // by StepStage; zero unless options.timed
};

// Figures of a report in two lists, which files, recordings, JSON, comparisons and pages walk over, and
// whoever joins several reports: a new one is a member above and a line here.
struct StepCount {
    std::string_view name;     // as the member
    std::string_view told_as;  // in summaries of runs; empty: it is not told
    int StepReport::* value;
    bool is_sum;               // over steps; otherwise that of the last one counts
    bool is_sampled = false;   // a column of trajectories
};
inline constexpr StepCount step_counts[] = {
    {"contacts", "", &StepReport::contacts, false, true},
    {"substeps", "substeps", &StepReport::substeps, true, true},
    {"iterations", "", &StepReport::iterations, true, true},
    {"smooth_steps", "smooth_substeps", &StepReport::smooth_steps, true},
    {"velocity_steps", "velocity_substeps", &StepReport::velocity_steps, true},
    {"rejected", "rejected_substeps", &StepReport::rejected, true},
    {"events", "events", &StepReport::events, true},
    {"impacts", "impacts", &StepReport::impacts, true},
    {"newton_iterations", "newton_iterations", &StepReport::newton_iterations, true},
    {"projected_steps", "projected_substeps", &StepReport::projected_steps, true},
    {"fallbacks", "fallbacks", &StepReport::fallbacks, true},
    {"guarded", "guarded_substeps", &StepReport::guarded, true},
    {"equality_rows", "equality_rows", &StepReport::equality_rows, false},
    {"redundant_rows", "redundant_rows", &StepReport::redundant_rows, false},
    {"rows", "", &StepReport::rows, false},
    {"sleeping", "", &StepReport::sleeping, false},
};
// By how much steps miss what they hold. Of several the largest counts.
struct StepError {
    std::string_view name;         // as the member, in trajectories
    std::string_view max_name;     // of a whole run
    double StepReport::* value;
    std::string_view title, unit;  // of plots
    std::string_view table_title, table_unit;
    double table_scale;            // table_unit in the unit of the member
};
inline constexpr StepError step_errors[] = {
    {"penetration", "max_penetration", &StepReport::penetration, "penetration", "m", "overlap", "mm", 1e3},
    {"limit_violation", "max_limit_violation", &StepReport::limit_violation, "limits exceeded by (rad or m)",
     "", "limits", "°", 57.29577951308232},
    {"joint_error", "max_joint_error", &StepReport::joint_error, "gap of joints (m or rad)", "", "joint gap",
     "mm, mrad", 1e3},
    {"equality_error", "max_equality_error", &StepReport::equality_error, "gap of equalities (m or rad)", "",
     "equality gap", "mm, mrad", 1e3},
};

// Whether the step has been made, if not as well as wished.
bool was_taken(const StepReport& report);

class Simulation;
template <class T>
struct SensorWorkspace;

// Called from within a step. One that throws ends the step with callback_failed, and everything is as before
// it. Callbacks may read the simulation and set its inputs and drives; to set its state, restore or step it
// from within is refused.
struct Callbacks {
    // Before forces are computed, with the state they are of: may set controls and applied forces.
    std::function<void(const JointState<double>&, SmoothDynamics&)> control;
    // Once a step, after it: pairs that have begun or ceased to touch, or go on touching. A pair that has
    // done both within the step comes twice, in that order.
    std::function<void(const Simulation&, std::span<const ContactEvent>)> contacts;
};

class Simulation {
public:
    // Throws std::invalid_argument, naming it, where the model holds what the formulation cannot do, and for
    // options that make no sense.
    explicit Simulation(std::shared_ptr<const Model> model, SimulationOptions options = {});
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;
    ~Simulation();

    const Model& model() const;
    const SimulationOptions& options() const;
    Callbacks callbacks;

    const JointState<double>& state() const;
    // Throws std::invalid_argument when it is of another model or not finite.
    void set_state(const JointState<double>& state);
    // body: index in Model::bodies. Joints on it keep their coordinates and velocities. Where only the
    // acceleration is another one, nothing else changes: kinematic_paths.h leads bodies along curves by it.
    void set_kinematic(int body, const BaseMotion<double>& motion);
    void reset();              // the reference configuration at rest, as at the beginning; controls 0
    void reset(int keyframe);  // with the keyframe's controls

    // What acts from outside, kept from step to step: ctrl, qfrc_applied, xfrc_applied.
    SmoothDynamics& inputs();

    // Springs on the joints towards a pose (nq coordinates) and its velocity (nv; empty: at rest): frequency
    // in hertz and damping ratio are those of the two bodies of each joint alone, by their inertia about its
    // axes. max_torque: of each freedom. Stays until changed; bodies that float, on free joints or by their
    // kind, are not driven. Joints: which; empty for all.
    void drive_to_pose(std::span<const double> pose, std::span<const double> velocity, double frequency,
                       double damping_ratio, double max_torque, std::span<const int> joints = {});
    void release_drives();

    // Joints follow a clip from now on, at the time of the simulation, until another one is tracked or they
    // are released: docs/motion-control.md. Throws std::invalid_argument for a clip of another model and for
    // options that make no sense. Like callbacks, what is tracked stays over reset and restore and is in no
    // snapshot; recompile ends it. With Stepping::smooth it takes no part.
    void track(const MotionClip& clip, const TrackingOptions& options = {});
    void release_tracking();
    bool is_tracking() const;
    bool follows_now() const;  // … and no joints are limp at the present time
    // (nv) From where the tracked joints are to where they are to be, as velocities that lead there in unit
    // time; 0 for others.
    void tracking_errors(std::span<double> out) const;

    // Moves on by dt.
    StepReport step(double dt);
    StepReport step() { return step(model().options.timestep); }

    // What acted in the last sub-step of the last step. After a velocity sub-step forces are means over it,
    // at the state that it began with; after a smooth one they are those of the state that it ended with.
    // Nothing is computed before it is asked for, and asking changes nothing; with the inputs as they are.
    // Zero before the first step, after reset, restore or set_state, and after a step that failed.
    //
    // Contacts as they were found, with their impulses on body B.
    const Contacts& contacts() const;
    double contact_time() const;  // how long they acted: force = impulse / time; 0: there were none yet
    // (bodies) What the parent does to the body through its joints, in world axes, about the anchor of its
    // last joint: all that is not known to act from outside (gravity, applied forces, the medium, contacts,
    // equalities), so drives, springs, limits and friction of the joint are in it, about its axes; tendons
    // are, too, as moments at the joints they pass. Zero for bodies without joints.
    void joint_reactions(std::span<Force<double>> out) const;
    // (loops) What body A does to body B, in world axes, about the frame M on B. Where rows are redundant,
    // one of many answers.
    void loop_reactions(std::span<Force<double>> out) const;
    // (pair_constraints) The same of the constraints between two bodies, about the frame on B.
    void pair_reactions(std::span<Force<double>> out) const;
    // (bushings) The same of bushings, about the frame M on B.
    void bushing_forces(std::span<Force<double>> out) const;
    // (nv) Of the joints' limits, along the coordinates.
    void limit_forces(std::span<double> out) const;
    // (nv) Of what makes joints follow a clip, along the coordinates.
    void tracking_forces(std::span<double> out) const;

    // Readings of the model's sensors: of the present state, and of what acted as above; the latter are not
    // evaluated where nothing acted yet. Valid until the next call.
    const SensorWorkspace<double>& read_sensors() const;

    // Where the joint is that closes a loop, and how it moves: nq and nv numbers of its kind.
    void loop_coordinates(int loop, std::span<double> q, std::span<double> v) const;

    Energy<double> energy() const;
    // (bodies) Where bodies are. Formulations on body coordinates whose joints give a little have them apart
    // from where state() would put them.
    void body_poses(std::span<Transformd> out) const;

    // Everything that the next step depends on but the model, options, callbacks and what is tracked: a
    // simulation that is restored goes on bit for bit as the one that was saved. What a snapshot of a state
    // alone lacks is zero. restore throws std::invalid_argument for one that does not fit; the simulation is
    // then as before.
    Snapshot save() const;
    void restore(const Snapshot& snapshot);
    // Goes on with another scene from a snapshot of the present one. Bodies, joints, actuators, geoms, … of
    // the same names keep their coordinates, velocities, activations, inputs, drives, contacts and impulses
    // (those without names by their place among their kind: docs/simulation.md); new ones begin as the scene
    // has them. Throws InputError or std::invalid_argument; the simulation is then as before. Options and
    // callbacks stay.
    void recompile(const Scene& scene, const Snapshot& snapshot);

    struct Inside;

private:
    std::unique_ptr<Inside> inside_;
};

}  // namespace lig
