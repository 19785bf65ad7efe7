// Neighbours are found by sorting the edges; the tree of boxes by splitting at the best of 16 places by the
// surface area heuristic: a box is entered by a random ray or small shape about as often as its area says, so
// that the cost of a split is area × count of both sides. Everything is decided by the numbers alone and ties
// by the index, so the same mesh gives the same tree.

#include "geometry/triangle_surface.h"

#include "core/scalar_math.h"

#include <cstddef>
#include <numeric>

namespace lig {

namespace {

// Sine of the angle by which two faces have to bend outwards for their edge to be touched as an edge.
// Vertices are often read in single precision, whose rounding bends what was meant to be flat by about as
// much.
constexpr double flat_sine = 1e-6;
constexpr double rounding = std::numeric_limits<double>::epsilon();

struct Edge {
    int low, high;  // vertices
    int triangle, side;
};

bool before(const Vec3d& a, const Vec3d& b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

// For every vertex the first one at its place.
std::vector<int> find_first_at_place(const std::vector<Vec3d>& vertices) {
    std::vector<int> sorted(vertices.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
        if (before(vertices[a], vertices[b])) return true;
        return !before(vertices[b], vertices[a]) && a < b;
    });
    std::vector<int> first(vertices.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const bool same = i > 0 && !before(vertices[sorted[i - 1]], vertices[sorted[i]]);
        first[sorted[i]] = same ? first[sorted[i - 1]] : sorted[i];
    }
    return first;
}

void add_triangles(const TriangleMesh& mesh, TriangleSurface& surface) {
    const std::vector<int> first = find_first_at_place(mesh.vertices);
    std::vector<int> number(mesh.vertices.size(), -1);
    for (const std::array<int, 3>& face : mesh.faces) {
        const Vec3d a = mesh.vertices[face[0]], b = mesh.vertices[face[1]], c = mesh.vertices[face[2]];
        const Vec3d ab = b - a, bc = c - b, ca = a - c;
        const double longest = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
        const Vec3d n = cross(ab, -ca);
        const double twice_area = sqrt(dot(n, n));
        if (!(twice_area > 4 * rounding * longest)) continue;

        TriangleSurface::Triangle triangle{.vertices = {},
                                           .neighbors = {-1, -1, -1},
                                           .edge_sharp = {true, true, true},
                                           .normal = (1 / twice_area) * n};
        for (int k = 0; k < 3; ++k) {
            int& v = number[first[face[k]]];
            if (v < 0) {
                v = static_cast<int>(surface.vertices.size());
                surface.vertices.push_back(mesh.vertices[face[k]]);
            }
            triangle.vertices[k] = v;
        }
        surface.triangles.push_back(triangle);
    }
}

// Whether the surface bends outwards from the first triangle to the second: its far corner lies below.
bool bends_outwards(const TriangleSurface& surface, const Edge& from, const Edge& to) {
    const TriangleSurface::Triangle& triangle = surface.triangles[from.triangle];
    const TriangleSurface::Triangle& next = surface.triangles[to.triangle];
    const Vec3d corner = surface.vertices[next.vertices[(to.side + 2) % 3]];
    const Vec3d a = surface.vertices[to.low], b = surface.vertices[to.high];
    const Vec3d along = b - a, across = corner - a;
    const Vec3d area = cross(along, across);
    const double height = sqrt(dot(area, area) / dot(along, along));  // of the corner over the edge
    return dot(triangle.normal, across) < -flat_sine * height;
}

void connect_neighbors(TriangleSurface& surface) {
    std::vector<Edge> edges;
    edges.reserve(3 * surface.triangles.size());
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = surface.triangles[t].vertices[k], b = surface.triangles[t].vertices[(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), t, k});
        }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        if (a.low != b.low) return a.low < b.low;
        if (a.high != b.high) return a.high < b.high;
        return a.triangle < b.triangle;  // no triangle has an edge twice
    });

    surface.closed = !edges.empty();
    for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
        end = begin + 1;
        while (end < edges.size() && edges[end].low == edges[begin].low &&
               edges[end].high == edges[begin].high)
            ++end;
        const auto starts_low = [&](const Edge& e) {
            return surface.triangles[e.triangle].vertices[e.side] == e.low;
        };
        if (end - begin != 2 || starts_low(edges[begin]) == starts_low(edges[begin + 1])) {
            surface.closed = false;
            continue;
        }
        const Edge &a = edges[begin], &b = edges[begin + 1];
        const bool sharp = bends_outwards(surface, a, b);
        surface.triangles[a.triangle].neighbors[a.side] = b.triangle;
        surface.triangles[b.triangle].neighbors[b.side] = a.triangle;
        surface.triangles[a.triangle].edge_sharp[a.side] = sharp;
        surface.triangles[b.triangle].edge_sharp[b.side] = sharp;
    }
}

// ------------------------------------------------------------------------------------------------- the tree

constexpr int leaf_size = 4;
constexpr int bin_count = 16;
// From this depth on halves are equal, so that at most 31 levels follow.
constexpr int depth_of_halving = TriangleSurface::max_depth - 32;

double half_area(const Bounds& b) {
    const Vec3d d = b.upper - b.lower;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

class TreeBuilder {
public:
    explicit TreeBuilder(TriangleSurface& surface) : surface_(surface) {
        const int n = static_cast<int>(surface.triangles.size());
        surface.order.resize(n);
        std::iota(surface.order.begin(), surface.order.end(), 0);
        for (int t = 0; t < n; ++t) {
            boxes_.push_back(triangle_bounds(surface, t));
            centers_.push_back(0.5 * boxes_.back().lower + 0.5 * boxes_.back().upper);
        }
    }

    void build() {
        struct Waiting {
            int begin, end, depth;
            int parent;  // whose second child this is; −1: the root, or a first child
        };
        std::vector<Waiting> waiting{{0, static_cast<int>(surface_.order.size()), 0, -1}};
        if (surface_.order.empty()) return;
        while (!waiting.empty()) {
            const Waiting job = waiting.back();
            waiting.pop_back();
            const int index = static_cast<int>(surface_.nodes.size());
            if (job.parent >= 0) surface_.nodes[job.parent].second = index;

            Bounds box = Bounds::nothing();
            for (int i = job.begin; i < job.end; ++i) box.add(boxes_[surface_.order[i]]);
            const int count = job.end - job.begin;
            if (count <= leaf_size) {
                surface_.nodes.push_back({box, job.begin, count, -1});
                continue;
            }
            surface_.nodes.push_back({box, job.begin, 0, -1});
            const int middle = job.depth < depth_of_halving ? split_by_area(job.begin, job.end)
                                                            : split_in_halves(job.begin, job.end);
            waiting.push_back({middle, job.end, job.depth + 1, index});
            waiting.push_back({job.begin, middle, job.depth + 1, -1});
        }
    }

private:
    Bounds bounds_of_centers(int begin, int end) const {
        Bounds box = Bounds::nothing();
        for (int i = begin; i < end; ++i) box.add(centers_[surface_.order[i]]);
        return box;
    }

    int split_in_halves(int begin, int end) {
        const Bounds box = bounds_of_centers(begin, end);
        const Vec3d extent = box.upper - box.lower;
        const int axis =
            extent.x >= extent.y ? (extent.x >= extent.z ? 0 : 2) : (extent.y >= extent.z ? 1 : 2);
        const int middle = begin + (end - begin) / 2;
        std::nth_element(
            surface_.order.begin() + begin, surface_.order.begin() + middle, surface_.order.begin() + end,
            [&](int a, int b) {
                return centers_[a][axis] != centers_[b][axis] ? centers_[a][axis] < centers_[b][axis] : a < b;
            });
        std::sort(surface_.order.begin() + begin, surface_.order.begin() + middle);
        std::sort(surface_.order.begin() + middle, surface_.order.begin() + end);
        return middle;
    }

    int split_by_area(int begin, int end) {
        const Bounds box = bounds_of_centers(begin, end);
        const Vec3d extent = box.upper - box.lower;
        const auto bin_of = [&](int triangle, int axis) {
            const double along = (centers_[triangle][axis] - box.lower[axis]) / extent[axis];
            return std::min(bin_count - 1, static_cast<int>(along * bin_count));
        };

        double least = std::numeric_limits<double>::infinity();
        int best_axis = -1, best_bin = 0;  // the last bin of the first half
        for (int axis = 0; axis < 3; ++axis) {
            if (!(extent[axis] > 0)) continue;
            std::array<Bounds, bin_count> bins;
            std::array<int, bin_count> counts{};
            bins.fill(Bounds::nothing());
            for (int i = begin; i < end; ++i) {
                const int b = bin_of(surface_.order[i], axis);
                bins[b].add(boxes_[surface_.order[i]]);
                ++counts[b];
            }
            std::array<double, bin_count> cost_after{};
            Bounds sum = Bounds::nothing();
            for (int b = bin_count - 1, n = 0; b > 0; --b) {
                sum.add(bins[b]);
                n += counts[b];
                cost_after[b - 1] = n > 0 ? n * half_area(sum) : 0;
            }
            sum = Bounds::nothing();
            for (int b = 0, n = 0; b < bin_count - 1; ++b) {
                sum.add(bins[b]);
                n += counts[b];
                if (n == 0 || n == end - begin) continue;
                const double cost = n * half_area(sum) + cost_after[b];
                if (cost < least) {
                    least = cost;
                    best_axis = axis;
                    best_bin = b;
                }
            }
        }
        if (best_axis < 0) return split_in_halves(begin, end);
        const auto first = surface_.order.begin() + begin, last = surface_.order.begin() + end;
        const auto middle =
            std::partition(first, last, [&](int t) { return bin_of(t, best_axis) <= best_bin; });
        std::sort(first, middle);
        std::sort(middle, last);
        return static_cast<int>(middle - surface_.order.begin());
    }

    TriangleSurface& surface_;
    std::vector<Bounds> boxes_;
    std::vector<Vec3d> centers_;
};

}  // namespace

TriangleSurface make_triangle_surface(const TriangleMesh& mesh) {
    TriangleSurface surface;
    add_triangles(mesh, surface);
    connect_neighbors(surface);
    TreeBuilder(surface).build();
    return surface;
}

}  // namespace lig
