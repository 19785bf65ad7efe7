// Principal pivoting with bounds, after Baraff, "Fast contact force computation for nonpenetrating rigid
// bodies" (1994), who took it from Cottle and Dantzig. Exact up to rounding; O(n³) in all.
//
// Every row is in one of four states:
//   free        w = 0; the free rows F are those of the factor A_FF = L Lᵀ (growing_cholesky.h)
//   at_bound    λ at lo or hi
//   redundant   depends on the free rows: no force of it can change w, which is 0 already; λ stays as it came
//   impossible  depends on the free rows, w is not 0, and no bound is in the way of any force: no solution
// settle() puts rows with λ between their bounds into F and solves for them, stopping at every bound on the
// way; from the λ of the last step this is all there is to do. Then drive(i), for one row after the other
// whose w has the wrong sign: λ_i moves against w_i, the free rows follow so that their w stays 0 (A_FF d_F =
// −A_Fi), until
//   w_i = 0 → i becomes free;   λ_i meets its bound → done;
//   a free λ_k meets a bound → k leaves F, go on;   w_k of a row at its bound reaches 0 → k joins F.
// Each step lowers ½ λᵀA λ + bᵀλ or, when degenerate, changes nothing; a limit ends what would cycle.
//
// Departures from Baraff: it starts from any λ (warm start) and not from 0; semidefinite matrices. The
// Schur complement A_ii − A_iF A_FF⁻¹ A_Fi tells whether row i depends on F. If it does, moving λ_i moves no
// w at all, and some force reaches a bound, or none does and the row is impossible. Whenever a row leaves F,
// redundant rows are tried again.
//
// Friction (pyramid): bounds ±μ λ_p with the normal forces of the round before, and the pivoting goes on from
// there with the factor as it is, until the true law holds. A fixed point of forces: it contracts when μ
// times the coupling between normal and tangential rows is below 1. Where it does not, the bounds go only a
// part of the way, which converges for all but the most entangled problems; those end at the limit.

#include "linalg/growing_cholesky.h"
#include "linalg/lcp_list.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A Schur complement this small beside the diagonal is rounding: the row depends on the free ones.
constexpr double dependent_pivot = 1e-12;
// w smaller than this beside its terms is 0, and so is a rate of w beside its own.
constexpr double rounding = 2e-14;
// An entry of a null vector this small beside the others is 0.
constexpr double null_entry = 1e-9;
// Rounds with new bounds for friction, and the part of the way that the bounds go: all of it first, less
// where that does not converge.
constexpr int friction_rounds = 400;
constexpr double friction_step(int round) {
    if (round < 6) return 1;
    return round < 60 ? 0.5 : 0.25;
}

enum State : unsigned char {
    at_bound,
    free_row,
    redundant,
    impossible
};

class Pivoting {
public:
    Pivoting(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace::Parts& ws, double* lambda)
        : p_(problem),
          n_(problem.n),
          tolerance_(options.tolerance),
          options_(options),
          ws_(ws),
          lambda_(lambda),
          w_(ws.w.data()),
          lo_(ws.lo.data()),
          hi_(ws.hi.data()),
          factor_{ws.factor.data(), ws.reciprocal.data(), ws.rotations.data(), ws.capacity} {
        limit_ = options.iterations > 0 ? options.iterations : friction_rounds + 20 * n_;
        for (int i = 0; i < n_; ++i) {
            ws_.root_diagonal[at(i)] = std::sqrt(row(i)[i]);
            ws_.state[at(i)] = at_bound;
            if (friction_partner(p_, i) >= 0) continue;
            lo_[i] = p_.lo[i];
            hi_[i] = p_.hi[i];
        }
    }

    LcpResult run() {
        const bool friction = set_friction_bounds();
        for (int round = 0; round < friction_rounds && !stopped(); ++round) {
            solve_bounds();
            if (!friction) break;
            follow_friction_bounds(friction_step(round));
            if (follows_friction()) break;
        }
        if (friction) follow_friction_bounds(1);
        LcpResult result;
        result.iterations = iterations_;
        for (int i = 0; i < n_; ++i) {
            if (ws_.state[at(i)] == redundant) ++result.redundant;
            if (ws_.state[at(i)] != impossible) continue;
            if (result.impossible++ == 0) result.first_impossible = i;
        }
        return result;
    }

private:
    static std::size_t at(int i) { return std::size_t(i); }
    const double* row(int i) const { return p_.a + i * p_.stride; }
    bool between(int i) const { return lo_[i] < lambda_[i] && lambda_[i] < hi_[i]; }
    bool stopped() const { return iterations_ >= limit_ || stop_requested(options_); }

    // The law holds, with a margin for what the last step onto the bounds changes.
    bool follows_friction() {
        const LcpFigures f = measure_lcp(p_, LcpFriction::pyramid, lambda_, w_, ws_.scale.data());
        return f.residual <= 0.1 * tolerance_ && f.outside <= 0.1 * tolerance_;
    }

    // Bounds of the friction rows by the normal forces of now. True where there are such rows.
    bool set_friction_bounds() {
        bool any = false;
        for (int i = 0; i < n_; ++i) {
            const int normal = friction_partner(p_, i);
            if (normal < 0) continue;
            hi_[i] = p_.friction[i] * lambda_[normal];
            lo_[i] = -hi_[i];
            any = true;
        }
        return any;
    }

    // The same between rounds: rows at a bound go with it, free rows are cut by it.
    void follow_friction_bounds(double part) {
        for (int i = 0; i < n_; ++i) {
            const int normal = friction_partner(p_, i);
            if (normal < 0) continue;
            const double old = hi_[i], now = old + part * (p_.friction[i] * lambda_[normal] - old);
            hi_[i] = now;
            lo_[i] = -now;
            if (ws_.state[at(i)] == at_bound && old > 0 && std::fabs(lambda_[i]) == old)
                lambda_[i] = std::copysign(now, lambda_[i]);
            else
                lambda_[i] = std::clamp(lambda_[i], -now, now);
            if (!between(i)) {
                if (ws_.state[at(i)] == free_row)
                    leave(i);
                else
                    ws_.state[at(i)] = at_bound;
            }
        }
    }

    // The problem with the bounds as they are. The passes after the first correct what w has gathered in
    // rounding.
    void solve_bounds() {
        for (int pass = 0; pass < 4 && !stopped(); ++pass) {
            settle();
            if (worst_row() < 0) return;
            for (int i = worst_row(); i >= 0 && !stopped(); i = worst_row()) drive(i);
        }
    }

    void refresh_w() {
        for (int i = 0; i < n_; ++i) w_[i] = dot(row(i), lambda_, n_) + p_.b[i];
        refresh_size();
    }
    // By |A_ij| ≤ √(A_ii A_jj): |b_i| + √A_ii Σ √A_jj |λ_j| bounds the terms of w_i, for all i at once.
    void refresh_size() {
        size_ = 0;
        for (int i = 0; i < n_; ++i) size_ += ws_.root_diagonal[at(i)] * std::fabs(lambda_[i]);
    }
    double scale(int i) const { return std::fabs(p_.b[i]) + ws_.root_diagonal[at(i)] * size_; }

    // By how much w has the wrong sign, beyond rounding, relative to its scale; 0 where it has not.
    double wrong(int i) const {
        const double w = w_[i];
        if (!((w > 0 && lambda_[i] > lo_[i]) || (w < 0 && lambda_[i] < hi_[i]))) return 0;
        const State state = State(ws_.state[at(i)]);
        const double violation = std::fabs(w) / scale(i);
        return violation > (state == redundant ? std::max(rounding, tolerance_) : rounding) ? violation : 0;
    }
    int worst_row() const {
        int worst = -1;
        double most = 0;
        for (int i = 0; i < n_; ++i) {
            if (ws_.state[at(i)] == free_row || ws_.state[at(i)] == impossible) continue;
            const double violation = wrong(i);
            if (violation > most) {
                most = violation;
                worst = i;
            }
        }
        return worst;
    }

    // L⁻¹ A_Fi into `direction`; returns the Schur complement.
    double reduce(int i) {
        double* x = ws_.direction.data();
        const double* a = row(i);
        for (int k = 0; k < factor_.size; ++k) x[k] = a[ws_.order[at(k)]];
        factor_.solve_down(x);
        return a[i] - dot(x, x, factor_.size);
    }
    bool depends(int i, double pivot) const { return !(pivot > dependent_pivot * row(i)[i]); }

    void enter(int i, double pivot) {  // after reduce(i)
        ws_.order[at(factor_.size)] = i;
        ws_.place[at(i)] = factor_.size;
        factor_.append(ws_.direction.data(), pivot);
        ws_.state[at(i)] = free_row;
    }
    void enter_or_mark(int i) {
        const double pivot = reduce(i);
        if (depends(i, pivot))
            ws_.state[at(i)] = redundant;
        else
            enter(i, pivot);
    }
    void leave(int i) {
        const int k = ws_.place[at(i)];
        factor_.remove(k);
        for (int j = k; j < factor_.size; ++j) {
            ws_.order[at(j)] = ws_.order[at(j + 1)];
            ws_.place[at(ws_.order[at(j)])] = j;
        }
        ws_.state[at(i)] = at_bound;
        for (int j = 0; j < n_; ++j) {
            unsigned char& state = ws_.state[at(j)];
            if (state == impossible) state = at_bound;
            if (state != redundant || j == i) continue;
            if (!between(j))
                state = at_bound;
            else if (wrong(j) == 0)
                enter_or_mark(j);
        }
    }

    // How far λ_k can go at this rate.
    double room(int k, double rate) const {
        if (rate > 0) return std::max(hi_[k] - lambda_[k], 0.0) / rate;
        if (rate < 0) return std::max(lambda_[k] - lo_[k], 0.0) / -rate;
        return infinity;
    }
    void put_at_bound(int k, double rate) { lambda_[k] = rate > 0 ? hi_[k] : lo_[k]; }

    // w_F = 0 by full steps as long as no bound is in the way. Rows that depend on others are left out.
    void settle() {
        for (int i = 0; i < n_; ++i)
            if (ws_.state[at(i)] == at_bound && between(i)) enter_or_mark(i);
        refresh_w();
        do {
            double* d = ws_.direction.data();
            const int m = factor_.size;
            for (int k = 0; k < m; ++k) d[k] = -w_[ws_.order[at(k)]];
            factor_.solve(d);
            double step = 1;
            int blocker = -1;
            for (int k = 0; k < m; ++k) {
                const double reach = room(ws_.order[at(k)], d[k]);
                if (reach < step) {
                    step = reach;
                    blocker = k;
                }
            }
            for (int k = 0; k < m; ++k) {
                const int i = ws_.order[at(k)];
                lambda_[i] = std::clamp(lambda_[i] + step * d[k], lo_[i], hi_[i]);
            }
            ++iterations_;
            const int i = blocker < 0 ? -1 : ws_.order[at(blocker)];
            if (blocker >= 0) put_at_bound(i, d[blocker]);
            refresh_w();
            if (blocker < 0) return;
            leave(i);
        } while (!stopped());
    }

    // w_F = 0 again where it has drifted.
    void refine() {
        double* d = ws_.direction.data();
        for (int k = 0; k < factor_.size; ++k) d[k] = -w_[ws_.order[at(k)]];
        factor_.solve(d);
        for (int k = 0; k < factor_.size; ++k) {
            const int i = ws_.order[at(k)];
            lambda_[i] = std::clamp(lambda_[i] + d[k], lo_[i], hi_[i]);
        }
        refresh_w();
    }

    // The way of λ while row i is driven: λ_i at the rate `sign`, those of the free rows at ws_.direction, w
    // at ws_.dw.
    struct Way {
        double sign, pivot;
        bool dependent;        // on the free rows: w does not change
        double rate_size = 0;  // Σ √A_jj |rate of λ_j|
    };
    void find_way(int i, Way& way) {
        // The reduced column is needed again if i becomes free; it is written over here and then
        // recomputed, which costs less than the product below.
        double* d = ws_.direction.data();
        const int m = factor_.size;
        factor_.solve_up(d);
        way.rate_size = ws_.root_diagonal[at(i)];
        for (int k = 0; k < m; ++k) {
            d[k] *= -way.sign;
            way.rate_size += ws_.root_diagonal[at(ws_.order[at(k)])] * std::fabs(d[k]);
        }
        // A null vector of A is followed as far as it goes, so its zeros must be zeros.
        if (way.dependent)
            for (int k = 0; k < m; ++k)
                if (ws_.root_diagonal[at(ws_.order[at(k)])] * std::fabs(d[k]) <= null_entry * way.rate_size)
                    d[k] = 0;
        double* dw = ws_.dw.data();
        std::fill(dw, dw + n_, 0.0);
        if (way.dependent) return;
        add_scaled(way.sign, row(i), dw, n_);
        for (int k = 0; k < m; ++k) add_scaled(d[k], row(ws_.order[at(k)]), dw, n_);
    }

    // What ends the way first; of several the first in this order, then the lowest row.
    struct Event {
        enum Kind {
            zero_w,
            own_bound,
            free_bound,
            other_w
        } kind;
        double step;
        int who;
    };
    Event first_event(int i, const Way& way) const {
        const double* const dw = ws_.dw.data();
        Event first{Event::zero_w, way.dependent ? infinity : std::fabs(w_[i]) / way.pivot, i};
        const auto offer = [&](Event::Kind kind, double step, int who) {
            if (step < first.step) first = {kind, step, who};
        };
        offer(Event::own_bound, room(i, way.sign), i);
        for (int k = 0; k < n_; ++k) {
            if (ws_.state[at(k)] == free_row) {
                offer(Event::free_bound, room(k, ws_.direction[at(ws_.place[at(k)])]), k);
            } else if (!way.dependent && ws_.state[at(k)] == at_bound && k != i && lo_[k] < hi_[k]) {
                const double to_zero = lambda_[k] == lo_[k] ? -dw[k] : lambda_[k] == hi_[k] ? dw[k]
                                                                                            : 0;
                if (to_zero <= rounding * ws_.root_diagonal[at(k)] * way.rate_size || wrong(k) > 0) continue;
                offer(Event::other_w, std::max(lambda_[k] == lo_[k] ? w_[k] : -w_[k], 0.0) / to_zero, k);
            }
        }
        return first;
    }

    void advance(int i, const Way& way, double step) {
        const double* const d = ws_.direction.data();
        const int m = factor_.size;
        lambda_[i] = std::clamp(lambda_[i] + way.sign * step, lo_[i], hi_[i]);
        for (int k = 0; k < m; ++k) {
            const int j = ws_.order[at(k)];
            lambda_[j] = std::clamp(lambda_[j] + step * d[k], lo_[j], hi_[j]);
        }
        add_scaled(step, ws_.dw.data(), w_, n_);
        for (int k = 0; k < m; ++k) w_[ws_.order[at(k)]] = 0;
        refresh_size();
    }

    // Row i of wrong sign until it has the right one.
    void drive(int i) {
        if (ws_.state[at(i)] == redundant) ws_.state[at(i)] = at_bound;
        while (!stopped() && wrong(i) > 0) {
            const double pivot = reduce(i);
            Way way{w_[i] < 0 ? 1.0 : -1.0, pivot, depends(i, pivot)};
            if (way.dependent && std::fabs(w_[i]) <= tolerance_ * scale(i)) {
                ws_.state[at(i)] = redundant;
                return;
            }
            find_way(i, way);
            const Event event = first_event(i, way);
            ++iterations_;
            if (event.step == infinity) {
                // Unless w is only what rounding has left in it.
                refresh_w();
                refine();
                ws_.state[at(i)] = std::fabs(w_[i]) <= tolerance_ * scale(i) ? redundant : impossible;
                return;
            }
            advance(i, way, event.step);
            switch (event.kind) {
                case Event::zero_w:
                    w_[i] = 0;
                    enter(i, reduce(i));
                    return;
                case Event::own_bound: put_at_bound(i, way.sign); return;
                case Event::free_bound:
                    put_at_bound(event.who, ws_.direction[at(ws_.place[at(event.who)])]);
                    leave(event.who);
                    if (way.dependent && event.step > 0) {  // a long way may not have been a null vector's
                        refresh_w();
                        refine();
                    }
                    break;
                case Event::other_w:
                    w_[event.who] = 0;
                    enter_or_mark(event.who);
                    break;
            }
        }
    }

    const LcpProblem& p_;
    const int n_;
    const double tolerance_;
    const LcpOptions& options_;
    LcpWorkspace::Parts& ws_;
    double* lambda_;
    double* w_;
    double *lo_, *hi_;
    GrowingCholesky factor_;
    double size_ = 0;  // Σ √A_jj |λ_j|
    int iterations_ = 0, limit_ = 0;
};

}  // namespace

LcpResult solve_dantzig(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                        std::span<double> lambda) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda);
    if (result.status != LcpStatus::solved) return result;
    result = Pivoting(problem, options, workspace.parts(), lambda.data()).run();
    finish_lcp(problem, LcpFriction::pyramid, options, workspace, lambda, result);
    return result;
}

}  // namespace lig
