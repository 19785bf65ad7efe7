#include "formulations/reduced/dense_impulses.h"

#include <algorithm>

namespace lig {

const LcpSolverInfo* find_lcp_solver(std::string_view name) {
    for (const LcpSolverInfo& info : lcp_solver_list)
        if (info.name == name) return &info;
    return nullptr;
}

std::string lcp_solver_names() {
    std::string names;
    for (const LcpSolverInfo& info : lcp_solver_list) {
        if (!names.empty()) names += ", ";
        names += info.name;
    }
    return names;
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

void DenseImpulses::write_problem(const Rows& rows, const RowResponse& response, std::span<const int> blocks,
                                  std::span<const double> b, std::span<const double> s_free) {
    const std::size_t n = static_cast<std::size_t>(n_);
    a_.resize(n * n);
    for (std::vector<double>* v : {&b_, &lo_, &hi_, &friction_, &lambda_}) v->resize(n);
    partner_.resize(n);
    std::fill(z_.begin(), z_.end(), 0.0);
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

DenseImpulses::Result DenseImpulses::solve(const Rows& rows, const RowResponse& response,
                                           std::span<const int> blocks, std::span<const double> b,
                                           std::span<const double> s_free, int iterations,
                                           std::span<double> lambda, std::span<double> s) {
    n_ = 0;
    begin_.clear();
    for (const int block : blocks) {
        begin_.push_back(n_);
        n_ += rows.blocks[block].count;
    }
    if (n_ > most_rows) return {.status = LcpStatus::invalid, .rows = n_};
    if (workspace_.capacity() < n_) workspace_.resize(n_);
    write_problem(rows, response, blocks, b, s_free);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        std::copy_n(lambda.begin() + rows.blocks[blocks[i]].begin, rows.blocks[blocks[i]].count,
                    lambda_.begin() + begin_[i]);
    const LcpProblem problem{
        n_, a_.data(), n_, b_.data(), lo_.data(), hi_.data(), partner_.data(), friction_.data()};
    const LcpResult solved = solver_.solve(
        problem, {.tolerance = 1e-10, .iterations = iterations, .stop = nullptr}, workspace_, lambda_);
    Result result{solved.status, n_, solved.iterations, 0};
    // Residuals are relative to the size of what cancels in a row.
    for (int k = 0; k < n_; ++k)
        result.residual = std::max(result.residual, solved.figures.residual * workspace_.scale[k]);

    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const ResponseBlock& own = response.blocks[blocks[i]];
        for (int j = 0; j < own.support_count; ++j) {
            const int dof = response.support[own.support_begin + j];
            s[dof] = s_free[dof];
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
    return result;
}

}  // namespace lig
