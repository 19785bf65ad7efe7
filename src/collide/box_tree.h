#pragma once

// A tree of boxes over some of a set of boxes, four children a node, whose boxes lie side by side to be
// compared at once. Nodes lie in depth-first order, so that one pass from the back refits all of them when
// boxes have moved; it is built anew when moving has made it bad.

#include "collide/float_box.h"

#include <bit>
#include <span>
#include <vector>

namespace lig::collide {

class BoxTree {
public:
    // Over boxes[items[k]] for all k. Keeps no reference to them.
    void build(std::span<const FloatBox> boxes, std::span<const int> items);
    // After the boxes have changed. Builds anew where the inner boxes have grown too much.
    void refit(std::span<const FloatBox> boxes);

    // Calls visit(item) for each item whose box overlaps `box`.
    template <class Visit>
    void find_overlaps(const FloatBox& box, Visit&& visit) const {
        walk([&box](const Node& node) { return node.overlaps(box); }, visit);
    }
    // Calls visit(item) for each item whose box, and the boxes around it, pass `enter(box)`.
    template <class Enter, class Visit>
    void find_if(Enter&& enter, Visit&& visit) const {
        walk(
            [&enter](const Node& node) {
                unsigned passed = 0;
                for (int k = 0; k < Node::width; ++k)
                    if (node.child[k] != Node::nothing && enter(node.box(k))) passed |= 1u << k;
                return passed;
            },
            visit);
    }

private:
    struct alignas(16) Node {
        static constexpr int width = 4;
        static constexpr int nothing = -1;
        float lower[3][width], upper[3][width];
        int child[width];  // a node; or −2 − item; or nothing, with a box that overlaps none

        FloatBox box(int k) const {
            return {{lower[0][k], lower[1][k], lower[2][k], 0}, {upper[0][k], upper[1][k], upper[2][k], 0}};
        }
        void set_box(int k, const FloatBox& box) {
            for (int axis = 0; axis < 3; ++axis) {
                lower[axis][k] = box.lower[axis];
                upper[axis][k] = box.upper[axis];
            }
        }
        // Bit k: child k overlaps.
        unsigned overlaps(const FloatBox& other) const {
#if defined(__SSE2__)
            __m128 all = _mm_castsi128_ps(_mm_set1_epi32(-1));
            for (int axis = 0; axis < 3; ++axis) {
                const __m128 low = _mm_set1_ps(other.lower[axis]), high = _mm_set1_ps(other.upper[axis]);
                all = _mm_and_ps(all, _mm_cmple_ps(_mm_load_ps(lower[axis]), high));
                all = _mm_and_ps(all, _mm_cmple_ps(low, _mm_load_ps(upper[axis])));
            }
            return static_cast<unsigned>(_mm_movemask_ps(all));
#else
            unsigned all = 0;
            for (int k = 0; k < width; ++k) all |= unsigned(overlap(box(k), other)) << k;
            return all;
#endif
        }
    };

    // A tree over n items is at most log₂ n nodes deep, and a walk keeps three waiting nodes a level.
    static constexpr int max_waiting = 100;

    template <class Select, class Visit>
    void walk(Select&& select, Visit&& visit) const {
        if (nodes_.empty()) return;
        int stack[max_waiting];
        int waiting = 0, at = 0;
        for (;;) {
            const Node& node = nodes_[at];
            unsigned passed = select(node);
            while (passed != 0) {
                const int child = node.child[std::countr_zero(passed)];
                passed &= passed - 1;
                // A box without end, grown beyond the range of float, overlaps even `nothing`.
                if (child >= 0)
                    stack[waiting++] = child;
                else if (child != Node::nothing)
                    visit(-2 - child);
            }
            if (waiting == 0) return;
            at = stack[--waiting];
        }
    }

    struct Entry {
        float center[3];
        int item;
    };
    int split(int begin, int end);

    std::vector<Node> nodes_;
    std::vector<int> items_;
    std::vector<Entry> entries_;  // while building
    double built_cost_ = 0;
};

}  // namespace lig::collide
