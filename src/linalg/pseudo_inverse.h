#pragma once

// Rows that may contradict each other, met in the least squares.
//
// G = Z Zᵀ holds the products of rows z. Rows are brought to unit length, H = D G D, and H = U Λ Uᵀ by
// Jacobi's rotations. Of all s for which the sum of squares of D (Z s − target) is least, s = Zᵀ λ with
//     λ = D U Λ⁺ Uᵀ D target
// is the shortest. √Λ are the singular values of the rows; those up to the tolerance count as 0. The result
// does not depend on the order of rows.

#include <span>
#include <vector>

namespace lig {

class PseudoInverse {
public:
    // G: n × n, row-major, both triangles; rows with 0 on the diagonal take no part. tolerance: of singular
    // values. Returns the rank. O(n³).
    int factor(std::span<const double> G, int n, double tolerance);
    // λ (n) for a target (n), which may be the same memory.
    void solve(std::span<const double> target, std::span<double> lambda);

private:
    int n_ = 0;
    std::vector<double> scale_;    // (n) D
    std::vector<double> h_;        // (n × n)
    std::vector<double> vectors_;  // (n × n) eigenvectors as rows
    std::vector<double> inverse_;  // (n) Λ⁺
    std::vector<double> x_;        // (n)
};

}  // namespace lig
