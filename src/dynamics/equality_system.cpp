#include "dynamics/equality_system.h"

#include "linalg/vector_ops.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// A row of which less than this share is left waits until the others are eliminated.
constexpr double postponed_share = 1e-4;
// Squared, of the size that z would have if nothing cancelled: below it a row moves nothing.
constexpr double moves_nothing = 1e-10;
constexpr int least_squares_passes = 3;

}  // namespace

EqualitySystem::EqualitySystem(const Model& model, int max_rows) {
    const std::size_t rows = max_rows, links = model.tree.links.size();
    for (std::vector<int>* list : {&block_of_, &kept_, &postponed_}) list->reserve(rows);
    for (std::vector<double>* list : {&scale_, &compliance_, &reduced_, &residual_}) list->reserve(rows);
    const std::size_t entries = rows <= 512 ? rows * (rows + 1) / 2 : 0;  // more than that is rarely there
    gram_.reserve(entries);
    root_.reserve(entries);
    remainders_.reserve(rows);
    z_begin_.reserve(rows);
    gram_rows_.reserve(rows);
    root_rows_.reserve(rows);
    is_kept_.reserve(rows);
    allowed_.reserve(rows);
    path_.reserve(links);
    on_path_.assign(links, 0);
    dense_.assign(model.nv, 0.0);
    rest_.reserve(model.nv + rows);
}

// --- factor ------------------------------------------------------------------------------------------------

double EqualitySystem::gram(int i, int j) const {
    if (i < j) std::swap(i, j);
    return j < gram_rows_[i].first ? 0 : gram_[gram_rows_[i].begin + (j - gram_rows_[i].first)];
}

// L⁻¹ of the row's entries towards the rows that are kept and did not wait, from reduced_first_ on; returns
// what is left of its diagonal.
double EqualitySystem::reduce(int row) {
    int first = 0;
    while (first < in_order_ && gram(row, kept_[first]) == 0) ++first;
    reduced_first_ = first;
    for (int j = first; j < in_order_; ++j) reduced_[j] = gram(row, kept_[j]);
    solve_down(reduced_.data(), first, in_order_);
    return gram(row, row) - dot(reduced_.data() + first, reduced_.data() + first, in_order_ - first);
}

// The same for a row that waited, after all others: its entries towards those that waited, too, and what is
// left of it in rest_, whose square it returns.
double EqualitySystem::find_rest(int row) {
    reduce(row);
    const int nv = static_cast<int>(dense_.size()), size = nv + count_;
    const auto each_entry = [&](int of, auto&& f) {
        const Block& block = blocks_[block_of_[of]];
        const int* dofs = support_.data() + block.support_begin;
        const double* z = z_.data() + z_begin_[of];
        for (int k = 0; k < block.support_count; ++k) f(rest_[dofs[k]], z[k]);
        f(rest_[nv + of], std::sqrt(compliance_[of]));
    };
    rest_.assign(size, 0.0);
    each_entry(row, [](double& rest, double z) { rest = z; });
    for (int time = 0; time < 2; ++time) {
        for (int j = 0; j < in_order_; ++j) {
            double sum = 0;
            each_entry(kept_[j], [&](double rest, double z) { sum += rest * z; });
            residual_[j] = sum;
        }
        solve_down(residual_.data(), 0, in_order_);
        solve_up(residual_.data(), in_order_);
        for (int j = 0; j < in_order_; ++j)
            each_entry(kept_[j], [&](double& rest, double z) { rest -= residual_[j] * z; });
    }
    const int n = rank();
    for (int j = in_order_; j < n; ++j) reduced_[j] = 0;
    for (int time = 0; time < 2; ++time)
        for (int j = in_order_; j < n; ++j) {
            const double* unit = rests_.data() + static_cast<std::size_t>(j - in_order_) * size;
            const double part = dot(unit, rest_.data(), size);
            reduced_[j] += part;
            add_scaled(-part, unit, rest_.data(), size);
        }
    return dot(rest_.data(), rest_.data(), size);
}

// Appends the row that has just been reduced.
void EqualitySystem::keep(int row, double pivot) {
    root_rows_.push_back({reduced_first_, root_.size()});
    root_.insert(root_.end(), reduced_.begin() + reduced_first_, reduced_.begin() + rank());
    root_.push_back(1 / std::sqrt(pivot));
    kept_.push_back(row);
    is_kept_[row] = 1;
}

// Those that waited, by the size of what is left of them. That only shrinks while others are taken in, so one
// that is still ahead of the last known sizes of the rest is the largest.
void EqualitySystem::keep_postponed(double tolerance) {
    int waiting = 0;
    remainders_.clear();
    rests_.clear();
    for (const int row : postponed_) {
        const double left = find_rest(row);
        if (!(left > tolerance)) continue;
        postponed_[waiting++] = row;
        remainders_.push_back(left);
    }
    while (waiting > 0) {
        int best = 0;
        for (int c = 1; c < waiting; ++c)
            if (remainders_[c] > remainders_[best]) best = c;
        const double left = find_rest(postponed_[best]);
        remainders_[best] = left;
        if (left > tolerance) {
            const bool behind = std::any_of(remainders_.begin(), remainders_.end(),
                                            [&](double other) { return other > left; });
            if (behind) continue;
            const double inverse = 1 / std::sqrt(left);
            for (const double x : rest_) rests_.push_back(inverse * x);
            keep(postponed_[best], left);
        }
        --waiting;
        std::swap(postponed_[best], postponed_[waiting]);
        std::swap(remainders_[best], remainders_[waiting]);
        remainders_.pop_back();
    }
}

void EqualitySystem::factor(double tolerance) {
    kept_.clear();
    root_rows_.clear();
    root_.clear();
    postponed_.clear();
    is_kept_.assign(count_, 0);
    in_order_ = 0;
    for (int row = 0; row < count_; ++row) {
        // Rows without any effect of their own need no look at the others.
        if (!allowed_[row] || !(gram(row, row) > tolerance)) continue;
        const double left = reduce(row);
        if (left > postponed_share * gram(row, row)) {
            keep(row, left);
            ++in_order_;
        } else {
            postponed_.push_back(row);
        }
    }
    keep_postponed(tolerance);
}

void EqualitySystem::choose(double tolerance) {
    allowed_.assign(count_, 1);
    factor(tolerance);
    allowed_ = is_kept_;
}

void EqualitySystem::choose_as_before(double tolerance) {
    allowed_.resize(count_, 1);
    factor(tolerance);
}

void EqualitySystem::solve_down(double* x, int begin, int end) const {
    for (int i = begin; i < end; ++i) {
        const int first = std::max(root_rows_[i].first, begin);
        const double* row = root_.data() + root_rows_[i].begin + (first - root_rows_[i].first);
        x[i] = (x[i] - dot(row, x + first, i - first)) * row[i - first];
    }
}

void EqualitySystem::solve_up(double* x, int end) const {
    for (int i = end - 1; i >= 0; --i) {
        const int first = root_rows_[i].first;
        const double* row = root_.data() + root_rows_[i].begin;
        x[i] *= row[i - first];
        add_scaled(-x[i], row, x + first, i - first);
    }
}

double EqualitySystem::smallest_sine() const {
    double largest = 1;
    for (std::size_t i = 0; i < root_rows_.size(); ++i) {
        const std::size_t diagonal = root_rows_[i].begin + (i - root_rows_[i].first);
        largest = std::max(largest, root_[diagonal]);
    }
    return 1 / largest;
}

// --- use ---------------------------------------------------------------------------------------------------

void EqualitySystem::multiply(std::span<const double> s, std::span<double> out) const {
    for (int i = 0; i < count_; ++i) {
        const Block& block = blocks_[block_of_[i]];
        const int* dofs = support_.data() + block.support_begin;
        const double* z = z_.data() + z_begin_[i];
        double sum = 0;
        for (int k = 0; k < block.support_count; ++k) sum += z[k] * s[dofs[k]];
        out[i] = scale_[i] > 0 ? sum / scale_[i] : 0;
    }
}

void EqualitySystem::add_transposed(std::span<const double> lambda, std::span<double> s) const {
    for (int i = 0; i < count_; ++i) {
        if (lambda[i] == 0 || scale_[i] == 0) continue;
        const Block& block = blocks_[block_of_[i]];
        const int* dofs = support_.data() + block.support_begin;
        const double* z = z_.data() + z_begin_[i];
        const double factor = lambda[i] / scale_[i];
        for (int k = 0; k < block.support_count; ++k) s[dofs[k]] += factor * z[k];
    }
}

void EqualitySystem::solve(std::span<const double> target, std::span<double> s, std::span<double> lambda,
                           int passes) {
    const int n = rank();
    for (int pass = 0; pass < passes; ++pass) {
        for (int i = 0; i < n; ++i) {
            const int row = kept_[i];
            const Block& block = blocks_[block_of_[row]];
            const int* dofs = support_.data() + block.support_begin;
            const double* z = z_.data() + z_begin_[row];
            double sum = 0;
            for (int k = 0; k < block.support_count; ++k) sum += z[k] * s[dofs[k]];
            residual_[i] = scale_[row] * target[row] - sum - compliance_[row] * lambda[row] / scale_[row];
        }
        solve_down(residual_.data(), 0, n);
        solve_up(residual_.data(), n);
        for (int i = 0; i < n; ++i) {
            const int row = kept_[i];
            const Block& block = blocks_[block_of_[row]];
            const int* dofs = support_.data() + block.support_begin;
            const double* z = z_.data() + z_begin_[row];
            for (int k = 0; k < block.support_count; ++k) s[dofs[k]] += residual_[i] * z[k];
            lambda[row] += scale_[row] * residual_[i];
        }
    }
}

int EqualitySystem::solve_least_squares(double tolerance, std::span<const double> target,
                                        std::span<double> s, std::span<double> lambda) {
    const std::size_t n = static_cast<std::size_t>(count_);
    gram_dense_.assign(n * n, 0.0);
    const auto moves = [&](int i) { return gram(i, i) > moves_nothing; };
    for (int i = 0; i < count_; ++i)
        for (int j = 0; j < count_; ++j)
            if (moves(i) && moves(j)) gram_dense_[i * n + j] = gram(i, j);
    const int rank = pseudo_inverse_.factor(gram_dense_, count_, tolerance);
    for (int pass = 0; pass < least_squares_passes; ++pass) {
        multiply(s, residual_);
        for (int i = 0; i < count_; ++i)
            residual_[i] = scale_[i] * (target[i] - residual_[i]) -
                           (scale_[i] > 0 ? compliance_[i] * lambda[i] / scale_[i] : 0);
        pseudo_inverse_.solve(residual_, residual_);
        for (int i = 0; i < count_; ++i) residual_[i] *= scale_[i];
        add_transposed(residual_, s);
        for (int i = 0; i < count_; ++i) lambda[i] += residual_[i];
    }
    return rank;
}

void EqualitySystem::project(std::span<const double> z, std::span<double> y) {
    project_within(z, 0, static_cast<int>(z.size()) - 1, y);
}

void EqualitySystem::project(std::span<const int> dofs, std::span<const double> values, std::span<double> y) {
    if (dofs.empty()) {
        std::fill(y.begin(), y.end(), 0.0);
        return;
    }
    const auto [first, last] = std::minmax_element(dofs.begin(), dofs.end());
    for (std::size_t k = 0; k < dofs.size(); ++k) dense_[dofs[k]] = values[k];
    project_within(dense_, *first, *last, y);
    for (const int dof : dofs) dense_[dof] = 0;
}

// z is zero outside of these velocities. Rows that touch nothing of it have zeros, up to the first one that
// does.
void EqualitySystem::project_within(std::span<const double> z, int first_dof, int last_dof,
                                    std::span<double> y) {
    int begin = in_order_;
    for (int i = 0; i < in_order_; ++i) {
        const Block& block = blocks_[block_of_[kept_[i]]];
        double sum = 0;
        if (block.last_dof >= first_dof && block.first_dof <= last_dof) {
            const int* dofs = support_.data() + block.support_begin;
            const double* own = z_.data() + z_begin_[kept_[i]];
            for (int k = 0; k < block.support_count; ++k) sum += own[k] * z[dofs[k]];
            begin = std::min(begin, i);
        }
        y[i] = sum;
    }
    solve_down(y.data(), begin, in_order_);
    const std::size_t size = dense_.size() + count_;
    for (int i = in_order_; i < rank(); ++i)
        y[i] = dot(rests_.data() + (i - in_order_) * size + first_dof, z.data() + first_dof,
                   last_dof - first_dof + 1);
}

}  // namespace lig
