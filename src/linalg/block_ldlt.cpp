// K is held by rows of blocks, from the diagonal on, in the order of elimination, and so is U = Lᵀ, which takes
// its place: K = Uᵀ D U. Scalar rows are eliminated one after another, so that D is diagonal. What a finished
// row of blocks takes from the rest is subtracted at once from all the rows that it has blocks in.

#include "linalg/block_ldlt.h"

#include "linalg/block_order.h"

#include <algorithm>
#include <cmath>

namespace lig {
namespace {

// A pivot below this share of what its row started with is rounding: sums of some hundred products leave 1e-14
// of their terms.
constexpr double redundant_share = 1e-10;
// What such a row gets instead, of what it started with.
constexpr double regularization = 1e-9;

constexpr int lane = 4;
int padded(int width) { return (width + lane - 1) / lane * lane; }

}  // namespace

BlockLdlt::BlockLdlt(std::span<const Node> nodes, std::span<const Edge> edges)
    : nodes_(nodes.begin(), nodes.end()), edges_(edges.begin(), edges.end()) {
    std::size_t matrix_size = 0;
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
    std::size_t factor_size = 0;
    int widest = 0;
    for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
        const int node = order_[k];
        place_[node] = k;
        Row row{};
        row.node = node;
        row.dim = row.width = dim(node);
        row.offset = offset_[node];
        row.begin = pattern.row_begin[k];
        row.end = pattern.row_begin[k + 1];
        for (int b = row.begin; b < row.end; ++b) {
            blocks_of_.push_back({pattern.rows[b], row.width, 0, 0});
            row.width += dim(order_[pattern.rows[b]]);
        }
        row.stride = padded(row.width);
        row.at = factor_size;
        factor_size += std::size_t(row.dim * row.stride);
        widest = std::max(widest, row.dim * row.stride);
        rows_.push_back(row);
        for (int p = 0; p < row.dim; ++p) {
            const int right = row.width - p - 1;
            factor_operations_ += right + double(right) * (right + 1);
            solve_operations_ += 4 * right + 1;
        }
    }
    for (const Row& row : rows_)
        for (int b = row.begin; b < row.end; ++b) {
            Block& block = blocks_of_[b];
            const Row& target = rows_[block.row];
            block.runs_begin = static_cast<int>(runs_.size());
            runs_.push_back({block.column, 0, target.dim});
            int at = target.begin;
            for (int c = b + 1; c < row.end; ++c) {
                const Block& other = blocks_of_[c];
                while (blocks_of_[at].row != other.row) ++at;
                const int length = rows_[other.row].dim, to = blocks_of_[at].column;
                Run& last = runs_.back();
                if (last.to + last.length == to)
                    last.length += length;
                else
                    runs_.push_back({other.column, to, length});
            }
            block.runs_end = static_cast<int>(runs_.size());
        }
    factor_.assign(factor_size + lane, 0.0);
    products_.assign(std::size_t(widest), 0.0);
    pivot_.assign(std::size_t(size_), 0.0);
    start_.assign(std::size_t(size_), 0.0);
    residual_.assign(std::size_t(size_), 0.0);
    redundant_.assign(std::size_t(size_), 0);
}

void BlockLdlt::load() {
    std::fill(factor_.begin(), factor_.end(), 0.0);
    for (const Row& row : rows_) {
        const double* from = matrix_.data() + diagonal_at_[row.node];
        double* to = factor_.data() + row.at;
        for (int p = 0; p < row.dim; ++p) {
            for (int q = p; q < row.dim; ++q) to[p * row.stride + q] = from[p * row.dim + q];
            start_[row.offset + p] = std::fabs(from[p * row.dim + p]);
        }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* from = matrix_.data() + edge_at_[e];
        const int a = place_[edges_[e].a], b = place_[edges_[e].b];
        const Row& row = rows_[std::min(a, b)];
        const int columns = dim(edges_[e].b);
        const auto block = std::lower_bound(blocks_of_.begin() + row.begin, blocks_of_.begin() + row.end,
                                            std::max(a, b), [](const Block& x, int r) { return x.row < r; });
        double* to = factor_.data() + row.at + block->column;
        for (int p = 0; p < dim(edges_[e].a); ++p)
            for (int q = 0; q < columns; ++q)
                (a < b ? to[p * row.stride + q] : to[q * row.stride + p]) = from[p * columns + q];
    }
}

bool BlockLdlt::factor_row(const Row& row, Factored& result) {
    const bool constraint = nodes_[row.node].constraint;
    double* const f = factor_.data() + row.at;
    for (int p = 0; p < row.dim; ++p) {
        double* const own = f + p * row.stride;
        double pivot = own[p];
        char redundant = 0;
        if (constraint) {
            const double start = start_[row.offset + p];
            if (!(-pivot > redundant_share * start) && std::isfinite(pivot)) {
                pivot -= start > 0 ? regularization * start : 1;
                redundant = 1;
                ++result.redundant_rows;
            }
        } else if (!(pivot > 0)) {
            return false;
        }
        if (!std::isfinite(pivot) || pivot == 0) return false;
        redundant_[row.offset + p] = redundant;
        pivot_[row.offset + p] = pivot;
        for (int c = p + 1; c < row.width; ++c) {
            products_[p * row.stride + c] = own[c];
            own[c] /= pivot;
        }
        for (int q = p + 1; q < row.dim; ++q) {
            const double y = products_[p * row.stride + q];
            double* const other = f + q * row.stride;
            for (int c = q; c < row.width; ++c) other[c] -= y * own[c];
        }
    }
    for (int b = row.begin; b < row.end; ++b) {
        const Block& block = blocks_of_[b];
        const Row& target = rows_[block.row];
        double* const t = factor_.data() + target.at;
        for (int q = 0; q < target.dim; ++q)
            for (int p = 0; p < row.dim; ++p) {
                const double y = products_[p * row.stride + block.column + q];
                const double* const own = f + p * row.stride;
                for (int r = block.runs_begin; r < block.runs_end; ++r) {
                    const Run& run = runs_[r];
                    for (int c = 0; c < run.length; ++c)
                        t[q * target.stride + run.to + c] -= y * own[run.from + c];
                }
                if (!constraint) start_[target.offset + q] += y * own[block.column + q];
            }
    }
    return true;
}

BlockLdlt::Factored BlockLdlt::factor() {
    Factored result;
    load();
    for (const Row& row : rows_)
        if (!factor_row(row, result)) {
            result.bad_node = row.node;
            return result;
        }
    return result;
}

void BlockLdlt::forward(const Row& row, double* x) const {
    const double* const f = factor_.data() + row.at;
    for (int p = 0; p < row.dim; ++p) {
        const double own = x[row.offset + p];
        for (int q = p + 1; q < row.dim; ++q) x[row.offset + q] -= f[p * row.stride + q] * own;
        for (int b = row.begin; b < row.end; ++b) {
            const Block& block = blocks_of_[b];
            const Row& target = rows_[block.row];
            for (int q = 0; q < target.dim; ++q)
                x[target.offset + q] -= f[p * row.stride + block.column + q] * own;
        }
    }
}

void BlockLdlt::backward(const Row& row, double* x) const {
    const double* const f = factor_.data() + row.at;
    for (int p = row.dim - 1; p >= 0; --p) {
        double sum = x[row.offset + p];
        for (int b = row.begin; b < row.end; ++b) {
            const Block& block = blocks_of_[b];
            const Row& target = rows_[block.row];
            for (int q = 0; q < target.dim; ++q)
                sum -= f[p * row.stride + block.column + q] * x[target.offset + q];
        }
        for (int q = p + 1; q < row.dim; ++q) sum -= f[p * row.stride + q] * x[row.offset + q];
        x[row.offset + p] = sum;
    }
}

void BlockLdlt::solve(std::span<double> x) const {
    for (const Row& row : rows_) forward(row, x.data());
    for (int i = 0; i < size_; ++i) x[i] /= pivot_[i];
    finish_solve(x);
}

void BlockLdlt::finish_solve(std::span<double> y) const {
    for (std::size_t k = rows_.size(); k-- > 0;) backward(rows_[k], y.data());
}

void BlockLdlt::half_solve(std::span<const int> nodes, std::span<double> y, std::vector<int>& support) const {
    // The ways to the root, as places.
    support.clear();
    for (const int node : nodes)
        for (int at = place_[node]; at >= 0; at = rows_[at].begin < rows_[at].end ? blocks_of_[rows_[at].begin].row : -1)
            support.push_back(at);
    std::sort(support.begin(), support.end());
    support.erase(std::unique(support.begin(), support.end()), support.end());
    for (int& at : support) {
        forward(rows_[at], y.data());
        at = rows_[at].node;
    }
}

void BlockLdlt::divide(std::span<const int> support, std::span<const double> y, std::span<double> out) const {
    for (const int node : support)
        for (int i = offset_[node]; i < offset_[node] + dim(node); ++i) out[i] = y[i] / pivot_[i];
}

void BlockLdlt::multiply(std::span<const double> x, std::span<double> out) const {
    for (int v = 0; v < nodes(); ++v) {
        const double* const m = matrix_.data() + diagonal_at_[v];
        for (int p = 0; p < dim(v); ++p) {
            double sum = 0;
            for (int q = 0; q < dim(v); ++q) sum += m[p * dim(v) + q] * x[offset_[v] + q];
            out[offset_[v] + p] = sum;
        }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* const m = matrix_.data() + edge_at_[e];
        const int a = edges_[e].a, b = edges_[e].b;
        for (int p = 0; p < dim(a); ++p)
            for (int q = 0; q < dim(b); ++q) {
                out[offset_[a] + p] += m[p * dim(b) + q] * x[offset_[b] + q];
                out[offset_[b] + q] += m[p * dim(b) + q] * x[offset_[a] + p];
            }
    }
}

BlockLdlt::Refined BlockLdlt::solve_refined(std::span<const double> rhs, std::span<double> x, int most_solves,
                                            double tolerance) {
    Refined result;
    std::copy(rhs.begin(), rhs.end(), x.begin());
    solve(x);
    result.solves = 1;
    double last = 0;
    while (true) {
        multiply(x, residual_);
        // The terms of a row, against which its residual is measured.
        std::vector<double>& size = start_;
        for (int i = 0; i < size_; ++i) size[i] = std::fabs(rhs[i]);
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const double* const m = matrix_.data() + edge_at_[e];
            const int a = edges_[e].a, b = edges_[e].b;
            for (int p = 0; p < dim(a); ++p)
                for (int q = 0; q < dim(b); ++q) {
                    const double term = std::fabs(m[p * dim(b) + q]);
                    size[offset_[a] + p] = std::max(size[offset_[a] + p], term * std::fabs(x[offset_[b] + q]));
                    size[offset_[b] + q] = std::max(size[offset_[b] + q], term * std::fabs(x[offset_[a] + p]));
                }
        }
        double worst = 0;
        for (int v = 0; v < nodes(); ++v)
            for (int i = offset_[v]; i < offset_[v] + dim(v); ++i) {
                residual_[i] = rhs[i] - residual_[i];
                if (nodes_[v].constraint && residual_[i] != 0)
                    worst = std::max(worst, std::fabs(residual_[i]) / size[i]);
            }
        result.residual = worst;
        if (result.solves >= most_solves || worst <= tolerance) break;
        if (result.solves > 1 && !(worst < last)) break;
        last = worst;
        solve(residual_);
        for (int i = 0; i < size_; ++i) x[i] += residual_[i];
        ++result.solves;
    }
    return result;
}

}  // namespace lig
