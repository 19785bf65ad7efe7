#pragma once

// Gaussian elimination of a small dense matrix with pivots from all that is left of it, so that it may be
// singular: where what is left is nothing but rounding, the unknowns that remain are set to 0.

#include <algorithm>
#include <array>
#include <cmath>

namespace lig {

// A x = b, both in place: A is used up, b becomes x. Pivots up to `tolerance` times the largest count as 0.
// Returns the rank.
template <int N>
int solve_full_pivot(std::array<std::array<double, N>, N>& A, std::array<double, N>& b, double tolerance) {
    std::array<int, N> unknown;  // of a column
    for (int c = 0; c < N; ++c) unknown[c] = c;
    int rank = 0;
    double largest = 0;
    for (; rank < N; ++rank) {
        int row = rank, column = rank;
        for (int r = rank; r < N; ++r)
            for (int c = rank; c < N; ++c)
                if (std::fabs(A[r][c]) > std::fabs(A[row][column])) row = r, column = c;
        const double pivot = std::fabs(A[row][column]);
        largest = std::max(largest, pivot);
        if (!(pivot > tolerance * largest)) break;
        std::swap(A[rank], A[row]);
        std::swap(b[rank], b[row]);
        for (int r = 0; r < N; ++r) std::swap(A[r][rank], A[r][column]);
        std::swap(unknown[rank], unknown[column]);
        for (int r = rank + 1; r < N; ++r) {
            const double factor = A[r][rank] / A[rank][rank];
            for (int c = rank + 1; c < N; ++c) A[r][c] -= factor * A[rank][c];
            b[r] -= factor * b[rank];
        }
    }
    std::array<double, N> x{};
    for (int r = rank - 1; r >= 0; --r) {
        double sum = b[r];
        for (int c = r + 1; c < rank; ++c) sum -= A[r][c] * x[unknown[c]];
        x[unknown[r]] = sum / A[r][r];
    }
    b = x;
    return rank;
}

}  // namespace lig
