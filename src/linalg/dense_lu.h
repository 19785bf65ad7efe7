#pragma once

// LU with row pivoting of a small dense matrix, in place: rows of `stride` numbers.

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lig {

class DenseLu {
public:
    // swapped: n entries, which row each has been exchanged with. carried: columns behind those of the
    // matrix, right-hand sides that `factor` eliminates along with it.
    DenseLu(double* rows, int n, std::ptrdiff_t stride, int* swapped, int carried = 0)
        : rows_(rows), n_(n), columns_(n + carried), stride_(stride), swapped_(swapped) {}

    // False where a pivot is no larger than the least.
    bool factor(double min_pivot) {
        for (int k = 0; k < n_; ++k) {
            int best = k;
            for (int i = k + 1; i < n_; ++i)
                if (std::fabs(row(i)[k]) > std::fabs(row(best)[k])) best = i;
            swapped_[k] = best;
            if (best != k) std::swap_ranges(row(k), row(k) + columns_, row(best));
            if (!(std::fabs(row(k)[k]) > min_pivot)) return false;
            const double reciprocal = 1 / row(k)[k];
            for (int i = k + 1; i < n_; ++i) {
                if (row(i)[k] == 0) continue;
                row(i)[k] *= reciprocal;
                add_scaled(-row(i)[k], row(k) + k + 1, row(i) + k + 1, columns_ - k - 1);
            }
        }
        return true;
    }

    void solve(double* x) const {
        for (int k = 0; k < n_; ++k) std::swap(x[k], x[swapped_[k]]);
        for (int i = 0; i < n_; ++i) x[i] -= dot(row(i), x, i);
        substitute_back(x);
    }
    // The same for a right-hand side that was carried along.
    void substitute_back(double* x) const {
        for (int i = n_ - 1; i >= 0; --i)
            x[i] = (x[i] - dot(row(i) + i + 1, x + i + 1, n_ - i - 1)) / row(i)[i];
    }

private:
    double* row(int i) const { return rows_ + i * stride_; }

    double* rows_;
    int n_, columns_;
    std::ptrdiff_t stride_;
    int* swapped_;
};

}  // namespace lig
