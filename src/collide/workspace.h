#pragma once

// The inside of a CollisionWorkspace.

#include "collide/broad_phase.h"
#include "collide/narrow_phase.h"
#include "collide/property_table.h"
#include "core/parallel.h"
#include "model/collision_model.h"

#include <ligament/collision.h>

#include <vector>

namespace lig {

struct CollisionWorkspace::Inside {
    explicit Inside(const Model& model);

    const CollisionModel& model;
    // All of the size of model.geoms. What the narrow phase reads lies close together.
    std::vector<CollisionShape> shapes;
    std::vector<int> geom_of;                  // in Model::geoms
    std::vector<double> tolerance;             // what counts as rounding of distances
    std::vector<collide::PlacedShape> placed;
    std::vector<HullGeometry> stretched;       // of geoms that deform, in their order
    std::vector<int> stretched_of;             // in `stretched`; −1: it does not deform
    std::vector<Bounds> shape_bounds;          // of each geom without margins
    std::vector<collide::FloatBox> tight;      // around each geom and its share of margins,
    std::vector<double> grown;                 // which is this
    collide::BroadPhase broad;
    Contacts before;                           // of the find_contacts before the last
    Parallel parallel;

    // What one worker has found, in the order of the chunks it ran.
    struct Found {
        collide::NarrowOutput pair;            // of one pair
        std::vector<Contact> contacts;
        std::vector<Manifold> manifolds;
    };
    struct Chunk {
        int worker;
        int contact_begin, contact_end, manifold_begin, manifold_end;
    };
    std::vector<Found> found;                  // (workers)
    std::vector<Chunk> chunks;
    collide::PropertyTable properties;
    bool started = false;                      // whether find_contacts has seen poses
};

}  // namespace lig
