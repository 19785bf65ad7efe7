#include "formulations/implicit/stiff_rows.h"

#include "formulations/implicit/tuning.h"

#include <algorithm>

namespace lig::implicit {

void StiffRows::clear() {
    laws_.clear();
    values_.clear();
    terms_.clear();
    p_.clear();
    row_ = -1;
    rows_ = 0;
    terms_begin_.clear();
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
    return static_cast<int>(laws_.size()) - 1;
}

void StiffRows::add(const maximal::BodySystem& system, int link, const Force<double>& at_com) {
    double entries[BlockLdlt::max_rows];
    system.graph.project(link, at_com, entries);
    add_entries(system, link, entries);
}

void StiffRows::add_entries(const maximal::BodySystem& system, int link, const double* entries) {
    const int dim = system.graph.dim(link);
    for (std::size_t t = terms_.size(); t-- > 0 && terms_[t].row == row_;)
        if (terms_[t].link == link) {
            for (int k = 0; k < dim; ++k) values_[terms_[t].begin + k] += entries[k];
            return;
        }
    terms_.push_back({row_, link, static_cast<int>(values_.size())});
    values_.insert(values_.end(), entries, entries + dim);
}

void StiffRows::add_freedom(const maximal::BodySystem& system, int link, int dof, double value) {
    if (const int own = system.graph.stretch_entry(dof); own >= 0) {
        double entries[BlockLdlt::max_rows] = {};
        entries[own] = value;
        return add_entries(system, link, entries);
    }
    const int parent = system.graph.model().tree.links[link].parent;
    const Vec3d& p = system.poses.workspace().poses[link].X_WL.p;
    const Force<double> f = system.poses.freedom_force(link, dof, value);
    add(system, link, shift_back(f, p - system.poses.centre(link)));
    if (parent >= 0) add(system, parent, -shift_back(f, p - system.poses.centre(parent)));
}

int StiffRows::first_of(int node) {
    while (joined_[node] != node) node = joined_[node] = joined_[joined_[node]];
    return node;
}

void StiffRows::find_islands(const maximal::BodySystem& system) {
    const auto join = [&](int a, int b) {
        a = first_of(a);
        b = first_of(b);
        joined_[std::max(a, b)] = std::min(a, b);
    };
    const BlockLdlt& matrix = system.matrix.blocks();
    if (components_.empty()) {
        joined_.resize(static_cast<std::size_t>(matrix.nodes()));
        for (std::size_t k = 0; k < joined_.size(); ++k) joined_[k] = static_cast<int>(k);
        for (int e = 0; e < matrix.edges(); ++e) join(matrix.edge_nodes(e).a, matrix.edge_nodes(e).b);
        components_ = joined_;
    }
    joined_ = components_;
    terms_begin_.assign(static_cast<std::size_t>(rows_) + 1, 0);
    for (const Term& term : terms_) ++terms_begin_[term.row + 1];
    for (int r = 0; r < rows_; ++r) terms_begin_[r + 1] += terms_begin_[r];
    const auto terms_of = [&](const PenaltyLaw& law) {
        return std::span(terms_).subspan(terms_begin_[law.row],
                                         terms_begin_[law.row + law.count] - terms_begin_[law.row]);
    };
    for (const PenaltyLaw& law : laws_)
        for (const Term& term : terms_of(law)) join(terms_of(law)[0].link, term.link);
    island_.clear();
    for (const PenaltyLaw& law : laws_)
        island_.push_back(terms_of(law).empty() ? -1 : first_of(terms_of(law)[0].link));
}

bool StiffRows::find_forces(const maximal::BodySystem& system, std::span<const double> x, double tolerance) {
    find_islands(system);
    bool met = true;
    for (std::size_t first = 0; first < laws_.size(); ++first) {
        const int island = island_[first];
        if (island < 0) continue;
        own_.clear();
        for (std::size_t k = first; k < laws_.size(); ++k)
            if (island_[k] == island) {
                own_.push_back(static_cast<int>(k));
                island_[k] = -1;
            }
        if (!solve_island(system, x, tolerance)) met = false;
    }
    return met;
}

bool StiffRows::solve_island(const maximal::BodySystem& system, std::span<const double> x, double tolerance) {
    blocks_.clear();
    side_.clear();
    own_laws_.clear();
    own_p_.clear();
    bool linear = true;
    for (const int k : own_) {
        own_laws_.push_back(laws_[k]);
        PenaltyLaw& law = own_laws_.back();
        linear = linear && law.kind == PenaltyLaw::Kind::linear;
        const int from = law.row;
        law.row = static_cast<int>(side_.size());
        for (int r = from; r < from + law.count; ++r) {
            double along = 0;
            for (int t = terms_begin_[r]; t < terms_begin_[r + 1]; ++t) {
                const double* values = values_.data() + terms_[t].begin;
                blocks_.push_back({static_cast<int>(side_.size()), terms_[t].link, values});
                const double* at = x.data() + system.graph.offset(terms_[t].link);
                for (int e = 0; e < system.graph.dim(terms_[t].link); ++e) along += values[e] * at[e];
            }
            side_.push_back(along);
            own_p_.push_back(p_[r]);
        }
    }
    const std::size_t n = side_.size();
    matrix_.assign(n * n, 0.0);
    response_.workless(system.matrix.blocks(), blocks_, static_cast<int>(n), matrix_);
    bool met = true;
    if (linear) {
        for (std::size_t k = 0; k < n; ++k) matrix_[k * (n + 1)] += 1 / own_laws_[k].weight;
        root_.factor(matrix_, static_cast<int>(n), law_tuning.rank_tolerance);
        root_.solve(matrix_, side_, own_p_);
        for (double& p : own_p_) p = -p;
    } else {
        met = solver_.solve(own_laws_, matrix_, side_, tolerance, own_p_);
    }
    std::size_t at = 0;
    for (const int k : own_)
        for (int r = laws_[k].row; r < laws_[k].row + laws_[k].count; ++r) p_[r] = own_p_[at++];
    return met;
}

void StiffRows::add_forces(const maximal::BodySystem& system, std::span<double> b) const {
    for (const Term& term : terms_) {
        double* at = b.data() + system.graph.offset(term.link);
        for (int k = 0; k < system.graph.dim(term.link); ++k)
            at[k] += p_[term.row] * values_[term.begin + k];
    }
}

}  // namespace lig::implicit
