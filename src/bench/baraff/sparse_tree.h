#pragma once

// Appendix A of Baraff 1996 to the letter: a structure per body and constraint, parents and children,
// matrices of their own memory. Signs that the print has lost: n.D −= c.Jᵀ c.D c.J and n.soln −= … in both
// loops; a node of a body gets the transpose of its parent's block; J is set for both kinds of nodes. Beyond
// the paper's text: a forest, and no recursion.
//
// The graph must be a forest. The root of a tree is its constraint on one body (the one to the world), or any
// body if there is none; with two such constraints in one tree the method fails on a singular pivot.

#include "bench/baraff/small_blocks.h"
#include "linalg/block_ldlt.h"

#include <span>

namespace lig::bench {

class SparseTree {
public:
    explicit SparseTree(const BlockLdlt& K);
    bool possible() const { return possible_; }  // a forest with at most one constraint on one body per tree
    void factor();
    void solve(std::span<double> x);  // vectors as those of K

private:
    struct TreeNode {
        int parent = -1, edge = -1;  // of K, to the parent
        std::vector<int> children;
        SmallBlock D, Dinv, J, soln;
    };
    const BlockLdlt& K_;
    std::vector<TreeNode> tree_;
    std::vector<int> forward_;  // children before parents
    SmallBlock scratch_;
    bool possible_ = true;
};

}  // namespace lig::bench
