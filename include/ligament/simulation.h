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
#include <ligament/smooth_motion.h>
#include <ligament/snapshot.h>
#include <ligament/tracking.h>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

enum class StepStatus {
    ok,
    not_converged,    // impulses were not found to the tolerance, and the step was taken with the best ones;
                      // or no step that joints hold in was found, and none was taken (StepReport::given_up)
    too_many_events,  // with Stepping::event; the rest of the step was made by velocity steps
    non_finite,       // a number that is not finite; `where` names the joint, control or force
    step_too_small,   // accuracy would need more sub-steps than allowed
    bad_arguments,    // a duration that is none
    callback_failed,  // a callback threw
    loop_open,        // a loop or coupling cannot be closed; `where` names it
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
    int smooth_steps = 0;         // … of which under forces and loops alone, by the smooth integrator
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
    int loop_rows = 0, redundant_rows = 0;  // of the last sub-step: rows of loops and couplings, and how many
                                            // of them follow from the others
    double residual = 0;          // velocity (m/s, rad/s) by which rows are missed
    int newton_iterations = 0;    // of integrators that solve for where joints and loops hold
    double joint_error = 0;       // m or rad, after the step: of joints; 0 on joint coordinates
    int sleeping = 0;             // bodies that are left alone
    double loop_error = 0;        // m or rad, after the step
    double penetration = 0;       // m; of active contacts, after the step
    double limit_violation = 0;   // rad or m, after the step
    EnergyLedger energy;          // of the whole step
    MomentumLedger momentum;      // the same; zero unless options.momentum_ledger
    int guarded = 0;              // sub-steps taken again, or slowed down, because of the energy they made
    std::array<double, step_stages> seconds{};  // by StepStage; zero unless options.timed
};

// Whether the step has been made, if not as well as wished.
bool was_taken(const StepReport& report);

enum class Stepping {
    automatic,  // sub-steps as accuracy asks: smooth ones where nothing is touched, else velocity steps
    velocity,   // velocity steps of the given length, no more and no fewer
    event,      // from event to event: impacts, landings, ends of sliding are located; between them forces of
                // contacts, limits and friction go with the accelerations, in steps by their error
    smooth      // the smooth integrator alone: contacts, limits and dry friction take no part
};

// How several impacts at one instant are resolved.
enum class ImpactLaw {
    automatic,     // sequential where anything bounces, else simultaneous
    simultaneous,  // all at once: every contact leaves with its restitution times its own approach
    sequential     // pair of bodies by pair, the fastest first, until nothing approaches: what waves that run
                   // through bodies in turn do
};

// The law of sliding friction.
enum class FrictionLaw {
    cone,      // a circle: friction against the sliding, of the same strength in all directions
    six_rows,  // four directions and the slip: six conditions per contact, Kokkevis 2004 (19–21)
    tangent,   // one direction: against the sliding, or the last one, or one by chance: three conditions
    per_axis   // two directions, each by itself: a square around the circle (`impulse`)
};

// Which unknowns smooth motion is integrated in.
enum class Coordinates {
    automatic,  // those of the formulation
    maximal,    // poses and velocities of bodies; joints hold by forces
    joint       // joints hold by themselves
};

// How loops are kept closed where joints hold by forces.
enum class LoopMethod {
    direct,       // together with the joints, by one factorization
    anticipation  // their forces come first, with what the joints will make of them: Baraff 1996, 8.1
};

// What forces do.
enum class Law {
    dynamic,   // they accelerate: mass times acceleration
    kinematic  // they move: mass times velocity, for what is dragged about
};

// Of motion where nothing is touched.
enum class SmoothIntegrator {
    automatic,  // that of the formulation: `reduced` has rk45
    euler,
    rk4,
    rk45,   // as in SmoothMethod
    rattle,  // second order, symplectic: joints and loops hold at the end of each step in coordinates and
             // velocities
    backward_euler,  // implicit, first order: everything at the end of the step, stable however stiff
    bdf2             // the same of second order, by two steps back
};

// How limits, contacts and dry friction act.
enum class Touching {
    automatic,  // as the formulation has it
    hard,       // by impulses, which let nothing pass and nothing slide that should not
    penalty     // by stiff one-sided springs, implicit
};

// A constraint that gives a little: as a spring and damper of this frequency (hertz) and damping ratio
// between the two bodies it acts on.
struct Softening {
    double frequency, damping_ratio;
};

// Of the formulation `impulse`: docs/impulse.md.
struct ImpulseOptions {
    int substeps = 0;  // of a step; 0: the solver's own
    bool warm_starting = true;
    // False: bounds hold for each corrective impulse instead of their sum. That is wrong, and here to be seen
    // (classic).
    bool accumulated_clamping = true;
    double bias_factor = 0.2;     // classic: the share of an error that a step removes
    double slop = 1e-4;           // m, rad: contacts and limits may be passed by this
    double least_impulse = 0;     // N·s, N·m·s: sweeps end when no corrective impulse is larger
    Softening contacts{30, 10};   // soft-step
    Softening joints{60, 5};      // soft-step
    bool sleeping = false;  // islands that have come to rest are left alone until something disturbs them
};

// What a formulation does not have is refused by name.
struct SimulationOptions {
    std::string formulation = "reduced";
    Coordinates coordinates = Coordinates::automatic;
    LoopMethod loops = LoopMethod::direct;
    Law law = Law::dynamic;
    double baumgarte = 0;         // 1/s: errors of joints decay by this rate, by forces; 0: by projection
    Stepping stepping = Stepping::automatic;
    ImpactLaw impact = ImpactLaw::automatic;
    FrictionLaw friction = FrictionLaw::cone;  // others: with LCP solvers that take them (lemke)
    unsigned seed = 0;            // of directions by chance
    int most_events = 400;        // of one step, with Stepping::event
    SmoothIntegrator integrator = SmoothIntegrator::automatic;  // where nothing is touched
    double tolerance = 1e-7;      // relative error of a smooth step
    // Of implicit steps. How many iterations of Newton's method, 0: until it converges; whether forces of
    // joints and loops count with the way they turn; limits and contacts by penalties: how stiff, as the
    // frequency in hertz of what rests on one of them, and how much less they push what moves away than what
    // comes, per velocity: s/m, s/rad.
    int newton = 0;
    bool geometric_stiffness = true;
    Touching touching = Touching::automatic;
    double penalty_frequency = 100, penalty_dissipation = 1;
    int most_substeps = 20000;    // of one step
    // Of impulses: automatic is the formulation's own; sweeps, or one of the LCP solvers; of the formulation
    // `impulse` soft-step or classic.
    std::string solver = "automatic";
    int iterations = 0;           // of the solver; 0: its own limit
    double accuracy = 1e-6;       // m/s, rad/s: velocity errors of rows below this are as good as none
    // The guard: what the method may make, as a share of the energy in motion; 0: anything. Beyond it
    // sub-steps are taken again shorter, then slowed down by what is too much: docs/energy.md.
    double energy_guard = 0.01;
    // Fill StepReport::momentum. Not kept under the kinematic law, where nothing has momentum.
    bool momentum_ledger = false;
    int threads = 1;              // results do not depend on it
    bool timed = false;           // fill StepReport::seconds
    ImpulseOptions impulse{};
};

class Simulation;

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
    // loops), so drives, springs, limits and friction of the joint are in it, about its axes; tendons are,
    // too, as moments at the joints they pass. Zero for bodies without joints.
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
