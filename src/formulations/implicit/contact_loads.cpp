#include "formulations/implicit/contact_loads.h"

#include <algorithm>
#include <utility>

namespace lig::implicit {

namespace {

constexpr int floats = -1;  // the level of what rests on nothing

}  // namespace

ContactLoads::ContactLoads(const Model& model) : model_(&model), tree_of_(model.tree.links.size()) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (links[i].parent >= 0) {
            tree_of_[i] = tree_of_[links[i].parent];
        } else {
            tree_of_[i] = static_cast<int>(trees_.size());
            const bool guided = links[i].kernel != TreeLink<double>::Kernel::free;
            trees_.push_back({.held = guided, .guided = guided});
        }
        trees_[tree_of_[i]].mass += links[i].inertia.mass;
    }
    for (const Model::Joint& joint : model.joints) {
        const int link = model.bodies[joint.body].link;
        const bool turns = joint.type == JointType::hinge || joint.type == JointType::ball;
        if (links[link].parent < 0 && !turns) trees_[tree_of_[link]].held = false;
    }
    for (const Model::Loop& loop : model.loops) {
        const int a = model.bodies[loop.body_a].link, b = model.bodies[loop.body_b].link;
        if (a < 0 && b >= 0) trees_[tree_of_[b]].guided = true;
        if (b < 0 && a >= 0) trees_[tree_of_[a]].guided = true;
    }
    join_trees();
}

void ContactLoads::join_trees() {
    const auto join_bodies = [&](const auto& joints) {
        for (const auto& joint : joints)
            if (joint.active) join(model_->bodies[joint.body_a].link, model_->bodies[joint.body_b].link);
    };
    join_bodies(model_->loops);
    join_bodies(model_->pair_constraints);
    join_bodies(model_->bushings);
    const std::vector<TreeLink<double>>& links = model_->tree.links;
    const auto link_of = [&](int row_entry) {
        const int dof = model_->row_velocities[row_entry];
        const auto after = std::upper_bound(links.begin(), links.end(), dof,
                                            [](int v, const auto& link) { return v < link.v_adr; });
        return static_cast<int>(after - links.begin()) - 1;
    };
    for (const Model::Tendon& tendon : model_->tendons)
        for (int k = tendon.row.begin + 1; k < tendon.row.begin + tendon.row.count; ++k)
            join(link_of(k - 1), link_of(k));
}

void ContactLoads::join(int link_a, int link_b) {
    const int a = tree_of_link(link_a), b = tree_of_link(link_b);
    if (a < 0 || b < 0 || a == b) return;
    const int first = std::min(a, b), second = std::max(a, b);
    Tree &to = trees_[first], &from = trees_[second];
    to.mass += from.mass;
    to.held = to.held || from.held;
    to.guided = to.guided || from.guided;
    from = {};
    std::replace(tree_of_.begin(), tree_of_.end(), second, first);
}

// One level after the other, from those that have one already.
void ContactLoads::raise_levels() {
    int highest = 0;
    for (const Tree& tree : trees_) highest = std::max(highest, tree.level);
    for (int level = 0; level <= highest; ++level)
        for (const Pair& pair : pairs_)
            for (const auto& [below, above] : {std::pair{pair.a, pair.b}, std::pair{pair.b, pair.a}}) {
                if (above < 0 || trees_[above].level != floats) continue;
                if ((below < 0 ? 0 : trees_[below].level) != level) continue;
                trees_[above].level = level + 1;
                highest = std::max(highest, level + 1);
            }
}

void ContactLoads::find(const Contacts& contacts) {
    pairs_.clear();
    for (const Manifold& manifold : contacts.manifolds) {
        if (!manifold.active) continue;
        const auto tree_at = [&](int geom) {
            return tree_of_link(model_->bodies[model_->geoms[geom].body].link);
        };
        const Pair pair{tree_at(manifold.geom_a), tree_at(manifold.geom_b)};
        if (pair.a != pair.b) pairs_.push_back(pair);
    }
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        trees_[t].level = trees_[t].held ? 0 : floats;
        trees_[t].island = static_cast<int>(t);
    }
    raise_levels();
    for (Tree& tree : trees_)
        if (tree.guided && tree.level == floats) tree.level = 0;
    raise_levels();
    // Islands, by passing on the smallest number.
    for (bool any = true; any;) {
        any = false;
        for (const Pair& pair : pairs_) {
            if (pair.a < 0 || pair.b < 0) continue;
            int &a = trees_[pair.a].island, &b = trees_[pair.b].island;
            if (a == b) continue;
            a = b = std::min(a, b);
            any = true;
        }
    }
}

double ContactLoads::resting(const Tree& tree) const {
    if (tree.level == floats) return tree.mass;
    double sum = 0;
    for (const Tree& other : trees_)
        if (other.island == tree.island && other.level >= tree.level) sum += other.mass;
    return sum;
}

double ContactLoads::between(int link_a, int link_b) const {
    const int a = tree_of_link(link_a), b = tree_of_link(link_b);
    if (a < 0) return resting(trees_[b]);
    if (b < 0) return resting(trees_[a]);
    const Tree &first = trees_[a], &second = trees_[b];
    const double in_turn = 1 / (1 / first.mass + 1 / second.mass);
    if (a == b || std::max(first.level, second.level) <= 0) return in_turn;
    return std::max(in_turn, resting(first.level >= second.level ? first : second));
}

}  // namespace lig::implicit
