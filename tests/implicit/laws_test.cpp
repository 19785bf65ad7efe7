// The laws of penalties: their derivatives against finite differences, and the solver that meets many at
// once.

#include "formulations/implicit/law_solver.h"
#include "formulations/implicit/penalty_law.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lig;
using namespace lig::test;
using implicit::LawSolver;
using implicit::PenaltyLaw;

namespace {

constexpr int most = PenaltyLaw::max_rows;

enum class Way {
    open,
    sticks,
    slides
};

// A contact with as many friction rows as said.
PenaltyLaw contact(Random& random, int friction_rows, Way way, double mass = 1) {
    PenaltyLaw law;
    law.kind = PenaltyLaw::Kind::contact;
    law.count = 1 + friction_rows;
    law.eta = 0.01;
    law.stiffness = 4e5 * mass;
    law.damping = 1200 * mass;
    law.dissipation = 1;
    law.gap = way == Way::open ? 1e-3 : -random.uniform(1e-4, 1e-3);
    law.rate = random.uniform(-0.02, 0.02);
    // Twisting has one coefficient, sliding and rolling have one each.
    const double coefficients[] = {random.uniform(0.3, 1), random.uniform(0.005, 0.02),
                                   random.uniform(0.001, 0.01)};
    for (int k = 0; k < friction_rows; ++k) {
        law.friction[k] = coefficients[k < 2 ? 0 : k < 3 ? 1
                                                         : 2];
        law.arm[k] = k < 2 ? 1 : law.friction[k];
        const double size = (way == Way::slides ? 3.0 : 0.02) * law.friction[k] * -law.stiffness * law.gap;
        law.stuck[k] = size * random.uniform(0.5, 1) * (random.uniform(0, 1) < 0.5 ? -1 : 1);
        law.moved[k] = law.rates[k] = 0;
    }
    return law;
}

}  // namespace

TEST_CASE("implicit laws: derivatives are those of finite differences") {
    Random random(5);
    const auto check = [&](const PenaltyLaw& law) {
        double w[most], C[most * most] = {}, above[most], below[most];
        for (int k = 0; k < law.count; ++k) w[k] = random.uniform(-1e-4, 1e-4);
        law.evaluate(w, above, C);
        double largest = 0;
        for (int r = 0; r < law.count; ++r)
            for (int c = 0; c < law.count; ++c) largest = std::max(largest, std::abs(C[r * most + c]));
        for (int c = 0; c < law.count; ++c) {
            const double step = 1e-7, at = w[c];
            w[c] = at + step;
            law.evaluate(w, above, nullptr);
            w[c] = at - step;
            law.evaluate(w, below, nullptr);
            w[c] = at;
            for (int r = 0; r < law.count; ++r)
                CHECK(std::abs(C[r * most + c] + (above[r] - below[r]) / (2 * step)) <= 1e-6 * largest);
        }
        return largest;
    };
    for (int trial = 0; trial < 50; ++trial) {
        for (const int rows : {0, 2, 3, 5}) {
            CHECK(check(contact(random, rows, Way::open)) == 0);
            CHECK(check(contact(random, rows, Way::sticks)) > 0);
            CHECK(check(contact(random, rows, Way::slides)) > 0);
        }
        PenaltyLaw limit = contact(random, 0, Way::sticks);
        limit.kind = PenaltyLaw::Kind::push;
        CHECK(check(limit) > 0);
        PenaltyLaw dry;
        dry.kind = PenaltyLaw::Kind::dry;
        dry.eta = 0.01;
        dry.bound = 2;
        dry.damping = 2e4;
        CHECK(check(dry) == 0.01 * 2e4);
        dry.rate = 0.1;
        CHECK(check(dry) == 0);
        PenaltyLaw spring;
        spring.weight = 7;
        CHECK(check(spring) == 7);
    }
}

TEST_CASE("implicit laws: friction goes with the push where it slides, and not where it sticks") {
    Random random(6);
    const double w[most] = {};
    double p[most], C[most * most];
    PenaltyLaw law = contact(random, 2, Way::slides);
    law.evaluate(w, p, C);
    CHECK(std::hypot(p[1], p[2]) == doctest::Approx(law.friction[0] * p[0]));
    for (int k = 1; k <= 2; ++k) CHECK(C[k * most] / C[0] == doctest::Approx(p[k] / p[0]));
    law = contact(random, 2, Way::sticks);
    law.evaluate(w, p, C);
    CHECK(std::hypot(p[1], p[2]) < law.friction[0] * p[0]);
    for (int k = 1; k <= 2; ++k) CHECK(C[k * most] == 0);
}

TEST_CASE("implicit laws: many contacts, limits and joints with dry friction are met at once") {
    Random random(7);
    LawSolver solver;
    int not_met = 0, trials = 0;
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<PenaltyLaw> laws;
        int n = 0;
        const int count = 1 + random_index(random, 10);
        for (int k = 0; k < count; ++k) {
            PenaltyLaw law;
            const int kind = random_index(random, 6);
            if (kind < 3) {
                const int rows[] = {2, 2, 2, 0, 3, 5};
                law = contact(random, rows[random_index(random, 6)], Way(random_index(random, 3)),
                              std::pow(10, random.uniform(-1, 3)));
            } else if (kind == 3) {
                law = contact(random, 0, Way::sticks);
                law.kind = PenaltyLaw::Kind::push;
            } else if (kind == 4) {
                law.kind = PenaltyLaw::Kind::dry;
                law.eta = 0.01;
                law.bound = random.uniform(0, 10);
                law.damping = 1e4 * law.bound;
                law.rate = random.uniform(-1, 1);
            } else {
                law.weight = std::pow(10, random.uniform(-3, 3));
            }
            law.row = n;
            n += law.count;
            laws.push_back(law);
        }
        // What bodies with fewer freedoms than there are rows answer.
        const int freedoms = 1 + random_index(random, 2 * n);
        std::vector<double> J(n * freedoms), W(n * n), w0(n), p(n, 0.0);
        for (double& x : J) x = random.uniform(-1, 1);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < freedoms; ++k)
                    W[i * n + j] += J[i * freedoms + k] * J[j * freedoms + k] / freedoms;
            w0[i] = random.uniform(-1, 1);
        }
        ++trials;
        if (!solver.solve(laws, W, w0, 1e-9, p)) {
            ++not_met;
            continue;
        }
        // The impulses are those of the laws, as far as velocities tell.
        std::vector<double> w = w0, law_p(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) w[i] += W[i * n + j] * p[j];
        for (const PenaltyLaw& law : laws) {
            double C[most * most];
            law.evaluate(w.data() + law.row, law_p.data() + law.row, C);
            for (int r = 0; r < law.count; ++r) {
                double steep = 0;
                for (int c = 0; c < law.count; ++c) steep += std::abs(C[r * most + c]);
                REQUIRE(std::abs(p[law.row + r] - law_p[law.row + r]) <= 1e-8 * (1 + steep));
            }
        }
    }
    MESSAGE(not_met << " of " << trials << " were not met");
    // Coefficients of friction are up to 1 and directions are drawn at random: some of them wedge.
    CHECK(not_met <= trials / 50);
}
