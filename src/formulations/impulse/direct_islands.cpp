#include "formulations/impulse/direct_islands.h"

#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/joint_limits.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lig::impulse {

namespace {

// A link of which two neighbours, with all that hangs on them, are much heavier. What stands still is heavier
// than anything.
void mark_light_links(const Model& model, std::vector<char>& out) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    std::vector<double> whole(links.size()), first(links.size(), 0.0), second(links.size(), 0.0);
    const auto add = [&](std::size_t link, double mass) {
        second[link] = std::max(second[link], std::min(mass, first[link]));
        first[link] = std::max(first[link], mass);
    };
    for (std::size_t i = links.size(); i-- > 0;) {
        whole[i] += links[i].inertia.mass;
        if (links[i].parent < 0) continue;
        whole[links[i].parent] += whole[i];
        add(links[i].parent, whole[i]);
    }
    std::vector<double> of_tree(whole);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const int parent = links[i].parent;
        const bool floats =
            links[i].joint_count == 1 && model.tree.joints[links[i].joint_begin].type == JointType::free;
        if (parent >= 0) {
            of_tree[i] = of_tree[parent];
            add(i, of_tree[i] - whole[i]);
        } else if (!floats) {
            of_tree[i] = std::numeric_limits<double>::infinity();
            add(i, of_tree[i]);
        }
        if (second[i] > direct_tuning.heavy_link_ratio * links[i].inertia.mass) out[i] = 1;
    }
}

}  // namespace

TreeMasses::TreeMasses(const MovingBodies& bodies)
    : model_(bodies.model()), of_tree_(model_.tree.links.size(), 0.0) {
    const auto root_of = [&](std::size_t link) {
        return static_cast<std::size_t>(bodies.root(bodies.index(static_cast<int>(link))) - bodies.bases());
    };
    for (std::size_t i = 0; i < of_tree_.size(); ++i)
        of_tree_[root_of(i)] += model_.tree.links[i].inertia.mass;
    for (std::size_t i = 0; i < of_tree_.size(); ++i) of_tree_[i] = of_tree_[root_of(i)];
}

bool TreeMasses::differ_much_at(const Manifold& manifold) const {
    const int a = model_.bodies[model_.geoms[manifold.geom_a].body].link;
    const int b = model_.bodies[model_.geoms[manifold.geom_b].body].link;
    if (a < 0 || b < 0) return false;
    const auto [least, largest] = std::minmax(of_tree_[a], of_tree_[b]);
    return largest > direct_tuning.heavy_touch_ratio * least;
}

DirectIslands::DirectIslands(const MovingBodies& bodies, std::span<const std::pair<int, int>> connected)
    : bases_(bodies.bases()),
      masses_(bodies),
      max_hit_links_(direct_tuning.max_hit_links),
      max_hit_points_(direct_tuning.max_hit_points) {
    const Model& model = bodies.model();
    const std::size_t links = model.tree.links.size();
    for (std::vector<char>* list : {&slow_, &fits_, &is_slow_}) list->assign(links, 0);
    for (std::vector<int>* list : {&left_, &size_, &points_, &asked_, &next_}) list->assign(links, 0);
    root_.resize(links);
    std::iota(root_.begin(), root_.end(), 0);
    chosen_.assign(bodies.velocities.size(), 0);
    links_.reserve(links);
    begin_.reserve(links + 1);
    begin_.push_back(0);
    mark_light_links(model, slow_);
    for (const auto& [a, b] : connected)
        for (const int link : {a, b})
            if (link >= 0) slow_[link] = 1;
    for (const Model::Actuator& actuator : model.actuators) {
        const int link = actuator.joint >= 0 ? model.bodies[model.joints[actuator.joint].body].link : -1;
        if (link >= 0) slow_[link] = 1;
    }
}

void DirectIslands::begin_step(double longest) {
    const bool exact = longest < direct_tuning.exact_substep;
    max_hit_links_ = exact ? direct_tuning.max_links : direct_tuning.max_hit_links;
    max_hit_points_ = exact ? direct_tuning.max_points : direct_tuning.max_hit_points;
}

void DirectIslands::find(const Contacts& contacts, const ContactIslands& islands,
                         const MovingBodies& bodies) {
    const Model& model = bodies.model();
    const int links = bodies.links();
    for (std::vector<int>* list : {&size_, &points_, &asked_}) std::fill(list->begin(), list->end(), 0);
    std::fill(is_slow_.begin(), is_slow_.end(), 0);
    for (int i = 0; i < links; ++i) {
        const int root = root_[i] = islands.of(i);
        ++size_[root];
        is_slow_[root] = is_slow_[root] || slow_[i];
        asked_[root] = std::max(asked_[root], left_[i]);
    }
    for (const Manifold& manifold : contacts.manifolds) {
        const int a = model.bodies[model.geoms[manifold.geom_a].body].link;
        const int b = model.bodies[model.geoms[manifold.geom_b].body].link;
        if (a < 0 && b < 0) continue;
        const int root = root_[std::max(a, b)];
        points_[root] += manifold.count;
        is_slow_[root] = is_slow_[root] || masses_.differ_much_at(manifold);
    }
    may_solve_ = false;
    for (int i = 0; i < links; ++i) {
        fits_[i] = size_[i] <= direct_tuning.max_links && points_[i] <= direct_tuning.max_points;
        may_solve_ = may_solve_ || may_be_hit(i) || (fits_[i] && (is_slow_[i] || asked_[i] > 0));
    }
    changed_ = true;
}

bool DirectIslands::may_be_hit(int root) const {
    return size_[root] >= direct_tuning.min_hit_links && size_[root] <= max_hit_links_ &&
           points_[root] <= max_hit_points_;
}

void DirectIslands::ask(int body, int substeps) {
    if (body < bases_ || body - bases_ >= static_cast<int>(root_.size())) return;
    const int root = root_[body - bases_];
    if (!may_be_hit(root) || asked_[root] >= substeps) return;
    changed_ = changed_ || (asked_[root] == 0 && !is_slow_[root]);
    asked_[root] = substeps;
}

void DirectIslands::choose(const MovingBodies& bodies) {
    if (!changed_) return;
    changed_ = false;
    const int links = bodies.links();
    const auto is_chosen = [&](int root) { return fits_[root] && (is_slow_[root] || asked_[root] > 0); };
    links_.clear();
    begin_.assign(1, 0);
    int sum = 0;
    for (int i = 0; i < links; ++i) {
        if (root_[i] != i || !is_chosen(i) || bodies.is_asleep(bodies.index(i))) {
            next_[i] = -1;
            continue;
        }
        next_[i] = sum;
        sum += size_[i];
        begin_.push_back(sum);
    }
    links_.resize(static_cast<std::size_t>(sum));
    for (int i = 0; i < links; ++i) {
        int& next = next_[root_[i]];
        bodies.for_each_place(i, [&](int place) { chosen_[place] = next >= 0; });
        if (next >= 0) links_[static_cast<std::size_t>(next++)] = i;
    }
}

void DirectIslands::end_substep() {
    if (!may_solve_) return;
    for (std::size_t i = 0; i < root_.size(); ++i)
        if (root_[i] == static_cast<int>(i) && asked_[i] > 0 && --asked_[i] == 0) changed_ = true;
    for (std::size_t i = 0; i < root_.size(); ++i) left_[i] = asked_[root_[i]];
}

void DirectIslands::forget() {
    std::fill(left_.begin(), left_.end(), 0);
}

void JointLimits::ask_hit(double bound, int substeps, DirectIslands& islands) const {
    for (int n = 0; n < near_count_; ++n) {
        const LimitPack& pack = packs_[near_[n]];
        if (!any(pack.missed > Four(bound))) continue;
        for (int lane = 0; lane < lanes; ++lane)
            for (int k = 0; k < 2; ++k) {
                const double impulse = pack.impulse[k][lane];
                const double change = pack.inverse[k][lane] * pack.missed[lane] / limit_tuning.lever;
                const bool blow = impulse > 0 && impulse <= direct_tuning.max_of_change * change;
                if (blow && pack.missed[lane] > bound) islands.ask(pack.b[lane], substeps);
            }
    }
}

void ContactPoints::ask_hit(double bound, int substeps, DirectIslands& islands) const {
    const auto ask_in = [&](int which) {
        for (const ContactPack& pack : lists_[which].packs) {
            if (!any(pack.missed > Four(bound))) continue;
            for (int lane = 0; lane < lanes; ++lane) {
                const double impulse = pack.impulse[lane], change = pack.inv_nn[lane] * pack.missed[lane];
                const bool blow = impulse > 0 && impulse <= direct_tuning.max_of_change * change;
                if (blow && pack.missed[lane] > bound) {
                    islands.ask(pack.a[lane], substeps);
                    islands.ask(pack.b[lane], substeps);
                }
            }
        }
    };
    for_lists(passing, ask_in);
    for_lists(footing, ask_in);
}

}  // namespace lig::impulse
