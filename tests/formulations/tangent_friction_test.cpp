// Friction along one direction per contact: closed forms of a point on a plane, and how directions are
// chosen.

#include "formulations/rows/tangent_friction.h"
#include "formulations/rows/dense_impulses.h"
#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <numbers>
#include <set>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double mass = 2, gravity = 9.81, step = 1e-2, mu = 0.5, press = mass * gravity * step;

// A point that is pushed with (x, y) and held along a direction.
std::vector<double> hold(double x, double y, TangentDirection direction, double mu_2 = mu) {
    OwnedLcp lcp(3);
    for (int i = 0; i < 3; ++i) lcp.at(i, i) = 1 / mass;
    lcp.contact(0, {mu, mu_2});
    lcp.b = {-gravity * step, x, y};
    LcpWorkspace workspace(3);
    std::vector<double> lambda(3, 0.0);
    const TangentDirection directions[] = {direction, {}, {}};
    const LcpResult result = solve_along_tangents(lcp.view(), directions, {}, workspace, lambda);
    REQUIRE(result.status == LcpStatus::solved);
    CHECK(result.figures.residual < 1e-15);
    CHECK(lambda[0] == doctest::Approx(press).epsilon(1e-15));
    return lambda;
}

TangentDirection at_angle(double angle) { return {std::cos(angle), std::sin(angle)}; }

}  // namespace

TEST_CASE("against the sliding: μ λ_n in any direction, or less where that stops it") {
    for (double angle = 0; angle < 6.2; angle += 0.3) {
        const TangentDirection d = at_angle(angle);
        for (const double speed : {0.01, 0.2}) {
            const std::vector<double> lambda = hold(-speed * d.along_first, -speed * d.along_second, d);
            const double f = std::min(mu * press, mass * speed);
            CHECK(lambda[1] == doctest::Approx(f * d.along_first).epsilon(1e-14));
            CHECK(lambda[2] == doctest::Approx(f * d.along_second).epsilon(1e-14));
        }
    }
}

TEST_CASE("a load is held along the direction, not across it and not along it") {
    const TangentDirection d = at_angle(0.4);
    const double load = 0.9 * mu * gravity * step;
    const auto slip = [&](double angle) {
        const double x = load * std::cos(angle), y = load * std::sin(angle);
        const std::vector<double> lambda = hold(x, y, d);
        return std::hypot(x + lambda[1] / mass, y + lambda[2] / mass);
    };
    CHECK(slip(0.4 + std::numbers::pi) < 1e-15);
    // At an angle from the load, what is across remains: load · sin.
    CHECK(slip(0.4 + std::numbers::pi + 0.3) == doctest::Approx(load * std::sin(0.3)).epsilon(1e-13));
    CHECK(slip(0.4 + std::numbers::pi / 2) == doctest::Approx(load).epsilon(1e-13));
    CHECK(slip(0.4) == doctest::Approx(load).epsilon(1e-15));  // f never pulls
}

TEST_CASE("two coefficients: their ellipse, in the direction") {
    const std::vector<double> lambda = hold(-3, -4, {0.6, 0.8}, 0.25);
    const double along = 1 / std::hypot(0.6 / 0.5, 0.8 / 0.25);
    CHECK(lambda[1] == doctest::Approx(0.6 * along * press).epsilon(1e-14));
    CHECK(lambda[2] == doctest::Approx(0.8 * along * press).epsilon(1e-14));
}

TEST_CASE("several contacts of one body: the conditions hold, row by row") {
    // Random contacts; f = d·λ_t, judged in long double by (19)–(21).
    Random random(61);
    for (int c = 0; c < 60; ++c) {
        const int contacts = 1 + c % 12;
        OwnedLcp lcp = random_lcp(random, 3 * contacts, {c % 2 ? 6 : 0});
        lcp.lo.assign(lcp.lo.size(), 0);
        lcp.hi.assign(lcp.hi.size(), unbounded);
        std::vector<TangentDirection> directions(lcp.lo.size());
        for (int k = 0; k < contacts; ++k) {
            lcp.contact(3 * k, {mu, mu});
            directions[std::size_t(3 * k)] = at_angle(random.uniform(0, 6.28));
        }
        LcpWorkspace workspace(lcp.n);
        std::vector<double> lambda(lcp.lo.size(), 0.0);
        const LcpResult result = solve_along_tangents(lcp.view(), directions, {}, workspace, lambda);
        CAPTURE(c);
        REQUIRE(result.status == LcpStatus::solved);
        using Real = long double;
        const auto w_of = [&](int i) {
            Real w = lcp.b[std::size_t(i)];
            for (int j = 0; j < lcp.n; ++j) w += Real(lcp.at(i, j)) * lambda[std::size_t(j)];
            return w;
        };
        for (int k = 0; k < contacts; ++k) {
            const TangentDirection d = directions[std::size_t(3 * k)];
            const double* own = &lambda[std::size_t(3 * k)];
            const Real f = d.along_first * own[1] + d.along_second * own[2];
            const Real rate = d.along_first * w_of(3 * k + 1) + d.along_second * w_of(3 * k + 2);
            const Real small = 1e-11L;
            CHECK(std::fabs(d.along_first * own[2] - d.along_second * own[1]) < 1e-13);  // along d
            CHECK(own[0] >= 0);
            CHECK(f >= -1e-15L);
            CHECK(f <= mu * own[0] * (1 + 1e-14L) + 1e-18L);
            CHECK(w_of(3 * k) > -small);
            CHECK(std::min<Real>(own[0], w_of(3 * k)) < small);
            // Below its limit friction stops the sliding; where it pushes, it pushes against it.
            if (f < mu * own[0] - small) CHECK(rate > -small);
            if (f > small) CHECK(rate < small);
        }
    }
}

TEST_CASE("directions: against the slip, then the last one, then by chance and by seed") {
    const ContactIdentity contact{3, 8, 0, 17};
    const auto direction = [&](TangentDirection slip, TangentDirection friction, unsigned seed) {
        return tangent_of_contact(slip, slip, 1e-6, friction, seed, contact);
    };
    TangentDirection d = direction({3e-3, -4e-3}, {1, 0}, 0);
    CHECK(d.along_first == doctest::Approx(-0.6).epsilon(1e-15));
    CHECK(d.along_second == doctest::Approx(0.8).epsilon(1e-15));
    // Where it slides, what comes of it counts; where it does not, the load is not looked at.
    d = tangent_of_contact({1, 0}, {0, -2}, 1e-6, {1, 0}, 0, contact);
    CHECK((d.along_first == 0 && d.along_second == 1));
    d = tangent_of_contact({0, 0}, {0, -2}, 1e-6, {1, 0}, 0, contact);
    CHECK((d.along_first == 1 && d.along_second == 0));
    d = direction({3e-7, -4e-7}, {0, -5}, 0);  // as good as still
    CHECK(d.along_first == 0);
    CHECK(d.along_second == -1);

    // By chance: unit vectors, all around, the same for the same contact and seed.
    std::set<std::pair<double, double>> found;
    int quarters[4] = {};
    for (unsigned seed = 0; seed < 400; ++seed) {
        d = direction({}, {}, seed);
        CHECK(std::hypot(d.along_first, d.along_second) == doctest::Approx(1).epsilon(1e-15));
        const TangentDirection again = direction({}, {}, seed);
        CHECK((d.along_first == again.along_first && d.along_second == again.along_second));
        found.insert({d.along_first, d.along_second});
        ++quarters[(d.along_first > 0 ? 1 : 0) + (d.along_second > 0 ? 2 : 0)];
    }
    CHECK(found.size() == 400);
    for (const int count : quarters) CHECK(count > 60);  // of 400; the chance of fewer is below 1e-5
    // Every part of a contact's identity counts.
    const TangentDirection one = direction({}, {}, 0);
    for (const ContactIdentity& other : {ContactIdentity{4, 8, 0, 17}, ContactIdentity{3, 9, 0, 17},
                                         ContactIdentity{3, 8, 1, 17}, ContactIdentity{3, 8, 0, 18}})
        CHECK(tangent_of_contact({}, {}, 1e-6, {}, 0, other).along_first != one.along_first);
}

TEST_CASE("who takes over from whom") {
    const auto successor = [](std::string_view name) {
        const LcpSolverInfo* next = successor_of(*find_lcp_solver(name));
        return std::string(next ? next->name : "nobody");
    };
    CHECK(successor("dantzig") == "pgs");
    CHECK(successor("lemke") == "nncg");
    for (const char* name : {"pgs", "block_pgs", "nncg"}) CHECK(successor(name) == "nobody");
}
