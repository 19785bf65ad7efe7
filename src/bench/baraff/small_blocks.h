#pragma once

// Products and inverses of small blocks with sizes known at run time, plain: what the methods of the paper
// need besides bookkeeping. Row-major, rows without gaps.

#include <vector>

namespace lig::bench {

using SmallBlock = std::vector<double>;

// c −= aᵀ b, a: k × m, b: k × n, c: m × n.
inline void subtract_transposed_product(const double* a, const double* b, int k, int m, int n, double* c) {
    for (int p = 0; p < k; ++p)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) c[i * n + j] -= a[p * m + i] * b[p * n + j];
}

// c = a b, a: m × k, b: k × n.
inline void product(const double* a, const double* b, int m, int k, int n, double* c) {
    for (int i = 0; i < m * n; ++i) c[i] = 0;
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p)
            for (int j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// The inverse of a definite matrix, of either sign: elimination on the diagonal, in place. A zero pivot
// leaves numbers that are not finite.
inline void invert_definite(double* a, int n) {
    for (int p = 0; p < n; ++p) {
        const double reciprocal = 1 / a[p * n + p];
        a[p * n + p] = 1;
        for (int j = 0; j < n; ++j) a[p * n + j] *= reciprocal;
        for (int i = 0; i < n; ++i) {
            if (i == p) continue;
            const double factor = a[i * n + p];
            a[i * n + p] = 0;
            for (int j = 0; j < n; ++j) a[i * n + j] -= factor * a[p * n + j];
        }
    }
}

}  // namespace lig::bench
