#pragma once

// The other way to the multipliers (Baraff 1996, sec. 3 and 5): with the accelerations eliminated first,
//
//     A λ = J M⁻¹ f − k,   A = J M⁻¹ Jᵀ + C,   a = M⁻¹ (f − Jᵀ λ),
//
// of K (a, λ) = (f, k) as BlockLdlt has it. M must be block diagonal (no edges between bodies). Constraints
// are numbered as in K. Three ways to solve for λ are built on this: delassus_cholesky.h,
// conjugate_gradients.h.

#include "bench/baraff/small_blocks.h"
#include "linalg/block_ldlt.h"

#include <span>

namespace lig::bench {

class Delassus {
public:
    explicit Delassus(const BlockLdlt& K);
    void load();  // from the blocks of K: M⁻¹

    int rows() const { return rows_; }
    // out = A λ, without forming A: two sparse products and M⁻¹.
    void apply(std::span<const double> lambda, std::span<double> out);
    // Entries (i, j) of A: f(i, j, value), to be summed; j ≤ i, and nothing where no body is common.
    template <class F>
    void each_entry(const F& f) {
        for (const int c : constraints_)
            for (int p = 0; p < K_.dim(c); ++p)
                for (int q = 0; q <= p; ++q)
                    f(row_[c] + p, row_[c] + q, -K_.diagonal(c)[p * K_.dim(c) + q]);
        for (const Body& body : bodies_) each_entry_of(body, f);
    }
    // The right-hand side of λ, and the accelerations for λ, both in x, a vector as those of K.
    void reduce(std::span<const double> x, std::span<double> rhs);
    void expand(std::span<const double> lambda, std::span<double> x);

private:
    struct Body {
        int node;
        std::vector<int> edges;
        SmallBlock inverse;
    };
    int constraint_of(int edge) const {
        const auto [a, b] = K_.edge_nodes(edge);
        return K_.node(a).constraint ? a : b;
    }
    double entry(int edge, int p, int q) const {  // of J: row p of the constraint, column q of the body
        const auto [a, b] = K_.edge_nodes(edge);
        return K_.node(a).constraint ? K_.edge(edge)[p * K_.dim(b) + q] : K_.edge(edge)[q * K_.dim(b) + p];
    }
    template <class F>
    void each_entry_of(const Body& body, const F& f) {
        const int dim = K_.dim(body.node);
        for (const int e : body.edges) {
            const int c = constraint_of(e);
            for (int p = 0; p < K_.dim(c); ++p) {
                double half[BlockLdlt::max_rows];
                for (int k = 0; k < dim; ++k) {
                    half[k] = 0;
                    for (int q = 0; q < dim; ++q) half[k] += entry(e, p, q) * body.inverse[q * dim + k];
                }
                for (const int other : body.edges) {
                    const int d = constraint_of(other);
                    for (int r = 0; r < K_.dim(d) && row_[d] + r <= row_[c] + p; ++r) {
                        double sum = 0;
                        for (int k = 0; k < dim; ++k) sum += half[k] * entry(other, r, k);
                        f(row_[c] + p, row_[d] + r, sum);
                    }
                }
            }
        }
    }

    const BlockLdlt& K_;
    int rows_ = 0;
    std::vector<int> constraints_, row_;  // row_ by nodes
    std::vector<Body> bodies_;
};

}  // namespace lig::bench
