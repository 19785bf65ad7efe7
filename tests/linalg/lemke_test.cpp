// Lemke's method on problems of any matrix: against a search through all complementary sets in long double,
// closed forms, and what rounding does to it with and without precautions.

#include "linalg/lemke.h"
#include "support/lcp_problems.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace lig::test {
namespace {

using Real = long double;

struct OwnedLemke {
    int n;
    std::vector<double> m, q;
    std::vector<unsigned char> free;

    explicit OwnedLemke(int size)
        : n(size),
          m(std::size_t(size) * std::size_t(size)),
          q(std::size_t(size)),
          free(std::size_t(size), 0) {}
    double& at(int i, int j) { return m[std::size_t(i * n + j)]; }
    double at(int i, int j) const { return m[std::size_t(i * n + j)]; }
    LemkeProblem view() const { return {n, m.data(), n, q.data(), free.data()}; }
};

LemkeResult solve(const OwnedLemke& problem, std::vector<double>& z, const LemkeOptions& options = {}) {
    LemkeWorkspace workspace(problem.n);
    std::vector<unsigned char> basis(std::size_t(problem.n), 0);
    z.assign(std::size_t(problem.n), 0);
    return solve_lemke_problem(problem.view(), options, workspace, basis, z);
}

// Largest |min(z, w)| relative to the terms of w and to the largest of q.
double violation(const OwnedLemke& problem, const std::vector<double>& z) {
    Real worst = 0, largest = 0;
    for (const double x : problem.q) largest = std::max<Real>(largest, std::fabs(x));
    for (int i = 0; i < problem.n; ++i) {
        const std::size_t k = std::size_t(i);
        Real w = problem.q[k], size = largest;
        for (int j = 0; j < problem.n; ++j) {
            const Real term = Real(problem.at(i, j)) * z[std::size_t(j)];
            w += term;
            size += std::fabs(term);
        }
        worst = std::max(worst, std::fabs(problem.free[k] ? w : std::min(w, Real(z[k]))) / size);
    }
    return double(worst);
}

// x of a regular system; nothing for a singular one.
std::optional<std::vector<Real>> solve_system(std::vector<std::vector<Real>> a) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k; i < n; ++i)
            if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
        if (std::fabs(a[best][k]) < 1e-13L) return std::nullopt;
        std::swap(a[k], a[best]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const Real f = a[i][k] / a[k][k];
            for (std::size_t j = k; j <= n; ++j) a[i][j] -= f * a[k][j];
        }
    }
    std::vector<Real> x;
    for (std::size_t k = 0; k < n; ++k) x.push_back(a[k][n] / a[k][k]);
    return x;
}

// All solutions at bases, by trying every complementary set.
std::vector<std::vector<Real>> all_solutions(const OwnedLemke& problem) {
    std::vector<std::vector<Real>> found;
    for (int code = 0; code < 1 << problem.n; ++code) {
        std::vector<int> set;
        for (int i = 0; i < problem.n; ++i)
            if (code >> i & 1) set.push_back(i);
        std::vector<std::vector<Real>> a;
        for (const int i : set) {
            a.emplace_back();
            for (const int j : set) a.back().push_back(problem.at(i, j));
            a.back().push_back(-problem.q[std::size_t(i)]);
        }
        const auto x = solve_system(a);
        if (!x) continue;
        std::vector<Real> z(std::size_t(problem.n), 0.0L);
        for (std::size_t k = 0; k < set.size(); ++k) z[std::size_t(set[k])] = (*x)[k];
        bool good = true;
        for (int i = 0; i < problem.n; ++i) {
            Real w = problem.q[std::size_t(i)];
            for (int j = 0; j < problem.n; ++j) w += problem.at(i, j) * z[std::size_t(j)];
            good = good && z[std::size_t(i)] > -1e-12L && w > -1e-12L;
        }
        if (good) found.push_back(z);
    }
    return found;
}

const LcpSolverInfo& solver_named(std::string_view name) {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == name) return solver;
    throw std::string(name);
}

// Contacts of one body, as many as wanted, on a disc: rank 6, with friction of six rows.
OwnedLcp plate(Random& random, int contacts, double mu) {
    OwnedLcp lcp(3 * contacts);
    std::vector<double> j(std::size_t(18 * contacts));
    const double v[6] = {0.3, 0.1, -1, 0.2, 0.1, 0.1};
    for (int c = 0; c < contacts; ++c) {
        const double r[3] = {random.uniform(-1, 1), random.uniform(-1, 1), -0.1};
        for (int k = 0; k < 3; ++k) {
            double* row = &j[std::size_t(6 * (3 * c + k))];
            const double d[3] = {k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0, k == 0 ? 1.0 : 0.0};
            std::copy_n(d, 3, row);
            row[3] = r[1] * d[2] - r[2] * d[1];
            row[4] = r[2] * d[0] - r[0] * d[2];
            row[5] = r[0] * d[1] - r[1] * d[0];
        }
        lcp.contact(3 * c, {mu, mu});
    }
    for (int i = 0; i < lcp.n; ++i) {
        for (int k = 0; k < lcp.n; ++k)
            for (int d = 0; d < 6; ++d) lcp.at(i, k) += j[std::size_t(6 * i + d)] * j[std::size_t(6 * k + d)];
        for (int d = 0; d < 6; ++d) lcp.b[std::size_t(i)] += j[std::size_t(6 * i + d)] * v[d];
    }
    return lcp;
}

}  // namespace

TEST_CASE("nonsymmetric problems have the solution that a search through all sets finds") {
    Random random(41);
    for (int c = 0; c < 200; ++c) {
        // Diagonally dominant: a P-matrix, hence one solution.
        const int n = 1 + c % 8;
        OwnedLemke problem(n);
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < n; ++j) {
                problem.at(i, j) = random.uniform(-1, 1);
                if (j != i) sum += std::fabs(problem.at(i, j));
            }
            problem.at(i, i) = 1.05 * sum + 0.1;
            problem.q[std::size_t(i)] = random.uniform(-1, 0.5);
        }
        std::vector<double> z;
        REQUIRE(solve(problem, z).status == LemkeStatus::solved);
        const auto solutions = all_solutions(problem);
        REQUIRE(solutions.size() == 1);
        for (std::size_t i = 0; i < z.size(); ++i)
            CHECK(std::fabs(z[i] - double(solutions[0][i])) <= 1e-13 * (1 + std::fabs(z[i])));
        // The plain method does as well where it is small and regular.
        REQUIRE(solve(problem, z, {.refine = false}).status == LemkeStatus::solved);
        CHECK(violation(problem, z) < 1e-13);
    }
}

TEST_CASE("a problem whose rows all tie is solved without going in circles") {
    // M = 1 + 2 shift: every ratio test ties. Its only solution is z = 1/3 everywhere.
    OwnedLemke problem(3);
    problem.m = {1, 2, 0, 0, 1, 2, 2, 0, 1};
    problem.q = {-1, -1, -1};
    for (const bool refine : {true, false}) {
        std::vector<double> z;
        REQUIRE(solve(problem, z, {.refine = refine}).status == LemkeStatus::solved);
        for (const double x : z) CHECK(x == doctest::Approx(1.0 / 3).epsilon(1e-15));
    }
}

TEST_CASE("a contradiction ends in a ray that shows it") {
    // w_1 + w_2 = −2 whatever z is.
    OwnedLemke problem(2);
    problem.m = {1, -1, -1, 1};
    problem.q = {-1, -1};
    LemkeWorkspace workspace(2);
    std::vector<unsigned char> basis(2, 0);
    std::vector<double> z(2);
    REQUIRE(solve_lemke_problem(problem.view(), {}, workspace, basis, z).status == LemkeStatus::ray);
    CHECK(workspace.ray[0] > 0);
    CHECK(workspace.ray[0] == doctest::Approx(workspace.ray[1]).epsilon(1e-15));
    for (const double x : z) CHECK((std::isfinite(x) && x >= 0));
}

TEST_CASE("free rows are solved with the others, and those that depend on others are told") {
    Random random(42);
    for (int c = 0; c < 100; ++c) {
        const int n = 12;
        const OwnedLcp lcp = random_lcp(random, n, {c % 2 ? 0 : 5});
        OwnedLemke problem(n);
        problem.m = lcp.a;
        problem.q = lcp.b;
        for (int i = 0; i < n; i += 2) problem.free[std::size_t(i)] = 1;
        std::vector<double> z;
        const LemkeResult result = solve(problem, z);
        REQUIRE(result.status == LemkeStatus::solved);
        CHECK(result.dependent == (c % 2 ? 0 : 1));  // six of rank five
        CHECK(violation(problem, z) < 1e-13);
    }
}

TEST_CASE("from the basis of the solution there is nothing to do") {
    Random random(43);
    const OwnedLcp lcp = random_lcp(random, 30, {});
    OwnedLemke problem(30);
    problem.m = lcp.a;
    problem.q = lcp.b;
    LemkeWorkspace workspace(30);
    std::vector<unsigned char> basis(30, 0);
    std::vector<double> cold(30), warm(30);
    LemkeResult result = solve_lemke_problem(problem.view(), {}, workspace, basis, cold);
    REQUIRE(result.status == LemkeStatus::solved);
    CHECK(result.pivots > 10);
    result = solve_lemke_problem(problem.view(), {}, workspace, basis, warm);
    CHECK(result.pivots == 1);
    for (std::size_t i = 0; i < 30; ++i) CHECK(same_bits(cold[i], warm[i]));
    // From any other basis to the same solution.
    for (int c = 0; c < 50; ++c) {
        for (unsigned char& x : basis) x = random.next() % 2;
        REQUIRE(solve_lemke_problem(problem.view(), {}, workspace, basis, warm).status ==
                LemkeStatus::solved);
        for (std::size_t i = 0; i < 30; ++i) CHECK(warm[i] == doctest::Approx(cold[i]).epsilon(1e-9));
    }
}

TEST_CASE("a limit on pivots ends with forces that can be used") {
    Random random(44);
    const OwnedLcp lcp = random_lcp(random, 30, {0, 0, false, true});
    for (const int limit : {1, 2, 5, 10}) {
        std::vector<double> lambda;
        const LcpResult result = solve(solver_named("lemke"), lcp, lambda, {1e-10, limit, nullptr});
        CHECK(result.status == LcpStatus::iteration_limit);
        CHECK(result.iterations <= limit);
        CHECK(result.figures.outside < 1e-15);
    }
}

TEST_CASE("six rows: the forces are among the solutions of a search through all sets") {
    // One contact and up to two one-sided rows, (19)–(21) as they are written, without scales.
    Random random(45);
    int several = 0;
    for (int c = 0; c < 150; ++c) {
        const int others = c % 3, n = 3 + others;
        OwnedLcp lcp = random_lcp(random, n, {});
        lcp.lo.assign(std::size_t(n), 0);
        lcp.hi.assign(std::size_t(n), unbounded);
        const double mu[2] = {random.uniform(0.1, 1.2), c % 2 ? random.uniform(0.1, 1.2) : 0.5};
        lcp.contact(0, {mu[0], mu[1]});
        if (c % 5) lcp.b[0] = -std::fabs(lcp.b[0]);
        // Unknowns: normal, +1, −1, +2, −2, slip, others.
        const int row_of[] = {0, 1, 1, 2, 2, -1, 3, 4};
        const double factor[] = {1, mu[0], -mu[0], mu[1], -mu[1], 0, 1, 1};
        OwnedLemke problem(6 + others);
        for (int i = 0; i < problem.n; ++i) {
            if (row_of[i] < 0) continue;
            problem.q[std::size_t(i)] = factor[i] * lcp.b[std::size_t(row_of[i])];
            for (int j = 0; j < problem.n; ++j)
                if (row_of[j] >= 0) problem.at(i, j) = factor[i] * factor[j] * lcp.at(row_of[i], row_of[j]);
        }
        for (int k = 1; k <= 4; ++k) {
            problem.at(k, 5) = 1;
            problem.at(5, k) = -1;
        }
        problem.at(5, 0) = 1;
        const auto solutions = all_solutions(problem);
        REQUIRE(!solutions.empty());

        std::vector<double> lambda;
        CAPTURE(c);
        REQUIRE(solve(solver_named("lemke"), lcp, lambda).status == LcpStatus::solved);
        Real nearest = 1;
        for (const auto& z : solutions) {
            std::vector<Real> forces(std::size_t(n), 0.0L);
            for (int i = 0; i < problem.n; ++i)
                if (row_of[i] >= 0) forces[std::size_t(row_of[i])] += factor[i] * z[std::size_t(i)];
            Real off = 0;
            for (std::size_t i = 0; i < forces.size(); ++i)
                off = std::max(off, std::fabs(forces[i] - lambda[i]) / (1 + std::fabs(forces[i])));
            nearest = std::min(nearest, off);
        }
        CHECK(nearest < 1e-11L);
        if (solutions.size() > 1) ++several;
    }
    CHECK(several > 0);  // friction of this size makes them, and any of them will do
}

TEST_CASE("without friction Lemke and Dantzig agree") {
    Random random(46);
    for (int c = 0; c < 100; ++c) {
        const OwnedLcp lcp = random_lcp(random, 1 + c % 40, {});
        std::vector<double> pivoted, followed;
        REQUIRE(solve(solver_named("dantzig"), lcp, pivoted).status == LcpStatus::solved);
        REQUIRE(solve(solver_named("lemke"), lcp, followed).status == LcpStatus::solved);
        double size = 0;
        for (const double x : pivoted) size = std::max(size, std::fabs(x));
        // Conditions of these matrices reach 1e4.
        for (std::size_t i = 0; i < pivoted.size(); ++i)
            CHECK(std::fabs(pivoted[i] - followed[i]) <= 1e-10 * size);
    }
}

TEST_CASE("contacts that contradict each other are named") {
    // Two walls that close in on a point from both sides, and a third row that has nothing to do with them.
    OwnedLcp lcp(3);
    lcp.a = {2, 0, 0, 0, 1, -1, 0, -1, 1};
    lcp.lo = {0, 0, 0};
    lcp.b = {-4, -1, -0.5};
    std::vector<double> lambda;
    const LcpResult result = solve(solver_named("lemke"), lcp, lambda);
    CHECK(result.status == LcpStatus::infeasible);
    CHECK(result.impossible >= 1);
    CHECK(result.first_impossible >= 1);
    for (const double x : lambda) CHECK((std::isfinite(x) && x >= 0));
}

// The plain method, which believes its table, against ours: how many of ten problems of each size it gets
// right. The condition of the first kind grows exponentially with its size (triangular), the second is
// singular and full of ties (contacts of one plate, rank 6). docs/lcp.md has the table.
TEST_CASE("rounding on larger systems is fatal to a plain table, and survived") {
    int plain_failures = 0, last_failures = 0;
    for (const int n : {20, 40, 80, 160}) {
        Random random(47);
        last_failures = 0;
        for (int c = 0; c < 10; ++c) {
            OwnedLemke problem(n);
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < i; ++j) problem.at(i, j) = random.uniform(-0.9, 0.9);
                problem.at(i, i) = 1;
                problem.q[std::size_t(i)] = -1;
            }
            std::vector<double> z;
            const LemkeResult plain = solve(problem, z, {.refine = false});
            if (plain.status != LemkeStatus::solved || violation(problem, z) > 1e-10) ++last_failures;
            const LemkeResult ours = solve(problem, z);
            CAPTURE(n);
            CHECK(ours.status == LemkeStatus::solved);
            CHECK(violation(problem, z) < 1e-14);
        }
        plain_failures += last_failures;
    }
    CHECK(last_failures > 5);

    plain_failures = 0;
    for (const int contacts : {3, 6, 12, 24}) {
        Random random(48);
        int failures = 0;
        for (int c = 0; c < 10; ++c) {
            const OwnedLcp lcp = plate(random, contacts, 0.5);
            const LcpProblem problem = lcp.view();
            std::vector<double> lambda(std::size_t(lcp.n), 0.0);
            LcpExpansion expansion;
            expansion.resize(lcp.n);
            expansion.write(problem, nullptr, lambda);
            const LemkeResult plain = expansion.solve({.refine = false});
            expansion.read(problem, lambda);
            if (plain.status != LemkeStatus::solved || violation(lcp, LcpFriction::diamond, lambda) > 1e-10)
                ++failures;
            CAPTURE(contacts);
            lambda.clear();
            CHECK(solve(solver_named("lemke"), lcp, lambda).status == LcpStatus::solved);
            CHECK(violation(lcp, LcpFriction::diamond, lambda) < 1e-12);
        }
        plain_failures += failures;
    }
    CHECK(plain_failures > 10);
}

}  // namespace lig::test
