// The factor that stores rows from their first entries on, against dense matrices of that pattern.

#include "linalg/envelope_cholesky.h"

#include "scalar_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace lig::test {

namespace {

// Positive definite with entries from first[i] to the diagonal alone: entries in (−1, 1), diagonals above
// their sum.
std::vector<double> random_matrix(Random& random, const std::vector<int>& first) {
    const std::size_t n = first.size();
    std::vector<double> A(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = std::size_t(first[i]); j < i; ++j)
            A[i * n + j] = A[j * n + i] = random.uniform(-1, 1);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            if (j != i) A[i * n + i] += std::fabs(A[i * n + j]);
        A[i * n + i] += random.uniform(0.1, 1);
    }
    return A;
}

void fill(EnvelopeCholesky& envelope, const std::vector<int>& first, const std::vector<double>& A) {
    const int n = int(first.size());
    envelope.begin(n);
    for (int i = 0; i < n; ++i) envelope.lower(i, first[std::size_t(i)]);
    envelope.layout();
    for (int i = 0; i < n; ++i)
        for (int j = first[std::size_t(i)]; j <= i; ++j) envelope.row_at(i)[j] = A[std::size_t(i * n + j)];
}

}  // namespace

TEST_CASE("an envelope holds its matrix: L Lᵀ and solutions") {
    Random random(41);
    EnvelopeCholesky envelope;  // one for all: what a larger matrix left must not show
    for (int trial = 0; trial < 200; ++trial) {
        const int n = 1 + int(random.next() % 40);
        std::vector<int> first;
        for (int i = 0; i < n; ++i)
            first.push_back(trial % 4 == 0 ? 0 : int(random.next() % std::uint64_t(i + 1)));
        const std::vector<double> A = random_matrix(random, first);
        fill(envelope, first, A);
        REQUIRE(envelope.factor());
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = 0;
                for (int k = std::max(first[std::size_t(i)], first[std::size_t(j)]); k <= j; ++k)
                    sum += envelope.row_at(i)[k] * envelope.row_at(j)[k];
                // n products, each rounded once, beside the diagonal.
                const double size = A[std::size_t(i * n + i)] + A[std::size_t(j * n + j)];
                REQUIRE(std::fabs(sum - A[std::size_t(i * n + j)]) < 1e-14 * size);
            }
        // A diagonal that outweighs its row: condition below 1e3, so 13 digits of a known solution.
        std::vector<double> x(std::size_t(n), 0.0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) x[std::size_t(i)] += A[std::size_t(i * n + j)] * double(1 + j % 5);
        envelope.solve(x.data());
        for (int i = 0; i < n; ++i) REQUIRE(std::fabs(x[std::size_t(i)] - double(1 + i % 5)) < 1e-11);
    }
}

TEST_CASE("an envelope lowers its rows and never raises them") {
    EnvelopeCholesky envelope;
    envelope.begin(4);
    for (int i = 0; i < 4; ++i) CHECK(envelope.first(i) == i);
    envelope.lower(3, 2);
    envelope.lower(3, 1);
    envelope.lower(3, 2);
    envelope.layout();
    CHECK(envelope.first(3) == 1);
    CHECK(envelope.first(2) == 2);
    for (int i = 0; i < 4; ++i)
        for (int j = envelope.first(i); j <= i; ++j) CHECK(envelope.row_at(i)[j] == 0);
    envelope.begin(4);
    CHECK(envelope.first(3) == 3);
}

TEST_CASE("an envelope refuses what is not positive definite") {
    EnvelopeCholesky envelope;
    const std::vector<int> first{0, 0, 1};
    for (const std::vector<double>& A :
         {std::vector<double>{1, 2, 0, 2, 1, 0, 0, 0, 1},  // indefinite
          std::vector<double>{1, 1, 0, 1, 1, 0, 0, 0, 1},  // singular
          std::vector<double>{0, 0, 0, 0, 1, 0, 0, 0, 1},  // nothing on the diagonal
          std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, NAN},  // not a number
          std::vector<double>{1, 0, 0, 0, -1, 0, 0, 0, 1}}) {  // negative
        fill(envelope, first, A);
        CHECK_FALSE(envelope.factor());
    }
    fill(envelope, first, {2, 1, 0, 1, 2, 1, 0, 1, 2});
    CHECK(envelope.factor());
}

}  // namespace lig::test
