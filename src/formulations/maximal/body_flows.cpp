#include "formulations/maximal/body_flows.h"

#include "dynamics/dynamics_parts.h"

#include <algorithm>

namespace lig::maximal {

namespace {

double product(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

}  // namespace

BodyFlows::BodyFlows(const BodySystem& system)
    : forces_(system.graph.model()), tau_(system.graph.model().nv) {
    const std::size_t n = static_cast<std::size_t>(system.graph.body_entries());
    for (std::vector<double>* v : {&drives_, &applied_, &dampers_}) v->assign(n, 0.0);
}

// What bases do to the links on them by forces on their joints: those push a link, and nothing that moves
// back.
void BodyFlows::add_bases(const BodySystem& system, std::span<const double> tau, double& sum) const {
    const Workspace<double>& ws = system.poses.workspace();
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    for (int i = 0; i < system.graph.links(); ++i) {
        const int base = links[i].parent;
        if (base >= -1) continue;
        const Motion<double> V =
            shift(carrier_velocity(ws, base), ws.poses[i].X_WL.p - carrier_pose(ws, base).p);
        for (int dof = links[i].v_adr; dof < links[i].v_adr + links[i].nv; ++dof)
            if (tau[dof] != 0) sum += dot(V, system.poses.freedom_force(i, dof, tau[dof]));
    }
}

void BodyFlows::find(const BodySystem& system, const SmoothDynamics& inputs, const JointState<double>& state,
                     bool reads, std::span<const double> other) {
    acts_ = reads;
    drives_at_bases_ = applied_at_bases_ = dampers_at_bases_ = kinematic_ = 0;
    if (!reads) return;
    forces_.find(inputs, state);
    const auto take = [&](bool on_joints, std::span<const double> tau, bool on_links,
                          std::span<const Force<double>> wrenches, std::vector<double>& out,
                          double& at_bases) {
        if (!on_joints && !on_links) return;
        std::fill(out.begin(), out.end(), 0.0);
        if (on_joints) system.poses.add_joint_forces(tau, out);
        if (on_links) system.poses.add_link_forces(wrenches, out);
        if (on_joints && forces_.bases_move) add_bases(system, tau, at_bases);
    };
    take(forces_.drives, forces_.drive_forces, false, {}, drives_, drives_at_bases_);
    take(forces_.applied_to_joints, inputs.qfrc_applied, forces_.applied_to_links, forces_.pushes, applied_,
         applied_at_bases_);
    take(forces_.damps_joints, forces_.damper_forces, forces_.drags_links, forces_.drags, dampers_,
         dampers_at_bases_);
    if (!forces_.bases_move) return;
    std::copy(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(), tau_.begin());
    add_passive_forces<double>(state, system.graph.model(), inputs.drives, tau_);
    for (std::size_t k = 0; k < tau_.size(); ++k) tau_[k] += inputs.drives.joint_force[k];
    for (std::size_t k = 0; k < other.size(); ++k) tau_[k] += other[k];
    kinematic_ = forces_.kinematic;
    add_bases(system, tau_, kinematic_);
}

EnergyFlows BodyFlows::work(std::span<const double> u, double time) const {
    EnergyFlows out;
    if (!acts_) return out;
    const std::span<const double> bodies = u.first(drives_.size());
    if (forces_.drives)
        out.drives = time * (product(drives_, bodies) - drives_at_bases_ + forces_.drives_by_bases);
    if (forces_.applied_to_joints || forces_.applied_to_links)
        out.applied = time * (product(applied_, bodies) - applied_at_bases_);
    if (forces_.damps_joints || forces_.drags_links)
        out.dampers = -time * (product(dampers_, bodies) - dampers_at_bases_ + forces_.dampers_by_bases);
    out.kinematic = time * kinematic_;
    return out;
}

double BodyFlows::work_of_rows(const BodySystem& system, std::span<const double> y) {
    const int nb = system.graph.body_entries();
    return product(y.subspan(nb), system.matrix.base_rates().subspan(nb));
}

}  // namespace lig::maximal
