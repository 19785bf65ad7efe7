#pragma once

// The geoms that rays and distances are about, where they are in one state. Which they are, CollisionModel
// says: they need not collide.

#include "collide/narrow_phase.h"
#include "geometry/bounds.h"
#include "model/collision_model.h"

#include <ligament/model.h>

#include <optional>
#include <span>
#include <vector>

namespace lig::sensors {

struct SensedHit {
    double distance;
    Vec3d normal;  // of the surface, outwards
};

// From a point of the first geom to one of the second; they overlap where the distance is negative.
struct SensedGap {
    double distance;
    Vec3d from, to;
};

class SensedGeoms {
public:
    explicit SensedGeoms(const Model& model);

    bool are_any() const { return !seen_.empty() || !measured_.empty(); }
    void place(std::span<const Transformd> X_WB);

    // The first surface along a ray of unit direction, of geoms that are not on the body `exclude`. A ray
    // that starts inside of a convex geom meets its surface from within.
    std::optional<SensedHit> cast(const Vec3d& origin, const Vec3d& direction, int exclude) const;
    // The two that are nearest to each other, of those that two objects are or have, if they are nearer than
    // `within`.
    std::optional<SensedGap> gap(const ObjectRef& from, const ObjectRef& to, double within) const;

private:
    struct Placed {
        const CollisionModel::Sensed* geom;
        collide::PlacedShape shape;
        Bounds bounds;
    };
    void place(std::span<const Transformd> X_WB, std::vector<Placed>& geoms);

    std::vector<Placed> seen_, measured_;
};

}  // namespace lig::sensors
