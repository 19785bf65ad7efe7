#include "formulations/multiplier/body_system.h"

#include "bodies/body_list.h"
#include "constraints/base_motion.h"
#include "constraints/closing.h"
#include "constraints/coupling_rows.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "core/length.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "dynamics/dynamics_parts.h"
#include "linalg/small_dense.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lig::multiplier {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("multiplier: " + what); }

// The kind of the bodies of a link: links of more than one body are rigid.
BodyKind kind_of_link(const Model& model, int link) {
    for (const Model::Body& body : model.bodies)
        if (body.link == link) return body.kind;
    return BodyKind::rigid;
}

// The links on which a freedom pulls: its own and the one before it.
void add_links_of(const Model& model, int joint, std::vector<int>& touched) {
    const int link = model.bodies[model.joints[joint].body].link;
    touched.push_back(link);
    if (const int parent = model.tree.links[link].parent; parent >= 0) touched.push_back(parent);
}

constexpr double nothing = 1e-24;  // squared, of a row that is of size 1
// Of the largest moment of inertia: bodies with less about some axis are thin, and what they are given.
constexpr double thin_bound = 1e-7, thin_share = 1e-12;
// Anticipation: of what a row of a loop does to itself; where less is left beside the others, it follows from
// them.
constexpr double loop_rank_tolerance = 1e-10;
constexpr double expected_damping = 1e-9;  // as BlockLdlt has it by itself

}  // namespace

BodySystem::BodySystem(std::shared_ptr<const Model> model, std::optional<LoopMethod> loops,
                       std::span<const char> soft_freedoms)
    : model_(std::move(model)),
      tree_(model_->tree),
      nodes_(tree_.links.size()),
      loops_(loops),
      ws_(model_),
      q_(model_->q0),
      R_WF_(tree_.links.size()),
      x_(tree_.links.size()),
      freedoms_(tree_.links.size()),
      joint_state_(*model_) {
    for (const Model::Tendon& tendon : model_->tendons)
        if (tendon.armature > 0) refuse("tendon '" + tendon.name + "' has inertia");
    // What hangs on a link, at the reference configuration, about the link's origin: a link without inertia of
    // its own is thin beside that.
    JointState<double> reference(*model_);
    forward_kinematics(reference, ws_);
    std::vector<RigidInertia<double>> hanging(tree_.links.size(), RigidInertia<double>::zero());
    for (int i = links() - 1; i >= 0; --i) {
        hanging[i] = hanging[i] + world_inertia(ws_.poses[i].X_WL.R, tree_.links[i].inertia);
        if (const int parent = tree_.links[i].parent; parent >= 0)
            hanging[parent] = hanging[parent] +
                              shift_back(hanging[i], ws_.poses[i].X_WL.p - ws_.poses[parent].X_WL.p);
    }
    std::vector<BlockLdlt::Node> nodes;
    std::vector<BlockLdlt::Edge> edges;
    for (int i = 0; i < links(); ++i) {
        LinkNode& node = nodes_[i];
        node.kind = kind_of_link(*model_, i);
        const SplitInertia<double>& own = tree_.links[i].inertia;
        if (!(own.mass > 0)) {
            for (const Model::Body& body : model_->bodies)
                if (body.link == i)
                    refuse("body '" + body.name + "' has no mass; on body coordinates everything that moves needs some");
        }
        const RigidInertia<double> about_L = world_inertia(Mat3d::identity(), own);
        node.mass = own.mass;
        node.com = (1 / own.mass) * own.h;
        // Moments about the centre of mass are never larger than those about L; those of a point are rounding.
        node.inertia = about_L.I - shift_back({own.mass, Vec3d::zero(), Sym3d::zero()}, node.com).I;
        if (node.kind == BodyKind::rigid) {
            const SymmetricEigen about_com = symmetric_eigen(node.inertia);
            const double largest = symmetric_eigen(hanging[i].I).values.z;
            if (about_com.values.x < thin_bound * largest) {
                node.thin = has_thin_ = true;
                node.inertia += thin_share * largest * Sym3d::diagonal(1, 1, 1);
            }
        }
        node.rotation = bodies::FreeRotation::of(node.inertia);
        nodes.push_back({bodies::body_info(node.kind).dim, false, false});
        body_entries_ += nodes.back().dim;
    }
    for (int i = 0; i < links(); ++i) {
        LinkNode& node = nodes_[i];
        const TreeLink<double>& link = tree_.links[i];
        node.rows = node.kind == BodyKind::rigid ? joint_row_count(tree_, i) : 0;
        node.soft_begin = static_cast<int>(soft_freedoms_.size());
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k)
            if (soft_freedoms[k]) soft_freedoms_.push_back(k);
        node.soft_count = static_cast<int>(soft_freedoms_.size()) - node.soft_begin;
        if (node.rows + node.soft_count == 0) continue;
        node.joint_node = static_cast<int>(nodes.size());
        nodes.push_back({node.rows + node.soft_count, true, node.rows == 0});
        node.child_edge = static_cast<int>(edges.size());
        edges.push_back({node.joint_node, i});
        if (link.parent < 0) continue;
        node.parent_edge = static_cast<int>(edges.size());
        edges.push_back({node.joint_node, link.parent});
        if (!node.thin) continue;
        node.body_edge = static_cast<int>(edges.size());
        edges.push_back({i, link.parent});
    }
    const auto add = [&](RowKind kind, int source, int rows, std::vector<int> on) {
        std::sort(on.begin(), on.end());
        on.erase(std::unique(on.begin(), on.end()), on.end());
        const bool direct = loops_ == LoopMethod::direct;
        equalities_.push_back({kind, source, direct ? static_cast<int>(nodes.size()) : -1, 0, rows,
                               static_cast<int>(equality_edges_.size()), static_cast<int>(on.size())});
        if (direct) nodes.push_back({rows, true, false});
        for (const int link : on) {
            equality_edges_.push_back({static_cast<int>(direct ? edges.size() : loop_blocks_.size()), link});
            if (direct)
                edges.push_back({equalities_.back().node, link});
            else
                loop_blocks_.resize(loop_blocks_.size() + static_cast<std::size_t>(rows * nodes[link].dim));
        }
        equality_rows_ += rows;
    };
    if (loops_ && loops_are_enabled(*model_)) {
        for (int k = 0; k < static_cast<int>(model_->loops.size()); ++k) {
            if (!loop_acts(*model_, k)) continue;
            std::vector<int> on;
            for (const int body : {model_->loops[k].body_a, model_->loops[k].body_b})
                if (const int link = model_->bodies[body].link; link >= 0) on.push_back(link);
            add(RowKind::loop, k, model_->loops[k].rows, on);
        }
        for (int k = 0; k < static_cast<int>(model_->pair_constraints.size()); ++k) {
            if (!pair_acts(*model_, k)) continue;
            const Model::PairConstraint& pair = model_->pair_constraints[k];
            std::vector<int> on;
            for (const int body : {pair.body_a, pair.body_b})
                if (const int link = model_->bodies[body].link; link >= 0) on.push_back(link);
            add(RowKind::pair, k, pair.rows, on);
        }
        for (int k = 0; k < static_cast<int>(model_->couplings.size()); ++k) {
            const Model::Coupling& coupling = model_->couplings[k];
            if (!coupling.active) continue;
            std::vector<int> on;
            add_links_of(*model_, coupling.follower, on);
            if (coupling.leader >= 0) add_links_of(*model_, coupling.leader, on);
            add(RowKind::coupling, k, 1, on);
            couples_joints_ = true;
        }
        for (const Model::TendonCoupling& coupling : model_->tendon_couplings)
            if (coupling.active) refuse("tendon coupling '" + coupling.name + "' is not supported");
    }
    for (const LinkNode& node : nodes_) {
        const double moment = symmetric_eigen(node.inertia).values.z;
        extent_ += 2 * (length(node.com) + std::sqrt(moment / node.mass));
    }
    if (!nodes_.empty()) extent_ /= static_cast<double>(nodes_.size());
    K_ = BlockLdlt(nodes, edges);
    size_ = K_.size();
    for (Equality& equality : equalities_) {
        equality.begin = equality.node >= 0 ? K_.offset(equality.node) : size_;
        if (equality.node < 0) size_ += equality.count;
    }
    if (loops_ == LoopMethod::anticipation) {
        const std::size_t n = static_cast<std::size_t>(equality_rows_);
        A_.assign(n * n, 0.0);
        loop_side_.assign(n, 0.0);
        loop_forces_.assign(n, 0.0);
    }
    soft_acts_.assign(soft_freedoms_.size(), 0);
    soft_row_.assign(model_->nv, -1);
    for (const LinkNode& node : nodes_)
        for (int s = 0; s < node.soft_count; ++s)
            soft_row_[soft_freedoms_[node.soft_begin + s]] = K_.offset(node.joint_node) + node.rows + s;
    errors_.assign(size_, 0.0);
    base_rates_.assign(size_, 0.0);
    products_.assign(size_, 0.0);
    right_.assign(size_, 0.0);
    set_armature();
}

void BodySystem::from_joints(const Workspace<double>& from, const JointState<double>& state,
                             BodyCoordinates& out) {
    q_ = state.q;
    out.x.resize(nodes_.size());
    out.quat.resize(nodes_.size());
    out.V.resize(nodes_.size());
    for (int i = 0; i < links(); ++i) {
        const Transformd& X = from.poses[i].X_WL;
        const Vec3d arm = X.R * nodes_[i].com;
        out.x[i] = X.p + arm;
        out.quat[i] = quaternion(X.R);
        out.V[i] = shift(from.poses[i].V_WL, arm);
    }
}

void BodySystem::to_joints(JointState<double>& state) {
    q_ = state.q;
    for (int i = 0; i < links(); ++i) {
        const Transformd& before = pose_before(i);
        const TreeJoint<double>& first = tree_.joints[tree_.links[i].joint_begin];
        const Transformd X_WF = before * first.X_PF;
        read_coordinates(tree_, i, X_WF.inverse() * ws_.poses[i].X_WL, q_.data());
        lig::multiplier::find_freedoms(tree_, i, q_.data(), freedoms_[i]);
        const Motion<double> V = relative_velocity(i);
        for (int k = 0; k < freedoms_[i].count; ++k)
            state.v[tree_.links[i].v_adr + k] = dot(V, freedoms_[i].W[k]);
    }
    state.q = q_;
}

const Transformd& BodySystem::pose_before(int link) const { return carrier_pose(ws_, tree_.links[link].parent); }
const Motion<double>& BodySystem::velocity_before(int link) const {
    return carrier_velocity(ws_, tree_.links[link].parent);
}

void BodySystem::look(const BodyCoordinates& bodies, std::span<const BaseWork<double>> bases, double time) {
    std::copy(bases.begin(), bases.end(), ws_.bases.begin());
    for (BaseWork<double>& base : ws_.bases) base.a0.lin += model_->options.gravity;
    time_ = time;
    for (int i = 0; i < links(); ++i) {
        const Mat3d R = rotation_matrix(bodies.quat[i]);
        const Vec3d arm = R * nodes_[i].com;
        const Motion<double>& V = bodies.V[i];
        x_[i] = bodies.x[i];
        ws_.poses[i].X_WL = {R, bodies.x[i] - arm};
        ws_.poses[i].V_WL = shift(V, -arm);
        ws_.links[i].a0 = {Vec3d::zero(), -cross(V.ang, cross(V.ang, arm))};
    }
    for (int i = 0; i < links(); ++i)
        R_WF_[i] = pose_before(i).R * tree_.joints[tree_.links[i].joint_begin].X_PF.R;
}

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
    lig::multiplier::find_rows(tree_, i, X_FM, V, q_.data(), rows);
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

void BodySystem::project(int link, const Force<double>& at_com, double* out) const {
    bodies::visit_body(nodes_[link].kind, [&](auto kind) { decltype(kind)::project(at_com, out); });
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

void BodySystem::find_rows(bool with_products) {
    JointRows rows;
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (node.joint_node < 0) continue;
        const int begin = K_.offset(node.joint_node);
        const int parent = tree_.links[i].parent;
        Motion<double> by_base = Motion<double>::zero(), A_FM = Motion<double>::zero();
        if (parent < -1) {
            const Motion<double> base = shift(velocity_before(i), ws_.poses[i].X_WL.p - pose_before(i).p);
            by_base = {transpose_mul(R_WF_[i], -base.ang), transpose_mul(R_WF_[i], -base.lin)};
        }
        if (with_products) A_FM = relative_acceleration(i);
        if (node.rows > 0) {
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
        lig::multiplier::find_freedoms(tree_, i, q_.data(), freedoms);
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
        if (equality.node >= 0) std::fill_n(K_.diagonal(equality.node), equality.count * equality.count, 0.0);
        for (const EqualityEdge& edge : edges_of(equality))
            std::fill_n(equality_block(edge), equality.count * K_.dim(edge.link), 0.0);
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
                for (const auto& [link, force] : {std::pair{block.link_a, row.on_a}, std::pair{block.link_b, row.on_b}}) {
                    if (link < 0) continue;
                    add_to(link, part, shift_back(force, ws_.poses[link].X_WL.p - x_[link]));
                    // Links do not move with their bases here, but by their own velocities.
                    base_rate -= dot(velocity_by_base(ws_, link), force);
                }
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                const RowEntry& entry = rows_.entries[e];
                int link = 0;
                while (entry.dof >= tree_.links[link].v_adr + tree_.links[link].nv) ++link;
                const Force<double> at_M = entry.value * freedoms_[link].W[entry.dof - tree_.links[link].v_adr];
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
            errors_[equality.begin + part] = terms_[r].error;
            base_rates_[equality.begin + part] = base_rate;
            products_[equality.begin + part] = product;
        }
        for (int k = 0; k < equality.count && !left_out_.empty(); ++k)
            if (left_out_[equality.begin + k])
                for (const EqualityEdge& edge : edges_of(equality))
                    std::fill_n(equality_block(edge) + k * K_.dim(edge.link), K_.dim(edge.link), 0.0);
        // Rows that move nothing take no part: those that are switched off, or out of the plane of planar bodies.
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
                if (equality.node >= 0) K_.diagonal(equality.node)[k * equality.count + k] = -1;
                products_[equality.begin + k] = base_rates_[equality.begin + k] = 0;
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

void BodySystem::find_freedoms() {
    for (int i = 0; i < links(); ++i) lig::multiplier::find_freedoms(tree_, i, q_.data(), freedoms_[i]);
}

void BodySystem::find_inertias() {
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        const Sym3d I = rotate(ws_.poses[i].X_WL.R, node.inertia);
        bodies::visit_body(node.kind,
                           [&](auto kind) { decltype(kind)::mass_block(node.mass, I, K_.diagonal(i)); });
    }
}

void BodySystem::set_soft(int link, const double* stiffness) {
    const LinkNode& node = nodes_[link];
    if (node.soft_count == 0) return;
    const int dim = node.rows + node.soft_count;
    double* D = K_.diagonal(node.joint_node);
    int acting[most_joint_rows], count = 0;
    for (int s = 0; s < node.soft_count; ++s) {
        soft_acts_[node.soft_begin + s] = stiffness[s * small_stride + s] > 0;
        if (soft_acts_[node.soft_begin + s]) acting[count++] = s;
    }
    double a[most_joint_rows * small_stride], inverse[most_joint_rows];
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j)
            a[i * small_stride + j] = stiffness[acting[i] * small_stride + acting[j]];
    cholesky_n<double>(a, count);
    for (int i = 0; i < node.soft_count; ++i)
        for (int j = 0; j < node.soft_count; ++j) D[(node.rows + i) * dim + node.rows + j] = i == j ? -1 : 0;
    for (int j = 0; j < count; ++j) {
        std::fill_n(inverse, count, 0.0);
        inverse[j] = 1;
        cholesky_solve_n<double>(a, count, inverse);
        for (int i = 0; i < count; ++i) D[(node.rows + acting[i]) * dim + node.rows + acting[j]] = -inverse[i];
    }
}

void BodySystem::set_armature() {
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        double stiffness[most_joint_rows * small_stride] = {};
        for (int s = 0; s < node.soft_count; ++s)
            stiffness[s * small_stride + s] = tree_.armature[soft_freedoms_[node.soft_begin + s]];
        set_soft(i, stiffness);
    }
}

double BodySystem::joint_error() const {
    double largest = 0;
    for (const LinkNode& node : nodes_)
        for (int k = 0; k < node.rows; ++k)
            largest = std::max(largest, std::abs(errors_[K_.offset(node.joint_node) + k]));
    return largest;
}

double BodySystem::loop_error() const {
    double largest = 0;
    for (const Equality& equality : equalities_)
        for (int k = 0; k < equality.count; ++k)
            largest = std::max(largest, std::abs(errors_[equality.begin + k]));
    return largest;
}

std::string BodySystem::name_of_worst() const {
    double largest = -1;
    std::string name;
    for (int i = 0; i < links(); ++i)
        for (int k = 0; k < nodes_[i].rows; ++k)
            if (const double e = std::abs(errors_[K_.offset(nodes_[i].joint_node) + k]); e > largest) {
                largest = e;
                for (const Model::Joint& joint : model_->joints)
                    if (model_->bodies[joint.body].link == i) name = "joint '" + joint.name + "'";
            }
    for (const Equality& equality : equalities_)
        for (int k = 0; k < equality.count; ++k)
            if (const double e = std::abs(errors_[equality.begin + k]); e > largest) {
                largest = e;
                name = equality.kind == RowKind::loop
                           ? "loop '" + model_->loops[equality.source].name + "'"
                       : equality.kind == RowKind::pair
                           ? "constraint '" + model_->pair_constraints[equality.source].name + "'"
                           : "coupling '" + model_->couplings[equality.source].name + "'";
            }
    return name;
}

// Φ has orthonormal columns, so its transpose reads the freedoms of a velocity, too.
void BodySystem::write_velocities(const BodyCoordinates& bodies, std::span<double> u) const {
    for (int i = 0; i < links(); ++i)
        bodies::visit_body(nodes_[i].kind, [&](auto kind) {
            decltype(kind)::project(Force<double>{bodies.V[i].ang, bodies.V[i].lin}, u.data() + K_.offset(i));
        });
}

void BodySystem::velocities(std::span<double> u) const {
    for (int i = 0; i < links(); ++i) {
        const Motion<double> V = shift(ws_.poses[i].V_WL, x_[i] - ws_.poses[i].X_WL.p);
        project(i, {V.ang, V.lin}, u.data() + K_.offset(i));
    }
}

void BodySystem::drift(double h, BodyCoordinates& at) const {
    for (int i = 0; i < links(); ++i)
        bodies::visit_body(nodes_[i].kind, [&](auto kind) {
            decltype(kind)::drift(nodes_[i].rotation, nodes_[i].inertia, h, at.x[i], at.quat[i], at.V[i]);
        });
}

void BodySystem::momenta(std::span<const double> u, std::span<double> f) const {
    for (int i = 0; i < links(); ++i) {
        const Motion<double> V = motion_of(u, i);
        const Vec3d spin = rotate(ws_.poses[i].X_WL.R, nodes_[i].inertia) * V.ang;
        project(i, {spin, nodes_[i].mass * V.lin}, f.data() + K_.offset(i));
    }
}

// ρ Jᵀ J of the hard rows of thin bodies' joints: ρ is of the size of what the row moves.
void BodySystem::add_thin_blocks() {
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (!node.thin || node.rows == 0) continue;
        const int parent = tree_.links[i].parent;
        const int nc = K_.dim(i), np = node.body_edge >= 0 ? K_.dim(parent) : 0;
        const double* Jc = K_.edge(node.child_edge);
        const double* Jp = np > 0 ? K_.edge(node.parent_edge) : nullptr;
        double *Dc = K_.diagonal(i), *Dp = np > 0 ? K_.diagonal(parent) : nullptr;
        double* E = np > 0 ? K_.edge(node.body_edge) : nullptr;
        std::fill_n(E, nc * np, 0.0);
        for (int r = 0; r < node.rows; ++r) {
            const double *c = Jc + r * nc, *p = Jp + r * np;
            for (int x = 0; x < nc; ++x)
                for (int y = 0; y < nc; ++y) Dc[x * nc + y] += node.mass * c[x] * c[y];
            for (int x = 0; x < nc; ++x)
                for (int y = 0; y < np; ++y) E[x * np + y] += node.mass * c[x] * p[y];
            for (int x = 0; x < np; ++x)
                for (int y = 0; y < np; ++y) Dp[x * np + y] += node.mass * p[x] * p[y];
        }
    }
}

void BodySystem::add_thin_forces(std::span<double> x) const {
    for (int i = 0; i < links(); ++i) {
        const LinkNode& node = nodes_[i];
        if (!node.thin || node.rows == 0) continue;
        const auto add = [&](int edge, int link) {
            const double* J = K_.edge(edge);
            const int dim = K_.dim(link);
            for (int r = 0; r < node.rows; ++r)
                for (int c = 0; c < dim; ++c)
                    x[K_.offset(link) + c] += node.mass * J[r * dim + c] * x[K_.offset(node.joint_node) + r];
        };
        add(node.child_edge, i);
        if (node.parent_edge >= 0) add(node.parent_edge, tree_.links[i].parent);
    }
}

BlockLdlt::Factored BodySystem::factor() {
    if (has_thin_) add_thin_blocks();
    // Rows that were redundant in the last state most likely still are: then damping at once saves the first
    // of two factorizations.
    BlockLdlt::Factored factored = K_.factor(was_redundant_ ? expected_damping : 0);
    was_redundant_ = factored.redundant_rows > 0;
    if (factored.bad_node < 0 && loops_ == LoopMethod::anticipation)
        factored.redundant_rows += factor_loops();
    return factored;
}

// Anticipation: A and its root. Returns how many rows follow from others.
int BodySystem::factor_loops() {
    loop_terms_.clear();
    int row = 0, idle = 0;
    for (const Equality& equality : equalities_)
        for (int k = 0; k < equality.count; ++k, ++row)
            for (const EqualityEdge& edge : edges_of(equality))
                loop_terms_.push_back({row, edge.link, equality_block(edge) + k * K_.dim(edge.link)});
    response_.workless(K_, loop_terms_, equality_rows_, A_);
    // A row along which joints do not move is rounding beside what its bodies would do by themselves.
    std::size_t at = 0;
    const std::size_t n = static_cast<std::size_t>(equality_rows_);
    for (std::size_t k = 0; k < n; ++k) {
        double alone = 0;
        for (; at < loop_terms_.size() && loop_terms_[at].column == static_cast<int>(k); ++at)
            alone += compliance_of(loop_terms_[at].node, loop_terms_[at].values);
        if (!(alone > 0)) ++idle;
        if (A_[k * (n + 1)] > loop_rank_tolerance * alone) continue;
        for (std::size_t j = 0; j < n; ++j) A_[k * n + j] = A_[j * n + k] = 0;
    }
    return equality_rows_ - idle - root_.factor(A_, equality_rows_, loop_rank_tolerance);
}

// Anticipation: what the loops do first, then the joints with it.
void BodySystem::solve_loops(std::span<double> x) {
    std::copy_n(x.begin(), K_.size(), right_.begin());
    K_.solve(x.first(K_.size()));
    int row = 0;
    for (const Equality& equality : equalities_)
        for (int k = 0; k < equality.count; ++k, ++row) {
            double sum = -x[equality.begin + k];
            for (const EqualityEdge& edge : edges_of(equality)) {
                const int dim = K_.dim(edge.link);
                const double *J = equality_block(edge) + k * dim, *a = x.data() + K_.offset(edge.link);
                for (int c = 0; c < dim; ++c) sum += J[c] * a[c];
            }
            loop_side_[row] = sum;
        }
    root_.solve(A_, loop_side_, loop_forces_);
    std::copy_n(right_.begin(), K_.size(), x.begin());
    row = 0;
    for (const Equality& equality : equalities_)
        for (int k = 0; k < equality.count; ++k, ++row) {
            const double y = x[equality.begin + k] = loop_forces_[row];
            for (const EqualityEdge& edge : edges_of(equality)) {
                const int dim = K_.dim(edge.link);
                const double* J = equality_block(edge) + k * dim;
                for (int c = 0; c < dim; ++c) x[K_.offset(edge.link) + c] -= J[c] * y;
            }
        }
    K_.solve(x.first(K_.size()));
}

void BodySystem::solve(std::span<double> x) {
    if (has_thin_) add_thin_forces(x);
    if (loops_ == LoopMethod::anticipation && !equalities_.empty())
        solve_loops(x);
    else
        K_.solve(x);
}

BlockLdlt::Refined BodySystem::solve_refined(std::span<double> x, int most_solves) {
    if (has_thin_) add_thin_forces(x);
    if (loops_ == LoopMethod::anticipation && !equalities_.empty()) {
        solve_loops(x);
        return {2, 0};
    }
    std::copy(x.begin(), x.end(), right_.begin());
    return K_.solve_refined(right_, x, most_solves);
}

Motion<double> BodySystem::motion_of(std::span<const double> u, int link) const {
    Motion<double> out;
    bodies::visit_body(nodes_[link].kind,
                       [&](auto kind) { out = decltype(kind)::expand(u.data() + K_.offset(link)); });
    return out;
}

void BodySystem::read_velocities(std::span<const double> u, BodyCoordinates& bodies) const {
    for (int i = 0; i < links(); ++i) bodies.V[i] = motion_of(u, i);
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

void BodySystem::add_gravity(std::span<double> f) const {
    double weight[bodies::max_body_dim];
    for (int i = 0; i < links(); ++i) {
        project(i, {Vec3d::zero(), nodes_[i].mass * model_->options.gravity}, weight);
        for (int k = 0; k < K_.dim(i); ++k) f[K_.offset(i) + k] += weight[k];
    }
}

void BodySystem::add_gyroscopic_forces(std::span<double> f) const {
    double bias[bodies::max_body_dim];
    for (int i = 0; i < links(); ++i) {
        const Sym3d I = rotate(ws_.poses[i].X_WL.R, nodes_[i].inertia);
        bodies::visit_body(nodes_[i].kind, [&](auto kind) {
            using Kind = decltype(kind);
            Kind::bias(I, ws_.poses[i].V_WL, bias);
            for (int k = 0; k < Kind::dim; ++k) f[K_.offset(i) + k] += bias[k];
        });
    }
}

void BodySystem::add_wrench_to(int link, const Force<double>& about_origin, double* own) const {
    double entries[bodies::max_body_dim];
    project(link, shift_back(about_origin, ws_.poses[link].X_WL.p - x_[link]), entries);
    for (int k = 0; k < K_.dim(link); ++k) own[k] += entries[k];
}

void BodySystem::add_wrench(int link, const Force<double>& about_origin, std::span<double> f) const {
    add_wrench_to(link, about_origin, f.data() + K_.offset(link));
}

Force<double> BodySystem::freedom_force(int link, int dof, double value) const {
    return value * rotate(R_WF_[link], freedoms_[link].W[dof - tree_.links[link].v_adr]);
}

Force<double> BodySystem::seen_from(int other, int link, const Force<double>& about_origin) const {
    return shift_back(about_origin, ws_.poses[link].X_WL.p - ws_.poses[other].X_WL.p);
}

// Of one body by itself: j M⁻¹ jᵀ of a row's entries.
double BodySystem::compliance_of(int link, const double* row) const {
    const int dim = K_.dim(link);
    double a[bodies::max_body_dim * bodies::max_body_dim], x[bodies::max_body_dim];
    bodies::visit_body(nodes_[link].kind, [&](auto kind) {
        using Kind = decltype(kind);
        Kind::mass_block(nodes_[link].mass, rotate(ws_.poses[link].X_WL.R, nodes_[link].inertia), a);
        std::copy_n(row, Kind::dim, x);
        cholesky<Kind::dim>(a);
        cholesky_solve<Kind::dim>(a, x);
    });
    double sum = 0;
    for (int k = 0; k < dim; ++k) sum += x[k] * row[k];
    return sum;
}

double BodySystem::pair_inertia(int link, int dof) const {
    const Force<double> f = freedom_force(link, dof, 1);
    const auto compliance = [&](int on, const Force<double>& about_origin) {
        const Force<double> own = shift_back(about_origin, ws_.poses[on].X_WL.p - x_[on]);
        const Mat3d& R = ws_.poses[on].X_WL.R;
        const Vec3d in_L = transpose_mul(R, own.ang);
        const Vec3d principal = transpose_mul(rotation_matrix(nodes_[on].rotation.axes), in_L);
        const Vec3d& I = nodes_[on].rotation.moments;
        return principal.x * principal.x / I.x + principal.y * principal.y / I.y +
               principal.z * principal.z / I.z + dot(own.lin, own.lin) / nodes_[on].mass;
    };
    double sum = compliance(link, f);
    if (const int parent = tree_.links[link].parent; parent >= 0) sum += compliance(parent, seen_from(parent, link, f));
    return 1 / sum;
}

Motion<double> BodySystem::origin_motion(std::span<const double> u, int link) const {
    return shift(motion_of(u, link), ws_.poses[link].X_WL.p - x_[link]);
}

void BodySystem::add_link_forces(std::span<const Force<double>> on_links, std::span<double> f) const {
    for (int i = 0; i < links(); ++i) add_wrench(i, on_links[i], f);
}

void BodySystem::add_joint_forces(std::span<const double> tau, std::span<double> f) const {
    for (int i = 0; i < links(); ++i) {
        const TreeLink<double>& link = tree_.links[i];
        Force<double> at_M = Force<double>::zero();
        bool any = false;
        for (int k = 0; k < link.nv; ++k)
            if (tau[link.v_adr + k] != 0) {
                at_M += tau[link.v_adr + k] * freedoms_[i].W[k];
                any = true;
            }
        if (!any) continue;
        const Force<double> force = rotate(R_WF_[i], at_M);
        add_wrench(i, force, f);
        if (link.parent >= 0)
            add_wrench(link.parent,
                       -shift_back(force, ws_.poses[i].X_WL.p - ws_.poses[link.parent].X_WL.p), f);
    }
}

void BodySystem::joint_velocities(std::span<const double> u, bool with_bases, std::span<double> v) const {
    for (int i = 0; i < links(); ++i) {
        const TreeLink<double>& link = tree_.links[i];
        const Vec3d& p = ws_.poses[i].X_WL.p;
        Motion<double> V = shift(motion_of(u, i), p - x_[i]);
        if (link.parent >= 0)
            V = V - shift(motion_of(u, link.parent), p - x_[link.parent]);
        else if (with_bases)
            V = V - shift(velocity_before(i), p - pose_before(i).p);
        const Motion<double> V_FM{transpose_mul(R_WF_[i], V.ang), transpose_mul(R_WF_[i], V.lin)};
        for (int k = 0; k < link.nv; ++k) v[link.v_adr + k] = dot(V_FM, freedoms_[i].W[k]);
    }
}

void BodySystem::joint_accelerations(std::span<const double> a, std::span<double> out) const {
    joint_velocities(a, false, out);
    for (int i = 0; i < links(); ++i) {
        const TreeLink<double>& link = tree_.links[i];
        const Motion<double> V = relative_velocity(i);
        double v[most_joint_rows];
        for (int k = 0; k < link.nv; ++k) v[k] = dot(V, freedoms_[i].W[k]);
        const Motion<double> left = relative_acceleration(i) - freedom_product(tree_, i, q_.data(), v);
        for (int k = 0; k < link.nv; ++k) out[link.v_adr + k] += dot(left, freedoms_[i].W[k]);
    }
}

}  // namespace lig::multiplier
