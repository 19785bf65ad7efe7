#include "formulations/implicit/penalties.h"

#include "constraints/contact_rows.h"
#include "core/rotation.h"
#include "dynamics/dynamics_parts.h"
#include "linalg/small_dense.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>

namespace lig::implicit {

namespace {

Sym3d outer(const Vec3d& a) { return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z}; }

constexpr double creep_speed = 1e-4;  // m/s, rad/s: of joints that dry friction holds

}  // namespace

Penalties::Penalties(const Model& model, double frequency, double dissipation)
    : model_(&model),
      dissipation_(dissipation),
      mass_(model.tree.links.size()),
      joint_inertia_(model.nv),
      tau_(model.nv) {
    const double turning = 2 * std::numbers::pi * frequency;
    by_mass_ = turning * turning;
    damping_by_mass_ = 2 * turning;
    const std::vector<TreeLink<double>>& links = model.tree.links;
    // What hangs together, and what is outward of each joint at the reference configuration.
    std::vector<int> root(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        root[i] = links[i].parent >= 0 ? root[links[i].parent] : static_cast<int>(i);
        mass_[root[i]] += links[i].inertia.mass;
    }
    for (std::size_t i = 0; i < links.size(); ++i) mass_[i] = mass_[root[i]];
    find_joint_inertias();
    const bool constrained = model.options.enabled.constraint;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        const int link = model.bodies[joint.body].link;
        if (constrained && model.options.enabled.friction_loss && joint.friction_loss > 0)
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                dry_.push_back({k, link, joint.friction_loss, joint.friction_loss / creep_speed});
    }
    dry_slope_.assign(dry_.size(), 0.0);
    const bool limited = constrained && model.options.enabled.limit &&
                         std::any_of(model.joints.begin(), model.joints.end(), [](const Model::Joint& joint) {
                             return joint.cone || joint.swing || joint.twist ||
                                    std::any_of(joint.range.begin(), joint.range.end(),
                                                [](const Range& range) { return range != Range{}; });
                         });
    reads_joints_ = limited || !dry_.empty();
}

// Of what is outward of each joint along its freedoms, at the reference configuration.
void Penalties::find_joint_inertias() {
    const Tree<double>& tree = model_->tree;
    const JointState<double> reference(*model_);
    Workspace<double> ws(std::shared_ptr<const Model>(std::shared_ptr<void>(), model_));
    forward_kinematics(reference, ws);
    std::vector<RigidInertia<double>> outward(tree.links.size(), RigidInertia<double>::zero());
    for (int i = static_cast<int>(tree.links.size()) - 1; i >= 0; --i) {
        const Vec3d& p = ws.poses[i].X_WL.p;
        outward[i] = outward[i] + world_inertia(ws.poses[i].X_WL.R, tree.links[i].inertia);
        const int parent = tree.links[i].parent;
        if (parent >= 0)
            outward[parent] = outward[parent] + shift_back(outward[i], p - ws.poses[parent].X_WL.p);
        const Mat3d R_WF = carrier_pose(ws, parent).R * tree.joints[tree.links[i].joint_begin].X_PF.R;
        maximal::JointFreedoms freedoms;
        maximal::find_freedoms(tree, i, reference.q.data(), freedoms);
        for (int k = 0; k < freedoms.count; ++k) {
            const Motion<double> S{R_WF * freedoms.S[k].ang, R_WF * freedoms.S[k].lin};
            joint_inertia_[tree.links[i].v_adr + k] =
                dot(S, outward[i] * S) + tree.armature[tree.links[i].v_adr + k];
        }
    }
}

// Of two bodies that meet: of all that hangs on them, the less the lighter.
double Penalties::weight_between(int link_a, int link_b) const {
    if (link_a < 0) return mass_[link_b];
    if (link_b < 0) return mass_[link_a];
    return 1 / (1 / mass_[link_a] + 1 / mass_[link_b]);
}

void Penalties::begin(const Contacts& contacts, const Workspace<double>& ws, double impulse_time) {
    touches_.clear();
    const double share = impulse_time > 0 ? 1 / impulse_time : 0.0;
    for (const Manifold& manifold : contacts.manifolds) {
        const ContactProperties& properties = contacts.properties[manifold.properties];
        Touch touch{};
        touch.link_a = model_->bodies[model_->geoms[manifold.geom_a].body].link;
        touch.link_b = model_->bodies[model_->geoms[manifold.geom_b].body].link;
        if (touch.link_a < 0 && touch.link_b < 0) continue;
        const Transformd &X_a = carrier_pose(ws, touch.link_a), &X_b = carrier_pose(ws, touch.link_b);
        const ContactFrame frame = contact_frame(manifold.normal);
        touch.normal = frame.n;
        touch.t1 = frame.t1;
        touch.t2 = frame.t2;
        touch.R_a = X_a.R;
        touch.R_b = X_b.R;
        touch.margin = properties.margin - properties.gap;
        const double mass = weight_between(touch.link_a, touch.link_b);
        touch.stiffness = by_mass_ * mass;
        touch.damping = damping_by_mass_ * mass;
        touch.friction_rows = properties.condim - 1;
        while (touch.friction_rows > 0 && !(properties.friction[touch.friction_rows - 1] > 0))
            --touch.friction_rows;
        for (int k = 0; k < touch.friction_rows; ++k) touch.friction[k] = properties.friction[k];
        const Vec3d axes[] = {frame.t1, frame.t2, frame.n, frame.t1, frame.t2};
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
            const Contact& contact = contacts.contacts[c];
            touch.contact = c;
            touch.from_a = contact.on_a;
            touch.from_b = contact.on_b;
            touch.at_a = transpose_mul(X_a.R, contact.on_a - X_a.p);
            touch.at_b = transpose_mul(X_b.R, contact.on_b - X_b.p);
            for (int k = 0; k < touch.friction_rows; ++k)
                touch.stuck[k] = share * dot(k < 2 ? contact.impulse : contact.moment_impulse, axes[k]);
            touches_.push_back(touch);
        }
    }
}

Penalties::Push Penalties::push_of(double stiffness, double gap, double rate) const {
    if (!(gap < 0)) return {};
    const double factor = 1 - dissipation_ * rate;
    if (!(factor > 0)) return {};
    return {-stiffness * gap * factor, stiffness * factor, -stiffness * gap * dissipation_};
}

Penalties::PointMotions Penalties::motions_of(const Touch& touch, const maximal::BodySystem& system,
                                              const Vec3d& a, const Vec3d& b,
                                              std::span<const double> u) const {
    const Workspace<double>& ws = system.workspace();
    const auto velocity_at = [&](int link, const Vec3d& p) {
        return link >= 0 ? shift(system.motion_of(u, link), p - system.centre(link))
                         : shift(carrier_velocity(ws, link), p - carrier_pose(ws, link).p);
    };
    return {velocity_at(touch.link_a, a), velocity_at(touch.link_b, b)};
}

void Penalties::act(Touch& touch, const maximal::BodySystem& system, std::span<const double> u) const {
    const Workspace<double>& ws = system.workspace();
    const Transformd &X_a = carrier_pose(ws, touch.link_a), &X_b = carrier_pose(ws, touch.link_b);
    const Vec3d a = X_a * touch.at_a, b = X_b * touch.at_b;
    touch.push = 0;
    std::fill(std::begin(touch.force), std::end(touch.force), 0.0);
    std::fill(std::begin(touch.hold), std::end(touch.hold), 0.0);
    const double gap = dot(touch.normal, b - a) - touch.margin;
    if (!(gap < 0)) return;
    const auto [V_a, V_b] = motions_of(touch, system, a, b, u);
    const Vec3d slip_rate = V_b.lin - V_a.lin, turn_rate = V_b.ang - V_a.ang;
    const Push push = push_of(touch.stiffness, gap, dot(touch.normal, slip_rate));
    touch.push = push.force;
    touch.slope = push.slope;
    touch.rate_slope = push.rate_slope;
    if (!(touch.push > 0)) return;
    if (touch.link_a >= 0) touch.arm_a = a - system.centre(touch.link_a);
    if (touch.link_b >= 0) touch.arm_b = b - system.centre(touch.link_b);
    const Vec3d slip = (b - touch.from_b) - (a - touch.from_a);
    const auto turned = [](const Mat3d& now, const Mat3d& before) {
        return rotation_log(quaternion(now * transpose(before)));
    };
    const Vec3d turn = touch.friction_rows > 2 ? turned(X_b.R, touch.R_b) - turned(X_a.R, touch.R_a)
                                               : Vec3d::zero();
    const Vec3d axes[] = {touch.t1, touch.t2, touch.normal, touch.t1, touch.t2};
    // Sliding, twisting and rolling have a cone each.
    constexpr int cones[] = {0, 2, 3, 5};
    for (int cone = 0; cone < 3; ++cone) {
        const int first = cones[cone], last = std::min(cones[cone + 1], touch.friction_rows);
        double used = 0;  // of the cone, squared
        for (int k = first; k < last; ++k) {
            const double mu = touch.friction[k], arm = k < 2 ? 1.0 : mu;
            const double moved = dot(k < 2 ? slip : turn, axes[k]);
            const double rate = dot(k < 2 ? slip_rate : turn_rate, axes[k]);
            touch.force[k] = touch.stuck[k] - arm * arm * (touch.stiffness * moved + touch.damping * rate);
            const double part = touch.force[k] / (mu * touch.push);
            used += part * part;
        }
        const double keep = used > 1 ? 1 / std::sqrt(used) : 1.0;
        for (int k = first; k < last; ++k) {
            touch.force[k] *= keep;
            touch.hold[k] = keep;
        }
    }
}

void Penalties::add_forces(maximal::BodySystem& system, const JointState<double>& state,
                           std::span<const double> u, std::span<double> f) {
    const Workspace<double>& ws = system.workspace();
    for (Touch& touch : touches_) {
        act(touch, system, u);
        if (touch.push == 0) continue;
        const Vec3d force = touch.push * touch.normal + touch.force[0] * touch.t1 + touch.force[1] * touch.t2;
        const Vec3d moment =
            touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2;
        for (const auto& [link, arm, sign] : {std::tuple{touch.link_a, touch.arm_a, -1.0},
                                              std::tuple{touch.link_b, touch.arm_b, 1.0}}) {
            if (link < 0) continue;
            const Vec3d from_origin = system.centre(link) + arm - ws.poses[link].X_WL.p;
            system.add_wrench(link, {sign * (moment + cross(from_origin, force)), sign * force}, f);
        }
    }
    if (!reads_joints_) return;
    std::fill(tau_.begin(), tau_.end(), 0.0);
    limits_.clear();
    find_violated_limits(state, *model_, violated_);
    for (const ViolatedLimit& bound : violated_) {
        double inertia = 0, rate = 0;
        for (int k = 0; k < bound.count; ++k) {
            const double g = bound.gradient[k];
            inertia += g * g * joint_inertia_[bound.first + k];
            rate += g * state.v[bound.first + k];
        }
        const Push push = push_of(by_mass_ * inertia, bound.gap, rate);
        if (!(push.force > 0)) continue;
        limits_.push_back({model_->bodies[model_->joints[bound.joint].body].link, push.force, push.slope,
                           push.rate_slope, bound.joint, bound.first, bound.count, bound.gradient});
        for (int k = 0; k < bound.count; ++k) tau_[bound.first + k] += push.force * bound.gradient[k];
    }
    for (std::size_t d = 0; d < dry_.size(); ++d) {
        const Dry& dry = dry_[d];
        const double wanted = -dry.damping * state.v[dry.dof];
        const double force = std::clamp(wanted, -dry.bound, dry.bound);
        tau_[dry.dof] += force;
        // Beyond the bound the force is constant; the secant keeps iterations from jumping to and fro.
        dry_slope_[d] = wanted != 0 ? dry.damping * force / wanted : dry.damping;
    }
    system.add_joint_forces(tau_, f);
}

void Penalties::add_blocks(maximal::BodySystem& system, double eta, StiffRows& rows) const {
    for (const Touch& touch : touches_) {
        if (touch.push == 0) continue;
        const double stiffness = eta * (eta * touch.stiffness + touch.damping);
        const double across = eta * (eta * touch.slope + touch.rate_slope);
        Sym3d slide = across * outer(touch.normal), turn = Sym3d::zero();
        const Vec3d axes[] = {touch.t1, touch.t2, touch.normal, touch.t1, touch.t2};
        for (int k = 0; k < touch.friction_rows; ++k) {
            const double mu = touch.friction[k];
            if (k < 2)
                slide += stiffness * touch.hold[k] * outer(axes[k]);
            else
                turn += stiffness * mu * mu * touch.hold[k] * outer(axes[k]);
        }
        if (touch.link_a >= 0 && touch.link_b >= 0) {
            const double weights[] = {across, stiffness * touch.hold[0], stiffness * touch.hold[1]};
            const Vec3d along[] = {touch.normal, touch.t1, touch.t2};
            for (int k = 0; k < std::min(1 + touch.friction_rows, 3); ++k) {
                if (!(weights[k] > 0)) continue;
                rows.begin_row(weights[k]);
                rows.add(system, touch.link_a, {-cross(touch.arm_a, along[k]), -along[k]});
                rows.add(system, touch.link_b, {cross(touch.arm_b, along[k]), along[k]});
            }
        } else if (touch.link_a >= 0) {
            system.add_point_block(touch.link_a, touch.arm_a, slide);
        } else {
            system.add_point_block(touch.link_b, touch.arm_b, slide);
        }
        if (touch.friction_rows > 2)
            for (const int link : {touch.link_a, touch.link_b})
                if (link >= 0) system.add_turning_block(link, turn);
    }
    double k[maximal::most_joint_rows * small_stride];
    const auto add = [&](int link, int first, int count, const Vec3d& gradient, double weight) {
        const int begin = first - model_->tree.links[link].v_adr, nv = model_->tree.links[link].nv;
        for (int a = 0; a < nv; ++a)
            for (int b = 0; b < nv; ++b) k[a * small_stride + b] = 0;
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b)
                k[(begin + a) * small_stride + begin + b] = weight * gradient[a] * gradient[b];
        system.add_freedom_block(link, k);
    };
    for (const Limit& limit : limits_)
        add(limit.link, limit.first, limit.count, limit.gradient,
            eta * (eta * limit.slope + limit.rate_slope));
    for (std::size_t d = 0; d < dry_.size(); ++d)
        add(dry_[d].link, dry_[d].dof, 1, {1, 0, 0}, eta * dry_slope_[d]);
}

void Penalties::store(Contacts& contacts) const {
    for (Contact& contact : contacts.contacts) contact.impulse = contact.moment_impulse = Vec3d::zero();
    for (const Touch& touch : touches_) {
        Contact& contact = contacts.contacts[touch.contact];
        contact.impulse =
            touch.push * touch.normal + touch.force[0] * touch.t1 + touch.force[1] * touch.t2;
        contact.moment_impulse =
            touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2;
    }
}

void Penalties::add_limit_rows(Rows& rows) const {
    for (const Limit& limit : limits_) {
        rows.begin_block(RowKind::limit, limit.joint);
        rows.add_row().lambda = limit.force;
        for (int k = 0; k < limit.count; ++k) rows.add_entry(limit.first + k, limit.gradient[k]);
    }
}

bool Penalties::act() const {
    return !limits_.empty() || !dry_.empty() ||
           std::any_of(touches_.begin(), touches_.end(), [](const Touch& touch) { return touch.push > 0; });
}

}  // namespace lig::implicit
