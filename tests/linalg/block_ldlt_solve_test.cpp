// Factor, solve and its halves against dense elimination in long double.

#include "linalg/block_ldlt.h"

#include "support/block_systems.h"
#include "support/count_allocations.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace lig::test {

namespace {

// A tree of bodies of all sizes, closed by some more constraints; body–body edges; soft constraints.
BlockGraph random_graph(Random& random, int bodies, int loops, bool all_sizes) {
    BlockGraph graph;
    const auto size = [&] {
        return all_sizes ? 1 + random_index(random, 12) : (random_index(random, 3) ? 6 : 3);
    };
    for (int i = 0; i < bodies; ++i) graph.body(std::max(size(), 2));
    const auto rows = [&](int a, int b) {  // never more than the bodies have
        const int most = std::min(graph.nodes[a].dim, graph.nodes[b].dim);
        return 1 + random_index(random, std::max(1, most / 2));
    };
    for (int i = 1; i < bodies; ++i) {
        const int other = random_index(random, i);
        graph.constraint(rows(other, i), {other, i}, random_index(random, 4) == 0);
    }
    for (int l = 0; l < loops; ++l) {
        const int a = random_index(random, bodies), b = random_index(random, bodies);
        if (a == b)
            graph.constraint(12, {a}, true);
        else
            graph.constraint(all_sizes ? 12 : 6, {a, b}, true);
    }
    for (int i = 1; i < bodies; i += 3) graph.edges.push_back({i, i - 1});
    return graph;
}

}  // namespace

TEST_CASE("solutions of random systems with blocks of 1 to 12 rows") {
    Random random(81);
    for (int trial = 0; trial < 120; ++trial) {
        const int bodies = 1 + random_index(random, 9), loops = random_index(random, 4);
        const BlockGraph graph = random_graph(random, bodies, loops, trial % 2 == 0);
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        const BlockLdlt::Factored factored = K.factor();
        REQUIRE(factored.bad_node == -1);
        REQUIRE(factored.redundant_rows == 0);
        const std::vector<double> b = random_vector(random, K.size());
        std::vector<double> x = b;
        K.solve(x);
        const std::vector<long double> exact = solve_dense(dense(K), b);
        CHECK(difference(K, x, exact) < 1e-11);  // conditions up to 1e4

        std::vector<double> product(b.size());
        K.multiply(x, product);
        CHECK(difference(K, product, b) < 1e-11);

        std::vector<double> refined(b.size());
        const BlockLdlt::Refined result = K.solve_refined(b, refined, 4);
        CHECK(result.residual <= 1e-14);
        CHECK(difference(K, refined, exact) < 1e-12);
        const BlockLdlt::Refined once = K.solve_refined(b, refined, 1);
        CHECK(once.solves == 1);
        CHECK(refined == x);
    }
}

TEST_CASE("a factor of chosen parts of a graph solves these, with the same bits, and no others") {
    Random random(82);
    for (int trial = 0; trial < 40; ++trial) {
        BlockGraph graph = random_graph(random, 1 + random_index(random, 6), random_index(random, 3), true);
        std::vector<int> chosen(graph.nodes.size());
        for (std::size_t n = 0; n < chosen.size(); ++n) chosen[n] = static_cast<int>(n);
        const BlockGraph other = random_graph(random, 1 + random_index(random, 6), 1, true);
        const int shift = static_cast<int>(graph.nodes.size());
        graph.nodes.insert(graph.nodes.end(), other.nodes.begin(), other.nodes.end());
        for (const BlockEdge& edge : other.edges) graph.edges.push_back({edge.a + shift, edge.b + shift});
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        REQUIRE(K.factor().bad_node == -1);
        const std::vector<double> b = random_vector(random, K.size());
        std::vector<double> whole = b, part = b;
        K.solve(whole);
        // A body that is not chosen may be anything.
        for (int k = 0; k < K.dim(shift); ++k) K.diagonal(shift)[k * (K.dim(shift) + 1)] = -1e6;
        CHECK(K.factor().bad_node >= 0);
        K.choose(chosen);
        REQUIRE(K.factor().bad_node == -1);
        K.solve(part);
        const auto end = static_cast<std::ptrdiff_t>(K.offset(shift));
        CHECK(std::equal(part.begin(), part.begin() + end, whole.begin()));
        CHECK(std::equal(part.begin() + end, part.end(), b.begin() + end));
    }
}

TEST_CASE("halves of a solve are a solve, and touch the ways to the root only") {
    Random random(82);
    for (int trial = 0; trial < 60; ++trial) {
        const BlockGraph graph = random_graph(random, 8, trial % 4, trial % 2 == 0);
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        REQUIRE(K.factor().bad_node == -1);
        const std::vector<int> nodes = {random_index(random, 4), 4 + random_index(random, 4)};
        const std::span<const int> on(nodes.data(), trial % 3 ? 2u : 1u);
        std::vector<double> b(std::size_t(K.size()), 0.0);
        for (const int n : on)
            for (int i = 0; i < K.dim(n); ++i) b[K.offset(n) + i] = random.uniform(-1, 1);

        std::vector<int> support;
        std::vector<double> y = b, z(b.size(), 0.0);
        K.half_solve(on, y, support);
        // In the order of elimination, and zero elsewhere.
        std::vector<int> place(std::size_t(K.nodes()), 0);
        for (int k = 0; k < K.nodes(); ++k) place[K.order()[k]] = k;
        for (std::size_t i = 1; i < support.size(); ++i)
            CHECK(place[support[i - 1]] < place[support[i]]);
        for (int n = 0; n < K.nodes(); ++n)
            if (std::find(support.begin(), support.end(), n) == support.end())
                for (int i = 0; i < K.dim(n); ++i) CHECK(y[K.offset(n) + i] == 0);

        K.divide(support, y, z);
        K.finish_solve(z);
        std::vector<double> x = b;
        K.solve(x);
        CHECK(difference(K, z, x) < 1e-12);

        // bᵀ K⁻¹ b = yᵀ D⁻¹ y.
        std::vector<double> divided(b.size(), 0.0);
        K.divide(support, y, divided);
        long double half = 0, whole = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            half += static_cast<long double>(y[i]) * divided[i];
            whole += static_cast<long double>(b[i]) * x[i];
        }
        CHECK(double(half) == doctest::Approx(double(whole)).epsilon(1e-11));

        // Four at once; other vectors beside it do not matter.
        std::vector<double> four(4 * b.size(), 0.0), out(4 * b.size(), 0.0);
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t lane = 0; lane < 4; ++lane) four[4 * i + lane] = double(lane) * b[i];
        K.half_solve4(on, four, support);
        K.divide4(support, four, out);
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t lane = 0; lane < 4; ++lane) {
                CHECK(four[4 * i + lane] == doctest::Approx(double(lane) * y[i]).epsilon(1e-12));
                CHECK(out[4 * i + lane] == doctest::Approx(double(lane) * divided[i]).epsilon(1e-12));
            }
    }
}

TEST_CASE("rings, ladders and nets of balls and hinges") {
    Random random(83);
    for (int kind = 0; kind < 4; ++kind) {
        Linkage linkage;
        if (kind == 0) add_chain(linkage, random, 15, 3, 0.6, true);
        if (kind == 1) add_chain(linkage, random, 15, 5, 0.6, false);
        if (kind == 2)
            add_net(linkage, 4, [&](int, int) { return random.uniform(-0.1, 0.1); });
        if (kind == 3) {  // a ladder of two chains
            for (int i = 0; i < 12; ++i) linkage.body({0.5 * i, 0.3 * (i % 2), random.uniform(-0.1, 0.1)});
            for (int i = 0; i + 2 < 12; ++i)
                linkage.joint(i, i + 2, random_vec(random, 0.2) + Vec3d{0.5 * i + 0.5, 0.3 * (i % 2), 0}, 3);
            for (int i = 0; i < 12; i += 2) linkage.joint(i, i + 1, {0.5 * i + 0.2, 0.2, 0.1}, 2);
        }
        BlockLdlt K = linkage.build();
        REQUIRE(K.factor().redundant_rows == 0);
        const std::vector<double> b = linkage.weight(K, {1, 2, -9.81});
        std::vector<double> x(b.size());
        K.solve_refined(b, x, 4);
        CHECK(difference(K, x, solve_dense(dense(K), b), true) < 1e-11);
    }
}

TEST_CASE("systems of no node, one node, and nodes without edges") {
    BlockLdlt nothing({}, {});
    CHECK(nothing.size() == 0);
    CHECK(nothing.factor().bad_node == -1);
    std::vector<double> none;
    nothing.solve(none);
    CHECK(nothing.solve_refined(none, none, 3).solves == 1);

    const BlockNode nodes[] = {{2, false}, {1, true, true}, {3, false}};
    BlockLdlt K(nodes, {});
    for (int i = 0; i < 2; ++i) K.diagonal(0)[3 * i] = 4;
    K.diagonal(1)[0] = -0.5;
    for (int i = 0; i < 3; ++i) K.diagonal(2)[4 * i] = 2;
    CHECK(K.factor().bad_node == -1);
    std::vector<double> x = {4, 8, 1, 2, 4, 6};
    K.solve(x);
    CHECK(x == std::vector<double>{1, 2, -2, 1, 2, 3});
    CHECK(K.fill() == 0);
    CHECK(K.blocks() == 0);
}

TEST_CASE("what cannot be factored is named, and later numbers are not hurt by it") {
    Random random(84);
    const BlockGraph graph = random_graph(random, 7, 2, false);
    BlockLdlt K(graph.nodes, graph.edges);
    fill_random(K, random);
    const std::vector<double> b = random_vector(random, K.size());
    std::vector<double> before = b;
    REQUIRE(K.factor().bad_node == -1);
    K.solve(before);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (int n = 0; n < K.nodes(); ++n)
        for (const double wrong : {nan, infinity, -infinity}) {
            const int entry = K.dim(n) * K.dim(n) - 1;
            const double right = std::exchange(K.diagonal(n)[entry], wrong);
            CHECK(K.factor().bad_node >= 0);
            K.diagonal(n)[entry] = right;
        }
    for (int n = 0; n < 7; ++n) {  // a body of no mass, or less
        std::vector<double> right(K.diagonal(n), K.diagonal(n) + K.dim(n) * K.dim(n));
        std::fill(K.diagonal(n), K.diagonal(n) + K.dim(n) * K.dim(n), 0.0);
        K.diagonal(n)[0] = -1e6;
        CHECK(K.factor().bad_node >= 0);
        std::copy(right.begin(), right.end(), K.diagonal(n));
    }
    for (int e = 0; e < K.edges(); ++e) {
        const double right = std::exchange(K.edge(e)[0], nan);
        CHECK(K.factor().bad_node >= 0);
        K.edge(e)[0] = right;
    }
    REQUIRE(K.factor().bad_node == -1);
    std::vector<double> after = b;
    K.solve(after);
    CHECK(after == before);
}

TEST_CASE("the same bits every time, and no allocation") {
    Random random(85);
    const BlockGraph graph = random_graph(random, 30, 5, true);
    BlockLdlt K(graph.nodes, graph.edges), same(graph.nodes, graph.edges);
    fill_random(K, random);
    for (int n = 0; n < K.nodes(); ++n) std::copy_n(K.diagonal(n), K.dim(n) * K.dim(n), same.diagonal(n));
    for (int e = 0; e < K.edges(); ++e)
        std::copy_n(K.edge(e), K.dim(K.edge_nodes(e).a) * K.dim(K.edge_nodes(e).b), same.edge(e));
    const std::vector<double> b = random_vector(random, K.size());
    std::vector<double> x = b, y = b, z(b.size()), product(b.size());
    same.factor();
    same.solve(y);
    std::vector<int> support;
    support.reserve(std::size_t(K.nodes()));
    const int on[] = {3, 20};
    K.factor();
    const long count = count_allocations([&] {
        K.factor();
        K.solve(x);
        K.multiply(x, product);
        K.solve_refined(b, z, 3, 0);
        std::fill(product.begin(), product.end(), 0.0);
        product[K.offset(3)] = 1;
        K.half_solve(on, product, support);
        K.divide(support, product, product);
        K.finish_solve(product);
    });
    CHECK(count == 0);
    CHECK(x == y);
    CHECK(std::equal(K.order().begin(), K.order().end(), same.order().begin()));
}

}  // namespace lig::test
