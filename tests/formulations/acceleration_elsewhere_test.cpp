// Acceleration constraints whose forces act along something else: against dense elimination, and a cart that
// balances a pole.

#include "support/acceleration_cases.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// Constraints with one row each.
AccelerationConstraint random_row(Random& random, const Model& model) {
    AccelerationConstraint out = random_constraint(random, model);
    while (std::holds_alternative<LoopAcceleration>(out)) out = random_constraint(random, model);
    return out;
}

std::vector<double> zeros(int n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); }

}  // namespace

TEST_CASE("forces that act elsewhere give what is wanted, and nothing else acts") {
    Random random(77);
    int solved = 0;
    for (int run = 0; run < 40; ++run) {
        const auto model = compile(random_scene(random, {.bodies = 3 + run % 6}));
        const JointState<double> state = random_state(random, *model);
        const int count = 1 + run % 3;
        std::vector<AccelerationConstraint> wanted, acting;
        for (int k = 0; k < count; ++k) {
            wanted.push_back(random_row(random, *model));
            acting.push_back(random_row(random, *model));
        }
        ConstraintSolver solver(model);
        solver.set_state(state, zeros(model->nv));
        solver.set_constraints(wanted, acting);
        const ConstraintReport report = solver.solve();
        if (report.status != ConstraintStatus::ok) {
            CHECK(report.status == ConstraintStatus::uncontrollable);
            continue;
        }
        ++solved;
        // The accelerations under these forces, found anew.
        std::vector<double> tau = zeros(model->nv), qacc = zeros(model->nv);
        Workspace<double> ws(model);
        forward_kinematics(state, ws);
        clear_external(ws);
        solver.add_forces(solver.forces(), tau, ws.f_ext);
        forward_dynamics<double>(state, tau, ws, qacc, true);
        // Rounding is a share of what cancels, and joints whose axes nearly coincide enlarge it.
        double largest = 1;
        for (const double a : solver.free_acceleration()) largest = std::max(largest, std::abs(a));
        for (int k = 0; k < model->nv; ++k)
            CHECK(std::abs(qacc[k] - solver.acceleration()[k]) < 1e-8 * largest);
        // What acts are forces along `acting` alone: its own rows as forces of unit size.
        ConstraintSolver along(model);
        along.set_state(state, zeros(model->nv));
        along.set_constraints(acting);
        std::vector<double> tau_along = zeros(model->nv);
        std::vector<Force<double>> on_links(model->tree.links.size(), Force<double>::zero());
        along.add_forces(solver.forces(), tau_along, on_links);
        CHECK(tau_along == tau);
        for (std::size_t r = 0; r < solver.values().size(); ++r) {
            const double asked = std::visit(
                [](const auto& c) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(c)>, LoopAcceleration>)
                        return 0.0;
                    else
                        return c.wanted;
                },
                wanted[r]);
            CHECK(solver.values()[r] == doctest::Approx(asked).epsilon(1e-7));
        }
    }
    CHECK(solved > 25);
}

namespace {

// What forces do in their ranges, by trying all of them at an end or between: those that are complementary.
struct Enumeration {
    int m;
    std::vector<double> K, target, lo, hi;  // K f − target complementary to f
    std::vector<double> sizes;              // what rows and forces would do to themselves, multiplied
    std::vector<std::vector<double>> solutions;
    bool doubtful = false;  // something is so nearly at an end that rounding decides

    void solve() {
        std::vector<int> at(m, 0);  // 0: between, 1: at the lower end, 2: at the upper one
        int count = 1;
        for (int k = 0; k < m; ++k) count *= 3;
        for (int code = 0; code < count; ++code) {
            bool possible = true;
            for (int k = 0, rest = code; k < m; ++k, rest /= 3) {
                at[k] = rest % 3;
                if (at[k] > 0) possible = possible && std::isfinite(at[k] == 1 ? lo[k] : hi[k]);
            }
            if (possible) try_set(at);
        }
    }
    void try_set(const std::vector<int>& at) {
        std::vector<double> f(m, 0.0);
        std::vector<int> inside;
        for (int k = 0; k < m; ++k)
            if (at[k] == 0)
                inside.push_back(k);
            else
                f[k] = at[k] == 1 ? lo[k] : hi[k];
        // Gauss and Jordan, of what is inside.
        const int n = static_cast<int>(inside.size());
        std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
        for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) a[r][c] = K[inside[r] * m + inside[c]];
            a[r][n] = target[inside[r]];
            for (int c = 0; c < m; ++c) a[r][n] -= K[inside[r] * m + c] * f[c];
        }
        for (int p = 0; p < n; ++p) {
            int best = p;
            for (int r = p; r < n; ++r)
                if (std::abs(a[r][p]) > std::abs(a[best][p])) best = r;
            if (a[best][p] == 0) return;
            std::swap(a[p], a[best]);
            for (int r = 0; r < n; ++r) {
                const double by = r == p ? 0 : a[r][p] / a[p][p];
                for (int c = p; c <= n && by != 0; ++c) a[r][c] -= by * a[p][c];
            }
        }
        for (int r = 0; r < n; ++r) f[inside[r]] = a[r][n] / a[r][r];
        double size = 1;
        for (int k = 0; k < m; ++k) size += std::abs(f[k]) + std::abs(target[k]);
        const double nothing = 1e-9 * size;
        for (int k = 0; k < m; ++k) {
            double w = -target[k];
            for (int c = 0; c < m; ++c) w += K[k * m + c] * f[c];
            const double least = at[k] == 0   ? std::min(f[k] - lo[k], hi[k] - f[k])
                                 : at[k] == 1 ? w
                                              : -w;
            if (std::abs(least) < nothing) doubtful = true;
            if (least < 0) return;
        }
        solutions.push_back(f);
    }
    // The least of the principal minors of K, each beside what it would be if forces acted along the rows.
    double least_minor() const {
        double least = 1;
        for (const double size : sizes)
            if (!(size > 0)) return -1;  // nothing can be done to a row, or with a force
        for (int set = 1; set < 1 << m; ++set) {
            std::vector<int> in;
            for (int k = 0; k < m; ++k)
                if (set >> k & 1) in.push_back(k);
            const int n = static_cast<int>(in.size());
            std::vector<double> a(n * n);
            for (int r = 0; r < n; ++r)
                for (int c = 0; c < n; ++c) a[r * n + c] = K[in[r] * m + in[c]];
            double minor = 1;
            for (int p = 0; p < n; ++p) {
                minor *= a[p * n + p] / sizes[in[p]];
                for (int r = p + 1; r < n; ++r)
                    for (int c = n - 1; c >= p; --c)
                        a[r * n + c] -= a[r * n + p] / a[p * n + p] * a[p * n + c];
            }
            least = std::min(least, minor);
        }
        return least;
    }
};

}  // namespace

TEST_CASE("forces that act elsewhere, within ranges: against all ways of being at an end") {
    Random random(31);
    int unique = 0, others = 0, none = 0;
    for (int run = 0; run < 300; ++run) {
        const auto model = compile(random_scene(random, {.bodies = 4 + run % 5}));
        const int m = 1 + run % 4;
        std::vector<AccelerationConstraint> wanted, acting;
        Enumeration all{.m = m};
        for (int k = 0; k < m; ++k) {
            wanted.push_back(random_row(random, *model));
            // Mostly what acts has to do with what it is for.
            acting.push_back(run % 3 == 0 || k % 2 ? random_row(random, *model) : wanted.back());
            const int kind = static_cast<int>(random.uniform(0, 4));
            const Range force{.lower = kind % 2 ? random.uniform(-2, 0) : -HUGE_VAL,
                              .upper = kind / 2 ? random.uniform(0, 2) : HUGE_VAL};
            all.lo.push_back(force.lower);
            all.hi.push_back(force.upper);
            std::visit(
                [&](auto& c) {
                    if constexpr (requires { c.force; }) c.force = force;
                },
                wanted.back());
            std::visit(
                [&](auto& c) {
                    if constexpr (requires { c.force; }) c.force = {};
                },
                acting.back());
        }
        ConstraintSolver solver(model), along(model);
        const JointState<double> state = random_state(random, *model);
        solver.set_state(state, zeros(model->nv));
        along.set_state(state, zeros(model->nv));
        solver.set_constraints(wanted, acting);
        const std::span<const double> K = solver.matrix();
        all.K.assign(K.begin(), K.end());
        for (int k = 0; k < m; ++k)
            all.target.push_back(
                std::visit(
                    [](const auto& c) {
                        if constexpr (requires { c.force; })
                            return c.wanted;
                        else
                            return 0.0;
                    },
                    wanted[k]) -
                solver.free_values()[k]);
        for (const auto* list : {&wanted, &acting}) {
            along.set_constraints(*list);
            for (int k = 0; k < m; ++k) {
                const double own = std::sqrt(along.matrix()[k * m + k]);
                if (list == &wanted)
                    all.sizes.push_back(own);
                else
                    all.sizes[k] *= own;
            }
        }
        all.solve();
        const double least_minor = all.least_minor();
        if (all.doubtful || std::abs(least_minor) < 1e-6) continue;
        const ConstraintReport report = solver.solve();
        CAPTURE(run);
        const auto matches = [&](const std::vector<double>& f) {
            for (int k = 0; k < m; ++k)
                if (!(std::abs(f[k] - solver.forces()[k]) < 1e-6 * (1 + std::abs(f[k])))) return false;
            return true;
        };
        if (least_minor > 0) {
            ++unique;
            REQUIRE(all.solutions.size() == 1);
            REQUIRE(report.status == ConstraintStatus::ok);
            CHECK(matches(all.solutions[0]));
        } else if (report.status == ConstraintStatus::ok) {
            // One of several, or the one that there happens to be.
            ++others;
            CHECK(std::any_of(all.solutions.begin(), all.solutions.end(), matches));
        } else {
            ++none;
            CHECK(report.status == ConstraintStatus::uncontrollable);
            for (const double f : solver.forces()) CHECK(f == 0);
        }
    }
    CHECK(unique > 60);
    CHECK(others > 20);
    CHECK(none > 5);
}

// A pole of length l with its mass at the end, on a cart of mass M. Only the cart is pushed, and so that the
// pole's angle accelerates by α: with θ from upright, ẍ = (g sin θ − l α)/cos θ, and the push is
// F = (M + m) ẍ + m l (α cos θ − θ̇² sin θ).
TEST_CASE("a push on a cart moves its pole as wanted") {
    const double M = 2, m = 0.3, l = 0.7, g = 9.81, alpha = -1.5, theta = 0.3, omega = 0.8;
    Scene scene;
    scene.options.gravity = {0, 0, -g};
    const BodyId cart = scene.add_body(
        world, {.name = "cart",
                .inertial = InertialSpec{.mass = M, .frame = {}, .inertia = Sym3d::diagonal(1, 1, 1)}});
    scene.add_joint(cart, {.name = "x", .type = JointType::slide, .axis = {1, 0, 0}});
    const BodyId pole = scene.add_body(
        cart, {.name = "pole",
               .inertial = InertialSpec{.mass = m, .frame = {.pos = {0, 0, l}}, .inertia = {}}});
    scene.add_joint(pole, {.name = "angle", .type = JointType::hinge, .axis = {0, 1, 0}});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q = {0, theta};
    state.v = {0.4, omega};
    ConstraintSolver solver(model);
    solver.set_state(state, zeros(2));
    const AccelerationConstraint wanted[] = {JointAcceleration{.dof = 1, .wanted = alpha}},
                                 acting[] = {JointAcceleration{.dof = 0}};
    solver.set_constraints(wanted, acting);
    REQUIRE(solver.solve().status == ConstraintStatus::ok);
    const double x = (g * std::sin(theta) - l * alpha) / std::cos(theta);
    CHECK(solver.acceleration()[0] == doctest::Approx(x).epsilon(1e-12));
    CHECK(solver.acceleration()[1] == doctest::Approx(alpha).epsilon(1e-12));
    const double push = (M + m) * x + m * l * (alpha * std::cos(theta) - omega * omega * std::sin(theta));
    CHECK(solver.forces()[0] == doctest::Approx(push).epsilon(1e-12));
    CHECK(*solver.single_force(0) == doctest::Approx(push).epsilon(1e-12));

    // A push to the right turns the pole to the left: as seen from the other end of the joint, a motor that
    // is too weak gives all that it has, and the pole falls faster than wanted.
    const AccelerationConstraint weak[] = {
        LinearAcceleration{.terms = {{1, -1.0}}, .wanted = -alpha, .force = {0, 0.6 * push}}};
    REQUIRE(push > 0);
    solver.set_constraints(weak, acting);
    REQUIRE(solver.solve().status == ConstraintStatus::ok);
    CHECK(solver.forces()[0] == doctest::Approx(0.6 * push).epsilon(1e-12));
    CHECK(solver.acceleration()[1] > alpha);
    CHECK(*solver.single_force(0) == doctest::Approx(0.6 * push).epsilon(1e-12));
}

TEST_CASE("what forces elsewhere cannot do is said") {
    Random random(5);
    const auto model = compile(random_scene(random, {.bodies = 4}));
    ConstraintSolver solver(model);
    // Two wishes, and the same force for both.
    const AccelerationConstraint wanted[] = {JointAcceleration{0, 1}, JointAcceleration{1, 2}},
                                 same[] = {JointAcceleration{2}, JointAcceleration{2}},
                                 one[] = {JointAcceleration{2}},
                                 bounded[] = {JointAcceleration{0, 0, {.lower = 0}}, JointAcceleration{1}};
    solver.set_constraints(wanted, same);
    CHECK(solver.solve().status == ConstraintStatus::uncontrollable);
    for (const double f : solver.forces()) CHECK(f == 0);
    CHECK_THROWS_AS(solver.set_constraints(wanted, one), std::invalid_argument);
    CHECK_THROWS_WITH_AS(solver.set_constraints(wanted, bounded), doctest::Contains("the first list"),
                         std::invalid_argument);
    CHECK(solver.rows() == 2);  // as before
}
