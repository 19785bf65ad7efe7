#include "scenes/tree_order.h"

#include <stdexcept>
#include <vector>

namespace lig::scenes {

namespace {

class Copy {
public:
    explicit Copy(const Scene& from)
        : from_(from),
          to_(from.name),
          bodies_(from.bodies().size()),
          joints_(from.joints().size()),
          sites_(from.sites().size()) {
        if (!from.actuators().empty() || !from.sensors().empty() || !from.cameras().empty() ||
            !from.bushings().empty() || !from.tendon_couplings().empty() || !from.pairs().empty() ||
            !from.subtree_constraints().empty() || !from.group_constraints().empty() ||
            !from.keyframes().empty())
            throw std::logic_error("in_tree_order: the scene holds what it does not copy");
        to_.options = from.options;
        to_.inertia_rules = from.inertia_rules;
        bodies_[0] = world;
        copy_below(0);
        copy_relations();
    }

    Scene take() { return std::move(to_); }

private:
    void copy_below(int index) {
        for (const JointId joint : from_.bodies()[index].joints)
            joints_[joint.index] = to_.add_joint(bodies_[index], from_.joints()[joint.index].spec);
        for (const Scene::Geom& geom : from_.geoms())
            if (geom.body.index == index) to_.add_geom(bodies_[index], geom.spec);
        for (std::size_t k = 0; k < from_.sites().size(); ++k)
            if (from_.sites()[k].body.index == index)
                sites_[k] = to_.add_site(bodies_[index], from_.sites()[k].spec);
        for (int child = index + 1; child < static_cast<int>(bodies_.size()); ++child) {
            if (from_.bodies()[child].parent.index != index) continue;
            bodies_[child] = to_.add_body(bodies_[index], from_.bodies()[child].spec);
            copy_below(child);
        }
    }

    void copy_relations() {
        for (LoopSpec loop : from_.loops()) {
            rename(loop.body_a, loop.body_b);
            to_.add_loop(std::move(loop));
        }
        for (ConstraintSpec constraint : from_.constraints()) {
            rename(constraint.body_a, constraint.body_b);
            to_.add_constraint(std::move(constraint));
        }
        for (CouplingSpec coupling : from_.couplings()) {
            coupling.follower = joints_[coupling.follower.index];
            if (coupling.leader.index >= 0) coupling.leader = joints_[coupling.leader.index];
            to_.add_coupling(std::move(coupling));
        }
        for (TendonSpec tendon : from_.tendons()) {
            for (TendonSpec::JointTerm& term : tendon.joints) term.joint = joints_[term.joint.index];
            for (TendonStop& stop : tendon.stops) {
                if (stop.kind != TendonStop::Kind::site)
                    throw std::logic_error("in_tree_order: a tendon passes over more than sites");
                stop.site = sites_[stop.site.index];
            }
            to_.add_tendon(std::move(tendon));
        }
        for (const Scene::Exclusion& exclusion : from_.exclusions())
            to_.exclude_collision(bodies_[exclusion.a.index], bodies_[exclusion.b.index], exclusion.name);
    }
    void rename(BodyId& a, BodyId& b) const {
        a = bodies_[a.index];
        b = bodies_[b.index];
    }

    const Scene& from_;
    Scene to_;
    std::vector<BodyId> bodies_;
    std::vector<JointId> joints_;
    std::vector<SiteId> sites_;
};

}  // namespace

Scene in_tree_order(const Scene& scene) { return Copy(scene).take(); }

}  // namespace lig::scenes
