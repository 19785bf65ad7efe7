// Tendons, actuators and everything else that acts on the joints, put together.

#include <ligament/drives.h>

#include "dynamics/drive_rows.h"

namespace lig {

template <class T>
DriveWorkspace<T>::DriveWorkspace(const Model& model)
    : tendon_length(model.tendons.size()),
      tendon_velocity(model.tendons.size()),
      actuator_length(model.nu),
      actuator_velocity(model.nu),
      row_entries(model.row_velocities.size()),
      actuator_force(model.nu, T(0)),
      act_dot(model.na, T(0)),
      joint_force(model.nv, T(0)),
      row(model.nv),
      tendon_effort(model.tendons.size()) {
    if (!model.floating_mass.empty()) {
        gravity_force.resize(model.nv);
        link_gravity.resize(model.tree.links.size());
    }
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        if (model.tendons[i].armature > 0) inertial_tendons.push_back(static_cast<int>(i));
    if (const std::size_t n = inertial_tendons.size(); n > 0) {
        still.assign(model.nv, T(0));
        responses.resize(n * model.nv);
        system.resize(n * n);
        inertial_force.resize(n);
    }
}

namespace {

// The forces that hold up floating bodies, carried down to the joints.
template <class T>
void update_gravity_compensation(const Workspace<T>& ws, DriveWorkspace<T>& drives) {
    const Model& model = ws.model();
    if (model.floating_mass.empty()) return;
    const Vec3<T> up = lift<T>(-model.options.gravity);
    for (std::size_t i = 0; i < model.tree.links.size(); ++i)
        drives.link_gravity[i] = {cross(ws.poses[i].X_WL.R * lift<T>(model.floating_moment[i]), up),
                                  lift<T>(model.floating_mass[i]) * up};
    for (std::size_t i = model.tree.links.size(); i-- > 0;) {
        const TreeLink<double>& link = model.tree.links[i];
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k)
            drives.gravity_force[k] = dot(ws.S[k], drives.link_gravity[i]);
        if (link.parent >= 0)
            drives.link_gravity[link.parent] +=
                shift_back(drives.link_gravity[i], ws.poses[i].X_WL.p - ws.poses[link.parent].X_WL.p);
    }
}

}  // namespace

template <class T>
void update_drives(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives) {
    update_tendons(state, ws, drives);
    update_transmissions(state, ws, drives);
    update_gravity_compensation(ws, drives);
}

template <class T>
void add_passive_forces(const JointState<T>& state, const Model& model, const DriveWorkspace<T>& drives,
                        std::span<T> tau) {
    if (model.options.enabled.spring) {
        add_spring_forces(state, model, tau);
        add_tendon_spring_forces(model, drives, tau);
    }
    if (model.options.enabled.damper) {
        add_damping_forces(state, model, tau);
        add_tendon_damping_forces(model, drives, tau);
    }
    if (drives.gravity_force.empty()) return;
    for (const Model::Joint& joint : model.joints)
        if (!joint.actuators_carry_gravity)
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) tau[k] += drives.gravity_force[k];
}

template <class T>
void add_smooth_forces(const JointState<T>& state, const Model& model, std::span<const T> ctrl,
                       DriveWorkspace<T>& drives, std::span<T> tau) {
    add_passive_forces(state, model, drives, tau);
    actuator_forces(state, model, ctrl, drives);
    for (int k = 0; k < model.nv; ++k) tau[k] += drives.joint_force[k];
}

#define LIG_INSTANTIATE(T)                                                                         \
    template struct DriveWorkspace<T>;                                                             \
    template void update_drives(const JointState<T>&, const Workspace<T>&, DriveWorkspace<T>&);    \
    template void add_passive_forces(const JointState<T>&, const Model&, const DriveWorkspace<T>&, \
                                     std::span<T>);                                                \
    template void add_smooth_forces(const JointState<T>&, const Model&, std::span<const T>,        \
                                    DriveWorkspace<T>&, std::span<T>);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
