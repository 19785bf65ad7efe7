#include "constraints/subtree_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/pull_entries.h"
#include "core/length.h"
#include "core/rotation.h"
#include "model/subtree.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

namespace {

// A body of the subtree as it is now.
struct Part {
    Part(const Workspace<double>& ws, const Model::Body& body)
        : link(body.link), mass(body.mass), carrier(ws, body.link) {
        x = carrier.X * (body.X_LB * body.com);
        I = rotate(carrier.X.R * body.X_LB.R, body.inertia);
        if (link >= 0) stretch = ws.model().tree.links[link].stretch;
    }
    int link;
    double mass;
    Carrier carrier;
    Vec3d x;
    Sym3d I;           // at rest, if it deforms
    int stretch = -1;  // in Tree::stretches
};

// Calls f(kind, substance, shape) for a part that deforms.
template <class F>
void visit_shape(const Workspace<double>& ws, const Part& part, F&& f) {
    visit_deforming(ws.model(), part.stretch, [&](auto kind) {
        f(kind, bodies::Substance{part.mass, ws.model().deforming[part.stretch].moment},
          ws.stretches[part.stretch]);
    });
}

// Of a part that deforms, with the angular momentum L about its centre of mass: e · L is a row of its
// velocities, ω and ṡ.
struct SpinRow {
    SpinRow(const Workspace<double>& ws, const Part& part, const Vec3d& e) {
        visit_shape(ws, part, [&](auto kind, const bodies::Substance& own, const auto& shape) {
            const double along[bodies::max_body_dim] = {e.x, e.y, e.z};
            kind.momenta(own, part.carrier.X.R, shape.S, along, of);
        });
    }
    Vec3d of_turning() const { return {of[0], of[1], of[2]}; }
    double of[bodies::max_body_dim];
};
// dL/dt while v̇ = 0.
Vec3d spin_rate(const Workspace<double>& ws, const Part& part) {
    double bias[bodies::max_body_dim];
    visit_shape(ws, part, [&](auto kind, const bodies::Substance& own, const auto& shape) {
        const Vec3d& w = part.carrier.V.ang;
        double v[bodies::max_body_dim] = {w.x, w.y, w.z};
        kind.read(shape.rate, v + 6);
        kind.bias(own, part.carrier.X.R, shape.S, v, bias);
    });
    return {-bias[0], -bias[1], -bias[2]};
}

struct Centre {
    Vec3d at = Vec3d::zero();
    double far = 0;  // how far its parts are from the origin of the world
};

Centre find_centre(const Workspace<double>& ws, const Model::SubtreeConstraint& constraint) {
    Centre out;
    for_each_moving(ws.model(), constraint.body, [&](const Model::Body& body) {
        const Vec3d x = carrier_pose(ws, body.link) * (body.X_LB * body.com);
        out.at += (body.mass / constraint.mass) * x;
        out.far = std::max(out.far, length(x));
    });
    return out;
}

// What a row does to a part.
RowPull pull_on(const Workspace<double>& ws, const Model::SubtreeConstraint& constraint, const Part& part,
                const Vec3d& centre, const Vec3d& axis) {
    const double share = part.mass / constraint.mass;
    if (constraint.quantity != SubtreeQuantity::angular_momentum)
        return {part.link, part.x, share * axis, Vec3d::zero()};
    const double square = constraint.radius * constraint.radius;
    const Vec3d spin = part.stretch < 0 ? part.I * axis : SpinRow(ws, part, axis).of_turning();
    return {part.link, part.x, (share / square) * cross(axis, part.x - centre),
            (1 / (constraint.mass * square)) * spin};
}

// … and to its stretches: of the last row.
void add_stretch_entries(const Workspace<double>& ws, const Model::SubtreeConstraint& constraint,
                         const Part& part, const Vec3d& axis, Rows& rows) {
    if (part.stretch < 0 || constraint.quantity != SubtreeQuantity::angular_momentum) return;
    const TreeStretch& own = ws.model().tree.stretches[part.stretch];
    const SpinRow spin(ws, part, axis);
    for (int k = 0; k < own.count; ++k)
        rows.add_entry(own.v_adr + k,
                       spin.of[6 + k] / (constraint.mass * constraint.radius * constraint.radius));
}

// d(J v)/dt by a part while v̇ = 0.
double product_of(const Workspace<double>& ws, const Model::SubtreeConstraint& constraint, const Part& part,
                  const RowPull& pull, const Vec3d& axis) {
    const Motion<double> a = free_acceleration(ws, part.link);
    const Vec3d r = part.x - part.carrier.X.p;
    const Vec3d& w = part.carrier.V.ang;
    const Vec3d lin = a.lin - ws.bases[0].a0.lin + cross(a.ang, r) + cross(w, cross(w, r));
    double out = dot(lin, pull.force) + dot(a.ang, pull.moment);
    if (constraint.quantity == SubtreeQuantity::angular_momentum)
        out += dot(axis, part.stretch < 0 ? cross(w, part.I * w) : spin_rate(ws, part)) /
               (constraint.mass * constraint.radius * constraint.radius);
    return out;
}

}  // namespace

void add_subtree(const Workspace<double>& ws, int index, bool on_bodies, bool with_products, Rows& rows,
                 std::vector<EqualityTerms>& terms) {
    const Model& model = ws.model();
    const Model::SubtreeConstraint& constraint = model.subtree_constraints[index];
    const Centre centre = find_centre(ws, constraint);
    int first = std::numeric_limits<int>::max(), end = 0;
    const Model::Body& root = model.bodies[constraint.body];
    const int carrying = root.joint_count > 0 ? -1 : root.link;
    for_each_moving(model, constraint.body, [&](const Model::Body& body) {
        if (body.link == carrying) return;
        first = std::min(first, body.link);
        end = std::max(end, body.link + 1);
    });
    if (end == 0) first = carrying + 1;
    rows.begin_block(RowKind::subtree, index);
    int part = 0;
    for (int k = 0; k < 3; ++k) {
        if (!constraint.axes[static_cast<std::size_t>(k)]) continue;
        Vec3d axis = Vec3d::zero();
        axis[k] = 1;
        rows.add_row().lo = -HUGE_VAL;
        const std::size_t begin = rows.pulls.size();
        EqualityTerms own;
        for_each_moving(model, constraint.body, [&](const Model::Body& body) {
            const Part of(ws, body);
            const RowPull pull = pull_on(ws, constraint, of, centre.at, axis);
            rows.add_pull(pull);
            add_stretch_entries(ws, constraint, of, axis, rows);
            if (with_products) own.product += product_of(ws, constraint, of, pull, axis);
            if (on_bodies) return;
            const Motion<double> base = velocity_by_base(ws, body.link);
            own.base_rate += dot(base.lin + cross(base.ang, of.x - of.carrier.X.p), pull.force) +
                             dot(base.ang, pull.moment);
        });
        if (!on_bodies) carry_inward(ws, begin, first, end, rows);
        const double unit = constraint.quantity == SubtreeQuantity::angular_momentum
                                ? constraint.mass * constraint.radius * constraint.radius
                                : constraint.mass;
        if (constraint.quantity == SubtreeQuantity::center_of_mass) {
            own.error = centre.at[k] - constraint.target[k];
            own.size = constraint.radius > 0 ? constraint.radius : 1;
            own.rounding = std::numeric_limits<double>::epsilon() * (centre.far + own.size);
        } else {
            own.base_rate -= constraint.target[k] / unit;
            own.holonomic = false;
        }
        own.part = part++;
        terms.push_back(own);
    }
}

}  // namespace lig
