// The direct solver of rows that hold exactly, against dense matrices.

#include "dynamics/equality_system.h"
#include "support/random_loops.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Rows of a random tree with loops, J and M dense, and the system over them.
struct Case {
    Case(Random& random, int loops, int bodies = 14)
        : model(make(random, loops, bodies)), rows(model), factor(*model), system(*model, 6 * loops) {
        state = random_state(random, *model);
        rows.assemble(state);
        J = rows.jacobian();
        M.resize(model->nv * model->nv);
        mass_matrix<double>(state, rows.ws, M);
        REQUIRE(factor.factor(rows.ws) == -1);
    }
    static std::shared_ptr<const Model> make(Random& random, int loops, int bodies) {
        Scene scene = random_scene(random, {.bodies = bodies});
        for (int added = 0; added < loops;)
            added += add_random_loop(random, scene, added % 2 ? JointType::ball : JointType::universal,
                                     "loop" + std::to_string(added));
        return compile(scene);
    }
    int m() const { return static_cast<int>(rows.rows.rows.size()); }
    int nv() const { return model->nv; }

    // Inward of a row of J, by JointFactor itself.
    std::vector<double> z(int row) {
        std::vector<double> x(J.begin() + row * nv(), J.begin() + (row + 1) * nv());
        factor.inward(x);
        return x;
    }

    std::shared_ptr<const Model> model;
    JointState<double> state;
    EqualityRows rows;
    JointFactor factor;
    EqualitySystem system;
    std::vector<double> J, M;
};

}  // namespace

TEST_CASE("rows hold after a solve, whatever was there before, by the least change") {
    Random random(31);
    for (int run = 0; run < 30; ++run) {
        CAPTURE(run);
        Case c(random, 3);
        const int m = c.m(), nv = c.nv();
        c.system.set_rows(c.factor, c.rows.rows);
        c.system.choose();
        REQUIRE(c.system.rows() == m);
        if (c.system.rank() < m) continue;
        const std::vector<double> target = random_numbers(random, m, 3);
        std::vector<double> s = random_numbers(random, nv, 1), lambda(m, 0.0), before = s;
        c.system.solve(target, s, lambda);
        // Z s = target, with Z from JointFactor.
        double most = 0, size = 0;
        for (const double x : lambda) size = std::max(size, std::abs(x));
        for (int r = 0; r < m; ++r) most = std::max(most, std::abs(dot_of(c.z(r), s) - target[r]));
        CHECK(most < 1e-12 * (1 + size));
        // The change is Zᵀ λ: the least one.
        std::vector<double> change = before;
        c.system.add_transposed(lambda, change);
        CHECK(largest_difference(change, s) < 1e-12 * (1 + size));
        // multiply is Z.
        std::vector<double> product(m);
        c.system.multiply(s, product);
        CHECK(largest_difference(product, target) < 1e-12 * (1 + size));
    }
}

TEST_CASE("compliance: the row gives way by what it is pushed with") {
    Random random(32);
    Case c(random, 2);
    const int m = c.m();
    for (Row& row : c.rows.rows.rows) row.compliance = random.uniform(0.01, 2);
    c.system.set_rows(c.factor, c.rows.rows);
    c.system.choose();
    CHECK(c.system.rank() == m);
    const std::vector<double> target = random_numbers(random, m, 3);
    std::vector<double> s(c.nv(), 0.0), lambda(m, 0.0);
    c.system.solve(target, s, lambda);
    for (int r = 0; r < m; ++r)
        CHECK(std::abs(dot_of(c.z(r), s) + c.rows.rows.rows[r].compliance * lambda[r] - target[r]) < 1e-12);
}

TEST_CASE("responses while the rows hold") {
    Random random(33);
    int checked = 0;
    for (int run = 0; run < 20; ++run) {
        CAPTURE(run);
        Case c(random, 3);
        const int m = c.m(), nv = c.nv();
        // The first block stands for other rows, the rest hold.
        const int others = c.rows.rows.blocks[0].count;
        c.system.set_rows(c.factor, c.rows.rows, 1, 3);
        c.system.choose();
        if (c.system.rank() < m - others) continue;
        ++checked;
        const std::vector<double> z = c.z(0), other = c.z(1);
        std::vector<double> y(c.system.rank()), y_other(y), y_sparse(y);
        c.system.project(z, y);
        c.system.project(other, y_other);
        // The response of one on the other: apply z, restore the rows, look along the other.
        std::vector<double> s = z, lambda(m - others, 0.0);
        c.system.solve(std::vector<double>(m - others, 0.0), s, lambda);
        CHECK(dot_of(s, other) == doctest::Approx(dot_of(z, other) - dot_of(y, y_other)).epsilon(1e-9));
        std::vector<int> dofs;
        std::vector<double> values;
        for (int k = nv - 1; k >= 0; --k)
            if (z[k] != 0) {
                dofs.push_back(k);
                values.push_back(z[k]);
            }
        c.system.project(dofs, values, y_sparse);
        CHECK(largest_difference(y, y_sparse) < 1e-13 * (1 + largest(y)));
    }
    CHECK(checked > 10);
}

TEST_CASE("redundant rows are found, however they are scaled and whatever their order") {
    Random random(34);
    for (int run = 0; run < 30; ++run) {
        CAPTURE(run);
        Case c(random, 2);
        c.system.set_rows(c.factor, c.rows.rows);
        c.system.choose();
        const int rank = c.system.rank(), m = c.m();
        // Sums of rows of a block, as further rows of it.
        Rows more = c.rows.rows;
        more.clear();
        int added = 0;
        for (const RowBlock& block : c.rows.rows.blocks) {
            more.begin_block(block.kind, block.source, block.link_a, block.link_b);
            const std::span<const Row> own = c.rows.rows.rows_of(block);
            for (int k = 0; k < 2; ++k, ++added) {
                Row& sum = more.add_row();
                const double size = std::pow(10, random.uniform(-6, 6));
                for (const Row& row : own) {
                    const double weight = size * random.uniform(-1, 1);
                    sum.on_a += weight * row.on_a;
                    sum.on_b += weight * row.on_b;
                }
            }
            for (const Row& row : own) more.add_row() = row;
        }
        c.system.set_rows(c.factor, more);
        c.system.choose();
        CHECK(c.system.rows() == m + added);
        CHECK(c.system.rank() == rank);
        int redundant = 0;
        for (int r = 0; r < c.system.rows(); ++r) redundant += c.system.is_redundant(r);
        CHECK(redundant == c.system.redundant_rows());
    }
}

TEST_CASE(
    "a row at a small angle to another counts down to the tolerance, and is solved to what rounding leaves") {
    Random random(35);
    for (const double angle : {1e-2, 1e-4, 1e-6, 1e-8, 1e-13}) {
        CAPTURE(angle);
        Case c(random, 1);
        Rows rows;
        const RowBlock& block = c.rows.rows.blocks[0];
        rows.begin_block(RowKind::loop, 0, block.link_a, block.link_b);
        const Row a = c.rows.rows.rows[0], b = c.rows.rows.rows[1];
        rows.add_row() = a;
        Row& near = rows.add_row();
        near.on_a = a.on_a + angle * b.on_a;
        near.on_b = a.on_b + angle * b.on_b;
        c.system.set_rows(c.factor, rows);
        c.system.choose(EqualitySystem::smallest_tolerance);
        if (angle < 1e-12) {
            CHECK(c.system.rank() == 1);
            continue;
        }
        REQUIRE(c.system.rank() == 2);
        CHECK(c.system.smallest_sine() < 10 * angle);
        // Pushing along b by way of the difference: s along a must be 0 and along b 1.
        const std::vector<double> target{0, angle};
        std::vector<double> s(c.nv(), 0.0), lambda(2, 0.0);
        c.system.solve(target, s, lambda, 3);
        CHECK(std::abs(dot_of(c.z(0), s)) < 1e-9);
        CHECK(dot_of(c.z(1), s) == doctest::Approx(1).epsilon(1e-14 / angle + 1e-9));
        // With a tolerance above, it is redundant.
        const double sine = c.system.smallest_sine();
        c.system.choose(1.1 * sine * sine);
        CHECK(c.system.rank() == 1);
    }
}

TEST_CASE("the choice is kept for other positions") {
    Random random(36);
    Case c(random, 1);
    Rows twice = c.rows.rows;
    const RowBlock block = c.rows.rows.blocks[0];
    twice.begin_block(RowKind::loop, 0, block.link_a, block.link_b);
    for (const Row& row : c.rows.rows.rows_of(block)) twice.add_row() = row;
    c.system.set_rows(c.factor, twice);
    c.system.choose();
    const int rank = c.system.rank();
    std::vector<bool> kept;
    for (int r = 0; r < c.system.rows(); ++r) kept.push_back(!c.system.is_redundant(r));
    // The copies a little off, as in a stage of a step: they would count.
    for (int r = block.count; r < 2 * block.count; ++r) twice.rows[r].on_b.lin += random_vec(random, 1e-3);
    c.system.set_rows(c.factor, twice);
    c.system.choose_as_before();
    CHECK(c.system.rank() == rank);
    for (int r = 0; r < c.system.rows(); ++r) CHECK(kept[r] == !c.system.is_redundant(r));
    c.system.choose();
    CHECK(c.system.rank() > rank);
}
