#pragma once

// Motion under forces alone (gravity, springs, dampers, actuators, a medium and what is applied from outside)
// and under equalities, which hold exactly: docs/loops.md. Contacts, limits and dry friction take no
// part; whoever calls this has seen to it that there are none, or wants to leave them out.

#include <ligament/drives.h>
#include <ligament/energy_ledger.h>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

class EqualityClosure;  // inside
struct HeldContact;  // inside
class FreeMomentum;  // inside
class ForceFlows;    // inside
class MomentumAccount;  // inside

// What became of closing the equalities of a state.
struct ClosingReport {
    bool closed = true;
    double error = 0;      // of the worst row, after it: m or rad
    double relative = 0;   // the same relative to the size of the parts it holds
    bool straight = false;  // a rope drawn straight, or nearly so: closed as far as that may be
    int iterations = 0;
    std::string where;     // the equality that is off the most; empty when all are closed
};

// How far a state is from closed: the largest error, in m or rad, and that relative to the size of its row.
struct EqualityErrors {
    double largest = 0, relative = 0;
    int block = -1;  // of the largest relative one
};

// Which rows of equalities count where some follow from others.
enum class RowChoice {
    anew,  // those that are independent in the state
    kept  // those that were in the last state that was asked about with `anew`: for the stages of a step,
          // which are a little off the equalities, so that dependent rows contradict each other there
};

enum class ChangeOf {
    velocities,
    coordinates
};

// A model with what acts on it from outside, and the accelerations that follow from that.
class SmoothDynamics {
public:
    explicit SmoothDynamics(std::shared_ptr<const Model> model);
    SmoothDynamics(SmoothDynamics&&) noexcept;
    SmoothDynamics& operator=(SmoothDynamics&&) noexcept;
    ~SmoothDynamics();

    const Model& model() const { return ws.model(); }
    bool has_equalities() const { return closure_ != nullptr; }  // active and not switched off

    std::vector<double> ctrl;                 // (nu)
    std::vector<double> qfrc_applied;         // (nv)
    std::vector<Force<double>> xfrc_applied;  // (nbody) moment and force at the centre of mass, in world axes

    // (nv) The kinematics of the state are in `ws` afterwards, lengths, forces and act_dot in `drives`, what
    // equalities do in `multipliers`.
    std::span<const double> accelerate(const JointState<double>& state, RowChoice rows = RowChoice::anew);

    // Puts a state that is a little off its equalities back onto them: q and v change by as little
    // as possible, measured by the inertia. A state that fits is left as it is, one that cannot be closed is,
    // too.
    ClosingReport close_equalities(JointState<double>& state);
    // Its two parts: the coordinates alone; and the velocities, for a state whose coordinates are closed.
    // held: contacts that are to keep their distances meanwhile. within: behind an implicit step of this
    // length (s), in which the elasticity of bodies that deform counts with their inertia; 0: it does not.
    // Without it stiff bodies would be strained by what closes equalities, and throw each other about.
    ClosingReport close_coordinates(JointState<double>& state,
                                    const std::vector<HeldContact>* held = nullptr, double within = 0);
    void fit_velocities(JointState<double>& state, double within = 0);
    // Whether velocities fit the equalities, to a millionth of the fastest; after equality_errors of the
    // state.
    bool velocities_fit(const JointState<double>& state);
    // How far a state is from closed.
    EqualityErrors equality_errors(const JointState<double>& state);
    // "loop 'pin' between 'coupler' and 'rocker' is open by 2e-05"; of the state looked at last.
    std::string describe(const EqualityErrors& errors) const;

    // The forces of the last accelerations along the rows of all loops, Model::Loop::rows each, then of all
    // couplings, then of all tendon couplings, then of all pair constraints: the force on body B in the axes
    // of F, in the order of the rows of the joint; along the follower's coordinate or length; along the rows
    // of the constraint, at their scale. 0 for what is inactive and for redundant rows.
    std::vector<double> multipliers;
    int equality_rows = 0;   // of those that act;
    int redundant_rows = 0;  // of these, how many follow from the others
    // Of the smallest angle between one of these rows and the others: accelerations are known to rounding
    // over this, which is small near singular positions.
    double smallest_sine = 1;
    // Takes multipliers that something else has found for a state: what follows is then of these.
    void take_multipliers(const JointState<double>& state, std::span<const double> found);
    // What they do to the joints. (nv)
    void equality_forces(std::span<double> out);
    // The force and moment of each loop on its body B, in world axes at its frame M; body A has the opposite
    // at the same point. (loops)
    void loop_reactions(std::span<Force<double>> out) const;
    // The same of each constraint between two bodies. (pair_constraints)
    void pair_reactions(std::span<Force<double>> out) const;
    // Takes from a change of the velocities (nv), or of the coordinates counted like velocities, what would
    // lead off the equalities of the state that was accelerated last. What restrains velocities alone leaves
    // coordinates as they are.
    void take_out_equalities(std::span<double> change, ChangeOf of);

    // What the forces of the last accelerations do per second, by where it is booked: W. At the velocities of
    // the state that was accelerated, or at others of its joints (nv).
    EnergyFlows powers(const JointState<double>& state);
    EnergyFlows powers(const JointState<double>& state, std::span<const double> v);

    // Integrators add the impulses from outside here; null: the ledger is off.
    MomentumAccount* momentum = nullptr;

    // The forces on bodies, of the medium and applied: in ws.f_ext. Returns whether there are any. After
    // forward_kinematics.
    bool push_bodies();

    Workspace<double> ws;
    DriveWorkspace<double> drives;

private:
    void fit_velocities(const EqualityErrors& error, JointState<double>& state);
    bool is_straight(const EqualityErrors& error) const;
    bool close_by_contraction(JointState<double>& state, EqualityErrors& error, int& iterations);
    void close_with_care(JointState<double>& state, EqualityErrors& error, int& iterations);
    double power_of_bases(const JointState<double>& state);

    std::vector<double> tau_, qacc_;
    std::unique_ptr<EqualityClosure> closure_;  // none where there is nothing to close
    std::unique_ptr<ForceFlows> flows_;
    std::vector<double> start_q_, better_q_, change_;  // scratch of close_equalities
};

enum class SmoothMethod {
    euler,  // semi-implicit, first order: velocities first, then coordinates by the new velocities
    rk4,    // the classical method of Runge and Kutta, fourth order
    rk45    // Dormand and Prince, fifth order with an error estimate that chooses the steps
};

struct SmoothOptions {
    SmoothMethod method = SmoothMethod::rk45;
    double step = 1.0 / 60;    // rk45: the longest
    double tolerance = 1e-9;  // rk45: of a step's error, for coordinates, velocities and activations relative
                              // to 1 and their size
    int max_steps = 0;        // 0: any number
    // Called before accelerations are computed, with the state they are of: may set ctrl and what is applied.
    std::function<void(const JointState<double>&, SmoothDynamics&)> control;
};

enum class MotionStatus {
    ok,
    non_finite,      // an acceleration is not finite
    step_too_small,  // the tolerance cannot be reached
    bad_arguments,   // a duration, step or tolerance that is not a positive number
    control_failed,  // the control threw
    equality_open,  // an equality is not closed at the start, by too much to do it in passing, or cannot
                // be kept closed
    not_converged  // of implicit steps: none was found in which joints and equalities hold
};

// What became of moving a state on by a duration, whatever the method.
struct MotionReport {
    MotionStatus status = MotionStatus::ok;
    int steps = 0, rejected = 0;
    int evaluations = 0;        // of the accelerations, of explicit methods
    int newton_iterations = 0;  // of methods that solve for where joints and equalities hold
    int projected_steps = 0;    // steps by projection, at singular positions where RATTLE finds none
    double time = 0;            // of the state that is left
    int equality_rows = 0, redundant_rows = 0;  // of the last accelerations: rows of equalities, and how
                                            // many of them follow from the others
    double joint_error = 0, equality_error = 0;       // the largest after a step, m or rad
    double penetration = 0, limit_violation = 0;      // the same, of methods that contacts take part in
    EnergyFlows work;           // of the steps that were made, J
    double found_elastic = 0;   // J, in the springs of penalties at the beginning, if not known before
    std::string where;  // what failed: the joint whose acceleration is not finite, the loop, or the argument

    // Counts what an earlier part of the same motion has done.
    void add(const MotionReport& earlier);
};

// Advances states of one model. Sized once; advancing does not allocate, but for the text of a failure.
class SmoothMotion {
public:
    explicit SmoothMotion(std::shared_ptr<const Model> model);
    SmoothMotion(SmoothMotion&&) noexcept;
    SmoothMotion& operator=(SmoothMotion&&) noexcept;
    ~SmoothMotion();

    SmoothDynamics dynamics;

    // Moves the state on by the duration, in steps of options.step (the last one shorter), or as rk45 chooses
    // them. Kinematic bodies move with their constant accelerations. Equalities are closed at the
    // start and after each step. Never throws: when something fails, the report says what, and the state is
    // that of the last good step.
    MotionReport advance(JointState<double>& state, double duration, const SmoothOptions& options = {});

    // Accelerations of a state, for whoever has more forces than `dynamics` knows of. It leaves the rates of
    // activations in dynamics.drives. False: there are none.
    using Accelerate = std::function<bool(const JointState<double>& state, std::span<double> qacc)>;
    // One step of rk45, tried: `to` is where it leads, equalities and what floats are not looked after. qacc:
    // of `from`, for which `accelerate` has been called last. Returns the estimated error relative to the
    // tolerance, infinite where accelerations could not be had. The last call is of the state `to`.
    double try_step(const JointState<double>& from, std::span<const double> qacc, double h, double tolerance,
                    const Accelerate& accelerate, JointState<double>& to);

private:
    // (nq + nv + na) coordinates, velocities, activations, or their rates.
    using Vector = std::vector<double>;

    bool evaluate(const JointState<double>& state, const SmoothOptions& options, MotionReport& report,
                  int stage, RowChoice rows = RowChoice::kept);
    void add_work(double h, std::span<const double> weights, MotionReport& report) const;
    bool close(JointState<double>& state, MotionReport& report);
    void combine(const JointState<double>& start, double h, std::span<const double> weights, double when,
                 JointState<double>& out) const;
    bool step_euler(JointState<double>& state, double h, const SmoothOptions& options, MotionReport& report);
    bool step_rk4(JointState<double>& state, double h, const SmoothOptions& options, MotionReport& report);
    bool advance_rk45(JointState<double>& state, double duration, const SmoothOptions& options,
                      MotionReport& report);
    void settle(JointState<double>& state) const;
    void write_rates(const Vector& q, const Vector& v, Vector& rates) const;
    double relative_error(const JointState<double>& from, const JointState<double>& to,
                          double tolerance) const;
    void find_error(double h);
    double error_of_step(const JointState<double>& from, const JointState<double>& to, double h,
                         double tolerance);

    std::vector<int> quaternions_;  // where quaternions begin in q, and
    std::vector<int> turns_;        // where their angular velocities do in v
    std::vector<int> adding_q_, adding_v_;  // coordinates whose rates are velocities
    std::vector<Vector> rates_;     // of the stages,
    std::array<EnergyFlows, 7> powers_;  // … and what forces do in them
    Vector error_, change_;         // of a step, as rates; (nv) of coordinates, counted like velocities
    double smallest_sine_ = 1;      // of the stages
    JointState<double> stage_, next_;
    std::unique_ptr<FreeMomentum> momentum_;  // of what floats
};

}  // namespace lig
