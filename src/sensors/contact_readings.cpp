#include "sensors/contact_readings.h"

#include "collide/ray.h"
#include "model/subtree.h"
#include "sensors/site_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace lig::sensors {

namespace {

using Kind = ObjectRef::Kind;

double size_of(const Vec3d& a) { return std::sqrt(dot(a, a)); }

// A contact with what it does to body B, as forces.
struct Touch {
    int geom_a, geom_b, body_a, body_b;
    double distance;
    Vec3d point, normal;  // between the two surfaces; from A to B
    Vec3d force, moment;  // about the point
};

class Touches {
public:
    Touches(const Model& model, const SensedForces& forces)
        : model_(model),
          contacts_(*forces.contacts),
          rate_(forces.contact_time > 0 ? 1 / forces.contact_time : 0) {}

    int count() const { return static_cast<int>(contacts_.contacts.size()); }
    Touch operator[](int k) const {
        const Contact& contact = contacts_.contacts[k];
        const Manifold& manifold = contacts_.manifolds[contact.manifold];
        const Vec3d point = 0.5 * (contact.on_a + contact.on_b), force = rate_ * contact.impulse;
        return {manifold.geom_a,
                manifold.geom_b,
                model_.geoms[manifold.geom_a].body,
                model_.geoms[manifold.geom_b].body,
                contact.distance,
                point,
                contact.normal,
                force,
                rate_ * contact.moment_impulse + cross(contact.on_b - point, force)};
    }
    // What is further away than the margins was only looked at because a step might reach it.
    bool counts(int k) const {
        const Contact& contact = contacts_.contacts[k];
        const int properties = contacts_.manifolds[contact.manifold].properties;
        return contact.distance <= contacts_.properties[properties].margin ||
               (rate_ > 0 && dot(contact.impulse, contact.impulse) > 0);
    }

private:
    const Model& model_;
    const Contacts& contacts_;
    double rate_;
};

// The axes of a contact, the normal first: MuJoCo's, where shapes do not bring a tangent of their own.
struct ContactAxes {
    explicit ContactAxes(const Vec3d& normal) : x(normal) {
        const Vec3d aside = std::abs(x.y) < 0.5 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
        const Vec3d across = aside - dot(aside, x) * x;
        y = (1 / size_of(across)) * across;
        z = cross(x, y);
    }
    Vec3d in_axes(const Vec3d& a) const { return {dot(x, a), dot(y, a), dot(z, a)}; }
    Vec3d x, y, z;
};

bool is_of(const Model& model, const ObjectRef& object, int geom, int body) {
    switch (object.kind) {
        case Kind::geom: return object.index == geom;
        case Kind::body:
        case Kind::xbody: return object.index == body;
        case Kind::subtree: return body >= object.index && body < subtree_end(model, object.index);
        default: return true;  // it is not said which
    }
}

// Whether a contact is one that the sensor is about: 1 with its normal, −1 with the opposite one, 0 if not.
int match(const Model& model, const SensorSpec& spec, const Transformd& X_WS, const Touch& touch) {
    const bool in_volume = spec.site.kind == Kind::site;
    if (in_volume && !is_inside(model.sites[spec.site.index], transpose_mul(X_WS.R, touch.point - X_WS.p)))
        return 0;
    const bool first_is_a = is_of(model, spec.object, touch.geom_a, touch.body_a);
    const bool first_is_b = is_of(model, spec.object, touch.geom_b, touch.body_b);
    const bool second_is_a = is_of(model, spec.reference, touch.geom_a, touch.body_a);
    const bool second_is_b = is_of(model, spec.reference, touch.geom_b, touch.body_b);
    const bool has_first = spec.object.kind != Kind::none, has_second = spec.reference.kind != Kind::none;
    if (has_first && has_second) return first_is_a && second_is_b ? 1 : first_is_b && second_is_a ? -1
                                                                                                  : 0;
    if (!(first_is_a || first_is_b) || !(second_is_a || second_is_b)) return 0;
    if (has_first) return first_is_a ? 1 : -1;
    if (has_second) return second_is_b ? 1 : -1;
    return 1;
}

void put(const Vec3d& a, double*& out) {
    for (int k = 0; k < 3; ++k) *out++ = a[k];
}

struct Slot {
    double found = 0, distance = 0;
    Vec3d force{0, 0, 0}, moment{0, 0, 0}, point{0, 0, 0}, normal{0, 0, 0}, tangent{0, 0, 0};

    double* write(const SensorSpec& spec, double* out) const {
        for (const std::string_view field : spec.data) {
            if (field == "found") *out++ = found;
            if (field == "force") put(force, out);
            if (field == "torque") put(moment, out);
            if (field == "dist") *out++ = distance;
            if (field == "pos") put(point, out);
            if (field == "normal") put(normal, out);
            if (field == "tangent") put(tangent, out);
        }
        return out;
    }
};

// Turned half about its last axis, where the contact is seen from B: forces are then those on A.
Slot slot_of(const Touch& touch, bool flipped, std::size_t found) {
    const ContactAxes axes(touch.normal);
    Slot slot{.found = static_cast<double>(found), .distance = touch.distance};
    slot.force = axes.in_axes(touch.force);
    slot.moment = axes.in_axes(touch.moment);
    slot.point = touch.point;
    slot.normal = axes.x;
    slot.tangent = axes.y;
    if (!flipped) return slot;
    slot.force.z = -slot.force.z;
    slot.moment.z = -slot.moment.z;
    slot.normal = -slot.normal;
    slot.tangent = -slot.tangent;
    return slot;
}

// The sum of all, in world axes, about the mean of their points with the weight of their forces.
Slot net_slot(const Touches& touches, const std::vector<MatchedContact>& matched) {
    Slot slot{.found = static_cast<double>(matched.size())};
    slot.normal = {1, 0, 0};
    slot.tangent = {0, 1, 0};
    double weight = 0;
    for (const MatchedContact& m : matched) {
        const Touch touch = touches[m.contact];
        slot.point += size_of(touch.force) * touch.point;
        weight += size_of(touch.force);
    }
    slot.point = weight > 0 ? (1 / weight) * slot.point : Vec3d{0, 0, 0};
    for (const MatchedContact& m : matched) {
        const Touch touch = touches[m.contact];
        const double sign = m.flipped ? -1 : 1;
        slot.force += sign * touch.force;
        slot.moment += sign * (touch.moment + cross(touch.point - slot.point, touch.force));
    }
    return slot;
}

}  // namespace

double touch_reading(const Model& model, const SensedForces& forces, const SensorSpec& spec,
                     const Transformd& X_WS) {
    const Model::Site& site = model.sites[spec.object.index];
    const CollisionShape volume{.type = site.spec.shape, .size = site.spec.size};
    const Touches touches(model, forces);
    double sum = 0;
    for (int k = 0; k < touches.count(); ++k) {
        const Touch touch = touches[k];
        if (touch.body_a != site.body && touch.body_b != site.body) continue;
        const double pressure = dot(touch.normal, touch.force);
        if (!(pressure > 0)) continue;
        const Vec3d outward = touch.body_b == site.body ? -touch.normal : touch.normal;
        if (is_inside(site, transpose_mul(X_WS.R, touch.point - X_WS.p)) ||
            collide::ray_shape({&volume, X_WS}, {touch.point, outward, std::numeric_limits<double>::max()}))
            sum += pressure;
    }
    return sum;
}

void contact_reading(const Model& model, const SensedForces& forces, const SensorSpec& spec,
                     const Transformd& X_WS, std::vector<MatchedContact>& matched, std::span<double> out) {
    const Touches touches(model, forces);
    matched.clear();
    for (int k = 0; k < touches.count(); ++k) {
        if (!touches.counts(k)) continue;
        const Touch touch = touches[k];
        const int side = match(model, spec, X_WS, touch);
        if (side == 0) continue;
        const double criterion = spec.reduce == "mindist"    ? touch.distance
                                 : spec.reduce == "maxforce" ? -dot(touch.force, touch.force)
                                                             : 0;
        matched.push_back({k, side < 0, criterion});
    }
    std::fill(out.begin(), out.end(), 0.0);
    if (spec.reduce == "netforce") {
        net_slot(touches, matched).write(spec, out.data());
        return;
    }
    std::sort(matched.begin(), matched.end(), [](const MatchedContact& a, const MatchedContact& b) {
        return a.criterion < b.criterion || (a.criterion == b.criterion && a.contact < b.contact);
    });
    const std::size_t slots = std::min<std::size_t>(spec.count, matched.size());
    double* next = out.data();
    for (std::size_t s = 0; s < slots; ++s)
        next = slot_of(touches[matched[s].contact], matched[s].flipped, matched.size()).write(spec, next);
}

}  // namespace lig::sensors
