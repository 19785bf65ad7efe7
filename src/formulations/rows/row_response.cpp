#include "formulations/rows/row_response.h"

#include "formulations/rows/row_kernels.h"

namespace lig {

void RowResponse::clear() {
    blocks.clear();
    support.clear();
    z.clear();
}

// The front of a link; a new one without forces if there is none. Fronts are kept in rising order of links.
RowResponse::Front& RowResponse::front_at(int link) {
    std::size_t at = fronts_.size();
    while (at > 0 && fronts_[at - 1].link > link) --at;
    if (at > 0 && fronts_[at - 1].link == link) return fronts_[at - 1];
    Front& front = *fronts_.insert(fronts_.begin() + static_cast<std::ptrdiff_t>(at), Front{});
    front.link = link;
    return front;
}

namespace {

template <int Width>
void add_force(double (&to)[6][6], const Force<double>& f, int row) {
    for (int c = 0; c < 3; ++c) {
        to[c][row] += f.ang[c];
        to[3 + c][row] += f.lin[c];
    }
}

}  // namespace

template <int Width>
void RowResponse::propagate(const Rows& rows, const RowBlock& block, const JointFactor& factor,
                            ResponseBlock& out) {
    bool has_entries = false;
    for (int r = 0; r < block.count; ++r) {
        const Row& row = rows.rows[static_cast<std::size_t>(block.begin + r)];
        if (block.link_a >= 0) add_force<Width>(front_at(block.link_a).force, row.on_a, r);
        if (block.link_b >= 0) add_force<Width>(front_at(block.link_b).force, row.on_b, r);
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
            front_at(factor.link_of_dof[rows.entries[e].dof]);
            has_entries = true;
        }
    }
    while (!fronts_.empty()) {
        Front front = fronts_.back();
        fronts_.pop_back();
        const JointFactor::Link& link = factor.links[front.link];
        const JointFactor::Dof* dofs = factor.dofs.data() + link.v_adr;
        const std::size_t at = z.size();
        z.resize(at + static_cast<std::size_t>(Width) * link.nv, 0.0);
        // Freedom k of the link, counted from its last: supports fall throughout.
        const auto own = [&](int k) { return z.data() + at + Width * (link.nv - 1 - k); };
        for (int k = link.nv - 1; k >= 0; --k) {
            const Motion<double>& S = dofs[k].S;
            for (int r = 0; r < Width; ++r)
                own(k)[r] = S.ang.x * front.force[0][r] + S.ang.y * front.force[1][r] +
                            S.ang.z * front.force[2][r] + S.lin.x * front.force[3][r] +
                            S.lin.y * front.force[4][r] + S.lin.z * front.force[5][r];
            support.push_back(link.v_adr + k);
        }
        if (has_entries) {
            const double* root = factor.root_inverse.data() + link.triangle;
            for (int r = 0; r < block.count; ++r) {
                const Row& row = rows.rows[static_cast<std::size_t>(block.begin + r)];
                for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                    const int local = rows.entries[e].dof - link.v_adr;
                    if (local < 0 || local >= link.nv) continue;
                    for (int k = local; k < link.nv; ++k)
                        own(k)[r] += root[k * (k + 1) / 2 + local] * rows.entries[e].value;
                }
            }
        }
        if (link.parent < 0) continue;
        for (int k = 0; k < link.nv; ++k) {
            const Force<double>& U = dofs[k].U;
            for (int r = 0; r < Width; ++r) {
                const double s = own(k)[r];
                front.force[0][r] -= s * U.ang.x;
                front.force[1][r] -= s * U.ang.y;
                front.force[2][r] -= s * U.ang.z;
                front.force[3][r] -= s * U.lin.x;
                front.force[4][r] -= s * U.lin.y;
                front.force[5][r] -= s * U.lin.z;
            }
        }
        const Vec3d& d = link.r;
        double(&to)[6][6] = front_at(link.parent).force;
        for (int r = 0; r < Width; ++r) {
            const double fx = front.force[3][r], fy = front.force[4][r], fz = front.force[5][r];
            to[0][r] += front.force[0][r] + (d.y * fz - d.z * fy);
            to[1][r] += front.force[1][r] + (d.z * fx - d.x * fz);
            to[2][r] += front.force[2][r] + (d.x * fy - d.y * fx);
            to[3][r] += fx;
            to[4][r] += fy;
            to[5][r] += fz;
        }
    }
    out.width = Width;
    out.support_count = static_cast<int>(support.size()) - out.support_begin;
}

// Three or four rows on one or two links, as contacts have them.
void RowResponse::propagate_four(const Rows& rows, const RowBlock& block, const JointFactor& factor,
                                 ResponseBlock& out) {
    double force[2][6 * 4] = {};
    for (int r = 0; r < block.count; ++r) {
        const Row& row = rows.rows[static_cast<std::size_t>(block.begin + r)];
        for (int c = 0; c < 3; ++c) {
            force[0][4 * c + r] = row.on_a.ang[c];
            force[0][12 + 4 * c + r] = row.on_a.lin[c];
            force[1][4 * c + r] = row.on_b.ang[c];
            force[1][12 + 4 * c + r] = row.on_b.lin[c];
        }
    }
    const bool swapped = block.link_a < 0;
    const int first = swapped ? block.link_b : block.link_a, second = swapped ? -1 : block.link_b;
    out.width = 4;
    out.support_count = count_path(factor.links.data(), first, second);
    z.resize(z.size() + 4 * static_cast<std::size_t>(out.support_count));
    support.resize(support.size() + static_cast<std::size_t>(out.support_count));
    row_kernels().propagate4(factor.links.data(), factor.dofs.data(), {first, force[swapped ? 1 : 0]},
                             {second, force[1]}, z.data() + out.z_begin,
                             support.data() + out.support_begin);
}

void RowResponse::add(const Rows& rows, const RowBlock& block, const JointFactor& factor) {
    ResponseBlock& out = blocks.emplace_back();
    out.rows = block.count;
    out.support_begin = static_cast<int>(support.size());
    out.z_begin = z.size();
    bool has_entries = false;
    for (int r = block.begin; r < block.begin + block.count; ++r)
        has_entries = has_entries || rows.rows[static_cast<std::size_t>(r)].entry_count > 0;
    if ((block.count == 3 || block.count == 4) && !has_entries && (block.link_a >= 0 || block.link_b >= 0)) {
        propagate_four(rows, block, factor, out);
        return;
    }
    switch (block.count) {
        case 1: propagate<1>(rows, block, factor, out); break;
        case 2: propagate<2>(rows, block, factor, out); break;
        case 3:
        case 4: propagate<4>(rows, block, factor, out); break;
        default: propagate<6>(rows, block, factor, out); break;
    }
}

void RowResponse::begin(const RowBlock& block) {
    ResponseBlock& out = blocks.emplace_back();
    out.rows = block.count;
    out.width = block.count <= 2 ? block.count : block.count <= 4 ? 4
                                                                  : 6;
    out.support_begin = static_cast<int>(support.size());
    out.support_count = 0;
    out.z_begin = z.size();
}

// Room for so many coordinates more of the last block; returns where its entries begin.
double* RowResponse::widen(int count) {
    ResponseBlock& out = blocks.back();
    const std::size_t at = z.size();
    out.support_count += count;
    z.resize(at + static_cast<std::size_t>(out.width) * static_cast<std::size_t>(count), 0.0);
    return z.data() + at;
}

void RowResponse::add(const RowBlock& block, std::span<const double> given, std::span<const int> at) {
    begin(block);
    double* entry = widen(static_cast<int>(at.size()));
    support.insert(support.end(), at.begin(), at.end());
    const std::size_t nv = given.size() / static_cast<std::size_t>(block.count);
    for (const int dof : at) {
        for (int r = 0; r < block.count; ++r) entry[r] = given[static_cast<std::size_t>(r) * nv + dof];
        entry += blocks.back().width;
    }
}

double RowResponse::product(const ResponseBlock& block, int row, std::span<const double> s) const {
    double sum = 0;
    for (int j = 0; j < block.support_count; ++j)
        sum += z[block.z_begin + static_cast<std::size_t>(block.width * j + row)] *
               s[support[block.support_begin + j]];
    return sum;
}

void RowResponse::apply(const Rows& rows, std::span<const double> lambda, std::span<double> s) const {
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (int r = 0; r < blocks[b].rows; ++r)
            if (const double impulse = lambda[rows.blocks[b].begin + r]; impulse != 0)
                apply_row(blocks[b], r, impulse, s);
}

void RowResponse::apply_row(const ResponseBlock& block, int row, double impulse, std::span<double> s) const {
    for (int j = 0; j < block.support_count; ++j)
        s[support[block.support_begin + j]] +=
            z[block.z_begin + static_cast<std::size_t>(block.width * j + row)] * impulse;
}

void RowResponse::add_part(const double* given, int stride, int first, int count) {
    double* entry = widen(count);
    const ResponseBlock& out = blocks.back();
    for (int j = count - 1; j >= 0; --j, entry += out.width) {
        support.push_back(first + j);
        for (int r = 0; r < out.rows; ++r) entry[r] = given[r * stride + j];
    }
}

void RowResponse::products(const ResponseBlock& block, double* a, int stride) const {
    if (block.width == 4) {
        double all[16];
        row_kernels().products4(z.data() + block.z_begin, block.support_count, all);
        for (int r = 0; r < block.rows; ++r)
            for (int c = 0; c < block.rows; ++c) a[r * stride + c] = all[4 * r + c];
        return;
    }
    for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < block.rows; ++c) a[r * stride + c] = 0;
    const double* entry = z.data() + block.z_begin;
    for (int j = 0; j < block.support_count; ++j, entry += block.width)
        for (int r = 0; r < block.rows; ++r)
            for (int c = 0; c <= r; ++c) a[r * stride + c] += entry[r] * entry[c];
    for (int r = 0; r < block.rows; ++r)
        for (int c = r + 1; c < block.rows; ++c) a[r * stride + c] = a[c * stride + r];
}

}  // namespace lig
