#include "formulations/implicit/joint_inertias.h"

#include "dynamics/dynamics_parts.h"
#include "formulations/maximal/link_joint.h"
#include "model/split_inertia.h"

#include <ligament/dynamics.h>

#include <memory>

namespace lig::implicit {

namespace {

class Composite {
public:
    Composite(const Model& model, const ContactLoads& loads)
        : model_(model),
          loads_(loads),
          reference_(model),
          ws_(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model)),
          outward_(model.tree.links.size(), RigidInertia<double>::zero()),
          mass_(model.tree.links.size()),
          root_(model.tree.links.size()) {
        forward_kinematics(reference_, ws_);
        const std::vector<TreeLink<double>>& links = model.tree.links;
        for (std::size_t i = 0; i < links.size(); ++i) {
            mass_[i] = links[i].inertia.mass;
            root_[i] = links[i].parent >= 0 ? root_[links[i].parent] : static_cast<int>(i);
        }
        for (std::size_t i = links.size(); i-- > 0;)
            if (links[i].parent >= 0) mass_[links[i].parent] += mass_[i];
        hang_all(model.loops);
        hang_all(model.pair_constraints);
        hang_all(model.bushings);
    }

    std::vector<double> along_freedoms() {
        const Tree<double>& tree = model_.tree;
        std::vector<double> out(model_.nv);
        for (int i = static_cast<int>(tree.links.size()) - 1; i >= 0; --i) {
            const Transformd& X = ws_.poses[i].X_WL;
            outward_[i] = outward_[i] + world_inertia(X.R, tree.links[i].inertia);
            const int parent = tree.links[i].parent;
            if (parent >= 0)
                outward_[parent] = outward_[parent] + shift_back(outward_[i], X.p - ws_.poses[parent].X_WL.p);
            const Mat3d R_WF = carrier_pose(ws_, parent).R * tree.joints[tree.links[i].joint_begin].X_PF.R;
            maximal::JointFreedoms freedoms;
            maximal::find_freedoms(tree, i, reference_.q.data(), freedoms);
            for (int k = 0; k < freedoms.count; ++k) {
                const Motion<double> S{R_WF * freedoms.S[k].ang, R_WF * freedoms.S[k].lin};
                out[tree.links[i].v_adr + k] =
                    dot(S, outward_[i] * S) + tree.armature[tree.links[i].v_adr + k];
            }
        }
        return out;
    }

private:
    template <class Join>
    void hang_all(const std::vector<Join>& joins) {
        for (const Join& join : joins) {
            if (!join.active) continue;
            const Model::Body &A = model_.bodies[join.body_a], &B = model_.bodies[join.body_b];
            if (A.link < 0 || B.link < 0 || A.link == B.link) continue;
            hang(A.link, B.link, ws_.poses[A.link].X_WL * (A.X_LB * join.X_AF.p));
            hang(B.link, A.link, ws_.poses[B.link].X_WL * (B.X_LB * join.X_BM.p));
        }
    }
    // What hangs on `link` at a point by a join with `other`.
    void hang(int link, int other, const Vec3d& point) {
        if (root_[link] != root_[other]) {
            add(link, point, loads_.joined_mass(link) - mass_[root_[link]]);
            return;
        }
        // Up to where the two branches meet: parents come first.
        int meet = link, branch = other;
        double load = mass_[root_[link]];
        for (int at = other; meet != at;) {
            if (at > meet) {
                branch = at;
                at = model_.tree.links[at].parent;
            } else {
                meet = model_.tree.links[meet].parent;
            }
        }
        if (meet == link) return;  // the other one is outward of it
        if (meet != other) load = mass_[branch];
        add(link, point, load);
        add(meet, point, -load);
    }
    void add(int link, const Vec3d& point, double mass) {
        const RigidInertia<double> load{mass, Vec3d::zero(), Sym3d::zero()};
        outward_[link] = outward_[link] + shift_back(load, point - ws_.poses[link].X_WL.p);
    }

    const Model& model_;
    const ContactLoads& loads_;
    JointState<double> reference_;
    Workspace<double> ws_;
    std::vector<RigidInertia<double>> outward_;  // (links) about their origins, in world axes
    std::vector<double> mass_;                   // (links) of all that is outward
    std::vector<int> root_;                      // (links)
};

}  // namespace

std::vector<double> find_joint_inertias(const Model& model, const ContactLoads& loads) {
    return Composite(model, loads).along_freedoms();
}

}  // namespace lig::implicit
