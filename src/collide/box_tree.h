#pragma once

// A binary tree of boxes over some of a set of boxes. Its nodes lie in depth-first order, so that one pass
// from the back refits all of them when boxes have moved; it is built anew when moving has made it bad.

#include "collide/float_box.h"

#include <span>
#include <vector>

namespace lig::collide {

class BoxTree {
public:
    // Over boxes[items[k]] for all k. Keeps no reference to them.
    void build(std::span<const FloatBox> boxes, std::span<const int> items);
    // After the boxes have changed. Builds anew where the inner boxes have grown too much.
    void refit(std::span<const FloatBox> boxes);

    bool empty() const { return nodes_.empty(); }

    // Calls visit(item) for each item below nodes whose box passes `enter`. `enter` is asked about leaves
    // too.
    template <class Enter, class Visit>
    void walk(Enter&& enter, Visit&& visit) const {
        // Halving n items leaves a tree of depth log₂ n; a walk keeps one waiting node a level.
        int stack[most_levels];
        int depth = 0, at = 0;
        if (nodes_.empty()) return;
        for (;;) {
            const Node& node = nodes_[at];
            if (enter(node.box)) {
                if (node.item < 0) {
                    stack[depth++] = node.second;
                    ++at;
                    continue;
                }
                visit(node.item);
            }
            if (depth == 0) return;
            at = stack[--depth];
        }
    }

private:
    static constexpr int most_levels = 40;

    struct Node {
        FloatBox box;
        int item;    // −1: an inner node; its first child follows it,
        int second;  // and this is its second
    };

    std::vector<Node> nodes_;
    std::vector<int> items_;
    struct Entry {
        float center[3];
        int item;
    };
    std::vector<Entry> entries_;  // while building
    double built_cost_ = 0;
};

}  // namespace lig::collide
