// Whether two convex shapes overlap, against libccd's GJK, which shares nothing with ours. Its support
// functions come from the closed forms of this folder's reference, not from the shapes under test.

#include "support/convex_cases.h"

#include <ccd/ccd.h>
#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;
using namespace lig::collide;

namespace {

// The farthest point, as the gradient of the support function.
Vec3d farthest(const CollisionShape& s, const Vec3d& n) {
    const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
    const double a = s.size.x, b = s.size.y, c = s.size.z, size = length(n), across = std::hypot(n.x, n.y);
    switch (s.type) {
        case ShapeType::sphere: return (a / size) * n;
        case ShapeType::capsule: return (a / size) * n + Vec3d{0, 0, b * sign(n.z)};
        case ShapeType::cylinder:
            return across > 0 ? Vec3d{a * n.x / across, a * n.y / across, b * sign(n.z)}
                              : Vec3d{0, 0, b * sign(n.z)};
        case ShapeType::ellipsoid: {
            const double h = support_function(s, n);
            return {a * a * n.x / h, b * b * n.y / h, c * c * n.z / h};
        }
        case ShapeType::box: return {a * sign(n.x), b * sign(n.y), c * sign(n.z)};
        default: {
            Vec3d best = s.hull->vertices[0];
            for (const Vec3d& v : s.hull->vertices)
                if (dot(v, n) > dot(best, n)) best = v;
            return best;
        }
    }
}

void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
    const auto& placed = *static_cast<const PlacedShape*>(object);
    const Vec3d d{direction->v[0], direction->v[1], direction->v[2]};
    const Vec3d p = placed.X_WG * farthest(*placed.shape, transpose_mul(placed.X_WG.R, d));
    ccdVec3Set(out, p.x, p.y, p.z);
}

bool libccd_overlap(const PlacedShape& a, const PlacedShape& b) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = support;
    ccd.support2 = support;
    ccd.max_iterations = 500;
    return ccdGJKIntersect(&a, &b, &ccd) != 0;
}

}  // namespace

TEST_CASE("convex distance: libccd says the same") {
    Random random(21);
    int overlapping = 0, apart = 0, disagree = 0;
    for (const ShapeType type_a : convex_types)
        for (const ShapeType type_b : convex_types)
            for (int k = 0; k < 300; ++k) {
                const ConvexCase c = random_case(random, type_a, type_b, false);
                const double distance = convex_distance(c.placed_a(), c.placed_b()).distance;
                // libccd misses overlaps shallower than about 1e-4, of two spheres too.
                if (std::abs(distance) < 2e-4 * c.size) continue;
                const bool theirs = libccd_overlap(c.placed_a(), c.placed_b());
                ++(distance < 0 ? overlapping : apart);
                disagree += theirs != (distance < 0);
            }
    CHECK(overlapping > 2000);
    CHECK(apart > 2000);
    CHECK(disagree == 0);
}
