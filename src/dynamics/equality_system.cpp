#include "dynamics/equality_system.h"

#include "core/length.h"
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

double arm_of(const Force<double>& f) {
    const double force = length(f.lin);
    return force > 0 ? length(f.ang) / force : 0;
}

}  // namespace

EqualitySystem::EqualitySystem(const Model& model, int most_rows) {
    const std::size_t rows = most_rows, links = model.tree.links.size();
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

// --- rows --------------------------------------------------------------------------------------------------

void EqualitySystem::find_support(const JointFactor& factor, const Rows& rows, const RowBlock& block) {
    path_.clear();
    const auto walk = [&](int link) {
        for (; link >= 0 && !on_path_[link]; link = factor.links[link].parent) {
            on_path_[link] = 1;
            path_.push_back(link);
        }
    };
    walk(block.link_a);
    walk(block.link_b);
    for (const Row& row : rows.rows_of(block))
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            walk(factor.link_of_dof[rows.entries[e].dof]);
    std::sort(path_.begin(), path_.end(), std::greater<>());

    Block out{static_cast<int>(block_of_.size()), block.count, static_cast<int>(support_.size()), 0, 0, 0};
    for (auto link = path_.rbegin(); link != path_.rend(); ++link) {
        on_path_[*link] = 0;
        for (int k = 0; k < factor.links[*link].nv; ++k) support_.push_back(factor.links[*link].v_adr + k);
    }
    out.support_count = static_cast<int>(support_.size()) - out.support_begin;
    if (out.support_count > 0) {
        out.first_dof = support_[out.support_begin];
        out.last_dof = support_.back();
    } else {
        out.last_dof = -1;
    }
    block_of_.insert(block_of_.end(), block.count, static_cast<int>(blocks_.size()));
    blocks_.push_back(out);
}

// Inward along the path, for all rows of the block; see JointFactor. Besides, the size that z would have if
// nothing of it cancelled: with moments at their bound, a force times the longest arm that it may have.
void EqualitySystem::find_z(const JointFactor& factor, const Rows& rows, const RowBlock& source,
                            const Block& block) {
    const int count = source.count;
    const std::span<const Row> own_rows = rows.rows_of(source);
    carried_.resize(std::max(carried_.size(), on_path_.size() * count));
    entries_.resize(std::max(entries_.size(), static_cast<std::size_t>(block.support_count) * count));
    norms_.resize(count);
    const auto carried = [&](int link) { return carried_.data() + static_cast<std::size_t>(link) * count; };
    for (const int link : path_) std::fill_n(carried(link), count, Carried{Force<double>::zero(), 0});
    const auto push = [&](int link, Force<double> Row::* on) {
        if (link < 0) return;
        // Forces of one block act at one point: the arm that one of them has the others could have.
        double arm = 0;
        for (const Row& row : own_rows) arm = std::max(arm, arm_of(row.*on));
        for (int r = 0; r < count; ++r) {
            const Force<double>& f = own_rows[r].*on;
            carried(link)[r].force += f;
            carried(link)[r].moment_bound += length(f.ang) + arm * length(f.lin);
        }
    };
    push(source.link_a, &Row::on_a);
    push(source.link_b, &Row::on_b);

    // What acts on the freedoms directly, at their places in the support.
    std::fill_n(entries_.data(), static_cast<std::size_t>(block.support_count) * count, 0.0);
    const int* const dofs = support_.data() + block.support_begin;
    for (int r = 0; r < count; ++r) {
        norms_[r] = own_rows[r].compliance;
        for (int e = own_rows[r].entry_begin; e < own_rows[r].entry_begin + own_rows[r].entry_count; ++e) {
            const int* const at = std::lower_bound(dofs, dofs + block.support_count, rows.entries[e].dof);
            entries_[(at - dofs) * count + r] += rows.entries[e].value;
        }
    }

    const std::size_t begin = z_.size();
    z_.resize(begin + static_cast<std::size_t>(block.support_count) * count);
    int end = block.support_count;
    for (const int index : path_) {
        const JointFactor::Link& link = factor.links[index];
        const JointFactor::Dof* const dof = factor.dofs.data() + link.v_adr;
        const double* const root = factor.root_inverse.data() + link.triangle;
        const Carried* const own = carried(index);
        Carried* const parents = link.parent >= 0 ? carried(link.parent) : nullptr;
        const double distance = length(link.r);
        end -= link.nv;
        double turning = 0, sliding = 0;  // squares of the freedoms' parts
        for (int k = 0; k < link.nv; ++k) {
            turning += dot(dof[k].S.ang, dof[k].S.ang);
            sliding += dot(dof[k].S.lin, dof[k].S.lin);
        }
        for (int r = 0; r < count; ++r) {
            Force<double> F = own[r].force;
            const double bound = own[r].moment_bound, force = dot(F.lin, F.lin);
            double* const s = z_.data() + begin + static_cast<std::size_t>(r) * block.support_count + end;
            const double* const direct = entries_.data() + static_cast<std::size_t>(end) * count + r;
            double norm = turning * bound * bound + sliding * force;
            for (int k = 0, at = 0; k < link.nv; ++k) {
                double sum = dot(dof[k].S, F);
                for (int l = 0; l <= k; ++l, ++at) {
                    const double part = root[at] * direct[l * count];
                    sum += part;
                    norm += part * part;
                }
                s[k] = sum;
            }
            norms_[r] += norm;
            if (!parents) continue;
            for (int k = 0; k < link.nv; ++k) F -= s[k] * dof[k].U;
            parents[r].force += shift_back(F, link.r);
            parents[r].moment_bound += bound + distance * std::sqrt(force);
        }
    }
    for (int r = 0; r < count; ++r) {
        const double scale = norms_[r] > 0 ? 1 / std::sqrt(norms_[r]) : 0;
        z_begin_.push_back(begin + static_cast<std::size_t>(r) * block.support_count);
        double* const z = z_.data() + z_begin_.back();
        for (int k = 0; k < block.support_count; ++k) z[k] *= scale;
        scale_.push_back(scale);
        compliance_.push_back(own_rows[r].compliance * scale * scale);
    }
}

// Z Zᵀ + K. Blocks whose supports have nothing in common have no entries.
void EqualitySystem::find_gram() {
    gram_.clear();
    gram_rows_.clear();
    for (const Block& block : blocks_) {
        int first = block.begin;
        const int* own = support_.data() + block.support_begin;
        for (int k = 0; k < block.support_count; ++k) dense_[own[k]] = 1;
        for (const Block& other : blocks_) {
            if (&other == &block) break;
            if (other.last_dof < block.first_dof || other.first_dof > block.last_dof) continue;
            const int* theirs = support_.data() + other.support_begin;
            const bool meets = std::any_of(theirs, theirs + other.support_count,
                                           [&](int dof) { return dense_[dof] != 0; });
            if (!meets) continue;
            first = other.begin;
            break;
        }
        for (int k = 0; k < block.support_count; ++k) dense_[own[k]] = 0;

        for (int i = block.begin; i < block.begin + block.count; ++i) {
            const double* z = z_.data() + z_begin_[i];
            gram_rows_.push_back({first, gram_.size()});
            gram_.resize(gram_.size() + (i - first + 1), 0.0);
            double* out = gram_.data() + gram_rows_.back().begin - first;
            for (int k = 0; k < block.support_count; ++k) dense_[own[k]] = z[k];
            for (int j = first; j < block.begin; ++j) {
                const Block& other = blocks_[block_of_[j]];
                if (other.last_dof < block.first_dof || other.first_dof > block.last_dof) continue;
                const int* theirs = support_.data() + other.support_begin;
                const double* z_j = z_.data() + z_begin_[j];
                double sum = 0;
                for (int k = 0; k < other.support_count; ++k) sum += z_j[k] * dense_[theirs[k]];
                out[j] = sum;
            }
            for (int k = 0; k < block.support_count; ++k) dense_[own[k]] = 0;
            for (int j = block.begin; j <= i; ++j)
                out[j] = dot(z, z_.data() + z_begin_[j], block.support_count);
            out[i] += compliance_[i];
        }
    }
}

void EqualitySystem::set_rows(const JointFactor& factor, const Rows& rows) {
    set_rows(factor, rows, 0, static_cast<int>(rows.blocks.size()));
}

void EqualitySystem::set_rows(const JointFactor& factor, const Rows& rows, int block_begin, int block_end) {
    blocks_.clear();
    block_of_.clear();
    support_.clear();
    z_.clear();
    z_begin_.clear();
    scale_.clear();
    compliance_.clear();
    for (int b = block_begin; b < block_end; ++b) {
        find_support(factor, rows, rows.blocks[b]);
        find_z(factor, rows, rows.blocks[b], blocks_.back());
    }
    count_ = static_cast<int>(block_of_.size());
    reduced_.resize(count_);
    residual_.resize(count_);
    find_gram();
}

void EqualitySystem::soften(double share, std::span<const double> sizes) {
    double largest = 0;
    for (int i = 0; i < count_; ++i) largest = std::max(largest, scale_[i] * sizes[i]);
    for (int i = 0; i < count_ && largest > 0; ++i) {
        const double relative = scale_[i] * sizes[i] / largest;
        compliance_[i] += share * relative * relative;
        gram_[gram_rows_[i].begin + (i - gram_rows_[i].first)] += share * relative * relative;
    }
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
