#pragma once

// The procedures sparsefactor and sparsesolve of Hernandez et al. 2011, sec. 4, to the letter where it is
// right: a tree of bodies and joints, every node with a block to its parent and, if it is a body, one to its
// grandparent: what stiff forces in the joint between them couple, when they are integrated implicitly.
// Children come before their parents; D and Lᵀ of H = L D Lᵀ take the place of H.
//
// Why two blocks are enough. When body a goes, with joint j = p(a) and body b = g(a), its neighbours are j
// and b alone, and what it adds to (j, j), (j, b) and (b, b) has its place there already: j b is J of the
// joint. When j goes, all its children are gone and b is its only neighbour. So L has the blocks of H, and
// the cost is O(n).
//
// What is wrong or missing in print.
//   sparsesolve: x_i −= H_ijᵀ x_j and H_ikᵀ x_k must read H_jiᵀ x_j and H_kiᵀ x_k. Blocks are stored with the
//   node that goes first, the child, and there is no H_ij.
//   sparsefactor: its indices are right, with "if p(i) ≠ null: H_i,p(i) −= …" inside the loop over the
//   children j, where j is bound, and p(i) = g(j). But not all blocks it names are there. "for k ∈ child(j)"
//   is for bodies k: where i is a joint, k is one too, and two joints have no block. The update of H_i,p(i)
//   is for joints i: where i is a body, H_j,p(i) would be a block of two joints again.
//   The root: "otherwise any body or joint may act as root" (sec. 3) holds for Baraff's matrix, not for this
//   one. The two bodies of a joint that is the root are siblings; their block leads from a node to neither
//   its parent nor its grandparent. The root is the joint to the world, or any body.
// Beyond its text: a forest, and no recursion.

#include "bench/baraff/small_blocks.h"
#include "linalg/block_ldlt.h"

#include <span>

namespace lig::bench {

class StiffTree {
public:
    // K: bodies and constraints on one or two of them, which make a forest, and edges between bodies that a
    // constraint joins.
    explicit StiffTree(const BlockLdlt& K);
    // Such a forest, with at most one constraint on one body in each tree (a second one would be a leaf,
    // whose pivot is zero).
    bool possible() const { return possible_; }
    // Blocks of L below its diagonal.
    int blocks() const;
    void factor();
    void solve(std::span<double> x);  // vectors as those of K

private:
    struct TreeNode {
        int parent = -1, parent_edge = -1;            // edges of K
        int grandparent = -1, grandparent_edge = -1;  // −1: no block
        std::vector<int> children;
        SmallBlock H, inverse, to_parent, to_grandparent;
    };
    void grow(int root, const std::vector<std::vector<std::pair<int, int>>>& joined);
    void load(int node, int edge, SmallBlock& block) const;
    void divide(const TreeNode& node, int dim, SmallBlock& block);

    const BlockLdlt& K_;
    std::vector<TreeNode> tree_;
    std::vector<int> backward_;  // parents before children
    SmallBlock scratch_;
    bool possible_ = true;
};

}  // namespace lig::bench
