#include "formulations/implicit/law_solver.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig::implicit {

namespace {

constexpr int most_iterations = 60;
constexpr int most_held = 20;       // iterations with cones that are held
constexpr int first_sweeps = 2, sweeps = 10;
constexpr int most_halvings = 2;
constexpr double enough = 0.1;      // of the share of a step: how much less the merit has to be
constexpr double level = 0.3;       // of the slope at the beginning: what a step along it may end with
constexpr int most_cuts = 8;
constexpr int most_direct = 600;    // rows that Newton's method is for
constexpr int scalar_iterations = 8;
constexpr int block = PenaltyLaw::most_rows * PenaltyLaw::most_rows;

// A x = b, both overwritten. False: A is singular.
bool solve_dense(std::vector<double>& A, std::vector<double>& b, int n) {
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
        if (!(std::abs(A[pivot * n + k]) > 0)) return false;
        if (pivot != k) {
            std::swap_ranges(A.begin() + k * n, A.begin() + (k + 1) * n, A.begin() + pivot * n);
            std::swap(b[k], b[pivot]);
        }
        const double by = 1 / A[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            const double factor = A[i * n + k] * by;
            if (factor == 0) continue;
            add_scaled(-factor, A.data() + k * n + k + 1, A.data() + i * n + k + 1, n - k - 1);
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k)
        b[k] = (b[k] - dot(A.data() + k * n + k + 1, b.data() + k + 1, n - k - 1)) / A[k * n + k];
    return std::isfinite(largest_of({b.data(), static_cast<std::size_t>(n)}));
}

}  // namespace

double LawSolver::look(std::span<const double> p, bool with_slopes, bool held) {
    for (int i = 0; i < n_; ++i) w_[i] = w0_[i] + dot(W_.data() + i * n_, p.data(), n_);
    for (std::size_t k = 0; k < laws_.size(); ++k)
        laws_[k].evaluate(w_.data() + laws_[k].row, law_.data() + laws_[k].row,
                          with_slopes ? slopes_.data() + k * block : nullptr, held ? cones_[k] : -1);
    for (int i = 0; i < n_; ++i) F_[i] = p[i] - law_[i];
    double square = 0;
    for (int i = 0; i < n_; ++i) {
        missed_[i] = dot(W_.data() + i * n_, F_.data(), n_);
        square += missed_[i] * missed_[i];
    }
    return std::sqrt(square);
}

bool LawSolver::solve(std::span<const PenaltyLaw> laws, std::span<const double> W,
                      std::span<const double> w0, double tolerance, std::span<double> p) {
    laws_ = laws;
    W_ = W;
    w0_ = w0;
    n_ = static_cast<int>(w0.size());
    p_.assign(p.begin(), p.end());
    const bool met = iterate(tolerance);
    std::copy(p_.begin(), p_.end(), p.begin());
    return met;
}

bool LawSolver::iterate(double tolerance) {
    const std::size_t n = static_cast<std::size_t>(n_);
    for (std::vector<double>* v : {&trial_, &w_, &law_, &missed_, &F_, &step_}) v->resize(n);
    active_.resize(n);
    slopes_.resize(laws_.size() * block);
    cones_.resize(laws_.size());
    const bool direct = n_ <= most_direct;
    double best = HUGE_VAL;
    for (int s = 0; s < first_sweeps; ++s) sweep();
    double merit = look(p_, true);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        if (merit < best) {
            best = merit;
            best_ = p_;
        }
        bool led_on = false;
        if (direct && find_direction()) {
            if (is_small(tolerance)) {
                for (std::size_t i = 0; i < n; ++i) p_[i] += step_[i];
                return true;
            }
            double share = 1;
            for (int halving = 0; halving <= most_halvings && !led_on; ++halving, share *= 0.5) {
                for (std::size_t i = 0; i < n; ++i) trial_[i] = p_[i] + share * step_[i];
                // Better than anything before, so that it does not lead back to where it has been.
                led_on = look(trial_, false) <= (1 - enough * share) * best;
            }
        } else if (largest_of({missed_.data(), n}) <= tolerance) {
            return true;
        }
        if (led_on)
            p_.swap(trial_);
        else if (direct)
            solve_held(tolerance);
        else
            for (int s = 0; s < sweeps; ++s) sweep();
        merit = look(p_, true);
    }
    if (best < merit) p_ = best_;
    return false;
}

// With the cones of the pushes at p.
void LawSolver::solve_held(double tolerance) {
    const std::size_t n = static_cast<std::size_t>(n_);
    look(p_, false);
    for (std::size_t k = 0; k < laws_.size(); ++k)
        cones_[k] = laws_[k].kind == PenaltyLaw::Kind::contact ? law_[laws_[k].row] / laws_[k].eta : 0.0;
    for (int iteration = 0; iteration < most_held; ++iteration) {
        look(p_, true, true);
        if (!find_direction()) return;
        const double slope = dot(step_.data(), missed_.data(), n_);
        if (is_small(tolerance) || !(slope < 0)) return;
        double share = 1, low = 0, high = 1;
        for (int cut = 0;; ++cut) {
            for (std::size_t i = 0; i < n; ++i) trial_[i] = p_[i] + share * step_[i];
            look(trial_, false, true);
            const double here = dot(step_.data(), missed_.data(), n_);
            if (cut == most_cuts || here <= -level * slope) {
                if (here >= level * slope || share == 1 || cut == most_cuts) break;
                low = share;
            } else {
                high = share;
            }
            share = 0.5 * (low + high);
        }
        p_.swap(trial_);
    }
}

// Whether velocities would change by no more than `most` along the step.
bool LawSolver::is_small(double most) const {
    for (int i = 0; i < n_; ++i)
        if (!(std::abs(dot(W_.data() + i * n_, step_.data(), n_)) <= most)) return false;
    return true;
}

// (1 + C W) step = −F. Rows that do not yield (C is 0) follow at once.
bool LawSolver::find_direction() {
    places_.clear();
    for (std::size_t k = 0; k < laws_.size(); ++k)
        for (int r = 0; r < laws_[k].count; ++r) {
            const double* C = slopes_.data() + k * block + r * PenaltyLaw::most_rows;
            const bool yields = std::any_of(C, C + laws_[k].count, [](double c) { return c != 0; });
            active_[laws_[k].row + r] = yields;
            if (yields) places_.push_back(laws_[k].row + r);
        }
    for (int i = 0; i < n_; ++i) step_[i] = active_[i] ? 0.0 : -F_[i];
    const int n = static_cast<int>(places_.size());
    matrix_.assign(static_cast<std::size_t>(n) * n, 0.0);
    right_.resize(n);
    int at = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k)
        for (int r = 0; r < laws_[k].count; ++r) {
            const int row = laws_[k].row + r;
            if (!active_[row]) continue;
            right_[at] = -F_[row];
            for (int c = 0; c < laws_[k].count; ++c) {
                const double slope = slopes_[k * block + r * PenaltyLaw::most_rows + c];
                if (slope == 0) continue;
                const double* W = W_.data() + (laws_[k].row + c) * n_;
                for (int j = 0; j < n; ++j) matrix_[at * n + j] += slope * W[places_[j]];
                for (int j = 0; j < n_; ++j)
                    if (!active_[j]) right_[at] -= slope * W[j] * step_[j];
            }
            matrix_[at * n + at] += 1;
            ++at;
        }
    if (n > 0 && !solve_dense(matrix_, right_, n)) return false;
    for (int j = 0; j < n; ++j) step_[places_[j]] = right_[j];
    return true;
}

void LawSolver::change(int row, double to) {
    const double by = to - p_[row];
    if (by == 0) return;
    add_scaled(by, W_.data() + row * n_, w_.data(), n_);
    p_[row] = to;
}

void LawSolver::sweep() {
    for (int i = 0; i < n_; ++i) w_[i] = w0_[i] + dot(W_.data() + i * n_, p_.data(), n_);
    for (const PenaltyLaw& law : laws_) sweep_law(law);
}

void LawSolver::sweep_law(const PenaltyLaw& law) {
    const int row = law.row;
    const double own = W_[row * n_ + row], aside = w_[row] - own * p_[row];
    if (law.kind == PenaltyLaw::Kind::linear) {
        change(row, -law.weight * aside / (1 + law.weight * own));
        return;
    }
    if (law.kind == PenaltyLaw::Kind::dry) {
        const double slope = law.eta * law.damping, most = law.eta * law.bound;
        change(row, std::clamp(-slope * (law.rate + aside) / (1 + slope * own), -most, most));
        return;
    }
    // p = η N(aside + own p): N falls as p grows.
    double p = 0;
    for (int k = 0; k < scalar_iterations; ++k) {
        const double w = aside + own * p;
        const PenaltyLaw::Push push = PenaltyLaw::push_of(law.stiffness, law.dissipation,
                                                          law.gap + law.eta * w, law.rate + w);
        const double slope = law.eta * (law.eta * push.slope + push.rate_slope);
        const double next = p + (law.eta * push.force - p) / (1 + slope * own);
        if (next == p) break;
        p = next;
    }
    change(row, std::max(0.0, p));
    // Of a cone: T = proj(t − κ w) is the fixed point of projected steps by what is missed.
    for (int cone = 0; cone < PenaltyLaw::cone_count; ++cone) {
        const int first = PenaltyLaw::cones[cone], last = std::min(PenaltyLaw::cones[cone + 1], law.count - 1);
        if (first >= last) break;
        double most = 0, slope = 0;
        for (int k = first; k < last; ++k) {
            double sum = 0;
            for (int j = first; j < last; ++j) sum += std::abs(W_[(row + 1 + k) * n_ + row + 1 + j]);
            most = std::max(most, sum);
            slope = law.eta * law.arm[k] * law.arm[k] * (law.eta * law.stiffness + law.damping);
        }
        const double share = 1 / (1 + slope * most);
        double next[PenaltyLaw::most_friction], square = 0;
        for (int k = first; k < last; ++k) {
            const double w = w_[row + 1 + k], now = p_[row + 1 + k];
            const double wanted =
                law.eta * (law.stuck[k] - law.arm[k] * law.arm[k] *
                                              (law.stiffness * (law.moved[k] + law.eta * w) +
                                               law.damping * (law.rates[k] + w)));
            next[k] = now + share * (wanted - now);
            square += (next[k] / law.friction[k]) * (next[k] / law.friction[k]);
        }
        const double push = p_[row], keep = square > push * push ? push / std::sqrt(square) : 1.0;
        for (int k = first; k < last; ++k) change(row + 1 + k, keep * next[k]);
    }
}

}  // namespace lig::implicit
