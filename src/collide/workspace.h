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
    std::vector<collide::PlacedShape> placed;  // (geoms of the collision model)
    std::vector<Bounds> shape_bounds;          // of each geom without margins
    std::vector<collide::FloatBox> tight;      // around each geom and its share of margins
    collide::BroadPhase broad;
    Contacts before;                           // of the find_contacts before the last
    Parallel parallel;

    // What one worker has found, in the order of the chunks it ran.
    struct Found {
        collide::NarrowOutput pair;            // of one pair
        std::vector<Contact> contacts;
        std::vector<Manifold> manifolds;       // `begin` counts from the chunk's first contact
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
