// Rows of joints, loops, couplings and pair constraints, as blocks of the matrix.

#include "bodies/body_list.h"
#include "constraints/base_motion.h"
#include "constraints/closing.h"
#include "constraints/coupling_rows.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/maximal/body_system.h"
#include "formulations/maximal/joint_blocks.h"

#include <algorithm>
#include <utility>

namespace lig::maximal {

namespace {

constexpr double nothing = 1e-24;  // squared, of a row that is of size 1

}  // namespace

// V_FM of a link.
Motion<double> BodySystem::relative_velocity(int link) const {
    const Transformd& X = ws_.poses[link].X_WL;
    const Motion<double>& B = ws_.poses[link].V_WL;
    const Motion<double> A = shift(velocity_before(link), X.p - pose_before(link).p);
    return {transpose_mul(R_WF_[link], B.ang - A.ang), transpose_mul(R_WF_[link], B.lin - A.lin)};
}

// A_FM while the bodies' own accelerations are 0, with that of the bases.
Motion<double> BodySystem::relative_acceleration(int link) const {
    const int parent = tree_.links[link].parent;
    const Motion<double>& a = parent >= 0 ? ws_.links[parent].a0 : ws_.bases[-1 - parent].a0;
    const Motion<double>& b = ws_.links[link].a0;
    const Motion<double>&A = velocity_before(link), &B = ws_.poses[link].V_WL;
    const Vec3d arm = ws_.poses[link].X_WL.p - pose_before(link).p;
    const Vec3d u = B.lin - (A.lin + cross(A.ang, arm));
    const Vec3d angular = b.ang - a.ang - cross(A.ang, B.ang);
    const Vec3d at_A = a.lin + cross(a.ang, arm) + cross(A.ang, cross(A.ang, arm));
    const Vec3d linear = b.lin - at_A - 2 * cross(A.ang, u);
    return {transpose_mul(R_WF_[link], angular), transpose_mul(R_WF_[link], linear)};
}

// The rows of a link's joint, as it states them.
void BodySystem::find_joint(int i, bool with_products, JointRows& rows) {
    const TreeJoint<double>& first = tree_.joints[tree_.links[i].joint_begin];
    const Transformd& before = pose_before(i);
    const Transformd& own = ws_.poses[i].X_WL;
    const Vec3d d = (own.p - before.p) - before.R * first.X_PF.p;
    const Transformd X_FM{transpose_mul(R_WF_[i], own.R), transpose_mul(R_WF_[i], d)};
    const Motion<double> V = with_products ? relative_velocity(i) : Motion<double>::zero();
    lig::maximal::find_rows(tree_, i, X_FM, V, q_.data(), rows);
}

void BodySystem::find_errors() {
    JointRows rows;
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (node.rows == 0) continue;
        find_joint(i, false, rows);
        std::copy_n(rows.C, node.rows, errors_.begin() + K_.offset(node.joint_node));
    }
    if (equalities_.empty()) return;
    assemble_equalities(false);
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const RowBlock& block = rows_.blocks[b];
        double* out = errors_.data() + equalities_[b].begin;
        std::fill_n(out, equalities_[b].count, 0.0);
        for (int r = block.begin; r < block.begin + block.count; ++r) out[terms_[r].part] = terms_[r].error;
    }
}

void BodySystem::find_slips(std::span<double> out) const {
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const RowBlock& block = rows_.blocks[b];
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            if (terms_[r].holonomic) continue;
            const Row& row = rows_.rows[r];
            double rate = terms_[r].base_rate;
            for (const auto& [link, force] :
                 {std::pair{block.link_a, row.on_a}, std::pair{block.link_b, row.on_b}})
                if (link >= 0) rate += dot(ws_.poses[link].V_WL - velocity_by_base(ws_, link), force);
            out[equalities_[b].begin + terms_[r].part] = rate;
        }
    }
}

// A row of a link's joint: a force at M in the axes of F.
void BodySystem::write_row(const LinkNode& node, int link, int row, const Force<double>& at_M) {
    const Force<double> f = rotate(R_WF_[link], at_M);
    const Vec3d& p = ws_.poses[link].X_WL.p;
    const int dim = K_.dim(link);
    project(link, shift_back(f, p - x_[link]), K_.edge(node.child_edge) + row * dim);
    if (node.parent_edge < 0) return;
    const int parent = tree_.links[link].parent;
    project(parent, -shift_back(f, p - x_[parent]), K_.edge(node.parent_edge) + row * K_.dim(parent));
}

// Hard rows of a plain link.
void BodySystem::write_plain_rows(int i, bool with_products) {
    const LinkNode& node = nodes_[i];
    const int parent = tree_.links[i].parent, begin = K_.offset(node.joint_node);
    const Transformd& own = ws_.poses[i].X_WL;
    const Motion<double>& a0 = parent >= 0 ? ws_.links[parent].a0 : ws_.bases[-1 - parent].a0;
    const int dim = node.rows + node.soft_count;
    double* const D = K_.diagonal(node.joint_node);
    for (int k = 0; k < node.rows; ++k) D[k * dim + k] = 0;
    write_joint_blocks({tree_.joints[tree_.links[i].joint_begin],
                        q_.data(),
                        R_WF_[i],
                        {pose_before(i), velocity_before(i), a0},
                        {own, ws_.poses[i].V_WL, ws_.links[i].a0},
                        own.p - x_[i],
                        parent >= 0 ? own.p - x_[parent] : Vec3d::zero(),
                        parent < -1},
                       with_products,
                       {K_.edge(node.child_edge), parent >= 0 ? K_.edge(node.parent_edge) : nullptr,
                        errors_.data() + begin, base_rates_.data() + begin, products_.data() + begin});
}

void BodySystem::find_rows(bool with_products) {
    idle_rows_ = 0;
    has_velocity_rows_ = false;
    stated_rows_.clear();
    JointRows rows;
    for (const int i : chosen_) {
        const LinkNode& node = nodes_[i];
        if (node.joint_node < 0) continue;
        const int begin = K_.offset(node.joint_node);
        const int parent = tree_.links[i].parent;
        if (node.plain && left_out_.empty()) {
            write_plain_rows(i, with_products);
            if (node.soft_count == 0) continue;
        }
        Motion<double> by_base = Motion<double>::zero(), A_FM = Motion<double>::zero();
        if (parent < -1) {
            const Motion<double> base = shift(velocity_before(i), ws_.poses[i].X_WL.p - pose_before(i).p);
            by_base = {transpose_mul(R_WF_[i], -base.ang), transpose_mul(R_WF_[i], -base.lin)};
        }
        if (with_products) A_FM = relative_acceleration(i);
        if (node.rows > 0 && !(node.plain && left_out_.empty())) {
            find_joint(i, with_products, rows);
            const int dim = node.rows + node.soft_count;
            for (int k = 0; k < node.rows; ++k) {
                const bool out = !left_out_.empty() && left_out_[begin + k];
                K_.diagonal(node.joint_node)[k * dim + k] = out ? -1 : 0;
                if (out) rows.G[k] = Force<double>::zero();
                write_row(node, i, k, rows.G[k]);
                errors_[begin + k] = rows.C[k];
                base_rates_[begin + k] = dot(by_base, rows.G[k]);
                if (with_products) products_[begin + k] = out ? 0 : dot(A_FM, rows.G[k]) + rows.rate[k];
            }
        }
        if (node.soft_count == 0) continue;
        JointFreedoms& freedoms = freedoms_[i];
        lig::maximal::find_freedoms(tree_, i, q_.data(), freedoms);
        Motion<double> turning = Motion<double>::zero();
        if (with_products) {
            const Motion<double> V = relative_velocity(i);
            double v[most_joint_rows];
            for (int k = 0; k < freedoms.count; ++k) v[k] = dot(V, freedoms.W[k]);
            turning = freedom_product(tree_, i, q_.data(), v);
        }
        for (int s = 0; s < node.soft_count; ++s) {
            const int k = soft_freedoms_[node.soft_begin + s] - tree_.links[i].v_adr;
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
    if (!equalities_.empty()) assemble_equalities(with_products);
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const RowBlock& block = rows_.blocks[b];
        const Equality& equality = equalities_[b];
        if (!takes_part_[b]) continue;
        if (equality.node >= 0) std::fill_n(K_.diagonal(equality.node), equality.count * equality.count, 0.0);
        for (const EqualityEdge& edge : edges_of(equality))
            std::fill_n(equality_block(edge), equality.count * K_.dim(edge.link), 0.0);
        bool stated[PairConstraint::most_rows] = {};
        const auto block_of = [&](int link) {
            int e = equality.edge_begin;
            while (equality_edges_[e].link != link) ++e;
            return equality_block(equality_edges_[e]);
        };
        const auto add_to = [&](int link, int row, const Force<double>& at_com) {
            double entries[bodies::max_body_dim];
            project(link, at_com, entries);
            const int dim = K_.dim(link);
            double* out = block_of(link) + row * dim;
            for (int k = 0; k < dim; ++k) out[k] += entries[k];
        };
        for (int k = 0; k < equality.count; ++k)
            errors_[equality.begin + k] = base_rates_[equality.begin + k] = products_[equality.begin + k] = 0;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            const int part = terms_[r].part;
            double base_rate = terms_[r].base_rate, product = terms_[r].product;
            if (block.kind != RowKind::coupling)
                for (const auto& [link, force] :
                     {std::pair{block.link_a, row.on_a}, std::pair{block.link_b, row.on_b}}) {
                    if (link < 0) continue;
                    add_to(link, part, shift_back(force, ws_.poses[link].X_WL.p - x_[link]));
                    // Links do not move with their bases here, but by their own velocities.
                    base_rate -= dot(velocity_by_base(ws_, link), force);
                }
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                const RowEntry& entry = rows_.entries[e];
                const int link = link_of_dof_[entry.dof];
                const Force<double> at_M =
                    entry.value * freedoms_[link].W[entry.dof - tree_.links[link].v_adr];
                const Force<double> f = rotate(R_WF_[link], at_M);
                const Vec3d& p = ws_.poses[link].X_WL.p;
                add_to(link, part, shift_back(f, p - x_[link]));
                const int parent = tree_.links[link].parent;
                if (parent >= 0) add_to(parent, part, -shift_back(f, p - x_[parent]));
                if (parent < -1)
                    base_rate -= dot(shift(velocity_before(link), p - pose_before(link).p), f);
                if (with_products) {
                    const TreeLink<double>& own = tree_.links[link];
                    const Motion<double> turning =
                        freedom_product(tree_, link, q_.data(), joint_state_.v.data() + own.v_adr);
                    product += dot(relative_acceleration(link) - turning, at_M);
                }
            }
            stated[part] = true;
            stated_rows_.push_back(equality.begin + part);
            velocity_rows_[equality.begin + part] = !terms_[r].holonomic;
            has_velocity_rows_ = has_velocity_rows_ || !terms_[r].holonomic;
            errors_[equality.begin + part] = terms_[r].error;
            base_rates_[equality.begin + part] = base_rate;
            products_[equality.begin + part] = product;
        }
        for (int k = 0; k < equality.count && !left_out_.empty(); ++k)
            if (left_out_[equality.begin + k])
                for (const EqualityEdge& edge : edges_of(equality))
                    std::fill_n(equality_block(edge) + k * K_.dim(edge.link), K_.dim(edge.link), 0.0);
        // Rows that move nothing take no part: those that are switched off, which do not count at all, or out
        // of the plane of planar bodies.
        for (int k = 0; k < equality.count; ++k) {
            double size = 0;
            for (const EqualityEdge& edge : edges_of(equality)) {
                const int dim = K_.dim(edge.link);
                for (int c = 0; c < dim; ++c) {
                    const double x = equality_block(edge)[k * dim + c];
                    size += x * x;
                }
            }
            if (size < nothing) {
                // What rounding has left of it would be a row like any other to anticipation, which judges
                // rows by what they do to themselves.
                for (const EqualityEdge& edge : edges_of(equality))
                    std::fill_n(equality_block(edge) + k * K_.dim(edge.link), K_.dim(edge.link), 0.0);
                if (equality.node >= 0) K_.diagonal(equality.node)[k * equality.count + k] = -1;
                products_[equality.begin + k] = base_rates_[equality.begin + k] = 0;
                idle_rows_ += stated[k];
            }
        }
    }
}

// Rows of loops and couplings in rows_, one block for each of equalities_, with their terms.
void BodySystem::assemble_equalities(bool with_products) {
    rows_.clear();
    terms_.clear();
    if (couples_joints_) {
        joint_state_.time = time_;
        to_joints(joint_state_);
    }
    for (const Equality& equality : equalities_) {
        const std::size_t first = terms_.size();
        switch (equality.kind) {
            case RowKind::loop:
                add_loop(ws_, equality.source, with_products, rows_, terms_);
                take_off_start(model_->loops[equality.source], time_, std::span(terms_).subspan(first));
                break;
            case RowKind::pair: add_pair(ws_, equality.source, time_, with_products, rows_, terms_); break;
            default: add_coupling(joint_state_, *model_, equality.source, rows_, terms_); break;
        }
    }
}

void BodySystem::row_velocities(std::span<const double> u, std::span<double> out) const {
    const auto multiply = [&](const double* J, int rows, double* y, int link) {
        const int dim = K_.dim(link);
        const double* x = u.data() + K_.offset(link);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < dim; ++c) y[r] += J[r * dim + c] * x[c];
    };
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (node.joint_node < 0) continue;
        double* own = out.data() + K_.offset(node.joint_node);
        const int rows = K_.dim(node.joint_node);
        std::fill_n(own, rows, 0.0);
        multiply(K_.edge(node.child_edge), rows, own, i);
        if (node.parent_edge >= 0) multiply(K_.edge(node.parent_edge), rows, own, tree_.links[i].parent);
    }
    for (const Equality& equality : equalities_) {
        double* own = out.data() + equality.begin;
        std::fill_n(own, equality.count, 0.0);
        for (const EqualityEdge& edge : edges_of(equality))
            multiply(equality_block(edge), equality.count, own, edge.link);
    }
}

namespace {

// f += Jᵀ y of one block.
void add_transposed(const double* J, int rows, const double* y, int dim, double* f) {
    if (dim == 6) {  // what the compiler can put into registers
        double sum[6];
        for (int c = 0; c < 6; ++c) sum[c] = f[c];
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < 6; ++c) sum[c] += J[r * 6 + c] * y[r];
        for (int c = 0; c < 6; ++c) f[c] = sum[c];
        return;
    }
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < dim; ++c) f[c] += J[r * dim + c] * y[r];
}

}  // namespace

void BodySystem::write_joint_misses(double rate, std::span<double> x) const {
    for (const int i : chosen_) {
        const LinkNode& node = nodes_[i];
        if (node.joint_node < 0) continue;
        const int begin = K_.offset(node.joint_node), parent = tree_.links[i].parent;
        for (int r = 0; r < node.rows; ++r) {
            double sum = base_rates_[begin + r] + rate * errors_[begin + r];
            const auto add = [&](int edge, int link) {
                double u[bodies::max_body_dim];
                const Motion<double> V = shift(ws_.poses[link].V_WL, x_[link] - ws_.poses[link].X_WL.p);
                project(link, {V.ang, V.lin}, u);
                const double* J = K_.edge(edge) + r * K_.dim(link);
                for (int c = 0; c < K_.dim(link); ++c) sum += J[c] * u[c];
            };
            add(node.child_edge, i);
            if (node.parent_edge >= 0) add(node.parent_edge, parent);
            x[begin + r] = -sum;
        }
    }
}

void BodySystem::add_row_forces(std::span<const double> y, std::span<double> f) const {
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (node.joint_node < 0) continue;
        const double* own = y.data() + K_.offset(node.joint_node);
        const int rows = K_.dim(node.joint_node), parent = tree_.links[i].parent;
        add_transposed(K_.edge(node.child_edge), rows, own, K_.dim(i), f.data() + K_.offset(i));
        if (parent >= 0)
            add_transposed(K_.edge(node.parent_edge), rows, own, K_.dim(parent),
                           f.data() + K_.offset(parent));
    }
    for (const Equality& equality : equalities_)
        for (const EqualityEdge& edge : edges_of(equality))
            add_transposed(equality_block(edge), equality.count, y.data() + equality.begin, K_.dim(edge.link),
                           f.data() + K_.offset(edge.link));
}

// Φ has orthonormal columns: what is read back has no part that the body's kind does not feel.
Force<double> BodySystem::joint_force(int link, std::span<const double> y) const {
    const LinkNode& node = nodes_[link];
    double f[bodies::max_body_dim] = {};
    if (node.joint_node >= 0)
        add_transposed(K_.edge(node.child_edge), node.rows, y.data() + K_.offset(node.joint_node),
                       K_.dim(link), f);
    Motion<double> out;
    bodies::visit_body(node.kind, [&](auto kind) { out = decltype(kind)::expand(f); });
    return {-out.ang, -out.lin};
}

Force<double> BodySystem::equality_force(const Equality& equality, int link,
                                         std::span<const double> y) const {
    double f[bodies::max_body_dim] = {};
    for (const EqualityEdge& edge : edges_of(equality))
        if (edge.link == link)
            add_transposed(equality_block(edge), equality.count, y.data() + equality.begin, K_.dim(link), f);
    Motion<double> out;
    bodies::visit_body(nodes_[link].kind, [&](auto kind) { out = decltype(kind)::expand(f); });
    return {-out.ang, -out.lin};
}

}  // namespace lig::maximal
