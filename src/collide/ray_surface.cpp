// Rays against surfaces of triangles.
//
// A ray must not slip between two triangles that share an edge. So the corners are first moved into axes in
// which the ray starts at the origin and runs along the third axis (Woop, Benthin and Wald 2013: a shear
// instead of a rotation). On which side of an edge the ray passes is then the sign of one difference of two
// products, p.x q.y − p.y q.x; the neighbour computes it with p and q exchanged and gets exactly the opposite
// number. Zero counts as inside for both.

#include "collide/ray_local.h"
#include "collide/surface_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A box is entered a little early and left a little late: what the rounding of its two bounds may be.
constexpr double slack = 8 * std::numeric_limits<double>::epsilon();
// A start this near to a surface that the ray goes into, relative to its coordinates, is on it.
constexpr double on_surface = 1e-14;

class TriangleRay {
public:
    explicit TriangleRay(const LocalRay& ray) : ray_(ray), best_(ray.length) {
        const Vec3d& d = ray.direction;
        z_ = std::abs(d.x) >= std::abs(d.y) ? (std::abs(d.x) >= std::abs(d.z) ? 0 : 2)
                                            : (std::abs(d.y) >= std::abs(d.z) ? 1 : 2);
        x_ = (z_ + 1) % 3;
        y_ = (z_ + 2) % 3;
        shear_x_ = d[x_] / d[z_];
        shear_y_ = d[y_] / d[z_];
        const Vec3d& p = ray.origin;
        behind_start_ = on_surface * (std::abs(p.x) + std::abs(p.y) + std::abs(p.z));
    }

    // How far along the ray it enters a box, infinity when it does not or only beyond the nearest hit.
    double enters(const Bounds& box) const {
        double enter = 0, leave = best_;
        for (int i = 0; i < 3; ++i) {
            const double below = box.lower[i] - ray_.origin[i], above = box.upper[i] - ray_.origin[i];
            const double d = ray_.direction[i];
            if (d == 0) {
                if (below > 0 || above < 0) return infinity;
                continue;
            }
            const double a = below / d, b = above / d;
            const double first = std::min(a, b), last = std::max(a, b);
            enter = std::max(enter, first - slack * std::abs(first));
            leave = std::min(leave, last + slack * std::abs(last));
        }
        return enter <= leave ? enter : infinity;
    }

    // Corners relative to the ray's origin. `one_sided`: only when it comes from in front. Of hits equally
    // near the smaller number counts, so that the order of the search does not.
    void meet(const TriangleCorners& corners, const Vec3d& normal, int number, bool one_sided) {
        const double approach = dot(normal, ray_.direction);
        if (one_sided && !(approach < 0)) return;
        std::array<double, 3> x, y;
        for (int k = 0; k < 3; ++k) {
            x[k] = corners[k][x_] - shear_x_ * corners[k][z_];
            y[k] = corners[k][y_] - shear_y_ * corners[k][z_];
        }
        const double u = x[2] * y[1] - y[2] * x[1];
        const double v = x[0] * y[2] - y[0] * x[2];
        const double w = x[1] * y[0] - y[1] * x[0];
        if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return;
        const double sum = u + v + w;
        if (sum == 0) return;  // seen from the edge: its neighbours are hit
        const double along = (u * corners[0][z_] + v * corners[1][z_] + w * corners[2][z_]) / sum;
        const double at = along / ray_.direction[z_];
        if (!(at >= (approach < 0 ? -behind_start_ : 0.0) && at <= best_)) return;
        if (at == best_ && number_ >= 0 && number > number_) return;
        best_ = std::max(at, 0.0);
        number_ = number;
        normal_ = approach < 0 ? normal : -normal;
    }

    std::optional<LocalHit> hit() const {
        if (number_ < 0) return std::nullopt;
        return LocalHit{best_, normal_};
    }
    double best() const { return best_; }

private:
    const LocalRay& ray_;
    int x_, y_, z_;
    double shear_x_, shear_y_;
    double behind_start_;
    double best_;
    int number_ = -1;
    Vec3d normal_{0, 0, 0};
};

}  // namespace

// Nearer boxes first: what lies behind the first hit is not looked at.
std::optional<LocalHit> ray_trimesh(const CollisionShape& shape, const LocalRay& ray) {
    const TriangleSurface& surface = *shape.surface;
    if (surface.nodes.empty()) return std::nullopt;
    const TrimeshView view(surface, ray.origin);
    TriangleRay search(ray);
    struct Waiting {
        int node;
        double enter;
    };
    std::array<Waiting, TriangleSurface::max_depth> waiting;
    int count = 0;
    Waiting at{0, search.enters(surface.nodes[0].bounds)};
    while (true) {
        if (at.enter <= search.best()) {
            const TriangleSurface::Node& node = surface.nodes[at.node];
            if (node.count == 0) {
                Waiting near{at.node + 1, search.enters(surface.nodes[at.node + 1].bounds)};
                Waiting far{node.second, search.enters(surface.nodes[node.second].bounds)};
                if (far.enter < near.enter) std::swap(near, far);
                if (far.enter < infinity) waiting[count++] = far;
                if (near.enter < infinity) {
                    at = near;
                    continue;
                }
            } else {
                for (int i = node.begin; i < node.begin + node.count; ++i) {
                    const int t = surface.order[i];
                    const SurfaceTriangle triangle = view.triangle(t);
                    search.meet(triangle.corners, triangle.normal, t, false);
                }
            }
        }
        if (count == 0) return search.hit();
        at = waiting[--count];
    }
}

std::optional<LocalHit> ray_heightfield(const CollisionShape& shape, const LocalRay& ray) {
    const HeightGrid& grid = *shape.grid;
    if (grid.levels.empty()) return std::nullopt;
    const HeightFieldView view(grid, ray.origin);
    TriangleRay search(ray);
    const auto meet = [&](int t) {
        const SurfaceTriangle triangle = view.triangle(t);
        search.meet(triangle.corners, triangle.normal, t, true);
    };
    walk_cells(
        grid, ray.direction.y < 0, ray.direction.x < 0,
        [&](const Bounds& box) { return search.enters(box) < infinity; },
        [&](int row, int column) {
            const int cell = row * grid.cell_columns() + column;
            meet(2 * cell);
            meet(2 * cell + 1);
        });

    // The sides, where the ray passes their planes, and the bottom.
    const double tolerance = slack * (grid.half_x + grid.half_y + grid.highest + grid.base);
    const auto meet_around = [&](double distance, double speed) {
        const double at = distance / speed;
        if (!(at >= -tolerance && at <= search.best())) return;
        const Vec3d p = at * ray.direction;
        const double reach = tolerance + slack * (std::abs(at) + std::abs(ray.origin.x) +
                                                  std::abs(ray.origin.y) + std::abs(ray.origin.z));
        view.visit_border(Bounds{p, p}.grown(reach), meet);
    };
    if (ray.direction.x != 0) {
        const double side = ray.direction.x > 0 ? -grid.half_x : grid.half_x;
        meet_around(side - ray.origin.x, ray.direction.x);
    }
    if (ray.direction.y != 0) {
        const double side = ray.direction.y > 0 ? -grid.half_y : grid.half_y;
        meet_around(side - ray.origin.y, ray.direction.y);
    }
    if (ray.direction.z > 0) meet_around(-grid.base - ray.origin.z, ray.direction.z);
    return search.hit();
}

}  // namespace lig::collide
