// Trees whose bodies are coupled through their joints by stiff forces: the procedures of Hernandez et al.
// 2011, a dense solution and BlockLdlt find the same, and BlockLdlt needs the paper's blocks, no others.

#include "bench/hernandez/stiff_tree.h"

#include "support/block_systems.h"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace lig::test {

using bench::StiffTree;

namespace {

struct StiffGraph : BlockGraph {
    int trees = 0, fixed = 0, bodies = 0;

    // A tree of n bodies; before(i): on which of the bodies before it the i-th hangs.
    template <class Before>
    void tree(Random& random, int n, bool to_world, const Before& before) {
        std::vector<int> own;
        ++trees;
        fixed += to_world;
        bodies += n;
        for (int i = 0; i < n; ++i) {
            own.push_back(body());
            const int rows = 1 + random_index(random, 6);
            if (i == 0) {
                if (to_world) constraint(rows, {own[0]});
                continue;
            }
            const int parent = own[before(i)];
            constraint(rows, {own[i], parent});
            edges.push_back({own[i], parent});
        }
    }
};

void add_chain(StiffGraph& graph, Random& random, int n, bool to_world) {
    graph.tree(random, n, to_world, [](int i) { return i - 1; });
}
void add_random(StiffGraph& graph, Random& random, int n, bool to_world) {
    graph.tree(random, n, to_world, [&](int i) { return random_index(random, i); });
}
void add_star(StiffGraph& graph, Random& random, int n, bool to_world) {
    graph.tree(random, n, to_world, [](int) { return 0; });
}

// Chains, stars, random trees and forests of them, fixed to the world and floating.
std::vector<StiffGraph> graphs(Random& random) {
    std::vector<StiffGraph> out;
    for (const bool to_world : {false, true}) {
        for (const int n : {1, 2, 3, 12}) {
            add_chain(out.emplace_back(), random, n, to_world);
            add_star(out.emplace_back(), random, n, to_world);
        }
        for (int trial = 0; trial < 10; ++trial) add_random(out.emplace_back(), random, 15, to_world);
    }
    for (int trial = 0; trial < 10; ++trial) {
        StiffGraph& forest = out.emplace_back();
        add_chain(forest, random, 5, trial % 2 == 0);
        add_random(forest, random, 8, true);
        add_random(forest, random, 8, false);
        add_star(forest, random, 4, trial % 3 == 0);
    }
    return out;
}

// Blocks of L below the diagonal by elimination of the pattern in the order given: pairs of nodes.
std::set<std::pair<int, int>> eliminated(const BlockLdlt& K) {
    std::vector<std::set<int>> near(std::size_t(K.nodes()));
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        near[a].insert(b);
        near[b].insert(a);
    }
    std::set<std::pair<int, int>> pairs;
    for (const int n : K.order()) {
        for (const int a : near[n]) {
            pairs.insert(std::minmax(n, a));
            near[a].erase(n);
            for (const int b : near[n])
                if (a != b) near[a].insert(b);
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("stiff trees: the paper's procedures and BlockLdlt solve them") {
    Random random(2011);
    for (const StiffGraph& graph : graphs(random)) {
        CAPTURE(graph.bodies);
        CAPTURE(graph.fixed);
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        const std::vector<double> b = random_vector(random, K.size());
        const std::vector<long double> exact = solve_dense(dense(K), b);
        REQUIRE(K.factor().bad_node == -1);
        std::vector<double> x = b;
        K.solve(x);
        // Random rows of six on six freedoms have conditions of up to 1e4.
        CHECK(difference(K, x, exact) < 1e-9);
        StiffTree tree(K);
        REQUIRE(tree.possible());
        tree.factor();
        // Twice on one factor: solve leaves it as it is.
        for (int time = 0; time < 2; ++time) {
            x = b;
            tree.solve(x);
            // It inverts blocks: errors grow with the square of a condition.
            CHECK(difference(K, x, exact) < 1e-6);
        }
    }
}

TEST_CASE("stiff trees: L has the parent and grandparent blocks and no others") {
    Random random(2012);
    for (const StiffGraph& graph : graphs(random)) {
        CAPTURE(graph.bodies);
        CAPTURE(graph.fixed);
        const BlockLdlt K(graph.nodes, graph.edges);
        // A body that is no root has a joint above it, a body above that, and the joint has its parent.
        const int inner = graph.bodies - graph.trees;
        const int of_paper = 3 * inner + graph.fixed;
        CHECK(StiffTree(K).blocks() == of_paper);
        CHECK(K.blocks() == of_paper);
        CHECK(K.fill() == 0);
        std::set<std::pair<int, int>> of_K;
        for (const BlockEdge& edge : graph.edges) of_K.insert(std::minmax(edge.a, edge.b));
        CHECK(eliminated(K) == of_K);
    }
}

TEST_CASE("stiff trees: linear, whatever the tree") {
    Random random(2013);
    for (const int shape : {0, 1, 2}) {
        double per_body[2];
        for (const int size : {0, 1}) {
            StiffGraph graph;
            const int n = size == 0 ? 500 : 4000;
            if (shape == 0) add_chain(graph, random, n, true);
            if (shape == 1) add_random(graph, random, n, true);
            if (shape == 2) add_star(graph, random, n, true);
            const BlockLdlt K(graph.nodes, graph.edges);
            CHECK(K.fill() == 0);
            CHECK(K.blocks() == 3 * (n - 1) + 1);
            per_body[size] = K.factor_operations() / n;
        }
        // Rows of joints are random: their mean varies by some percent.
        CHECK(per_body[1] == doctest::Approx(per_body[0]).epsilon(0.1));
    }
}

TEST_CASE("stiff trees: what the paper's procedures are not for is said") {
    Random random(2014);
    const auto possible = [](const BlockGraph& graph) {
        const BlockLdlt K(graph.nodes, graph.edges);
        return StiffTree(K).possible();
    };
    StiffGraph pinned;
    add_chain(pinned, random, 5, true);
    CHECK(possible(pinned));
    pinned.constraint(3, {pinned.edges.back().a});  // the end, to the world too
    CHECK_FALSE(possible(pinned));
    StiffGraph ring;
    add_chain(ring, random, 5, false);
    ring.constraint(3, {0, ring.edges.back().a});
    CHECK_FALSE(possible(ring));
    StiffGraph skipping;
    add_chain(skipping, random, 5, false);
    skipping.edges.push_back({0, skipping.edges.back().a});
    CHECK_FALSE(possible(skipping));
}

}  // namespace lig::test
