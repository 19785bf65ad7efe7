#include "simulation/force_flows.h"

#include "constraints/length_row.h"
#include "dynamics/bushing_pulls.h"
#include "dynamics/drive_rows.h"
#include "dynamics/joint_springs.h"
#include "dynamics/tendon_force.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <algorithm>

namespace lig {

namespace {

bool is_zero(const Force<double>& f) {
    return f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0 && f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0;
}
bool is_still(const Motion<double>& v) {
    return v.ang.x == 0 && v.ang.y == 0 && v.ang.z == 0 && v.lin.x == 0 && v.lin.y == 0 && v.lin.z == 0;
}

bool is_pushed(std::span<const double> forces) {
    return std::any_of(forces.begin(), forces.end(), [](double x) { return x != 0; });
}

double product(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

}  // namespace

ForceFlows::ForceFlows(const Model& model) {
    const bool damped = model.options.enabled.damper;
    has_dampers_ = damped && std::any_of(model.joints.begin(), model.joints.end(), has_damper);
    has_tendon_dampers_ =
        damped && std::any_of(model.tendons.begin(), model.tendons.end(), [](const Model::Tendon& tendon) {
            return !is_zero(tendon.damping, tendon.damping_poly);
        });
    has_medium_ = has_medium(model);
    has_bushings_ = has_bushings(model);
    drives = model.nu > 0;
    pulls_stretches_ = damped && has_bushings_ && !model.deforming.empty();
    damps_joints = has_dampers_ || has_tendon_dampers_ || pulls_stretches_;
    drags_links = has_medium_ || has_bushings_;
    // Actuators that are to hold up weight but are switched off let it fall, which is no loss of the model's.
    for (const Model::Joint& joint : model.joints)
        drives = drives || (joint.actuators_carry_gravity && !model.floating_mass.empty());
    if (drives) drive_forces.assign(model.nv, 0.0);
    if (damps_joints) damper_forces.assign(model.nv, 0.0);
    pushes.assign(model.tree.links.size(), Force<double>::zero());
    motion_.resize(model.tree.links.size());
    if (drags_links) drags = pushes;
}

bool ForceFlows::any(const SmoothDynamics& inputs) const {
    return drives || damps_joints || drags_links || is_pushed(inputs.qfrc_applied) ||
           std::any_of(inputs.xfrc_applied.begin(), inputs.xfrc_applied.end(),
                       [](const Force<double>& f) { return !is_zero(f); });
}

void ForceFlows::find(const SmoothDynamics& inputs, const JointState<double>& state) {
    drives_by_bases = dampers_by_bases = kinematic = 0;
    bases_move = std::any_of(state.kinematic.begin(), state.kinematic.end(),
                             [](const BaseMotion<double>& base) { return !is_still(base.velocity); });
    applied_to_joints = is_pushed(inputs.qfrc_applied);
    if (drives) find_drives(inputs);
    if (damps_joints) find_dampers(inputs, state);
    find_link_forces(inputs);
    if (bases_move) find_shares_of_bases(inputs, state);
}

void ForceFlows::find_drives(const SmoothDynamics& inputs) {
    drive_forces = inputs.drives.joint_force;
    if (inputs.drives.gravity_force.empty()) return;
    for (const Model::Joint& joint : inputs.model().joints)
        if (joint.actuators_carry_gravity)
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                drive_forces[k] -= inputs.drives.gravity_force[k];
}

void ForceFlows::find_dampers(const SmoothDynamics& inputs, const JointState<double>& state) {
    std::fill(damper_forces.begin(), damper_forces.end(), 0.0);
    if (has_dampers_) add_damping_forces<double>(state, inputs.model(), damper_forces);
    if (has_tendon_dampers_) add_tendon_damping_forces<double>(inputs.model(), inputs.drives, damper_forces);
    for (int k = 0; k < static_cast<int>(inputs.model().bushings.size()) && pulls_stretches_; ++k)
        for_each_bushing_pull(inputs.ws, k, bushing_damper_wrench(inputs.ws, k),
                              [&](int dof, double value) { damper_forces[dof] += value; });
}

void ForceFlows::find_link_forces(const SmoothDynamics& inputs) {
    const Workspace<double>& ws = inputs.ws;
    const Model& model = ws.model();
    if (applied_to_links) std::fill(pushes.begin(), pushes.end(), Force<double>::zero());
    applied_to_links = false;
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        const Force<double>& f = inputs.xfrc_applied[b];
        const Model::Body& body = model.bodies[b];
        if (body.link < 0 || is_zero(f)) continue;
        applied_to_links = true;
        pushes[body.link] += shift_back(f, ws.poses[body.link].X_WL.R * (body.X_LB * body.com));
    }
    if (!drags_links) return;
    for (std::size_t i = 0; i < drags.size(); ++i)
        drags[i] = has_medium_ ? ws.f_ext[i] - pushes[i] : Force<double>::zero();
    if (has_bushings_) add_bushings(ws);
}

// Of what ws.f_ext has of bushings, dampers count alone.
void ForceFlows::add_bushings(const Workspace<double>& ws) {
    const Model& model = ws.model();
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& bushing = model.bushings[k];
        if (!bushing.active) continue;
        const int a = model.bodies[bushing.body_a].link, b = model.bodies[bushing.body_b].link;
        const Vec3d origin = attached_frame(ws, bushing.body_b, bushing.X_BM).p;
        Force<double> force = bushing_damper_wrench(ws, static_cast<int>(k));
        if (has_medium_) force -= bushing_wrench(ws, static_cast<int>(k));
        if (b >= 0) drags[b] += shift_back(force, origin - ws.poses[b].X_WL.p);
        if (a >= 0) drags[a] -= shift_back(force, origin - ws.poses[a].X_WL.p);
    }
}

// A length l that changes by l̇ = J v + r, r by the bases, and a force f along it: the joints feel f J v of
// the f l̇ that it does, and the bases take −f r.
void ForceFlows::find_shares_of_bases(const SmoothDynamics& inputs, const JointState<double>& state) {
    const Workspace<double>& ws = inputs.ws;
    const Model& model = ws.model();
    const DriveWorkspace<double>& lengths = inputs.drives;
    for (int i = 0; i < model.nu && drives; ++i) {
        const double by_bases = lengths.actuator_velocity[i] -
                                speed_by_joints(state, model, lengths, model.actuators[i].row);
        drives_by_bases += lengths.actuator_force[i] * by_bases;
    }
    kinematic -= drives_by_bases;
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        const double by_bases =
            lengths.tendon_velocity[i] - speed_by_joints(state, model, lengths, tendon.row);
        if (by_bases == 0) continue;
        const double damper = model.options.enabled.damper ? damper_force(tendon, lengths.tendon_velocity[i])
                                                           : 0;
        const double spring = model.options.enabled.spring ? spring_force(tendon, lengths.tendon_length[i])
                                                           : 0;
        dampers_by_bases += damper * by_bases;
        kinematic -= (damper + spring) * by_bases;
    }
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& bushing = model.bushings[k];
        if (!bushing.active) continue;
        const Vec3d origin = attached_frame(ws, bushing.body_b, bushing.X_BM).p;
        const Force<double> all = bushing_wrench(ws, static_cast<int>(k)),
                            damper = bushing_damper_wrench(ws, static_cast<int>(k));
        for (const auto& [body, sign] : {std::pair{bushing.body_a, -1.0}, std::pair{bushing.body_b, 1.0}}) {
            const int link = model.bodies[body].link;
            if (link >= 0) continue;
            const Motion<double> V = shift(carrier_velocity(ws, link), origin - carrier_pose(ws, link).p);
            dampers_by_bases += sign * dot(V, damper);
            kinematic -= sign * dot(V, all);
        }
    }
    if (lengths.link_gravity.empty()) return;
    for (std::size_t i = 0; i < model.tree.links.size(); ++i) {
        const int base = model.tree.links[i].parent;
        if (base >= -1) continue;
        const Vec3d arm = ws.poses[i].X_WL.p - carrier_pose(ws, base).p;
        kinematic -= dot(shift(carrier_velocity(ws, base), arm), lengths.link_gravity[i]);
    }
}

double power_through_roots(const Workspace<double>& ws) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    double sum = 0;
    for (std::size_t i = 0; i < links.size(); ++i)
        if (const int base = links[i].parent; base < -1)
            sum += dot(shift(carrier_velocity(ws, base), ws.poses[i].X_WL.p - carrier_pose(ws, base).p),
                       ws.links[i].f);
    return sum;
}

EnergyFlows ForceFlows::of_joints(const SmoothDynamics& inputs, std::span<const double> v) const {
    EnergyFlows out;
    out.kinematic = kinematic;
    if (drives) out.drives = product(drive_forces, v) + drives_by_bases;
    if (applied_to_joints) out.applied = product(inputs.qfrc_applied, v);
    out.dampers = -dampers_by_bases;
    if (damps_joints) out.dampers -= product(damper_forces, v);
    return out;
}

EnergyFlows ForceFlows::powers(const SmoothDynamics& inputs, const JointState<double>& state) const {
    EnergyFlows out = of_joints(inputs, state.v);
    const std::vector<PoseWork<double>>& poses = inputs.ws.poses;
    for (std::size_t i = 0; i < pushes.size() && applied_to_links; ++i)
        out.applied += dot(poses[i].V_WL, pushes[i]);
    for (std::size_t i = 0; i < drags.size(); ++i) out.dampers -= dot(poses[i].V_WL, drags[i]);
    return out;
}

EnergyFlows ForceFlows::powers_at(const SmoothDynamics& inputs, std::span<const double> v) {
    EnergyFlows out = of_joints(inputs, v);
    if (!applied_to_links && !drags_links) return out;
    const Workspace<double>& ws = inputs.ws;
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const int parent = links[i].parent;
        const Motion<double>& before = parent >= 0 ? motion_[parent] : ws.bases[-1 - parent].V_WL;
        motion_[i] = shift(before, ws.poses[i].X_WL.p - carrier_pose(ws, parent).p);
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) motion_[i] += v[k] * ws.S[k];
        if (applied_to_links) out.applied += dot(motion_[i], pushes[i]);
        if (drags_links) out.dampers -= dot(motion_[i], drags[i]);
    }
    return out;
}

}  // namespace lig
