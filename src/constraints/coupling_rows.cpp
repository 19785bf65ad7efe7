#include "constraints/coupling_rows.h"

#include "dynamics/tendon_acceleration.h"
#include "dynamics/tendon_wrap.h"

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

double row_velocity(const Model& model, const DriveWorkspace<double>& drives, const Model::Row& row,
                    const std::vector<double>& v) {
    double sum = 0;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        sum += drives.row_entries[k] * v[model.row_velocities[k]];
    return sum;
}

// A length by which a tendon is wholly another one: its own, or that of one radian or metre at each of the
// joints that a fixed one goes with, whose length may well be 0.
double size_of(const JointState<double>& state, const Model& model, const DriveWorkspace<double>& drives,
               int index) {
    const Model::Tendon& tendon = model.tendons[index];
    if (tendon.term_count == 0) return std::abs(drives.tendon_length[index]) + std::abs(tendon.length0);
    double sum = 0;
    for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
        const Model::TendonTerm& term = model.tendon_terms[k];
        sum += std::abs(term.coefficient) * (1 + std::abs(state.q[term.q_adr]));
    }
    return sum;
}

void add_entries(const Model& model, const DriveWorkspace<double>& drives, const Model::Row& row,
                 double factor, Rows& rows) {
    for (int k = row.begin; k < row.begin + row.count; ++k)
        rows.add_entry(model.row_velocities[k], factor * drives.row_entries[k]);
}

}  // namespace

double tendon_acceleration(const Workspace<double>& ws, int tendon) {
    double sum = 0;
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
                         const DriveWorkspace<double>& drives, int index, bool with_products, Rows& rows,
                         std::vector<EqualityTerms>& terms) {
    const Model& model = ws.model();
    const Model::TendonCoupling& coupling = model.tendon_couplings[index];
    const Model::Tendon& follower = model.tendons[coupling.follower];
    // What the motion of the bases adds to the velocity of a length.
    const auto by_base = [&](int tendon) {
        return drives.tendon_velocity[tendon] -
               row_velocity(model, drives, model.tendons[tendon].row, state.v);
    };
    const double own_length = drives.tendon_length[coupling.follower];
    rows.begin_block(RowKind::tendon_coupling, index);
    rows.add_row().lo = -HUGE_VAL;
    add_entries(model, drives, follower.row, 1, rows);
    EqualityTerms own;
    own.error = own_length - follower.length0;
    own.base_rate = by_base(coupling.follower);
    own.product = with_products ? tendon_acceleration(ws, coupling.follower) : 0;
    own.size = size_of(state, model, drives, coupling.follower);
    own.rounding = std::numeric_limits<double>::epsilon() * own.size;
    if (coupling.leader < 0) {
        own.error -= coupling.coefficients[0];
    } else {
        const Model::Tendon& leader = model.tendons[coupling.leader];
        const Polynomial P(coupling.coefficients, drives.tendon_length[coupling.leader] - leader.length0);
        const double speed = drives.tendon_velocity[coupling.leader];
        add_entries(model, drives, leader.row, -P.first, rows);
        own.error -= P.value;
        own.base_rate -= P.first * by_base(coupling.leader);
        if (with_products)
            own.product -= P.first * tendon_acceleration(ws, coupling.leader) + P.second * speed * speed;
    }
    terms.push_back(own);
}

}  // namespace lig
