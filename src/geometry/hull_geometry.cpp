// Triangles of the hull become faces by growing from the largest that is left: a neighbour joins while its
// vertices lie within the tolerance of the plane of that first triangle. The plane does not follow what
// joins, so a finely divided round surface does not grow into one face. The polygon of a face is the convex
// hull of its vertices in the plane: convex whatever the rounding, without vertices along its edges.

#include "geometry/hull_geometry.h"

#include "geometry/hull_support.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace lig {

namespace {

using Triangle = std::array<int, 3>;

// Up to here looking at all vertices is as fast as climbing.
constexpr std::size_t few_vertices = 32;
// Shorter edges, relative to the size, are lost in the rounding of the heights of their ends by a factor that
// climbing would notice.
constexpr double shortest_edge_to_climb = 1e-6;

// Lists of varying length behind each other: `begin` of each, and where the last ends.
struct Lists {
    std::vector<int> begin, items;
};

// `pairs` are (list, item); every list comes out in rising order, without repetition.
Lists gather(std::vector<std::pair<int, int>>& pairs, int lists) {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Lists result;
    result.begin.assign(lists + 1, 0);
    for (const auto& [list, item] : pairs) {
        ++result.begin[list + 1];
        result.items.push_back(item);
    }
    std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
    return result;
}

class FaceMerger {
public:
    FaceMerger(HullGeometry& hull, std::vector<Triangle> triangles, double size)
        : hull_(hull),
          triangles_(std::move(triangles)),
          tolerance_(HullGeometry::coplanarity_tolerance * size) {}

    void run() {
        find_neighbours();
        std::vector<double> area(triangles_.size());
        for (std::size_t t = 0; t < triangles_.size(); ++t) {
            const Vec3d n = twice_area(triangles_[t]);
            area[t] = dot(n, n);
        }
        std::vector<int> by_area(triangles_.size());
        std::iota(by_area.begin(), by_area.end(), 0);
        std::sort(by_area.begin(), by_area.end(), [&](int a, int b) {
            return area[a] != area[b] ? area[a] > area[b] : a < b;
        });

        taken_.assign(triangles_.size(), false);
        hull_.face_begin.assign(1, 0);
        std::vector<std::pair<int, int>> faces_at;  // vertex, face
        for (const int first : by_area) {
            if (taken_[first]) continue;
            // The rest are slivers that rounding leaves without a plane: their neighbours cover them.
            if (!(area[first] > 0)) break;
            grow(first);
            if (!add_polygon()) continue;
            for (const int v : points_) faces_at.emplace_back(v, hull_.face_count() - 1);
        }
        Lists around = gather(faces_at, static_cast<int>(hull_.vertices.size()));
        hull_.vertex_face_begin = std::move(around.begin);
        hull_.vertex_faces = std::move(around.items);
    }

private:
    Vec3d twice_area(const Triangle& t) const {
        const Vec3d& a = hull_.vertices[t[0]];
        return cross(hull_.vertices[t[1]] - a, hull_.vertices[t[2]] - a);
    }

    void find_neighbours() {
        // Each edge belongs to two triangles.
        struct Edge {
            int low, high, triangle, corner;
        };
        std::vector<Edge> edges;
        edges.reserve(3 * triangles_.size());
        for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
            for (int k = 0; k < 3; ++k) {
                const auto [low, high] = std::minmax(triangles_[t][k], triangles_[t][(k + 1) % 3]);
                edges.push_back({low, high, t, k});
            }
        std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
            return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
        });
        neighbours_.resize(triangles_.size());
        for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
            neighbours_[edges[i].triangle][edges[i].corner] = edges[i + 1].triangle;
            neighbours_[edges[i + 1].triangle][edges[i + 1].corner] = edges[i].triangle;
        }
    }

    // The triangles in the plane of the first, into region_.
    void grow(int first) {
        Vec3d normal = twice_area(triangles_[first]);
        normal = (1 / std::sqrt(dot(normal, normal))) * normal;
        const Vec3d& origin = hull_.vertices[triangles_[first][0]];
        const auto in_plane = [&](int t) {
            for (const int v : triangles_[t])
                if (!(std::fabs(dot(normal, hull_.vertices[v] - origin)) <= tolerance_)) return false;
            return dot(twice_area(triangles_[t]), normal) >= 0;
        };
        region_.assign(1, first);
        taken_[first] = true;
        for (std::size_t i = 0; i < region_.size(); ++i)
            for (const int next : neighbours_[region_[i]])
                if (!taken_[next] && in_plane(next)) {
                    taken_[next] = true;
                    region_.push_back(next);
                }
    }

    // The face of region_, its vertices in points_. False for a needle whose width is rounding.
    bool add_polygon() {
        Vec3d normal = Vec3d::zero();
        points_.clear();
        for (const int t : region_) {
            normal += twice_area(triangles_[t]);
            points_.insert(points_.end(), triangles_[t].begin(), triangles_[t].end());
        }
        normal = (1 / std::sqrt(dot(normal, normal))) * normal;
        std::sort(points_.begin(), points_.end());
        points_.erase(std::unique(points_.begin(), points_.end()), points_.end());

        find_polygon(normal);
        if (polygon_.size() < 3) return false;
        double offset = dot(normal, hull_.vertices[polygon_[0]]);
        for (const int v : points_) offset = std::max(offset, dot(normal, hull_.vertices[v]));
        hull_.face_normals.push_back(normal);
        hull_.face_offsets.push_back(offset);
        hull_.face_vertices.insert(hull_.face_vertices.end(), polygon_.begin(), polygon_.end());
        hull_.face_begin.push_back(static_cast<int>(hull_.face_vertices.size()));
        return true;
    }

    // The convex hull of points_ in the plane, counter-clockwise about the normal, by Andrew's two chains.
    void find_polygon(const Vec3d& normal) {
        // The coordinate that the normal is least along gives the first axis.
        int least = 0;
        for (int i = 1; i < 3; ++i)
            if (std::fabs(normal[i]) < std::fabs(normal[least])) least = i;
        Vec3d u = Vec3d::zero();
        u[least] = 1;
        u = u - dot(u, normal) * normal;
        u = (1 / std::sqrt(dot(u, u))) * u;
        const Vec3d v = cross(normal, u);

        struct Point {
            double x, y;
            int vertex;
        };
        std::vector<Point> points;
        for (const int p : points_)
            points.push_back({dot(u, hull_.vertices[p]), dot(v, hull_.vertices[p]), p});
        std::sort(points.begin(), points.end(),
                  [](const Point& a, const Point& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });

        // Less of a turn is the rounding of vertices along an edge.
        constexpr double min_turn = 1e-9;
        const auto turns_left = [&](int a, int b, const Point& c) {
            const double ux = points[b].x - points[a].x, uy = points[b].y - points[a].y;
            const double vx = c.x - points[b].x, vy = c.y - points[b].y;
            return ux * vy - uy * vx > min_turn * std::sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy));
        };
        std::vector<int> chain;
        const auto add = [&](int i, std::size_t fixed) {
            while (chain.size() >= fixed + 2 && !turns_left(chain.end()[-2], chain.back(), points[i]))
                chain.pop_back();
            chain.push_back(i);
        };
        const int count = static_cast<int>(points.size());
        for (int i = 0; i < count; ++i) add(i, 0);
        const std::size_t lower = chain.size() - 1;
        for (int i = count - 2; i >= 0; --i) add(i, lower);
        chain.pop_back();  // the first again

        polygon_.clear();
        for (const int i : chain) polygon_.push_back(points[i].vertex);
    }

    HullGeometry& hull_;
    std::vector<Triangle> triangles_;
    double tolerance_;
    std::vector<Triangle> neighbours_;  // across the edge from vertex k to vertex k + 1
    std::vector<bool> taken_;
    std::vector<int> region_, points_, polygon_;
};

void find_neighbors(HullGeometry& hull, const std::vector<Triangle>& triangles) {
    std::vector<std::pair<int, int>> pairs;
    pairs.reserve(6 * triangles.size());
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k) {
            pairs.emplace_back(t[k], t[(k + 1) % 3]);
            pairs.emplace_back(t[(k + 1) % 3], t[k]);
        }
    Lists around = gather(pairs, static_cast<int>(hull.vertices.size()));
    hull.neighbor_begin = std::move(around.begin);
    hull.neighbors = std::move(around.items);
}

// The centre of the volume: the mean of the pyramids from the mean vertex to the triangles.
Vec3d center_of_volume(const HullGeometry& hull, const std::vector<Triangle>& triangles) {
    Vec3d apex = Vec3d::zero();
    for (const Vec3d& p : hull.vertices) apex += p;
    apex = (1.0 / static_cast<double>(hull.vertices.size())) * apex;
    double volume = 0;
    Vec3d moment = Vec3d::zero();
    for (const Triangle& t : triangles) {
        const Vec3d a = hull.vertices[t[0]] - apex, b = hull.vertices[t[1]] - apex,
                    c = hull.vertices[t[2]] - apex;
        const double part = std::max(0.0, dot(cross(a, b), c));  // negative by rounding only
        volume += part;
        moment += part * (a + b + c);
    }
    return volume > 0 ? apex + (0.25 / volume) * moment : apex;
}

// Each cell begins where the one before it ended, so that few steps are taken per cell.
void find_starts(HullGeometry& hull, double size) {
    const int count = static_cast<int>(hull.vertices.size());
    if (hull.vertices.size() <= few_vertices) return;
    const double shortest = shortest_edge_to_climb * size;
    for (int v = 0; v < count; ++v)
        for (int i = hull.neighbor_begin[v]; i < hull.neighbor_begin[v + 1]; ++i) {
            const Vec3d edge = hull.vertices[hull.neighbors[i]] - hull.vertices[v];
            if (dot(edge, edge) < shortest * shortest) return;
        }
    // About two cells per vertex; a finer map would push others out of the cache.
    const int resolution = std::clamp(static_cast<int>(std::sqrt(count / 3.0)), 2, 24);
    std::vector<int> starts;
    for (int side = 0; side < 6; ++side)
        for (int i = 0; i < resolution; ++i)
            for (int j = 0; j < resolution; ++j) {
                const int axis = side / 2;
                Vec3d d;
                d[axis] = side % 2 == 0 ? 1 : -1;
                d[(axis + 1) % 3] = (2 * i + 1.0) / resolution - 1;
                d[(axis + 2) % 3] = (2 * j + 1.0) / resolution - 1;
                // The first cell of a side looks at all vertices: climbing to it from afar meets flat places.
                starts.push_back(i + j == 0 ? hull_support(hull, d) : hull_climb(hull, d, starts.back()));
            }
    hull.start_resolution = resolution;
    hull.starts = std::move(starts);
}

}  // namespace

std::variant<HullGeometry, geometry::HullFault> make_hull_geometry(std::span<const Vec3d> points,
                                                                   int max_vertices) {
    const auto made = geometry::convex_hull(points, max_vertices);
    if (const auto* fault = std::get_if<geometry::HullFault>(&made)) return *fault;
    const geometry::ConvexHull& raw = std::get<geometry::ConvexHull>(made);

    HullGeometry hull;
    hull.bounds = Bounds::nothing();
    std::vector<int> renumbered(points.size(), -1);
    for (const int v : raw.vertices) {
        renumbered[v] = static_cast<int>(hull.vertices.size());
        hull.vertices.push_back(points[v]);
        hull.bounds.add(points[v]);
    }
    std::vector<Triangle> triangles;
    for (const Triangle& t : raw.faces)
        triangles.push_back({renumbered[t[0]], renumbered[t[1]], renumbered[t[2]]});
    const Vec3d diagonal = hull.bounds.upper - hull.bounds.lower;
    const double size = std::sqrt(dot(diagonal, diagonal));

    find_neighbors(hull, triangles);
    hull.center = center_of_volume(hull, triangles);
    find_starts(hull, size);
    FaceMerger(hull, std::move(triangles), size).run();
    return hull;
}

namespace {

// map: the matrix m, or as a symmetric one.
template <class Map>
void stretch(const HullGeometry& rest, const Map& map, const Mat3d& m, HullGeometry& out) {
    out.start_resolution = 0;  // where to begin is another place now
    out.bounds = Bounds::nothing();
    for (std::size_t v = 0; v < rest.vertices.size(); ++v) {
        out.vertices[v] = map * rest.vertices[v];
        out.bounds.add(out.vertices[v]);
    }
    out.center = map * rest.center;
    // Normals go by the cofactors.
    const Mat3d cofactors{cross(m.y, m.z), cross(m.z, m.x), cross(m.x, m.y)};
    for (int f = 0; f < rest.face_count(); ++f) {
        const Vec3d n = cofactors * rest.face_normals[f];
        out.face_normals[f] = (1 / std::sqrt(dot(n, n))) * n;
        out.face_offsets[f] = dot(out.face_normals[f], out.vertices[out.face(f)[0]]);
    }
}

}  // namespace

void stretch_hull(const HullGeometry& rest, const Sym3d& S, HullGeometry& out) {
    stretch(rest, S, S.full(), out);
}
void stretch_hull(const HullGeometry& rest, const Mat3d& A, HullGeometry& out) { stretch(rest, A, A, out); }

}  // namespace lig
