#include "collide/box_tree.h"

#include <algorithm>

namespace lig::collide {

namespace {

// How much larger the inner boxes may become, all together, before the tree is built anew. A walk visits
// about as many nodes more; building costs about ten walks of every item.
constexpr double tolerated_growth = 1.5;

}  // namespace

// Puts the entries of a range in two halves along the axis in which their centres differ most. Returns the
// first of the second half.
int BoxTree::split(int begin, int end) {
    float lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) lower[axis] = upper[axis] = entries_[begin].center[axis];
    for (int k = begin + 1; k < end; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = std::min(lower[axis], entries_[k].center[axis]);
            upper[axis] = std::max(upper[axis], entries_[k].center[axis]);
        }
    int axis = 0;
    for (int other = 1; other < 3; ++other)
        if (upper[other] - lower[other] > upper[axis] - lower[axis]) axis = other;
    const int middle = begin + (end - begin) / 2;
    std::nth_element(entries_.begin() + begin, entries_.begin() + middle, entries_.begin() + end,
                     [axis](const Entry& a, const Entry& b) {
                         return a.center[axis] != b.center[axis] ? a.center[axis] < b.center[axis]
                                                                 : a.item < b.item;
                     });
    return middle;
}

void BoxTree::build(std::span<const FloatBox> boxes, std::span<const int> items) {
    if (items.data() != items_.data()) items_.assign(items.begin(), items.end());
    const int count = static_cast<int>(items_.size());
    nodes_.clear();
    built_cost_ = 0;
    if (count == 0) return;
    entries_.resize(count);
    for (int k = 0; k < count; ++k) {
        const FloatBox& box = boxes[items_[k]];
        for (int axis = 0; axis < 3; ++axis)
            entries_[k].center[axis] = 0.5f * box.lower[axis] + 0.5f * box.upper[axis];
        entries_[k].item = items_[k];
    }

    // Ranges that wait to become nodes, and where they are to be linked.
    struct Range {
        int begin, end, parent, slot;
    };
    Range stack[max_waiting];
    int waiting = 0;
    stack[waiting++] = {0, count, -1, 0};
    while (waiting > 0) {
        const Range range = stack[--waiting];
        const int at = static_cast<int>(nodes_.size());
        if (range.parent >= 0) nodes_[range.parent].child[range.slot] = at;
        Node& node = nodes_.emplace_back();
        int bounds[Node::width + 1] = {range.begin, range.end, range.end, range.end, range.end};
        if (range.end - range.begin > 1) {
            bounds[2] = split(range.begin, range.end);
            bounds[1] = bounds[2] - range.begin > 1 ? split(range.begin, bounds[2]) : bounds[2];
            bounds[3] = range.end - bounds[2] > 1 ? split(bounds[2], range.end) : range.end;
        }
        for (int k = Node::width; k-- > 0;) {
            const int size = bounds[k + 1] - bounds[k];
            node.child[k] = size == 1 ? -2 - entries_[bounds[k]].item : Node::nothing;
            node.set_box(k, FloatBox::nothing());
            if (size > 1) stack[waiting++] = {bounds[k], bounds[k + 1], at, k};
        }
    }
    refit(boxes);
}

void BoxTree::refit(std::span<const FloatBox> boxes) {
    double cost = 0;
    for (int at = static_cast<int>(nodes_.size()) - 1; at >= 0; --at) {
        Node& node = nodes_[at];
        for (int k = 0; k < Node::width; ++k) {
            const int child = node.child[k];
            if (child == Node::nothing) continue;
            if (child < 0) {
                node.set_box(k, boxes[-2 - child]);
                continue;
            }
            const Node& below = nodes_[child];
            FloatBox box = below.box(0);
            for (int j = 1; j < Node::width; ++j) box = united(box, below.box(j));
            node.set_box(k, box);
            cost += box.half_area();
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
