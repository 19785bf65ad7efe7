// Against what defines a pseudo-inverse, on rows with a known null space.

#include "linalg/pseudo_inverse.h"

#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

TEST_CASE("pseudo-inverse: rows that contradict each other are met in the least squares, by the least") {
    Random random(11);
    PseudoInverse inverse;
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const int dim = 2 + trial % 7, rank = 1 + trial % dim, rows = rank + trial % 5;
        // rows × dim of the given rank, of unit length.
        std::vector<double> Z(rows * dim, 0.0), basis(rank * dim);
        for (double& x : basis) x = random.uniform(-1, 1);
        for (int r = 0; r < rows; ++r) {
            double squared = 0;
            std::vector<double> share(rank);
            for (double& x : share) x = random.uniform(-1, 1);
            for (int k = 0; k < dim; ++k) {
                for (int b = 0; b < rank; ++b) Z[r * dim + k] += share[b] * basis[b * dim + k];
                squared += Z[r * dim + k] * Z[r * dim + k];
            }
            // Scales differ: each row counts relative to its length.
            for (int k = 0; k < dim; ++k) Z[r * dim + k] *= std::pow(10, r % 3) / std::sqrt(squared);
        }
        std::vector<double> G(rows * rows), target(rows), lambda(rows), s(dim, 0.0), z(dim);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j)
                for (int k = 0; k < dim; ++k) G[i * rows + j] += Z[i * dim + k] * Z[j * dim + k];
        for (double& x : target) x = random.uniform(-1, 1);
        REQUIRE(inverse.factor(G, rows, 1e-6) == rank);
        inverse.solve(target, lambda);
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < dim; ++k) s[k] += Z[r * dim + k] * lambda[r];
        // s is made of the rows, which makes it the shortest; and what is missed is across all of them.
        double size = 1;
        for (const double x : s) size = std::max(size, std::abs(x));
        for (int k = 0; k < dim; ++k) {
            double slope = 0;
            for (int r = 0; r < rows; ++r) {
                double missed = -target[r];
                for (int l = 0; l < dim; ++l) missed += Z[r * dim + l] * s[l];
                slope += Z[r * dim + k] * missed / G[r * (rows + 1)];
            }
            CHECK(std::abs(slope) < 1e-9 * size);
        }
    }
}

TEST_CASE("pseudo-inverse: rows that move nothing take no part") {
    PseudoInverse inverse;
    const double G[] = {4, 0, 0, 0};
    REQUIRE(inverse.factor(G, 2, 1e-6) == 1);
    double x[] = {2, 7};
    inverse.solve(x, x);
    CHECK(x[0] == doctest::Approx(0.5));
    CHECK(x[1] == 0);
}
