#pragma once

// Islands: trees that rows connect, and the rows that do. What happens in one has no effect on the others, so
// each is solved by itself. Trees without rows are in none.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"

#include <span>
#include <vector>

namespace lig {

class Islands {
public:
    // A tree hangs on the world or a kinematic body; its freedoms stand together. After set_coordinates, the
    // coordinates.
    struct Tree {
        int v_begin, v_end;
    };

    explicit Islands(const JointFactor& factor);

    // The blocks of `held` (from, to) connect trees but are not listed: somebody else solves them.
    struct Held {
        int begin = 0, end = 0;
    };
    void find(const Rows& rows, const JointFactor& factor, const Held& held);
    void find(const Rows& rows, const JointFactor& factor) { find(rows, factor, Held{}); }
    // Trees that the blocks of `held` join move as one: a group, named by its lowest tree.
    int group_of(int link) const { return group_[tree_of_link_[link]]; }
    // Whether such a block acts on an island.
    bool has_held(int island) const { return has_held_[island] != 0; }
    // For coordinates of the caller's own instead of an island's freedoms: none at first, then those of each
    // group, in the range of its lowest tree.
    void clear_coordinates(int island);
    void set_coordinates(int island, int group, const Tree& range);

    int count() const { return static_cast<int>(freedoms_.size()); }
    std::span<const int> blocks(int island) const { return slice(blocks_, block_begin_, island); }  // rising
    std::span<const int> trees(int island) const { return slice(trees_, tree_begin_, island); }     // rising
    int freedoms(int island) const { return freedoms_[island]; }
    int largest_tree(int island) const { return largest_[island]; }  // freedoms

    const std::vector<Tree>& all_trees() const { return all_; }

private:
    static std::span<const int> slice(const std::vector<int>& all, const std::vector<int>& begin,
                                      int island) {
        return std::span<const int>(all).subspan(begin[island], begin[island + 1] - begin[island]);
    }
    static int root(std::vector<int>& parent, int tree);
    int join(const Rows& rows, const RowBlock& block, const JointFactor& factor,
             std::vector<int>& parent) const;

    std::vector<Tree> all_, freedoms_of_trees_;
    std::vector<int> tree_of_link_;
    std::vector<int> parent_;     // (trees) towards the representative, which is the lowest
    std::vector<int> group_;      // (trees) the lowest tree of the group
    std::vector<int> first_;      // (blocks) a tree of each, −1: it acts on nothing
    std::vector<int> island_of_;  // (trees) of the representatives
    std::vector<char> has_held_;  // (islands)
    std::vector<int> blocks_, block_begin_, trees_, tree_begin_, freedoms_, largest_, next_;
};

}  // namespace lig
