// Friction against closed forms and against searches over all directions.

#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <array>
#include <numbers>
#include <string>

namespace lig::test {
namespace {

using Real = long double;
constexpr double pi = std::numbers::pi;

const LcpSolverInfo& block_pgs() {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == "block_pgs") return solver;
    throw 0;
}

// All sliding solutions of one contact with two tangential rows, by a scan over the direction of friction:
// for each angle the normal force follows from w_n = 0, and the component of (μ₁w₁, μ₂w₂) across the
// direction changes sign at a solution.
std::vector<std::array<Real, 3>> sliding_solutions(const OwnedLcp& lcp) {
    const Real mu[2] = {lcp.mu[1], lcp.mu[2]};
    struct At {
        Real across, along, force[3];
    };
    const auto at = [&](Real angle) {
        At x;
        const Real t[2] = {std::cos(angle), std::sin(angle)};
        const Real response = lcp.at(0, 0) + lcp.at(0, 1) * mu[0] * t[0] + lcp.at(0, 2) * mu[1] * t[1];
        x.force[0] = -lcp.b[0] / response;
        x.force[1] = x.force[0] * mu[0] * t[0];
        x.force[2] = x.force[0] * mu[1] * t[1];
        Real u[2];
        for (int r = 0; r < 2; ++r) {
            u[r] = lcp.b[std::size_t(r + 1)];
            for (int k = 0; k < 3; ++k) u[r] += lcp.at(r + 1, k) * x.force[k];
            u[r] *= mu[r];
        }
        x.across = t[0] * u[1] - t[1] * u[0];
        x.along = t[0] * u[0] + t[1] * u[1];
        return x;
    };
    std::vector<std::array<Real, 3>> found;
    constexpr int steps = 2000;
    for (int i = 0; i < steps; ++i) {
        Real low = 2 * pi * i / steps, high = 2 * pi * (i + 1) / steps;
        const Real sign = at(low).across;
        if (sign * at(high).across > 0) continue;
        for (int k = 0; k < 70; ++k) {
            const Real middle = (low + high) / 2;
            (sign * at(middle).across > 0 ? low : high) = middle;
        }
        const At x = at(low);
        // A pole of the normal force changes the sign, too; there it is not 0.
        if (x.force[0] > 0 && x.force[0] < 1e12 && x.along <= 0)
            found.push_back({x.force[0], x.force[1], x.force[2]});
    }
    return found;
}

// A box of mass m, half sizes (x, y, z), resting with its four lower corners on a plane whose normal is z;
// corners in contact with friction along axes turned by `turn`. Twelve rows; w is the velocity of the corners
// after `h` seconds of the acceleration `a`.
OwnedLcp box_on_plane(double mass, std::array<double, 3> half, double mu, double turn,
                      std::array<double, 3> velocity) {
    const double inertia[3] = {mass / 3 * (half[1] * half[1] + half[2] * half[2]),
                               mass / 3 * (half[0] * half[0] + half[2] * half[2]),
                               mass / 3 * (half[0] * half[0] + half[1] * half[1])};
    OwnedLcp lcp(12);
    double j[12][6];
    const double c = std::cos(turn), s = std::sin(turn);
    const double axes[3][3] = {{0, 0, 1}, {c, s, 0}, {-s, c, 0}};
    for (int corner = 0; corner < 4; ++corner) {
        const double r[3] = {corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1], -half[2]};
        for (int k = 0; k < 3; ++k) {
            double* row = j[3 * corner + k];
            const double* d = axes[k];
            std::copy_n(d, 3, row);
            row[3] = r[1] * d[2] - r[2] * d[1];
            row[4] = r[2] * d[0] - r[0] * d[2];
            row[5] = r[0] * d[1] - r[1] * d[0];
        }
        lcp.contact(3 * corner, {mu, mu});
    }
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 12; ++k)
            for (int q = 0; q < 6; ++q) lcp.at(i, k) += j[i][q] * j[k][q] / (q < 3 ? mass : inertia[q - 3]);
        for (int q = 0; q < 3; ++q) lcp.b[std::size_t(i)] += j[i][q] * velocity[std::size_t(q)];
    }
    return lcp;
}

struct Sums {
    double normal = 0, tangent[2] = {0, 0}, slip[2] = {0, 0}, lift = 0;
};
Sums sums_of(const OwnedLcp& lcp, const std::vector<double>& lambda) {
    Sums sums;
    for (int i = 0; i < lcp.n; ++i) {
        double w = lcp.b[std::size_t(i)];
        for (int k = 0; k < lcp.n; ++k) w += lcp.at(i, k) * lambda[std::size_t(k)];
        if (i % 3 == 0) {
            sums.normal += lambda[std::size_t(i)];
            sums.lift = std::max(sums.lift, std::fabs(w));
        } else {
            sums.tangent[i % 3 - 1] += lambda[std::size_t(i)];
            sums.slip[i % 3 - 1] += w / 4;
        }
    }
    return sums;
}

}  // namespace

TEST_CASE("one contact: sliding is a solution of a scan over all directions") {
    Random random(21);
    int sliding = 0, sticking = 0, open = 0;
    for (int c = 0; c < 300; ++c) {
        OwnedLcp lcp = random_lcp(random, 3, {c % 2 ? 0 : 3});
        lcp.lo.assign(3, -unbounded);
        lcp.hi.assign(3, unbounded);
        const double mu = random.uniform(0.05, 1.5);
        lcp.contact(0, {mu, c % 3 ? mu : random.uniform(0.05, 1.5)});
        if (c % 5) lcp.b[0] = -std::fabs(lcp.b[0]);
        std::vector<double> lambda;
        const LcpResult result = solve(block_pgs(), lcp, lambda, {1e-12, 0, nullptr});
        CAPTURE(c);
        REQUIRE(result.status == LcpStatus::solved);
        REQUIRE(violation(lcp, LcpFriction::cone, lambda) < 1e-12);
        CHECK(result.iterations <= 2);  // one contact is one exact block
        if (lcp.b[0] >= 0) {
            ++open;
            CHECK(lambda == std::vector<double>{0, 0, 0});
            continue;
        }
        const double length = std::hypot(lambda[1] / lcp.mu[1], lambda[2] / lcp.mu[2]);
        if (length < lambda[0] * (1 - 1e-9)) {
            ++sticking;  // and then w = 0, which the violation has checked
            continue;
        }
        ++sliding;
        Real nearest = 1;
        for (const auto& found : sliding_solutions(lcp)) {
            Real off = 0;
            for (std::size_t k = 0; k < 3; ++k)
                off = std::max(off, std::fabs(found[k] - lambda[k]) / found[0]);
            nearest = std::min(nearest, off);
        }
        // The angle is as well determined as the slip is large: some of these slide slowly.
        CHECK(nearest < 1e-9L);
    }
    CHECK(sliding > 80);
    CHECK(sticking > 20);
    CHECK(open > 20);
}

TEST_CASE("one contact with up to five friction rows, of any rank, is solved by one block") {
    Random random(22);
    for (int c = 0; c < 2000; ++c) {
        const int count = 1 + c % 5, rank = 1 + int(random.next() % 8);
        OwnedLcp lcp = random_lcp(random, count + 1, {rank, c % 4 == 0 ? 1.0 : 0.0});
        lcp.lo.assign(lcp.lo.size(), -unbounded);
        lcp.hi.assign(lcp.hi.size(), unbounded);
        lcp.contact(0, {});
        for (int i = 1; i <= count; ++i) {
            lcp.partner[std::size_t(i)] = 0;
            lcp.mu[std::size_t(i)] = c % 7 == i ? 0 : std::pow(10, random.uniform(-3, 1));
        }
        if (lcp.b[0] > 0)
            for (double& x : lcp.b) x = -x;
        std::vector<double> lambda;
        const LcpResult result = solve(block_pgs(), lcp, lambda);
        CAPTURE(c);
        CAPTURE(rank);
        REQUIRE(result.status == LcpStatus::solved);
        CHECK(violation(lcp, LcpFriction::cone, lambda) < 1e-10);
        CHECK(result.iterations <= 3);
        CHECK(lambda[0] > 0);
    }
}

TEST_CASE("extreme contacts stay finite") {
    // A light touch at high speed, coefficients of 0 and 1e6, normal rows without response.
    struct Case {
        double normal, tangent, mu, b_normal, b_tangent;
    };
    for (const Case& x : {Case{1, 1, 0.5, -1e-12, 1e3}, Case{1, 1, 1e6, -1, 1e3}, Case{1, 1, 0, -1, 1},
                          Case{1e-9, 1e9, 0.5, -1, 1}, Case{1e9, 1e-9, 0.5, -1, 1}, Case{1, 0, 0.5, -1, 2}}) {
        OwnedLcp lcp(3);
        lcp.at(0, 0) = x.normal;
        lcp.at(1, 1) = lcp.at(2, 2) = x.tangent;
        lcp.contact(0, {x.mu, x.mu});
        lcp.b = {x.b_normal, 0.6 * x.b_tangent, 0.8 * x.b_tangent};
        std::vector<double> lambda;
        CHECK(solve(block_pgs(), lcp, lambda).status == LcpStatus::solved);
        // Without coupling: the normal force, and friction against b as far as μ and the slip allow.
        const double normal = -x.b_normal / x.normal;
        const double friction = std::min(x.mu * normal, x.tangent > 0 ? x.b_tangent / x.tangent : unbounded);
        CHECK(lambda[0] == doctest::Approx(normal).epsilon(1e-14));
        CHECK(lambda[1] == doctest::Approx(-0.6 * friction).epsilon(1e-12));
        CHECK(lambda[2] == doctest::Approx(-0.8 * friction).epsilon(1e-12));
    }
    OwnedLcp none(3);
    none.contact(0, {0.5, 0.5});
    none.b = {-1, 1, 1};
    std::vector<double> lambda;
    const LcpResult result = solve(block_pgs(), none, lambda);
    CHECK(result.status == LcpStatus::infeasible);
    CHECK(result.first_impossible == 0);
    CHECK(lambda == std::vector<double>{0, 0, 0});
}

TEST_CASE("a box on an incline sticks up to tan θ = μ and slides with g (sin θ − μ cos θ) beyond") {
    const double mass = 3, g = 9.81, h = 1e-2, mu = 0.5, threshold = std::atan(mu);
    for (const LcpSolverInfo& solver : lcp_solver_list) {
        // In a round cone the forces of the corners across the slope die out the slower the nearer the
        // threshold: Gauss-Seidel takes 300 sweeps at a distance of 0.01, and ten times that at 0.001.
        const double near = solver.friction == LcpFriction::cone ? 1e-2 : 1e-6;
        for (const double angle : {0.0, 0.3, threshold - near, threshold + near, 0.6, 0.9}) {
            const double down = g * std::sin(angle), press = g * std::cos(angle);
            const OwnedLcp lcp = box_on_plane(mass, {1, 0.7, 0.2}, mu, 0, {h * down, 0, -h * press});
            std::vector<double> lambda;
            const LcpResult result = solve(solver, lcp, lambda, {1e-13, 20000, nullptr});
            CAPTURE(std::string(solver.name));
            CAPTURE(angle);
            REQUIRE(result.status == LcpStatus::solved);
            const Sums sums = sums_of(lcp, lambda);
            const double sliding = std::max(0.0, down - mu * press);
            // Twelve rows of rank six: the sums are determined, the shares of the corners are not.
            CHECK(sums.normal == doctest::Approx(mass * h * press).epsilon(1e-10));
            CHECK(std::fabs(sums.slip[0] - h * sliding) < 1e-10 * h * g);
            CHECK(std::fabs(sums.tangent[0] + mass * h * std::min(down, mu * press)) < 1e-10 * mass * h * g);
            CHECK(std::fabs(sums.slip[1]) < 1e-10 * h * g);
            CHECK(sums.lift < 1e-10 * h * g);
        }
    }
}

TEST_CASE("a pushed block: in a cone friction is μ m g against the motion, whatever the axes") {
    const double mass = 2, g = 9.81, h = 1e-2, mu = 0.4, speed = 0.3;
    for (const double direction : {0.0, 0.3, pi / 4, 2.0}) {
        for (const double turn : {0.0, 0.5, pi / 4}) {
            const double x = speed * std::cos(direction), y = speed * std::sin(direction);
            const OwnedLcp lcp = box_on_plane(mass, {0.5, 0.5, 0.1}, mu, turn, {x, y, -h * g});
            std::vector<double> lambda;
            REQUIRE(solve(block_pgs(), lcp, lambda, {1e-13, 20000, nullptr}).status == LcpStatus::solved);
            const Sums sums = sums_of(lcp, lambda);
            const double left = speed - mu * g * h;
            CHECK(sums.slip[0] == doctest::Approx(left * std::cos(direction - turn)).epsilon(1e-9));
            CHECK(sums.slip[1] == doctest::Approx(left * std::sin(direction - turn)).epsilon(1e-9));
            CHECK(std::hypot(sums.tangent[0], sums.tangent[1]) ==
                  doctest::Approx(mu * mass * g * h).epsilon(1e-10));
        }
    }
}

TEST_CASE("a spinning ball: torsional and sliding friction share one ellipse") {
    // Ball of mass m and radius r on its lowest point: rows normal, two tangential, torsional. The ball
    // slides with v and spins with ω about the normal; both slow down in the ratio that leaves the direction
    // of (μ v, μₜ ω) as it is only where the responses agree, so the answer is checked by its three defining
    // properties.
    const double mass = 1, radius = 0.1, inertia = 0.4 * mass * radius * radius, mu = 0.5, torsional = 0.01;
    const double press = 0.1;
    for (const double spin : {0.0, 1.0, 30.0, 300.0}) {
        OwnedLcp lcp(4);
        lcp.at(0, 0) = 1 / mass;
        lcp.at(1, 1) = lcp.at(2, 2) = 1 / mass + radius * radius / inertia;
        lcp.at(3, 3) = 1 / inertia;
        lcp.contact(0, {mu, mu, torsional});
        lcp.b = {-press, 2, 0, spin};
        std::vector<double> lambda;
        REQUIRE(solve(block_pgs(), lcp, lambda).status == LcpStatus::solved);
        CAPTURE(spin);
        const double normal = mass * press;
        CHECK(lambda[0] == doctest::Approx(normal).epsilon(1e-14));
        CHECK(lambda[2] == 0);
        const double slide = lambda[1] / mu, twist = lambda[3] / torsional;
        CHECK(std::hypot(slide, twist) == doctest::Approx(normal).epsilon(1e-13));
        const double u = mu * (lcp.b[1] + lcp.at(1, 1) * lambda[1]);
        const double v = torsional * (lcp.b[3] + lcp.at(3, 3) * lambda[3]);
        CHECK(std::fabs(u * twist - v * slide) <= 1e-13 * std::hypot(u, v) * normal);
        CHECK(u * slide + v * twist < 0);
    }
}

}  // namespace lig::test
