#include "formulations/implicit/law_solver.h"

#include "formulations/implicit/tuning.h"
#include "linalg/dense_lu.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig::implicit {

namespace {

constexpr int block = PenaltyLaw::max_rows * PenaltyLaw::max_rows;

}  // namespace

bool LawSolver::solve(std::span<const PenaltyLaw> laws, std::span<const double> W,
                      std::span<const double> w0, double tolerance, std::span<double> p) {
    laws_ = laws;
    W_ = W;
    w0_ = w0;
    n_ = static_cast<int>(w0.size());
    const std::size_t n = w0.size();
    for (std::vector<double>* v : {&D_, &trial_, &aside_, &F_, &step_}) v->resize(n);
    active_.resize(n);
    slopes_.resize(laws_.size() * block);
    cones_.resize(laws_.size());
    find_answers();
    p_.assign(p.begin(), p.end());
    const bool met = iterate(tolerance);
    std::copy(p_.begin(), p_.end(), p.begin());
    return met;
}

// D: what rows answer to their own impulses; the rows of a cone alike, and not less than all of them
// together.
void LawSolver::find_answers() {
    for (const PenaltyLaw& law : laws_) {
        D_[law.row] = W_[law.row * n_ + law.row];
        for (int cone = 0; cone < PenaltyLaw::cone_count; ++cone) {
            const int first = law.row + 1 + PenaltyLaw::cones[cone];
            const int last = law.row + 1 + std::min(PenaltyLaw::cones[cone + 1], law.count - 1);
            double most = 0;
            for (int k = first; k < last; ++k) {
                double sum = 0;
                for (int j = first; j < last; ++j) sum += std::abs(W_[k * n_ + j]);
                most = std::max(most, sum);
            }
            for (int k = first; k < last; ++k) D_[k] = most;
        }
    }
}

double LawSolver::look(std::span<const double> p, bool with_slopes, bool held) {
    for (int i = 0; i < n_; ++i) aside_[i] = w0_[i] + dot(W_.data() + i * n_, p.data(), n_) - D_[i] * p[i];
    for (std::size_t k = 0; k < laws_.size(); ++k)
        laws_[k].answer(aside_.data() + laws_[k].row, D_.data() + laws_[k].row, held ? cones_[k] : -1,
                        F_.data() + laws_[k].row, with_slopes ? slopes_.data() + k * block : nullptr);
    double merit = 0;
    for (int i = 0; i < n_; ++i) {
        F_[i] = p[i] - F_[i];
        merit += D_[i] * F_[i] * F_[i];
    }
    return merit;
}

bool LawSolver::iterate(double tolerance) {
    const bool direct = n_ <= law_tuning.max_direct;
    for (int s = 0; s < law_tuning.first_sweeps; ++s) sweep(false);
    double merit = look(p_, true), best = merit;
    best_ = p_;
    int sweeps = 1;
    for (int iteration = 0; iteration < law_tuning.max_iterations; ++iteration) {
        bool led_on = false;
        if (direct && find_direction()) {
            if (is_small(tolerance)) {
                for (int i = 0; i < n_; ++i) p_[i] += step_[i];
                return true;
            }
            double share = 1;
            for (int halving = 0; halving <= law_tuning.max_halvings && !led_on; ++halving, share *= 0.5) {
                for (int i = 0; i < n_; ++i) trial_[i] = p_[i] + share * step_[i];
                led_on = look(trial_, false) <= (1 - law_tuning.enough * share) * best;
            }
        } else {
            for (int i = 0; i < n_; ++i) step_[i] = -F_[i];
            if (is_small(tolerance)) return true;
        }
        if (led_on) {
            p_.swap(trial_);
        } else {
            if (direct) solve_held(tolerance);
            for (int s = 0; s < sweeps; ++s) sweep(false);
            sweeps = std::min(2 * sweeps, law_tuning.max_sweeps);
        }
        merit = look(p_, true);
        if (merit < best) {
            best = merit;
            best_ = p_;
        }
    }
    if (best < merit) p_ = best_;
    return false;
}

// With the cones of the pushes at p.
void LawSolver::solve_held(double tolerance) {
    for (std::size_t k = 0; k < laws_.size(); ++k)
        cones_[k] = laws_[k].kind == PenaltyLaw::Kind::contact ? std::max(0.0, p_[laws_[k].row]) : 0.0;
    double merit = look(p_, true, true);
    for (int iteration = 0; iteration < law_tuning.max_held; ++iteration) {
        if (!find_direction() || is_small(tolerance)) return;
        for (int i = 0; i < n_; ++i) trial_[i] = p_[i] + step_[i];
        const double next = look(trial_, true, true);
        if (next < (1 - law_tuning.enough) * merit) {
            p_.swap(trial_);
            merit = next;
            continue;
        }
        for (int s = 0; s < law_tuning.held_sweeps; ++s) sweep(true);
        merit = look(p_, true, true);
    }
}

bool LawSolver::is_small(double most) const {
    for (int i = 0; i < n_; ++i)
        if (!(std::abs(dot(W_.data() + i * n_, step_.data(), n_)) <= most)) return false;
    return true;
}

// (1 + C (W − D)) step = −F. Rows that do not yield (C is 0) follow at once.
bool LawSolver::find_direction() {
    places_.clear();
    for (std::size_t k = 0; k < laws_.size(); ++k)
        for (int r = 0; r < laws_[k].count; ++r) {
            const double* C = slopes_.data() + k * block + r * PenaltyLaw::max_rows;
            const bool yields = std::any_of(C, C + laws_[k].count, [](double c) { return c != 0; });
            active_[laws_[k].row + r] = yields;
            if (yields) places_.push_back(laws_[k].row + r);
        }
    for (int i = 0; i < n_; ++i) step_[i] = active_[i] ? 0.0 : -F_[i];
    const int n = static_cast<int>(places_.size());
    const int width = n + 1;  // the right-hand side is the last column
    matrix_.assign(static_cast<std::size_t>(n) * width, 0.0);
    double* entries = matrix_.data();
    int diagonal = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k)
        for (int r = 0; r < laws_[k].count; ++r) {
            const int row = laws_[k].row + r;
            if (!active_[row]) continue;
            double& right = entries[n];
            right = -F_[row];
            for (int c = 0; c < laws_[k].count; ++c) {
                const double slope = slopes_[k * block + r * PenaltyLaw::max_rows + c];
                if (slope == 0) continue;
                const int own = laws_[k].row + c;
                const double* W = W_.data() + own * n_;
                for (int j = 0; j < n; ++j)
                    entries[j] += slope * (places_[j] == own ? W[own] - D_[own] : W[places_[j]]);
                for (int j = 0; j < n_; ++j)
                    if (!active_[j]) right -= slope * (j == own ? W[j] - D_[j] : W[j]) * step_[j];
            }
            entries[diagonal++] += 1;
            entries += width;
        }
    swapped_.resize(n);
    DenseLu lu(matrix_.data(), n, width, swapped_.data(), 1);
    if (!lu.factor(0)) return false;
    right_.resize(n);
    for (int j = 0; j < n; ++j) right_[j] = matrix_[static_cast<std::size_t>(j) * width + n];
    lu.substitute_back(right_.data());
    if (!std::isfinite(largest_of(right_))) return false;
    for (int j = 0; j < n; ++j) step_[places_[j]] = right_[j];
    return true;
}

void LawSolver::sweep(bool held) {
    // aside_: w, kept up to date.
    for (int i = 0; i < n_; ++i) aside_[i] = w0_[i] + dot(W_.data() + i * n_, p_.data(), n_);
    double own[PenaltyLaw::max_rows], p[PenaltyLaw::max_rows];
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const PenaltyLaw& law = laws_[k];
        // The push first: friction is cut off by it.
        for (const bool friction : {false, true}) {
            if (friction && law.count == 1) break;
            for (int r = 0; r < law.count; ++r)
                own[r] = aside_[law.row + r] - D_[law.row + r] * p_[law.row + r];
            law.answer(own, D_.data() + law.row, held ? cones_[k] : -1, p, nullptr);
            for (int r = friction ? 1 : 0; r < (friction ? law.count : 1); ++r) {
                const double by = p[r] - p_[law.row + r];
                if (by == 0) continue;
                add_scaled(by, W_.data() + (law.row + r) * n_, aside_.data(), n_);
                p_[law.row + r] = p[r];
            }
        }
    }
}

}  // namespace lig::implicit
