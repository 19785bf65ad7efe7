#include "formulations/impulse/contact_points.h"

#include "model/collision_model.h"
#include "shapes/shape_list.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

LIG_INLINE Vec3d scaled(const Vec3d& by, const Vec3d& v) { return {by.x * v.x, by.y * v.y, by.z * v.z}; }

// What unit impulses along n, t1 and t2 do to each other.
void find_responses(const Inertia& a, const Inertia& b, ContactPoint& point) {
    const Vec3d dirs[3] = {point.n, point.t1, point.t2};
    Vec3d ang_a[3], ang_b[3], by_a[3], by_b[3], by_lin[3];
    for (int k = 0; k < 3; ++k) {
        ang_a[k] = cross(point.arm_a, dirs[k]);
        ang_b[k] = cross(point.arm_b, dirs[k]);
        by_a[k] = a.inv_inertia * ang_a[k];
        by_b[k] = b.inv_inertia * ang_b[k];
        by_lin[k] = scaled(a.inv_mass + b.inv_mass, dirs[k]);
    }
    const auto k_of = [&](int i, int j) {
        return dot(by_lin[i], dirs[j]) + dot(by_a[i], ang_a[j]) + dot(by_b[i], ang_b[j]);
    };
    point.nn = k_of(0, 0);
    point.inv_nn = 1 / point.nn;
    point.n1 = k_of(0, 1);
    point.n2 = k_of(0, 2);
    const double k11 = k_of(1, 1), k12 = k_of(1, 2), k22 = k_of(2, 2);
    const double inverse = 1 / (k11 * k22 - k12 * k12);
    point.i11 = inverse * k22;
    point.i12 = -inverse * k12;
    point.i22 = inverse * k11;
}

// By how much a shape is round beyond what turns with it.
double roundness(const CollisionModel& model, int geom) {
    const int index = model.index_of[geom];
    if (index < 0) return 0;
    const CollisionShape& shape = model.geoms[index].shape;
    return shape.type == ShapeType::sphere || shape.type == ShapeType::capsule ? shape.size.x : 0;
}

}  // namespace

void ContactPoints::find(const Contacts& contacts, const MovingBodies& bodies, double dt, double share) {
    points.clear();
    turnings.clear();
    const Model& model = bodies.model();
    for (const Manifold& manifold : contacts.manifolds) {
        const ContactProperties& properties = contacts.properties[manifold.properties];
        const int link_a = model.bodies[model.geoms[manifold.geom_a].body].link;
        const int link_b = model.bodies[model.geoms[manifold.geom_b].body].link;
        if (link_a < 0 && link_b < 0) continue;
        const int ia = bodies.index(link_a), ib = bodies.index(link_b);
        const Inertia &a = bodies.inertias[ia], &b = bodies.inertias[ib];
        const Velocity &u_a = bodies.velocities[ia], &u_b = bodies.velocities[ib];
        const Place &at_a = bodies.places[ia], &at_b = bodies.places[ib];
        const double round_a = roundness(*model.collision, manifold.geom_a);
        const double round_b = roundness(*model.collision, manifold.geom_b);
        const ContactFrame frame = contact_frame(manifold.normal);
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
            const Contact& contact = contacts.contacts[c];
            ContactPoint point;
            // Both get their impulses at one point, so that angular momentum is kept.
            const Vec3d middle = 0.5 * (contact.on_a + contact.on_b);
            point.arm_a = middle - at_a.x;
            point.arm_b = middle - at_b.x;
            point.n = contact.normal;
            const Vec3d between = (u_b.v + cross(u_b.w, point.arm_b)) - (u_a.v + cross(u_a.w, point.arm_a));
            point.approach = dot(point.n, between);
            point.offset = properties.margin - properties.gap;
            point.gap = contact.distance - point.offset;
            point.a = ia;
            point.b = ib;
            point.source = c;
            point.turning = -1;
            point.t1 = frame.t1;
            point.t2 = frame.t2;
            point.round_a = round_a;
            point.round_b = round_b;
            point.local_a = transpose_mul(at_a.R, contact.on_a - at_a.x - round_a * point.n);
            point.local_b = transpose_mul(at_b.R, contact.on_b - at_b.x + round_b * point.n);
            const bool slides = properties.condim >= 3;
            point.friction[0] = slides ? properties.friction[0] : 0;
            point.friction[1] = slides ? properties.friction[1] : 0;
            point.restitution = properties.restitution;
            const Vec3d dirs[3] = {point.n, point.t1, point.t2};
            point.impulse = share * std::max(0.0, dot(contact.impulse, point.n));
            point.tangent[0] = share * dot(contact.impulse, point.t1);
            point.tangent[1] = share * dot(contact.impulse, point.t2);
            point.largest = 0;
            if (properties.condim >= 4) {
                const int count = properties.condim >= 6 ? 3 : 1;
                ContactTurning turning;
                turning.count = count;
                for (int k = 0; k < count; ++k) {
                    turning.axis[k] = dirs[k];
                    turning.length[k] = properties.friction[2 + k];
                    turning.inverse[k] = 1 / (dot(dirs[k], a.inv_inertia * dirs[k]) +
                                              dot(dirs[k], b.inv_inertia * dirs[k]));
                    turning.impulse[k] = share * dot(contact.moment_impulse, dirs[k]);
                }
                point.turning = static_cast<int>(turnings.size());
                turnings.push_back(turning);
            }
            points.push_back(point);
        }
    }
    (void)dt;
}

void ContactPoints::look(const MovingBodies& bodies) {
    for (ContactPoint& point : points) {
        const Place &a = bodies.places[point.a], &b = bodies.places[point.b];
        // Seen from a: the witnesses on both.
        const Vec3d on_a = a.R * point.local_a + point.round_a * point.n;
        const Vec3d on_b = (b.x - a.x) + (b.R * point.local_b - point.round_b * point.n);
        point.arm_a = 0.5 * (on_a + on_b);
        point.arm_b = point.arm_a - (b.x - a.x);
        point.gap = dot(point.n, on_b - on_a) - point.offset;
        point.correction = 0;
        find_responses(bodies.inertias[point.a], bodies.inertias[point.b], point);
    }
}

void ContactPoints::warm_start(const BodyView& bodies) const {
    for (const ContactPoint& point : points) {
        const Vec3d impulse =
            point.impulse * point.n + point.tangent[0] * point.t1 + point.tangent[1] * point.t2;
        bodies.push_at(point.b, impulse, point.arm_b);
        bodies.push_at(point.a, -impulse, point.arm_a);
        if (point.turning < 0) continue;
        const ContactTurning& turning = turnings[point.turning];
        for (int k = 0; k < turning.count; ++k) {
            bodies.turn(point.b, turning.impulse[k] * turning.axis[k]);
            bodies.turn(point.a, -turning.impulse[k] * turning.axis[k]);
        }
    }
}

namespace {

void sweep_turning(ContactTurning& turning, double normal, int a, int b, const BodyView& bodies) {
    for (int k = 0; k < turning.count; ++k) {
        const Vec3d& axis = turning.axis[k];
        const double most = turning.length[k] * normal;
        const double wanted =
            turning.impulse[k] - turning.inverse[k] * dot(axis, bodies.u[b].w - bodies.u[a].w);
        const double next = std::clamp(wanted, -most, most);
        const double change = next - turning.impulse[k];
        turning.impulse[k] = next;
        bodies.turn(b, change * axis);
        bodies.turn(a, -change * axis);
    }
}

}  // namespace

double ContactPoints::sweep(const ContactSettings& settings, const Give& soft, const BodyView& bodies) {
    double largest = 0;
    for (ContactPoint& point : points) {
        const Vec3d between =
            bodies.velocity_at(point.b, point.arm_b) - bodies.velocity_at(point.a, point.arm_a);
        const bool open = point.gap > 0;
        double bias = point.gap / settings.h;
        if (!open)
            bias = std::max(soft.bias_rate * std::min(point.gap + settings.slop, 0.0), -settings.fastest);
        if (settings.bounce && point.approach < -settings.least_bounce)
            bias += point.restitution * point.approach;
        double change = -point.inv_nn * (dot(point.n, between) + bias);
        if (!open) change = soft.mass_scale * change - soft.impulse_scale * point.impulse;
        const double next = settings.accumulated ? std::max(point.impulse + change, 0.0)
                                                 : point.impulse + std::max(change, 0.0);
        change = next - point.impulse;
        point.impulse = next;
        point.largest = std::max(point.largest, next);
        largest = std::max(largest, std::fabs(change) * point.nn);
        Vec3d impulse = change * point.n;
        if (point.friction[0] > 0) {
            const double v1 = dot(point.t1, between) + point.n1 * change;
            const double v2 = dot(point.t2, between) + point.n2 * change;
            double t1 = point.tangent[0] - (point.i11 * v1 + point.i12 * v2);
            double t2 = point.tangent[1] - (point.i12 * v1 + point.i22 * v2);
            const double m1 = point.friction[0] * next, m2 = point.friction[1] * next;
            if (settings.per_axis) {
                t1 = std::clamp(t1, -m1, m1);
                t2 = std::clamp(t2, -m2, m2);
            } else {
                const double s1 = t1 * m2, s2 = t2 * m1, most = m1 * m2;
                const double size = s1 * s1 + s2 * s2;
                if (size > most * most) {
                    const double scale = most / std::sqrt(size);
                    t1 *= scale;
                    t2 *= scale;
                }
            }
            impulse += (t1 - point.tangent[0]) * point.t1 + (t2 - point.tangent[1]) * point.t2;
            point.tangent[0] = t1;
            point.tangent[1] = t2;
        }
        bodies.push_at(point.b, impulse, point.arm_b);
        bodies.push_at(point.a, -impulse, point.arm_a);
        if (point.turning >= 0) sweep_turning(turnings[point.turning], next, point.a, point.b, bodies);
    }
    return largest;
}

void ContactPoints::correct(double rate, const ContactSettings& settings, const BodyView& corrections) {
    for (ContactPoint& point : points) {
        const double miss =
            dot(point.n, corrections.velocity_at(point.b, point.arm_b) -
                             corrections.velocity_at(point.a, point.arm_a)) +
            std::max(rate * (point.gap + settings.slop), -settings.fastest);
        const double next = std::max(point.correction - point.inv_nn * miss, 0.0);
        const Vec3d impulse = (next - point.correction) * point.n;
        point.correction = next;
        corrections.push_at(point.b, impulse, point.arm_b);
        corrections.push_at(point.a, -impulse, point.arm_a);
    }
}

void ContactPoints::restitute(double threshold, const BodyView& bodies) {
    for (ContactPoint& point : points) {
        if (!(point.restitution > 0) || point.approach > -threshold || !(point.largest > 0)) continue;
        const Vec3d between =
            bodies.velocity_at(point.b, point.arm_b) - bodies.velocity_at(point.a, point.arm_a);
        const double miss = dot(point.n, between) + point.restitution * point.approach;
        const double next = std::max(point.impulse - point.inv_nn * miss, 0.0);
        const Vec3d impulse = (next - point.impulse) * point.n;
        point.impulse = next;
        bodies.push_at(point.b, impulse, point.arm_b);
        bodies.push_at(point.a, -impulse, point.arm_a);
    }
}

void ContactPoints::store(Contacts& contacts) const {
    for (Contact& contact : contacts.contacts) contact.impulse = contact.moment_impulse = Vec3d::zero();
    for (const ContactPoint& point : points) {
        Contact& contact = contacts.contacts[point.source];
        contact.impulse = point.impulse * point.n + point.tangent[0] * point.t1 + point.tangent[1] * point.t2;
        if (point.turning < 0) continue;
        const ContactTurning& turning = turnings[point.turning];
        for (int k = 0; k < turning.count; ++k)
            contact.moment_impulse += turning.impulse[k] * turning.axis[k];
    }
}

double ContactPoints::deepest() const {
    double deepest = 0;
    for (const ContactPoint& point : points) deepest = std::max(deepest, -point.gap);
    return deepest;
}

}  // namespace lig::impulse
