// NNCG against the sweeps that it accelerates, at equal numbers of sweeps.

#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <string>

namespace lig::test {
namespace {

const LcpSolverInfo& solver_named(std::string_view name) {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == name) return solver;
    throw std::string(name);
}

double left_after(std::string_view name, const OwnedLcp& lcp, int sweeps) {
    std::vector<double> lambda;
    solve(solver_named(name), lcp, lambda, {1e-14, sweeps, nullptr});
    return violation(lcp, LcpFriction::cone, lambda);
}

}  // namespace

TEST_CASE("a column of blocks: what remains after equal numbers of sweeps") {
    for (const int blocks : {10, 20, 40}) {
        const OwnedLcp lcp = column_of_blocks(blocks, 0.5);
        CAPTURE(blocks);
        CHECK(left_after("nncg", lcp, 100) < 0.1 * left_after("block_pgs", lcp, 100));
        // The exact solution: normal forces by the blocks above, all pushed aside together.
        std::vector<double> lambda;
        REQUIRE(solve(solver_named("nncg"), lcp, lambda, {1e-13, 4000, nullptr}).status == LcpStatus::solved);
        for (int k = 0; k < blocks; ++k) {
            CHECK(lambda[std::size_t(3 * k)] == doctest::Approx(blocks - k).epsilon(1e-9));
            CHECK(lambda[std::size_t(3 * k + 1)] == doctest::Approx(-0.1 * (blocks - k)).epsilon(1e-9));
        }
    }
}

TEST_CASE("where plain sweeps are quick, the accelerated ones are not much slower") {
    Random random(51);
    int plain = 0, accelerated = 0;
    for (int c = 0; c < 60; ++c) {
        const OwnedLcp lcp = random_lcp(random, 60, {c % 2 ? 40 : 0, 0, false, true});
        for (const char* name : {"block_pgs", "nncg"}) {
            std::vector<double> lambda;
            const LcpResult result = solve(solver_named(name), lcp, lambda);
            REQUIRE(result.status == LcpStatus::solved);
            (name[0] == 'n' ? accelerated : plain) += result.iterations;
        }
    }
    CAPTURE(plain);
    CAPTURE(accelerated);
    CHECK(accelerated < 2 * plain);
}

}  // namespace lig::test
