#include "formulations/implicit/penalties.h"

#include "constraints/contact_rows.h"
#include "constraints/length_row.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/implicit/joint_inertias.h"
#include "formulations/implicit/tuning.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace lig::implicit {

Penalties::Penalties(const Model& model, double frequency, double dissipation)
    : model_(&model),
      dissipation_(dissipation),
      loads_(model),
      joint_inertia_(find_joint_inertias(model, loads_)),
      link_of_dof_(model.nv),
      changes_(model.nv) {
    const double turning = 2 * std::numbers::pi * frequency;
    by_mass_ = turning * turning;
    damping_by_mass_ = 2 * turning;
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i)
        std::fill_n(link_of_dof_.begin() + links[i].v_adr, links[i].nv, static_cast<int>(i));
    const bool constrained = model.options.enabled.constraint;
    const bool limited = constrained && model.options.enabled.limit;
    const bool rubbed = constrained && model.options.enabled.friction_loss;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        if (rubbed && joint.friction_loss > 0)
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                dry_.push_back({static_cast<int>(j), k, -1, -1, joint.friction_loss, 0});
        has_limits_ = has_limits_ ||
                      (limited && (joint.cone || joint.swing || joint.twist ||
                                   std::any_of(joint.range.begin(), joint.range.end(),
                                               [](const Range& range) { return range != Range{}; })));
    }
    for (std::size_t t = 0; t < model.tendons.size(); ++t) {
        const Model::Tendon& tendon = model.tendons[t];
        if (rubbed && tendon.friction_loss > 0)
            dry_.push_back({-1, -1, static_cast<int>(t), -1, tendon.friction_loss, 0});
        if (limited && tendon.range != Range{}) tendons_.push_back(static_cast<int>(t));
    }
    reads_joints_ = has_limits_ || !tendons_.empty() || !dry_.empty();
}

// Against a force along a tendon, if joints moved one by one.
double Penalties::tendon_inertia(int tendon, const DriveWorkspace<double>& drives) const {
    const Model::Row& row = model_->tendons[tendon].row;
    double sum = 0;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        sum += drives.row_entries[k] * drives.row_entries[k] / joint_inertia_[model_->row_velocities[k]];
    return sum > 0 ? 1 / sum : 0.0;
}

void Penalties::start() {
    touches_.clear();
    limits_.clear();
    for (Dry& dry : dry_) dry.force = 0;
}

// Whether two bodies rest on a face: all points of it have pressed, and none of them rolls on.
bool Penalties::rests(const Manifold& manifold, const Contacts& contacts, const Transformd& X_a,
                      const Transformd& X_b) const {
    if (manifold.count < 3) return false;
    for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
        const Contact& contact = contacts.contacts[c];
        if (contact.previous < 0 || !(dot(contact.impulse, manifold.normal) > 0)) return false;
        if (!TouchPoint(*model_, manifold.geom_a, X_a, contact.on_a, manifold.normal).is_corner() ||
            !TouchPoint(*model_, manifold.geom_b, X_b, contact.on_b, -manifold.normal).is_corner())
            return false;
    }
    return true;
}

void Penalties::hold_corners(Contacts& contacts, const Workspace<double>& ws) const {
    const auto pose_of = [&](int geom) {
        return carrier_pose(ws, model_->bodies[model_->geoms[geom].body].link);
    };
    const auto is_plane = [&](int geom) { return model_->geoms[geom].spec.shape == ShapeType::plane; };
    for (const Manifold& manifold : contacts.manifolds) {
        if (!rests(manifold, contacts, pose_of(manifold.geom_a), pose_of(manifold.geom_b))) continue;
        const Vec3d& n = manifold.normal;
        const ContactProperties& properties = contacts.properties[manifold.properties];
        const double margin = properties.margin - properties.gap;
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
            Contact& contact = contacts.contacts[c];
            Vec3d a = before_[contact.previous].on_a, b = before_[contact.previous].on_b;
            // On a plane corners may slide.
            if (is_plane(manifold.geom_a))
                a = b + dot(n, contact.on_a - b) * n;
            else if (is_plane(manifold.geom_b))
                b = a + dot(n, contact.on_b - a) * n;
            const double distance = dot(n, b - a);
            if (length(b - a - distance * n) > penalty_tuning.max_slipped * length(contact.on_a - a))
                continue;
            if (!(distance < margin) ||
                contact.distance - margin < penalty_tuning.much_deeper * (distance - margin))
                continue;
            contact.on_a = a;
            contact.on_b = b;
            contact.distance = distance;
        }
    }
}

void Penalties::begin(const Contacts& contacts, const Workspace<double>& ws, double impulse_time) {
    loads_.find(contacts);
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
        touch.margin = properties.margin - properties.gap;
        const double mass = loads_.between(touch.link_a, touch.link_b);
        touch.stiffness = by_mass_ * mass;
        touch.damping = damping_by_mass_ * mass;
        touch.friction_rows = properties.condim - 1;
        while (touch.friction_rows > 0 && !(properties.friction[touch.friction_rows - 1] > 0))
            --touch.friction_rows;
        for (int k = 0; k < touch.friction_rows; ++k) touch.friction[k] = properties.friction[k];
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
            const Contact& contact = contacts.contacts[c];
            touch.contact = c;
            touch.at_a = TouchPoint(*model_, manifold.geom_a, X_a, contact.on_a, frame.n);
            touch.at_b = TouchPoint(*model_, manifold.geom_b, X_b, contact.on_b, -frame.n);
            touch.push = std::max(0.0, share * dot(contact.impulse, frame.n));
            for (int k = 0; k < touch.friction_rows; ++k)
                touch.stuck[k] = touch.force[k] =
                    share * dot(k < 2 ? contact.impulse : contact.moment_impulse, touch.axis(k));
            touches_.push_back(touch);
        }
    }
}

Penalties::Place Penalties::place(const Touch& touch, const Iterate& at) const {
    const Workspace<double>& ws = at.system.poses.workspace();
    const TouchPoint::Place a = touch.at_a.at(carrier_pose(ws, touch.link_a), touch.normal),
                            b = touch.at_b.at(carrier_pose(ws, touch.link_b), -touch.normal);
    const auto velocity_at = [&](int link, const Vec3d& p) {
        return link >= 0 ? shift(at.system.graph.motion_of(at.u, link), p - at.system.poses.centre(link))
                         : shift(carrier_velocity(ws, link), p - carrier_pose(ws, link).p);
    };
    return {dot(touch.normal, b.point - a.point) - touch.margin,
            a.point,
            b.point,
            b.slipped - a.slipped,
            velocity_at(touch.link_a, a.point),
            velocity_at(touch.link_b, b.point)};
}

void Penalties::add_touch(Touch& touch, const Iterate& at, double eta, std::span<const double> x,
                          StiffRows& rows) {
    const maximal::BodySystem& system = at.system;
    const Place here = place(touch, at);
    touch.law = -1;
    double nearer = 0;
    for (const auto& [link, p, sign] :
         {std::tuple{touch.link_a, here.a, 1.0}, std::tuple{touch.link_b, here.b, -1.0}})
        if (link >= 0)
            nearer += sign * dot(touch.normal, shift(system.graph.motion_of(x, link),
                                                     p - system.poses.centre(link))
                                                   .lin);
    // What has pushed may do so again.
    if (!(here.gap < 0) && !(here.gap < eta * nearer) && touch.push == 0) return;
    const Motion<double> between = here.V_b - here.V_a;
    PenaltyLaw law;
    law.kind = PenaltyLaw::Kind::contact;
    law.count = 1 + touch.friction_rows;
    law.eta = eta;
    law.stiffness = touch.stiffness;
    law.dissipation = dissipation_;
    law.damping = touch.damping;
    law.gap = here.gap;
    law.rate = dot(touch.normal, between.lin);
    const Workspace<double>& ws = system.poses.workspace();
    const Vec3d turn = touch.friction_rows > 2 ? touch.at_b.turned(carrier_pose(ws, touch.link_b)) -
                                                     touch.at_a.turned(carrier_pose(ws, touch.link_a))
                                               : Vec3d::zero();
    double p[PenaltyLaw::max_rows] = {eta * touch.push};
    for (int k = 0; k < touch.friction_rows; ++k) {
        const Vec3d axis = touch.axis(k);
        law.friction[k] = touch.friction[k];
        law.arm[k] = k < 2 ? 1.0 : touch.friction[k];
        law.stuck[k] = touch.stuck[k];
        law.moved[k] = dot(k < 2 ? here.slip : turn, axis);
        law.rates[k] = dot(k < 2 ? between.lin : between.ang, axis);
        p[k + 1] = eta * touch.force[k];
    }
    touch.law = rows.begin_law(law, p);
    for (int r = 0; r < law.count; ++r) {
        if (r > 0) rows.next_row();
        const Vec3d axis = r == 0 ? touch.normal : touch.axis(r - 1);
        const auto force_at = [&](int link, const Vec3d& p_W) {
            if (r > 2) return Force<double>{axis, Vec3d::zero()};
            return Force<double>{cross(p_W - system.poses.centre(link), axis), axis};
        };
        if (touch.link_a >= 0) rows.add(system, touch.link_a, -force_at(touch.link_a, here.a));
        if (touch.link_b >= 0) rows.add(system, touch.link_b, force_at(touch.link_b, here.b));
    }
}

// Bounds that are passed, or would be if velocities changed by dv (empty: not at all) for a time η.
void Penalties::find_limits(const Iterate& at, double eta, std::span<const double> dv) {
    limits_.clear();
    const auto change = [&](int dof) { return dv.empty() ? 0.0 : dv[dof]; };
    if (has_limits_) {
        find_near_limits(at.state, *model_, HUGE_VAL, near_);
        for (const NearLimit& bound : near_) {
            double inertia = 0, rate = 0, changed = 0;
            for (int k = 0; k < bound.count; ++k) {
                const double g = bound.gradient[k];
                inertia += g * g * joint_inertia_[bound.first + k];
                rate += g * at.state.v[bound.first + k];
                changed += g * change(bound.first + k);
            }
            if (std::min(bound.gap, bound.gap + eta * changed) < 0)
                limits_.push_back({bound.joint, -1, -1, 1, bound.gap, rate, by_mass_ * inertia, 0,
                                   bound.first, bound.count, bound.gradient});
        }
    }
    for (const int t : tendons_) {
        const Model::Tendon& tendon = model_->tendons[t];
        double changed = 0;
        for (int k = tendon.row.begin; k < tendon.row.begin + tendon.row.count; ++k)
            changed += at.drives.row_entries[k] * change(model_->row_velocities[k]);
        const double length = at.drives.tendon_length[t], speed = at.drives.tendon_velocity[t];
        const auto add = [&](double sign, double gap) {
            if (std::min(gap, gap + sign * eta * changed) < 0) {
                const double inertia = by_mass_ * tendon_inertia(t, at.drives);
                limits_.push_back({-1, t, -1, sign, gap, sign * speed, inertia, 0, 0, 0, {}});
            }
        };
        add(1, length - tendon.range.lower);
        add(-1, tendon.range.upper - length);
    }
}

void Penalties::add_loads(const maximal::BodySystem& system,
                          std::vector<GeometricStiffness::Load>& loads) const {
    const Workspace<double>& ws = system.poses.workspace();
    for (const Touch& touch : touches_) {
        if (!(touch.push > 0)) continue;
        const Vec3d force =
            touch.push * touch.normal + touch.force[0] * touch.t1 + touch.force[1] * touch.t2;
        const auto add = [&](int link, const TouchPoint& point, const Vec3d& d, const Vec3d& on) {
            if (link < 0) return;
            loads.push_back({link, point.at(carrier_pose(ws, link), d).core - system.poses.centre(link), on});
        };
        add(touch.link_a, touch.at_a, touch.normal, -force);
        add(touch.link_b, touch.at_b, -touch.normal, force);
    }
}

void Penalties::add_blocks(double eta, maximal::BodySystem& system) const {
    for (const Limit& limit : limits_) {
        if (limit.joint < 0 || !(limit.force > 0)) continue;
        const Model::Joint& joint = model_->joints[limit.joint];
        const int link = model_->bodies[joint.body].link;
        if (!joint.cone || joint.swing || joint.twist || model_->tree.links[link].joint_count > 1) continue;
        const double angle = *joint.cone - limit.gap;
        const double across = eta * eta * limit.force * 0.5 / std::tan(0.5 * angle);
        if (!(across > 0)) continue;
        const Vec3d u = system.poses.workspace().poses[link].X_WL.R * limit.gradient;
        const Sym3d around{1 - u.x * u.x, 1 - u.y * u.y, 1 - u.z * u.z, -u.x * u.y, -u.x * u.z, -u.y * u.z};
        system.matrix.add_turning_pair(link, across * around);
    }
}

void Penalties::add_tendon_entries(int tendon, double sign, const Iterate& at, StiffRows& rows) const {
    const Model::Row& row = model_->tendons[tendon].row;
    for (int k = row.begin; k < row.begin + row.count; ++k) {
        const int dof = model_->row_velocities[k];
        rows.add_freedom(at.system, link_of_dof_[dof], dof, sign * at.drives.row_entries[k]);
    }
}

void Penalties::add_rows(const Iterate& at, double eta, std::span<const double> x, StiffRows& rows) {
    for (Touch& touch : touches_) add_touch(touch, at, eta, x, rows);
    if (!reads_joints_) return;
    at.system.poses.joint_velocities(x, false, changes_);
    find_limits(at, eta, changes_);
    for (Limit& limit : limits_) {
        PenaltyLaw law;
        law.kind = PenaltyLaw::Kind::push;
        law.eta = eta;
        law.stiffness = limit.stiffness;
        law.dissipation = dissipation_;
        law.gap = limit.gap;
        law.rate = limit.rate;
        const double none = 0;
        limit.law = rows.begin_law(law, &none);
        if (limit.tendon >= 0) add_tendon_entries(limit.tendon, limit.sign, at, rows);
        for (int k = 0; k < limit.count; ++k)
            rows.add_freedom(at.system, link_of_dof_[limit.first + k], limit.first + k, limit.gradient[k]);
    }
    for (Dry& dry : dry_) {
        PenaltyLaw law;
        law.kind = PenaltyLaw::Kind::dry;
        law.eta = eta;
        law.bound = dry.bound;
        law.damping = dry.bound / penalty_tuning.creep_speed;
        law.rate = dry.tendon >= 0 ? at.drives.tendon_velocity[dry.tendon] : at.state.v[dry.dof];
        const double p = eta * dry.force;
        dry.law = rows.begin_law(law, &p);
        if (dry.tendon >= 0)
            add_tendon_entries(dry.tendon, 1, at, rows);
        else
            rows.add_freedom(at.system, link_of_dof_[dry.dof], dry.dof, 1);
    }
}

void Penalties::keep_forces(double eta, const StiffRows& rows) {
    for (Touch& touch : touches_) {
        touch.push = 0;
        std::fill(std::begin(touch.force), std::end(touch.force), 0.0);
        if (touch.law < 0) continue;
        const std::span<const double> p = rows.impulses_of(touch.law);
        touch.push = p[0] / eta;
        for (int k = 0; k < touch.friction_rows; ++k) touch.force[k] = p[k + 1] / eta;
    }
    for (Limit& limit : limits_) limit.force = rows.impulses_of(limit.law)[0] / eta;
    for (Dry& dry : dry_) dry.force = rows.impulses_of(dry.law)[0] / eta;
}

// Impulses, and points where bodies have taken them.
void Penalties::store(const Iterate& at, Contacts& contacts) const {
    for (Contact& contact : contacts.contacts) contact.impulse = contact.moment_impulse = Vec3d::zero();
    for (const Touch& touch : touches_) {
        Contact& contact = contacts.contacts[touch.contact];
        const Place here = place(touch, at);
        contact.on_a = here.a;
        contact.on_b = here.b;
        contact.distance = here.gap + touch.margin;
        contact.impulse =
            touch.push * touch.normal + touch.force[0] * touch.t1 + touch.force[1] * touch.t2;
        contact.moment_impulse =
            touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2;
    }
}

void Penalties::add_acting_rows(const DriveWorkspace<double>& drives, Rows& rows) const {
    const auto add_tendon = [&](RowKind kind, int tendon, double force, double sign) {
        rows.begin_block(kind, tendon);
        rows.add_row().lambda = force;
        add_length_entries(*model_, drives, model_->tendons[tendon].row, sign, rows);
    };
    for (const Dry& dry : dry_) {
        if (dry.tendon >= 0) {
            add_tendon(RowKind::tendon_friction, dry.tendon, dry.force, 1);
            continue;
        }
        rows.begin_block(RowKind::friction_loss, dry.joint);
        rows.add_row().lambda = dry.force;
        rows.add_entry(dry.dof, 1);
    }
    for (const Limit& limit : limits_) {
        if (limit.tendon >= 0) {
            add_tendon(RowKind::tendon_limit, limit.tendon, limit.force, limit.sign);
            continue;
        }
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
