#include "simulation/free_momentum.h"

#include "dynamics/joint_springs.h"
#include "linalg/sym_factor3.h"
#include "simulation/tree_whole.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <algorithm>

namespace lig {

FreeMomentum::FreeMomentum(const Model& model) {
    const bool coupled =
        has_medium(model) || has_bushings(model) || !model.tendons.empty() || !model.loops.empty() ||
        !model.pair_constraints.empty() || !model.couplings.empty() || !model.subtree_constraints.empty() ||
        !model.group_constraints.empty() ||
        !model.floating_mass.empty() ||
        std::any_of(model.actuators.begin(), model.actuators.end(), [](const Model::Actuator& actuator) {
            return actuator.transmission == Transmission::site ||
                   actuator.transmission == Transmission::slider_crank;
        });
    if (coupled) return;
    const int count = static_cast<int>(model.tree.links.size());
    for (int i = 0; i < count; ++i) {
        const TreeLink<double>& link = model.tree.links[i];
        if (link.parent >= 0) continue;
        int end = i + 1;
        while (end < count && model.tree.links[end].parent >= i) ++end;
        if (link.parent != -1 || link.kernel != TreeLink<double>::Kernel::free) continue;
        const bool bare =
            std::none_of(model.joints.begin(), model.joints.end(), [&](const Model::Joint& joint) {
                return joint.v_adr == link.v_adr &&
                       (has_spring(joint) || has_damper(joint) || joint.armature != 0);
            });
        const bool driven =
            std::any_of(model.actuators.begin(), model.actuators.end(), [&](const Model::Actuator& actuator) {
                return actuator.joint >= 0 && model.joints[actuator.joint].v_adr == link.v_adr;
            });
        if (bare && !driven) trees_.push_back({i, end, link.v_adr});
    }
}

void FreeMomentum::note(const JointState<double>& state, SmoothDynamics& dynamics) {
    if (trees_.empty()) return;
    const Model& model = dynamics.model();
    forward_kinematics(state, dynamics.ws);
    for (Tree& tree : trees_) {
        tree.noted = true;
        for (int k = tree.v_adr; k < tree.v_adr + 6; ++k)
            tree.noted = tree.noted && dynamics.qfrc_applied[k] == 0;
        for (std::size_t b = 1; b < model.bodies.size(); ++b) {
            const int link = model.bodies[b].link;
            if (link < tree.link_begin || link >= tree.link_end) continue;
            const Force<double>& f = dynamics.xfrc_applied[b];
            if (dot(f.lin, f.lin) != 0 || dot(f.ang, f.ang) != 0) tree.noted = false;
        }
        if (tree.noted) tree.momentum = whole_of(dynamics.ws, tree.link_begin, tree.link_end).spin;
    }
}

void FreeMomentum::forget() {
    for (Tree& tree : trees_) tree.noted = false;
}

void FreeMomentum::restore(JointState<double>& state, SmoothDynamics& dynamics) const {
    if (std::none_of(trees_.begin(), trees_.end(), [](const Tree& tree) { return tree.noted; })) return;
    forward_kinematics(state, dynamics.ws);
    for (const Tree& tree : trees_) {
        if (!tree.noted) continue;
        const TreeWhole whole = whole_of(dynamics.ws, tree.link_begin, tree.link_end);
        const Vec3d spin = solve(factor(whole.inertia), tree.momentum - whole.spin);
        const Transformd& X_WL = dynamics.ws.poses[tree.link_begin].X_WL;
        const Vec3d lin = cross(spin, X_WL.p - whole.com), ang = transpose_mul(X_WL.R, spin);
        for (int k = 0; k < 3; ++k) {
            state.v[tree.v_adr + k] += lin[k];
            state.v[tree.v_adr + 3 + k] += ang[k];
        }
    }
}

}  // namespace lig
