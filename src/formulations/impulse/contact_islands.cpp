#include "formulations/impulse/contact_islands.h"

#include <algorithm>
#include <numeric>

namespace lig::impulse {

ContactIslands::ContactIslands(const MovingBodies& bodies, std::vector<std::pair<int, int>> connected)
    : always_(std::move(connected)), held_(bodies.links(), 0), root_(bodies.links()) {
    const Tree<double>& tree = bodies.model().tree;
    for (int i = 0; i < bodies.links(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        const bool floats = link.joint_count == 1 && tree.joints[link.joint_begin].type == JointType::free;
        if (bodies.has_joint_rows(i) && !floats) always_.push_back({link.parent, i});
    }
    std::vector<std::pair<int, int>> between;
    for (const auto& [a, b] : always_) {
        if (a >= 0) held_[a] = 1;
        if (b >= 0) held_[b] = 1;
        if (a >= 0 && b >= 0)
            between.push_back({a, b});
        else if (a >= 0 || b >= 0)
            held_at_.push_back({std::max(a, b), std::min(a, b)});
    }
    always_ = std::move(between);
    std::iota(root_.begin(), root_.end(), 0);
}

int ContactIslands::root(int link) {
    while (root_[link] != link) link = root_[link] = root_[root_[link]];
    return link;
}

void ContactIslands::join(int a, int b) {
    a = root(a);
    b = root(b);
    if (a < b)
        root_[b] = a;
    else
        root_[a] = b;
}

void ContactIslands::begin() {
    std::iota(root_.begin(), root_.end(), 0);
    for (const auto& [a, b] : always_) join(a, b);
    touching_.clear();
}

void ContactIslands::add(int a, int b) {
    if (a >= 0 && b >= 0)
        join(a, b);
    else if (a >= 0 || b >= 0)
        touching_.push_back({std::max(a, b), std::min(a, b)});
}

void ContactIslands::finish() {
    for (int i = 0; i < static_cast<int>(root_.size()); ++i) root_[i] = root(i);
}

}  // namespace lig::impulse
