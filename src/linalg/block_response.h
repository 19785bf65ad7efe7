#pragma once

// What forces along some directions do to the accelerations along others, in a system that a BlockLdlt has
// been factored for: the coefficients of Baraff's "constraint anticipation" (1996, sec. 8).
//
//     A = J K̂⁻¹ F      J: rows, F: columns, both on few nodes; K̂ the matrix that is factored
//                      (Jᵃ, K and M̂ of the paper [B96 eq. 10–12])
//
// so that columns of forces F f change J a by A f while the constraints in K̂ go on holding. The paper solves
// K̂ for every column, O(n) each. With K̂ = L D Lᵀ
//
//     A = (L⁻¹ Jᵀ)ᵀ D⁻¹ (L⁻¹ F),
//
// L⁻¹ of a sparse column is zero off the ways from its nodes to the root of the elimination tree, and finding
// it is half a solve along these ways; products run over what two ways have in common. Where forces do no
// work, F = Jᵀ, one such half serves for both sides. Columns go by four.

#include "linalg/block_ldlt.h"

#include <span>
#include <vector>

namespace lig {

// dim(node) numbers of a row of J or a column of F.
struct BlockTerm {
    int column, node;
    const double* values;
};

class BlockResponse {
public:
    // A: k × k, row-major. Terms are ordered by column; of one column they are on different nodes. Allocates
    // only what is more than before. alone (k, or empty): of each diagonal entry of A what bodies yield,
    // before constraints take their part of it. Rounding of A is a share of that.
    void workless(const BlockLdlt& factored, std::span<const BlockTerm> rows, int k, std::span<double> A,
                  std::span<double> alone = {});
    void general(const BlockLdlt& factored, std::span<const BlockTerm> rows,
                 std::span<const BlockTerm> columns, int k, std::span<double> A);

    // As in the paper: a solve for every column, and products with the rows.
    void by_solves(const BlockLdlt& factored, std::span<const BlockTerm> rows,
                   std::span<const BlockTerm> columns, int k, std::span<double> A);

private:
    // L⁻¹ of columns, in groups of four side by side, on the nodes where it is not zero.
    struct Halves {
        std::vector<double> values;  // 4 per entry
        std::vector<int> entries;    // of vectors
        std::vector<int> begin;      // by groups, in entries
        std::vector<int> nodes;      // that the entries belong to
        std::vector<int> nodes_begin;
    };
    void solve_halves(const BlockLdlt& factored, std::span<const BlockTerm> terms, int k, Halves& halves);
    void multiply(const BlockLdlt& factored, const Halves& left, const Halves& right, bool symmetric, int k,
                  std::span<double> A, std::span<double> alone);

    Halves left_, right_;
    std::vector<double> dense_;  // four vectors; zero between calls
    std::vector<double> whole_;  // a vector, of by_solves
    std::vector<int> support_, on_;
};

}  // namespace lig
