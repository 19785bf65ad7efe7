#include "formulations/tree_momenta.h"

#include "dynamics/dynamics_parts.h"
#include "dynamics/joint_springs.h"
#include "linalg/sym_factor3.h"
#include "model/split_inertia.h"
#include "simulation/tree_whole.h"

#include <ligament/model.h>

#include <algorithm>

namespace lig {

namespace {

// Whether nothing pulls at a free joint itself: then all that acts on its tree is in impulses on freedoms
// and along rows.
bool is_bare(const Model& model, int v_adr) {
    return std::none_of(model.joints.begin(), model.joints.end(),
                        [&](const Model::Joint& joint) {
                            return joint.v_adr == v_adr &&
                                   (has_spring(joint) || has_damper(joint) || joint.armature != 0);
                        }) &&
           std::none_of(model.actuators.begin(), model.actuators.end(), [&](const Model::Actuator& actuator) {
               return actuator.joint >= 0 && model.joints[actuator.joint].v_adr == v_adr;
           });
}

Force<double> momentum_about(const TreeWhole& whole, const Vec3d& origin) {
    return {whole.spin + cross(whole.com - origin, whole.momentum), whole.momentum};
}

}  // namespace

TreeMomenta::TreeMomenta(const Model& model) : motion_(model.tree.links.size()) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    const int count = static_cast<int>(links.size());
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && links[end].parent >= begin) ++end;
        const TreeLink<double>& root = links[begin];
        const bool floats = root.parent == -1 && root.kernel == TreeLink<double>::Kernel::free &&
                            is_bare(model, root.v_adr);
        if (!floats && root.parent >= -1) continue;
        Tree tree{.begin = begin, .end = end, .q_adr = -1, .v_adr = root.v_adr, .floats = floats};
        for (const Model::Joint& joint : model.joints)
            if (joint.v_adr == root.v_adr && joint.nv > 0) tree.q_adr = joint.q_adr;
        for (int i = begin; i < end; ++i) tree.mass += links[i].inertia.mass;
        if (!(tree.mass > 0)) continue;
        trees_.push_back(tree);
        floats_ = floats_ || floats;
    }
}

void TreeMomenta::note(const Workspace<double>& ws, const Step& step) {
    if (trees_.empty()) return;
    const Model& model = ws.model();
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (Tree& tree : trees_) {
        const Transformd& X_WL = ws.poses[tree.begin].X_WL;
        tree.origin = X_WL.p;
        const TreeWhole whole = whole_of(ws, tree.begin, tree.end);
        if (!tree.floats) {
            tree.momentum = momentum_about(whole, tree.origin);
            const Vec3d& g = model.options.gravity;
            for (int i = tree.begin; i < tree.end; ++i) {
                const Vec3d arm = ws.poses[i].X_WL.p - tree.origin;
                const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
                Force<double> f = ws.f_ext[i];
                f += {cross(own.h, g), own.mass * g};
                tree.momentum += step.h * shift_back(f, arm);
            }
            const int base = links[tree.begin].parent;
            tree.base = shift(carrier_velocity(ws, base), tree.origin - carrier_pose(ws, base).p);
            continue;
        }
        const double* c = step.curved.data() + tree.v_adr;
        tree.momentum = {X_WL.R * Vec3d{c[3], c[4], c[5]}, {c[0], c[1], c[2]}};
        for (int i = tree.begin; i < tree.end; ++i) {
            const SplitInertia<double>& own = links[i].inertia;
            const Vec3d com = own.mass > 0 ? ws.poses[i].X_WL.R * ((1 / own.mass) * own.h) : Vec3d::zero();
            tree.momentum += shift_back(step.momenta[i], ws.poses[i].X_WL.p + com - tree.origin);
            tree.momentum.ang += step.held_back[i];
        }
        // The velocity of the centre of mass, with which coordinates move.
        Vec3d moving = Vec3d::zero();
        for (int i = tree.begin; i < tree.end; ++i) {
            Motion<double> own =
                i > tree.begin ? shift(motion_[links[i].parent], ws.links[i].r) : Motion<double>::zero();
            for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k)
                own += step.moving[k] * ws.S[k];
            motion_[i] = own;
            const Vec3d arm = ws.poses[i].X_WL.R * links[i].inertia.h;
            moving += links[i].inertia.mass * own.lin + cross(own.ang, arm);
        }
        tree.com = whole.com + (step.h / tree.mass) * (moving + Vec3d{c[0], c[1], c[2]});
    }
    for (const RowBlock& block : step.rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            for (Tree& tree : trees_) {
                if (tree.floats || step.lambda[r] == 0) continue;
                const auto push = [&](int link, const Force<double>& f) {
                    if (link < tree.begin || link >= tree.end) return;
                    tree.momentum += step.lambda[r] * shift_back(f, ws.poses[link].X_WL.p - tree.origin);
                };
                push(block.link_a, step.rows.rows[r].on_a);
                push(block.link_b, step.rows.rows[r].on_b);
            }
}

void TreeMomenta::place(const Step& step, Workspace<double>& ws, std::span<double> q) {
    for (const Tree& tree : trees_) {
        if (!tree.floats || tree.end == tree.begin + 1) continue;
        Vec3d shift = tree.com - whole_of(ws, tree.begin, tree.end).com;
        const auto within = [&](int link) { return link >= tree.begin && link < tree.end; };
        for (const RowBlock& block : step.rows.blocks) {
            if (block.kind != RowKind::contact || !(step.lambda[block.begin] > 0)) continue;
            if (within(block.link_a) == within(block.link_b)) continue;
            const Vec3d& n = step.rows.rows[block.begin].on_b.lin;
            shift -= dot(shift, n) * n;
        }
        for (int k = 0; k < 3; ++k) q[tree.q_adr + k] += shift[k];
        for (int i = tree.begin; i < tree.end; ++i) ws.poses[i].X_WL.p += shift;
    }
}

void TreeMomenta::restore(const Workspace<double>& ws, std::span<double> v) {
    for (const Tree& tree : trees_) {
        if (!tree.floats) continue;
        const TreeWhole whole = whole_of(ws, tree.begin, tree.end);
        const Force<double> missing = tree.momentum - momentum_about(whole, tree.origin);
        const Vec3d spin = solve(factor(whole.inertia),
                                 missing.ang - cross(whole.com - tree.origin, missing.lin));
        const Transformd& X_WL = ws.poses[tree.begin].X_WL;
        const Vec3d lin = (1 / tree.mass) * missing.lin + cross(spin, X_WL.p - whole.com);
        const Vec3d ang = transpose_mul(X_WL.R, spin);
        for (int k = 0; k < 3; ++k) {
            v[tree.v_adr + k] += lin[k];
            v[tree.v_adr + 3 + k] += ang[k];
        }
    }
}

double TreeMomenta::work_of_bases(const Workspace<double>& ws) const {
    double work = 0;
    for (const Tree& tree : trees_) {
        if (tree.floats) continue;
        const Force<double> taken = momentum_about(whole_of(ws, tree.begin, tree.end), tree.origin);
        const int base = ws.model().tree.links[tree.begin].parent;
        const Motion<double> after =
            shift(carrier_velocity(ws, base), tree.origin - carrier_pose(ws, base).p);
        work += 0.5 * dot(tree.base + after, taken - tree.momentum);
    }
    return work;
}

}  // namespace lig
