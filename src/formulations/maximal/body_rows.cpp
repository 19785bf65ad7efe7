// Rows of joints, loops, couplings and pair constraints, as blocks of the matrix.

#include "bodies/body_list.h"
#include "constraints/base_motion.h"
#include "constraints/equalities.h"
#include "formulations/maximal/body_matrix.h"
#include "formulations/maximal/joint_blocks.h"

#include <algorithm>
#include <utility>

namespace lig::maximal {

namespace {

constexpr double nothing = 1e-24;  // squared, of a row that is of size 1

}  // namespace

void BodyMatrix::find_errors() {
    JointRows rows;
    for (int i = 0; i < graph_.links(); ++i) {
        const Link& node = graph_.link(i);
        if (node.rows == 0) continue;
        poses_.find_joint(i, false, rows);
        std::copy_n(rows.C, node.rows, errors_.begin() + node.joint.begin);
    }
    if (graph_.equalities().empty()) return;
    assemble_equalities(false);
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const RowBlock& rows_of_b = rows_.blocks[b];
        const Equality& equality = graph_.equalities()[b];
        double* out = errors_.data() + equality.begin;
        std::fill_n(out, equality.count, 0.0);
        for (int r = rows_of_b.begin; r < rows_of_b.begin + rows_of_b.count; ++r)
            out[terms_[r].part] = terms_[r].error;
    }
}

void BodyMatrix::find_slips(std::span<double> out) const {
    const Workspace<double>& ws = poses_.workspace();
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const RowBlock& rows = rows_.blocks[b];
        for (int r = rows.begin; r < rows.begin + rows.count; ++r) {
            if (terms_[r].holonomic) continue;
            const Row& row = rows_.rows[r];
            double rate = terms_[r].base_rate;
            for (const auto& [link, force] :
                 {std::pair{rows.link_a, row.on_a}, std::pair{rows.link_b, row.on_b}})
                if (link >= 0) rate += dot(ws.poses[link].V_WL - velocity_by_base(ws, link), force);
            for (const RowPull& pull : rows_.pulls_of(row)) {
                const Motion<double>& V = ws.poses[pull.link].V_WL;
                rate += dot(shift(V, pull.at - ws.poses[pull.link].X_WL.p).lin, pull.force) +
                        dot(V.ang, pull.moment);
            }
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                if (const RowEntry& entry = rows_.entries[e]; graph_.stretch_entry(entry.dof) >= 0)
                    rate += entry.value * poses_.stretch_rate(entry.dof);
            out[graph_.equalities()[b].begin + terms_[r].part] = rate;
        }
    }
}

void BodyMatrix::find_rows(bool with_products) {
    idle_rows_ = 0;
    has_velocity_rows_ = false;
    stated_rows_.clear();
    for (const int i : poses_.chosen())
        if (graph_.link(i).joint.node >= 0) write_joint(i, with_products);
    if (!graph_.equalities().empty()) assemble_equalities(with_products);
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b)
        if (takes_part_[b]) write_equality(b, with_products);
}

void BodyMatrix::write_joint(int i, bool with_products) {
    const Link& node = graph_.link(i);
    const bool plain = node.plain && left_out_.empty();
    if (plain) {
        write_plain_rows(i, with_products);
        if (node.soft_count == 0) return;
    }
    const Mat3d& R_WF = poses_.joint_axes(i);
    Motion<double> by_base = Motion<double>::zero(), A_FM = Motion<double>::zero();
    if (graph_.parent(i) < -1) {
        const Vec3d arm = poses_.workspace().poses[i].X_WL.p - poses_.pose_before(i).p;
        const Motion<double> base = shift(poses_.velocity_before(i), arm);
        by_base = {transpose_mul(R_WF, -base.ang), transpose_mul(R_WF, -base.lin)};
    }
    if (with_products) A_FM = poses_.relative_acceleration(i);
    if (node.rows > 0 && !plain) write_hard_rows(i, by_base, A_FM, with_products);
    if (node.soft_count > 0) write_soft_rows(i, by_base, A_FM, with_products);
}

// Hard rows of a plain link.
void BodyMatrix::write_plain_rows(int i, bool with_products) {
    const Workspace<double>& ws = poses_.workspace();
    const Link& node = graph_.link(i);
    const int parent = graph_.parent(i), begin = node.joint.begin;
    const Transformd& own = ws.poses[i].X_WL;
    const Motion<double>& a0 = parent >= 0 ? ws.links[parent].a0 : ws.bases[-1 - parent].a0;
    double* const D = K_.diagonal(node.joint.node);
    for (int k = 0; k < node.rows; ++k) D[k * node.joint.count + k] = 0;
    write_joint_blocks({tree_.joints[tree_.links[i].joint_begin],
                        poses_.coordinates().data(),
                        poses_.joint_axes(i),
                        {poses_.pose_before(i), poses_.velocity_before(i), a0},
                        {own, ws.poses[i].V_WL, ws.links[i].a0},
                        own.p - poses_.centre(i),
                        parent >= 0 ? own.p - poses_.centre(parent) : Vec3d::zero(),
                        parent < -1},
                       with_products,
                       {child_block(node), parent >= 0 ? parent_block(node) : nullptr,
                        errors_.data() + begin, base_rates_.data() + begin, products_.data() + begin});
}

void BodyMatrix::write_hard_rows(int i, const Motion<double>& by_base, const Motion<double>& A_FM,
                                 bool with_products) {
    const Link& node = graph_.link(i);
    const int begin = node.joint.begin;
    JointRows rows;
    poses_.find_joint(i, with_products, rows);
    for (int k = 0; k < node.rows; ++k) {
        const bool out = !left_out_.empty() && left_out_[begin + k];
        K_.diagonal(node.joint.node)[k * node.joint.count + k] = out ? -1 : 0;
        if (out) rows.G[k] = Force<double>::zero();
        write_row(node, i, k, rows.G[k]);
        errors_[begin + k] = rows.C[k];
        base_rates_[begin + k] = dot(by_base, rows.G[k]);
        if (with_products) products_[begin + k] = out ? 0 : dot(A_FM, rows.G[k]) + rows.rate[k];
    }
}

void BodyMatrix::write_soft_rows(int i, const Motion<double>& by_base, const Motion<double>& A_FM,
                                 bool with_products) {
    const Link& node = graph_.link(i);
    const int begin = node.joint.begin;
    const JointFreedoms& freedoms = poses_.find_freedoms(i);
    Motion<double> turning = Motion<double>::zero();
    if (with_products) {
        const Motion<double> V = poses_.relative_velocity(i);
        double v[max_joint_rows];
        for (int k = 0; k < freedoms.count; ++k) v[k] = dot(V, freedoms.W[k]);
        turning = freedom_product(tree_, i, poses_.coordinates().data(), v);
    }
    for (int s = 0; s < node.soft_count; ++s) {
        const int k = graph_.soft_freedoms()[node.soft_begin + s] - tree_.links[i].v_adr;
        const int row = node.rows + s;
        if (!soft_acts_[node.soft_begin + s]) {
            write_row(node, i, row, Force<double>::zero());
            base_rates_[begin + row] = products_[begin + row] = 0;
            continue;
        }
        write_row(node, i, row, freedoms.W[k]);
        base_rates_[begin + row] = dot(by_base, freedoms.W[k]);
        if (with_products) products_[begin + row] = dot(A_FM - turning, freedoms.W[k]);
    }
}

// A row of a link's joint: a force at M in the axes of F.
void BodyMatrix::write_row(const Link& node, int link, int row, const Force<double>& at_M) {
    const Force<double> f = rotate(poses_.joint_axes(link), at_M);
    const Vec3d& p = poses_.workspace().poses[link].X_WL.p;
    graph_.project(link, shift_back(f, p - poses_.centre(link)), child_block(node) + row * graph_.dim(link));
    const int parent = graph_.parent(link);
    if (parent < 0) return;
    graph_.project(parent, -shift_back(f, p - poses_.centre(parent)),
                   parent_block(node) + row * graph_.dim(parent));
}

// Rows of equalities in rows_, one block for each of the equalities, with their terms.
void BodyMatrix::assemble_equalities(bool with_products) {
    rows_.clear();
    terms_.clear();
    if (graph_.couples_joints()) {
        joint_state_.time = poses_.time();
        std::ranges::copy(poses_.coordinates(), joint_state_.q.begin());
        poses_.to_joints(joint_state_);
    }
    const EqualityState now{joint_state_, poses_.workspace(), nullptr, poses_.time(), with_products};
    for (const Equality& equality : graph_.equalities()) Equalities::add(equality, now, rows_, terms_);
}

void BodyMatrix::write_equality(std::size_t b, bool with_products) {
    const RowBlock& rows = rows_.blocks[b];
    const Equality& equality = graph_.equalities()[b];
    if (equality.node >= 0) std::fill_n(K_.diagonal(equality.node), equality.count * equality.count, 0.0);
    for (const Edge& edge : graph_.edges_of(equality))
        std::fill_n(block(edge), equality.count * graph_.dim(edge.link), 0.0);
    for (int k = 0; k < equality.count; ++k)
        errors_[equality.begin + k] = base_rates_[equality.begin + k] = products_[equality.begin + k] = 0;
    for (int r = rows.begin; r < rows.begin + rows.count; ++r)
        write_equality_row(equality, rows, r, with_products);
    for (int k = 0; k < equality.count && !left_out_.empty(); ++k)
        if (left_out_[equality.begin + k]) clear_row(equality, k);
    drop_idle_rows(equality, rows);
}

void BodyMatrix::write_equality_row(const Equality& equality, const RowBlock& rows, int r,
                                    bool with_products) {
    const Workspace<double>& ws = poses_.workspace();
    const Row& row = rows_.rows[r];
    const int part = terms_[r].part, entry_of_row = equality.begin + part;
    double base_rate = terms_[r].base_rate, product = terms_[r].product;
    if (rows.kind != RowKind::coupling)
        for (const auto& [link, force] :
             {std::pair{rows.link_a, row.on_a}, std::pair{rows.link_b, row.on_b}}) {
            if (link < 0) continue;
            add_to_row(equality, link, part, shift_back(force, ws.poses[link].X_WL.p - poses_.centre(link)));
            // Links do not move with their bases here, but by their own velocities.
            base_rate -= dot(velocity_by_base(ws, link), force);
        }
    for (const RowPull& pull : rows_.pulls_of(row))
        add_to_row(equality, pull.link, part,
                   {pull.moment + cross(pull.at - poses_.centre(pull.link), pull.force), pull.force});
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
        const RowEntry& entry = rows_.entries[e];
        const int link = graph_.link_of(entry.dof), parent = graph_.parent(link);
        if (const int own = graph_.stretch_entry(entry.dof); own >= 0) {
            row_block(equality, link, part)[own] += entry.value;
            continue;
        }
        const int v_adr = tree_.links[link].v_adr;
        const Force<double> at_M = entry.value * poses_.freedoms(link).W[entry.dof - v_adr];
        const Force<double> f = rotate(poses_.joint_axes(link), at_M);
        const Vec3d& p = ws.poses[link].X_WL.p;
        add_to_row(equality, link, part, shift_back(f, p - poses_.centre(link)));
        if (parent >= 0) add_to_row(equality, parent, part, -shift_back(f, p - poses_.centre(parent)));
        if (parent < -1)
            base_rate -= dot(shift(poses_.velocity_before(link), p - poses_.pose_before(link).p), f);
        if (with_products) {
            const Motion<double> turning = freedom_product(tree_, link, poses_.coordinates().data(),
                                                           joint_state_.v.data() + v_adr);
            product += dot(poses_.relative_acceleration(link) - turning, at_M);
        }
    }
    stated_rows_.push_back(entry_of_row);
    velocity_rows_[entry_of_row] = !terms_[r].holonomic;
    has_velocity_rows_ = has_velocity_rows_ || !terms_[r].holonomic;
    errors_[entry_of_row] = terms_[r].error;
    base_rates_[entry_of_row] = base_rate;
    products_[entry_of_row] = product;
}

double* BodyMatrix::row_block(const Equality& equality, int link, int row) {
    const std::span<const Edge> edges = graph_.edges_of(equality);
    std::size_t e = 0;
    while (edges[e].link != link) ++e;
    return block(edges[e]) + row * graph_.dim(link);
}

void BodyMatrix::add_to_row(const Equality& equality, int link, int row, const Force<double>& at_com) {
    double entries[bodies::max_body_dim];
    graph_.project(link, at_com, entries);
    double* const out = row_block(equality, link, row);
    for (int k = 0; k < graph_.dim(link); ++k) out[k] += entries[k];
}

void BodyMatrix::clear_row(const Equality& equality, int row) {
    for (const Edge& edge : graph_.edges_of(equality))
        std::fill_n(block(edge) + row * graph_.dim(edge.link), graph_.dim(edge.link), 0.0);
}

// Rows that move nothing take no part: those that are switched off, which do not count at all, or out of the
// plane of planar bodies.
void BodyMatrix::drop_idle_rows(const Equality& equality, const RowBlock& rows) {
    for (int k = 0; k < equality.count; ++k) {
        double size = 0;
        for (const Edge& edge : graph_.edges_of(equality)) {
            const int dim = graph_.dim(edge.link);
            const double* const own = block(edge) + k * dim;
            for (int c = 0; c < dim; ++c) size += own[c] * own[c];
        }
        if (!(size < nothing)) continue;
        // What rounding has left of it would be a row like any other to anticipation, which judges rows by
        // what they do to themselves.
        clear_row(equality, k);
        if (equality.node >= 0) K_.diagonal(equality.node)[k * equality.count + k] = -1;
        products_[equality.begin + k] = base_rates_[equality.begin + k] = 0;
        const auto terms = terms_.begin() + rows.begin;
        idle_rows_ += std::any_of(terms, terms + rows.count,
                                  [&](const EqualityTerms& own) { return own.part == k; });
    }
}

}  // namespace lig::maximal
