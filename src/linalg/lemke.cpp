#include "linalg/lemke.h"

#include "linalg/dense_lu.h"
#include "linalg/lemke_table.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lig {

void LemkeWorkspace::resize(int capacity) {
    capacity_ = capacity;
    const std::size_t n = std::size_t(capacity);
    table = std::make_unique_for_overwrite<double[]>(n * (n + 1));
    for (std::vector<double>* v : {&ray, &values, &x, &best, &residual, &cover}) v->resize(n);
    for (std::vector<int>* v : {&basic, &first_basis, &members}) v->resize(n);
    nonbasic.resize(n + 1);
    position.resize(2 * n + 1);
    wanted.resize(2 * n + 1);
    dependent.resize(n);
    best_basis.resize(n);
}

namespace {

// Entries of a column this small beside its largest, and beside 1, are rounding.
constexpr double column_rounding = 1e-11, entry_rounding = 1e-13;
// Values this small beside the largest are rounding: ties, zeros.
constexpr double value_rounding = 1e-14;
constexpr int max_attempts = 4, pivots_per_attempt = 4;  // the latter times n
constexpr int corrections = 2;
// How often a table is compared with M, and what it may have lost.
constexpr int pivots_per_check = 16;
constexpr double max_drift = 1e-12;
// Of the largest number: rows of smaller ones are judged beside this.
constexpr double smallest_part = 1e-3;

class Lemke {
public:
    Lemke(const LemkeProblem& problem, const LemkeOptions& options, LemkeWorkspace& workspace,
          std::span<unsigned char> basis, std::span<double> z)
        : p_(problem),
          n_(problem.n),
          options_(options),
          ws_(workspace),
          table_(problem, workspace),
          basis_(basis),
          z_(z.data()),
          limit_(options.pivots > 0 ? options.pivots : 20 * problem.n + 100) {}

    LemkeResult run() {
        result_.error = std::numeric_limits<double>::infinity();
        bool warm = false;
        for (int i = 0; i < n_; ++i) warm = warm || (!table_.is_free(i) && basis_[at(i)]);
        if (warm) {
            // It may be the solution already; then no table is needed.
            ++result_.pivots;
            std::fill_n(ws_.dependent.begin(), n_, 0);
            if (options_.refine && solve_basis(LemkeTable::dependent_pivot)) {
                keep_if_better();
                if (result_.error <= options_.tolerance) return end(LemkeStatus::solved);
            }
        }
        for (;; ++attempt_) {
            if (!start()) {  // only at a basis of the guess or of a failed attempt
                forget_basis();
                warm = false;
                start();
            }
            attempt_end_ = std::min(limit_, result_.pivots + pivots_per_attempt * n_ + 100);
            const LemkeStatus outcome = follow();
            read_basis();
            bool regular = false;
            if (outcome == LemkeStatus::solved && options_.refine) {
                read_table();
                std::copy_n(ws_.x.begin(), n_, z_);
                regular = solve_basis(0);
                if (!regular) std::copy_n(z_, n_, ws_.x.begin());  // the table's own, for what they are worth
                keep_if_better();
                if (result_.error <= options_.tolerance) return end(LemkeStatus::solved);
            } else {
                read_table();
                if (outcome == LemkeStatus::ray) read_ray();
                keep_if_better();
                if (!options_.refine) return end(outcome);
                // z₀ may have been all but 0.
                if (result_.error <= options_.tolerance) return end(LemkeStatus::solved);
            }
            if (attempt_ == max_attempts || result_.pivots >= limit_ || stopped())
                return end(outcome == LemkeStatus::solved ? LemkeStatus::inaccurate : outcome);
            // Without rounding, a ray that has been reached from z = 0 is the end.
            if (outcome == LemkeStatus::ray && !warm && attempt_ > 0) return end(outcome);
            warm = regular;
            if (warm)
                ++result_.rebuilt;
            else
                forget_basis();
        }
    }

private:
    static std::size_t at(int i) { return std::size_t(i); }
    bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }
    void forget_basis() { std::fill_n(basis_.begin(), n_, 0); }
    // By how much z₀ lifts a row: by 1, later by other numbers around it, so that another way is taken.
    double lift_of(int i) const {
        const double golden = 0.6180339887498949 * attempt_ * (i + 1);
        return 1 + (golden - std::floor(golden));
    }

    LemkeResult end(LemkeStatus status) {
        std::copy_n(ws_.best.begin(), n_, z_);
        std::copy_n(ws_.best_basis.begin(), n_, basis_.begin());
        result_.status = status;
        return result_;
    }

    // The table at the basis of free rows and basis_, with a z₀ that lifts each row of it by some e: in the
    // rows of M that is
    //   d_i = [i not in the basis] e_i − Σ_{j in the basis} M_ij e_j.
    // False where it is no basis.
    bool start() {
        for (int i = 0; i < n_; ++i) {
            double lifted = 0;
            for (int j = 0; j < n_; ++j)
                if (!table_.is_free(j) && basis_[at(j)]) lifted -= table_.m(i, j) * lift_of(j);
            ws_.cover[at(i)] = lifted + (!table_.is_free(i) && !basis_[at(i)] ? lift_of(i) : 0);
        }
        result_.dependent = table_.write();
        const bool regular = table_.exchange_all(
            [&](int v) { return v < n_ && !table_.is_free(v) && basis_[at(v)]; },
            [&](int v) {
                return v >= n_ && v != table_.lift() && !table_.is_free(table_.index(v)) &&
                       basis_[at(table_.index(v))];
            });
        for (int r = 0; r < n_; ++r) ws_.first_basis[at(r)] = ws_.basic[at(r)];
        return regular;
    }

    // M x + q, of one row.
    double w_at_x(int i) const {
        return dot(p_.m + std::ptrdiff_t(i) * p_.stride, ws_.x.data(), n_) + p_.q[i];
    }

    // Rows of which all terms are next to nothing are judged beside the others: a part of the largest.
    double smallest_size() const {
        double largest = 0;
        for (int i = 0; i < n_; ++i)
            largest = std::max({largest, std::fabs(p_.q[i]), std::fabs(ws_.x[at(i)])});
        return smallest_part * largest;
    }

    // The most that a row is off, relative to its terms: `missed` gives by how much, and a term besides.
    template <class Missed>
    double worst_row(const Missed& missed) const {
        const double min_size = smallest_size();
        double worst = 0;
        for (int i = 0; i < n_; ++i) {
            if (ws_.dependent[at(i)]) continue;
            const auto [off, further] = missed(i);
            double size = min_size + std::fabs(p_.q[i]) + further;
            for (int j = 0; j < n_; ++j) size += std::fabs(table_.m(i, j) * ws_.x[at(j)]);
            if (off > 0 && !(off / size <= worst)) worst = off / size;
        }
        return worst;
    }

    // How far the values of the table are from w = M z + q + d z₀.
    double drift() {
        read_table();
        const int r0 = ws_.position[at(table_.lift())];
        const double z0 = r0 < 0 ? 0 : ws_.values[at(r0)];
        return worst_row([&](int i) {
            const int r = ws_.position[at(table_.w_of(i))];
            const double lift_term = ws_.cover[at(i)] * z0, w = r < 0 ? 0 : ws_.values[at(r)];
            return std::pair(std::fabs(w_at_x(i) + lift_term - w), std::fabs(lift_term));
        });
    }

    // The same basis again, from M. False where M has it for singular.
    bool rebuild() {
        for (int v = 0; v <= table_.lift(); ++v) ws_.wanted[at(v)] = ws_.position[at(v)] >= 0;
        result_.dependent = table_.write();
        return table_.exchange_all([&](int v) { return table_.bounded(v) && !ws_.wanted[at(v)]; },
                                   [&](int v) { return table_.bounded(v) && ws_.wanted[at(v)]; });
    }

    double rounding_of_values() const {
        if (!options_.refine) return 0;
        double largest = 0;
        for (int r = 0; r < n_; ++r) largest = std::max(largest, std::fabs(ws_.values[at(r)]));
        return value_rounding * largest;
    }

    LemkeStatus follow() {
        double noise = rounding_of_values();
        int lowest = -1;
        double least = 0;
        for (int r = 0; r < n_; ++r) {
            // Of equal ones the last: the lexicographic rule for the rows of a unit matrix.
            if (!table_.bounded(ws_.basic[at(r)]) || !(ws_.values[at(r)] < -noise)) continue;
            const double ratio = ws_.values[at(r)] / table_.row(r)[0];
            if (ratio > least) continue;
            least = ratio;
            lowest = r;
        }
        if (lowest < 0) return LemkeStatus::solved;
        int entering = table_.lift(), r = lowest;
        for (;;) {
            if (result_.pivots >= attempt_end_ || stopped()) return LemkeStatus::pivot_limit;
            const int c = -1 - ws_.position[at(entering)];
            if (r < 0) r = first_to_zero(c, noise);
            if (r < 0) {
                unbounded_ = c;
                return LemkeStatus::ray;
            }
            const int leaving = ws_.basic[at(r)];
            table_.exchange(r, c);
            ++result_.pivots;
            if (leaving == table_.lift()) return LemkeStatus::solved;
            entering = table_.complement(leaving);
            r = -1;
            if (options_.refine && result_.pivots % pivots_per_check == 0 && !(drift() <= max_drift)) {
                ++result_.rebuilt;
                if (!rebuild()) return LemkeStatus::inaccurate;
            }
            noise = rounding_of_values();
        }
    }

    // The row whose variable is the first to reach 0 when that of column c grows; −1: none does.
    int first_to_zero(int c, double noise) {
        double largest = 0;
        if (options_.refine)
            for (int r = 0; r < n_; ++r) largest = std::max(largest, std::fabs(table_.row(r)[c]));
        const double least = options_.refine ? std::max(column_rounding * largest, entry_rounding) : 0;
        const auto falls = [&](int r) {
            return table_.bounded(ws_.basic[at(r)]) && table_.row(r)[c] < -least;
        };
        const auto ratio = [&](int r) { return std::max(ws_.values[at(r)], 0.0) / -table_.row(r)[c]; };
        double reach = std::numeric_limits<double>::infinity();
        for (int r = 0; r < n_; ++r)
            if (falls(r)) reach = std::min(reach, ratio(r));
        int best = -1;
        for (int r = 0; r < n_; ++r) {
            if (!falls(r)) continue;
            // Also those of which nothing but rounding is left.
            if (!(ratio(r) <= reach) && !(ws_.values[at(r)] + reach * table_.row(r)[c] <= noise)) continue;
            if (ws_.basic[at(r)] == table_.lift()) return r;
            if (best < 0 || precedes(r, best, c)) best = r;
        }
        return best;
    }

    // Lexicographic order of the rows of [inverse of the basis] divided by their pivots.
    bool precedes(int r, int s, int c) {
        const double pivot_r = -table_.row(r)[c], pivot_s = -table_.row(s)[c];
        for (int k = 0; k < n_; ++k) {
            const int position = ws_.position[at(ws_.first_basis[at(k)])];
            double x, y;
            if (position >= 0) {
                x = position == r ? 1 : 0;
                y = position == s ? 1 : 0;
            } else {
                if (-1 - position >= table_.width()) continue;
                x = -table_.row(r)[-1 - position];
                y = -table_.row(s)[-1 - position];
            }
            x /= pivot_r;
            y /= pivot_s;
            if (std::fabs(x - y) <= entry_rounding * (std::fabs(x) + std::fabs(y))) continue;
            return x < y;
        }
        return false;
    }

    void read_basis() {
        for (int i = 0; i < n_; ++i)
            if (!table_.is_free(i)) basis_[at(i)] = ws_.position[at(table_.z_of(i))] >= 0;
    }
    void read_table() {
        for (int i = 0; i < n_; ++i) {
            const int r = ws_.position[at(table_.z_of(i))];
            ws_.x[at(i)] = r < 0 ? 0 : ws_.values[at(r)];
        }
    }
    void read_ray() {
        for (int i = 0; i < n_; ++i) {
            const int position = ws_.position[at(table_.z_of(i))];
            if (position >= 0)
                ws_.ray[at(i)] = table_.row(position)[unbounded_];
            else
                ws_.ray[at(i)] = -1 - position == unbounded_ ? 1 : 0;
        }
    }

    // x: the z of the basis, from M and q: LU with row pivoting of M_PP in the table's place, then
    // corrections by the residual. False where the basis is singular, by pivots up to min_pivot.
    bool solve_basis(double min_pivot) {
        int count = 0;
        for (int i = 0; i < n_; ++i)
            if (table_.is_free(i) ? !ws_.dependent[at(i)] : basis_[at(i)] != 0) ws_.members[at(count++)] = i;
        // Free rows and columns that are left over need not be the same ones where M is not symmetric; then
        // this basis is singular and the table is all there is.
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j)
                ws_.table[at(i) * at(n_) + at(j)] = table_.m(ws_.members[at(i)], ws_.members[at(j)]);
        DenseLu lu(ws_.table.get(), count, n_, ws_.basic.data());
        if (!lu.factor(min_pivot)) return false;
        std::fill_n(ws_.x.begin(), n_, 0.0);
        double* d = ws_.residual.data();
        for (int pass = 0; pass <= corrections; ++pass) {
            for (int i = 0; i < count; ++i) d[i] = -w_at_x(ws_.members[at(i)]);
            lu.solve(d);
            for (int i = 0; i < count; ++i) ws_.x[at(ws_.members[at(i)])] += d[i];
        }
        return true;
    }

    // x without what is negative, if its error is less than that of the best one.
    void keep_if_better() {
        for (int i = 0; i < n_; ++i)
            if (!table_.is_free(i)) ws_.x[at(i)] = std::max(ws_.x[at(i)], 0.0);
        const double error = worst_row([&](int i) {
            const double w = w_at_x(i);
            return std::pair(std::fabs(table_.is_free(i) ? w : std::min(w, ws_.x[at(i)])), 0.0);
        });
        if (!kept_ || error < result_.error) {
            result_.error = error;
            std::copy_n(ws_.x.begin(), n_, ws_.best.begin());
            std::copy_n(basis_.begin(), n_, ws_.best_basis.begin());
        }
        kept_ = true;
    }

    const LemkeProblem& p_;
    const int n_;
    const LemkeOptions& options_;
    LemkeWorkspace& ws_;
    LemkeTable table_;
    std::span<unsigned char> basis_;
    double* z_;
    const int limit_;
    int attempt_ = 0, attempt_end_ = 0;
    int unbounded_ = 0;  // the column of a ray
    bool kept_ = false;
    LemkeResult result_;
};

}  // namespace

LemkeResult solve_lemke_problem(const LemkeProblem& problem, const LemkeOptions& options,
                                LemkeWorkspace& workspace, std::span<unsigned char> basis,
                                std::span<double> z) {
    return Lemke(problem, options, workspace, basis, z).run();
}

}  // namespace lig
