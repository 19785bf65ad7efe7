#include "formulations/rows/sweeps.h"

#include "formulations/rows/row_kernels.h"

#include <algorithm>
#include <cmath>

namespace lig {

void Sweeps::begin(const Rows& rows, const RowResponse& response) {
    rows_ = &rows;
    response_ = &response;
    blocks_.resize(response.blocks.size());
    products_.clear();
    cones_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        blocks_[i] = {response.blocks[i], rows.blocks[i].begin, -1, -1};
}

void Sweeps::prepare(std::span<const int> which) {
    for (const int i : which) {
        const RowBlock& block = rows_->blocks[i];
        const int n = block.count;
        blocks_[i].products = static_cast<int>(products_.size());
        products_.resize(products_.size() + static_cast<std::size_t>(n * n));
        double* a = products_.data() + blocks_[i].products;
        response_->products(response_->blocks[i], a, n);
        for (int r = 0; r < n; ++r) a[r * n + r] += rows_->rows[block.begin + r].compliance;
        if (block.kind != RowKind::contact || n == 1) continue;
        double friction[max_friction_rows];
        for (int r = 1; r < n; ++r) friction[r - 1] = rows_->rows[block.begin + r].friction;
        blocks_[i].cone = static_cast<int>(cones_.size());
        cones_.push_back(prepare_cone(a, n, friction, n - 1));
    }
}

namespace {

// w += Z s over a block's support.
template <int Width>
void gather(const double* z, const int* support, int count, const double* s, double* w) {
    if constexpr (Width == 4) {
        row_kernels().gather4(z, support, count, s, w);
        return;
    }
    double even[Width] = {}, odd[Width] = {};
    int j = 0;
    for (; j + 1 < count; j += 2) {
        const double x = s[support[j]], y = s[support[j + 1]];
        for (int r = 0; r < Width; ++r) even[r] += z[Width * j + r] * x;
        for (int r = 0; r < Width; ++r) odd[r] += z[Width * (j + 1) + r] * y;
    }
    if (j < count)
        for (int r = 0; r < Width; ++r) even[r] += z[Width * j + r] * s[support[j]];
    for (int r = 0; r < Width; ++r) w[r] += even[r] + odd[r];
}

// s += Zᵀ change.
template <int Width>
void scatter(const double* z, const int* support, int count, const double* change, double* s) {
    if constexpr (Width == 4) {
        row_kernels().scatter4(z, support, count, change, s);
        return;
    }
    for (int j = 0; j < count; ++j) {
        double sum = 0;
        for (int r = 0; r < Width; ++r) sum += z[Width * j + r] * change[r];
        s[support[j]] += sum;
    }
}

}  // namespace

// Returns the largest change of a row's own velocity.
template <int Width>
double Sweeps::relax(Block& block, std::span<const double> b, std::span<double> lambda, std::span<double> s) {
    const int n = block.z.rows;
    const double* z = response_->z.data() + block.z.z_begin;
    const int* support = response_->support.data() + block.z.support_begin;
    const double* a = products_.data() + block.products;
    double* own = lambda.data() + block.begin;
    double w[Width] = {}, change[Width] = {};
    for (int r = 0; r < n; ++r) w[r] = b[block.begin + r];
    gather<Width>(z, support, block.z.support_count, s.data(), w);

    double progress = 0;
    bool changed = false;
    if (block.cone >= 0) {
        double c[Width], solved[Width];
        for (int r = 0; r < n; ++r) {
            c[r] = w[r];
            for (int k = 0; k < n; ++k) c[r] -= a[r * n + k] * own[k];
        }
        solve_cone(cones_[block.cone], c, solved);
        for (int r = 0; r < n; ++r) {
            change[r] = solved[r] - own[r];
            own[r] = solved[r];
            progress = std::max(progress, a[r * n + r] * std::fabs(change[r]));
            changed = changed || change[r] != 0;
        }
    } else {
        const Row* rows = rows_->rows.data() + block.begin;
        for (int r = 0; r < n; ++r) {
            const double diagonal = a[r * n + r];
            if (!(diagonal > 0)) continue;  // nothing that this row acts on yields
            const double violation = w[r] + rows[r].compliance * own[r];
            const double wanted = std::clamp(own[r] - violation / diagonal, rows[r].lo, rows[r].hi);
            change[r] = wanted - own[r];
            if (change[r] == 0) continue;
            own[r] = wanted;
            changed = true;
            progress = std::max(progress, diagonal * std::fabs(change[r]));
            // The rows behind it in this block see the change at once; the compliance is theirs alone.
            for (int k = r + 1; k < n; ++k) w[k] += a[k * n + r] * change[r];
        }
    }
    if (changed) scatter<Width>(z, support, block.z.support_count, change, s.data());
    return progress;
}

SweepResult Sweeps::run(std::span<const int> blocks, std::span<const double> b, double accuracy, int limit,
                        std::span<double> lambda, std::span<double> s) {
    SweepResult result;
    while (result.sweeps < limit && !result.converged) {
        double progress = 0;
        // There and back in turn: what rests on something is heard below within one sweep.
        const bool back = result.sweeps % 2 == 1;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            Block& block = blocks_[blocks[back ? blocks.size() - 1 - k : k]];
            double own = 0;
            switch (block.z.width) {
                case 1: own = relax<1>(block, b, lambda, s); break;
                case 2: own = relax<2>(block, b, lambda, s); break;
                case 4: own = relax<4>(block, b, lambda, s); break;
                default: own = relax<6>(block, b, lambda, s); break;
            }
            progress = std::max(progress, own);
        }
        ++result.sweeps;
        result.residual = progress;
        result.converged = progress <= accuracy;
    }
    return result;
}

}  // namespace lig
