#include "linalg/block_response.h"

#include "linalg/block_ldlt_kernels.h"

#include <algorithm>

namespace lig {

void BlockResponse::solve_halves(const BlockLdlt& factored, std::span<const BlockTerm> terms, int k,
                                 Halves& halves) {
    dense_.resize(std::size_t(4 * factored.size()), 0.0);
    halves.values.clear();
    halves.entries.clear();
    halves.nodes.clear();
    halves.begin.assign(1, 0);
    halves.nodes_begin.assign(1, 0);
    std::size_t at = 0;
    for (int first = 0; first < k; first += 4) {
        on_.clear();
        for (; at < terms.size() && terms[at].column < first + 4; ++at) {
            const BlockTerm& term = terms[at];
            const int offset = factored.offset(term.node), lane = term.column - first;
            for (int p = 0; p < factored.dim(term.node); ++p)
                dense_[4 * (offset + p) + lane] += term.values[p];
            on_.push_back(term.node);
        }
        std::sort(on_.begin(), on_.end());
        on_.erase(std::unique(on_.begin(), on_.end()), on_.end());
        factored.half_solve4(on_, dense_, support_);
        for (const int node : support_) {
            const int offset = factored.offset(node);
            for (int i = offset; i < offset + factored.dim(node); ++i) {
                halves.entries.push_back(i);
                for (int lane = 0; lane < 4; ++lane) {
                    halves.values.push_back(dense_[4 * i + lane]);
                    dense_[4 * i + lane] = 0;
                }
            }
            halves.nodes.push_back(node);
        }
        halves.begin.push_back(static_cast<int>(halves.entries.size()));
        halves.nodes_begin.push_back(static_cast<int>(halves.nodes.size()));
    }
}

// A group of the right side is spread out, divided by D, and multiplied with those of the left along their
// supports. If both sides are the same it is the shorter of two supports that is walked.
void BlockResponse::multiply(const BlockLdlt& factored, const Halves& left, const Halves& right,
                             bool symmetric, int k, std::span<double> A, std::span<double> alone) {
    const BlockLdltKernels& kernels = block_ldlt_kernels();
    const int groups = static_cast<int>(right.begin.size()) - 1;
    for (int g = 0; g < groups; ++g) {
        for (int i = right.begin[g]; i < right.begin[g + 1]; ++i)
            std::copy_n(&right.values[4 * i], 4, &dense_[4 * right.entries[i]]);
        const std::span<const int> nodes(&right.nodes[right.nodes_begin[g]],
                                         std::size_t(right.nodes_begin[g + 1] - right.nodes_begin[g]));
        factored.divide4(nodes, dense_, dense_);
        for (int c = 4 * g; c < std::min(static_cast<int>(alone.size()), 4 * g + 4); ++c) {
            alone[c] = 0;
            for (int i = right.begin[g]; i < right.begin[g + 1]; ++i)
                alone[c] +=
                    std::max(0.0, right.values[4 * i + c - 4 * g] * dense_[4 * right.entries[i] + c - 4 * g]);
        }
        const int length = right.begin[g + 1] - right.begin[g];
        for (int h = 0; h < groups; ++h) {
            double products[16] = {};
            const int begin = left.begin[h], count = left.begin[h + 1] - begin;
            if (symmetric && (count > length || (count == length && h < g))) continue;
            kernels.products4(&left.values[4 * begin], &left.entries[begin], count, dense_.data(), products);
            for (int r = 4 * h; r < std::min(k, 4 * h + 4); ++r)
                for (int c = 4 * g; c < std::min(k, 4 * g + 4); ++c) {
                    A[r * k + c] = products[4 * (r - 4 * h) + c - 4 * g];
                    if (symmetric) A[c * k + r] = A[r * k + c];
                }
        }
        for (int i = right.begin[g]; i < right.begin[g + 1]; ++i)
            std::fill_n(&dense_[4 * right.entries[i]], 4, 0.0);
    }
}

void BlockResponse::workless(const BlockLdlt& factored, std::span<const BlockTerm> rows, int k,
                             std::span<double> A, std::span<double> alone) {
    solve_halves(factored, rows, k, left_);
    multiply(factored, left_, left_, true, k, A, alone);
}

void BlockResponse::general(const BlockLdlt& factored, std::span<const BlockTerm> rows,
                            std::span<const BlockTerm> columns, int k, std::span<double> A) {
    solve_halves(factored, rows, k, left_);
    solve_halves(factored, columns, k, right_);
    multiply(factored, left_, right_, false, k, A, {});
}

void BlockResponse::by_solves(const BlockLdlt& factored, std::span<const BlockTerm> rows,
                              std::span<const BlockTerm> columns, int k, std::span<double> A) {
    whole_.resize(std::size_t(factored.size()));
    std::fill_n(A.begin(), k * k, 0.0);
    std::size_t at = 0;
    for (int c = 0; c < k; ++c) {
        std::fill(whole_.begin(), whole_.end(), 0.0);
        for (; at < columns.size() && columns[at].column == c; ++at)
            for (int p = 0; p < factored.dim(columns[at].node); ++p)
                whole_[factored.offset(columns[at].node) + p] += columns[at].values[p];
        factored.solve(whole_);
        for (const BlockTerm& row : rows)
            for (int p = 0; p < factored.dim(row.node); ++p)
                A[row.column * k + c] += row.values[p] * whole_[factored.offset(row.node) + p];
    }
}

}  // namespace lig
