#include "formulations/impulse/contact_points.h"

#include "bodies/body_list.h"
#include "formulations/impulse/pack_filling.h"
#include "formulations/impulse/tuning.h"
#include "model/collision_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr int world = -1;  // as a link
constexpr int max_colours = 64;

// By how much a shape is round beyond what turns with it, along the normal: balls and capsules, and cylinders
// that lie on their side.
double roundness(const Model& model, const MovingBodies& bodies, int geom, const Vec3d& normal) {
    const int index = model.collision->index_of[geom];
    if (index < 0) return 0;
    const CollisionShape& shape = model.collision->geoms[index].shape;
    if (shape.type == ShapeType::sphere || shape.type == ShapeType::capsule) return shape.size.x;
    if (shape.type != ShapeType::cylinder) return 0;
    const Model::Body& body = model.bodies[model.geoms[geom].body];
    const Mat3d R = bodies.link_pose(body.link).R * (body.X_LB.R * model.geoms[geom].X_BG.R);
    return std::fabs(dot(R.z, normal)) < contact_tuning.lying ? shape.size.x : 0;
}

// What a body that deforms has of a point; `local` becomes where it is at rest.
void set_side(StretchSide& side, int lane, int body, int geom, const MovingBodies& bodies, Vec3d& local) {
    const int index = bodies.inertias[body].shape;
    const Shape& shape = bodies.shapes[index];
    side.shape[lane] = index;
    side.rates[lane] = bodies.rates_at(body);
    local = shape.inverse * local;
    const bodies::Modal* const modal =
        index == 0 ? nullptr : bodies.model().deforming[index - 1].modal.get();
    if (!modal && !side.has_own) return;
    if (!side.has_own) std::fill_n(side.own, max_stretches, Vec3<Four>::zero());
    side.has_own = true;
    for (int k = 0; k < max_stretches; ++k) set_lane3(side.own[k], lane, Vec3d::zero());
    if (!modal) return;
    const bodies::Program kind{modal, geom};
    local = kind.rest(shape.coordinates, local);
    for (int k = 0; k < modal->count; ++k) {
        double unit[max_stretches] = {};
        unit[k] = 1;
        set_lane3(side.own[k], lane, kind.slip(kind.spread(unit), local));
    }
}

}  // namespace

ContactPoints::Lane ContactPoints::take_lane(int which, int a, int b, bool away,
                                             const MovingBodies& bodies) {
    PackList& list = lists_[which];
    const auto moves = [&](int body) { return body >= bodies.bases(); };
    const std::uint64_t taken = (moves(a) ? colours_[a] : 0) | (moves(b) ? colours_[b] : 0);
    const int colour = std::countr_one(taken);
    const bool alone = colour == max_colours;  // a body with this many points: each in a pack of its own
    if (!alone) {
        const std::uint64_t bit = std::uint64_t{1} << colour;
        if (moves(a)) colours_[a] |= bit;
        if (moves(b)) colours_[b] |= bit;
        int& open = list.open[away ? max_colours + colour : colour];
        if (const int pack = open; pack >= 0) {
            const int lane = list.filled[pack]++;
            if (lane == lanes - 1) open = -1;
            return {pack, lane};
        }
        open = static_cast<int>(list.packs.size());
    }
    const std::size_t count = list.packs.size() + 1;
    if (list.room.size() < count) {
        list.room.emplace_back();
        list.chosen.reserve(list.room.capacity());
        if (which >= list_count) list.stretches.resize(count);
    }
    list.packs = {list.room.data(), count};
    // What an earlier use has left in lanes that stay empty does no harm.
    ContactPack& pack = list.packs.back();
    pack.impulse = pack.tangent[0] = pack.tangent[1] = pack.restitution = pack.largest = Four(0.0);
    std::fill_n(pack.a, lanes, bodies.idle());
    std::fill_n(pack.b, lanes, bodies.idle());
    std::fill_n(pack.source, lanes, -1);
    pack.empty = Four(1.0);
    if (!list.stretches.empty())
        for (StretchSide* side : {&list.stretches[count - 1].a, &list.stretches[count - 1].b}) {
            std::fill_n(side->shape, lanes, 0);
            std::fill_n(side->rates, lanes, bodies.idle());
            side->has_own = false;
        }
    list.filled.push_back(1);
    return {static_cast<int>(list.packs.size()) - 1, 0};
}

void ContactPoints::find(const Contacts& contacts, const MovingBodies& bodies, double dt,
                         std::span<const List> lists) {
    hit_speed_ = 0;
    bounces_ = false;
    turnings_.clear();
    resting_.clear();
    colours_.assign(bodies.velocities.size(), 0);
    for (PackList& list : lists_) {
        list.packs = {};
        list.filled.clear();
        list.open.assign(2 * max_colours, -1);
    }
    for (const Manifold& manifold : contacts.manifolds) find_points(manifold, contacts, bodies, dt, lists);
}

// What the points of a manifold have in common.
struct ContactPoints::Touch {
    const ContactProperties& properties;
    int a, b;  // bodies
    double round_a, round_b;
    double with_b;  // of the way that bodies slide within a step, what the point goes with b
    ContactFrame frame;
    int geom_a, geom_b;
};

void ContactPoints::find_points(const Manifold& manifold, const Contacts& contacts,
                                const MovingBodies& bodies, double dt, std::span<const List> lists) {
    const Model& model = bodies.model();
    int link_a = model.bodies[model.geoms[manifold.geom_a].body].link;
    int link_b = model.bodies[model.geoms[manifold.geom_b].body].link;
    if (link_a < 0 && link_b < 0) return;
    for (int* link : {&link_a, &link_b})
        if (bodies.is_asleep(bodies.index(*link))) *link = world;
    if (link_a < 0 && link_b < 0) {
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c)
            resting_.push_back({c, contacts.contacts[c].impulse, contacts.contacts[c].moment_impulse});
        return;
    }
    const int a = bodies.index(link_a), b = bodies.index(link_b);
    const double round_a = roundness(model, bodies, manifold.geom_a, manifold.normal);
    const double round_b = roundness(model, bodies, manifold.geom_b, manifold.normal);
    // Where the point goes as the bodies slide along each other within a step: with the one that moves,
    // with the round one, else halfway. A point that stayed behind would turn what slides by the normal
    // impulse.
    const double with_b = link_a < 0                       ? 1
                          : link_b < 0                     ? 0
                          : (round_a > 0) == (round_b > 0) ? 0.5
                          : round_b > 0                    ? 1
                                                           : 0;
    const Touch touch{contacts.properties[manifold.properties], a, b, round_a, round_b, with_b,
                      contact_frame(manifold.normal), manifold.geom_a, manifold.geom_b};
    const List of_island = lists[link_a >= 0 ? a : b];
    const List at_hand = of_island == passing && (link_a < 0 || link_b < 0) ? footing : of_island;
    const bool deform = bodies.inertias[a].shape || bodies.inertias[b].shape;
    const int which = deform ? at_hand + list_count : at_hand;
    for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
        const Contact& contact = contacts.contacts[c];
        const Vec3d to_a = contact.on_a - bodies.places[a].x, to_b = contact.on_b - bodies.places[b].x;
        const double approach =
            dot(contact.normal, bodies.point_velocity(b, to_b, manifold.geom_b) -
                                    bodies.point_velocity(a, to_a, manifold.geom_a));
        const double gap = contact_gap(contacts, contact);
        if (link_a >= 0 && link_b >= 0 &&
            gap > dt * (contact_tuning.reach_speed + 2 * std::max(-approach, 0.0)))
            continue;
        if (gap <= -dt * approach) hit_speed_ = std::max(hit_speed_, -approach);
        add_point(contact, c, touch, approach, which, bodies);
    }
}

void ContactPoints::add_point(const Contact& contact, int source, const Touch& touch, double approach,
                              int which, const MovingBodies& bodies) {
    const ContactProperties& properties = touch.properties;
    const Place &at_a = bodies.places[touch.a], &at_b = bodies.places[touch.b];
    const Vec3d& n = contact.normal;
    const double pressing = std::max(0.0, dot(contact.impulse, n));
    const bool away = pressing == 0 && contact.distance > contact_tuning.away;
    const auto [index, lane] = take_lane(which, touch.a, touch.b, away, bodies);
    ContactPack& pack = lists_[which].packs[index];
    pack.a[lane] = touch.a;
    pack.b[lane] = touch.b;
    pack.source[lane] = source;
    pack.empty.set(lane, 0);
    pack.largest.set(lane, 0);
    set_lane3(pack.n, lane, n);
    set_lane3(pack.t1, lane, touch.frame.t1);
    set_lane3(pack.t2, lane, touch.frame.t2);
    Vec3d local_a = transpose_mul(at_a.R, contact.on_a - at_a.x - touch.round_a * n);
    Vec3d local_b = transpose_mul(at_b.R, contact.on_b - at_b.x + touch.round_b * n);
    if (which >= list_count) {
        StretchPack& beside = lists_[which].stretches[index];
        set_side(beside.a, lane, touch.a, touch.geom_a, bodies, local_a);
        set_side(beside.b, lane, touch.b, touch.geom_b, bodies, local_b);
    }
    set_lane3(pack.local_a, lane, local_a);
    set_lane3(pack.local_b, lane, local_b);
    pack.round_a.set(lane, touch.round_a);
    pack.round_b.set(lane, touch.round_b);
    pack.with_b.set(lane, touch.with_b);
    pack.offset.set(lane, properties.margin - properties.gap);
    for (int k = 0; k < 2; ++k)
        pack.friction[k].set(lane, properties.condim >= 3 ? properties.friction[k] : 0);
    pack.restitution.set(lane, properties.restitution);
    bounces_ = bounces_ || properties.restitution > 0;
    pack.approach.set(lane, approach);
    pack.impulse.set(lane, pressing);
    pack.tangent[0].set(lane, dot(contact.impulse, touch.frame.t1));
    pack.tangent[1].set(lane, dot(contact.impulse, touch.frame.t2));
    if (properties.condim < 4) return;
    const Vec3d axes[] = {n, touch.frame.t1, touch.frame.t2};
    ContactTurning& turning = turnings_.emplace_back();
    turning = {.list = which,
               .pack = index,
               .lane = lane,
               .a = touch.a,
               .b = touch.b,
               .count = properties.condim >= 6 ? 3 : 1};
    for (int k = 0; k < turning.count; ++k) {
        turning.axis[k] = axes[k];
        turning.length[k] = properties.friction[2 + k];
        turning.impulse[k] = dot(contact.moment_impulse, axes[k]);
    }
    find_turning_responses(turning, bodies);
}

void ContactPoints::find_turning_responses(ContactTurning& turning, const MovingBodies& bodies) const {
    const Sym3d sum = bodies.inertias[turning.a].inv_inertia + bodies.inertias[turning.b].inv_inertia;
    for (int k = 0; k < turning.count; ++k) {
        const double response = dot(turning.axis[k], sum * turning.axis[k]);
        // Particles do not turn.
        if (!(response > 0)) turning.length[k] = 0;
        turning.inverse[k] = response > 0 ? 1 / response : 0;
    }
}

void ContactPoints::scale(double by) {
    const Four factor(by);
    for (PackList& list : lists_)
        for (ContactPack& pack : list.packs) {
            pack.impulse *= factor;
            for (Four& tangent : pack.tangent) tangent *= factor;
        }
    for (ContactTurning& turning : turnings_)
        for (double& impulse : turning.impulse) impulse *= by;
    for (Resting& point : resting_) {
        point.impulse = by * point.impulse;
        point.moment_impulse = by * point.moment_impulse;
    }
}

double ContactPoints::prepare(MovingBodies& bodies, bool warm) {
    const BodyView view = bodies.moving();
    double deepest = 0;
    for (PackList& list : lists_)
        deepest = std::max(
            deepest, impulse_kernels().prepare_contacts(list.run(), bodies.places.data(), warm, view));
    // What bodies resist of stretching is known now.
    for (ContactTurning& turning : turnings_)
        if (turning.list >= list_count) find_turning_responses(turning, bodies);
    if (!warm) return deepest;
    for (PackList& list : lists_) impulse_kernels().warm_start_contacts(list.run(), view);
    for (const ContactTurning& turning : turnings_)
        for (int k = 0; k < turning.count; ++k) {
            view.turn(turning.b, turning.impulse[k] * turning.axis[k]);
            view.turn(turning.a, -turning.impulse[k] * turning.axis[k]);
        }
    return deepest;
}

Swept ContactPoints::sweep(List which, const ContactSettings& settings, const Give& give,
                           const Correction& correction, const BodyView& bodies, Scope scope) {
    Swept met;
    for_lists(which, [&](int k) { met.join(sweep_list(k, settings, give, correction, bodies, scope)); });
    return met;
}

Swept ContactPoints::sweep_list(int which, const ContactSettings& settings, const Give& give,
                                const Correction& correction, const BodyView& bodies, Scope scope) {
    PackList& list = lists_[which];
    Swept met;
    const auto sweep_packs = [&](int begin, int count) {
        met.join(impulse_kernels().sweep_contacts(list.run(begin, count), scope, settings, give, correction,
                                                  bodies));
    };
    if (scope == chosen)
        for_each_row(list.chosen, sweep_packs);
    else
        sweep_packs(0, static_cast<int>(list.packs.size()));
    for (ContactTurning& turning : turnings_) {
        if (turning.list != which || (scope == chosen && !turning.chosen)) continue;
        const double normal = list.packs[turning.pack].impulse[turning.lane];
        for (int k = 0; k < turning.count; ++k) {
            const Vec3d& axis = turning.axis[k];
            const double most = turning.length[k] * normal;
            const double miss = dot(axis, bodies.u[turning.b].w - bodies.u[turning.a].w);
            const double next = std::clamp(turning.impulse[k] - turning.inverse[k] * miss, -most, most);
            const double change = next - turning.impulse[k];
            turning.impulse[k] = next;
            bodies.turn(turning.b, change * axis);
            bodies.turn(turning.a, -change * axis);
        }
    }
    return met;
}

void ContactPoints::restitute(double min_bounce, const BodyView& bodies) {
    if (!bounces_) return;
    for (PackList& list : lists_) impulse_kernels().restitute(list.run(), min_bounce, bodies);
}

void ContactPoints::store(Contacts& contacts) const {
    for (Contact& contact : contacts.contacts) contact.impulse = contact.moment_impulse = Vec3d::zero();
    for (const Resting& point : resting_) {
        contacts.contacts[point.source].impulse = point.impulse;
        contacts.contacts[point.source].moment_impulse = point.moment_impulse;
    }
    for (const PackList& list : lists_)
        for (const ContactPack& pack : list.packs)
            for (int lane = 0; lane < lanes; ++lane)
                if (pack.source[lane] >= 0)
                    contacts.contacts[pack.source[lane]].impulse =
                        pack.impulse[lane] * lane3(pack.n, lane) +
                        pack.tangent[0][lane] * lane3(pack.t1, lane) +
                        pack.tangent[1][lane] * lane3(pack.t2, lane);
    for (const ContactTurning& turning : turnings_) {
        Contact& contact = contacts.contacts[lists_[turning.list].packs[turning.pack].source[turning.lane]];
        for (int k = 0; k < turning.count; ++k)
            contact.moment_impulse += turning.impulse[k] * turning.axis[k];
    }
}

}  // namespace lig::impulse
