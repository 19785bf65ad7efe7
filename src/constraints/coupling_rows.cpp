#include "constraints/coupling_rows.h"

#include "constraints/length_row.h"
#include "constraints/stretch_entries.h"
#include "dynamics/tendon_acceleration.h"
#include "dynamics/tendon_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

namespace {

// P and its derivatives.
struct Polynomial {
    Polynomial(const std::array<double, 5>& c, double x) {
        for (int k = 4; k >= 0; --k) {
            second = second * x + 2 * first;
            first = first * x + value;
            value = value * x + c[k];
        }
    }
    double value = 0, first = 0, second = 0;
};

Vec3d direction(const Vec3d& from, const Vec3d& to) {
    const Vec3d d = to - from;
    const double length = std::sqrt(dot(d, d));
    return length > 0 ? (1 / length) * d : Vec3d::zero();
}

// A point's motion seen from a carrier that moves itself, in the carrier's axes.
PointMotion<double> seen_from(const Workspace<double>& ws, int link, const PointMotion<double>& point) {
    const Transformd& X = carrier_pose(ws, link);
    const Motion<double>& V = carrier_velocity(ws, link);
    const Motion<double>& a = link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
    const Vec3d arm = point.p - X.p;
    const Vec3d velocity = point.velocity - V.lin - cross(V.ang, arm);
    const Vec3d acceleration = point.acceleration - a.lin - cross(a.ang, arm) -
                               cross(V.ang, cross(V.ang, arm)) - 2 * cross(V.ang, velocity);
    return {transpose_mul(X.R, arm), transpose_mul(X.R, velocity), transpose_mul(X.R, acceleration)};
}

// The length of a path around an obstacle, seen from the obstacle: with d₁ the direction in which the path
// leaves p and d₂ that in which it arrives at q, both at the touching points of the shortest path, l̇ = d₂ ·
// q̇ − d₁ · ṗ, whatever the touching points do. So l̈ = d₂ · q̈ − d₁ · p̈ + ḋ₂ · q̇ − ḋ₁ · ṗ.
double wrapped_acceleration(const Workspace<double>& ws, int from, const Model::TendonPoint& stop, int to) {
    const Model& model = ws.model();
    const Model::Geom& geom = model.geoms[stop.geom];
    const Model::Body& body = model.bodies[geom.body];
    const PointMotion<double> p = seen_from(ws, body.link, site_motion(ws, from));
    const PointMotion<double> q = seen_from(ws, body.link, site_motion(ws, to));
    const WrapObstacle<double> obstacle{body.X_LB * geom.X_BG, geom.spec.size.x,
                                        geom.spec.shape == ShapeType::cylinder};
    Vec3d side = Vec3d::zero();
    if (stop.side_site >= 0) side = carrier_pose(ws, body.link).inverse() * site_position(ws, stop.side_site);
    struct Ends {
        Vec3d first, last;
    };
    // Where the ends point to a time t later, if the sites went on with their velocities.
    const auto ends_at = [&](double t) -> Ends {
        const Vec3d a = p.p + t * p.velocity, b = q.p + t * q.velocity;
        const WrapPath<double> path = wrap_path(obstacle, a, b, stop.side_site >= 0 ? &side : nullptr);
        if (!path.wraps) return {direction(a, b), direction(a, b)};
        return {direction(a, path.first), direction(path.last, b)};
    };
    const auto rate = [&](const Ends& ends) {
        return dot(ends.last, q.velocity) - dot(ends.first, p.velocity);
    };
    const Ends now = ends_at(0);
    const double smooth = dot(now.last, q.acceleration) - dot(now.first, p.acceleration);
    const double speed = std::sqrt(dot(p.velocity, p.velocity)) + std::sqrt(dot(q.velocity, q.velocity));
    if (!(speed > 0)) return smooth;
    // Central differences of fourth order: the error is (10⁻³)⁴ of the obstacle's size, rounding 10⁻¹³.
    const double t = 1e-3 * obstacle.radius / speed;
    const double near = rate(ends_at(t)) - rate(ends_at(-t)),
                 far = rate(ends_at(2 * t)) - rate(ends_at(-2 * t));
    return smooth + (8 * near - far) / (12 * t);
}

// A length by which a tendon is wholly another one: its own, or that of one radian or metre at each of the
// joints that a fixed one goes with, whose length may well be 0.
double size_of(const JointState<double>& state, const Model& model, const Model::Tendon& tendon,
               double length) {
    if (tendon.term_count == 0) return std::abs(length) + std::abs(tendon.length0);
    double sum = 0;
    for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
        const Model::TendonTerm& term = model.tendon_terms[k];
        const double q = term.loop < 0 ? state.q[term.q_adr] : 0;
        sum += std::abs(term.coefficient) * (1 + std::abs(q));
    }
    return sum;
}

// The length of a tendon, counted from the reference configuration; its velocity, and what the motion of the
// bases has added to that.
struct TendonMotion {
    double length, velocity, by_base;
};

// The derivative of a tendon's length becomes part of the last row: on the freedoms, …
TendonMotion add_on_joints(const JointState<double>& state, const Model& model,
                           const DriveWorkspace<double>& drives, int index, Rows& rows) {
    const Model::Row& row = model.tendons[index].row;
    add_length_entries(model, drives, row, 1, rows);
    const double velocity = drives.tendon_velocity[index];
    return {drives.tendon_length[index], velocity, velocity - speed_by_joints(state, model, drives, row)};
}

// … or on the bodies.
TendonMotion add_on_bodies(const JointState<double>& state, const Workspace<double>& ws, int index,
                           Rows& rows) {
    const Model& model = ws.model();
    const Model::Tendon& tendon = model.tendons[index];
    TendonMotion out{0, 0, 0};
    const auto pull = [&](int link, int, const PointForce<double>& f) {
        const Motion<double>& V = carrier_velocity(ws, link);
        Vec3d at_point = shift(V, f.at - carrier_pose(ws, link).p).lin;
        if (stretch_of(ws, link)) {
            const Vec3d rest = rest_place(ws, link, f.at);
            at_point += carrier_pose(ws, link).R * slip_of(ws, link, rest);
            add_stretch_entries(ws, link, f.force, rest, rows);
        }
        const double speed = dot(at_point, f.force) + dot(V.ang, f.moment);
        out.velocity += speed;
        if (link >= 0)
            rows.add_pull({link, f.at, f.force, f.moment});
        else
            out.by_base += speed;
    };
    for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
        const Model::TendonTerm& term = model.tendon_terms[k];
        if (term.loop >= 0) {
            out.length += term.coefficient * add_loop_term(state, ws, term, pull);
            continue;
        }
        rows.add_entry(term.v_adr, term.coefficient);
        out.length += term.coefficient * state.q[term.q_adr];
        out.velocity += term.coefficient * state.v[term.v_adr];
    }
    if (tendon.point_count > 0) out.length = spatial_length(ws, tendon, pull);
    return out;
}

}  // namespace

double tendon_acceleration(const Workspace<double>& ws, int tendon) {
    double sum = loop_accelerations(ws, ws.model().tendons[tendon]);
    for_each_piece(ws.model(), ws.model().tendons[tendon],
                   [&](int from, const Model::TendonPoint* obstacle, int to, double divisor) {
                       sum += (obstacle ? wrapped_acceleration(ws, from, *obstacle, to)
                                        : distance_acceleration(ws, from, to)) /
                              divisor;
                   });
    return sum;
}

void add_coupling(const JointState<double>& state, const Model& model, int index, Rows& rows,
                  std::vector<EqualityTerms>& terms) {
    const Model::Coupling& coupling = model.couplings[index];
    const Model::Joint& follower = model.joints[coupling.follower];
    rows.begin_block(RowKind::coupling, index);
    rows.add_row().lo = -HUGE_VAL;
    rows.add_entry(follower.v_adr, 1);
    EqualityTerms own;
    if (coupling.leader < 0) {
        own.error = state.q[follower.q_adr] - coupling.coefficients[0];
    } else {
        const Model::Joint& leader = model.joints[coupling.leader];
        const Polynomial P(coupling.coefficients, state.q[leader.q_adr] - leader.reference);
        const double speed = state.v[leader.v_adr];
        rows.add_entry(leader.v_adr, -P.first);
        own.error = state.q[follower.q_adr] - P.value;
        own.product = -P.second * speed * speed;
    }
    own.size = 1 + std::abs(state.q[follower.q_adr]);
    own.rounding = std::numeric_limits<double>::epsilon() * own.size;
    terms.push_back(own);
}

void add_tendon_coupling(const JointState<double>& state, const Workspace<double>& ws,
                         const DriveWorkspace<double>* drives, int index, bool with_products, Rows& rows,
                         std::vector<EqualityTerms>& terms) {
    const Model& model = ws.model();
    const Model::TendonCoupling& coupling = model.tendon_couplings[index];
    const Model::Tendon& follower = model.tendons[coupling.follower];
    const auto add = [&](int tendon) {
        return drives ? add_on_joints(state, model, *drives, tendon, rows)
                      : add_on_bodies(state, ws, tendon, rows);
    };
    rows.begin_block(RowKind::tendon_coupling, index);
    rows.add_row().lo = -HUGE_VAL;
    const TendonMotion own = add(coupling.follower);
    EqualityTerms out;
    out.error = own.length - follower.length0;
    out.base_rate = own.by_base;
    out.product = with_products ? tendon_acceleration(ws, coupling.follower) : 0;
    out.size = size_of(state, model, follower, own.length);
    out.rounding = std::numeric_limits<double>::epsilon() * out.size;
    if (coupling.leader < 0) {
        out.error -= coupling.coefficients[0];
    } else {
        const std::size_t entries = rows.entries.size(), pulls = rows.pulls.size();
        const TendonMotion other = add(coupling.leader);
        const Polynomial P(coupling.coefficients, other.length - model.tendons[coupling.leader].length0);
        for (std::size_t e = entries; e < rows.entries.size(); ++e) rows.entries[e].value *= -P.first;
        for (std::size_t p = pulls; p < rows.pulls.size(); ++p) {
            rows.pulls[p].force = -P.first * rows.pulls[p].force;
            rows.pulls[p].moment = -P.first * rows.pulls[p].moment;
        }
        out.error -= P.value;
        out.base_rate -= P.first * other.by_base;
        if (with_products)
            out.product -= P.first * tendon_acceleration(ws, coupling.leader) +
                           P.second * other.velocity * other.velocity;
    }
    terms.push_back(out);
}

}  // namespace lig
