// The matrix of a ConstraintSolver, its solutions, and what they reach.

#include "formulations/reduced/acceleration/constraint_parts.h"

#include "dynamics/dynamics_parts.h"
#include "linalg/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

const LcpSolverInfo& require_solver(std::string_view name) {
    if (const LcpSolverInfo* solver = find_lcp_solver(name)) return *solver;
    std::string text = "lig::ConstraintSolver: there is no solver '" + std::string(name) + "'; there are:";
    for (const LcpSolverInfo& solver : lcp_solvers()) text += " " + std::string(solver.name);
    throw std::invalid_argument(text);
}

// By how much w, which is h less what is wanted, is not as the force in its range asks for.
double miss_of(double w, double force, double lo, double hi) {
    if (force <= lo && force >= hi) return 0;
    if (force <= lo) return std::max(-w, 0.0);
    if (force >= hi) return std::max(w, 0.0);
    return std::abs(w);
}

}  // namespace

void require_test_force(double magnitude) {
    if (!std::isfinite(magnitude) || magnitude == 0)
        throw std::invalid_argument("lig::ConstraintSolver: a test force has to be finite and not 0");
}

void ConstraintSolver::Parts::build(const ConstraintOptions& options) {
    const std::size_t m = rows.count();
    K.resize(m * m);
    require_test_force(options.test_force);
    if (apart) return build_by_deltas();
    switch (options.method) {
        case ResponseMethod::evaluations:
            for (int i = 0; i < rows.count(); ++i)
                test_forces().columns(rows, ws, i, options.test_force, start, K);
            break;
        case ResponseMethod::lanes:
            // As wide as the registers are; the bits are the same.
            if (instruction_set_name() == "avx512")
                build_in_lanes(eight, options.test_force);
            else
                build_in_lanes(four, options.test_force);
            break;
        case ResponseMethod::deltas: build_by_deltas(); break;
        case ResponseMethod::propagation: propagated.build(factor, rows.rows, K); break;
    }
}

void ConstraintSolver::Parts::build_by_deltas() {
    const std::size_t m = rows.count();
    pushing().for_each([&](const RowBlock& block, const Row& row, int i) {
        deltas.of_row(factor, pushing().rows, block, row);
        rows.for_each([&](const RowBlock& other, const Row& h, int j) {
            K[j * m + i] = deltas.value(rows.rows, other, h);
        });
    });
}

// A K that is not symmetric, relative to what rows and forces would do to themselves: its entries are cosines
// then, and pivots small where forces hardly reach what they are for. False: some row or force is nothing.
bool ConstraintSolver::Parts::scale_apart() {
    const int m = rows.count();
    row_sizes.resize(m);
    force_sizes.resize(m);
    const auto size_of = [&](const ConstraintRows& list, int r) {
        deltas.of_row(factor, list.rows, list.block_of(r), list.rows.rows[r]);
        return std::sqrt(deltas.value(list.rows, list.block_of(r), list.rows.rows[r]));
    };
    for (int r = 0; r < m; ++r) {
        row_sizes[r] = size_of(rows, r);
        force_sizes[r] = size_of(acting, r);
        if (!(row_sizes[r] > 0 && force_sizes[r] > 0)) return false;
    }
    for (int r = 0; r < m; ++r)
        for (int c = 0; c < m; ++c) K[r * m + c] /= row_sizes[r] * force_sizes[c];
    return true;
}

// K f = target with a K that is not symmetric. False: the forces do not reach it.
bool ConstraintSolver::Parts::find_apart(double smallest_sine, std::vector<double>& f) {
    const int m = rows.count();
    swapped.resize(m);
    if (!scale_apart()) return false;
    DenseLu lu(K.data(), m, m, swapped.data());
    if (!lu.factor(smallest_sine)) return false;
    for (int r = 0; r < m; ++r) f[r] = target[r] / row_sizes[r];
    lu.solve(f.data());
    for (int r = 0; r < m; ++r) f[r] /= force_sizes[r];
    return true;
}

// The same within ranges: w = K f − target complementary to f. With z what a force is above its lower end,
// or below its upper one if that is the only one, and for ranges with two ends a y ≥ 0 that holds a force
// down:
//     w + y ≥ 0 complementary to z ≥ 0,   hi − lo − z ≥ 0 complementary to y.
// Lemke's method needs no symmetry. Where all principal minors of K are positive, of what free rows leave of
// it, there is one solution, and it finds that one.
void ConstraintSolver::Parts::find_apart_within_ranges(const ConstraintOptions& options,
                                                       std::vector<double>& f, ConstraintReport& report) {
    const int m = rows.count();
    report.status = ConstraintStatus::uncontrollable;
    if (!scale_apart()) return;
    int n = m;
    for (int r = 0; r < m; ++r) n += std::isfinite(lo[r]) && std::isfinite(hi[r]);
    const auto sign_of = [&](int r) { return std::isinf(lo[r]) && std::isfinite(hi[r]) ? -1.0 : 1.0; };
    const auto start_of = [&](int r) {
        return force_sizes[r] * (std::isfinite(lo[r]) ? lo[r] : std::isfinite(hi[r]) ? hi[r]
                                                                                     : 0);
    };
    if (lemke.capacity() < n) lemke.resize(n);
    lemke_m.assign(static_cast<std::size_t>(n) * n, 0.0);
    lemke_q.assign(n, 0.0);
    lemke_z.assign(n, 0.0);
    lemke_free.assign(n, 0);
    lemke_basis.assign(n, 0);
    for (int r = 0, end = m; r < m; ++r) {
        const double sign = sign_of(r);
        lemke_free[r] = std::isinf(lo[r]) && std::isinf(hi[r]);
        lemke_q[r] = -sign * target[r] / row_sizes[r];
        for (int c = 0; c < m; ++c) {
            lemke_m[r * n + c] = sign * K[r * m + c] * sign_of(c);
            lemke_q[r] += sign * K[r * m + c] * start_of(c);
        }
        if (!std::isfinite(lo[r]) || !std::isfinite(hi[r])) continue;
        lemke_m[r * n + end] = 1;
        lemke_m[end * n + r] = -1;
        lemke_q[end++] = force_sizes[r] * (hi[r] - lo[r]);
    }
    const LemkeResult found = solve_lemke_problem(
        {.n = n, .m = lemke_m.data(), .stride = n, .q = lemke_q.data(), .free = lemke_free.data()},
        {.pivots = options.lcp.iterations, .stop = options.lcp.stop}, lemke, lemke_basis, lemke_z);
    if (found.status == LemkeStatus::pivot_limit || found.status == LemkeStatus::inaccurate)
        report.status = ConstraintStatus::not_converged;
    if (found.status != LemkeStatus::solved || found.dependent > 0) return;
    report.status = ConstraintStatus::ok;
    for (int r = 0; r < m; ++r)
        f[r] = std::clamp((start_of(r) + sign_of(r) * lemke_z[r]) / force_sizes[r], lo[r], hi[r]);
}

// f between lo and hi, K f − target complementary to it.
void ConstraintSolver::Parts::find_within_ranges(const ConstraintOptions& options, std::vector<double>& f,
                                                 ConstraintReport& report) {
    const LcpSolverInfo& solver = require_solver(options.solver);
    build(options);
    const int m = rows.count();
    if (lcp.capacity() < m) lcp.resize(m);
    for (double& b : target) b = -b;
    const LcpProblem problem{
        .n = m, .a = K.data(), .stride = m, .b = target.data(), .lo = lo.data(), .hi = hi.data()};
    const LcpResult found = solver.solve(problem, options.lcp, lcp, f);
    report.redundant_rows = found.redundant;
    if (found.status == LcpStatus::not_finite) report.status = ConstraintStatus::non_finite;
    if (found.status == LcpStatus::iteration_limit || found.status == LcpStatus::interrupted)
        report.status = ConstraintStatus::not_converged;
}

// f with K f = target, or within its ranges as near as these allow, and `change` = M⁻¹ Jᵀ f.
void ConstraintSolver::Parts::find_change(const ConstraintOptions& options, std::vector<double>& f,
                                          ConstraintReport& report) {
    f.assign(rows.count(), 0.0);
    std::fill(s.begin(), s.end(), 0.0);
    if (!apart && !rows.has_ranges() && options.method == ResponseMethod::propagation) {
        system.set_rows(factor, rows.rows);
        system.choose(std::max(options.smallest_sine * options.smallest_sine,
                               EqualitySystem::smallest_tolerance));
        system.solve(target, s, f);
        report.redundant_rows = system.redundant_rows();
    } else {
        if (apart && rows.has_ranges()) {
            build(options);
            find_apart_within_ranges(options, f, report);
        } else if (apart) {
            build(options);
            if (!find_apart(options.smallest_sine, f)) report.status = ConstraintStatus::uncontrollable;
        } else if (rows.has_ranges()) {
            find_within_ranges(options, f, report);
        } else {
            build(options);
            const double share = options.smallest_sine * options.smallest_sine;
            cholesky.factor(K, rows.count(), std::max(share, smallest_share));
            cholesky.solve(K, target, f);
            report.redundant_rows = rows.count() - cholesky.rank();
        }
        std::fill(on_links.begin(), on_links.end(), Force<double>::zero());
        pushing().for_each([&](const RowBlock& block, const Row& row, int r) {
            pushing().push(
                block, row, f[r],
                [&](int link, const Force<double>& force, double size) { on_links[link] += size * force; },
                [&](int dof, double value, double size) { s[dof] += size * value; });
        });
        factor.inward(s, on_links);
    }
    factor.outward(s, change);
}

// A row that was solved for is met to rounding, however large that is beside its terms.
bool ConstraintSolver::Parts::may_be_missed(const ConstraintOptions& options, int row) const {
    if (apart) return false;
    if (rows.has_ranges()) return true;
    return options.method == ResponseMethod::propagation ? system.is_redundant(row) : !cholesky.is_kept(row);
}

// What was reached, J rates + offset, and which of the constraints are missed.
void ConstraintSolver::Parts::judge(const ConstraintOptions& options, std::span<const double> f,
                                    std::span<const double> rates, std::span<const double> offset,
                                    std::span<const double> wanted, std::span<double> reached,
                                    ConstraintReport& report) {
    row_values<double>(rows, ws, rates, link_acceleration, reached);
    int constraint = 0;
    for (const RowBlock& block : rows.rows.blocks) {
        bool missed = false;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows.rows.rows[r];
            const double own = offset.empty() ? 0 : offset[r];
            reached[r] += own;
            const double miss = miss_of(reached[r] - wanted[r], f[r], lo[r], hi[r]);
            report.largest_miss = std::max(report.largest_miss, miss);
            if (!may_be_missed(options, r)) continue;
            // What is met is the difference of these; at rest nothing is left of it.
            const double size = rows.has_ranges()
                                    ? lcp.scale()[r]
                                    : std::abs(own) + std::abs(wanted[r]) +
                                          size_of_terms(rows, block, row, rates, link_acceleration);
            missed = missed || miss > options.contradiction * size;
        }
        if (missed) contradictions.push_back(constraint);
        ++constraint;
    }
    if (!contradictions.empty() && report.status == ConstraintStatus::ok)
        report.status = ConstraintStatus::contradictory;
}

}  // namespace lig
