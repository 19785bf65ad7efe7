// K is held by rows of blocks, from the diagonal on, in the order of elimination, and so is U = Lᵀ, which
// takes its place: K = Uᵀ D U. Scalar rows are eliminated one after another, so that D is diagonal. What a
// finished row of blocks takes from the rest is subtracted at once from all the rows that it has blocks in;
// where that goes has been found by the constructor.

#include "linalg/block_ldlt.h"

#include "linalg/block_ldlt_kernels.h"
#include "linalg/block_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace lig {
namespace {

// Of a factor of which redundant rows are a part. Smaller is nearer to K, and what is nearly redundant needs
// fewer steps; but pivots of redundant rows are what is left of this after rounding, which takes 1e-15 to
// 1e-12.
constexpr double redundant_damping = 1e-9;

double* numbers(std::vector<Lanes4d>& lanes) { return reinterpret_cast<double*>(lanes.data()); }
std::size_t lanes_of(std::size_t count) { return (count + ldlt_lanes - 1) / ldlt_lanes; }

}  // namespace

BlockLdlt::BlockLdlt(std::span<const Node> nodes, std::span<const Edge> edges)
    : nodes_(nodes.begin(), nodes.end()), edges_(edges.begin(), edges.end()) {
    std::size_t matrix_size = 0;
    offset_.reserve(nodes.size());
    diagonal_at_.reserve(nodes.size());
    edge_at_.reserve(edges.size());
    for (const Node& node : nodes_) {
        offset_.push_back(size_);
        size_ += node.dim;
        diagonal_at_.push_back(matrix_size);
        matrix_size += std::size_t(node.dim * node.dim);
    }
    for (const Edge& edge : edges_) {
        edge_at_.push_back(matrix_size);
        matrix_size += std::size_t(dim(edge.a) * dim(edge.b));
    }
    matrix_.assign(matrix_size, 0.0);

    BlockPattern pattern = eligible_minimum_degree(nodes, edges);
    order_ = std::move(pattern.order);
    fill_ = pattern.fill;
    blocks_ = static_cast<int>(pattern.rows.size());
    place_.resize(nodes_.size());
    for (int k = 0; k < this->nodes(); ++k) place_[order_[k]] = k;

    lay_out_rows(pattern);
    find_runs();
    find_copies();
    schedule_loads();

    residual_.assign(std::size_t(size_), 0.0);
    scale_.assign(std::size_t(size_), 0.0);
    if_alone_.assign(std::size_t(size_), 0.0);
    added_.assign(std::size_t(size_), 0.0);
    redundant_.assign(std::size_t(size_), 0);
    stamp_.assign(nodes_.size(), 0);
    chosen_.resize(nodes_.size());
    std::iota(chosen_.begin(), chosen_.end(), 0);
}

void BlockLdlt::choose(std::span<const int> nodes) {
    chosen_.clear();
    for (const int node : nodes) chosen_.push_back(place_[node]);
    std::sort(chosen_.begin(), chosen_.end());
}

// Rows and their blocks, and the memory for them.
void BlockLdlt::lay_out_rows(const BlockPattern& pattern) {
    std::size_t factor_size = 0;
    int widest = 0, place = 0;
    rows_.reserve(nodes_.size());
    blocks_of_.reserve(pattern.rows.size());
    for (int k = 0; k < nodes(); ++k) {
        LdltRow row{};
        row.node = order_[k];
        row.dim = dim(row.node);
        row.constraint = nodes_[row.node].constraint;
        row.soft = nodes_[row.node].soft;
        row.offset = offset_[row.node];
        row.place = place;
        row.begin = pattern.row_begin[k];
        row.end = pattern.row_begin[k + 1];
        row.stride = ldlt_padded(row.dim);
        place += row.stride;
        int right = 0;
        for (int b = row.begin; b < row.end; ++b) {
            const int other = pattern.rows[b], other_dim = dim(order_[other]);
            blocks_of_.push_back({other, other_dim, row.stride, 0, 0, 0});
            row.stride += ldlt_padded(other_dim);
            right += other_dim;
        }
        row.at = factor_size;
        factor_size += std::size_t(row.dim) * std::size_t(row.stride);
        widest = std::max(widest, row.dim * row.stride);
        rows_.push_back(row);
        for (int p = 0; p < row.dim; ++p) {
            const int after = right + row.dim - p - 1;
            factor_operations_ += after + double(after) * (after + 1);
            solve_operations_ += 4 * after + 1;
        }
    }

    factor_.assign(lanes_of(factor_size), Lanes4d(0.0));
    products_.assign(lanes_of(std::size_t(widest)), Lanes4d(0.0));
    work_.assign(lanes_of(std::size_t(place)), Lanes4d(0.0));
    reciprocal_.assign(std::size_t(place), 1.0);
    relieved_.assign(std::size_t(place), 0.0);
}

// Where blocks add to.
void BlockLdlt::find_runs() {
    for (int k = 0; k < nodes(); ++k)
        for (int b = rows_[k].begin; b < rows_[k].end; ++b) {
            LdltBlock& block = blocks_of_[b];
            const LdltRow& target = rows_[block.row];
            block.place = target.place;
            block.runs_begin = static_cast<int>(runs_.size());
            runs_.push_back({block.column, 0, ldlt_padded(target.dim)});
            int at = target.begin;
            for (int c = b + 1; c < rows_[k].end; ++c) {
                const LdltBlock& other = blocks_of_[c];
                while (blocks_of_[at].row != other.row) ++at;
                LdltRun& last = runs_.back();
                if (last.to + last.columns == blocks_of_[at].column)
                    last.columns += ldlt_padded(other.dim);
                else
                    runs_.push_back({other.column, blocks_of_[at].column, ldlt_padded(other.dim)});
            }
            block.runs_end = static_cast<int>(runs_.size());
        }
}

// What rows start from.
void BlockLdlt::find_copies() {
    std::vector<int> count(nodes_.size() + 1, 0);
    const auto earlier = [&](const Edge& e) { return std::min(place_[e.a], place_[e.b]); };
    for (const Edge& edge : edges_) ++count[earlier(edge) + 1];
    for (std::size_t k = 0; k < nodes_.size(); ++k) count[k + 1] += count[k] + 1;
    copies_.resize(nodes_.size() + edges_.size());
    for (int k = 0; k < nodes(); ++k) {
        LdltRow& row = rows_[k];
        row.copies_begin = row.copies_end = count[k];
        copies_[row.copies_end++] = {diagonal_at_[row.node], row.dim, row.dim, 0, false};
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const auto [a, b] = edges_[e];
        LdltRow& row = rows_[earlier(edges_[e])];
        const int later = std::max(place_[a], place_[b]);
        const auto begin = blocks_of_.begin();
        const auto block = std::lower_bound(begin + row.begin, begin + row.end, later,
                                            [](const LdltBlock& x, int r) { return x.row < r; });
        copies_[row.copies_end++] = {edge_at_[e], dim(a), dim(b), block->column, place_[b] < place_[a]};
    }
}

// When they do: before the first row that adds to them.
void BlockLdlt::schedule_loads() {
    std::vector<int> first(nodes_.size());
    for (int k = 0; k < nodes(); ++k) first[k] = k;
    for (int k = nodes() - 1; k >= 0; --k)
        for (int b = rows_[k].begin; b < rows_[k].end; ++b) first[blocks_of_[b].row] = k;
    load_begin_.assign(nodes_.size() + 1, 0);
    for (const int k : first) ++load_begin_[k + 1];
    for (std::size_t k = 0; k < nodes_.size(); ++k) load_begin_[k + 1] += load_begin_[k];
    load_order_.resize(nodes_.size());
    std::vector<int> next(load_begin_.begin(), load_begin_.end() - 1);
    for (int k = 0; k < nodes(); ++k) load_order_[next[first[k]]++] = k;
}

LdltView BlockLdlt::view() {
    return {rows_.data(), chosen_.data(), static_cast<int>(chosen_.size()), blocks_of_.data(), runs_.data(),
            copies_.data(),
            load_order_.data(), load_begin_.data(), matrix_.data(), numbers(factor_), reciprocal_.data(),
            relieved_.data(), numbers(products_), added_.data(), redundant_.data()};
}

BlockLdlt::Factored BlockLdlt::factor(double damping) {
    if (damping > 0) std::fill(redundant_.begin(), redundant_.end(), 0);
    BlockLdltKernels::Factored found = block_ldlt_kernels().factor(view(), damping);
    damped_ = damping > 0 || found.redundant_rows > 0;
    if (found.redundant_rows > 0)
        found.bad_row = block_ldlt_kernels().factor(view(), redundant_damping).bad_row;
    return {found.bad_row < 0 ? -1 : order_[found.bad_row], found.redundant_rows, found.least_share};
}

BlockLdlt::Factored BlockLdlt::factor_leaving_out() {
    const BlockLdltKernels::Factored found = block_ldlt_kernels().factor(view(), 0);
    damped_ = false;
    return {found.bad_row < 0 ? -1 : order_[found.bad_row], found.redundant_rows, found.least_share};
}

void BlockLdlt::solve(std::span<double> x) const {
    const LdltView v = view();
    double* const work = numbers(work_);
    for (const int k : chosen_)
        std::copy_n(x.data() + rows_[k].offset, rows_[k].dim, work + rows_[k].place);
    block_ldlt_kernels().forward(v, work);
    for (const int k : chosen_)
        for (int p = rows_[k].place; p < rows_[k].place + rows_[k].dim; ++p) work[p] *= v.reciprocal[p];
    block_ldlt_kernels().backward(v, work);
    for (const int k : chosen_)
        std::copy_n(work + rows_[k].place, rows_[k].dim, x.data() + rows_[k].offset);
}

void BlockLdlt::finish_solve(std::span<double> y) const {
    double* const work = numbers(work_);
    for (const int k : chosen_)
        std::copy_n(y.data() + rows_[k].offset, rows_[k].dim, work + rows_[k].place);
    block_ldlt_kernels().backward(view(), work);
    for (const int k : chosen_)
        std::copy_n(work + rows_[k].place, rows_[k].dim, y.data() + rows_[k].offset);
}

// The ways of the nodes to their roots, as rows in ascending order, each once.
void BlockLdlt::find_support(std::span<const int> nodes, std::vector<int>& rows) const {
    rows.clear();
    ++support_stamp_;
    for (const int node : nodes)
        for (int at = place_[node]; at >= 0 && stamp_[at] != support_stamp_; at = parent(rows_[at])) {
            stamp_[at] = support_stamp_;
            rows.push_back(at);
        }
    if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
}

void BlockLdlt::half_solve(std::span<const int> nodes, std::span<double> y, std::vector<int>& support) const {
    find_support(nodes, support);
    const LdltView v = view();
    for (int& at : support) {
        const LdltRow& row = rows_[at];
        double* const own = y.data() + row.offset;
        for (int p = 0; p < row.dim; ++p) {
            const double* const f = v.factor + row.at + p * row.stride;
            for (int q = p + 1; q < row.dim; ++q) own[q] -= f[q] * own[p];
            for (int b = row.begin; b < row.end; ++b) {
                const LdltBlock& block = blocks_of_[b];
                double* const other = y.data() + rows_[block.row].offset;
                for (int q = 0; q < block.dim; ++q) other[q] -= f[block.column + q] * own[p];
            }
        }
        at = row.node;
    }
}

void BlockLdlt::half_solve4(std::span<const int> nodes, std::span<double> y,
                            std::vector<int>& support) const {
    find_support(nodes, support);
    block_ldlt_kernels().forward4(view(), support.data(), static_cast<int>(support.size()), y.data());
    for (int& at : support) at = rows_[at].node;
}

void BlockLdlt::divide(std::span<const int> support, std::span<const double> y, std::span<double> out) const {
    for (const int node : support) {
        const LdltRow& row = rows_[place_[node]];
        for (int p = 0; p < row.dim; ++p)
            out[row.offset + p] = y[row.offset + p] * reciprocal_[row.place + p];
    }
}

void BlockLdlt::divide4(std::span<const int> support, std::span<const double> y,
                        std::span<double> out) const {
    for (const int node : support) {
        const LdltRow& row = rows_[place_[node]];
        for (int p = 0; p < row.dim; ++p) {
            const double reciprocal = reciprocal_[row.place + p];
            for (int k = 4 * (row.offset + p); k < 4 * (row.offset + p + 1); ++k) out[k] = y[k] * reciprocal;
        }
    }
}

void BlockLdlt::multiply(std::span<const double> x, std::span<double> out) const {
    for (int v = 0; v < nodes(); ++v) {
        const double* const m = matrix_.data() + diagonal_at_[v];
        const double* const from = x.data() + offset_[v];
        for (int p = 0; p < dim(v); ++p) {
            double sum = 0;
            for (int q = 0; q < dim(v); ++q) sum += m[p * dim(v) + q] * from[q];
            out[offset_[v] + p] = sum;
        }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* const m = matrix_.data() + edge_at_[e];
        const auto [a, b] = edges_[e];
        const auto add = [&, a = a, b = b](auto columns) {
            const double *const xa = x.data() + offset_[a], *const xb = x.data() + offset_[b];
            double *const to_a = out.data() + offset_[a], *const to_b = out.data() + offset_[b];
            for (int p = 0; p < dim(a); ++p) {
                double sum = 0;
                for (int q = 0; q < columns; ++q) {
                    sum += m[p * columns + q] * xb[q];
                    to_b[q] += m[p * columns + q] * xa[p];
                }
                to_a[p] += sum;
            }
        };
        if (dim(b) == 6)
            add(std::integral_constant<int, 6>());  // rigid bodies: known to the compiler
        else
            add(dim(b));
    }
}

// The largest |rhs − K x| of constraint rows, each relative to what its terms would be at most, however the
// accelerations of its bodies were directed: a row that holds a body still, or turns it about an axis through
// its centre, has terms that are nothing but rounding. A quick look before measure_residual.
double BlockLdlt::row_residual(std::span<const double> rhs, std::span<const double> x) {
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        for (int p = 0; p < dim(v); ++p) {
            double sum = rhs[offset_[v] + p];
            for (int q = 0; q < dim(v); ++q) sum -= m[p * dim(v) + q] * x[offset_[v] + q];
            residual_[offset_[v] + p] = sum;
            scale_[offset_[v] + p] = std::fabs(rhs[offset_[v] + p]);
        }
    }
    const auto larger = [](double a, double b) { return a < b ? b : a; };
    const auto largest = [&](double a, double b, double c) {
        return larger(larger(std::fabs(a), std::fabs(b)), std::fabs(c));
    };
    // Rigid bodies: the larger of the linear and the angular acceleration, by the radius of gyration, as
    // both.
    for (int v = 0; v < nodes(); ++v) {
        if (nodes_[v].constraint || dim(v) != 6) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        const double* const own = x.data() + offset_[v];
        const double angular = largest(own[0], own[1], own[2]), linear = largest(own[3], own[4], own[5]);
        const double radius = std::sqrt(largest(m[0], m[7], m[14]) / largest(m[21], m[28], m[35]));
        if_alone_[offset_[v]] = larger(angular, linear / radius);
        if_alone_[offset_[v] + 3] = larger(linear, angular * radius);
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* const m = matrix_.data() + edge_at_[e];
        const auto [a, b] = edges_[e];
        if (nodes_[a].constraint == nodes_[b].constraint) continue;
        const bool first = nodes_[a].constraint;
        const int constraint = first ? a : b, body = first ? b : a;
        const double* const from = x.data() + offset_[body];
        double *const sums = residual_.data() + offset_[constraint], *const scales =
                                                                         scale_.data() + offset_[constraint];
        if (first && dim(body) == 6) {
            const double angular = if_alone_[offset_[body]], linear = if_alone_[offset_[body] + 3];
            for (int p = 0; p < dim(constraint); ++p) {
                const double* const row = m + 6 * p;
                sums[p] -= (row[0] * from[0] + row[1] * from[1] + row[2] * from[2]) +
                           (row[3] * from[3] + row[4] * from[4] + row[5] * from[5]);
                scales[p] = larger(scales[p], larger(largest(row[0], row[1], row[2]) * angular,
                                                     largest(row[3], row[4], row[5]) * linear));
            }
            continue;
        }
        const int along = first ? 1 : dim(b), across = first ? dim(b) : 1;
        for (int p = 0; p < dim(constraint); ++p)
            for (int q = 0; q < dim(body); ++q) {
                const double term = m[p * across + q * along] * from[q];
                sums[p] -= term;
                scales[p] = larger(scales[p], std::fabs(term));
            }
    }
    double worst = 0;
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        for (int i = offset_[v]; i < offset_[v] + dim(v); ++i) {
            if (std::fabs(residual_[i]) <= worst * scale_[i]) continue;
            worst = std::fabs(residual_[i]) / scale_[i];
            if (std::isnan(worst)) return worst;
        }
    }
    return worst;
}

// residual_ = rhs − K x. Of constraint rows, the largest
//   of_terms   relative to the largest term of its row,
//   of_forces  relative to what the row would come to if one of the forces on its bodies acted alone. Forces
//              that cancel leave an acceleration made of rounding; a residual that is no more counts as none.
BlockLdlt::Missed BlockLdlt::measure_residual(std::span<const double> rhs, std::span<const double> x) {
    multiply(x, residual_);
    for (int i = 0; i < size_; ++i) {
        residual_[i] = rhs[i] - residual_[i];
        scale_[i] = std::fabs(rhs[i]);
    }
    const auto raise = [](double& a, double b) { a = a < b ? b : a; };
    for (int v = 0; v < nodes(); ++v) {
        if (nodes_[v].constraint) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        for (int p = 0; p < dim(v); ++p)
            for (int q = 0; q < dim(v); ++q)
                raise(scale_[offset_[v] + p], std::fabs(m[p * dim(v) + q] * x[offset_[v] + q]));
    }
    const auto each_term = [&](const auto& f) {  // f(row, entry, column) of J and of its transpose
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const double* m = matrix_.data() + edge_at_[e];
            const auto [a, b] = edges_[e];
            if (nodes_[a].constraint == nodes_[b].constraint) continue;
            const bool first = nodes_[a].constraint;
            for (int i = offset_[a]; i < offset_[a] + dim(a); ++i)
                for (int j = offset_[b]; j < offset_[b] + dim(b); ++j, ++m)
                    f(first ? i : j, *m, first ? j : i);
        }
    };
    each_term([&](int row, double entry, int column) {
        raise(scale_[row], std::fabs(entry * x[column]));
        raise(scale_[column], std::fabs(entry * x[row]));
    });
    for (int v = 0; v < nodes(); ++v)
        if (!nodes_[v].constraint)
            for (int p = 0; p < dim(v); ++p)
                scale_[offset_[v] + p] /= matrix_[diagonal_at_[v] + std::size_t(p * dim(v) + p)];
    std::fill(if_alone_.begin(), if_alone_.end(), 0.0);
    each_term([&](int row, double entry, int column) {
        raise(if_alone_[row], std::fabs(entry) * scale_[column]);
    });
    constexpr double of_sums = 16 * std::numeric_limits<double>::epsilon();
    Missed worst;
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        for (int i = offset_[v]; i < offset_[v] + dim(v); ++i) {
            const double missed = std::fabs(residual_[i]);
            if (!(missed > of_sums * if_alone_[i])) continue;
            raise(worst.of_terms, missed / scale_[i]);
            raise(worst.of_forces, missed / std::max(scale_[i], if_alone_[i]));
        }
    }
    return worst;
}

BlockLdlt::Refined BlockLdlt::solve_refined(std::span<const double> rhs, std::span<double> x, int most_solves,
                                            double tolerance) {
    Refined result;
    std::copy(rhs.begin(), rhs.end(), x.begin());
    solve(x);
    result.solves = 1;
    // Without damping a second solution is as good as rounding lets it be, also where what is missed is no
    // more than rounding of forces: accelerations may be far smaller than these forces would make them.
    const auto is_good = [&] { return !damped_ && (result.residual = row_residual(rhs, x)) <= tolerance; };
    if (is_good()) return result;
    Missed missed = measure_residual(rhs, x);
    bool goes_on = missed.of_terms > tolerance || !damped_;
    while (goes_on && result.solves < most_solves) {
        solve(residual_);
        for (int i = 0; i < size_; ++i) x[i] += residual_[i];
        ++result.solves;
        if (is_good()) return result;
        const double last = missed.of_forces;
        missed = measure_residual(rhs, x);
        goes_on = missed.of_terms > tolerance && missed.of_forces < 0.5 * last;
    }
    result.residual = missed.of_terms;
    return result;
}

}  // namespace lig
