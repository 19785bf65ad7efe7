#pragma once

// Motion under forces alone: gravity, springs, dampers, actuators, a medium and what is applied from outside.
// Contacts, limits, loops, couplings and dry friction take no part; whoever calls this has seen to it that
// there are none, or wants to leave them out.

#include <ligament/drives.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

// A model with what acts on it from outside, and the accelerations that follow from that. Throws
// std::invalid_argument for a model with bodies that are not rigid.
class SmoothDynamics {
public:
    explicit SmoothDynamics(std::shared_ptr<const Model> model);

    const Model& model() const { return ws.model(); }

    std::vector<double> ctrl;                 // (nu)
    std::vector<double> qfrc_applied;         // (nv)
    std::vector<Force<double>> xfrc_applied;  // (nbody) moment and force at the centre of mass, in world axes

    // (nv) The kinematics of the state are in `ws` afterwards, lengths, forces and act_dot in `drives`.
    std::span<const double> accelerate(const JointState<double>& state);

    // All forces but gravity and inertia: those along the velocities are added to tau, those on bodies left in
    // ws.f_ext. Returns whether there are any of the latter. After forward_kinematics.
    bool collect_forces(const JointState<double>& state, std::span<double> tau);

    Workspace<double> ws;
    DriveWorkspace<double> drives;

private:
    std::vector<double> tau_, qacc_;
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
    // Called before accelerations are computed, with the state they are of: may set ctrl and what is applied.
    std::function<void(const JointState<double>&, SmoothDynamics&)> control;
};

enum class MotionStatus {
    ok,
    non_finite,      // an acceleration is not finite
    step_too_small,  // the tolerance cannot be reached
    bad_arguments    // a duration, step or tolerance that is none
};

struct MotionReport {
    MotionStatus status = MotionStatus::ok;
    int steps = 0, rejected = 0;
    int evaluations = 0;       // of the accelerations
    double time = 0;           // of the state that is left
    std::string where;         // what failed: the joint whose acceleration is not finite, or the argument
};

// Advances states of one model. Sized once; advancing does not allocate, but for the text of a failure.
class SmoothMotion {
public:
    explicit SmoothMotion(std::shared_ptr<const Model> model);

    SmoothDynamics dynamics;

    // Moves the state on by the duration, in steps of options.step (the last one shorter), or as rk45 chooses
    // them. Kinematic bodies move with their constant accelerations. Never throws: when something fails, the
    // report says what, and the state is that of the last good step.
    MotionReport advance(JointState<double>& state, double duration, const SmoothOptions& options = {});

private:
    // (nq + nv + na) coordinates, velocities, activations, or their rates.
    using Vector = std::vector<double>;

    bool evaluate(const JointState<double>& state, const SmoothOptions& options, MotionReport& report,
                  Vector& rates);
    void combine(const JointState<double>& start, double h, std::span<const double> weights, double when,
                 JointState<double>& out) const;
    bool step_euler(JointState<double>& state, double h, const SmoothOptions& options, MotionReport& report);
    bool step_rk4(JointState<double>& state, double h, const SmoothOptions& options, MotionReport& report);
    bool advance_rk45(JointState<double>& state, double duration, const SmoothOptions& options,
                      MotionReport& report);
    void settle(JointState<double>& state) const;

    std::vector<int> quaternions_;  // where quaternions begin in q, and
    std::vector<int> turns_;        // where their angular velocities do in v
    std::vector<int> adding_q_, adding_v_;  // coordinates whose rates are velocities
    std::vector<Vector> rates_;     // of the stages
    JointState<double> stage_, next_;
};

}  // namespace lig
