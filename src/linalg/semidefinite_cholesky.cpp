#include "linalg/semidefinite_cholesky.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lig {

int SemidefiniteCholesky::factor(std::span<const double> A, int n, double tolerance,
                                 std::span<const double> least) {
    const std::size_t stride = n;
    n_ = n;
    rank_ = 0;
    l_.assign(stride * stride, 0.0);
    remainder_.resize(n);
    order_.resize(n);
    place_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    for (int i = 0; i < n; ++i) remainder_[i] = A[i * stride + i];
    while (rank_ < n) {
        int best = -1;
        double largest = tolerance;
        for (int at = rank_; at < n; ++at) {
            const int i = order_[at];
            // NaN for a row of zeros; one that is negative by rounding is as good as that.
            const double share = remainder_[i] / A[i * stride + i];
            if (remainder_[i] > (least.empty() ? 0 : least[i]) && share > largest) {
                largest = share;
                best = at;
            }
        }
        if (best < 0) break;
        std::swap(order_[rank_], order_[best]);
        const int pivot = order_[rank_];
        double* const own = l_.data() + pivot * stride;
        own[rank_] = std::sqrt(remainder_[pivot]);
        for (int at = rank_ + 1; at < n; ++at) {
            const int i = order_[at];
            double* const row = l_.data() + i * stride;
            row[rank_] = (A[i * stride + pivot] - dot(row, own, rank_)) / own[rank_];
            remainder_[i] -= row[rank_] * row[rank_];
        }
        ++rank_;
    }
    for (int at = 0; at < n; ++at) place_[order_[at]] = at;
    return rank_;
}

// L Lᵀ y = x for the rows kept, in the order chosen.
void SemidefiniteCholesky::solve_kept(std::vector<double>& x) const {
    const std::size_t stride = n_;
    for (int k = 0; k < rank_; ++k) {
        const double* row = l_.data() + order_[k] * stride;
        x[k] = (x[k] - dot(row, x.data(), k)) / row[k];
    }
    for (int k = rank_ - 1; k >= 0; --k) {
        const double* row = l_.data() + order_[k] * stride;
        x[k] /= row[k];
        add_scaled(-x[k], row, x.data(), k);
    }
}

void SemidefiniteCholesky::solve(std::span<const double> A, std::span<const double> b, std::span<double> x) {
    const std::size_t stride = n_;
    rest_.resize(n_);
    std::fill(x.begin(), x.end(), 0.0);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < rank_; ++k)
            rest_[k] = b[order_[k]] - dot(A.data() + order_[k] * stride, x.data(), n_);
        solve_kept(rest_);
        for (int k = 0; k < rank_; ++k) x[order_[k]] += rest_[k];
    }
}

}  // namespace lig
