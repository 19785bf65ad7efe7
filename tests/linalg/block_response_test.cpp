// The coefficients of anticipation: by halves of solves along the elimination tree, by whole solves as in the
// paper, and by dense elimination in long double.

#include "linalg/block_response.h"

#include "support/block_systems.h"
#include "support/count_allocations.h"

#include <doctest/doctest.h>

namespace lig::test {

namespace {

// k rows on one body, two, or three; some on none.
struct Rows {
    std::vector<std::vector<double>> values;
    std::vector<BlockTerm> terms;

    Rows(const BlockLdlt& K, const std::vector<int>& bodies, Random& random, int k) {
        values.reserve(std::size_t(3 * k));
        for (int c = 0; c < k; ++c) {
            const int first = random_index(random, int(bodies.size()));
            for (int t = 0; t < c % 4 && t < int(bodies.size()); ++t) {
                const int node = bodies[(first + 2 * t) % int(bodies.size())];
                bool twice = false;
                for (const BlockTerm& term : terms) twice = twice || (term.column == c && term.node == node);
                if (twice) continue;
                values.push_back(random_vector(random, K.dim(node)));
                terms.push_back({c, node, values.back().data()});
            }
        }
    }
    std::vector<double> whole(const BlockLdlt& K, int column) const {
        std::vector<double> x(std::size_t(K.size()), 0.0);
        for (const BlockTerm& term : terms)
            if (term.column == column)
                std::copy_n(term.values, K.dim(term.node), x.begin() + K.offset(term.node));
        return x;
    }
};

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double worst = 0, size = 1e-300;
    for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, std::fabs(x[i] - y[i]));
        size = std::max(size, std::fabs(y[i]));
    }
    return worst / size;
}

}  // namespace

TEST_CASE("anticipation by halves, by solves and by dense elimination") {
    Random random(111);
    BlockResponse response;
    for (int trial = 0; trial < 24; ++trial) {
        Linkage linkage;
        if (trial % 3 == 0) add_chain(linkage, random, 9, 5, 0.5, false);
        if (trial % 3 == 1) add_chain(linkage, random, 9, 3, 0.5, true);
        if (trial % 3 == 2)
            add_net(linkage, 3, [&](int, int) { return random.uniform(-0.2, 0.2); });
        BlockLdlt K = linkage.build();
        REQUIRE(K.factor().redundant_rows == 0);
        std::vector<int> bodies;
        for (int i = 0; i < linkage.bodies(); ++i) bodies.push_back(i);
        const int k = random_index(random, 14);
        const Rows rows(K, bodies, random, k), columns(K, bodies, random, k);
        std::vector<double> exact(std::size_t(k * k)), exact_own(exact), A(exact), B(exact);
        const DenseMatrix matrix = dense(K);
        for (int c = 0; c < k; ++c) {
            const auto fill = [&](const Rows& forces, std::vector<double>& out) {
                const std::vector<long double> x = solve_dense(matrix, forces.whole(K, c));
                for (int r = 0; r < k; ++r) {
                    const std::vector<double> row = rows.whole(K, r);
                    long double sum = 0;
                    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * x[i];
                    out[r * k + c] = double(sum);
                }
            };
            fill(columns, exact);
            fill(rows, exact_own);
        }
        // Balls and hinges: conditions up to 1e5.
        response.by_solves(K, rows.terms, columns.terms, k, A);
        CHECK(largest_difference(A, exact) < 1e-10);
        response.general(K, rows.terms, columns.terms, k, B);
        CHECK(largest_difference(B, exact) < 1e-10);
        CHECK(largest_difference(B, A) < 1e-10);
        std::vector<double> alone(static_cast<std::size_t>(k));
        response.workless(K, rows.terms, k, A, alone);
        CHECK(largest_difference(A, exact_own) < 1e-10);
        // What bodies yield is never less than what constraints leave of it.
        for (int r = 0; r < k; ++r) CHECK(alone[r] >= A[r * k + r]);
        for (int r = 0; r < k; ++r)
            for (int c = 0; c < r; ++c) CHECK(A[r * k + c] == A[c * k + r]);
        response.general(K, rows.terms, rows.terms, k, B);
        CHECK(largest_difference(B, A) < 1e-12);
    }
}

TEST_CASE("a second response of the size allocates nothing") {
    Random random(112);
    Linkage linkage;
    add_chain(linkage, random, 40, 3, 0.3, false);
    BlockLdlt K = linkage.build();
    K.factor();
    std::vector<int> bodies(40);
    for (int i = 0; i < 40; ++i) bodies[i] = i;
    const Rows rows(K, bodies, random, 30);
    std::vector<double> A(900), B(900);
    BlockResponse response;
    const auto all = [&](std::vector<double>& out) {
        response.by_solves(K, rows.terms, rows.terms, 30, out);
        response.general(K, rows.terms, rows.terms, 30, out);
        response.workless(K, rows.terms, 30, out);
    };
    all(A);
    CHECK(count_allocations([&] { all(B); }) == 0);
    CHECK(A == B);
}

}  // namespace lig::test
