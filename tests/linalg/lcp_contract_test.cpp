// What every LCP solver must do, over the list of solvers; the results are judged by support/lcp_problems.h,
// which computes in long double and by the definition of the problem.

#include "support/allocation_counter.h"
#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>

namespace lig::test {
namespace {

bool pivots(const LcpSolverInfo& solver) { return solver.name == "dantzig" || solver.name == "lemke"; }

bool within_bounds(const OwnedLcp& lcp, const std::vector<double>& lambda) {
    for (std::size_t i = 0; i < lambda.size(); ++i)
        if (lcp.partner[i] < 0 && !(lcp.lo[i] <= lambda[i] && lambda[i] <= lcp.hi[i])) return false;
    return true;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(x[i] - y[i]));
    return most;
}

const LcpSolverInfo& solver_named(std::string_view name) {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == name) return solver;
    throw std::string(name);
}

struct Kind {
    std::string_view name;
    RandomLcp kind;
    double worst_exact;  // of a solver that pivots: rounding, or in singular problems that of a few pivots
};
constexpr Kind kinds[] = {
    {"regular", {}, 1e-15},
    {"rows of size 1e-3 to 1e3, entries 1e-6 to 1e6", {0, 3}, 1e-15},
    {"repeated rows", {0, 0, true}, 1e-15},
    {"rank 7", {7}, 1e-11},
    {"rank 9, repeated rows of size 1e-3 to 1e3", {9, 3, true}, 1e-11},
};

}  // namespace

TEST_CASE("random problems are solved to the tolerance, by pivoting to rounding") {
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        for (const Kind& kind : kinds) {
            CAPTURE(std::string(solver.name));
            CAPTURE(std::string(kind.name));
            Random random(11);
            int solved = 0, cases = pivots(solver) ? 400 : 40;
            for (int c = 0; c < cases; ++c) {
                const int n = 1 + int(random.next() % 60);
                const OwnedLcp lcp = random_lcp(random, n, kind.kind);
                std::vector<double> lambda;
                const LcpResult result = solve(solver, lcp, lambda);
                CAPTURE(c);
                CAPTURE(n);
                const double found = violation(lcp, solver.friction, lambda);
                REQUIRE(within_bounds(lcp, lambda));
                // The figures are those of an independent computation, up to the rounding of w.
                CHECK(std::fabs(result.figures.residual - found) <= 1e-14 + 1e-6 * found);
                CHECK(result.figures.complementarity <= 1.001 * found + 1e-14);
                CHECK((result.status == LcpStatus::solved) == (result.figures.residual <= 1e-10));
                if (result.status == LcpStatus::solved) ++solved;
                // Gauss–Seidel slows down on the worst conditioned ones: fair progress is all that is asked.
                CHECK(found <= (pivots(solver) ? kind.worst_exact : 1e-2));
            }
            CHECK(solved >= (pivots(solver) ? cases : cases * 8 / 10));
        }
    }
}

TEST_CASE("random problems with friction are solved under the solver's law") {
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        CAPTURE(std::string(solver.name));
        Random random(12);
        for (int c = 0; c < 100; ++c) {
            const OwnedLcp lcp = random_lcp(random, 1 + int(random.next() % 60), {0, 0, false, true});
            std::vector<double> lambda;
            const LcpResult result = solve(solver, lcp, lambda);
            CAPTURE(c);
            REQUIRE(result.status == LcpStatus::solved);
            // Sticking at the edge of the cone is judged by another formula here: a few times the tolerance.
            CHECK(violation(lcp, solver.friction, lambda) < 1e-9);
            CHECK(result.figures.outside < 1e-15);
        }
    }
}

TEST_CASE("the figures of given forces, by hand") {
    const auto figures_of = [](const OwnedLcp& lcp, LcpFriction law, std::vector<double> lambda) {
        std::vector<double> w(lambda.size()), scale(lambda.size());
        return measure_lcp(lcp.view(), law, lambda.data(), w.data(), scale.data());
    };
    // w = 2 λ − 6, between 0 and 8: at λ = 1 w = −4 of 2 + 6; the bound is 7 away.
    OwnedLcp row(1);
    row.a = {2};
    row.b = {-6};
    row.lo = {0};
    row.hi = {8};
    LcpFigures figures = figures_of(row, LcpFriction::pyramid, {1});
    CHECK(figures.residual == doctest::Approx(4.0 / 8).epsilon(1e-15));
    CHECK(figures.complementarity == doctest::Approx(4.0 / 8 * 7 / 8).epsilon(1e-15));
    CHECK(figures.outside == 0);
    // Near the bound that w asks for, A times the way to it counts: 2 · 0.5 of 2 · 1.5 + 6.
    row.hi = {2};
    CHECK(figures_of(row, LcpFriction::pyramid, {1.5}).residual == doctest::Approx(1.0 / 9).epsilon(1e-15));
    CHECK(figures_of(row, LcpFriction::pyramid, {2}).residual == 0);
    CHECK(figures_of(row, LcpFriction::pyramid, {3}).outside == doctest::Approx(1.0 / 5).epsilon(1e-15));

    // A contact with λ_n = 1, μ = 0.5 and friction (−0.3, −0.4), at the edge of the cone; w_T = b_T + λ_T.
    OwnedLcp contact(3);
    contact.at(0, 0) = contact.at(1, 1) = contact.at(2, 2) = 1;
    contact.contact(0, {0.5, 0.5});
    contact.b = {-1, 0.6, 0.8};  // slides against the friction: solved
    figures = figures_of(contact, LcpFriction::cone, {1, -0.3, -0.4});
    CHECK(figures.residual < 1e-16);
    CHECK(figures.complementarity < 1e-16);
    CHECK(figures.outside < 1e-15);
    CHECK(figures_of(contact, LcpFriction::pyramid, {1, -0.3, -0.4}).residual > 0.1);
    contact.b = {-1, 1.1, -0.2};  // slips with (0.8, −0.6), across the friction
    figures = figures_of(contact, LcpFriction::cone, {1, -0.3, -0.4});
    // (|λ_n u| + t·u)/(2 λ_n s): nothing is dissipated, |u| = 0.5, s = 0.5 √(1.4² + 0.6²).
    CHECK(figures.complementarity == doctest::Approx(0.5 / std::sqrt(1.4 * 1.4 + 0.6 * 0.6)).epsilon(1e-14));
    CHECK(figures.residual > 0.1);
    CHECK(figures_of(contact, LcpFriction::cone, {1, -0.6, -0.8}).outside ==
          doctest::Approx(1.0 / 3).epsilon(1e-14));
    CHECK(figures_of(contact, LcpFriction::pyramid, {1, -0.5, -0.5}).outside == 0);
}

TEST_CASE("pivoting finds the solution of a search through all sets of free rows") {
    Random random(13);
    for (int c = 0; c < 150; ++c) {
        const int n = 1 + int(random.next() % 7);
        const OwnedLcp lcp = random_lcp(random, n, {});
        // Each row lo, free or hi: 3^n cases; the one that satisfies all signs is the only solution.
        std::vector<long double> best;
        int count = 1;
        for (int i = 0; i < n; ++i) count *= 3;
        for (int code = 0; code < count && best.empty(); ++code) {
            std::vector<int> choice;
            std::vector<long double> x(std::size_t(n), 0.0L);
            bool possible = true;
            for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
                choice.push_back(rest % 3);
                if (rest % 3 == 1) continue;
                const double bound = rest % 3 == 0 ? lcp.lo[std::size_t(i)] : lcp.hi[std::size_t(i)];
                possible = possible && std::isfinite(bound);
                x[std::size_t(i)] = bound;
            }
            if (!possible) continue;
            // Gauss elimination on the free rows; A is well away from singular.
            std::vector<int> rows;
            for (int i = 0; i < n; ++i)
                if (choice[std::size_t(i)] == 1) rows.push_back(i);
            const std::size_t m = rows.size();
            std::vector<std::vector<long double>> s(m, std::vector<long double>(m + 1));
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < m; ++j) s[i][j] = lcp.at(rows[i], rows[j]);
                s[i][m] = -lcp.b[std::size_t(rows[i])];
                for (int j = 0; j < n; ++j) s[i][m] -= lcp.at(rows[i], j) * x[std::size_t(j)];
            }
            for (std::size_t k = 0; k < m; ++k)
                for (std::size_t i = 0; i < m; ++i) {
                    if (i == k) continue;
                    const long double f = s[i][k] / s[k][k];
                    for (std::size_t j = k; j <= m; ++j) s[i][j] -= f * s[k][j];
                }
            for (std::size_t k = 0; k < m; ++k) x[std::size_t(rows[k])] = s[k][m] / s[k][k];
            for (int i = 0; i < n; ++i) {
                const std::size_t k = std::size_t(i);
                long double w = lcp.b[k];
                for (int j = 0; j < n; ++j) w += lcp.at(i, j) * x[std::size_t(j)];
                if (choice[k] == 1) possible = possible && x[k] >= lcp.lo[k] && x[k] <= lcp.hi[k];
                if (choice[k] == 0) possible = possible && w >= 0;
                if (choice[k] == 2) possible = possible && w <= 0;
            }
            if (possible) best = x;
        }
        REQUIRE(!best.empty());
        std::vector<double> lambda;
        REQUIRE(solve(solver_named("dantzig"), lcp, lambda).status == LcpStatus::solved);
        long double size = 0;
        for (const long double x : best) size = std::max(size, std::fabs(x));
        for (std::size_t i = 0; i < best.size(); ++i) {
            CAPTURE(c);
            // Conditions of these matrices reach 1e4.
            CHECK(std::fabs(lambda[i] - double(best[i])) <= 1e-11 * double(size));
        }
    }
}

TEST_CASE("sweeps come the closer to the exact solution the more there are") {
    Random random(14);
    const OwnedLcp lcp = random_lcp(random, 20, {40});
    std::vector<double> exact;
    REQUIRE(solve(solver_named("dantzig"), lcp, exact).status == LcpStatus::solved);
    for (const char* name : {"pgs", "block_pgs"}) {
        double last = unbounded;
        for (const int sweeps : {1, 4, 16, 64, 256}) {
            std::vector<double> lambda;
            LcpOptions options{1e-14, sweeps, nullptr};
            const LcpResult result = solve(solver_named(name), lcp, lambda, options);
            const double now = difference(lambda, exact);
            CHECK(now < 0.7 * last);
            last = std::max(now, 1e-13);
            CHECK(within_bounds(lcp, lambda));
            if (sweeps == 1) CHECK(result.status == LcpStatus::iteration_limit);
        }
        CHECK(last < 1e-11);
    }
}

TEST_CASE("from the solution one iteration is enough") {
    Random random(15);
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        for (const bool friction : {false, true}) {
            for (int c = 0; c < 20; ++c) {
                const OwnedLcp lcp = random_lcp(random, 30, {0, 0, false, friction});
                std::vector<double> lambda;
                REQUIRE(solve(solver, lcp, lambda, {1e-12, 0, nullptr}).status == LcpStatus::solved);
                const std::vector<double> solution = lambda;
                const LcpResult again = solve(solver, lcp, lambda, {1e-10, 0, nullptr});
                CAPTURE(std::string(solver.name));
                CAPTURE(friction);
                CHECK(again.status == LcpStatus::solved);
                CHECK(again.iterations <= 1);
                CHECK(difference(lambda, solution) < 1e-9);
            }
        }
    }
}

TEST_CASE("a guess of any kind leads to the same solution") {
    Random random(16);
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        for (int c = 0; c < 20; ++c) {
            const OwnedLcp lcp = random_lcp(random, 25, {50});
            std::vector<double> cold, warm(25);
            for (double& x : warm) x = random.uniform(-2, 2);
            REQUIRE(solve(solver, lcp, cold, {1e-13, 0, nullptr}).status == LcpStatus::solved);
            REQUIRE(solve(solver, lcp, warm, {1e-13, 0, nullptr}).status == LcpStatus::solved);
            CAPTURE(std::string(solver.name));
            CHECK(difference(cold, warm) < 1e-10);
        }
    }
}

TEST_CASE("rows that repeat others are counted and share by what they came with") {
    // Three rows ask for the same; one of them is enough. λ sums to 6 whoever carries it.
    OwnedLcp lcp(3);
    for (double& x : lcp.a) x = 0.5;
    for (double& x : lcp.b) x = -3;
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        CAPTURE(std::string(solver.name));
        std::vector<double> lambda = {1, 2, -1};
        const LcpResult result = solve(solver, lcp, lambda);
        CHECK(result.status == LcpStatus::solved);
        CHECK(lambda[0] + lambda[1] + lambda[2] == doctest::Approx(6).epsilon(1e-14));
        CHECK(lambda[1] == 2);
        CHECK(lambda[2] == -1);
        if (pivots(solver)) CHECK(result.redundant == 2);
    }
    // Where one reaches its bound, the next takes over.
    lcp.hi = {1, 1.5, unbounded};
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        std::vector<double> lambda;
        REQUIRE(solve(solver, lcp, lambda).status == LcpStatus::solved);
        CHECK(lambda[0] + lambda[1] + lambda[2] == doctest::Approx(6).epsilon(1e-14));
        CHECK(within_bounds(lcp, lambda));
    }
}

TEST_CASE("what cannot be satisfied is said, and the rest is solved") {
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        CAPTURE(std::string(solver.name));
        // A row without response.
        OwnedLcp lcp(3);
        lcp.at(0, 0) = 2;
        lcp.at(2, 2) = 4;
        lcp.b = {-2, 1, -8};
        std::vector<double> lambda;
        LcpResult result = solve(solver, lcp, lambda);
        CHECK(result.status == LcpStatus::infeasible);
        CHECK(result.impossible == 1);
        CHECK(result.first_impossible == 1);
        CHECK(lambda == std::vector<double>{1, 0, 2});
        CHECK(result.figures.residual == 1);

        // Two bilateral rows that contradict each other: w_1 − w_0 = 1 whatever λ is.
        OwnedLcp contradiction(2);
        for (double& x : contradiction.a) x = 1;
        contradiction.b = {0, 1};
        lambda.assign(2, 0);
        result = solve(solver, contradiction, lambda);
        CHECK(result.status == (pivots(solver) ? LcpStatus::infeasible : LcpStatus::iteration_limit));
        CHECK(std::isfinite(lambda[0] + lambda[1]));
        // With bounds there is a solution: row 0 down to its bound, row 1 beyond.
        contradiction.lo = {0, 0};
        lambda.assign(2, 0);
        CHECK(solve(solver, contradiction, lambda).status == LcpStatus::solved);
    }
}

TEST_CASE("a contradiction among many rows is found, and leaves the others exact") {
    Random random(20);
    for (int c = 0; c < 100; ++c) {
        // The last row asks of the first, both bilateral, what it does not do.
        const int n = 2 + int(random.next() % 30), last = n - 1;
        OwnedLcp lcp = random_lcp(random, n, {});
        for (int k = 0; k < last; ++k) lcp.at(last, k) = lcp.at(k, last) = lcp.at(0, k);
        lcp.at(last, last) = lcp.at(0, 0);
        for (const std::size_t i : {std::size_t(0), std::size_t(last)}) {
            lcp.lo[i] = -unbounded;
            lcp.hi[i] = unbounded;
        }
        lcp.b[std::size_t(last)] = lcp.b[0] + 0.1;
        std::vector<double> lambda;
        const LcpResult result = solve(solver_named("dantzig"), lcp, lambda);
        CAPTURE(c);
        REQUIRE(result.status == LcpStatus::infeasible);
        CHECK(result.impossible == 1);
        REQUIRE((result.first_impossible == 0 || result.first_impossible == last));
        // All is satisfied but the row that was given up: make it a fixed force.
        const std::size_t given_up = std::size_t(result.first_impossible);
        lcp.lo[given_up] = lcp.hi[given_up] = lambda[given_up];
        CHECK(violation(lcp, LcpFriction::pyramid, lambda) < 1e-13);
    }
}

TEST_CASE("nothing, zeros, and what is not a problem") {
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        CAPTURE(std::string(solver.name));
        std::vector<double> lambda;
        CHECK(solve(solver, OwnedLcp(0), lambda).status == LcpStatus::solved);

        OwnedLcp zero(4);
        lambda = {3, 0, 0, 0};
        zero.lo = {-unbounded, 0, 1, -2};
        zero.hi = {unbounded, unbounded, 1, 5};
        zero.b = {0, 1, 7, -1};
        CHECK(solve(solver, zero, lambda).status == LcpStatus::solved);
        CHECK(lambda == std::vector<double>{3, 0, 1, 5});

        Random random(17);
        const OwnedLcp good = random_lcp(random, 9, {0, 0, false, true});
        const auto status_of = [&](OwnedLcp bad) {
            std::vector<double> x(9, 0.0);
            const LcpStatus status = solve(solver, bad, x).status;
            for (const double value : x) CHECK(std::isfinite(value));
            return status;
        };
        CHECK(status_of(good) == LcpStatus::solved);
        for (const double bad : {std::nan(""), unbounded}) {
            OwnedLcp lcp = good;
            lcp.at(3, 5) = bad;
            CHECK(status_of(lcp) == LcpStatus::not_finite);
            lcp = good;
            lcp.b[2] = bad;
            CHECK(status_of(lcp) == LcpStatus::not_finite);
            std::vector<double> guess(9, bad);
            CHECK(solve(solver, good, guess).status == LcpStatus::not_finite);
            for (const double value : guess) CHECK(std::isfinite(value));
        }
        OwnedLcp plain = random_lcp(random, 9, {});
        plain.lo[4] = 1;
        plain.hi[4] = 0.5;
        CHECK(status_of(plain) == LcpStatus::invalid);
        plain.hi[4] = std::nan("");
        CHECK(status_of(plain) == LcpStatus::not_finite);
        plain.lo[4] = plain.hi[4] = unbounded;
        CHECK(status_of(plain) == LcpStatus::invalid);
        plain.lo[4] = 0;
        plain.at(4, 4) = -1;
        CHECK(status_of(plain) == LcpStatus::invalid);

        OwnedLcp contact(9);
        contact.contact(2, {0.5, 0.5});
        CHECK(status_of(contact) == LcpStatus::solved);
        contact.partner[4] = 3;
        CHECK(status_of(contact) == LcpStatus::invalid);
        contact.partner[4] = 2;
        contact.mu[4] = -0.5;
        CHECK(status_of(contact) == LcpStatus::invalid);
        contact.mu[4] = 0.5;
        contact.hi[2] = 4;
        CHECK(status_of(contact) == LcpStatus::invalid);

        LcpWorkspace small(8);
        std::vector<double> x(9, 0.25);
        CHECK(solver.solve(good.view(), {}, small, x).status == LcpStatus::invalid);
        CHECK(x == std::vector<double>(9, 0.25));

        // Overflow on the way.
        OwnedLcp huge(2);
        huge.a = {1e-300, 0, 0, 1};
        huge.b = {-1e300, 0};
        CHECK(solve(solver, huge, lambda = {0, 0}).status == LcpStatus::not_finite);
        CHECK(lambda == std::vector<double>{0, 0});
    }
}

TEST_CASE("an interrupted solver returns what it has") {
    Random random(18);
    const OwnedLcp lcp = random_lcp(random, 40, {0, 0, false, true});
    const std::atomic<bool> stop{true};
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        std::vector<double> lambda;
        const LcpResult result = solve(solver, lcp, lambda, {1e-10, 0, &stop});
        CAPTURE(std::string(solver.name));
        CHECK(result.status == LcpStatus::interrupted);
        CHECK(result.iterations <= 1);
        CHECK(within_bounds(lcp, lambda));
        CHECK(result.figures.outside < 1e-15);
    }
}

TEST_CASE("the same bits every time, and no allocation") {
    Random random(19);
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        const OwnedLcp lcp = random_lcp(random, 60, {15, 1, true, true});
        const OwnedLcp other = random_lcp(random, 33, {0, 0, false, true});
        LcpWorkspace workspace(60);
        std::vector<double> first(60, 0.0), second(60, 0.0), between(33, 0.0);
        CAPTURE(std::string(solver.name));
        CHECK(count_allocations([&] {
                  solver.solve(lcp.view(), {}, workspace, first);
                  solver.solve(other.view(), {}, workspace, between);
                  solver.solve(lcp.view(), {}, workspace, second);
              }) == 0);
        for (std::size_t i = 0; i < 60; ++i) CHECK(same_bits(first[i], second[i]));
    }
}

}  // namespace lig::test
