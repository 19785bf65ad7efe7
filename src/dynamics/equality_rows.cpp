// EqualitySystem: rows in the coordinates of JointFactor, brought to a common scale, and their products.

#include "core/length.h"
#include "dynamics/equality_system.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

double arm_of(const Force<double>& f) {
    const double force = length(f.lin);
    return force > 0 ? length(f.ang) / force : 0;
}

}  // namespace

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

// What the rows of a block do to the links of the path and, directly, to the freedoms of the support.
void EqualitySystem::load(const Rows& rows, const RowBlock& source, const Block& block) {
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
}

// Inward along the path, for all rows of the block; see JointFactor. Besides, the size that z would have if
// nothing of it cancelled: with moments at their bound, a force times the longest arm that it may have. After
// `load`.
void EqualitySystem::find_z(const JointFactor& factor, const RowBlock& source, const Block& block) {
    const int count = source.count;
    const auto carried = [&](int link) { return carried_.data() + static_cast<std::size_t>(link) * count; };
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
}

// The rows of the last block to a common scale. After find_z.
void EqualitySystem::bring_to_scale(std::span<const Row> rows, const Block& block) {
    const std::size_t begin = z_.size() - static_cast<std::size_t>(block.support_count) * rows.size();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double scale = norms_[r] > 0 ? 1 / std::sqrt(norms_[r]) : 0;
        z_begin_.push_back(begin + r * static_cast<std::size_t>(block.support_count));
        double* const z = z_.data() + z_begin_.back();
        for (int k = 0; k < block.support_count; ++k) z[k] *= scale;
        scale_.push_back(scale);
        compliance_.push_back(rows[r].compliance * scale * scale);
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
        load(rows, rows.blocks[b], blocks_.back());
        find_z(factor, rows.blocks[b], blocks_.back());
        bring_to_scale(rows.rows_of(rows.blocks[b]), blocks_.back());
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

}  // namespace lig
