// A plane against everything convex. The solid half is z <= 0 in the plane's frame; its normal n is that of
// every contact. A point x is dot(n, x - p) away from it, p being the plane's origin, so the distance of a
// shape is that of its point farthest along −n, and every other point of the shape within the margin may join
// the manifold.
//
// With c the height of the shape's centre, and n in the shape's own axes:
//   sphere      c − r
//   capsule     c − h |n_z| − r                 both ends
//   cylinder    c − h |n_z| − r √(n_x² + n_y²)  the rim of the cap that looks down
//   ellipsoid   c − |D n|, D = diag(size), met at −D² n / |D n| (maximum of −n·x over |D⁻¹x| = 1)
//   box         c − Σ e_i |n_i|                 the corners of the face that looks down
//   hull        the smallest of its vertices'

#include "collide/pairs.h"

namespace lig::collide {

namespace {

// The plane as another shape at X_WG sees it.
struct PlaneSeen {
    Vec3d n;        // its normal in the world
    Vec3d n_G;      // and in the shape's axes
    double center;  // the height of the shape's origin

    LIG_INLINE PlaneSeen(const PlacedShape& plane, const Transformd& X_WG)
        : n(plane.X_WG.R.z), n_G(transpose_mul(X_WG.R, n)), center(dot(n, X_WG.p - plane.X_WG.p)) {}

    double height(const Vec3d& p_G) const { return center + dot(n_G, p_G); }
};

// Collects points of B, given in its frame.
struct PlaneContact {
    const PlaneSeen& plane;
    const Transformd& X_WG;
    double margin;
    PairManifold& out;

    PlaneContact(const PlaneSeen& seen, const Transformd& X, double m, PairManifold& manifold)
        : plane(seen), X_WG(X), margin(m), out(manifold) {
        out.normal = plane.n;
        out.count = 0;
    }
    void add(const Vec3d& p_G, double distance, std::uint32_t feature) {
        if (distance <= margin)
            out.points[out.count++] = point_from_b(X_WG * p_G, plane.n, distance, feature);
    }
};

}  // namespace

bool plane_sphere(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Vec3d& n = a.X_WG.R.z;
    const double r = b.shape->size.x;
    const double distance = dot(n, b.X_WG.p - a.X_WG.p) - r;
    if (!(distance <= margin)) return false;
    set_single_point(n, point_from_b(b.X_WG.p - r * n, n, distance, 0), out);
    return true;
}

bool plane_capsule(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Vec3d& n = a.X_WG.R.z;
    const Vec3d& along = b.X_WG.R.z;
    const double r = b.shape->size.x, h = b.shape->size.y;
    const double center = dot(n, b.X_WG.p - a.X_WG.p) - r, rise = h * dot(n, along);
    if (!(center - std::abs(rise) <= margin)) return false;
    out.normal = n;
    out.count = 0;
    const Vec3d below = b.X_WG.p - r * n;
    if (center - rise <= margin)
        out.points[out.count++] = point_from_b(below - h * along, n, center - rise, 0);
    if (center + rise <= margin)
        out.points[out.count++] = point_from_b(below + h * along, n, center + rise, 1);
    return true;
}

// Standing: the rim in four quarters, each with a point that is fixed in the cylinder, except that the
// quarter with the deepest point of the rim has that one. Lying: the deepest points of both rims.
bool plane_cylinder(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const PlaneSeen plane(a, b.X_WG);
    const Vec3d& n = plane.n_G;
    const double r = b.shape->size.x, h = b.shape->size.y;
    const double slope = std::sqrt(n.x * n.x + n.y * n.y);  // sine of the tilt
    const double down = n.z > 0 ? -h : h;
    const double deepest = plane.center - h * std::abs(n.z) - r * slope;
    if (!(deepest <= margin)) return false;
    PlaneContact contact(plane, b.X_WG, margin, out);
    const Vec3d rim = slope > 0 ? Vec3d{-r / slope * n.x, -r / slope * n.y, 0} : Vec3d{r, 0, 0};

    const std::uint32_t cap = down > 0 ? 1 : 0;
    if (std::abs(n.z) < slope) {
        // The lower cap first in the list of features, whichever is deeper.
        const double other = plane.center + h * std::abs(n.z) - r * slope;
        contact.add(rim + Vec3d{0, 0, -h}, cap == 0 ? deepest : other, 8);
        contact.add(rim + Vec3d{0, 0, h}, cap == 1 ? deepest : other, 9);
        return true;
    }
    // Quarters about +x, +y, −x, −y.
    const bool along_x = std::abs(rim.x) >= std::abs(rim.y);
    const int deepest_quarter = along_x ? (rim.x >= 0 ? 0 : 2) : (rim.y >= 0 ? 1 : 3);
    const Vec3d quarters[4] = {{r, 0, down}, {0, r, down}, {-r, 0, down}, {0, -r, down}};
    for (int k = 0; k < 4; ++k) {
        const std::uint32_t feature = 4 * cap + std::uint32_t(k);
        if (k == deepest_quarter)
            contact.add({rim.x, rim.y, down}, deepest, feature);
        else
            contact.add(quarters[k], plane.height(quarters[k]), feature);
    }
    return true;
}

bool plane_ellipsoid(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const PlaneSeen plane(a, b.X_WG);
    const Vec3d& s = b.shape->size;
    const Vec3d Dn{s.x * plane.n_G.x, s.y * plane.n_G.y, s.z * plane.n_G.z};
    const double reach = std::sqrt(dot(Dn, Dn));
    const double distance = plane.center - reach;
    if (!(distance <= margin)) return false;
    const Vec3d lowest = (-1 / reach) * Vec3d{s.x * Dn.x, s.y * Dn.y, s.z * Dn.z};
    set_single_point(plane.n, point_from_b(b.X_WG * lowest, plane.n, distance, 0), out);
    return true;
}

// The corners of the face that looks down most steeply: the deepest of all eight is among them, since each of
// its coordinates points down.
bool plane_box(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const PlaneSeen plane(a, b.X_WG);
    const Vec3d& e = b.shape->size;
    const Vec3d rise{e.x * plane.n_G.x, e.y * plane.n_G.y, e.z * plane.n_G.z};
    if (!(plane.center - std::abs(rise.x) - std::abs(rise.y) - std::abs(rise.z) <= margin)) return false;

    int steepest = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(plane.n_G[i]) > std::abs(plane.n_G[steepest])) steepest = i;
    const int u = steepest == 0 ? 1 : 0, v = steepest == 2 ? 1 : 2;
    PlaneContact contact(plane, b.X_WG, margin, out);
    Vec3d corner;
    const bool upper = plane.n_G[steepest] < 0;
    corner[steepest] = upper ? e[steepest] : -e[steepest];
    const double base = plane.center - std::abs(rise[steepest]);
    for (int k = 0; k < 4; ++k) {
        const int up_u = k & 1, up_v = k >> 1;
        corner[u] = up_u ? e[u] : -e[u];
        corner[v] = up_v ? e[v] : -e[v];
        const double distance = base + (up_u ? rise[u] : -rise[u]) + (up_v ? rise[v] : -rise[v]);
        contact.add(corner, distance, std::uint32_t(upper << steepest | up_u << u | up_v << v));
    }
    return out.count > 0;
}

bool plane_hull(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const PlaneSeen plane(a, b.X_WG);
    const std::vector<Vec3d>& vertices = b.shape->hull->vertices;
    out.normal = plane.n;
    // Four of these may stand for all of them when there are more, as the deepest and the outermost so far.
    std::array<ManifoldPoint, 64> found;
    int count = 0;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const double distance = plane.height(vertices[v]);
        if (!(distance <= margin)) continue;
        if (count == int(found.size())) {
            keep_extreme_points(found.data(), count, out);
            count = out.count;
            std::copy_n(out.points.begin(), count, found.begin());
        }
        found[std::size_t(count++)] =
            point_from_b(b.X_WG * vertices[v], plane.n, distance, std::uint32_t(v));
    }
    if (count == 0) return false;
    keep_extreme_points(found.data(), count, out);
    return true;
}

}  // namespace lig::collide
