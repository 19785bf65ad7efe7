#include "formulations/maximal/body_system.h"

#include "bodies/body_list.h"
#include "constraints/equalities.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "core/length.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/capabilities.h"
#include "formulations/maximal/joint_blocks.h"
#include "linalg/small_dense.h"
#include "model/named.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lig::maximal {

namespace {

// The kinds of links: those of the bodies that their joints move. What is welded to them counts with them.
std::vector<BodyKind> kinds_of_links(const Model& model) {
    std::vector<BodyKind> kinds(model.tree.links.size(), BodyKind::rigid);
    for (std::size_t b = model.bodies.size(); b-- > 0;)
        if (model.bodies[b].link >= 0) kinds[model.bodies[b].link] = model.bodies[b].kind;
    return kinds;
}

// The links on which a freedom pulls: its own and the one before it.
void add_links_of(const Model& model, int joint, std::vector<int>& touched) {
    const int link = model.bodies[model.joints[joint].body].link;
    touched.push_back(link);
    if (const int parent = model.tree.links[link].parent; parent >= 0) touched.push_back(parent);
}

// Of the largest moment of inertia: bodies with less about some axis are thin, and what they are given.
constexpr double thin_bound = 1e-7, thin_share = 1e-16;

}  // namespace

BodySystem::BodySystem(std::shared_ptr<const Model> model, LoopMethod loops,
                       std::span<const char> soft_freedoms, bool with_body_blocks)
    : model_(std::move(model)),
      tree_(model_->tree),
      nodes_(tree_.links.size()),
      loops_(loops),
      ws_(model_),
      q_(model_->q0),
      R_WF_(tree_.links.size()),
      x_(tree_.links.size()),
      quat_(tree_.links.size() + ws_.bases.size()),
      freedoms_(tree_.links.size()),
      joint_state_(*model_) {
    formulations::require_without(formulations::not_on_bodies, *model_);
    // What hangs on a link, at the reference configuration, about the link's origin; a tenth of it for every
    // link in between. A link without inertia of its own is thin beside that.
    JointState<double> reference(*model_);
    forward_kinematics(reference, ws_);
    std::vector<RigidInertia<double>> hanging(tree_.links.size(), RigidInertia<double>::zero());
    for (int i = links() - 1; i >= 0; --i) {
        hanging[i] = hanging[i] + world_inertia(ws_.poses[i].X_WL.R, tree_.links[i].inertia);
        const int parent = tree_.links[i].parent;
        if (parent < 0) continue;
        const RigidInertia<double> seen =
            shift_back(hanging[i], ws_.poses[i].X_WL.p - ws_.poses[parent].X_WL.p);
        hanging[parent] = hanging[parent] + RigidInertia<double>{0.1 * seen.mass, 0.1 * seen.h, 0.1 * seen.I};
    }
    const std::vector<BodyKind> kinds = kinds_of_links(*model_);
    std::vector<BlockLdlt::Node> nodes;
    std::vector<BlockLdlt::Edge> edges;
    for (int i = 0; i < links(); ++i) {
        LinkNode& node = nodes_[i];
        node.kind = kinds[i];
        const SplitInertia<double>& own = tree_.links[i].inertia;
        const RigidInertia<double> about_L = world_inertia(Mat3d::identity(), own);
        node.mass = own.mass;
        node.com = (1 / own.mass) * own.h;
        // Moments about the centre of mass are never larger than those about L; those of a point are
        // rounding.
        node.inertia = about_L.I - shift_back({own.mass, Vec3d::zero(), Sym3d::zero()}, node.com).I;
        if (node.kind == BodyKind::rigid) {
            const SymmetricEigen about_com = symmetric_eigen(node.inertia);
            const double own_largest = symmetric_eigen(about_L.I).values.z;
            const double carried = symmetric_eigen(hanging[i].I).values.z;
            if (about_com.values.x < thin_bound * std::max(own_largest, thin_bound * carried)) {
                node.thin = has_thin_ = true;
                node.inertia += thin_share * carried * Sym3d::diagonal(1, 1, 1);
            }
        }
        node.rotation = bodies::FreeRotation::of(node.inertia);
        nodes.push_back({bodies::body_info(node.kind).dim, false, false, node.kind != BodyKind::rigid});
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
        if (link.parent >= 0 && (with_body_blocks || (node.thin && node.rows > 0))) {
            node.body_edge = static_cast<int>(edges.size());
            edges.push_back({i, link.parent});
        }
        if (node.rows + node.soft_count == 0) continue;
        node.plain = node.rows > 0 && link.joint_count == 1 &&
                     (link.parent < 0 || nodes_[link.parent].kind == BodyKind::rigid);
        node.joint_node = static_cast<int>(nodes.size());
        nodes.push_back({node.rows + node.soft_count, true, node.rows == 0});
        node.child_edge = static_cast<int>(edges.size());
        edges.push_back({node.joint_node, i});
        if (link.parent < 0) continue;
        node.parent_edge = static_cast<int>(edges.size());
        edges.push_back({node.joint_node, link.parent});
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
    if (equalities_are_enabled(*model_)) {
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
    }
    for (const LinkNode& node : nodes_) {
        const double moment = symmetric_eigen(node.inertia).values.z;
        extent_ += 2 * (length(node.com) + std::sqrt(moment / node.mass));
    }
    if (!nodes_.empty()) extent_ /= static_cast<double>(nodes_.size());
    for (const LinkNode& node : nodes_) idle_energy_ += 0.5e-6 * node.mass * extent_ * extent_;
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
    link_of_dof_.resize(model_->nv);
    for (int i = 0; i < links(); ++i)
        std::fill_n(link_of_dof_.begin() + tree_.links[i].v_adr, tree_.links[i].nv, i);
    soft_acts_.assign(soft_freedoms_.size(), 0);
    soft_row_.assign(model_->nv, -1);
    for (const LinkNode& node : nodes_)
        for (int s = 0; s < node.soft_count; ++s)
            soft_row_[soft_freedoms_[node.soft_begin + s]] = K_.offset(node.joint_node) + node.rows + s;
    errors_.assign(size_, 0.0);
    base_rates_.assign(size_, 0.0);
    products_.assign(size_, 0.0);
    right_.assign(size_, 0.0);
    velocity_rows_.assign(size_, 0);
    takes_part_.assign(equalities_.size(), 1);
    chosen_.resize(nodes_.size());
    std::iota(chosen_.begin(), chosen_.end(), 0);
    chosen_nodes_.reserve(static_cast<std::size_t>(K_.nodes()));
    set_armature();
}

void BodySystem::choose(std::span<const int> links) {
    chosen_.assign(links.begin(), links.end());
    chosen_nodes_.assign(links.begin(), links.end());
    for (const int i : links)
        if (nodes_[i].joint_node >= 0) chosen_nodes_.push_back(nodes_[i].joint_node);
    for (std::size_t e = 0; e < equalities_.size(); ++e) {
        const std::span<const EqualityEdge> edges = edges_of(equalities_[e]);
        takes_part_[e] = !edges.empty() && std::binary_search(links.begin(), links.end(), edges[0].link);
        if (takes_part_[e] && equalities_[e].node >= 0) chosen_nodes_.push_back(equalities_[e].node);
    }
    K_.choose(chosen_nodes_);
}

void BodySystem::from_joints(const Workspace<double>& from, const JointState<double>& state,
                             BodyCoordinates& out) {
    q_ = state.q;
    out.x.resize(nodes_.size());
    out.quat.resize(nodes_.size());
    out.V.resize(nodes_.size());
    for (const int i : chosen_) {
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
        lig::maximal::find_freedoms(tree_, i, q_.data(), freedoms_[i]);
        const Motion<double> V = relative_velocity(i);
        for (int k = 0; k < freedoms_[i].count; ++k)
            state.v[tree_.links[i].v_adr + k] = dot(V, freedoms_[i].W[k]);
    }
    state.q = q_;
}

const Transformd& BodySystem::pose_before(int link) const {
    return carrier_pose(ws_, tree_.links[link].parent);
}
const Motion<double>& BodySystem::velocity_before(int link) const {
    return carrier_velocity(ws_, tree_.links[link].parent);
}

void BodySystem::look(const BodyCoordinates& bodies, std::span<const BaseWork<double>> bases, double time) {
    std::copy(bases.begin(), bases.end(), ws_.bases.begin());
    for (BaseWork<double>& base : ws_.bases) base.a0.lin += model_->options.gravity;
    time_ = time;
    for (std::size_t b = 0; b < ws_.bases.size(); ++b)
        quat_[links() + static_cast<int>(b)] = quaternion(ws_.bases[b].X_WL.R);
    for (const int i : chosen_) {
        const Mat3d R = rotation_matrix(bodies.quat[i]);
        const Vec3d arm = R * nodes_[i].com;
        const Motion<double>& V = bodies.V[i];
        x_[i] = bodies.x[i];
        quat_[links() - 1 - i] = bodies.quat[i];
        ws_.poses[i].X_WL = {R, bodies.x[i] - arm};
        ws_.poses[i].V_WL = shift(V, -arm);
        ws_.links[i].a0 = {Vec3d::zero(), -cross(V.ang, cross(V.ang, arm))};
    }
    for (const int i : chosen_)
        R_WF_[i] = pose_before(i).R * tree_.joints[tree_.links[i].joint_begin].X_PF.R;
}

void BodySystem::project(int link, const Force<double>& at_com, double* out) const {
    bodies::visit_body(nodes_[link].kind, [&](auto kind) { decltype(kind)::project(at_com, out); });
}

void BodySystem::find_freedoms() {
    for (const int i : chosen_) lig::maximal::find_freedoms(tree_, i, q_.data(), freedoms_[i]);
}

void BodySystem::find_inertias() {
    for (const int i : chosen_) {
        const LinkNode& node = nodes_[i];
        const Sym3d I = rotate(ws_.poses[i].X_WL.R, node.inertia);
        bodies::visit_body(node.kind,
                           [&](auto kind) { decltype(kind)::mass_block(node.mass, I, K_.diagonal(i)); });
        if (node.body_edge >= 0)
            std::fill_n(K_.edge(node.body_edge), K_.dim(i) * K_.dim(tree_.links[i].parent), 0.0);
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
        for (int i = 0; i < count; ++i)
            D[(node.rows + acting[i]) * dim + node.rows + acting[j]] = -inverse[i];
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

double BodySystem::loop_opening() const {
    double most = 0;
    for (const EqualityTerms& terms : terms_)
        if (!(std::abs(terms.error) <= most * terms.size)) most = std::abs(terms.error) / terms.size;
    return most;
}

std::string BodySystem::name_of_worst() const {
    double largest = -1;
    std::string name;
    for (int i = 0; i < links(); ++i)
        for (int k = 0; k < nodes_[i].rows; ++k)
            if (const double e = std::abs(errors_[K_.offset(nodes_[i].joint_node) + k]); e > largest) {
                largest = e;
                for (const Model::Joint& joint : model_->joints)
                    if (model_->bodies[joint.body].link == i) name = named(*model_, joint);
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

void BodySystem::velocities(std::span<double> u) const {
    for (int i = 0; i < links(); ++i)
        write_motion(i, shift(ws_.poses[i].V_WL, x_[i] - ws_.poses[i].X_WL.p), u);
}

void BodySystem::drift(double h, BodyCoordinates& at) const {
    for (int i = 0; i < links(); ++i)
        bodies::visit_body(nodes_[i].kind, [&](auto kind) {
            decltype(kind)::drift(nodes_[i].rotation, h, at.x[i], at.quat[i], at.V[i]);
        });
}

void BodySystem::momenta(std::span<const double> u, std::span<double> f) const {
    for (int i = 0; i < links(); ++i) {
        const Motion<double> V = motion_of(u, i);
        const Vec3d spin = rotate(ws_.poses[i].X_WL.R, nodes_[i].inertia) * V.ang;
        project(i, {spin, nodes_[i].mass * V.lin}, f.data() + K_.offset(i));
    }
}

Motion<double> BodySystem::motion_of(std::span<const double> u, int link) const {
    Motion<double> out;
    bodies::visit_body(nodes_[link].kind,
                       [&](auto kind) { out = decltype(kind)::expand(u.data() + K_.offset(link)); });
    return out;
}

// Φ has orthonormal columns, so its transpose reads the freedoms of a velocity, too.
void BodySystem::write_motion(int link, const Motion<double>& V, std::span<double> u) const {
    project(link, {V.ang, V.lin}, u.data() + K_.offset(link));
}

void BodySystem::read_velocities(std::span<const double> u, BodyCoordinates& bodies) const {
    for (int i = 0; i < links(); ++i) bodies.V[i] = motion_of(u, i);
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
    if (const int parent = tree_.links[link].parent; parent >= 0)
        sum += compliance(parent, seen_from(parent, link, f));
    return 1 / sum;
}

Motion<double> BodySystem::origin_motion(std::span<const double> u, int link) const {
    return shift(motion_of(u, link), ws_.poses[link].X_WL.p - x_[link]);
}

void BodySystem::add_link_forces(std::span<const Force<double>> on_links, std::span<double> f) const {
    for (const int i : chosen_) add_wrench(i, on_links[i], f);
}

void BodySystem::add_joint_forces(std::span<const double> tau, std::span<double> f) const {
    for (const int i : chosen_) {
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
    for (const int i : chosen_) {
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

}  // namespace lig::maximal
