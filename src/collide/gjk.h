#pragma once

// The distance of two convex cores by the method of Gilbert, Johnson and Keerthi.

#include "collide/core_pair.h"

#include <limits>

namespace lig::collide {

// Up to four differences of the cores and the point nearest to the origin among all points between them.
struct Simplex {
    int count = 0;
    std::array<CorePoint, 4> points;  // differences with the shift
    std::array<double, 4> weights;    // of the nearest point, which needs all of them
    Vec3d nearest;
};

struct GjkResult {
    enum class Kind {
        apart,    // `simplex.nearest` leads from A's nearest point to B's
        beyond,   // farther apart than the limit: `lower` is above it, nothing else is meant
        together  // the cores have a point in common, up to rounding
    };
    Kind kind;
    Simplex simplex;
    double lower;  // the distance is at least this, by the direction `normal`,
    double upper;  // and at most this
    Vec3d normal;  // unit, from A to B; together: of the directions looked along that of least depth
    double size;   // the largest difference seen: what rounding is relative to
    int iterations;
};

struct GjkOptions {
    Vec3d shift{0, 0, 0};  // B is moved by this
    double limit = std::numeric_limits<double>::infinity();
    double accuracy = 0;             // the bounds need not be closer than this times the size
    const Simplex* start = nullptr;  // differences to begin with
};
// Ends with the nearest points when the bounds meet or rounding stops their approach (at most 128
// differences are looked at), or as soon as the distance is known to be above the limit.
GjkResult gjk(const CorePair& pair, const GjkOptions& options = {});

// Of the points that make the nearest one: on A and on B.
Vec3d nearest_on_a(const Simplex& simplex);

}  // namespace lig::collide
