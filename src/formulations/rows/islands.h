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
    explicit Islands(const JointFactor& factor);

    // The blocks of `held` (from, to) connect trees but are not listed: somebody else solves them.
    struct Held {
        int begin = 0, end = 0;
    };
    void find(const Rows& rows, const JointFactor& factor, const Held& held);
    void find(const Rows& rows, const JointFactor& factor) { find(rows, factor, Held{}); }
    // Coordinates are counted by rows instead of freedoms: as many as the rows of an island, in the range of
    // its first tree. Returns how many there are.
    int count_by_rows(const Rows& rows);

    int count() const { return static_cast<int>(freedoms_.size()); }
    std::span<const int> blocks(int island) const { return slice(blocks_, block_begin_, island); }  // rising
    std::span<const int> trees(int island) const { return slice(trees_, tree_begin_, island); }     // rising
    int freedoms(int island) const { return freedoms_[island]; }
    int largest_tree(int island) const { return largest_[island]; }  // freedoms

    // A tree hangs on the world or a kinematic body; its freedoms stand together. After count_by_rows, the
    // coordinates.
    struct Tree {
        int v_begin, v_end;
    };
    const std::vector<Tree>& all_trees() const { return all_; }

private:
    static std::span<const int> slice(const std::vector<int>& all, const std::vector<int>& begin,
                                      int island) {
        return std::span<const int>(all).subspan(begin[island], begin[island + 1] - begin[island]);
    }
    int root(int tree);

    std::vector<Tree> all_;
    std::vector<int> tree_of_link_;
    std::vector<int> parent_;     // (trees) towards the representative, which is the lowest
    std::vector<int> first_;      // (blocks) a tree of each, −1: it acts on nothing
    std::vector<int> island_of_;  // (trees) of the representatives
    std::vector<int> blocks_, block_begin_, trees_, tree_begin_, freedoms_, largest_, next_;
};

}  // namespace lig
