#include "formulations/impulse/moving_bodies.h"

#include "bodies/body_list.h"
#include "bodies/free_turning.h"
#include "core/rotation.h"
#include "dynamics/stretches.h"
#include "formulations/capabilities.h"
#include "formulations/impulse/impulse_kernels.h"
#include "formulations/impulse/tuning.h"
#include "formulations/maximal/link_joint.h"
#include "joints/joint.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

MovingBodies::MovingBodies(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      bases_(model_->tree.nbase),
      kinds_(model_->tree.links.size()),
      moments_(bases_ + kinds_.size(), Vec3d{1, 1, 1}) {
    formulations::require_without({formulations::Feature::massless_bodies}, *model_);
    std::vector<BodyKind> kinds(kinds_.size(), BodyKind::rigid);
    for (std::size_t b = model_->bodies.size(); b-- > 0;)
        if (model_->bodies[b].link >= 0) kinds[model_->bodies[b].link] = model_->bodies[b].kind;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        const SplitInertia<double>& own = model_->tree.links[i].inertia;
        Kind& kind = kinds_[i];
        kind.kind = kinds[i];
        kind.deforms = model_->tree.links[i].stretch;
        kind.mass = own.mass;
        kind.com = (1 / own.mass) * own.h;
        const RigidInertia<double> about_L = world_inertia(Mat3d::identity(), own);
        const Sym3d inertia = about_L.I - shift_back({own.mass, Vec3d::zero(), Sym3d::zero()}, kind.com).I;
        const bodies::FreeRotation rotation = bodies::FreeRotation::of(inertia);
        kind.axes = rotation.axes;
        Vec3d& moments = moments_[bases_ + i];
        moments = rotation.moments;
        if (kind.deforms >= 0) {  // its frame is at the centre of mass, and stretches are seen in its axes
            kind.com = Vec3d::zero();
            kind.axes = Quatd::identity();
        }
        const double largest = std::max({moments.x, moments.y, moments.z});
        if (kind.kind == BodyKind::rigid && !(largest > 0)) {
            // A point: what it hangs on turns it, and it resists next to nothing.
            const double about_joint = about_L.I.xx + about_L.I.yy + about_L.I.zz;
            moments = Vec3d{1, 1, 1} *
                      (about_joint > 0 ? row_tuning.thinnest * about_joint : own.mass * row_tuning.thinnest);
        }
        for (int k = 0; k < 3; ++k) moments[k] = std::max(moments[k], row_tuning.thinnest * largest);
    }
    const std::size_t count = static_cast<std::size_t>(idle()) + 1 + model_->deforming.size();
    velocities.resize(count);
    corrections.resize(count);
    inertias.resize(count);
    places.assign(count, {Vec3d::zero(), Quatd::identity(), Mat3d::identity()});
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        const double inverse = 1 / kinds_[i].mass;
        inertias[bases_ + i].inv_mass = {inverse, kinds_[i].kind == BodyKind::planar ? 0 : inverse, inverse};
    }
    roots_.assign(count, -1);
    for (int i = 0; i < links(); ++i) {
        const int parent = model_->tree.links[i].parent;
        roots_[index(i)] = parent >= 0 ? roots_[index(parent)] : index(i);
    }
    add_shapes();
    asleep_.assign(count, 0);
    sleepers_.reserve(kinds_.size() + model_->deforming.size());
    groups_.reserve(kinds_.size());
    singles_.reserve(kinds_.size());
    find_groups();
}

void MovingBodies::find_groups() {
    groups_.clear();
    singles_.clear();
    for (int i = 0; i < links();) {
        if (is_asleep(index(i))) {
            ++i;
            continue;
        }
        int end = i;
        while (end < links() && end < i + lanes && is_rigid(end) && !is_asleep(index(end))) ++end;
        if (end == i + lanes) {
            groups_.push_back(bases_ + i);
            i = end;
        } else {
            singles_.push_back(i++);
        }
    }
}

void MovingBodies::set_asleep(std::span<const char> links) {
    sleepers_.clear();
    for (int i = 0; i < this->links(); ++i) {
        asleep_[index(i)] = links[i];
        if (links[i]) sleepers_.push_back(index(i));
    }
    for (std::size_t k = 0; k < deforming_.size(); ++k) {
        const int place = rates(static_cast<int>(k));
        asleep_[place] = links[deforming_[k].link];
        if (asleep_[place]) sleepers_.push_back(place);
    }
    hold_still();
    find_groups();
}

void MovingBodies::hold_still() {
    for (const int body : sleepers_) velocities[body] = corrections[body] = {};
}

double MovingBodies::twice_energy(int link, std::span<const Velocity> u) const {
    const Velocity& own = u[index(link)];
    if (kinds_[link].deforms >= 0)
        return kinds_[link].mass * dot(own.v, own.v) + twice_shape_energy(link, u, false);
    const Vec3d w = transpose_mul(places[index(link)].R, own.w), &I = moments_[index(link)];
    return kinds_[link].mass * dot(own.v, own.v) + I.x * w.x * w.x + I.y * w.y * w.y + I.z * w.z * w.z;
}

double MovingBodies::kinetic_energy(std::span<const Velocity> u) const {
    double sum = 0;
    for (int i = 0; i < links(); ++i) sum += twice_energy(i, u);
    return 0.5 * sum;
}

double MovingBodies::gyration(int link) const {
    const Vec3d& moments = moments_[bases_ + link];
    return std::sqrt(std::max({moments.x, moments.y, moments.z}) / kinds_[link].mass);
}

void MovingBodies::find_spins(std::span<const Velocity> u, double h, std::span<Spin> out) const {
    for (int body = 0; body < idle(); ++body) {
        Spin& spin = out[body];
        spin.w = u[body].w;
        spin.followed = bodies::followed_share(h, spin.w);
        spin.change = Vec3d::zero();
        if (body < bases_) continue;
        if (kinds_[body - bases_].kind != BodyKind::rigid) {
            if (kinds_[body - bases_].deforms < 0) continue;
            const ShapeSpin shape = find_shape_spin(body - bases_, u);
            spin.change = shape.turning;
            out[inertias[body].rates] = {shape.rates.v, shape.rates.w};
            continue;
        }
        const Mat3d& R = places[body].R;
        spin.change = R * bodies::free_turning(moments_[body], transpose_mul(R, spin.w));
    }
}

void MovingBodies::find_inertia(int link) {
    if (kinds_[link].deforms >= 0) {
        find_shape_block(link);
        return find_shape_inertia(link);
    }
    const Vec3d& moments = moments_[bases_ + link];
    Sym3d& inverse = inertias[bases_ + link].inv_inertia;
    const Mat3d& R = places[bases_ + link].R;
    switch (kinds_[link].kind) {
        case BodyKind::rigid:
            inverse = rotate(R, Sym3d::diagonal(1 / moments.x, 1 / moments.y, 1 / moments.z));
            break;
        case BodyKind::planar: {
            const Sym3d inertia = rotate(R, Sym3d::diagonal(moments.x, moments.y, moments.z));
            inverse = Sym3d::diagonal(0, 1 / inertia.yy, 0);
            break;
        }
        case BodyKind::particle: inverse = Sym3d::zero(); break;
        default: break;
    }
}

void MovingBodies::place_bases(std::span<const BaseWork<double>> bases) {
    for (int b = 0; b < bases_; ++b) {
        const BaseWork<double>& base = bases[b];
        places[b] = {base.X_WL.p, quaternion(base.X_WL.R), base.X_WL.R};
        velocities[b].v = base.V_WL.lin;
        velocities[b].w = base.V_WL.ang;
    }
}

void MovingBodies::from_joints(const Workspace<double>& ws) {
    place_bases(ws.bases);
    for (int i = 0; i < links(); ++i) {
        const Kind& kind = kinds_[i];
        const Transformd& X = ws.poses[i].X_WL;
        const Vec3d arm = X.R * kind.com;
        Place& place = places[bases_ + i];
        place.x = X.p + arm;
        place.q = normalized(quaternion(X.R) * kind.axes);
        place.R = rotation_matrix(place.q);
        const Motion<double> V = shift(ws.poses[i].V_WL, arm);
        velocities[bases_ + i].v = V.lin;
        velocities[bases_ + i].w = V.ang;
        corrections[bases_ + i] = {};
        find_inertia(i);
        if (kind.deforms >= 0) set_shape(kind.deforms, ws.stretches[kind.deforms]);
    }
}

void MovingBodies::set(int link, const Vec3d& x, const Quatd& q, const Motion<double>& V) {
    places[bases_ + link] = {x, q, rotation_matrix(q)};
    velocities[bases_ + link].w = V.ang;
    velocities[bases_ + link].v = V.lin;
    corrections[bases_ + link] = {};  // of a sub-step that was taken back
    find_inertia(link);
}

Transformd MovingBodies::link_pose(int link) const {
    const Place& place = places[index(link)];
    if (link < 0) return {place.R, place.x};
    const Kind& kind = kinds_[link];
    const Mat3d R = rotation_matrix(place.q * conjugate(kind.axes));
    return {R, place.x - R * kind.com};
}

Motion<double> MovingBodies::velocity_at(int link, const Vec3d& p) const {
    const Velocity& own = velocities[index(link)];
    return shift(Motion<double>{own.w, own.v}, p - places[index(link)].x);
}

Vec3d MovingBodies::arm_of(int link, const Vec3d& p_L) const {
    if (link < 0) return p_L;
    return transpose_mul(rotation_matrix(kinds_[link].axes), p_L - kinds_[link].com);
}

Quatd MovingBodies::turn_of(int link, const Mat3d& R_L) const {
    const Quatd q = quaternion(R_L);
    return link < 0 ? q : conjugate(kinds_[link].axes) * q;
}

// Balls, hinges and free bodies, which most links are on, without the poses of frames.
bool MovingBodies::read_plain_joint(int i, JointState<double>& state) const {
    const TreeLink<double>& link = model_->tree.links[i];
    if (link.joint_count != 1 || !is_rigid(i)) return false;
    const TreeJoint<double>& joint = model_->tree.joints[link.joint_begin];
    double *q = state.q.data() + joint.q_adr, *v = state.v.data() + joint.v_adr;
    const Place &at = places[index(i)], &before = places[index(link.parent)];
    const Quatd child = at.q * conjugate(kinds_[i].axes);
    const auto write = [](const Quatd& from, const double* near, double* to) {
        const double sign = dot(from, Quatd{near[0], near[1], near[2], near[3]}) < 0 ? -1 : 1;
        const Quatd unit = normalized(from);
        to[0] = sign * unit.w;
        to[1] = sign * unit.x;
        to[2] = sign * unit.y;
        to[3] = sign * unit.z;
    };
    const auto frame = [&] {
        const Quatd parent =
            link.parent >= 0 ? before.q * conjugate(kinds_[link.parent].axes) : before.q;
        return parent * quaternion(joint.X_PF.R);
    };
    const Vec3d turning = velocities[index(i)].w - velocities[index(link.parent)].w;
    switch (joint.type) {
        case JointType::ball: {
            write(conjugate(frame()) * child, q, q);
            const Vec3d w = transpose_mul(rotation_matrix(child), turning);
            std::copy_n(&w.x, 3, v);
            return true;
        }
        case JointType::hinge: {
            const Quatd F = frame(), r = conjugate(F) * child;
            q[0] = joints::unwrap(2 * atan2(r.z, r.w) + joint.reference, q[0]);
            v[0] = dot(rotation_matrix(F).z, turning);
            return true;
        }
        default: return false;
    }
}

void MovingBodies::to_joint(int i, JointState<double>& state) const {
    if (read_plain_joint(i, state)) return;
    const Tree<double>& tree = model_->tree;
    maximal::JointFreedoms freedoms;
    const TreeLink<double>& link = tree.links[i];
    const Transformd X_WP = link_pose(link.parent), X_WL = link_pose(i);
    const Transformd X_WF = X_WP * tree.joints[link.joint_begin].X_PF;
    maximal::read_coordinates(tree, i, X_WF.inverse() * X_WL, state.q.data());
    maximal::find_freedoms(tree, i, state.q.data(), freedoms);
    const Motion<double> before = velocity_at(link.parent, X_WP.p), own = velocity_at(i, X_WL.p);
    const Motion<double> relative = rotate(transpose(X_WF.R), own - shift(before, X_WL.p - X_WP.p));
    for (int k = 0; k < freedoms.count; ++k) state.v[link.v_adr + k] = dot(relative, freedoms.W[k]);
    if (link.stretch < 0) return;
    const TreeStretch& own_stretches = tree.stretches[link.stretch];
    const StretchWork<double> shape = shape_of(link.stretch);
    visit_deforming(*model_, link.stretch, [&](auto kind) {
        kind.read(shape.S, state.q.data() + own_stretches.q_adr);
        kind.read(shape.rate, state.v.data() + own_stretches.v_adr);
    });
}

void MovingBodies::to_joints(JointState<double>& state) const {
    for (int i = 0; i < links(); ++i) to_joint(i, state);
}

void MovingBodies::to_joints_of_awake(JointState<double>& state) const {
    for (int i = 0; i < links(); ++i) {
        const TreeLink<double>& link = model_->tree.links[i];
        if (is_asleep(index(i)))
            std::fill_n(state.v.begin() + link.v_adr, link.nv, 0.0);
        else
            to_joint(i, state);
    }
}

void MovingBodies::body_poses(std::span<Transformd> out) const {
    for (std::size_t b = 0; b < out.size(); ++b) {
        const Model::Body& body = model_->bodies[b];
        out[b] = link_pose(body.link) * body.X_LB;
    }
}

void MovingBodies::drift(double h) {
    impulse_kernels().drift(
        groups_.data(), static_cast<int>(groups_.size()), h,
        {moments_.data(), places.data(), inertias.data(), velocities.data(), corrections.data()});
    for (const int link : singles_) drift(link, h);
}

// The same as the kernel, of one body of any kind.
void MovingBodies::drift(int link, double h) {
    if (kinds_[link].deforms >= 0) return drift_shape(link, h);
    Velocity &own = velocities[bases_ + link], &correction = corrections[bases_ + link];
    Place& place = places[bases_ + link];
    const Vec3d& moments = moments_[bases_ + link];
    place.x += h * (own.v + correction.v);
    switch (kinds_[link].kind) {
        case BodyKind::rigid: {
            const Vec3d turning = transpose_mul(place.R, own.w);
            Vec3d momentum{moments.x * turning.x, moments.y * turning.y, moments.z * turning.z};
            if (correction.w.x != 0 || correction.w.y != 0 || correction.w.z != 0) {
                const Vec3d in_world = place.R * momentum, half = 0.5 * (h * correction.w);
                place.q = normalized(Quatd{1, half.x, half.y, half.z} * place.q);
                place.R = rotation_matrix(place.q);
                momentum = transpose_mul(place.R, in_world);
            }
            bodies::FreeRotation::turn<bodies::SmallTurns>(moments, h, place.q, place.R, momentum, own.w);
            break;
        }
        case BodyKind::planar:
            place.q = normalized(rotation_exp(h * (own.w + correction.w)) * place.q);
            place.R = rotation_matrix(place.q);
            break;
        default: break;  // a particle does not turn
    }
    correction = {};
    find_inertia(link);
}

}  // namespace lig::impulse
