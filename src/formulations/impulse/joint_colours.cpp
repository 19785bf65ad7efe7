// The colours of joints, the packs of each, and the order in which sweeps go through them.

#include "formulations/impulse/joint_blocks.h"
#include "formulations/impulse/pack_filling.h"
#include "formulations/maximal/link_joint.h"

#include <algorithm>

namespace lig::impulse {

namespace {

// By links: the colour of its joint, −1 without rows. Of the colours that a body's other joints leave, 0 and
// 1 are taken first.
std::vector<int> colours_of(const MovingBodies& bodies) {
    const Tree<double>& tree = bodies.model().tree;
    std::vector<int> colours(bodies.links(), -1);
    std::vector<std::vector<char>> taken(bodies.links());
    const auto is_taken = [&](int link, int colour) {
        return link >= 0 && colour < static_cast<int>(taken[link].size()) && taken[link][colour];
    };
    for (int i = 0; i < bodies.links(); ++i) {
        if (!bodies.has_joint_rows(i) || maximal::joint_row_count(tree, i) == 0) continue;
        const int parent = tree.links[i].parent;
        int colour = 0;
        while (is_taken(i, colour) || is_taken(parent, colour)) ++colour;
        colours[i] = colour;
        for (const int link : {i, parent}) {
            if (link < 0) continue;
            if (static_cast<int>(taken[link].size()) <= colour) taken[link].resize(colour + 1, 0);
            taken[link][colour] = 1;
        }
    }
    return colours;
}

// The visits of a sweep from the roots to the leaves, by links: the stages in which their joints are met, one
// or two of them. Sweeps go through them backwards. At each body, the cycle 0, 2, 3, …, 1, …, 3, 2 of the
// colours that it has begins with the joint by which it hangs. Joints that are met in one stage share no
// body.
struct Visits {
    int count = 0;
    int stage[2] = {-1, -1};

    auto operator<=>(const Visits&) const = default;
};
std::vector<Visits> visits_of(const MovingBodies& bodies, std::span<const int> colours,
                              int count_of_colours) {
    const Tree<double>& tree = bodies.model().tree;
    std::vector<Visits> visits(bodies.links());
    for (int i = 0; i < bodies.links(); ++i)
        if (colours[i] >= 0) visits[i].count = colours[i] < 2 ? 1 : 2;
    std::vector<int> cycle;
    if (count_of_colours > 0) cycle.push_back(0);
    for (int c = 2; c < count_of_colours; ++c) cycle.push_back(c);
    if (count_of_colours > 1) cycle.push_back(1);
    for (int c = count_of_colours; c-- > 2;) cycle.push_back(c);
    // By bodies: their joints, by colour; −1: none. Children come behind their parents.
    std::vector<std::vector<int>> joints(bodies.links(), std::vector<int>(count_of_colours, -1));
    for (int i = 0; i < bodies.links(); ++i) {
        if (colours[i] < 0) continue;
        joints[i][colours[i]] = i;
        if (const int parent = tree.links[i].parent; parent >= 0)
            joints[parent][colours[i]] = i;
        else
            visits[i].stage[0] = 0;
    }
    const auto at_least = [](int& stage, int least) { stage = std::max(stage, least); };
    for (int i = 0; i < bodies.links(); ++i) {
        Visits& own = visits[i];
        // On a base a joint that is met twice has nothing before it.
        if (own.count == 2 && own.stage[1] < 0) own.stage[1] = own.stage[0] + 1;
        std::size_t begin = 0;
        if (colours[i] >= 0)
            while (cycle[begin] != colours[i]) ++begin;
        int last = -1;
        std::vector<int> met(count_of_colours, 0);
        for (std::size_t k = 0; k < cycle.size(); ++k) {
            const int colour = cycle[(begin + k) % cycle.size()], link = joints[i][colour];
            if (link < 0) continue;
            int& stage = visits[link].stage[met[colour]++];
            if (link != i) stage = last + 1;
            at_least(stage, last + 1);
            last = stage;
        }
    }
    return visits;
}

}  // namespace

JointBlocks::JointBlocks(const MovingBodies& bodies) {
    const std::vector<int> colours = colours_of(bodies);
    const int count_of_colours = colours.empty() ? 0 : *std::max_element(colours.begin(), colours.end()) + 1;
    count_of_colours_ = count_of_colours;
    const std::vector<Visits> visits = visits_of(bodies, colours, count_of_colours);
    std::vector<Visits> kinds;  // by colours_
    std::vector<int> links;
    for (int i = 0; i < bodies.links(); ++i) {
        if (colours[i] < 0 || std::find(kinds.begin(), kinds.end(), visits[i]) != kinds.end()) continue;
        for (int colour = 0; colour < count_of_colours; ++colour) {
            links.clear();
            for (int k = i; k < bodies.links(); ++k)
                if (colours[k] == colour && visits[k] == visits[i]) links.push_back(k);
            if (links.empty()) continue;
            add_colour(bodies, links, colour);
            kinds.push_back(visits[i]);
        }
    }
    int stages = 0;
    for (const Visits& kind : kinds) stages = std::max({stages, kind.stage[0] + 1, kind.stage[1] + 1});
    for (int stage = stages; stage-- > 0;)
        for (std::size_t k = kinds.size(); k-- > 0;)
            if (kinds[k].stage[0] == stage || kinds[k].stage[1] == stage)
                order_.push_back(static_cast<int>(k));
    const auto mark_empty = [&](PointPack& pack) {
        for (int lane = 0; lane < lanes; ++lane) {
            const bool empty = pack.bodies.b[lane] == bodies.idle();
            pack.empty.set(lane, empty ? 1.0 : 0.0);
            if (empty) pack.link[lane] = -1;
        }
    };
    for (PointPack& pack : points_) mark_empty(pack);
    for (HingePack& pack : hinges_) mark_empty(pack.point);
    kept_.assign(rows_, 0.0);
    is_kept_.assign(rows_, 0);
    point_runs_.reserve(points_.size() / 2 + 1);
    hinge_runs_.reserve(hinges_.size() / 2 + 1);
    chosen_points_.reserve(points_.size());
    chosen_hinges_.reserve(hinges_.size());
    follow_sleep(bodies);
}

void JointBlocks::add_colour(const MovingBodies& bodies, std::span<const int> links, int colour) {
    const Tree<double>& tree = bodies.model().tree;
    const auto of_point = [](auto& pack) -> auto& { return pack.bodies; };
    const auto of_hinge = [](auto& pack) -> auto& { return pack.point.bodies; };
    PackFilling points(bodies, points_, of_point);
    PackFilling hinges(bodies, hinges_, of_hinge);
    Colour own{};
    own.colour = colour;
    own.points.begin = static_cast<int>(points_.size());
    own.hinges.begin = static_cast<int>(hinges_.size());
    std::size_t n = 0;
    for_each_list([&](const auto& list) { own.joints[n++] = {static_cast<int>(list.size()), 0}; });
    for (const int i : links) {
        const TreeLink<double>& link = tree.links[i];
        const int count = maximal::joint_row_count(tree, i);
        rows_ += count;
        const int a = bodies.index(link.parent), b = bodies.index(i);
        const TreeJoint<double>& joint = tree.joints[link.joint_begin];
        const auto fill_point = [&](PointPack& pack, int lane) {
            set_lane3(pack.local_a, lane, bodies.arm_of(link.parent, joint.X_PF.p));
            set_lane3(pack.local_b, lane, bodies.arm_of(i, Vec3d::zero()));
            pack.link[lane] = i;
        };
        const bool plain = link.joint_count == 1 && bodies.is_rigid(link.parent);
        if (plain && joint.type == JointType::ball) {
            const auto [pack, lane] = points.take(a, b);
            fill_point(pack, lane);
        } else if (plain && joint.type == JointType::hinge) {
            const auto [pack, lane] = hinges.take(a, b);
            fill_point(pack.point, lane);
            const Mat3d before = rotation_matrix(bodies.turn_of(link.parent, joint.X_PF.R));
            set_lane3(pack.x_a, lane, before.x);
            set_lane3(pack.y_a, lane, before.y);
            set_lane3(pack.z_b, lane, rotation_matrix(bodies.turn_of(i, Mat3d::identity())).z);
        } else {
            for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
                if (N != count) return;
                RowJoint<N>& added = list.emplace_back();
                added.link = i;
                added.a = a;
                added.b = b;
                std::fill_n(added.impulse, N, 0.0);
            });
        }
    }
    own.points.count = static_cast<int>(points_.size()) - own.points.begin;
    own.hinges.count = static_cast<int>(hinges_.size()) - own.hinges.begin;
    n = 0;
    for_each_list([&](const auto& list) {
        own.joints[n].count = static_cast<int>(list.size()) - own.joints[n].begin;
        ++n;
    });
    colours_.push_back(own);
}

}  // namespace lig::impulse
