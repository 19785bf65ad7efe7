#include "formulations/implicit/stiff_rows.h"

#include <algorithm>

namespace lig::implicit {

namespace {

constexpr double rank_tolerance = 1e-14;  // the matrix is definite by its weights

}  // namespace

void StiffRows::clear() {
    laws_.clear();
    values_.clear();
    terms_.clear();
    p_.clear();
    row_ = -1;
    rows_ = 0;
    linear_ = true;
}

void StiffRows::begin_row(double weight) {
    PenaltyLaw law;
    law.weight = weight;
    const double none = 0;
    begin_law(law, &none);
}

int StiffRows::begin_law(const PenaltyLaw& law, const double* p) {
    laws_.push_back(law);
    laws_.back().row = row_ = rows_;
    rows_ += law.count;
    p_.insert(p_.end(), p, p + law.count);
    linear_ = linear_ && law.kind == PenaltyLaw::Kind::linear;
    return static_cast<int>(laws_.size()) - 1;
}

void StiffRows::add(const maximal::BodySystem& system, int link, const Force<double>& at_com) {
    const int dim = system.matrix().dim(link);
    double entries[BlockLdlt::most_rows];
    system.project(link, at_com, entries);
    for (std::size_t t = terms_.size(); t-- > 0 && terms_[t].row == row_;)
        if (terms_[t].link == link) {
            for (int k = 0; k < dim; ++k) values_[terms_[t].begin + k] += entries[k];
            return;
        }
    terms_.push_back({row_, link, static_cast<int>(values_.size())});
    values_.insert(values_.end(), entries, entries + dim);
}

void StiffRows::add_freedom(const maximal::BodySystem& system, int link, int dof, double value) {
    const int parent = system.model().tree.links[link].parent;
    const Vec3d& p = system.workspace().poses[link].X_WL.p;
    const Force<double> f = system.freedom_force(link, dof, value);
    add(system, link, shift_back(f, p - system.centre(link)));
    if (parent >= 0) add(system, parent, -shift_back(f, p - system.centre(parent)));
}

bool StiffRows::find_forces(const maximal::BodySystem& system, std::span<const double> x, double tolerance) {
    const std::size_t n = static_cast<std::size_t>(rows_);
    blocks_.clear();
    for (const Term& term : terms_) blocks_.push_back({term.row, term.link, values_.data() + term.begin});
    matrix_.assign(n * n, 0.0);
    response_.workless(system.matrix(), blocks_, rows_, matrix_);
    side_.assign(n, 0.0);
    for (const Term& term : terms_) {
        const double* at = x.data() + system.matrix().offset(term.link);
        for (int k = 0; k < system.matrix().dim(term.link); ++k)
            side_[term.row] += values_[term.begin + k] * at[k];
    }
    if (!linear_) return solver_.solve(laws_, matrix_, side_, tolerance, p_);
    for (std::size_t k = 0; k < n; ++k) matrix_[k * (n + 1)] += 1 / laws_[k].weight;
    root_.factor(matrix_, rows_, rank_tolerance);
    root_.solve(matrix_, side_, p_);
    for (double& p : p_) p = -p;
    return true;
}

void StiffRows::add_forces(const maximal::BodySystem& system, std::span<double> b) const {
    for (const Term& term : terms_) {
        double* at = b.data() + system.matrix().offset(term.link);
        for (int k = 0; k < system.matrix().dim(term.link); ++k)
            at[k] += p_[term.row] * values_[term.begin + k];
    }
}

}  // namespace lig::implicit
