// Impulses by sweeps and by Newton's method against the conditions they are to satisfy, on the dense matrix,
// and against the pivoting solver where the solution is unique.

#include "support/impulse_problems.h"

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

struct Named {
    std::string name;
    ImpulseKind kind;
    // By what rows may be missed where 1e-9 was asked for and the method says that it got there. More where
    // they stop improving because they (nearly) contradict each other, and where masses differ: 1e-16 of the
    // heaviest body's response to a force is 1e-10 of the lightest one's.
    double missed;
    double gives_up;  // at most this share of the problems is not solved to 1e-9 by Newton's method
};

const std::vector<Named> kinds = {
    {"frictionless", {.condim = 1}, 1e-8, 0.03},
    {"trees", {}, 1e-7, 0.08},
    {"free bodies", {.free_bodies = true, .contacts = 10}, 1e-7, 0.08},
    {"faces", {.free_bodies = true, .contacts = 6, .points = 4}, 1e-6, 0.10},
    {"torsion and rolling", {.contacts = 10, .condim = 0}, 1e-6, 0.08},
    {"all sorts of rows",
     {.bodies = 10, .condim = 0, .bounded = 4, .one_sided = 4, .equalities = 1, .soft = 3},
     1e-4,
     0.20},
    {"much friction", {.free_bodies = true, .contacts = 10, .largest_mu = 3}, 1e-6, 0.20},
    {"masses 1 to 1e6", {.free_bodies = true, .contacts = 10, .decades = 3}, 1e-5, 0.08},
    {"links of 1 to 1e6", {.contacts = 10, .decades = 3}, 1e-5, 0.20},
    {"one body", {.bodies = 1, .free_bodies = true, .contacts = 3}, 1e-7, 0.02},
};

// How far λ is outside of its bounds and cones, relative.
double outside(const ImpulseProblem& problem) {
    const OwnedLcp lcp = problem.dense();
    std::vector<double> w(lcp.n), scale(lcp.n);
    return measure_lcp(lcp.view(), LcpFriction::cone, problem.lambda.data(), w.data(), scale.data()).outside;
}

double size_of_terms(const ImpulseProblem& problem) {
    return 1 + largest(problem.s) + largest(problem.lambda);
}

}  // namespace

TEST_CASE("Newton's impulses satisfy Coulomb's law, or say that they do not") {
    for (const Named& named : kinds) {
        CAPTURE(named.name);
        Random random(101);
        const int count = 60;
        int given_up = 0;
        for (int trial = 0; trial < count; ++trial) {
            CAPTURE(trial);
            ImpulseProblem problem(random, named.kind);
            const NewtonResult result = problem.solve_by_newton(1e-9);
            CHECK(outside(problem) < 1e-12);
            CHECK(problem.inconsistency() < 1e-12 * size_of_terms(problem));
            if (result.converged) {
                CHECK(problem.missed() < named.missed);
            } else {
                ++given_up;
                // What it returns then is an answer all the same: nothing gains energy.
                if (named.kind.soft == 0) CHECK(problem.work() < 1e-9);
            }
        }
        CHECK(given_up <= named.gives_up * count);
    }
}

TEST_CASE("what is returned when the accuracy cannot be reached gains no energy") {
    Random random(102);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.free_bodies = trial % 2 == 0,
                                        .points = trial % 3 == 0 ? 4 : 1,
                                        .largest_mu = trial % 5 == 0 ? 3.0 : 1.0});
        const NewtonResult result = problem.solve_by_newton(0);
        if (!result.converged) CHECK(result.iterations > 0);
        CHECK(problem.work() < 1e-9);
        CHECK(outside(problem) < 1e-12);
        CHECK(problem.inconsistency() < 1e-12 * size_of_terms(problem));
    }
}

TEST_CASE("sweeps satisfy Coulomb's law where they come to an end") {
    for (const Named& named : kinds) {
        CAPTURE(named.name);
        Random random(103);
        int ended = 0;
        for (int trial = 0; trial < 20; ++trial) {
            CAPTURE(trial);
            ImpulseProblem problem(random, named.kind);
            const SweepResult result = problem.solve_by_sweeps(1e-12, 3000);
            CHECK(outside(problem) < 1e-12);
            CHECK(problem.inconsistency() < 1e-10 * size_of_terms(problem));
            if (!result.converged) continue;
            ++ended;
            // Changes of 1e-12 that shrink by less than 1e-4 from sweep to sweep add up to 1e-8.
            CHECK(problem.missed() < 1e-8);
        }
        CHECK(ended >= 12);
    }
}

TEST_CASE("a sweep never adds energy, however few there are") {
    Random random(104);
    for (int trial = 0; trial < 40; ++trial) {
        ImpulseProblem problem(random, {.points = 1 + 3 * (trial % 2), .condim = 0, .gaps = 0});
        const double energy = dot_of(problem.s_free, problem.s_free);
        for (int sweep = 0; sweep < 6; ++sweep) {
            problem.solve_by_sweeps(0, 1);  // from where the last one ended
            CHECK(dot_of(problem.s, problem.s) <= energy * (1 + 1e-12));
        }
    }
}

TEST_CASE("without friction both methods find the velocities of the pivoting solver") {
    Random random(105);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.free_bodies = trial % 2 == 0,
                                        .contacts = 6,
                                        .points = trial % 4 < 2 ? 1 : 4,
                                        .condim = 1,
                                        .bounded = 2,
                                        .one_sided = 2,
                                        .soft = 2});
        const OwnedLcp lcp = problem.dense();
        std::vector<double> exact;
        REQUIRE(solve(lcp_solver_list[0], lcp, exact).status == LcpStatus::solved);
        const std::vector<double> wanted = problem.velocities_of(exact);
        // Impulses need not be unique, velocities are.
        if (problem.solve_by_newton(1e-10).converged) CHECK(largest_difference(problem.s, wanted) < 1e-6);
        problem.lambda.assign(problem.lambda.size(), 0.0);
        if (problem.solve_by_sweeps(1e-13, 5000).converged)
            CHECK(largest_difference(problem.s, wanted) < 1e-6);
    }
}

TEST_CASE("with little friction both methods find the same velocities") {
    Random random(106);
    int compared = 0;
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.free_bodies = trial % 2 == 0, .contacts = 6, .largest_mu = 0.2});
        if (!problem.solve_by_newton(1e-10).converged) continue;
        const std::vector<double> s = problem.s;
        problem.lambda.assign(problem.lambda.size(), 0.0);
        if (!problem.solve_by_sweeps(1e-13, 5000).converged) continue;
        ++compared;
        CHECK(largest_difference(problem.s, s) < 1e-6);
    }
    CHECK(compared > 40);
}

TEST_CASE("rows that depend on each other change nothing") {
    Random random(107);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.contacts = 4, .largest_mu = 0.2, .one_sided = 2, .equalities = 1});
        ImpulseProblem twice = problem;
        const std::size_t blocks = twice.rows.blocks.size();
        for (std::size_t k = 0; k < blocks; ++k) {
            RowBlock block = twice.rows.blocks[k];
            const int begin = static_cast<int>(twice.rows.rows.size());
            for (int r = 0; r < block.count; ++r)
                twice.rows.rows.push_back(Row(twice.rows.rows[block.begin + r]));
            block.begin = begin;
            twice.rows.blocks.push_back(block);
        }
        twice.finish();
        if (!problem.solve_by_newton(1e-10).converged) continue;
        if (!twice.solve_by_newton(1e-10).converged) continue;
        CHECK(largest_difference(problem.s, twice.s) < 1e-6);
        CHECK(twice.missed() < 1e-6);
    }
}

TEST_CASE("rows that contradict each other end in something finite, and others hold") {
    Random random(108);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        // Two bodies that nothing connects: the rows on the first one contradict each other, on the second
        // they do not.
        ImpulseProblem problem(random, {.bodies = 2, .free_bodies = true, .contacts = 0});
        const auto add = [&](int link, double bias, double lo) {
            problem.rows.begin_block(RowKind::limit, 0, link);
            Row& row = problem.rows.add_row();
            row.on_a = {Vec3d::zero(), {0, 0, 1}};
            row.bias = bias;
            row.lo = lo;
        };
        add(0, 1, -unbounded);  // v_z = −1
        add(0, -1, -unbounded);  // v_z = +1
        add(1, 0.25, -unbounded);
        problem.finish();
        const NewtonResult result = problem.solve_by_newton(1e-9);
        CHECK((!result.converged || result.residual > 0.1));
        for (const double x : problem.s) REQUIRE(std::isfinite(x));
        const OwnedLcp lcp = problem.dense();
        const auto velocity = [&](int row) {
            double w = lcp.b[row];
            for (int k = 0; k < lcp.n; ++k) w += lcp.at(row, k) * problem.lambda[k];
            return w;
        };
        // As close to both as to each other.
        CHECK(velocity(0) == doctest::Approx(1).epsilon(1e-3));
        CHECK(velocity(1) == doctest::Approx(-1).epsilon(1e-3));
        CHECK(std::abs(velocity(2)) < 1e-3);  // turns that do not end are solved roughly
        problem.lambda.assign(problem.lambda.size(), 0.0);
        CHECK_FALSE(problem.solve_by_sweeps(1e-9, 50).converged);
        for (const double x : problem.s) REQUIRE(std::isfinite(x));
    }
}

TEST_CASE("friction rows without friction are not there") {
    Random random(109);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.contacts = 6, .condim = 0});
        ImpulseProblem bare = problem;
        bare.rows.clear();
        for (const RowBlock& block : problem.rows.blocks) {
            bare.rows.begin_block(RowKind::contact, 0, block.link_a, block.link_b);
            bare.rows.add_row() = problem.rows.rows[block.begin];
            for (int r = 1; r < block.count; ++r) problem.rows.rows[block.begin + r].friction = 0;
        }
        bare.finish();
        problem.finish();
        if (!bare.solve_by_newton(1e-10).converged) continue;
        if (problem.solve_by_newton(1e-10).converged) CHECK(largest_difference(bare.s, problem.s) < 1e-6);
        problem.lambda.assign(problem.lambda.size(), 0.0);
        if (problem.solve_by_sweeps(1e-13, 5000).converged)
            CHECK(largest_difference(bare.s, problem.s) < 1e-6);
    }
}

TEST_CASE("a solution is left alone") {
    Random random(110);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        ImpulseProblem problem(random, {.free_bodies = trial % 2 == 0, .contacts = 6, .condim = 0});
        if (!problem.solve_by_newton(1e-11).converged) continue;
        const std::vector<double> s = problem.s, lambda = problem.lambda;
        const NewtonResult again = problem.solve_by_newton(1e-7);
        CHECK(again.converged);
        CHECK(again.iterations <= 4);
        CHECK(largest_difference(s, problem.s) < 1e-6);
        problem.lambda = lambda;
        const SweepResult swept = problem.solve_by_sweeps(1e-7, 10);
        CHECK(swept.converged);
        CHECK(swept.sweeps <= 2);
        CHECK(largest_difference(s, problem.s) < 1e-6);
    }
}

TEST_CASE("a block slides down a slope that is steeper than its friction, and rests on a flatter one") {
    // One body, four corners. Gravity's impulse is in s_free; the velocity afterwards by Coulomb's closed
    // form.
    for (const double mu : {0.2, 0.5}) {
        Random random(111);
        ImpulseProblem problem(random, {.bodies = 1, .free_bodies = true, .contacts = 0});
        const JointFactor::Link& link = problem.factor().links[0];
        REQUIRE(link.nv == 6);
        const double slope = 0.3, g = 9.81, h = 0.01;
        const Vec3d n{-std::sin(slope), 0, std::cos(slope)}, down{-std::cos(slope), 0, -std::sin(slope)};
        const Vec3d across = cross(n, down);
        // Contacts around the line through the centre of mass along n: forces there turn nothing.
        const Vec3d com = problem.center_of_mass();
        for (const double x : {-1.0, 1.0})
            for (const double y : {-1.0, 1.0}) {
                problem.rows.begin_block(RowKind::contact, 0, -1, 0);
                for (const Vec3d& axis : {n, down, across}) {
                    Row& row = problem.rows.add_row();
                    row.on_b = {cross(com + x * down + y * across, axis), axis};
                    row.friction = &row == &problem.rows.rows[problem.rows.blocks.back().begin] ? 0 : mu;
                }
            }
        problem.s_free = problem.response_to({0, 0, -g * h * problem.mass()});
        problem.finish();
        const double wanted = std::max(0.0, g * h * (std::sin(slope) - mu * std::cos(slope)));
        for (const bool newton : {true, false}) {
            problem.lambda.assign(problem.lambda.size(), 0.0);
            if (newton)
                REQUIRE(problem.solve_by_newton(1e-12).converged);
            else
                REQUIRE(problem.solve_by_sweeps(1e-14, 5000).converged);
            const Vec3d v = problem.velocity_of_center();
            CHECK(dot(v, n) == doctest::Approx(0).epsilon(1e-9));
            CHECK(dot(v, down) == doctest::Approx(wanted).epsilon(1e-9));
            CHECK(std::abs(dot(v, across)) < 1e-10);
        }
    }
}
