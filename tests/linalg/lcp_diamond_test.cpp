// Friction by six rows against closed forms: a point of mass m on a plane, h seconds of gravity and a push.
// The tangential force is within |t_1| + |t_2| ≤ μ λ_n: μ λ_n along the axes, μ λ_n/√2 along the diagonals.

#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <numbers>

namespace lig::test {
namespace {

constexpr double mass = 2, gravity = 9.81, step = 1e-2, mu = 0.5;
constexpr double press = mass * gravity * step;  // λ_n

const LcpSolverInfo& lemke() {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == "lemke") return solver;
    throw 0;
}

struct Outcome {
    double lambda[3], slip[2];
};
Outcome push(double x, double y, double mu_1 = mu, double mu_2 = mu) {
    OwnedLcp lcp(3);
    for (int i = 0; i < 3; ++i) lcp.at(i, i) = 1 / mass;
    lcp.contact(0, {mu_1, mu_2});
    lcp.b = {-gravity * step, x, y};
    std::vector<double> lambda;
    const LcpResult result = solve(lemke(), lcp, lambda);
    REQUIRE(result.status == LcpStatus::solved);
    CHECK(violation(lcp, LcpFriction::diamond, lambda) < 1e-15);
    CHECK(result.figures.residual < 1e-15);
    return {{lambda[0], lambda[1], lambda[2]}, {x + lambda[1] / mass, y + lambda[2] / mass}};
}

}  // namespace

TEST_CASE("a block pushed along an axis meets μ, along a diagonal μ/√2") {
    const double speed = 0.3;
    for (const double sign : {1.0, -1.0}) {
        const Outcome along = push(sign * speed, 0);
        CHECK(along.lambda[0] == doctest::Approx(press).epsilon(1e-15));
        CHECK(along.slip[0] == doctest::Approx(sign * (speed - mu * gravity * step)).epsilon(1e-14));
        CHECK(along.lambda[2] == 0);
        const double d = sign * speed / std::numbers::sqrt2;
        const Outcome across = push(d, -d);
        CHECK(std::hypot(across.lambda[1], across.lambda[2]) ==
              doctest::Approx(mu * press / std::numbers::sqrt2).epsilon(1e-14));
        CHECK(across.slip[0] == doctest::Approx(-across.slip[1]).epsilon(1e-14));
    }
}

TEST_CASE("it holds up to μ λ_n/(|cos| + |sin|) of the direction, and not beyond") {
    for (double angle = 0.05; angle < 6.28; angle += 0.1) {
        const double c = std::cos(angle), s = std::sin(angle);
        const double threshold = mu * gravity * step / (std::fabs(c) + std::fabs(s));
        CAPTURE(angle);
        const Outcome below = push(0.999 * threshold * c, 0.999 * threshold * s);
        CHECK(std::hypot(below.slip[0], below.slip[1]) < 1e-15);
        const Outcome above = push(1.001 * threshold * c, 1.001 * threshold * s);
        CHECK(std::hypot(above.slip[0], above.slip[1]) > 1e-4 * threshold);
    }
}

TEST_CASE("sliding off the axes: the faster direction is braked first, then both alike") {
    // With a ≥ b ≥ 0 the slip and F = μ g h: a − min(F, a − b) first, the rest of F shared by halves.
    const double budget = mu * gravity * step;
    for (const double a : {0.06, 0.1, 0.5})
        for (const double b : {0.0, 0.03, 0.055}) {
            const Outcome found = push(a, b);
            const double first = std::min(budget, a - b), both = 0.5 * (budget - first);
            CHECK(found.slip[0] == doctest::Approx(std::max(a - first - both, 0.0)).epsilon(1e-13));
            CHECK(found.slip[1] == doctest::Approx(std::max(b - both, 0.0)).epsilon(1e-13));
        }
}

TEST_CASE("two coefficients: each axis has its own") {
    const Outcome first = push(1, 0, 0.2, 0.8), second = push(0, 1, 0.2, 0.8), none = push(1, 1, 0, 0.8);
    CHECK(first.lambda[1] == doctest::Approx(-0.2 * press).epsilon(1e-15));
    CHECK(second.lambda[2] == doctest::Approx(-0.8 * press).epsilon(1e-15));
    CHECK(none.lambda[1] == 0);
    CHECK(none.lambda[2] == doctest::Approx(-0.8 * press).epsilon(1e-15));
}

TEST_CASE("torsional and rolling friction have limits of their own") {
    OwnedLcp lcp(6);
    for (int i = 0; i < 6; ++i) lcp.at(i, i) = 1 / mass;
    lcp.contact(0, {0.5, 0.5, 0.1, 0.02, 0.02});
    lcp.b = {-gravity * step, 1, 0, -1, 1e-4, 2};
    std::vector<double> lambda;
    REQUIRE(solve(lemke(), lcp, lambda).status == LcpStatus::solved);
    CHECK(lambda[1] == doctest::Approx(-0.5 * press).epsilon(1e-14));
    CHECK(lambda[3] == doctest::Approx(0.1 * press).epsilon(1e-14));
    CHECK(lambda[4] == doctest::Approx(-1e-4 * mass).epsilon(1e-14));  // sticks
    CHECK(lambda[5] == doctest::Approx(-0.02 * press).epsilon(1e-14));
    CHECK(violation(lcp, LcpFriction::diamond, lambda) < 1e-15);
}

TEST_CASE("the figures of a diamond, by hand") {
    // λ_n = 1, μ = 0.5, A = 1: w_T = b_T + λ_T.
    OwnedLcp lcp(3);
    for (int i = 0; i < 3; ++i) lcp.at(i, i) = 1;
    lcp.contact(0, {0.5, 0.5});
    const auto figures_of = [&](std::vector<double> lambda) {
        std::vector<double> w(3), scale(3);
        return measure_lcp(lcp.view(), LcpFriction::diamond, lambda.data(), w.data(), scale.data());
    };
    lcp.b = {-1, 0.95, 0.55};  // at λ_T = (−0.45, −0.05) both slip with 0.5: solved
    CHECK(figures_of({1, -0.45, -0.05}).residual < 1e-16);
    CHECK(figures_of({1, -0.45, -0.05}).complementarity < 1e-16);
    CHECK(figures_of({1, -0.45, -0.05}).outside < 1e-16);
    // Without friction |u| = 0.475 of μ s = 0.475, and the power that is missing is all of it, halved.
    CHECK(figures_of({1, 0, 0}).complementarity == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(figures_of({1, 0, 0}).residual > 0.1);
    // |t| = 1.2 + 0.8 around λ_n = 1.
    CHECK(figures_of({1, -0.6, -0.4}).outside == doctest::Approx(1.0 / 3).epsilon(1e-14));
}

}  // namespace lig::test
