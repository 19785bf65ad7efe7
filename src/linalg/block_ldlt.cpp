// K is held by rows of blocks, from the diagonal on, in the order of elimination, and so is U = Lᵀ, which
// takes its place: K = Uᵀ D U. Scalar rows are eliminated one after another, so that D is diagonal. What a
// finished row of blocks takes from the rest is subtracted at once from all the rows that it has blocks in;
// where that goes has been found by the constructor.

#include "linalg/block_ldlt.h"

#include "linalg/block_ldlt_kernels.h"
#include "linalg/block_order.h"

#include <algorithm>
#include <numeric>
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
    return {found.bad_row < 0 ? -1 : order_[found.bad_row], found.redundant_rows, found.min_share};
}

BlockLdlt::Factored BlockLdlt::factor_leaving_out() {
    const BlockLdltKernels::Factored found = block_ldlt_kernels().factor(view(), 0);
    damped_ = false;
    return {found.bad_row < 0 ? -1 : order_[found.bad_row], found.redundant_rows, found.min_share};
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

}  // namespace lig
