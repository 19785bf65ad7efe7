// The order of elimination and what it costs: forests without fill, pivots that are regular whatever the
// geometry, and time that does not depend on how the graph is shaped.

#include "linalg/block_order.h"

#include "support/block_systems.h"

#include <doctest/doctest.h>

#include <numeric>

namespace lig::test {

namespace {

// The fill of an order, by playing the elimination through on a full table.
int fill_of(const BlockGraph& graph, std::span<const int> order) {
    const std::size_t n = graph.nodes.size();
    std::vector<std::vector<char>> joined(n, std::vector<char>(n, 0));
    for (const BlockEdge& e : graph.edges)
        joined[e.a][e.b] = joined[e.b][e.a] = 1;
    std::vector<char> gone(n, 0);
    int fill = 0;
    for (const int v : order) {
        gone[v] = 1;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (!gone[a] && !gone[b] && joined[v][a] && joined[v][b] &&
                    !joined[a][b]) {
                    joined[a][b] = joined[b][a] = 1;
                    ++fill;
                }
    }
    return fill;
}

void check_pattern(const BlockGraph& graph, const BlockPattern& pattern) {
    const int n = int(graph.nodes.size());
    REQUIRE(int(pattern.order.size()) == n);
    std::vector<int> sorted = pattern.order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < n; ++i) REQUIRE(sorted[i] == i);
    CHECK(pattern.fill == fill_of(graph, pattern.order));
    CHECK(pattern.rows.size() == graph.edges.size() + std::size_t(pattern.fill));
    // A postorder: the places below one in the tree are just before it.
    std::vector<int> parent(std::size_t(n), -1), below(std::size_t(n), 1);
    for (int k = 0; k < n; ++k) {
        const int begin = pattern.row_begin[k], end = pattern.row_begin[std::size_t(k) + 1];
        for (int r = begin; r < end; ++r)
            REQUIRE(pattern.rows[r] > (r > begin ? pattern.rows[std::size_t(r) - 1] : k));
        if (begin < end) parent[k] = pattern.rows[begin];
    }
    for (int k = 0; k < n; ++k) {
        const int p = parent[k];
        if (p < 0) continue;
        below[p] += below[k];
    }
    for (int k = 0; k < n; ++k)
        for (int d = k - below[k] + 1; d < k; ++d) {
            int up = d;
            while (up >= 0 && up < k) up = parent[up];
            REQUIRE(up == k);
        }
}

BlockGraph random_tree(Random& random, int bodies, bool to_world) {
    BlockGraph graph;
    for (int i = 0; i < bodies; ++i) {
        const int b = graph.body(random_index(random, 3) ? 6 : 3);
        const int rows = 1 + random_index(random, 6);
        if (i > 0) {
            int other = random_index(random, b);
            while (graph.nodes[other].constraint) other = random_index(random, b);
            graph.constraint(rows, {other, b});
        } else if (to_world) {
            graph.constraint(rows, {b});
        }
    }
    return graph;
}

void append(BlockGraph& graph, const BlockGraph& other) {
    const int shift = int(graph.nodes.size());
    graph.nodes.insert(graph.nodes.end(), other.nodes.begin(), other.nodes.end());
    for (const BlockEdge& e : other.edges) graph.edges.push_back({e.a + shift, e.b + shift});
}

}  // namespace

TEST_CASE("forests have no fill, however they are numbered") {
    Random random(71);
    for (int trial = 0; trial < 100; ++trial) {
        BlockGraph graph;
        const int trees = 1 + random_index(random, 4);
        for (int t = 0; t < trees; ++t)
            append(graph, random_tree(random, 1 + random_index(random, 15), random_index(random, 2) == 0));
        // Numbers without meaning.
        const int n = int(graph.nodes.size());
        std::vector<int> to(std::size_t(n), 0);
        std::iota(to.begin(), to.end(), 0);
        for (int i = n - 1; i > 0; --i) std::swap(to[i], to[random_index(random, i + 1)]);
        BlockGraph mixed;
        mixed.nodes.resize(graph.nodes.size());
        for (int i = 0; i < n; ++i) mixed.nodes[to[i]] = graph.nodes[i];
        for (const BlockEdge& e : graph.edges)
            mixed.edges.push_back({to[e.a], to[e.b]});
        for (const BlockGraph& g : {graph, mixed}) {
            const BlockPattern pattern = eligible_minimum_degree(g.nodes, g.edges);
            CHECK(pattern.fill == 0);
            check_pattern(g, pattern);
            CHECK(BlockLdlt(g.nodes, g.edges).fill() == 0);
        }
    }
}

TEST_CASE("patterns of graphs with loops are what elimination in that order makes") {
    Random random(72);
    for (int trial = 0; trial < 60; ++trial) {
        BlockGraph graph = random_tree(random, 2 + random_index(random, 12), trial % 2 == 0);
        std::vector<int> bodies;
        for (int i = 0; i < int(graph.nodes.size()); ++i)
            if (!graph.nodes[i].constraint) bodies.push_back(i);
        const auto any = [&] { return bodies[random_index(random, int(bodies.size()))]; };
        for (int l = random_index(random, 8); l > 0; --l) {
            const int a = any(), b = any(), c = any();
            if (a == b)
                graph.constraint(3, {a}, l % 3 == 0);
            else if (c != a && c != b && l % 2)
                graph.constraint(2, {a, b, c});
            else
                graph.constraint(5, {a, b}, l % 4 == 0);
        }
        check_pattern(graph, eligible_minimum_degree(graph.nodes, graph.edges));
    }
}

TEST_CASE("a loop costs its own fill only") {
    // A chain of 200 bodies, links 4 apart joined again here and there.
    BlockGraph chain;
    for (int i = 0; i < 200; ++i) chain.body();
    for (int i = 0; i < 200; ++i) {
        if (i == 0)
            chain.constraint(3, {0});
        else
            chain.constraint(3, {i - 1, i});
    }
    CHECK(BlockLdlt(chain.nodes, chain.edges).fill() == 0);
    BlockGraph one = chain, many = chain;
    one.constraint(3, {100, 104});
    for (int i = 2; i + 4 < 200; i += 10) many.constraint(3, {i, i + 4});
    const int fill = BlockLdlt(one.nodes, one.edges).fill();
    CHECK(fill > 0);
    CHECK(fill <= 12);
    CHECK(BlockLdlt(many.nodes, many.edges).fill() <= 20 * 15);
    // Two chains with rungs: the width of the ladder, not its length.
    BlockGraph ladder;
    for (int i = 0; i < 400; ++i) ladder.body();
    for (int i = 0; i < 200; ++i) {
        if (i > 0) {
            ladder.constraint(3, {i - 1, i});
            ladder.constraint(3, {199 + i, 200 + i});
        }
        ladder.constraint(3, {i, 200 + i});
    }
    const BlockLdlt L(ladder.nodes, ladder.edges);
    CHECK(L.blocks() <= 5 * L.nodes());
}

TEST_CASE("no pivot is singular where the matrix is not") {
    // Balls between bodies (or means of points of two bodies and a third), some to the world. Where a
    // constraint is taken too early, for instance the second ball on a body that is gone while the bodies at
    // their other ends are left, a pivot is singular: two balls on one body have rank 5.
    Random random(73);
    int regular = 0;
    for (int trial = 0; trial < 120; ++trial) {
        BlockGraph graph;
        const int bodies = 2 + random_index(random, 10);
        for (int i = 0; i < bodies; ++i) graph.body();
        std::vector<Vec3d> center;
        for (int i = 0; i < bodies; ++i) center.push_back(random_vec(random, 1));
        const auto other = [&](int a) {
            const int b = random_index(random, bodies - 1);
            return b < a ? b : b + 1;
        };
        const int rows = 3 * (bodies + 2);
        std::vector<double> share;
        for (int c = 0; c < bodies + 2; ++c) {
            const int a = random_index(random, bodies), b = other(a), d = other(a);
            if (c % 5 == 0) {
                graph.constraint(3, {a});
                share.insert(share.end(), {1});
            } else if (c % 3 == 0 && d != b) {
                graph.constraint(3, {a, b, d});
                share.insert(share.end(), {1, -0.4, -0.6});
            } else {
                graph.constraint(3, {a, b});
                share.insert(share.end(), {1, -1});
            }
        }
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        Vec3d point{};
        for (int e = 0; e < K.edges(); ++e) {
            if (e == 0 || K.edge_nodes(e).a != K.edge_nodes(e - 1).a) point = random_vec(random, 1);
            const Vec3d r = point - center[K.edge_nodes(e).b];
            const double J[18] = {0, r.z, -r.y, 1, 0, 0, -r.z, 0, r.x, 0, 1, 0, r.y, -r.x, 0, 0, 0, 1};
            for (int k = 0; k < 18; ++k) K.edge(e)[k] = share[e] * J[k];
        }
        std::vector<double> ones(std::size_t(K.size()), 1.0);
        int rank = 0;
        least_squares_accelerations(K, ones, ones, &rank);
        const BlockLdlt::Factored factored = K.factor();
        REQUIRE(factored.bad_node == -1);
        CHECK(factored.redundant_rows == rows - rank);
        if (rank < rows) continue;
        ++regular;
        std::vector<double> b = random_vector(random, K.size()), x(b.size());
        K.solve_refined(b, x, 3);
        CHECK(difference(K, x, solve_dense(dense(K), b), true) < 1e-9);  // conditions up to 1e7 here
    }
    CHECK(regular > 30);
}

TEST_CASE("a star of 50,000 links, a wheel and a chain of 200,000 take no longer than they must") {
    // Quadratic time in any part of it would be minutes.
    BlockGraph star;
    const int hub = star.body();
    for (int i = 0; i < 50000; ++i) star.constraint(3, {hub, star.body()});
    CHECK(BlockLdlt(star.nodes, star.edges).fill() == 0);

    BlockGraph wheel = star;
    for (int i = 0; i < 50000; ++i) wheel.constraint(3, {1 + 2 * i, 1 + 2 * ((i + 1) % 50000)});
    const BlockLdlt W(wheel.nodes, wheel.edges);
    CHECK(W.blocks() <= 6 * W.nodes());

    BlockGraph chain;
    for (int i = 0; i < 200000; ++i) chain.body();
    for (int i = 1; i < 200000; ++i) chain.constraint(5, {i - 1, i});
    CHECK(BlockLdlt(chain.nodes, chain.edges).fill() == 0);
}

}  // namespace lig::test
