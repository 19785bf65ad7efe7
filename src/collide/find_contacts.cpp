// Finding contacts: place the geoms, find near pairs, look at each pair, and match what is found with the
// contacts of the last call.
//
// Pairs are looked at in pieces by whoever is free, but put together in rising order of the geoms. So the
// order, like everything else in the result, is the same for any number of threads and whatever the boxes
// were before.

#include "bodies/modal.h"
#include "collide/workspace.h"
#include "core/make_room.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

namespace lig {

using namespace collide;

namespace {

using Inside = CollisionWorkspace::Inside;

// What is within this of the margin, relative to the size of the smaller geom, counts as within: of the
// corners of a box that just touches the floor, rounding would otherwise choose some.
constexpr double rounding = 1e-9;

constexpr int placing_grain = 256, pair_grain = 128;

// Planes and surfaces leave it to the other geom.
double smallest_extent(const CollisionShape& shape) {
    if (!is_convex(shape.type)) return std::numeric_limits<double>::infinity();
    const Bounds box = bounds(shape, Transformd::identity());
    const Vec3d extent = box.upper - box.lower;
    return std::min({extent.x, extent.y, extent.z});
}

bool finite(const Transformd& X) {
    // One sum instead of twelve questions: it is finite only if every part is, up to overflow, which a pose
    // of such size deserves as well.
    const Vec3d sum = X.p + X.R.x + X.R.y + X.R.z;
    return std::isfinite(sum.x + sum.y + sum.z);
}

void check_poses(std::span<const Transformd> X_WB, const Model& model) {
    if (X_WB.size() != model.bodies.size())
        throw std::invalid_argument("lig::find_contacts: " + std::to_string(X_WB.size()) +
                                    " poses for a model of " + std::to_string(model.bodies.size()) +
                                    " bodies");
    for (std::size_t body = 0; body < X_WB.size(); ++body)
        if (!finite(X_WB[body]))
            throw std::invalid_argument("lig::find_contacts: the pose of body '" + model.bodies[body].name +
                                        "' (" + std::to_string(body) + ") is not finite");
}

// How far beyond its margin a geom is to find others.
double reach_of(const CollisionOptions& options, const CollisionModel::Geom& geom) {
    return 0.5 * options.speculative_distance + (options.reach.empty() ? 0.0 : options.reach[geom.body]);
}

// The shape and place of a geom on a body that is stretched by S, in the axes of the body; of a program's
// kind, by the linear map at the geom.
void stretch(const Transformd& X_WB, const Sym3d& S, Inside& in, int k) {
    const CollisionModel::Geom& geom = in.model.geoms[k];
    HullGeometry& out = in.stretched[in.stretched_of[k]];
    if (geom.modal) {
        const bodies::Modal::Field& field = *geom.modal->field(geom.geom);
        in.placed[k].X_WG.p = X_WB * geom.modal->centre_of(field, &S.xx);
        const Mat3d& R = geom.X_BG.R;
        stretch_hull(*geom.shape.hull, transpose(R) * geom.modal->map_of(field, &S.xx) * R, out);
        return;
    }
    in.placed[k].X_WG.p = X_WB * (S * geom.X_BG.p);
    stretch_hull(*geom.shape.hull, rotate(transpose(geom.X_BG.R), S), out);
}

void place_geoms(std::span<const Transformd> X_WB, const CollisionOptions& options, Inside& in) {
    const int count = static_cast<int>(in.placed.size());
    in.parallel.for_chunks(count, placing_grain, [&](int begin, int end, int, int) {
        for (int k = begin; k < end; ++k) {
            const CollisionModel::Geom& geom = in.model.geoms[k];
            if (!geom.moves && in.started) continue;
            PlacedShape& placed = in.placed[k];
            placed.X_WG = X_WB[geom.body] * geom.X_BG;
            if (geom.deforms >= 0 && !options.stretches.empty())
                stretch(X_WB[geom.body], options.stretches[geom.deforms].S, in, k);
            in.shape_bounds[k] = bounds(*placed.shape, placed.X_WG);
        }
        for (int k = begin; k < end; ++k) {
            in.grown[k] = in.model.geoms[k].margin + reach_of(options, in.model.geoms[k]) +
                          (std::isfinite(in.tolerance[k]) ? in.tolerance[k] : 0);
            in.tight[k] = FloatBox::around(in.shape_bounds[k].grown(in.grown[k]));
        }
    });
    in.started = true;
}

void look_up_properties(Inside& in, Contacts& contacts) {
    for (GeomPair& pair : in.broad.pairs())
        if (pair.properties < 0)
            pair.properties = in.properties.find(in.model, pair.a, pair.b, contacts.properties);
}

// Appends what a pair has to the findings of a worker.
void take(const GeomPair& pair, const ContactProperties& properties, double tolerance,
          const std::vector<int>& geom_of, Inside::Found& found) {
    std::vector<PairManifold>& manifolds = found.pair.manifolds;
    for (std::size_t k = 1; k < manifolds.size(); ++k)  // few, and mostly one
        for (std::size_t j = k; j > 0 && manifolds[j].part < manifolds[j - 1].part; --j)
            std::swap(manifolds[j], manifolds[j - 1]);
    const double acting = properties.margin - properties.gap + tolerance;
    for (const PairManifold& from : manifolds) {
        Manifold to{.geom_a = geom_of[pair.a],
                    .geom_b = geom_of[pair.b],
                    .part = from.part,
                    .begin = static_cast<int>(found.contacts.size()),
                    .count = from.count,
                    .properties = pair.properties,
                    .active = false,
                    .normal = from.normal};
        for (int k = 0; k < from.count; ++k) {
            const ManifoldPoint& point = from.points[k];
            to.active = to.active || point.distance <= acting;
            found.contacts.push_back({.on_a = point.on_a,
                                      .on_b = point.on_b,
                                      .normal = from.normal,
                                      .distance = point.distance,
                                      .feature = point.feature,
                                      .manifold = static_cast<int>(found.manifolds.size()),
                                      .previous = -1,
                                      .impulse = Vec3d::zero(),
                                      .moment_impulse = Vec3d::zero()});
        }
        found.manifolds.push_back(to);
    }
}

void look_at_pairs(const CollisionOptions& options, const std::vector<ContactProperties>& properties,
                   Inside& in) {
    const std::span<const GeomPair> pairs = in.broad.pairs();
    const int count = static_cast<int>(pairs.size());
    in.found.resize(std::max<std::size_t>(in.found.size(), in.parallel.threads()));
    for (Inside::Found& found : in.found) {
        found.contacts.clear();
        found.manifolds.clear();
    }
    in.chunks.resize((count + pair_grain - 1) / pair_grain);
    in.parallel.for_chunks(count, pair_grain, [&](int begin, int end, int chunk, int worker) {
        Inside::Found& found = in.found[worker];
        const std::size_t contact_begin = found.contacts.size(), manifold_begin = found.manifolds.size();
        for (int k = begin; k < end; ++k) {
            const GeomPair& pair = pairs[k];
            if (!overlap(in.tight[pair.a], in.tight[pair.b])) continue;
            const ContactProperties& p = properties[pair.properties];
            found.pair.manifolds.clear();
            const double tolerance = std::min(in.tolerance[pair.a], in.tolerance[pair.b]);
            const double reach =
                reach_of(options, in.model.geoms[pair.a]) + reach_of(options, in.model.geoms[pair.b]);
            collide_shapes(in.placed[pair.a], in.placed[pair.b], p.margin + reach + tolerance, found.pair);
            take(pair, p, tolerance, in.geom_of, found);
        }
        in.chunks[chunk] = {worker, static_cast<int>(contact_begin), static_cast<int>(found.contacts.size()),
                            static_cast<int>(manifold_begin), static_cast<int>(found.manifolds.size())};
    });
}

void put_together(Inside& in, Contacts& out) {
    out.contacts.clear();
    out.manifolds.clear();
    if (in.parallel.threads() == 1) {  // one worker has everything, in order
        std::swap(out.contacts, in.found[0].contacts);
        std::swap(out.manifolds, in.found[0].manifolds);
        // Three take turns: what one has room for, the others will need room for. Just as much: if they were
        // given more, the turn after would find the others wanting, and so on for ever.
        in.before.contacts.reserve(out.contacts.capacity());
        in.before.manifolds.reserve(out.manifolds.capacity());
        in.found[0].contacts.reserve(out.contacts.capacity());
        in.found[0].manifolds.reserve(out.manifolds.capacity());
        return;
    }
    std::size_t contacts = 0, manifolds = 0;
    for (const Inside::Found& found : in.found) {
        contacts += found.contacts.size();
        manifolds += found.manifolds.size();
    }
    make_room(out.contacts, contacts);
    make_room(out.manifolds, manifolds);
    for (const Inside::Chunk& chunk : in.chunks) {
        const Inside::Found& found = in.found[chunk.worker];
        const int contact_shift = static_cast<int>(out.contacts.size()) - chunk.contact_begin;
        const int manifold_shift = static_cast<int>(out.manifolds.size()) - chunk.manifold_begin;
        for (int k = chunk.contact_begin; k < chunk.contact_end; ++k)
            out.contacts.emplace_back(found.contacts[k]).manifold += manifold_shift;
        for (int k = chunk.manifold_begin; k < chunk.manifold_end; ++k)
            out.manifolds.emplace_back(found.manifolds[k]).begin += contact_shift;
    }
}

// What a solver left at a feature goes to the same feature.
void carry_over(const Contacts& before, Contacts& now) {
    const auto order = [](const Manifold& m) { return std::tuple(m.geom_a, m.geom_b, m.part); };
    std::size_t old = 0;
    for (const Manifold& manifold : now.manifolds) {
        while (old < before.manifolds.size() && order(before.manifolds[old]) < order(manifold)) ++old;
        if (old == before.manifolds.size()) return;
        const Manifold& last = before.manifolds[old];
        if (order(last) != order(manifold)) continue;
        for (int k = 0; k < manifold.count; ++k) {
            Contact& contact = now.contacts[manifold.begin + k];
            for (int j = 0; j < last.count; ++j) {
                const Contact& same = before.contacts[last.begin + j];
                if (same.feature != contact.feature) continue;
                contact.previous = last.begin + j;
                contact.impulse = same.impulse;
                contact.moment_impulse = same.moment_impulse;
                break;
            }
        }
    }
}

// The next pair of geoms with an active manifold from manifold k on; k moves to it.
const Manifold* next_active(const std::vector<Manifold>& manifolds, std::size_t& k) {
    while (k < manifolds.size() && !manifolds[k].active) ++k;
    return k < manifolds.size() ? &manifolds[k] : nullptr;
}

void skip_pair(const std::vector<Manifold>& manifolds, std::size_t& k) {
    const int a = manifolds[k].geom_a, b = manifolds[k].geom_b;
    while (k < manifolds.size() && manifolds[k].geom_a == a && manifolds[k].geom_b == b) ++k;
}

void tell_events(const Contacts& before, Contacts& now) {
    const auto order = [](const Manifold& m) { return std::pair(m.geom_a, m.geom_b); };
    now.events.clear();
    make_room(now.events, before.manifolds.size() + now.manifolds.size());
    std::size_t i = 0, j = 0;
    for (;;) {
        const Manifold* const old = next_active(before.manifolds, i);
        const Manifold* const fresh = next_active(now.manifolds, j);
        if (!old && !fresh) return;
        const bool ended = old && (!fresh || order(*old) < order(*fresh));
        const bool began = fresh && (!old || order(*fresh) < order(*old));
        const Manifold& which = ended ? *old : *fresh;
        now.events.push_back({ended   ? ContactEventKind::ended
                              : began ? ContactEventKind::began
                                      : ContactEventKind::persists,
                              which.geom_a, which.geom_b});
        if (!began) skip_pair(before.manifolds, i);
        if (!ended) skip_pair(now.manifolds, j);
    }
}

}  // namespace

CollisionWorkspace::Inside::Inside(const Model& whole)
    : model(*whole.collision), tight(model.geoms.size()), grown(model.geoms.size()), broad(model) {
    for (const CollisionModel::Geom& geom : model.geoms) {
        shapes.push_back(geom.shape);
        geom_of.push_back(geom.geom);
        stretched_of.push_back(geom.deforms < 0 ? -1 : static_cast<int>(stretched.size()));
        if (geom.deforms >= 0) stretched.push_back(*geom.shape.hull);
    }
    for (std::size_t k = 0; k < shapes.size(); ++k)
        if (stretched_of[k] >= 0) shapes[k].hull = &stretched[stretched_of[k]];
    for (const CollisionShape& shape : shapes) {
        placed.push_back({&shape, Transformd::identity()});
        tolerance.push_back(rounding * smallest_extent(shape));
    }
    shape_bounds.assign(model.geoms.size(), Bounds::nothing());
}

CollisionWorkspace::CollisionWorkspace(std::shared_ptr<const Model> model)
    : model_(std::move(model)), inside_(std::make_unique<Inside>(*model_)) {}
CollisionWorkspace::CollisionWorkspace(CollisionWorkspace&&) noexcept = default;
CollisionWorkspace& CollisionWorkspace::operator=(CollisionWorkspace&&) noexcept = default;
CollisionWorkspace::~CollisionWorkspace() = default;

void find_contacts(std::span<const Transformd> X_WB, const CollisionOptions& options,
                   CollisionWorkspace& ws) {
    check_poses(X_WB, ws.model());
    if (!(options.speculative_distance >= 0 && std::isfinite(options.speculative_distance)))
        throw std::invalid_argument("lig::find_contacts: the speculative distance is negative or not finite");
    if (!options.reach.empty() && options.reach.size() != ws.model().bodies.size())
        throw std::invalid_argument("lig::find_contacts: the reach is not one number per body");
    for (std::size_t body = 0; body < options.reach.size(); ++body)
        if (!(options.reach[body] >= 0 && std::isfinite(options.reach[body])))
            throw std::invalid_argument("lig::find_contacts: how far body '" + ws.model().bodies[body].name +
                                        "' (" + std::to_string(body) +
                                        ") may move is negative or not finite");
    Inside& in = ws.inside();
    in.parallel.set_threads(options.threads);
    place_geoms(X_WB, options, in);
    in.broad.update(in.tight, in.grown, in.placed, in.parallel);
    look_up_properties(in, ws.contacts);
    look_at_pairs(options, ws.contacts.properties, in);
    std::swap(in.before.contacts, ws.contacts.contacts);
    std::swap(in.before.manifolds, ws.contacts.manifolds);
    put_together(in, ws.contacts);
    carry_over(in.before, ws.contacts);
    tell_events(in.before, ws.contacts);
}

void clear_contacts(CollisionWorkspace& ws) {
    ws.contacts.contacts.clear();
    ws.contacts.manifolds.clear();
    ws.contacts.events.clear();
}

}  // namespace lig
