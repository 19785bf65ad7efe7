// Rows that follow from others: counted, and the accelerations are those of the pseudo-inverse (singular
// values in long double); rows that contradict each other: least squares; positions that are nearly singular:
// finite.

#include "linalg/block_ldlt.h"

#include "support/block_systems.h"
#include "support/count_allocations.h"

#include <doctest/doctest.h>

namespace lig::test {

namespace {

std::vector<double> ones(const BlockLdlt& K) { return std::vector<double>(std::size_t(K.size()), 1.0); }

// Rows that do not contradict each other: right-hand sides k = J a of some a.
std::vector<double> consistent(const BlockLdlt& K, Random& random, std::vector<double> forces) {
    std::vector<double> a(forces.size(), 0.0), product(forces.size());
    for (int n = 0; n < K.nodes(); ++n)
        if (!K.node(n).constraint)
            for (int i = 0; i < K.dim(n); ++i) a[K.offset(n) + i] = random.uniform(-1, 1);
    K.multiply(a, product);
    for (int n = 0; n < K.nodes(); ++n)
        if (K.node(n).constraint)
            for (std::size_t i = std::size_t(K.offset(n)); i < std::size_t(K.offset(n) + K.dim(n)); ++i)
                forces[i] = product[i];
    return forces;
}

struct Case {
    const char* name;
    Linkage linkage;
    int redundant;
};

std::vector<Case> cases() {
    Random random(91);
    std::vector<Case> out;
    {
        Case c{"every joint twice", {}, 24};
        add_chain(c.linkage, random, 8, 3, 0.5, false);
        Linkage twice;
        Random again(92);
        // The same chain, each joint put in twice.
        Vec3d at{0, 0, 0};
        for (int i = 0; i < 8; ++i) {
            const Vec3d along = random_direction(again);
            const int b = twice.body(at + 0.5 * along);
            for (int k = 0; k < 2; ++k) twice.joint(b - 1, b, at, 3);
            at = at + along;
        }
        c.linkage = twice;
        out.push_back(c);
    }
    {
        Case c{"a straight chain pinned at both ends", {}, 1};
        add_chain(c.linkage, random, 10, 3, 0, true);
        out.push_back(c);
    }
    {
        // Hinges with parallel axes: three rows of the four joints follow from the rest.
        Case c{"a four-bar", {}, 3};
        Linkage& l = c.linkage;
        l.body({0.1, 0.5, 0});
        l.body({0.6, 1.1, 0.02});
        l.body({1.2, 0.5, 0});
        l.joint(-1, 0, {0, 0, 0}, 5);
        l.joint(0, 1, {0.2, 1, 0}, 5);
        l.joint(1, 2, {1.1, 1.2, 0}, 5);
        l.joint(2, -1, {1.3, 0, 0}, 5);
        out.push_back(c);
    }
    {
        // A frame of welds: one of four is too much.
        Case c{"a welded frame", {}, 6};
        Linkage& l = c.linkage;
        for (int i = 0; i < 4; ++i) l.body(random_vec(random, 1));
        for (int i = 0; i < 4; ++i) l.joint(i, (i + 1) % 4, random_vec(random, 1), 6);
        out.push_back(c);
    }
    {
        // Each of the 3 × 2 meshes below the fixed row closes in the plane, and twice across it.
        Case c{"a flat net", {}, 6};
        add_net(c.linkage, 4, [](int, int) { return 0.0; });
        out.push_back(c);
    }
    return out;
}

}  // namespace

TEST_CASE("redundant rows are counted, and accelerations are those of the pseudo-inverse") {
    Random random(93);
    for (Case& c : cases()) {
        CAPTURE(c.name);
        BlockLdlt K = c.linkage.build();
        const BlockLdlt::Factored factored = K.factor();
        CHECK(factored.bad_node == -1);
        CHECK(factored.redundant_rows == c.redundant);
        int rows = 0, marked = 0, rank = 0;
        for (int n = 0; n < K.nodes(); ++n) rows += K.node(n).constraint ? K.dim(n) : 0;
        for (const char r : K.redundant()) marked += r;
        CHECK(marked == c.redundant);
        const std::vector<double> weight = c.linkage.weight(K, {0.3, -9.81, 2});
        for (const std::vector<double>& b : {weight, consistent(K, random, weight)}) {
            const std::vector<long double> exact = least_squares_accelerations(K, b, ones(K), &rank);
            CHECK(rank == rows - c.redundant);
            std::vector<double> x(b.size());
            const BlockLdlt::Refined result = K.solve_refined(b, x, 6);
            CHECK(result.solves <= 4);
            CHECK(result.residual <= 1e-13);
            CHECK(difference(K, x, exact, true) < 1e-12);
        }
    }
}

TEST_CASE("redundant rows that are left out: the same rows, and the accelerations of the pseudo-inverse") {
    Random random(97);
    for (Case& c : cases()) {
        CAPTURE(c.name);
        BlockLdlt K = c.linkage.build();
        const std::vector<double> rhs = consistent(K, random, c.linkage.weight(K, {0, 0, -9.81}));
        REQUIRE(K.factor().redundant_rows == c.redundant);
        const std::vector<char> redundant(K.redundant().begin(), K.redundant().end());
        const BlockLdlt::Factored factored = K.factor_leaving_out();
        CHECK(factored.bad_node == -1);
        CHECK(factored.redundant_rows == c.redundant);
        CHECK(std::equal(redundant.begin(), redundant.end(), K.redundant().begin(), K.redundant().end()));
        for (const double added : K.added()) CHECK(added == 0);
        std::vector<double> x(rhs.size());
        const BlockLdlt::Refined refined = K.solve_refined(rhs, x, 2);
        CHECK(refined.solves <= 2);
        CHECK(difference(K, x, least_squares_accelerations(K, rhs, ones(K)), true) < 1e-9);
    }
}

TEST_CASE("the factor is that of K with what has been added") {
    for (Case& c : cases()) {
        CAPTURE(c.name);
        BlockLdlt K = c.linkage.build();
        K.factor(1e-6);
        DenseMatrix damped = dense(K);
        for (std::size_t i = 0; i < damped.size(); ++i) damped[i][i] -= K.added()[i];
        for (int n = 0; n < K.nodes(); ++n)
            for (int i = 0; i < K.dim(n); ++i)
                CHECK((K.added()[K.offset(n) + i] > 0) == K.node(n).constraint);
        const std::vector<double> b = c.linkage.weight(K, {0.3, -9.81, 2});
        std::vector<double> x = b;
        K.solve(x);
        CHECK(difference(K, x, solve_dense(damped, b), true) < 1e-9);  // rounding over 1e-6
    }
}

TEST_CASE("constraints that contradict each other are missed by least squares") {
    Random random(94);
    for (Case& c : cases()) {
        CAPTURE(c.name);
        BlockLdlt K = c.linkage.build();
        K.factor();
        std::vector<double> b = c.linkage.weight(K, {0.3, -9.81, 2}), weight(b.size(), 0.0);
        for (int n = 0; n < K.nodes(); ++n)
            if (K.node(n).constraint)
                for (std::size_t i = std::size_t(K.offset(n)); i < std::size_t(K.offset(n) + K.dim(n)); ++i) {
                    b[i] = random.uniform(-1, 1);
                    weight[i] = 1 / K.added()[i];
                }
        std::vector<double> x(b.size());
        const BlockLdlt::Refined result = K.solve_refined(b, x, 10);
        CHECK(result.residual > 1e-3);
        CHECK(result.solves <= 4);
        const std::vector<long double> exact = least_squares_accelerations(K, b, weight);
        // Multipliers grow as what is missed over μ, and their sums on bodies carry the rounding of that.
        CHECK(difference(K, x, exact, true) < 1e-6);
    }
}

TEST_CASE("rows of zeros: a constraint between bodies that do not move, and one on nothing") {
    const BlockNode nodes[] = {{6, false}, {3, true}, {2, true}};
    const BlockEdge edges[] = {{1, 0}};
    BlockLdlt K(nodes, edges);
    for (int i = 0; i < 6; ++i) K.diagonal(0)[7 * i] = 2;
    const BlockLdlt::Factored factored = K.factor();
    CHECK(factored.bad_node == -1);
    CHECK(factored.redundant_rows == 5);
    std::vector<double> x(11);
    for (const double asked : {0.0, 1.0}) {  // what cannot be had as well
        std::vector<double> b = {2, 4, 6, 8, 10, 12, asked, 0, 0, 0, asked};
        K.solve_refined(b, x, 5);
        for (int i = 0; i < 6; ++i) CHECK(x[i] == i + 1);
        for (const double v : x) CHECK(std::isfinite(v));
    }
}

TEST_CASE("the flat net of 20 × 20: 342 redundant rows, and three solves") {
    Linkage linkage;
    add_net(linkage, 20, [](int, int) { return 0.0; });
    BlockLdlt K = linkage.build();
    CHECK(K.nodes() == 380 + 741);
    const BlockLdlt::Factored factored = K.factor();
    CHECK(factored.redundant_rows == 342);
    // Out of the plane it starts to fall like rows of chains; in the plane it hangs.
    for (const Vec3d& gravity : {Vec3d{0, 0, -9.81}, Vec3d{9.81, 0, 0}}) {
        const std::vector<double> b = linkage.weight(K, gravity);
        std::vector<double> x(b.size()), product(b.size());
        BlockLdlt::Refined result;
        CHECK(count_allocations([&] { K.factor(); }) == 0);
        CHECK(count_allocations([&] { result = K.solve_refined(b, x, 5); }) == 0);
        CHECK(result.residual <= 1e-13);
        CHECK(result.solves <= 3);
        K.multiply(x, product);
        CHECK(difference(K, product, b) < 1e-12);
        double fastest = 0;
        for (int i = 0; i < 6 * 380; ++i) fastest = std::max(fastest, std::fabs(x[i]));
        if (gravity.x > 0) CHECK(fastest < 1e-12);
    }
}

TEST_CASE("near singular positions accelerations and multipliers stay bounded") {
    // A chain pinned at both ends, bent by less and less; multipliers of the exact solution grow without
    // bound.
    for (double bend = 1; bend > 1e-9; bend *= 0.1) {
        CAPTURE(bend);
        Linkage linkage;
        Random random(95);
        add_chain(linkage, random, 20, 3, bend, true);
        BlockLdlt K = linkage.build();
        const BlockLdlt::Factored factored = K.factor();
        CHECK(factored.bad_node == -1);
        CHECK(factored.redundant_rows <= 1);
        const std::vector<double> b = linkage.weight(K, {0, -9.81, 0});
        std::vector<double> x(b.size());
        const BlockLdlt::Refined result = K.solve_refined(b, x, 6);
        for (int n = 0; n < 20; ++n)
            for (int i = 0; i < 6; ++i) CHECK(std::fabs(x[6 * n + i]) < 200);
        if (factored.redundant_rows == 0) {
            CHECK(result.residual <= 1e-11);
            const std::vector<long double> exact = least_squares_accelerations(K, b, ones(K));
            CHECK(difference(K, x, exact, true) < 1e-16 / (bend * bend) + 1e-12);
        } else {
            CHECK(bend < 1e-4);
        }
    }
}

}  // namespace lig::test
