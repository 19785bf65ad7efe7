// Acceleration constraints whose forces have ranges [Kokkevis 2004, sec. 6]: closed forms, all choices of
// bounds tried one by one, and the conditions of complementarity on random bodies.

#include "support/acceleration_cases.h"
#include "support/count_allocations.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double g = 9.81;

// A body of mass m that floats, with the inertia I about y.
std::shared_ptr<const Model> plank(double m, double I) {
    Scene scene("plank");
    scene.options.gravity = {0, 0, -g};
    const BodyId body = scene.add_body(
        world, {.name = "plank",
                .inertial = InertialSpec{.mass = m, .frame = {}, .inertia = Sym3d::diagonal(I, I, I)}});
    scene.add_joint(body, {.name = "float", .type = JointType::free});
    return compile(scene);
}

PointAcceleration support(double x, double y = 0) {
    return {.body = 1, .point = {x, y, 0}, .direction = {0, 0, 1}, .force = {.lower = 0}};
}

Range random_range(Random& random) {
    switch (random_index(random, 4)) {
        case 0: return {.lower = 0};
        case 1: return {.upper = 0};
        case 2: return {.lower = random.uniform(-4, -0.5), .upper = random.uniform(0.5, 4)};
        default: return {};
    }
}

void set_range(AccelerationConstraint& constraint, const Range& range) {
    std::visit(
        [&](auto& kind) {
            if constexpr (requires { kind.force; }) kind.force = range;
        },
        constraint);
}

Range range_of(const AccelerationConstraint& constraint) {
    return std::visit(
        [](const auto& kind) {
            if constexpr (requires { kind.force; })
                return kind.force;
            else
                return Range{};
        },
        constraint);
}

// The forces by trying, for every row, both bounds and the inside: one of the 3ⁿ choices satisfies all
// conditions.
std::vector<double> by_trying_all(const std::vector<double>& K, const std::vector<double>& b,
                                  const std::vector<Range>& ranges) {
    const int n = static_cast<int>(b.size());
    int choices = 1;
    for (int r = 0; r < n; ++r) choices *= 3;
    for (int choice = 0; choice < choices; ++choice) {
        std::vector<double> f(n, 0.0);
        std::vector<int> inside;
        bool possible = true;
        for (int r = 0, rest = choice; r < n; ++r, rest /= 3) {
            if (rest % 3 == 0) inside.push_back(r);
            if (rest % 3 == 1) f[r] = ranges[r].lower;
            if (rest % 3 == 2) f[r] = ranges[r].upper;
            possible = possible && std::isfinite(f[r]);
        }
        if (!possible) continue;
        std::vector<double> part, right;
        for (const int r : inside) {
            double sum = -b[r];
            for (int j = 0; j < n; ++j) sum -= K[r * n + j] * f[j];
            right.push_back(sum);
            for (const int c : inside) part.push_back(K[r * n + c]);
        }
        const std::vector<double> x =
            inside.empty() ? right : LongCholesky(part, static_cast<int>(inside.size())).solve(right);
        for (std::size_t k = 0; k < inside.size(); ++k) f[inside[k]] = x[k];
        for (int r = 0; r < n && possible; ++r) {
            double w = b[r];
            for (int j = 0; j < n; ++j) w += K[r * n + j] * f[j];
            const bool at_min = f[r] == ranges[r].lower, at_max = f[r] == ranges[r].upper;
            possible = f[r] >= ranges[r].lower && f[r] <= ranges[r].upper &&
                       (at_min ? w >= -1e-9 : at_max ? w <= 1e-9
                                                     : std::abs(w) < 1e-7);
        }
        if (possible) return f;
    }
    FAIL("no choice of bounds satisfies all conditions");
    return {};
}

}  // namespace

TEST_CASE("a plank on supports: they share its weight, and let go where it would pull") {
    const double m = 3, I = 0.4;
    const auto model = plank(m, I);
    ConstraintSolver solver(model);
    const std::vector<double> tau(model->nv, 0.0);
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        solver.options.method = method;
        SUBCASE("on both sides of the middle: levers") {
            solver.set_state(JointState<double>(*model), tau);
            const std::vector<AccelerationConstraint> supports = {support(-0.3), support(0.9)};
            solver.set_constraints(supports);
            REQUIRE(solver.solve().status == ConstraintStatus::ok);
            CHECK(solver.forces()[0] == doctest::Approx(0.75 * m * g).epsilon(1e-12));
            CHECK(solver.forces()[1] == doctest::Approx(0.25 * m * g).epsilon(1e-12));
            CHECK(std::abs(solver.values()[0]) < 1e-12 * g);
        }
        SUBCASE("both on one side: it turns about the inner one and leaves the outer one") {
            const double inner = 0.3, outer = 0.9;
            solver.set_state(JointState<double>(*model), tau);
            const std::vector<AccelerationConstraint> supports = {support(inner), support(outer)};
            solver.set_constraints(supports);
            const ConstraintReport report = solver.solve();
            REQUIRE(report.status == ConstraintStatus::ok);
            CHECK(report.largest_miss < 1e-12 * g);
            const double turn = m * g * inner / (I + m * inner * inner);  // downwards beyond the middle
            CHECK(solver.forces()[0] == doctest::Approx(m * g * I / (I + m * inner * inner)).epsilon(1e-12));
            CHECK(solver.forces()[1] == 0);
            CHECK(solver.values()[1] == doctest::Approx(turn * (outer - inner)).epsilon(1e-12));
        }
        SUBCASE("four under it: any shares, together the weight; lifted, none") {
            const std::vector<AccelerationConstraint> supports = {support(1, 1), support(1, -1),
                                                                  support(-1, 1), support(-1, -1)};
            solver.set_state(JointState<double>(*model), tau);
            solver.set_constraints(supports);
            ConstraintReport report = solver.solve();
            REQUIRE(report.status == ConstraintStatus::ok);
            double sum = 0;
            for (const double f : solver.forces()) {
                CHECK(f >= 0);
                sum += f;
            }
            CHECK(sum == doctest::Approx(m * g).epsilon(1e-12));
            std::vector<Force<double>> lift(model->bodies.size(), Force<double>::zero());
            lift[1].lin = {0, 0, 2 * m * g};
            solver.set_state(JointState<double>(*model), tau, lift);
            solver.set_constraints(supports);
            report = solver.solve();
            REQUIRE(report.status == ConstraintStatus::ok);
            for (int r = 0; r < 4; ++r) {
                CHECK(solver.forces()[r] == 0);
                CHECK(solver.values()[r] == doctest::Approx(g).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("a motor that is only so strong does what it can") {
    const auto model = plank(2, 0.5);
    ConstraintSolver solver(model);
    const std::vector<double> tau(model->nv, 0.0);
    solver.set_state(JointState<double>(*model), tau);
    const int lift = 2;  // the freedom along z
    for (const double strength : {5.0, 100.0}) {
        const std::vector<AccelerationConstraint> motor = {
            JointAcceleration{.dof = lift, .wanted = 3, .force = {.lower = -strength, .upper = strength}}};
        solver.set_constraints(motor);
        const double alone = *solver.single_force(0);
        REQUIRE(solver.solve().status == ConstraintStatus::ok);
        const double force = std::min(strength, 2 * (3 + g));
        CHECK(solver.forces()[0] == doctest::Approx(force).epsilon(1e-12));
        CHECK(alone == doctest::Approx(force).epsilon(1e-12));
        CHECK(solver.acceleration()[lift] == doctest::Approx(force / 2 - g).epsilon(1e-12));
    }
}

TEST_CASE("forces in ranges are those that trying all bounds finds, by every solver and method") {
    Random random(977);
    int solved = 0, at_bounds = 0;
    for (int trial = 0; trial < 80; ++trial) {
        CAPTURE(trial);
        const auto model = compile(random_scene(random, {.bodies = 4 + trial % 8, .kinematic = trial % 2}));
        if (model->nv < 8) continue;
        const JointState<double> state = random_state(random, *model);
        const std::vector<double> tau = random_numbers(random, model->nv, 5);
        std::vector<AccelerationConstraint> constraints;
        std::vector<Range> ranges;
        for (int k = 0; k < 5; ++k) {
            constraints.push_back(random_constraint(random, *model));
            set_range(constraints.back(), random_range(random));
            ranges.push_back(range_of(constraints.back()));
        }
        set_range(constraints[0], {.lower = 0});
        ranges[0] = {.lower = 0};
        // Without ranges first: only regular problems have one solution to compare with.
        std::vector<AccelerationConstraint> two_sided = constraints;
        for (AccelerationConstraint& constraint : two_sided) set_range(constraint, {});
        ConstraintSolver solver(model);
        solver.options.smallest_sine = 0.02;
        solver.set_state(state, tau);
        solver.set_constraints(two_sided);
        if (solver.solve().redundant_rows > 0) continue;
        ++solved;

        DenseConstraints dense(model, state, constraints);
        const std::vector<double> K = dense.response(state);
        std::vector<double> b;
        for (int r = 0; r < dense.rows; ++r) b.push_back(solver.free_values()[r] - dense.wanted[r]);
        const std::vector<double> expected = by_trying_all(K, b, ranges);
        double size = 1;
        for (const double f : expected) size = std::max(size, std::abs(f));
        for (int r = 0; r < dense.rows; ++r)
            at_bounds += expected[r] == ranges[r].lower || expected[r] == ranges[r].upper;

        solver.set_constraints(constraints);
        for (const LcpSolverInfo& lcp : lcp_solvers())
            for (const ResponseMethod method : all_methods) {
                CAPTURE(lcp.name);
                CAPTURE(int(method));
                solver.options.method = method;
                solver.options.solver = lcp.name;
                solver.options.lcp = {.tolerance = 1e-13, .iterations = 100'000};
                const ConstraintReport report = solver.solve();
                REQUIRE(report.status == ConstraintStatus::ok);
                // Rows meet at angles of 0.02 at least: what rounding or the tolerance of sweeps leaves of w
                // is worth up to 1/0.02² of it in forces.
                for (int r = 0; r < dense.rows; ++r)
                    CHECK(std::abs(solver.forces()[r] - expected[r]) < 1e-8 * size);
                // The accelerations are those of the forces.
                Workspace<double> ws(model);
                std::vector<double> with_forces(tau), qacc(model->nv);
                clear_external(ws);
                solver.add_forces(solver.forces(), with_forces, ws.f_ext);
                forward_dynamics<double>(state, with_forces, ws, qacc, true);
                double largest = 1;
                for (const double a : qacc) largest = std::max(largest, std::abs(a));
                for (int v = 0; v < model->nv; ++v)
                    CHECK(std::abs(qacc[v] - solver.acceleration()[v]) < 1e-10 * largest);
            }
    }
    CHECK(solved > 30);
    CHECK(at_bounds > 30);
}

TEST_CASE("blows that only push; a motor's finite force does nothing in an instant") {
    const double m = 3, I = 0.4;
    const auto model = plank(m, I);
    ConstraintSolver solver(model);
    JointState<double> state(*model);
    state.v[2] = -2;  // it falls
    const std::vector<double> tau(model->nv, 0.0);
    solver.set_state(state, tau);
    // Both supports on one side stop it: the inner one alone can, and the outer one then goes up.
    const std::vector<AccelerationConstraint> supports = {
        support(0.3), support(0.9), JointAcceleration{.dof = 2, .force = {.lower = -50, .upper = 50}}};
    solver.set_constraints(supports);
    const std::vector<double> stop = {2, 2, 2};
    REQUIRE(solver.apply_impact(stop, state).status == ConstraintStatus::ok);
    const double p = 2 / (1 / m + 0.3 * 0.3 / I);
    CHECK(solver.impulses()[0] == doctest::Approx(p).epsilon(1e-12));
    CHECK(solver.impulses()[1] == 0);
    CHECK(solver.impulses()[2] == 0);
    CHECK(state.v[2] == doctest::Approx(-2 + p / m).epsilon(1e-12));
}

TEST_CASE("ranges that cannot be, solvers that are not there, demands that exclude each other") {
    const auto model = plank(3, 0.4);
    ConstraintSolver solver(model);
    const std::vector<double> tau(model->nv, 0.0);
    solver.set_state(JointState<double>(*model), tau);
    for (const Range& range :
         {Range{.lower = 1, .upper = -1}, Range{.lower = std::nan("")}, Range{.upper = -infinity}}) {
        const std::vector<AccelerationConstraint> constraints = {
            support(0), JointAcceleration{.dof = 0, .force = range}};
        CHECK_THROWS_WITH_AS(solver.set_constraints(constraints),
                             doctest::Contains("acceleration constraint 1: no force is within its range"),
                             std::invalid_argument);
    }
    const std::vector<AccelerationConstraint> one = {support(0)};
    solver.set_constraints(one);
    solver.options.solver = "simplex";
    CHECK_THROWS_WITH_AS(solver.solve(),
                         doctest::Contains("there is no solver 'simplex'; there are: dantzig"),
                         std::invalid_argument);
    // Up with at least 1, by pushing; and down with at least 1, by pulling.
    std::vector<AccelerationConstraint> against = {support(0), support(0)};
    std::get<PointAcceleration>(against[0]).wanted = 1;
    std::get<PointAcceleration>(against[1]).wanted = -1;
    set_range(against[1], {.upper = 0});
    solver.options.solver = "dantzig";
    solver.set_constraints(against);
    CHECK(solver.solve().status == ConstraintStatus::contradictory);
    CHECK(!solver.contradictions().empty());
    // Sweeps that are cut short say so, with forces within their ranges.
    const std::vector<AccelerationConstraint> supports = {support(0.3), support(0.9), support(-0.2)};
    solver.options.solver = "pgs";
    solver.options.lcp.iterations = 1;
    solver.set_constraints(supports);
    CHECK(solver.solve().status == ConstraintStatus::not_converged);
    for (const double f : solver.forces()) CHECK(f >= 0);
}

TEST_CASE("solving with ranges again does not allocate") {
    const auto model = plank(3, 0.4);
    ConstraintSolver solver(model);
    const std::vector<double> tau(model->nv, 0.0);
    const JointState<double> state(*model);
    const std::vector<AccelerationConstraint> supports = {support(0.3), support(0.9), support(-0.2)};
    const auto solve = [&] {
        solver.set_state(state, tau);
        solver.set_constraints(supports);
        return solver.solve().status;
    };
    REQUIRE(solve() == ConstraintStatus::ok);
    CHECK(count_allocations([&] { solve(); }) == 0);
}
