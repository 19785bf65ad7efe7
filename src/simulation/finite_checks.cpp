#include "simulation/finite_checks.h"

#include "joints/joint_list.h"
#include "model/base_numbers.h"
#include "model/named.h"

#include <cmath>

namespace lig {

namespace {

// Whether a joint's quaternion is none.
bool lacks_direction(const Model::Joint& joint, const double* q) {
    const joints::JointInfo& info = joints::joint_info(joint.type);
    for (int k = 0; k < info.nq; ++k)
        if (info.coordinate_kinds[k] == joints::Coordinate::quaternion) {
            if (q[k] == 0 && q[k + 1] == 0 && q[k + 2] == 0 && q[k + 3] == 0) return true;
            k += 3;
        }
    return false;
}

bool is_finite(const Vec3d& x) { return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z); }

}  // namespace

std::string find_bad_input(const SmoothDynamics& inputs) {
    const Model& model = inputs.model();
    if (inputs.ctrl.size() != static_cast<std::size_t>(model.nu)) return "the controls are of another model";
    if (inputs.qfrc_applied.size() != static_cast<std::size_t>(model.nv) ||
        inputs.xfrc_applied.size() != model.bodies.size())
        return "the applied forces are of another model";
    for (std::size_t k = 0; k < inputs.ctrl.size(); ++k)
        if (!std::isfinite(inputs.ctrl[k]))
            return "the control of " + named("actuator", model.actuators[k].name, k) + " is not finite";
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        for (int k = model.joints[j].v_adr; k < model.joints[j].v_adr + model.joints[j].nv; ++k)
            if (!std::isfinite(inputs.qfrc_applied[k]))
                return "the force applied to " + named("joint", model.joints[j].name, j) + " is not finite";
    for (std::size_t b = 0; b < inputs.xfrc_applied.size(); ++b)
        if (!is_finite(inputs.xfrc_applied[b].ang) || !is_finite(inputs.xfrc_applied[b].lin))
            return "the force applied to " + named("body", model.bodies[b].name, b) + " is not finite";
    return {};
}

std::string find_bad_motion(const BaseMotion<double>& motion) {
    bool finite = true;
    for_each_number(motion, motion, [&](double x, double) { finite = finite && std::isfinite(x); });
    const Quatd& q = motion.quat;
    if (!finite) return "is not finite";
    return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0 ? "has a quaternion of length 0" : "";
}

std::string find_bad_state(const Model& model, const JointState<double>& state) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        for (int k = joint.q_adr; k < joint.q_adr + joint.nq; ++k)
            if (!std::isfinite(state.q[k]))
                return "a coordinate of " + named("joint", joint.name, j) + " is not finite";
        if (lacks_direction(joint, state.q.data() + joint.q_adr))
            return "the quaternion of " + named("joint", joint.name, j) + " has the length 0";
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(state.v[k]))
                return "a velocity of " + named("joint", joint.name, j) + " is not finite";
    }
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
        const Model::Actuator& actuator = model.actuators[k];
        if (actuator.act_adr >= 0 && !std::isfinite(state.act[actuator.act_adr]))
            return "the activation of " + named("actuator", actuator.name, k) + " is not finite";
    }
    for (const Model::Loop& loop : model.loops)
        for (int k = 0; loop.q_adr >= 0 && !state.loop_q.empty() && k < joints::joint_info(loop.type).nq; ++k)
            if (!std::isfinite(state.loop_q[loop.q_adr + k]))
                return "a coordinate of loop '" + loop.name + "' is not finite";
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        const int body = model.kinematic_bodies[k];
        if (const std::string bad = find_bad_motion(state.kinematic[k]); !bad.empty())
            return "the motion of the kinematic " + named("body", model.bodies[body].name, body) + " " + bad;
    }
    return std::isfinite(state.time) ? std::string() : std::string("the time is not finite");
}

}  // namespace lig
