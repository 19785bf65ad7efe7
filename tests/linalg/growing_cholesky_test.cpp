#include "linalg/growing_cholesky.h"

#include "support/lcp_problems.h"

#include <doctest/doctest.h>

namespace lig::test {

TEST_CASE("rows come and go; the factor stays that of the rows that are there") {
    constexpr int capacity = 24;
    Random random(31);
    const OwnedLcp lcp = random_lcp(random, capacity, {0, 1});
    std::vector<double> l(capacity * capacity), reciprocal(capacity), rotations(2 * capacity);
    GrowingCholesky factor{l.data(), reciprocal.data(), rotations.data(), capacity};
    std::vector<int> members;
    for (int change = 0; change < 2000; ++change) {
        const int row = int(random.next() % capacity);
        const auto found = std::find(members.begin(), members.end(), row);
        if (found == members.end()) {
            std::vector<double> column;
            for (const int k : members) column.push_back(lcp.at(row, k));
            factor.solve_down(column.data());
            double pivot = lcp.at(row, row);
            for (const double x : column) pivot -= x * x;
            factor.append(column.data(), pivot);
            members.push_back(row);
        } else {
            factor.remove(int(found - members.begin()));
            members.erase(found);
        }
        REQUIRE(factor.size == int(members.size()));
        // L Lᵀ, and the solution of a system whose solution is known.
        std::vector<double> x(members.size(), 0.0);
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t k = 0; k < members.size(); ++k) {
                x[i] += lcp.at(members[i], members[k]) * double(k + 1);
                double product = 0;
                for (std::size_t c = 0; c <= std::min(i, k); ++c)
                    product += l[i * capacity + c] * l[k * capacity + c];
                // Rounding gathers over the changes, at worst in proportion to their number.
                const double size =
                    std::sqrt(lcp.at(members[i], members[i]) * lcp.at(members[k], members[k]));
                REQUIRE(std::fabs(product - lcp.at(members[i], members[k])) <= 1e-13 * size);
            }
        }
        factor.solve(x.data());
        for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(std::fabs(x[i] - double(i + 1)) < 1e-6);
    }
}

}  // namespace lig::test
