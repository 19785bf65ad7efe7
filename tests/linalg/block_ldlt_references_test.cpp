// The methods of the paper that BlockLdlt is compared with: all find the same.

#include "bench/baraff/conjugate_gradients.h"
#include "bench/baraff/delassus_cholesky.h"
#include "bench/baraff/dense_ldlt.h"
#include "bench/baraff/sparse_tree.h"

#include "support/block_systems.h"

#include <doctest/doctest.h>

namespace lig::test {

using bench::ConjugateGradients;
using bench::DelassusCholesky;
using bench::DenseLdlt;
using bench::SparseTree;

namespace {

// Trees hung from the world, free ones, a body alone; mixed sizes and some compliance.
BlockGraph random_forest(Random& random) {
    BlockGraph graph;
    std::vector<int> bodies;
    for (int tree = 0; tree < 3; ++tree) {
        bodies.clear();
        for (int i = 0; i < 1 + 6 * tree; ++i) {
            const int b = graph.body(random_index(random, 3) ? 6 : 3);
            const int rows = 1 + random_index(random, 3);
            const bool soft = random_index(random, 4) == 0;
            if (i > 0)
                graph.constraint(rows, {bodies[random_index(random, i)], b}, soft);
            else if (tree == 2)
                graph.constraint(rows, {b});
            bodies.push_back(b);
        }
    }
    return graph;
}

}  // namespace

TEST_CASE("the paper's procedures, J M⁻¹ Jᵀ and conjugate gradients on random forests") {
    Random random(101);
    for (int trial = 0; trial < 30; ++trial) {
        const BlockGraph graph = random_forest(random);
        BlockLdlt K(graph.nodes, graph.edges);
        fill_random(K, random);
        REQUIRE(K.factor().bad_node == -1);
        CHECK(K.fill() == 0);
        const std::vector<double> b = random_vector(random, K.size());
        const std::vector<long double> exact = solve_dense(dense(K), b);
        std::vector<double> x = b;
        K.solve(x);
        CHECK(difference(K, x, exact) < 1e-11);

        // These invert blocks, or form products of them: errors grow with the square of a condition.
        SparseTree tree(K);
        CHECK(tree.possible());
        tree.factor();
        x = b;
        tree.solve(x);
        CHECK(difference(K, x, exact) < 1e-6);

        DenseLdlt full(K);
        full.factor();
        x = b;
        full.solve(x);
        CHECK(difference(K, x, exact) < 1e-6);

        for (const auto storage : {DelassusCholesky::Storage::dense, DelassusCholesky::Storage::banded}) {
            DelassusCholesky cholesky(K, storage);
            REQUIRE(cholesky.factor());
            x = b;
            cholesky.solve(x);
            CHECK(difference(K, x, exact) < 1e-6);
        }
        ConjugateGradients gradients(K);
        x = b;
        const ConjugateGradients::Result result = gradients.solve(x, 1e-13, 500);
        CHECK(result.residual <= 1e-13);
        CHECK(difference(K, x, exact) < 1e-6);
    }
}

TEST_CASE("references on linkages with loops, of which appendix A says that it is not for them") {
    Random random(102);
    Linkage linkage;
    add_chain(linkage, random, 12, 3, 0.6, true);
    BlockLdlt K = linkage.build();
    REQUIRE(K.factor().redundant_rows == 0);
    CHECK_FALSE(SparseTree(K).possible());
    const std::vector<double> b = linkage.weight(K, {0, 0, -9.81});
    const std::vector<long double> exact = solve_dense(dense(K), b);
    std::vector<double> x = b;
    DenseLdlt full(K);
    full.factor();
    full.solve(x);
    CHECK(difference(K, x, exact) < 1e-10);
    DelassusCholesky banded(K, DelassusCholesky::Storage::banded);
    REQUIRE(banded.factor());
    x = b;
    banded.solve(x);
    CHECK(difference(K, x, exact) < 1e-10);
    // Fewer iterations than it takes: what there is, and the residual says so.
    ConjugateGradients gradients(K);
    x = b;
    const ConjugateGradients::Result result = gradients.solve(x, 1e-12, 5);
    CHECK(result.iterations == 5);
    CHECK(result.residual > 1e-12);
}

}  // namespace lig::test
