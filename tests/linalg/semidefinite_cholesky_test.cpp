// Cholesky with pivoting on matrices of known rank.

#include "linalg/semidefinite_cholesky.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Products of n random vectors in `rank` dimensions, lengths from 1e-3 to 1e3.
std::vector<double> products(Random& random, int n, int rank) {
    std::vector<double> x(static_cast<std::size_t>(n) * rank), A(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i) {
        const double size = std::pow(10, random.uniform(-3, 3));
        for (int k = 0; k < rank; ++k) x[i * rank + k] = size * random.uniform(-1, 1);
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            long double sum = 0;
            for (int k = 0; k < rank; ++k) sum += static_cast<long double>(x[i * rank + k]) * x[j * rank + k];
            A[i * n + j] = static_cast<double>(sum);
        }
    return A;
}

std::vector<double> multiply(const std::vector<double>& A, const std::vector<double>& x) {
    const std::size_t n = x.size();
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += static_cast<long double>(A[i * n + j]) * x[j];
        out[i] = static_cast<double>(sum);
    }
    return out;
}

}  // namespace

TEST_CASE("semidefinite Cholesky finds the rank, and a solution where there is one") {
    Random random(71);
    SemidefiniteCholesky cholesky;
    for (int n = 1; n <= 20; ++n)
        for (int rank = 1; rank <= n; rank += 1 + n / 4) {
            CAPTURE(n);
            CAPTURE(rank);
            const std::vector<double> A = products(random, n, rank);
            CHECK(cholesky.factor(A, n, 1e-12) == rank);
            std::vector<double> x(n), solution(n);
            for (int i = 0; i < n; ++i) x[i] = random.uniform(-1, 1) / std::sqrt(A[i * n + i]);
            const std::vector<double> b = multiply(A, x);
            cholesky.solve(A, b, solution);
            const std::vector<double> reached = multiply(A, solution);
            int zeros = 0;
            for (int i = 0; i < n; ++i) {
                // Rows of unit length would have entries up to n; the rest is the condition.
                CHECK(std::abs(reached[i] - b[i]) < 1e-9 * n * std::sqrt(A[i * n + i]));
                CHECK((cholesky.is_kept(i) || solution[i] == 0));
                zeros += !cholesky.is_kept(i);
            }
            CHECK(zeros == n - rank);
        }
}

TEST_CASE("semidefinite Cholesky leaves out rows of zeros and duplicates, and keeps what is near to that") {
    SemidefiniteCholesky cholesky;
    const double near = std::sqrt(1 - 1e-8);  // the sine of the angle is 1e-4
    const std::vector<double> A = {1, 0, 1, near,  //
                                   0, 0, 0, 0,     //
                                   1, 0, 1, near,  //
                                   near, 0, near, 1};
    CHECK(cholesky.factor(A, 4, 1e-12) == 2);
    CHECK(!cholesky.is_kept(1));
    CHECK(cholesky.is_kept(3));
    // Of the fourth row 1e-8 is left beside the first.
    CHECK(cholesky.factor(A, 4, 1e-12, std::vector<double>(4, 1e-9)) == 2);
    CHECK(cholesky.factor(A, 4, 1e-12, std::vector<double>(4, 1e-7)) == 1);
    CHECK(cholesky.factor(A, 4, 1e-12) == 2);
    std::vector<double> x(4);
    cholesky.solve(A, std::vector<double>{1, 5, 1, near}, x);
    CHECK(x[0] + x[2] == doctest::Approx(1).epsilon(1e-7));
    CHECK(x[1] == 0);
    CHECK(std::abs(x[3]) < 1e-7);
    CHECK(cholesky.factor(A, 4, 1e-6) == 1);
    CHECK(cholesky.factor({}, 0, 1e-6) == 0);
    CHECK(cholesky.factor(std::vector<double>{NAN}, 1, 1e-6) == 0);
}
