#include "bench/baraff/dense_ldlt.h"

#include <algorithm>

namespace lig::bench {

DenseLdlt::DenseLdlt(const BlockLdlt& K) : K_(K), n_(K.nodes()) {
    for (const int node : K.order()) {
        dim_.push_back(K.dim(node));
        offset_.push_back(K.offset(node));
    }
    H_.resize(std::size_t(n_) * std::size_t(n_));
    for (int i = 0; i < n_; ++i)
        for (int j = i; j < n_; ++j) block(i, j).assign(std::size_t(dim_[i] * dim_[j]), 0.0);
    inverse_.resize(std::size_t(n_));
    scratch_.resize(BlockLdlt::max_rows * BlockLdlt::max_rows);
}

void DenseLdlt::factor() {
    std::vector<int> place(std::size_t(n_), 0);
    for (int i = 0; i < n_; ++i) place[K_.order()[i]] = i;
    for (int i = 0; i < n_; ++i) {
        for (int j = i + 1; j < n_; ++j) std::fill(block(i, j).begin(), block(i, j).end(), 0.0);
        const double* const from = K_.diagonal(K_.order()[i]);
        std::copy_n(from, dim_[i] * dim_[i], block(i, i).begin());
    }
    for (int e = 0; e < K_.edges(); ++e) {
        const auto [a, b] = K_.edge_nodes(e);
        const double* from = K_.edge(e);
        const bool forward = place[a] < place[b];
        SmallBlock& to = forward ? block(place[a], place[b]) : block(place[b], place[a]);
        for (int p = 0; p < K_.dim(a); ++p)
            for (int q = 0; q < K_.dim(b); ++q, ++from)
                to[forward ? p * K_.dim(b) + q : q * K_.dim(a) + p] = *from;
    }

    for (int i = 0; i < n_; ++i) {
        for (int k = 0; k < i; ++k) {
            // H_kk H_ki, which lines 4 and 7 have in common.
            product(block(k, k).data(), block(k, i).data(), dim_[k], dim_[k], dim_[i], scratch_.data());
            for (int j = i; j < n_; ++j)
                subtract_transposed_product(scratch_.data(), block(k, j).data(), dim_[k], dim_[i], dim_[j],
                                            block(i, j).data());
        }
        inverse_[i] = block(i, i);
        invert_definite(inverse_[i].data(), dim_[i]);
        for (int j = i + 1; j < n_; ++j) {
            product(inverse_[i].data(), block(i, j).data(), dim_[i], dim_[i], dim_[j], scratch_.data());
            std::copy_n(scratch_.begin(), dim_[i] * dim_[j], block(i, j).begin());
        }
    }
}

void DenseLdlt::solve(std::span<double> x) {
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < i; ++j)
            subtract_transposed_product(block(j, i).data(), x.data() + offset_[j], dim_[j], dim_[i], 1,
                                        x.data() + offset_[i]);
    for (int i = n_ - 1; i >= 0; --i) {
        double* const own = x.data() + offset_[i];
        product(inverse_[i].data(), own, dim_[i], dim_[i], 1, scratch_.data());
        for (int j = i + 1; j < n_; ++j)
            for (int p = 0; p < dim_[i]; ++p)
                for (int q = 0; q < dim_[j]; ++q)
                    scratch_[p] -= block(i, j)[p * dim_[j] + q] * x[offset_[j] + q];
        std::copy_n(scratch_.begin(), dim_[i], own);
    }
}

}  // namespace lig::bench
