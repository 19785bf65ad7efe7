#pragma once

// Constrained accelerations by elimination in long double on the whole matrix: what the recursions and the
// sparse solver are compared with.

#include <algorithm>
#include <cmath>
#include <vector>

namespace lig::test {

struct KktSolution {
    std::vector<double> acceleration, multipliers;
};

// M a = force + Jᵀ λ, J a + compliance λ = −product. J: rows × n, row-major.
inline KktSolution solve_kkt(const std::vector<double>& M, const std::vector<double>& J,
                             const std::vector<double>& compliance, const std::vector<double>& force,
                             const std::vector<double>& product) {
    const int n = static_cast<int>(force.size()), m = static_cast<int>(product.size()), size = n + m;
    std::vector<long double> A(static_cast<std::size_t>(size) * (size + 1), 0.0L);
    const auto at = [&](int i, int j) -> long double& {
        return A[static_cast<std::size_t>(i) * (size + 1) + j];
    };
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) at(i, j) = M[i * n + j];
        for (int r = 0; r < m; ++r) {
            at(i, n + r) = -J[r * n + i];
            at(n + r, i) = J[r * n + i];
        }
        at(i, size) = force[i];
    }
    for (int r = 0; r < m; ++r) {
        at(n + r, n + r) = compliance[r];
        at(n + r, size) = -product[r];
    }
    for (int k = 0; k < size; ++k) {
        int pivot = k;
        for (int i = k + 1; i < size; ++i)
            if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
        for (int j = 0; j <= size; ++j) std::swap(at(k, j), at(pivot, j));
        for (int i = k + 1; i < size; ++i) {
            const long double factor = at(i, k) / at(k, k);
            if (factor == 0) continue;
            for (int j = k; j <= size; ++j) at(i, j) -= factor * at(k, j);
        }
    }
    for (int k = size - 1; k >= 0; --k) {
        for (int j = k + 1; j < size; ++j) at(k, size) -= at(k, j) * at(j, size);
        at(k, size) /= at(k, k);
    }
    KktSolution out;
    for (int k = 0; k < size; ++k)
        (k < n ? out.acceleration : out.multipliers).push_back(static_cast<double>(at(k, size)));
    return out;
}

}  // namespace lig::test
