#include "formulations/maximal/body_poses.h"

#include "bodies/body_list.h"
#include "constraints/relative_motion.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "dynamics/stretches.h"

#include <algorithm>
#include <numeric>

namespace lig::maximal {

BodyPoses::BodyPoses(const BodyGraph& graph)
    : graph_(graph),
      tree_(graph.tree()),
      ws_(graph.shared_model()),
      q_(graph.model().q0),
      R_WF_(tree_.links.size()),
      x_(tree_.links.size()),
      quat_(tree_.links.size() + ws_.bases.size()),
      freedoms_(tree_.links.size()),
      chosen_(tree_.links.size()) {
    std::iota(chosen_.begin(), chosen_.end(), 0);
    forward_kinematics(JointState<double>(graph.model()), ws_);
}

void BodyPoses::from_joints(const Workspace<double>& from, const JointState<double>& state,
                            BodyCoordinates& out) {
    q_ = state.q;
    out.x.resize(static_cast<std::size_t>(graph_.links()));
    out.quat.resize(static_cast<std::size_t>(graph_.links()));
    out.V.resize(static_cast<std::size_t>(graph_.links()));
    for (const int i : chosen_) {
        const Transformd& X = from.poses[i].X_WL;
        const Vec3d arm = X.R * graph_.link(i).com;
        out.x[i] = X.p + arm;
        out.quat[i] = quaternion(X.R);
        out.V[i] = shift(from.poses[i].V_WL, arm);
    }
    out.shapes = from.stretches;
}

void BodyPoses::to_joints(JointState<double>& state) {
    q_ = state.q;
    for (int i = 0; i < graph_.links(); ++i) {
        const Transformd& before = pose_before(i);
        const TreeJoint<double>& first = tree_.joints[tree_.links[i].joint_begin];
        const Transformd X_WF = before * first.X_PF;
        read_coordinates(tree_, i, X_WF.inverse() * ws_.poses[i].X_WL, q_.data());
        find_freedoms(i);
        const Motion<double> V = relative_velocity(i);
        for (int k = 0; k < freedoms_[i].count; ++k)
            state.v[tree_.links[i].v_adr + k] = dot(V, freedoms_[i].W[k]);
    }
    for (std::size_t k = 0; k < ws_.stretches.size(); ++k)
        visit_deforming(graph_.model(), static_cast<int>(k), [&](auto kind) {
            kind.read(ws_.stretches[k].S, q_.data() + tree_.stretches[k].q_adr);
            kind.read(ws_.stretches[k].rate, state.v.data() + tree_.stretches[k].v_adr);
        });
    state.q = q_;
}

void BodyPoses::look(const BodyCoordinates& bodies, std::span<const BaseWork<double>> bases, double time) {
    std::copy(bases.begin(), bases.end(), ws_.bases.begin());
    for (BaseWork<double>& base : ws_.bases) base.a0.lin += graph_.model().options.gravity;
    time_ = time;
    for (std::size_t b = 0; b < ws_.bases.size(); ++b)
        quat_[graph_.links() + static_cast<int>(b)] = quaternion(ws_.bases[b].X_WL.R);
    for (const int i : chosen_) {
        const Mat3d R = rotation_matrix(bodies.quat[i]);
        const Vec3d arm = R * graph_.link(i).com;
        const Motion<double>& V = bodies.V[i];
        x_[i] = bodies.x[i];
        quat_[graph_.links() - 1 - i] = bodies.quat[i];
        ws_.poses[i].X_WL = {R, bodies.x[i] - arm};
        ws_.poses[i].V_WL = shift(V, -arm);
        ws_.links[i].w = V.ang;
        ws_.links[i].a0 = {Vec3d::zero(), -cross(V.ang, cross(V.ang, arm))};
    }
    ws_.stretches = bodies.shapes;
    for (const int i : chosen_)
        R_WF_[i] = pose_before(i).R * tree_.joints[tree_.links[i].joint_begin].X_PF.R;
}

Motion<double> BodyPoses::relative_velocity(int link) const {
    return lig::relative_velocity(Carrier(ws_, tree_.links[link].parent), Carrier(ws_, link), R_WF_[link],
                                  ws_.poses[link].X_WL.p);
}

Motion<double> BodyPoses::relative_acceleration(int link) const {
    return lig::relative_acceleration(ws_, Carrier(ws_, tree_.links[link].parent), Carrier(ws_, link),
                                      R_WF_[link], ws_.poses[link].X_WL.p);
}

void BodyPoses::find_joint(int i, bool with_products, JointRows& rows) {
    const TreeJoint<double>& first = tree_.joints[tree_.links[i].joint_begin];
    const Transformd& before = pose_before(i);
    const Transformd& own = ws_.poses[i].X_WL;
    const Vec3d d = (own.p - before.p) - before.R * first.X_PF.p;
    const Transformd X_FM{transpose_mul(R_WF_[i], own.R), transpose_mul(R_WF_[i], d)};
    const Motion<double> V = with_products ? relative_velocity(i) : Motion<double>::zero();
    lig::maximal::find_rows(tree_, i, X_FM, V, q_.data(), rows);
}

void BodyPoses::find_freedoms() {
    for (const int i : chosen_) find_freedoms(i);
}

const JointFreedoms& BodyPoses::find_freedoms(int link) {
    lig::maximal::find_freedoms(tree_, link, q_.data(), freedoms_[link]);
    return freedoms_[link];
}

void BodyPoses::velocities(std::span<double> u) const {
    for (int i = 0; i < graph_.links(); ++i)
        graph_.write_motion(i, shift(ws_.poses[i].V_WL, x_[i] - ws_.poses[i].X_WL.p), u);
    for (std::size_t k = 0; k < ws_.stretches.size(); ++k)
        visit_deforming(graph_.model(), static_cast<int>(k), [&](auto kind) {
            kind.read(ws_.stretches[k].rate, u.data() + stretches_at(k));
        });
}

void BodyPoses::read_velocities(std::span<const double> u, BodyCoordinates& bodies) const {
    for (int i = 0; i < graph_.links(); ++i) bodies.V[i] = graph_.motion_of(u, i);
    for (std::size_t k = 0; k < bodies.shapes.size(); ++k)
        visit_deforming(graph_.model(), static_cast<int>(k), [&](auto kind) {
            bodies.shapes[k].rate = kind.spread(u.data() + stretches_at(k));
        });
}

double BodyPoses::stretch_rate(int dof) const {
    const int stretch = graph_.link(graph_.link_of(dof)).stretch;
    double rates[bodies::max_body_dim] = {};
    visit_deforming(graph_.model(), stretch,
                    [&](auto kind) { kind.read(ws_.stretches[stretch].rate, rates); });
    return rates[dof - tree_.stretches[stretch].v_adr];
}

Motion<double> BodyPoses::origin_motion(std::span<const double> u, int link) const {
    return shift(graph_.motion_of(u, link), ws_.poses[link].X_WL.p - x_[link]);
}

void BodyPoses::joint_velocities(std::span<const double> u, bool with_bases, std::span<double> v) const {
    for (const int i : chosen_) {
        const TreeLink<double>& link = tree_.links[i];
        const Vec3d& p = ws_.poses[i].X_WL.p;
        Motion<double> V = shift(graph_.motion_of(u, i), p - x_[i]);
        if (link.parent >= 0)
            V = V - shift(graph_.motion_of(u, link.parent), p - x_[link.parent]);
        else if (with_bases)
            V = V - shift(velocity_before(i), p - pose_before(i).p);
        const Motion<double> V_FM{transpose_mul(R_WF_[i], V.ang), transpose_mul(R_WF_[i], V.lin)};
        const int frame = frame_freedoms(tree_, link);
        for (int k = 0; k < frame; ++k) v[link.v_adr + k] = dot(V_FM, freedoms_[i].W[k]);
        for (int k = frame; k < link.nv; ++k) v[link.v_adr + k] = u[graph_.offset(i) + k];
    }
}

void BodyPoses::joint_accelerations(std::span<const double> a, std::span<double> out) const {
    joint_velocities(a, false, out);
    for (int i = 0; i < graph_.links(); ++i) {
        const TreeLink<double>& link = tree_.links[i];
        const Motion<double> V = relative_velocity(i);
        double v[max_joint_rows];
        const int frame = frame_freedoms(tree_, link);
        for (int k = 0; k < frame; ++k) v[k] = dot(V, freedoms_[i].W[k]);
        const Motion<double> left = relative_acceleration(i) - freedom_product(tree_, i, q_.data(), v);
        for (int k = 0; k < frame; ++k) out[link.v_adr + k] += dot(left, freedoms_[i].W[k]);
    }
}

void BodyPoses::drift(double h, BodyCoordinates& at) const {
    for (int i = 0; i < graph_.links(); ++i)
        graph_.visit(i, [&](auto kind) {
            using Kind = decltype(kind);
            if constexpr (Kind::stretches > 0)
                kind.drift(graph_.substance(i), h, at.x[i], at.quat[i], at.V[i],
                           at.shapes[graph_.link(i).stretch]);
            else
                kind.drift(graph_.link(i).rotation, h, at.x[i], at.quat[i], at.V[i]);
        });
}

void BodyPoses::displace(int link, double factor, std::span<const double> u, BodyCoordinates& bodies) const {
    const Motion<double> moved = graph_.motion_of(u, link);
    bodies.x[link] += factor * moved.lin;
    bodies.quat[link] = normalized(rotation_exp(factor * moved.ang) * bodies.quat[link]);
    const int stretch = graph_.link(link).stretch;
    if (stretch < 0) return;
    visit_deforming(graph_.model(), stretch, [&](auto kind) {
        bodies.shapes[stretch].S += factor * kind.spread(u.data() + graph_.offset(link) + 6);
    });
}

void BodyPoses::write_mass(int link, double* M) const {
    const BodyGraph::Link& own = graph_.link(link);
    const Mat3d& R = ws_.poses[link].X_WL.R;
    graph_.visit(link, [&](auto kind) {
        using Kind = decltype(kind);
        if constexpr (Kind::stretches > 0)
            kind.mass_block(graph_.substance(link), R, ws_.stretches[own.stretch].S, M);
        else
            kind.mass_block(own.mass, rotate(R, own.inertia), M);
    });
}

void BodyPoses::momenta(std::span<const double> u, std::span<double> f) const {
    for (int i = 0; i < graph_.links(); ++i) {
        if (const int stretch = graph_.link(i).stretch; stretch >= 0) {
            visit_deforming(graph_.model(), stretch, [&](auto kind) {
                kind.momenta(graph_.substance(i), ws_.poses[i].X_WL.R, ws_.stretches[stretch].S,
                             u.data() + graph_.offset(i), f.data() + graph_.offset(i));
            });
            continue;
        }
        const Motion<double> V = graph_.motion_of(u, i);
        const Vec3d spin = rotate(ws_.poses[i].X_WL.R, graph_.link(i).inertia) * V.ang;
        graph_.project(i, {spin, graph_.link(i).mass * V.lin}, f.data() + graph_.offset(i));
    }
}

void BodyPoses::add_gravity(std::span<double> f) const {
    double weight[bodies::max_body_dim];
    for (int i = 0; i < graph_.links(); ++i) {
        graph_.project(i, {Vec3d::zero(), graph_.link(i).mass * graph_.model().options.gravity}, weight);
        for (int k = 0; k < graph_.dim(i); ++k) f[graph_.offset(i) + k] += weight[k];
    }
}

void BodyPoses::add_gyroscopic_forces(std::span<double> f) const {
    double bias[bodies::max_body_dim];
    for (int i = 0; i < graph_.links(); ++i) {
        const Sym3d I = rotate(ws_.poses[i].X_WL.R, graph_.link(i).inertia);
        graph_.visit(i, [&](auto kind) {
            using Kind = decltype(kind);
            if constexpr (Kind::stretches > 0) {
                const Motion<double>& V = ws_.poses[i].V_WL;
                const StretchWork<double>& shape = ws_.stretches[graph_.link(i).stretch];
                double v[Kind::dim] = {V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y, V.lin.z};
                kind.read(shape.rate, v + 6);
                kind.bias(graph_.substance(i), ws_.poses[i].X_WL.R, shape.S, v, bias);
            } else {
                kind.bias(I, ws_.poses[i].V_WL, bias);
            }
            for (int k = 0; k < bodies::freedoms_of(kind); ++k) f[graph_.offset(i) + k] += bias[k];
        });
    }
}

void BodyPoses::add_shape_forces(std::span<const double> u, std::span<double> f) const {
    for (std::size_t k = 0; k < ws_.stretches.size(); ++k)
        visit_deforming(graph_.model(), static_cast<int>(k), [&](auto kind) {
            using Kind = decltype(kind);
            const int link = tree_.stretches[k].link, at = graph_.offset(link);
            double own[Kind::stretches];
            kind.push_by_motion(graph_.substance(link), ws_.poses[link].X_WL.R, ws_.stretches[k].S,
                                u.data() + at, own);
            for (int c = 0; c < kind.shapes(); ++c) f[at + 6 + c] += own[c];
        });
}

void BodyPoses::add_link_forces(std::span<const Force<double>> on_links, std::span<double> f) const {
    for (const int i : chosen_) add_wrench(i, on_links[i], f);
}

void BodyPoses::add_joint_forces(std::span<const double> tau, std::span<double> f) const {
    for (const int i : chosen_) {
        const TreeLink<double>& link = tree_.links[i];
        Force<double> at_M = Force<double>::zero();
        bool any = false;
        const int frame = frame_freedoms(tree_, link);
        for (int k = frame; k < link.nv; ++k) f[graph_.offset(i) + k] += tau[link.v_adr + k];
        for (int k = 0; k < frame; ++k)
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

void BodyPoses::add_wrench(int link, const Force<double>& about_origin, std::span<double> f) const {
    add_wrench_to(link, about_origin, f.data() + graph_.offset(link));
}

void BodyPoses::add_wrench_to(int link, const Force<double>& about_origin, double* own) const {
    double entries[bodies::max_body_dim];
    graph_.project(link, shift_back(about_origin, ws_.poses[link].X_WL.p - x_[link]), entries);
    for (int k = 0; k < graph_.dim(link); ++k) own[k] += entries[k];
}

Force<double> BodyPoses::freedom_force(int link, int dof, double value) const {
    return value * rotate(R_WF_[link], freedoms_[link].W[dof - tree_.links[link].v_adr]);
}

Force<double> BodyPoses::seen_from(int other, int link, const Force<double>& about_origin) const {
    return shift_back(about_origin, ws_.poses[link].X_WL.p - ws_.poses[other].X_WL.p);
}

double BodyPoses::pair_inertia(int link, int dof) const {
    if (graph_.stretch_entry(dof) >= 0) return 0;  // what a stretch has is in the armature
    const Force<double> f = freedom_force(link, dof, 1);
    const auto compliance = [&](int on, const Force<double>& about_origin) {
        const Force<double> own = shift_back(about_origin, ws_.poses[on].X_WL.p - x_[on]);
        const Mat3d& R = ws_.poses[on].X_WL.R;
        const Vec3d in_L = transpose_mul(R, own.ang);
        const Vec3d principal = transpose_mul(rotation_matrix(graph_.link(on).rotation.axes), in_L);
        const Vec3d& I = graph_.link(on).rotation.moments;
        return principal.x * principal.x / I.x + principal.y * principal.y / I.y +
               principal.z * principal.z / I.z + dot(own.lin, own.lin) / graph_.link(on).mass;
    };
    double sum = compliance(link, f);
    if (const int parent = tree_.links[link].parent; parent >= 0)
        sum += compliance(parent, seen_from(parent, link, f));
    return 1 / sum;
}

}  // namespace lig::maximal
