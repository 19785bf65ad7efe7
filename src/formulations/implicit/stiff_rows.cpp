#include "formulations/implicit/stiff_rows.h"

#include <algorithm>

namespace lig::implicit {

namespace {

constexpr double rank_tolerance = 1e-14;  // the matrix is definite by its weights

}  // namespace

void StiffRows::clear() {
    weights_.clear();
    values_.clear();
    terms_.clear();
}

void StiffRows::add(const maximal::BodySystem& system, int link, const Force<double>& at_com) {
    const int row = static_cast<int>(weights_.size()) - 1, dim = system.matrix().dim(link);
    double entries[BlockLdlt::most_rows];
    system.project(link, at_com, entries);
    for (std::size_t t = terms_.size(); t-- > 0 && terms_[t].row == row;)
        if (terms_[t].link == link) {
            for (int k = 0; k < dim; ++k) values_[terms_[t].begin + k] += entries[k];
            return;
        }
    terms_.push_back({row, link, static_cast<int>(values_.size())});
    values_.insert(values_.end(), entries, entries + dim);
}

void StiffRows::factor(const maximal::BodySystem& system) {
    const std::size_t n = weights_.size();
    blocks_.clear();
    for (const Term& term : terms_) blocks_.push_back({term.row, term.link, values_.data() + term.begin});
    matrix_.assign(n * n, 0.0);
    response_.workless(system.matrix(), blocks_, static_cast<int>(n), matrix_);
    for (std::size_t k = 0; k < n; ++k) matrix_[k * (n + 1)] += 1 / weights_[k];
    root_.factor(matrix_, static_cast<int>(n), rank_tolerance);
}

void StiffRows::find_forces(const maximal::BodySystem& system, std::span<const double> x) {
    side_.assign(weights_.size(), 0.0);
    forces_.assign(weights_.size(), 0.0);
    for (const Term& term : terms_) {
        const double* at = x.data() + system.matrix().offset(term.link);
        for (int k = 0; k < system.matrix().dim(term.link); ++k)
            side_[term.row] += values_[term.begin + k] * at[k];
    }
    root_.solve(matrix_, side_, forces_);
}

void StiffRows::add_forces(const maximal::BodySystem& system, std::span<double> x) const {
    for (const Term& term : terms_) {
        double* at = x.data() + system.matrix().offset(term.link);
        for (int k = 0; k < system.matrix().dim(term.link); ++k)
            at[k] -= forces_[term.row] * values_[term.begin + k];
    }
}

}  // namespace lig::implicit
