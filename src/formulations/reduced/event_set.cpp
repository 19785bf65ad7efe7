#include "formulations/reduced/event_set.h"

#include "constraints/contact_rows.h"
#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "formulations/reduced/tuning.h"
#include "model/collision_model.h"
#include "shapes/shape_geometry.h"
#include "simulation/kinematic_motion.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const EventTuning& tuning = event_tuning;

// In so long a step gaps do not matter: kept_bias of a row is what kinematic bodies add.
constexpr RowContext no_gaps{.h = 1e12};

const CollisionModel::Geom& collision_geom(const Model& model, int geom) {
    return model.collision->geoms[model.collision->index_of[geom]];
}

double size_of(const CollisionShape& shape) {
    if (!is_convex(shape.type)) return HUGE_VAL;
    const Bounds box = bounds(shape, Transformd::identity());
    return 0.5 * length(box.upper - box.lower);
}

bool same_pair(const ClosedContact& a, const ClosedContact& b) {
    return a.geom_a == b.geom_a && a.geom_b == b.geom_b;
}

}  // namespace

EventSet::EventSet(std::shared_ptr<const Model> model)
    : model_(*model),
      constraints_(*model),
      ws_(model),
      drives_(*model),
      beside_(*model),
      step_(model->nv) {
    const WarmStarts warm(model_);
    if (!model_.options.enabled.constraint || !model_.options.enabled.friction_loss) return;
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
        const Model::Joint& joint = model_.joints[i];
        if (!(joint.friction_loss > 0)) continue;
        for (int dof = joint.v_adr; dof < joint.v_adr + joint.nv; ++dof)
            rubbings.push_back(
                {RowKind::friction_loss, static_cast<int>(i), warm.friction_loss(dof), joint.friction_loss});
    }
    for (std::size_t i = 0; i < model_.tendons.size(); ++i)
        if (model_.tendons[i].friction_loss > 0)
            rubbings.push_back({RowKind::tendon_friction, static_cast<int>(i),
                                warm.tendon_friction(static_cast<int>(i)), model_.tendons[i].friction_loss});
}

void EventSet::clear() {
    contacts.clear();
    bounds.clear();
}

void EventSet::add(const Contacts& found, int contact, const Workspace<double>& ws) {
    const Contact& point = found.contacts[contact];
    const Manifold& manifold = found.manifolds[point.manifold];
    const Transformd X_WA = body_pose(ws, model_.geoms[manifold.geom_a].body);
    const Transformd X_WB = body_pose(ws, model_.geoms[manifold.geom_b].body);
    ClosedContact& own = contacts.emplace_back();
    own.geom_a = manifold.geom_a;
    own.geom_b = manifold.geom_b;
    own.part = manifold.part;
    own.feature = point.feature;
    own.properties = manifold.properties;
    own.source = contact;
    own.on_a = X_WA.inverse() * point.on_a;
    own.on_b = X_WB.inverse() * point.on_b;
    own.normal = transpose_mul(X_WA.R, point.normal);
}

// The contacts of the set at the bodies' poses: here_ has one for each, one manifold per contact.
void EventSet::find_again(const Workspace<double>& ws, const std::vector<ContactProperties>& properties) {
    here_.contacts.clear();
    here_.manifolds.clear();
    gaps_.clear();
    if (here_.properties.size() != properties.size()) here_.properties = properties;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const ClosedContact& own = contacts[i];
        const ContactProperties& how = properties[own.properties];
        const Transformd X_WA = body_pose(ws, model_.geoms[own.geom_a].body);
        const Transformd X_WB = body_pose(ws, model_.geoms[own.geom_b].body);
        if (i == 0 || !same_pair(own, contacts[i - 1])) {
            const CollisionModel::Geom &a = collision_geom(model_, own.geom_a),
                                       &b = collision_geom(model_, own.geom_b);
            narrow_.manifolds.clear();
            const double beyond = tuning.looking_share * std::min(size_of(a.shape), size_of(b.shape));
            collide::collide_shapes({&a.shape, X_WA * a.X_BG}, {&b.shape, X_WB * b.X_BG}, how.margin + beyond,
                                    narrow_);
        }
        Contact contact{};
        contact.manifold = static_cast<int>(i);
        contact.previous = -1;
        contact.feature = own.feature;
        contact.impulse = own.impulse;
        bool found = false;
        for (const collide::PairManifold& manifold : narrow_.manifolds) {
            if (manifold.part != own.part) continue;
            for (int k = 0; k < manifold.count && !found; ++k) {
                const collide::ManifoldPoint& point = manifold.points[k];
                if (point.feature != own.feature) continue;
                contact.on_a = point.on_a;
                contact.on_b = point.on_b;
                contact.normal = manifold.normal;
                contact.distance = point.distance;
                found = true;
            }
        }
        if (!found) {
            contact.on_a = X_WA * own.on_a;
            contact.on_b = X_WB * own.on_b;
            contact.normal = X_WA.R * own.normal;
            contact.distance = dot(contact.normal, contact.on_b - contact.on_a);
        }
        here_.contacts.push_back(contact);
        here_.manifolds.push_back({.geom_a = own.geom_a,
                                   .geom_b = own.geom_b,
                                   .part = own.part,
                                   .begin = static_cast<int>(i),
                                   .count = 1,
                                   .properties = own.properties,
                                   .active = true,
                                   .normal = contact.normal});
        gaps_.push_back(contact.distance - (how.margin - how.gap));
    }
}

// All bounds of the joints concerned and all dry friction are asked for, and those of the set taken over.
void EventSet::add_bound_rows(const JointState<double>& state, const Workspace<double>& ws,
                              const DriveWorkspace<double>& drives, const WarmStarts& warm, Rows& rows) {
    if (bounds.empty() && rubbings.empty()) return;
    const Model& model = ws.model();
    scratch_.clear();
    bool tendons = false;
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        tendons = tendons || bounds[k].kind == RowKind::tendon_limit;
        const bool another = k == 0 || bounds[k].source != bounds[k - 1].source;
        if (bounds[k].kind == RowKind::limit && another)
            add_limit_rows(state, model, bounds[k].source, no_gaps, warm, scratch_);
    }
    if (tendons) add_tendon_limit_rows(state, model, drives, no_gaps, warm, scratch_);
    if (!rubbings.empty()) {
        add_friction_loss_rows(model, no_gaps, warm, scratch_);
        add_tendon_friction_rows(state, model, drives, no_gaps, warm, scratch_);
    }
    const auto take = [&](RowKind kind, int source, int place) {
        rows.begin_block(kind, source);
        for (const Row& row : scratch_.rows)
            if (row.warm == place) {
                rows.add_copy(scratch_, row).lambda = 0;
                return;
            }
        rows.add_row().warm = place;  // a bound of a ball that does not exist at this angle: it does nothing
    };
    for (const ReachedBound& bound : bounds) take(bound.kind, bound.source, bound.warm);
    for (const Rubbing& rubbing : rubbings) {
        take(rubbing.kind, rubbing.source, rubbing.warm);
        rows.rows.back().lo = -rubbing.most;
        rows.rows.back().hi = rubbing.most;
    }
}

// All of them, reached or not, in an instant: their gaps are bias · h, and h times a force its impulse.
void EventSet::add_bounded_rows(const JointState<double>& state, const Workspace<double>& ws,
                                const WarmStarts& warm, Rows& rows) {
    if (constraints_.empty()) return;
    const std::size_t begin = rows.rows.size();
    constraints_.add_rows(ws, state.v,
                          {.h = tuning.gap_step,
                           .time = state.time,
                           .reach_speed = HUGE_VAL,
                           .correction = 1,
                           .product_share = 0,
                           .fastest_correction = HUGE_VAL,
                           .slop = 0},
                          warm, false, rows);
    for (std::size_t r = begin; r < rows.rows.size(); ++r) {
        rows.rows[r].lo /= tuning.gap_step;
        rows.rows[r].hi /= tuning.gap_step;
        rows.rows[r].lambda = 0;
    }
}

void EventSet::find_bounded(const JointState<double>& state, const Workspace<double>& ws,
                            const WarmStarts& warm, double gap, double speed) {
    bounded.clear();
    rows_.clear();
    add_bounded_rows(state, ws, warm, rows_);
    for (const RowBlock& block : rows_.blocks)
        for (const Row& row : rows_.rows_of(block)) {
            BoundedRow& own = bounded.emplace_back();
            own.one_sided = is_limit(block.kind);
            own.lower = row.lo;
            own.upper = row.hi;
            const double rate = row_rate(rows_, block, row, ws, state.v);
            own.gap = own.one_sided ? tuning.gap_step * (row.bias - row.base_rate) : 0;
            own.rate = rate + (own.one_sided ? row.base_rate : row.kept_bias);
            own.acts = own.one_sided ? own.gap <= gap && own.rate <= speed : std::abs(own.rate) <= speed;
        }
}

void EventSet::add_rows(const JointState<double>& state, const Workspace<double>& ws,
                        const DriveWorkspace<double>& drives, const WarmStarts& warm,
                        const std::vector<ContactProperties>& properties, Rows& rows) {
    add_bound_rows(state, ws, drives, warm, rows);
    find_again(ws, properties);
    add_contact_rows(here_, ws, no_gaps, 0, rows);
    const std::size_t begin = rows.rows.size();
    if (!bounded.empty()) add_bounded_rows(state, ws, warm, rows);
    for (std::size_t k = 0; k < bounded.size(); ++k) {
        const BoundedRow& own = bounded[k];
        Row& row = rows.rows[begin + k];
        if (own.one_sided) row.kept_bias = row.base_rate;
        if (own.acts) continue;
        // One that is too slow pulls with all it has.
        row.lo = row.hi = own.one_sided ? 0 : own.rate > 0 ? own.lower
                                                           : own.upper;
    }
}

void EventSet::find_products(const JointState<double>& state, const WarmStarts& warm,
                             const std::vector<ContactProperties>& properties, std::vector<double>& out) {
    out.clear();
    if (contacts.empty() && bounds.empty() && rubbings.empty() && bounded.empty()) return;
    // A ten-thousandth of the way in which directions change, and at most 10 µs: the difference is then off
    // by 10⁻⁸ of itself, and rounding by as little.
    double fastest = 1;
    for (std::size_t k = 0; k < state.v.size(); ++k) fastest = std::max(fastest, std::abs(state.v[k]));
    const double epsilon = 1e-5 * std::min(1.0, 10 / fastest);
    for (const double side : {1.0, -1.0}) {
        beside_ = state;
        for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = state.v[k];
        integrate<double>(ws_, state.q, step_, side * epsilon, beside_.q);
        beside_.time += side * epsilon;
        for (BaseMotion<double>& base : beside_.kinematic) base = moved(base, side * epsilon);
        forward_kinematics(beside_, ws_);
        update_drives(beside_, ws_, drives_);
        rows_.clear();
        add_rows(beside_, ws_, drives_, warm, properties, rows_);
        if (side > 0) out.assign(rows_.rows.size(), 0.0);
        for (const RowBlock& block : rows_.blocks)
            for (int r = block.begin; r < block.begin + block.count; ++r) {
                const Row& row = rows_.rows[r];
                out[r] += side / (2 * epsilon) *
                          (row_rate(rows_, block, row, ws_, beside_.v) + row.kept_bias);
            }
    }
}

}  // namespace lig
