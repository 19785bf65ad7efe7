#include "linalg/lemke.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// A pivot this small means that a free row depends on those before it.
constexpr double dependent_pivot = 1e-12;
// Entries of a column this small beside its largest, and beside 1, are rounding.
constexpr double column_rounding = 1e-11, entry_rounding = 1e-13;
// Values this small beside the largest are rounding: ties, zeros.
constexpr double value_rounding = 1e-14;
constexpr int most_attempts = 4, pivots_per_attempt = 4;  // the latter times n
constexpr int corrections = 2;
// How often a table is compared with M, and what it may have lost.
constexpr int pivots_per_check = 16;
constexpr double most_drift = 1e-12;
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
          basis_(basis),
          z_(z.data()),
          limit_(options.pivots > 0 ? options.pivots : 20 * problem.n + 100) {}

    LemkeResult run() {
        result_.error = std::numeric_limits<double>::infinity();
        bool warm = false;
        for (int i = 0; i < n_; ++i) warm = warm || (!is_free(i) && basis_[at(i)]);
        if (warm) {
            // It may be the solution already; then no table is needed.
            ++result_.pivots;
            std::fill_n(ws_.dependent.begin(), n_, 0);
            if (options_.refine && solve_basis(dependent_pivot)) {
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
            if (attempt_ == most_attempts || result_.pivots >= limit_ || stopped())
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
    bool is_free(int i) const { return p_.free && p_.free[i]; }
    double m(int i, int j) const { return p_.m[std::ptrdiff_t(i) * p_.stride + j]; }
    double* row(int r) { return ws_.table.get() + std::ptrdiff_t(r) * (n_ + 1); }
    // Variables: w_i is i, z_i is n + i, z₀ is 2n. Positions: rows from 0 on, column c as −1 − c. z₀ begins
    // in column 0.
    int w_of(int i) const { return i; }
    int z_of(int i) const { return n_ + i; }
    int lift() const { return 2 * n_; }
    int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }
    int index(int variable) const { return variable < n_ ? variable : variable - n_; }
    // Whether the row of this variable takes part in ratio tests.
    bool bounded(int variable) const { return variable == lift() || !is_free(index(variable)); }

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

    void exchange(int r, int c) {
        double* pivot_row = row(r);
        const double reciprocal = 1 / pivot_row[c];
        for (int j = 0; j < width_; ++j) pivot_row[j] *= -reciprocal;
        pivot_row[c] = reciprocal;
        ws_.values[at(r)] *= -reciprocal;
        for (int i = 0; i < n_; ++i) {
            if (i == r) continue;
            double* other = row(i);
            const double factor = other[c];
            if (factor == 0) continue;
            other[c] = 0;
            add_scaled(factor, pivot_row, other, width_);
            ws_.values[at(i)] += factor * ws_.values[at(r)];
        }
        std::swap(ws_.basic[at(r)], ws_.nonbasic[at(c)]);
        ws_.position[at(ws_.basic[at(r)])] = r;
        ws_.position[at(ws_.nonbasic[at(c)])] = -1 - c;
    }

    // A column that is never looked at again: its variable stays 0.
    void drop_column(int c) {
        --width_;
        if (c != width_) {
            for (int i = 0; i < n_; ++i) std::swap(row(i)[c], row(i)[width_]);
            std::swap(ws_.nonbasic[at(c)], ws_.nonbasic[at(width_)]);
            ws_.position[at(ws_.nonbasic[at(c)])] = -1 - c;
        }
        ws_.position[at(ws_.nonbasic[at(width_)])] = -1 - width_;
    }

    // Exchanges the chosen variables, those that stand in rows against those that stand in columns, the
    // largest pivot first. False where rows without pivot are left.
    template <class Out, class In>
    bool exchange_all(Out&& out, In&& in) {
        for (;;) {
            int best_row = -1, best_column = -1;
            double largest = dependent_pivot;
            bool any = false;
            for (int r = 0; r < n_; ++r) {
                const int leaving = ws_.basic[at(r)];
                if (!out(leaving)) continue;
                any = true;
                for (int c = 0; c < width_; ++c) {
                    const int entering = ws_.nonbasic[at(c)];
                    if (!in(entering)) continue;
                    // Diagonal ones first: rows and columns that are left over are then of the same indices.
                    const double size = std::fabs(row(r)[c]) * (entering == complement(leaving) ? 1 : 0.5);
                    if (size > largest) {
                        largest = size;
                        best_row = r;
                        best_column = c;
                    }
                }
            }
            if (best_row < 0) return !any;
            exchange(best_row, best_column);
        }
    }

    // The table from M and q, at the basis of the free rows alone.
    void write_table() {
        width_ = n_ + 1;
        for (int i = 0; i < n_; ++i) {
            double* r = row(i);
            r[0] = ws_.cover[at(i)];
            for (int j = 0; j < n_; ++j) r[1 + j] = m(i, j);
            ws_.values[at(i)] = p_.q[i];
            ws_.basic[at(i)] = w_of(i);
            ws_.position[at(w_of(i))] = i;
            ws_.nonbasic[at(1 + i)] = z_of(i);
            ws_.position[at(z_of(i))] = -2 - i;
        }
        ws_.nonbasic[0] = lift();
        ws_.position[at(lift())] = -1;
        const auto is_free_w = [&](int v) { return v < n_ && is_free(v); };
        const auto is_free_z = [&](int v) { return v >= n_ && v != lift() && is_free(index(v)); };
        exchange_all(is_free_w, is_free_z);
        result_.dependent = 0;
        for (int i = 0; i < n_; ++i) {
            ws_.dependent[at(i)] = 0;
            if (!is_free(i)) continue;
            // Exchanges need not be in pairs of one row: what is left of rows and of columns is as many.
            if (ws_.position[at(w_of(i))] >= 0) {
                ws_.dependent[at(i)] = 1;
                ++result_.dependent;
            }
            for (const int variable : {w_of(i), z_of(i)})
                if (const int position = ws_.position[at(variable)]; position < 0) drop_column(-1 - position);
        }
    }

    // The table at the basis of free rows and basis_, with a z₀ that lifts each row of it by some e: in the
    // rows of M that is
    //   d_i = [i not in the basis] e_i − Σ_{j in the basis} M_ij e_j.
    // False where it is no basis.
    bool start() {
        for (int i = 0; i < n_; ++i) {
            double lifted = 0;
            for (int j = 0; j < n_; ++j)
                if (!is_free(j) && basis_[at(j)]) lifted -= m(i, j) * lift_of(j);
            ws_.cover[at(i)] = lifted + (!is_free(i) && !basis_[at(i)] ? lift_of(i) : 0);
        }
        write_table();
        const bool regular = exchange_all(
            [&](int v) { return v < n_ && !is_free(v) && basis_[at(v)]; },
            [&](int v) { return v >= n_ && v != lift() && !is_free(index(v)) && basis_[at(index(v))]; });
        for (int r = 0; r < n_; ++r) ws_.first_basis[at(r)] = ws_.basic[at(r)];
        return regular;
    }

    // Rows of which all terms are next to nothing are judged beside the others: a part of the largest.
    double smallest_size() const {
        double largest = 0;
        for (int i = 0; i < n_; ++i)
            largest = std::max({largest, std::fabs(p_.q[i]), std::fabs(ws_.x[at(i)])});
        return smallest_part * largest;
    }

    // How far the values of the table are from w = M z + q + d z₀, relative to its terms.
    double drift() {
        read_table();
        const int r0 = ws_.position[at(lift())];
        const double z0 = r0 < 0 ? 0 : ws_.values[at(r0)];
        const double least_size = smallest_size();
        double worst = 0;
        for (int i = 0; i < n_; ++i) {
            if (ws_.dependent[at(i)]) continue;
            const int r = ws_.position[at(w_of(i))];
            const double lift_term = ws_.cover[at(i)] * z0, w = r < 0 ? 0 : ws_.values[at(r)];
            double size = least_size + std::fabs(p_.q[i]) + std::fabs(lift_term);
            for (int j = 0; j < n_; ++j) size += std::fabs(m(i, j) * ws_.x[at(j)]);
            const double sum =
                dot(p_.m + std::ptrdiff_t(i) * p_.stride, ws_.x.data(), n_) + p_.q[i] + lift_term;
            const double off = std::fabs(sum - w);
            if (off > 0 && !(off / size <= worst)) worst = off / size;
        }
        return worst;
    }

    // The same basis again, from M. False where M has it for singular.
    bool rebuild() {
        for (int v = 0; v <= lift(); ++v) ws_.wanted[at(v)] = ws_.position[at(v)] >= 0;
        write_table();
        return exchange_all([&](int v) { return bounded(v) && !ws_.wanted[at(v)]; },
                            [&](int v) { return bounded(v) && ws_.wanted[at(v)]; });
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
            if (!bounded(ws_.basic[at(r)]) || !(ws_.values[at(r)] < -noise)) continue;
            const double ratio = ws_.values[at(r)] / row(r)[0];
            if (ratio > least) continue;
            least = ratio;
            lowest = r;
        }
        if (lowest < 0) return LemkeStatus::solved;
        int entering = lift(), r = lowest;
        for (;;) {
            if (result_.pivots >= attempt_end_ || stopped()) return LemkeStatus::pivot_limit;
            const int c = -1 - ws_.position[at(entering)];
            if (r < 0) r = first_to_zero(c, noise);
            if (r < 0) {
                unbounded_ = c;
                return LemkeStatus::ray;
            }
            const int leaving = ws_.basic[at(r)];
            exchange(r, c);
            ++result_.pivots;
            if (leaving == lift()) return LemkeStatus::solved;
            entering = complement(leaving);
            r = -1;
            if (options_.refine && result_.pivots % pivots_per_check == 0 && !(drift() <= most_drift)) {
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
            for (int r = 0; r < n_; ++r) largest = std::max(largest, std::fabs(row(r)[c]));
        const double least = options_.refine ? std::max(column_rounding * largest, entry_rounding) : 0;
        const auto falls = [&](int r) { return bounded(ws_.basic[at(r)]) && row(r)[c] < -least; };
        const auto ratio = [&](int r) { return std::max(ws_.values[at(r)], 0.0) / -row(r)[c]; };
        double reach = std::numeric_limits<double>::infinity();
        for (int r = 0; r < n_; ++r)
            if (falls(r)) reach = std::min(reach, ratio(r));
        int best = -1;
        for (int r = 0; r < n_; ++r) {
            if (!falls(r)) continue;
            // Also those of which nothing but rounding is left.
            if (!(ratio(r) <= reach) && !(ws_.values[at(r)] + reach * row(r)[c] <= noise)) continue;
            if (ws_.basic[at(r)] == lift()) return r;
            if (best < 0 || precedes(r, best, c)) best = r;
        }
        return best;
    }

    // Lexicographic order of the rows of [inverse of the basis] divided by their pivots.
    bool precedes(int r, int s, int c) {
        const double pivot_r = -row(r)[c], pivot_s = -row(s)[c];
        for (int k = 0; k < n_; ++k) {
            const int position = ws_.position[at(ws_.first_basis[at(k)])];
            double x, y;
            if (position >= 0) {
                x = position == r ? 1 : 0;
                y = position == s ? 1 : 0;
            } else {
                if (-1 - position >= width_) continue;
                x = -row(r)[-1 - position];
                y = -row(s)[-1 - position];
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
            if (!is_free(i)) basis_[at(i)] = ws_.position[at(z_of(i))] >= 0;
    }
    void read_table() {
        for (int i = 0; i < n_; ++i) {
            const int r = ws_.position[at(z_of(i))];
            ws_.x[at(i)] = r < 0 ? 0 : ws_.values[at(r)];
        }
    }
    void read_ray() {
        for (int i = 0; i < n_; ++i) {
            const int position = ws_.position[at(z_of(i))];
            if (position >= 0)
                ws_.ray[at(i)] = row(position)[unbounded_];
            else
                ws_.ray[at(i)] = -1 - position == unbounded_ ? 1 : 0;
        }
    }

    // x: the z of the basis, from M and q: LU with row pivoting of M_PP in the table's place, then
    // corrections by the residual. False where the basis is singular, by pivots up to least_pivot.
    bool solve_basis(double least_pivot) {
        int count = 0;
        for (int i = 0; i < n_; ++i)
            if (is_free(i) ? !ws_.dependent[at(i)] : basis_[at(i)] != 0) ws_.members[at(count++)] = i;
        // Free rows and columns that are left over need not be the same ones where M is not symmetric; then
        // this basis is singular and the table is all there is.
        const auto lu = [&](int i) { return ws_.table.get() + std::ptrdiff_t(i) * n_; };
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j) lu(i)[j] = m(ws_.members[at(i)], ws_.members[at(j)]);
        int* swapped = ws_.basic.data();
        for (int k = 0; k < count; ++k) {
            int best = k;
            for (int i = k + 1; i < count; ++i)
                if (std::fabs(lu(i)[k]) > std::fabs(lu(best)[k])) best = i;
            swapped[k] = best;
            if (best != k) std::swap_ranges(lu(k), lu(k) + count, lu(best));
            if (!(std::fabs(lu(k)[k]) > least_pivot)) return false;
            const double reciprocal = 1 / lu(k)[k];
            for (int i = k + 1; i < count; ++i) {
                if (lu(i)[k] == 0) continue;
                lu(i)[k] *= reciprocal;
                add_scaled(-lu(i)[k], lu(k) + k + 1, lu(i) + k + 1, count - k - 1);
            }
        }
        std::fill_n(ws_.x.begin(), n_, 0.0);
        double* d = ws_.residual.data();
        for (int pass = 0; pass <= corrections; ++pass) {
            for (int i = 0; i < count; ++i) {
                const int k = ws_.members[at(i)];
                d[i] = -(dot(p_.m + std::ptrdiff_t(k) * p_.stride, ws_.x.data(), n_) + p_.q[k]);
            }
            for (int k = 0; k < count; ++k) std::swap(d[k], d[swapped[k]]);
            for (int i = 0; i < count; ++i) d[i] -= dot(lu(i), d, i);
            for (int i = count - 1; i >= 0; --i)
                d[i] = (d[i] - dot(lu(i) + i + 1, d + i + 1, count - i - 1)) / lu(i)[i];
            for (int i = 0; i < count; ++i) ws_.x[at(ws_.members[at(i)])] += d[i];
        }
        return true;
    }

    // x without what is negative, if its error is less than that of the best one.
    void keep_if_better() {
        for (int i = 0; i < n_; ++i)
            if (!is_free(i)) ws_.x[at(i)] = std::max(ws_.x[at(i)], 0.0);
        const double least_size = smallest_size();
        double error = 0;
        for (int i = 0; i < n_; ++i) {
            if (ws_.dependent[at(i)]) continue;
            double size = least_size + std::fabs(p_.q[i]);
            for (int j = 0; j < n_; ++j) size += std::fabs(m(i, j) * ws_.x[at(j)]);
            const double w = dot(p_.m + std::ptrdiff_t(i) * p_.stride, ws_.x.data(), n_) + p_.q[i];
            const double amount = std::fabs(is_free(i) ? w : std::min(w, ws_.x[at(i)]));
            if (amount > 0 && !(amount / size <= error)) error = amount / size;
        }
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
    std::span<unsigned char> basis_;
    double* z_;
    const int limit_;
    int attempt_ = 0, attempt_end_ = 0;
    int width_ = 0;  // columns of the table that still count
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
