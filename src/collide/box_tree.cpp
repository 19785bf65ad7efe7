#include "collide/box_tree.h"

#include <algorithm>

namespace lig::collide {

namespace {

// How much larger the inner boxes may become, all together, before the tree is built anew. A walk visits
// about as many nodes more; building costs about ten walks of every item.
constexpr double tolerated_growth = 1.5;

}  // namespace

void BoxTree::build(std::span<const FloatBox> boxes, std::span<const int> items) {
    if (items.data() != items_.data()) items_.assign(items.begin(), items.end());
    const int count = static_cast<int>(items_.size());
    nodes_.resize(count == 0 ? 0 : 2 * count - 1);
    if (count == 0) return;
    entries_.resize(count);
    for (int k = 0; k < count; ++k) {
        const FloatBox& box = boxes[items_[k]];
        for (int axis = 0; axis < 3; ++axis)
            entries_[k].center[axis] = 0.5f * box.lower[axis] + 0.5f * box.upper[axis];
        entries_[k].item = items_[k];
    }

    // A range of m entries becomes 2m − 1 nodes, so where each range's nodes go is known beforehand.
    struct Range {
        int begin, end, node;
    };
    Range stack[most_levels];
    int depth = 0;
    stack[depth++] = {0, count, 0};
    while (depth > 0) {
        const Range range = stack[--depth];
        Node& node = nodes_[range.node];
        if (range.end - range.begin == 1) {
            node.item = entries_[range.begin].item;
            node.second = -1;
            continue;
        }
        float lower[3], upper[3];
        for (int axis = 0; axis < 3; ++axis)
            lower[axis] = upper[axis] = entries_[range.begin].center[axis];
        for (int k = range.begin + 1; k < range.end; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                lower[axis] = std::min(lower[axis], entries_[k].center[axis]);
                upper[axis] = std::max(upper[axis], entries_[k].center[axis]);
            }
        int axis = 0;
        for (int other = 1; other < 3; ++other)
            if (upper[other] - lower[other] > upper[axis] - lower[axis]) axis = other;

        const int middle = range.begin + (range.end - range.begin) / 2;
        std::nth_element(entries_.begin() + range.begin, entries_.begin() + middle,
                         entries_.begin() + range.end, [axis](const Entry& a, const Entry& b) {
                             return a.center[axis] != b.center[axis] ? a.center[axis] < b.center[axis]
                                                                     : a.item < b.item;
                         });
        node.item = -1;
        node.second = range.node + 1 + 2 * (middle - range.begin) - 1;
        stack[depth++] = {middle, range.end, node.second};
        stack[depth++] = {range.begin, middle, range.node + 1};
    }
    built_cost_ = 0;
    refit(boxes);
}

void BoxTree::refit(std::span<const FloatBox> boxes) {
    double cost = 0;
    for (int k = static_cast<int>(nodes_.size()) - 1; k >= 0; --k) {
        Node& node = nodes_[k];
        if (node.item >= 0) {
            node.box = boxes[node.item];
        } else {
            node.box = united(nodes_[k + 1].box, nodes_[node.second].box);
            cost += node.box.half_area();
        }
    }
    if (built_cost_ > 0 && cost > tolerated_growth * built_cost_) {
        build(boxes, items_);
        return;
    }
    // Things that come together deserve a smaller tree.
    built_cost_ = built_cost_ > 0 ? std::min(built_cost_, cost) : cost;
}

}  // namespace lig::collide
