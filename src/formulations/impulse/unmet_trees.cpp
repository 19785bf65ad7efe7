#include "formulations/impulse/unmet_trees.h"

#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/joint_blocks.h"
#include "formulations/impulse/joint_limits.h"

namespace lig::impulse {

namespace {

// Whether a pack has blocks of unmet trees: its lanes that do are chosen.
template <class Bodies>
bool choose_lanes(const Bodies& pack, const UnmetTrees& trees, Four& chosen) {
    bool any = false;
    for (int lane = 0; lane < lanes; ++lane) {
        const bool unmet = trees.has(pack.a[lane]) || trees.has(pack.b[lane]);
        chosen.set(lane, unmet ? 1.0 : 0.0);
        any = any || unmet;
    }
    return any;
}

template <class Bodies>
void add_missed(const Bodies& pack, const Four& missed, double bound, UnmetTrees& trees) {
    if (!any(missed > Four(bound))) return;
    for (int lane = 0; lane < lanes; ++lane)
        if (missed[lane] > bound) {
            trees.add(pack.a[lane]);
            trees.add(pack.b[lane]);
        }
}

// Leaves those in the list for which is_chosen(k).
template <class Chosen>
void keep(std::vector<int>& list, Chosen&& is_chosen) {
    std::erase_if(list, [&](int k) { return !is_chosen(k); });
}

// Packs of a kind: `list` gets those of the unmet trees, out of all that are awake or of those it has.
template <class Packs, class BodiesOf, class ChosenOf>
void choose_packs(Scope from, std::span<const PackRun> awake, Packs& packs, const UnmetTrees& trees,
                  BodiesOf&& bodies_of, ChosenOf&& chosen_of, std::vector<int>& list) {
    const auto is_chosen = [&](int k) {
        return choose_lanes(bodies_of(packs[k]), trees, chosen_of(packs[k]));
    };
    if (from == chosen) return keep(list, is_chosen);
    list.clear();
    for (const PackRun& run : awake)
        for (int k = run.begin; k < run.begin + run.count; ++k)
            if (is_chosen(k)) list.push_back(k);
}

}  // namespace

void JointBlocks::find_unmet(Scope scope, double bound, UnmetTrees& trees) const {
    const auto add_point = [&](int k) { add_missed(points_[k].bodies, points_[k].missed, bound, trees); };
    const auto add_hinge = [&](int k) {
        add_missed(hinges_[k].point.bodies, hinges_[k].point.missed, bound, trees);
    };
    if (scope == chosen) {
        for (const int k : chosen_points_) add_point(k);
        for (const int k : chosen_hinges_) add_hinge(k);
    } else {
        for (const PackRun& run : point_runs_)
            for (int k = run.begin; k < run.begin + run.count; ++k) add_point(k);
        for (const PackRun& run : hinge_runs_)
            for (int k = run.begin; k < run.begin + run.count; ++k) add_hinge(k);
    }
    for_each_list([&](const auto& list) {
        for (const auto& joint : list)
            if (!joint.asleep && (scope == all || joint.chosen) && joint.missed > bound) trees.add(joint.b);
    });
}

void JointBlocks::choose(Scope from, const UnmetTrees& trees) {
    const auto of_point = [](auto& pack) -> auto& { return pack.bodies; };
    const auto of_hinge = [](auto& pack) -> auto& { return pack.point.bodies; };
    const auto point_chosen = [](PointPack& pack) -> Four& { return pack.chosen; };
    const auto hinge_chosen = [](HingePack& pack) -> Four& { return pack.point.chosen; };
    choose_packs(from, point_runs_, points_, trees, of_point, point_chosen, chosen_points_);
    choose_packs(from, hinge_runs_, hinges_, trees, of_hinge, hinge_chosen, chosen_hinges_);
    int point = 0, hinge = 0;
    // Colours have their packs in rising order.
    const auto find_range = [](const std::vector<int>& list, const PackRun& all, int& at) {
        const int begin = at;
        while (at < static_cast<int>(list.size()) && list[at] < all.begin + all.count) ++at;
        return PackRun{begin, at - begin};
    };
    for (Colour& colour : colours_) {
        colour.chosen_points = find_range(chosen_points_, colour.points, point);
        colour.chosen_hinges = find_range(chosen_hinges_, colour.hinges, hinge);
    }
    for_each_list([&](auto& list) {
        for (auto& joint : list) joint.chosen = trees.has(joint.b);
    });
}

void JointLimits::find_unmet(Scope scope, double bound, UnmetTrees& trees) const {
    const bool some = scope == chosen;
    for (int n = 0; n < (some ? chosen_count_ : near_count_); ++n) {
        const LimitPack& pack = packs_[(some ? chosen_ : near_)[n]];
        add_missed(pack, pack.missed, bound, trees);
    }
}

void JointLimits::choose(Scope from, const UnmetTrees& trees) {
    const std::vector<int>& list = from == chosen ? chosen_ : near_;
    const int count = from == chosen ? chosen_count_ : near_count_;
    chosen_count_ = 0;
    for (int n = 0; n < count; ++n)
        if (choose_lanes(packs_[list[n]], trees, packs_[list[n]].chosen)) chosen_[chosen_count_++] = list[n];
}

void ContactPoints::find_unmet(Scope scope, double bound, UnmetTrees& trees) const {
    const auto find_in = [&](int which) {
        const PackList& list = lists_[which];
        if (scope == chosen)
            for (const int k : list.chosen) add_missed(list.packs[k], list.packs[k].missed, bound, trees);
        else
            for (const ContactPack& pack : list.packs) add_missed(pack, pack.missed, bound, trees);
    };
    for_lists(passing, find_in);
    for_lists(footing, find_in);
}

void ContactPoints::choose(Scope from, const UnmetTrees& trees) {
    const auto choose_in = [&](int which) {
        PackList& list = lists_[which];
        const PackRun whole{0, static_cast<int>(list.packs.size())};
        const auto itself = [](auto& pack) -> auto& { return pack; };
        const auto lanes_chosen = [](ContactPack& pack) -> Four& { return pack.chosen; };
        choose_packs(from, {&whole, 1}, list.packs, trees, itself, lanes_chosen, list.chosen);
    };
    for_lists(passing, choose_in);
    for_lists(footing, choose_in);
    for (ContactTurning& turning : turnings_)
        turning.chosen = trees.has(turning.a) || trees.has(turning.b);
}

}  // namespace lig::impulse
