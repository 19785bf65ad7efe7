#pragma once

// What collision needs of a model, flat: the geoms that take part, their shapes, and who meets whom.

#include "shapes/collision_shape.h"

#include <ligament/collision.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lig {

struct CollisionModel {
    // What of a geom decides how it meets others.
    struct Material {
        int condim, priority;
        Vec3d friction;
        double restitution, margin, gap, adhesion, solmix;
        Softness soft;
    };
    // A geom that can touch something.
    struct Geom {
        int geom;                // in Model::geoms
        int body;
        Transformd X_BG;
        CollisionShape shape;
        bool moves;              // false: on the world; kinematic bodies move
        double margin;           // two geoms meet nothing farther apart than the sum of theirs
        int deforms = -1;        // in Model::deforming; the shape is a hull that stretches with its body
        const ModalBody* modal = nullptr;  // of a program's kind
    };
    // What of a geom decides whom it meets and how: apart from the rest, for it is asked about every near
    // pair.
    struct Filter {
        int contype, conaffinity;
        // The link it moves with and the one which that hangs on, −1: the world or a kinematic body. Geoms of
        // one mover do not meet, so kinematic bodies meet neither each other nor the world.
        int mover, parent_mover;
        int body;
        int material;            // in `materials`
        bool paired = false;     // in one of `pairs`
        bool excluded = false;   // on a body in one of `exclusions`
    };
    struct ExplicitPair {
        int a, b;                // in `geoms`, a < b
        ContactProperties properties;
    };

    // A geom as sensors see it, whether it collides or not.
    struct Sensed {
        int geom, body;          // in Model::geoms, bodies
        Transformd X_BG;
        CollisionShape shape;
    };

    bool enabled = true;        // false: contacts are switched off; queries still see the geoms
    bool filter_parent = true;  // a mover and its parent do not meet

    std::vector<Geom> geoms;                      // in the order of Model::geoms
    std::vector<Filter> filters;                  // (geoms)
    std::vector<Material> materials;              // all different
    std::vector<int> index_of;                    // of Model::geoms in `geoms`; −1: takes no part
    std::vector<std::pair<int, int>> exclusions;  // of bodies, the smaller first, sorted
    std::vector<ExplicitPair> pairs;              // sorted by (a, b)

    // Empty where no sensor asks for them.
    std::vector<Sensed> seen;      // by rays: all that is not transparent; meshes as they are
    std::vector<Sensed> measured;  // whose distances are sensed; meshes as their hulls

    std::vector<std::unique_ptr<const HullGeometry>> hulls;
    std::vector<std::unique_ptr<const TriangleSurface>> surfaces;
    std::vector<std::unique_ptr<const HeightGrid>> grids;

    // Of indices in `geoms`: whether the two are to be looked at, by masks, bodies, exclusions and pairs.
    bool may_collide(int a, int b) const {
        const Filter &first = filters[a], &second = filters[b];
        if (!enabled) return false;
        if (first.paired && second.paired && explicit_pair(a, b) >= 0) return true;
        if (!(first.contype & second.conaffinity) && !(second.contype & first.conaffinity)) return false;
        if (first.mover == second.mover) return false;
        // The world is nobody's parent here: what hangs on it still meets it.
        if (filter_parent && first.mover >= 0 && second.mover >= 0 &&
            (first.mover == second.parent_mover || second.mover == first.parent_mover))
            return false;
        return !(first.excluded && second.excluded && are_excluded(first.body, second.body));
    }
    // The index in `pairs` of two geoms; −1: they are not paired.
    int explicit_pair(int a, int b) const;
    ContactProperties properties(int a, int b) const;

private:
    bool are_excluded(int body_a, int body_b) const;
};

namespace compiling {
// compile_collision.cpp. After everything else: refuses shapes that cannot collide, by name and place. A mesh
// or height field that was not read is left out, with a warning.
std::shared_ptr<const CollisionModel> build_collision(const Model& model, Diagnostics& log);
}  // namespace compiling

}  // namespace lig
