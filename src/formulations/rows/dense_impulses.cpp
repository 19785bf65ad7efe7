#include "formulations/rows/dense_impulses.h"

#include "formulations/rows/tangent_friction.h"
#include "formulations/rows/tuning.h"

#include <algorithm>

namespace lig {

std::string lcp_solver_names() {
    std::string names;
    for (const LcpSolverInfo& info : lcp_solver_list) {
        if (!names.empty()) names += ", ";
        names += info.name;
    }
    return names;
}

const LcpSolverInfo* successor_of(const LcpSolverInfo& solver) {
    switch (solver.friction) {
        case LcpFriction::pyramid: return solver.name == "pgs" ? nullptr : find_lcp_solver("pgs");
        case LcpFriction::diamond: return find_lcp_solver("nncg");
        case LcpFriction::cone: return nullptr;  // they are sweeps themselves
    }
    return nullptr;
}

namespace {

double z_of(const RowResponse& response, const ResponseBlock& block, int entry, int row) {
    return response.z[block.z_begin + static_cast<std::size_t>(block.width * entry + row)];
}

// z · x of a row of a block.
double product(const RowResponse& response, const ResponseBlock& block, int row, std::span<const double> x) {
    double sum = 0;
    for (int j = 0; j < block.support_count; ++j)
        sum += z_of(response, block, j, row) * x[response.support[block.support_begin + j]];
    return sum;
}

}  // namespace

void DenseImpulses::write_problem(const IslandProblem& given) {
    const auto& [rows, response, blocks, trees, b, s_free] = given;
    const std::size_t n = static_cast<std::size_t>(n_);
    a_.resize(n * n);
    for (std::vector<double>* v : {&b_, &lo_, &hi_, &friction_, &lambda_}) v->resize(n);
    partner_.resize(n);
    z_.assign(std::max(z_.size(), s_free.size()), 0.0);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const RowBlock& block = rows.blocks[blocks[i]];
        const ResponseBlock& own = response.blocks[blocks[i]];
        const std::span<const int> support(response.support.data() + own.support_begin, own.support_count);
        for (int r = 0; r < block.count; ++r) {
            const std::size_t at = static_cast<std::size_t>(begin_[i] + r);
            const Row& row = rows.rows[block.begin + r];
            b_[at] = b[block.begin + r] + product(response, own, r, s_free);
            lo_[at] = row.lo;
            hi_[at] = row.hi;
            friction_[at] = row.friction;
            partner_[at] = block.kind == RowKind::contact && r > 0 ? begin_[i] : -1;
            for (int j = 0; j < own.support_count; ++j) z_[support[j]] = z_of(response, own, j, r);
            for (std::size_t k = 0; k <= i; ++k)
                for (int c = 0; c < rows.blocks[blocks[k]].count; ++c) {
                    const std::size_t column = static_cast<std::size_t>(begin_[k] + c);
                    a_[at * n + column] = a_[column * n + at] =
                        product(response, response.blocks[blocks[k]], c, z_);
                }
            a_[at * n + at] += row.compliance;
            for (const int dof : support) z_[dof] = 0;
        }
    }
}

// Along which friction is to act, by the velocities that the step begins with and the impulses of the guess.
void DenseImpulses::choose_tangents(const IslandProblem& given, const Contacts& contacts) {
    const Rows& rows = given.rows;
    const std::span<const int> blocks = given.blocks;
    const std::span<const double> b = given.b;
    tangents_.resize(static_cast<std::size_t>(n_));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const RowBlock& block = rows.blocks[blocks[i]];
        if (block.kind != RowKind::contact || block.count < 3) continue;
        const Contact& contact = contacts.contacts[block.source];
        const Manifold& manifold = contacts.manifolds[contact.manifold];
        const double *guess = lambda_.data() + begin_[i], *ahead = b_.data() + begin_[i];
        tangents_[begin_[i]] =
            tangent_of_contact({b[block.begin + 1], b[block.begin + 2]}, {ahead[1], ahead[2]},
                               options_.accuracy, {guess[1], guess[2]}, options_.seed,
                               {manifold.geom_a, manifold.geom_b, manifold.part, contact.feature});
    }
}

// λ of the problem, in lambda_, by the solver or whoever has to take over.
LcpResult DenseImpulses::solve_problem(const LcpProblem& problem, const LcpSolverInfo*& fallback,
                                       LcpStatus& given_up) {
    const LcpOptions options{.iterations = options_.iterations};
    const bool along_tangents = options_.friction == FrictionLaw::tangent;
    LcpResult best = along_tangents ? solve_along_tangents(problem, tangents_, options, workspace_, lambda_)
                                    : solver_.solve(problem, options, workspace_, lambda_);
    const LcpStatus first = best.status;
    // What contradicts itself no solver can help, nor what is no problem.
    const LcpSolverInfo* next = along_tangents ? &solver_ : successor_of(solver_);
    while (best.status == LcpStatus::iteration_limit && next) {
        other_ = lambda_;
        const LcpResult other = next->solve(problem, {}, workspace_, other_);
        const int iterations = best.iterations + other.iterations;
        if (other.status == LcpStatus::solved || other.figures.residual < best.figures.residual) {
            best = other;
            lambda_.swap(other_);
            fallback = next;
            given_up = first;
        } else {  // w and the scales are those of an answer that is not taken
            measure_lcp(problem, next->friction, lambda_.data(), workspace_.parts().w.data(),
                        workspace_.parts().scale.data());
        }
        best.iterations = iterations;
        next = successor_of(*next);
    }
    return best;
}

// λ and s of the answer.
void DenseImpulses::take_impulses(const IslandProblem& given, std::span<double> lambda,
                                  std::span<double> s) const {
    const Rows& rows = given.rows;
    const RowResponse& response = given.response;
    const std::span<const int> blocks = given.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const ResponseBlock& own = response.blocks[blocks[i]];
        for (int j = 0; j < own.support_count; ++j) {
            const int dof = response.support[own.support_begin + j];
            s[dof] = given.s_free[dof];
        }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const ResponseBlock& own = response.blocks[blocks[i]];
        std::copy_n(lambda_.begin() + begin_[i], own.rows, lambda.begin() + rows.blocks[blocks[i]].begin);
        for (int j = 0; j < own.support_count; ++j) {
            double sum = 0;
            for (int r = 0; r < own.rows; ++r) sum += z_of(response, own, j, r) * lambda_[begin_[i] + r];
            s[response.support[own.support_begin + j]] += sum;
        }
    }
}

DenseImpulses::Result DenseImpulses::solve(const IslandProblem& given, const Contacts& contacts,
                                           std::span<double> lambda, std::span<double> s) {
    const Rows& rows = given.rows;
    const std::span<const int> blocks = given.blocks;
    n_ = 0;
    begin_.clear();
    for (const int block : blocks) {
        begin_.push_back(n_);
        n_ += rows.blocks[block].count;
    }
    if (n_ > row_solver_tuning.max_dense_rows) return {.rows = n_};
    if (workspace_.capacity() < n_) workspace_.resize(n_);
    write_problem(given);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        std::copy_n(lambda.begin() + rows.blocks[blocks[i]].begin, rows.blocks[blocks[i]].count,
                    lambda_.begin() + begin_[i]);
    if (options_.friction == FrictionLaw::tangent) choose_tangents(given, contacts);
    const LcpProblem problem{
        n_, a_.data(), n_, b_.data(), lo_.data(), hi_.data(), partner_.data(), friction_.data()};
    Result result;
    const LcpResult solved = solve_problem(problem, result.fallback, result.given_up);
    result.status = solved.status;
    result.rows = n_;
    result.iterations = solved.iterations;
    // Residuals are relative to the size of what cancels in a row.
    for (int k = 0; k < n_; ++k)
        result.residual = std::max(result.residual, solved.figures.residual * workspace_.scale()[k]);
    take_impulses(given, lambda, s);
    return result;
}

}  // namespace lig
