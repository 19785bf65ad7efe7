#include "formulations/rows/row_solver.h"

#include "formulations/rows/tuning.h"

#include <algorithm>

namespace lig {

namespace {

constexpr const RowSolverTuning& tuning = row_solver_tuning;

}  // namespace

RowSolver::RowSolver(const Model& model, const JointFactor& factor, const Contacts& contacts,
                     const SimulationOptions& options)
    : options_(options), contacts_(contacts), islands_(factor), newton_(islands_.all_trees(), model.nv) {
    if (const LcpSolverInfo* solver = find_lcp_solver(options.solver))
        dense_.emplace(*solver, model.nv, options_);
}

void RowSolver::prepare(const Rows& rows, const JointFactor& factor, int two_sided) {
    rows_ = &rows;
    two_sided_ = two_sided;
    held_ = false;
    response_.clear();
    for (const RowBlock& block : rows.blocks) response_.add(rows, block, factor);
    sweeps_.begin(rows, response_);
    islands_.find(rows, factor);
}

void RowSolver::prepare(const Rows& rows, const JointFactor& factor, const Islands::Held& held,
                        int two_sided, EqualitySystem& equalities, double min_kept) {
    rows_ = &rows;
    two_sided_ = two_sided;
    held_ = true;
    free_response_.clear();
    for (const RowBlock& block : rows.blocks) free_response_.add(rows, block, factor);
    islands_.find(rows, factor, held);
    island_of_.assign(rows.blocks.size(), -1);
    for (int island = 0; island < islands_.count(); ++island)
        for (const int b : islands_.blocks(island)) island_of_[b] = island;
    const std::size_t nv = factor.dofs.size();
    no_target_.assign(static_cast<std::size_t>(equalities.rows()), 0.0);
    yields_.assign(rows.blocks.size(), 1.0);
    response_.clear();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const RowBlock& block = rows.blocks[b];
        const ResponseBlock& free = free_response_.blocks[b];
        kept_.assign(static_cast<std::size_t>(block.count) * nv, 0.0);
        dofs_.clear();
        if (island_of_[b] >= 0)
            for (std::size_t t = islands_.trees(island_of_[b]).size(); t-- > 0;) {
                const Islands::Tree& tree = islands_.all_trees()[islands_.trees(island_of_[b])[t]];
                for (int dof = tree.v_end - 1; dof >= tree.v_begin; --dof) dofs_.push_back(dof);
            }
        for (int r = 0; r < block.count && !dofs_.empty(); ++r) {
            const std::span<double> z = std::span(kept_).subspan(static_cast<std::size_t>(r) * nv, nv);
            free_response_.apply_row(free, r, 1, z);
            const auto square = [&] {
                double sum = 0;
                for (const double x : z) sum += x * x;
                return sum;
            };
            const double before = square();
            held_impulses_.assign(static_cast<std::size_t>(equalities.rows()), 0.0);
            equalities.solve(no_target_, z, held_impulses_);
            const double left = square();
            if (r == 0 && before > 0) yields_[b] = left / before;
            if (!(left > min_kept * before)) std::fill(z.begin(), z.end(), 0.0);
        }
        response_.add(block, kept_, dofs_);
    }
    sweeps_.begin(rows, response_);
}

void RowSolver::add_held_rates(std::span<const double> s, std::span<double> b) const {
    for (std::size_t k = 0; k < rows_->blocks.size(); ++k)
        for (int r = 0; r < rows_->blocks[k].count; ++r)
            b[rows_->blocks[k].begin + r] += free_response_.product(free_response_.blocks[k], r, s) -
                                             response_.product(response_.blocks[k], r, s);
}

// Which groups the blocks of an island act on.
void RowSolver::find_parts(int island, const JointFactor& factor) {
    for (const int b : islands_.blocks(island)) {
        const RowBlock& block = rows_->blocks[b];
        const std::size_t own = parts_.size();
        const auto add = [&](int link) {
            if (link < 0) return;
            const int group = islands_.group_of(link);
            for (std::size_t p = own; p < parts_.size(); ++p)
                if (parts_[p].group == group) return;
            parts_.push_back({island, group, b});
        };
        add(block.link_a);
        add(block.link_b);
        for (const Row& row : rows_->rows_of(block))
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                add(factor.link_of_dof[rows_->entries[e].dof]);
    }
}

// The root of the matrix of one group, whose coordinates begin at `first`.
void RowSolver::find_roots(std::span<Part> parts, int first, const Responses& A) {
    part_blocks_.clear();
    int n = 0;
    for (const Part& part : parts) {
        part_blocks_.push_back(part.block);
        n += rows_->blocks[part.block].count;
    }
    a_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
    nothing_.assign(static_cast<std::size_t>(n), 0.0);
    rounding_.assign(static_cast<std::size_t>(n), 0.0);
    A(parts[0].group, part_blocks_, n, a_, nothing_, rounding_);
    for (std::size_t k = 0, m = nothing_.size(); k < m; ++k) {
        if (a_[k * (m + 1)] > nothing_[k]) continue;
        for (std::size_t j = 0; j < m; ++j) a_[k * m + j] = a_[j * m + k] = 0;
    }
    const int rank = root_.factor(a_, n, tuning.root_tolerance, rounding_);
    int row = 0;
    for (Part& part : parts) {
        part.first = first;
        part.rank = rank;
        part.root = roots_.size();
        for (int r = 0; r < rows_->blocks[part.block].count; ++r, ++row)
            roots_.insert(roots_.end(), root_.root(row), root_.root(row) + rank);
    }
    islands_.set_coordinates(parts[0].island, parts[0].group, {first, first + rank});
}

void RowSolver::prepare(const Rows& rows, const JointFactor& factor, bool factored,
                        const Islands::Held& held, int two_sided, const Responses& A) {
    rows_ = &rows;
    two_sided_ = two_sided;
    held_ = false;
    response_.clear();
    islands_.find(rows, factor, held);
    parts_.clear();
    by_factor_.assign(rows.blocks.size(), 0);
    for (int island = 0; island < islands_.count(); ++island) {
        if (factored && !islands_.has_held(island)) {
            for (const int b : islands_.blocks(island)) by_factor_[b] = 1;
            continue;
        }
        islands_.clear_coordinates(island);
        find_parts(island, factor);
    }
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
        return a.group != b.group ? a.group < b.group : a.block < b.block;
    });
    roots_.clear();
    coordinates_ = factor.dofs.size();
    for (std::size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
        while (end < parts_.size() && parts_[end].group == parts_[begin].group) ++end;
        find_roots(std::span(parts_).subspan(begin, end - begin), static_cast<int>(coordinates_), A);
        coordinates_ += static_cast<std::size_t>(parts_[begin].rank);
    }
    newton_.make_room(static_cast<int>(coordinates_));
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
        return a.block != b.block ? a.block < b.block : a.group > b.group;
    });
    std::size_t next = 0;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        if (by_factor_[b]) {
            response_.add(rows, rows.blocks[b], factor);
            continue;
        }
        response_.begin(rows.blocks[b]);
        for (; next < parts_.size() && parts_[next].block == static_cast<int>(b); ++next)
            response_.add_part(roots_.data() + parts_[next].root, parts_[next].rank, parts_[next].first,
                               parts_[next].rank);
    }
    sweeps_.begin(rows, response_);
}

// Impulses that are right in one step may be far off in the next: those of an impact would throw about what
// has been stopped. Of all multiples of the guess up to itself, the one that is best by the work of the
// impulses,
//     f(λ) = ½ |Zᵀ λ|² + ½ λᵀ c λ + λᵀ (b + Z s_free),
// which is never above f(0) = 0: whatever the solver makes of it then takes energy away.
void RowSolver::temper(int island, std::span<const int> blocks, const Request& request,
                       std::span<double> lambda, std::span<double> s) const {
    const std::span<const double> s_free = request.s_free;
    double square = 0, slope = 0;
    for (const int t : islands_.trees(island))
        for (int k = islands_.all_trees()[t].v_begin; k < islands_.all_trees()[t].v_end; ++k) {
            const double d = s[k] - s_free[k];
            square += d * d;
            slope += d * s_free[k];
        }
    const auto for_each_row = [&](auto&& f) {
        for (const int index : blocks)
            for (int r = rows_->blocks[index].begin;
                 r < rows_->blocks[index].begin + rows_->blocks[index].count; ++r)
                f(r);
    };
    for_each_row([&](int r) {
        square += rows_->rows[r].compliance * lambda[r] * lambda[r];
        slope += lambda[r] * request.b[r];
    });
    if (!(square > 0) || -slope >= square) return;
    const double share = std::max(0.0, -slope / square);
    for_each_row([&](int r) { lambda[r] *= share; });
    for (const int t : islands_.trees(island))
        for (int k = islands_.all_trees()[t].v_begin; k < islands_.all_trees()[t].v_end; ++k)
            s[k] = s_free[k] + share * (s[k] - s_free[k]);
}

IslandProblem RowSolver::problem_of(int island, std::span<const int> blocks, const Request& request) const {
    return {*rows_, response_, blocks, islands_.trees(island), request.b, request.s_free};
}

// Whether an island is left to Newton's method.
bool RowSolver::is_small(int island) const {
    const int freedoms = islands_.freedoms(island);
    return freedoms <= (options_.stepping == Stepping::velocity ? tuning.max_fixed_newton_freedoms
                                                                : tuning.max_newton_freedoms) ||
           (freedoms <= tuning.max_narrow_newton_freedoms && islands_.largest_tree(island) <= 6);
}

bool RowSolver::has_large_island() const {
    for (int island = 0; island < islands_.count(); ++island)
        if (!is_small(island)) return true;
    return false;
}

// Where Newton's method has failed, from what it has left: sweeps need many turns, but find most of what
// there is. Nothing changes if they do not get nearer.
double RowSolver::sweep_again(std::span<const int> blocks, const Request& request, double missed,
                              std::span<double> lambda, std::span<double> s, StepReport& report) {
    found_lambda_.assign(lambda.begin(), lambda.end());
    found_s_.assign(s.begin(), s.end());
    int entries = 1;
    for (const int b : blocks) entries += response_.blocks[b].rows * response_.blocks[b].support_count;
    const int limit = std::clamp(tuning.further_entries / entries, tuning.min_further_sweeps,
                                 tuning.max_further_sweeps);
    const SweepResult swept = sweeps_.run(blocks, request.b, request.accuracy, limit, lambda, s);
    report.iterations += swept.sweeps;
    if (swept.residual < missed) return swept.residual;
    std::copy(found_lambda_.begin(), found_lambda_.end(), lambda.begin());
    std::copy(found_s_.begin(), found_s_.end(), s.begin());
    return missed;
}

// Where impulses are not found from the guess: Newton's method from none. Nothing changes if it does not get
// nearer.
double RowSolver::start_cold(int island, std::span<const int> blocks, const Request& request, double missed,
                             std::span<double> lambda, std::span<double> s, StepReport& report) {
    found_lambda_.assign(lambda.begin(), lambda.end());
    found_s_.assign(s.begin(), s.end());
    for (const int b : blocks)
        std::fill_n(lambda.begin() + rows_->blocks[b].begin, rows_->blocks[b].count, 0.0);
    const NewtonResult solved =
        newton_.solve(problem_of(island, blocks, request), request.accuracy, lambda, s, request.iterations);
    report.iterations += solved.iterations;
    if (solved.residual < missed) return solved.residual;
    std::copy(found_lambda_.begin(), found_lambda_.end(), lambda.begin());
    std::copy(found_s_.begin(), found_s_.end(), s.begin());
    return missed;
}

double RowSolver::solve_some(int island, std::span<const int> blocks, const Request& request,
                             std::span<double> lambda, std::span<double> s, StepReport& report) {
    temper(island, blocks, request, lambda, s);
    if (request.effort == Effort::sweeps) {
        if (!sweeps_.prepared(blocks[0])) sweeps_.prepare(islands_.blocks(island));
        const int count = static_cast<int>(blocks.size());
        const int limit = std::max(request.first_sweeps, request.iterations / count);
        const SweepResult swept = sweeps_.run(blocks, request.b, request.accuracy, limit, lambda, s);
        report.iterations += swept.sweeps;
        return swept.residual;
    }
    if (dense_) return solve_densely(island, blocks, request, lambda, s, report);
    const bool small = is_small(island);
    const int enough = request.effort == Effort::most            ? tuning.max_sweeps
                       : request.effort == Effort::step          ? tuning.step_sweeps
                       : options_.stepping == Stepping::velocity ? tuning.step_sweeps / 3
                                                                 : tuning.max_sweeps / 3;
    const int limit = options_.iterations > 0 ? options_.iterations : small ? request.first_sweeps
                                                                            : enough;
    if (!sweeps_.prepared(blocks[0])) sweeps_.prepare(islands_.blocks(island));
    const SweepResult swept = sweeps_.run(blocks, request.b, request.accuracy, limit, lambda, s);
    report.iterations += swept.sweeps;
    double missed = swept.residual;
    const bool rescued = !small && options_.iterations == 0 && request.effort == Effort::most &&
                         missed > tuning.rescued_miss &&
                         islands_.freedoms(island) <= tuning.max_rescued_freedoms;
    if (!swept.converged && (small || rescued)) {
        const NewtonResult solved = newton_.solve(problem_of(island, blocks, request), request.accuracy,
                                                  lambda, s, request.iterations);
        report.iterations += solved.iterations;
        missed = solved.residual;
        if (!solved.converged) missed = sweep_again(blocks, request, missed, lambda, s, report);
        if (missed > tuning.cold_miss)
            missed = start_cold(island, blocks, request, missed, lambda, s, report);
    }
    // Not where equalities or drives would be let go with the rest.
    if (missed > request.accuracy && blocks[0] >= two_sided_) temper(island, blocks, request, lambda, s);
    return missed;
}

double RowSolver::solve(const Request& request, std::span<double> lambda, std::span<double> s,
                        StepReport& report) {
    double missed = 0;
    const auto asks = [&](int b) {
        const RowBlock& block = rows_->blocks[b];
        const std::span<const char> own = request.changed.subspan(block.begin, block.count);
        return std::any_of(own.begin(), own.end(), [](char changed) { return changed != 0; });
    };
    for (int island = 0; island < islands_.count(); ++island) {
        const std::span<const int> blocks = islands_.blocks(island);
        if (blocks.empty()) continue;  // somebody holds all of them
        if (!request.changed.empty() && std::none_of(blocks.begin(), blocks.end(), asks)) continue;
        missed = std::max(missed, solve_some(island, blocks, request, lambda, s, report));
    }
    return missed;
}

// By the LCP solver that the options name.
double RowSolver::solve_densely(int island, std::span<const int> blocks, const Request& request,
                                std::span<double> lambda, std::span<double> s, StepReport& report) {
    const DenseImpulses::Result solved =
        dense_->solve(problem_of(island, blocks, request), contacts_, lambda, s);
    report.iterations += solved.iterations;
    if (solved.fallback && report.fallbacks++ == 0)
        report.fallback = "solver " + options_.solver + " ended with " +
                          std::string(name_of(solved.given_up)) + " on " + std::to_string(solved.rows) +
                          " rows; " + std::string(dense_->name_of_fallback(solved)) + " took over";
    if (solved.rows > tuning.max_dense_rows) {
        report.status = StepStatus::overflow;
        report.where = std::to_string(solved.rows) + " rows depend on each other; the solver '" +
                       options_.solver + "' takes " + std::to_string(tuning.max_dense_rows) +
                       ", 'sweeps' any number";
    } else if (solved.status == LcpStatus::not_finite || solved.status == LcpStatus::invalid) {
        report.status = StepStatus::non_finite;
        report.where =
            "the solver '" + options_.solver + "' found no impulses: " + std::string(name_of(solved.status));
    }
    return solved.residual;
}

}  // namespace lig
