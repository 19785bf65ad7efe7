// From controls to forces: f = gain · (a or u) + bias, clamped along the way to the ranges of the control,
// of the tendon, of the actuator and of the joint, in this order.

#include "core/scalar_math.h"
#include "dynamics/drive_rows.h"
#include "dynamics/muscle.h"

#include <cmath>

namespace lig {

namespace {

template <class T>
T clamped(const Range& range, const T& x) {
    return max(min(x, lift<T>(range.upper)), lift<T>(range.lower));  // in this order NaN stays NaN
}

bool is_bounded(const Range& range) { return range != Range{}; }

template <class T>
T affine(const std::array<double, 3>& c, const T& length, const T& velocity) {
    return lift<T>(c[0]) + lift<T>(c[1]) * length + lift<T>(c[2]) * velocity;
}

// Shorter time constants than this count as this one.
constexpr double shortest_time = 1e-15;

double time_constant(const Model::Actuator& actuator) {
    return std::max(actuator.time_constant, shortest_time);
}

template <class T>
T activation_rate(const Model::Actuator& actuator, const T& control, const T& activation) {
    if (actuator.activation == Activation::integrator) return control;
    if (actuator.activation == Activation::muscle)
        return muscle_activation_rate(actuator.time_constant, actuator.deactivation_time,
                                      actuator.activation_smoothing, control, activation);
    return (control - activation) / lift<T>(time_constant(actuator));
}

// The rate counts for the whole step, or, integrated exactly, for as long as the filter takes to settle.
template <class T>
T activation_after(const Model::Actuator& actuator, const T& activation, const T& rate, double h) {
    double time = h;
    if (actuator.activation == Activation::filter_exact)
        time = -time_constant(actuator) * std::expm1(-h / time_constant(actuator));
    return clamped(actuator.act_range, activation + lift<T>(time) * rate);
}

template <class T>
T force_by_law(const Model::Actuator& actuator, const T& input, const T& length, const T& velocity) {
    const T gain = actuator.muscle_gain
                       ? muscle_gain(*actuator.muscle_gain, actuator.length_range, length, velocity).value
                       : affine(actuator.gain, length, velocity);
    const T bias = actuator.muscle_bias
                       ? muscle_bias(*actuator.muscle_bias, actuator.length_range, length).value
                       : affine(actuator.bias, length, velocity);
    return gain * input + bias;
}

// Scales the forces of all actuators on a tendon down when their sum exceeds what the tendon bears; or, what
// comes behind the limits of the single ones, on a joint that closes a loop. There it is the sum along the
// joint that counts, of forces times gears.
template <class T>
void limit_tendon_efforts(const Model& model, bool of_loops, DriveWorkspace<T>& drives) {
    const auto bounded = [&](const Model::Actuator& actuator) {
        return actuator.transmission == Transmission::tendon &&
               is_bounded(model.tendons[actuator.tendon].effort) &&
               (model.tendons[actuator.tendon].loop >= 0) == of_loops;
    };
    for (T& sum : drives.tendon_effort) sum = T(0);
    for (int i = 0; i < model.nu; ++i)
        if (bounded(model.actuators[i]))
            drives.tendon_effort[model.actuators[i].tendon] +=
                of_loops ? lift<T>(model.actuators[i].gear[0]) * drives.actuator_force[i]
                         : drives.actuator_force[i];
    for (int i = 0; i < model.nu; ++i) {
        const Model::Actuator& actuator = model.actuators[i];
        if (!bounded(actuator)) continue;
        const T& sum = drives.tendon_effort[actuator.tendon];
        const T allowed = clamped(model.tendons[actuator.tendon].effort, sum);
        // No force is made out of none, whatever the range demands.
        const auto changed = (allowed != sum) & (sum != T(0));
        drives.actuator_force[i] =
            select(changed, drives.actuator_force[i] * (allowed / select(changed, sum, T(1))),
                   drives.actuator_force[i]);
    }
}

}  // namespace

template <class T>
void actuator_forces(const JointState<T>& state, const Model& model, std::span<const T> ctrl,
                     DriveWorkspace<T>& drives) {
    require_size(ctrl.size(), model.nu, "ctrl");
    require_size(state.act.size(), model.na, "act");
    for (T& force : drives.actuator_force) force = T(0);
    for (T& force : drives.joint_force) force = T(0);
    for (T& rate : drives.act_dot) rate = T(0);
    if (!model.options.enabled.actuation || model.nu == 0) return;

    for (int i = 0; i < model.nu; ++i) {
        const Model::Actuator& actuator = model.actuators[i];
        T input = model.options.enabled.clamp_control ? clamped(actuator.ctrl_range, ctrl[i]) : ctrl[i];
        if (actuator.act_adr >= 0) {
            const T& activation = state.act[actuator.act_adr];
            T& rate = drives.act_dot[actuator.act_adr];
            rate = activation_rate(actuator, input, activation);
            input = actuator.act_early
                        ? activation_after(actuator, activation, rate, model.options.timestep)
                        : activation;
        }
        if (!actuator.enabled) continue;
        drives.actuator_force[i] =
            force_by_law(actuator, input, drives.actuator_length[i], drives.actuator_velocity[i]);
    }
    limit_tendon_efforts(model, false, drives);
    for (int i = 0; i < model.nu; ++i)
        drives.actuator_force[i] = clamped(model.actuators[i].force_range, drives.actuator_force[i]);
    limit_tendon_efforts(model, true, drives);
    const auto add_forces = [&](bool of_loops) {
        for (int i = 0; i < model.nu; ++i)
            if (acts_on_loop(model, model.actuators[i]) == of_loops)
                add_along_row<T>(model, drives, model.actuators[i].row, drives.actuator_force[i],
                                 drives.joint_force);
    };
    add_forces(false);
    for (const Model::Joint& joint : model.joints) {
        if (joint.actuators_carry_gravity && !drives.gravity_force.empty())
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                drives.joint_force[k] += drives.gravity_force[k];
        T& first = drives.joint_force[joint.v_adr];
        if (joint.nv == 1) first = clamped(joint.effort, first);
    }
    add_forces(true);
}

template <class T>
void next_activation(const JointState<T>& state, const Model& model, const DriveWorkspace<T>& drives,
                     double h, std::span<T> act) {
    require_size(act.size(), model.na, "act");
    for (const Model::Actuator& actuator : model.actuators) {
        const int k = actuator.act_adr;
        if (k < 0) continue;
        // A group that is switched off holds its activations.
        act[k] = activation_after(actuator, state.act[k], actuator.enabled ? drives.act_dot[k] : T(0), h);
    }
}

#define LIG_INSTANTIATE(T)                                                                              \
    template void actuator_forces(const JointState<T>&, const Model&, std::span<const T>,               \
                                  DriveWorkspace<T>&);                                                  \
    template void next_activation(const JointState<T>&, const Model&, const DriveWorkspace<T>&, double, \
                                  std::span<T>);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
