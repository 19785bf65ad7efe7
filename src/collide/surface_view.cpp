// The views' share of looking around: neighbours of triangles in a mesh are stored, those in a height field
// follow from the numbers of rows and columns.

#include "collide/surface_view.h"

#include "core/length.h"

#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

// Of the box, 0 inside.
double square_of_distance(const Bounds& box, const Vec3d& p) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double out = std::max({box.lower[i] - p[i], p[i] - box.upper[i], 0.0});
        sum += out * out;
    }
    return sum;
}

struct NearestSearch {
    Vec3d p;
    double least;  // square
    int triangle = -1;
    PointOnTriangle at{};

    NearestSearch(const Vec3d& p, double reach) : p(p), least(reach * reach) {}

    template <class View>
    void consider(const View& view, int t) {
        const SurfaceTriangle candidate = view.triangle(t);
        const PointOnTriangle here = nearest_on_triangle(candidate.corners, candidate.normal, p);
        const Vec3d gap = here.point - p;
        const double square = dot(gap, gap);
        // Of equals the first number counts, whatever the order of the search.
        if (square < least || (square == least && (triangle < 0 || t < triangle))) {
            least = square;
            triangle = t;
            at = here;
        }
    }
    std::optional<NearestOnSurface> found() const {
        if (triangle < 0) return std::nullopt;
        return NearestOnSurface{triangle, at, least};
    }
};

}  // namespace

// ----------------------------------------------------------------------------------------------- trimesh

SurfaceTriangle TrimeshView::triangle(int t) const {
    const TriangleSurface::Triangle& triangle = surface_.triangles[t];
    SurfaceTriangle made{.corners = {}, .normal = triangle.normal, .vertices = {}};
    for (int k = 0; k < 3; ++k) {
        made.corners[k] = surface_.vertices[triangle.vertices[k]] - origin_;
        made.vertices[k] = static_cast<std::uint32_t>(triangle.vertices[k]);
    }
    return made;
}

std::optional<EdgeNeighbor> TrimeshView::across_edge(int t, int k) const {
    const int next = surface_.triangles[t].neighbors[k];
    if (next < 0) return std::nullopt;
    // The neighbour has the edge the other way round: after its start there comes the far corner.
    const int from = surface_.triangles[t].vertices[k];
    const TriangleSurface::Triangle& neighbor = surface_.triangles[next];
    const int far = neighbor.vertices[(corner_at(next, from) + 1) % 3];
    return EdgeNeighbor{surface_.vertices[far] - surface_.vertices[from], neighbor.normal};
}

std::optional<NearestOnSurface> TrimeshView::nearest(const Vec3d& p, double reach) const {
    NearestSearch search(p, reach);
    if (surface_.nodes.empty()) return std::nullopt;
    const Vec3d here = p + origin_;
    struct Waiting {
        int node;
        double square;
    };
    const auto to_node = [&](int node) {
        return Waiting{node, square_of_distance(surface_.nodes[node].bounds, here)};
    };
    // Nearer boxes first: most of the others need not be looked into.
    std::array<Waiting, TriangleSurface::max_depth> waiting;
    int count = 0;
    Waiting at = to_node(0);
    while (true) {
        if (at.square <= search.least) {
            const TriangleSurface::Node& node = surface_.nodes[at.node];
            if (node.count == 0) {
                Waiting near = to_node(at.node + 1), far = to_node(node.second);
                if (far.square < near.square) std::swap(near, far);
                waiting[count++] = far;
                at = near;
                continue;
            }
            for (int i = node.begin; i < node.begin + node.count; ++i)
                search.consider(*this, surface_.order[i]);
        }
        if (count == 0) return search.found();
        at = waiting[--count];
    }
}

std::optional<WayOut> TrimeshView::way_out(const Vec3d& inside, double reach) const {
    if (!surface_.closed) return std::nullopt;
    const std::optional<NearestOnSurface> found = nearest(inside, reach);
    if (!found) return std::nullopt;
    const PointOnTriangle& at = found->at;
    const SurfaceTriangle triangle = this->triangle(found->triangle);
    const Vec3d out = outward_at(*this, found->triangle, triangle, at), gap = at.point - inside;
    if (!(dot(out, gap) >= 0)) return std::nullopt;
    if (at.region == TriangleRegion::face) return WayOut{triangle.normal, at.point};
    const double distance = length(gap);
    // On the surface itself the gap has no direction.
    const double size = length(triangle.corners[1] - triangle.corners[0]);
    if (distance > 1e-9 * size) return WayOut{(1 / distance) * gap, at.point};
    return WayOut{(1 / length(out)) * out, at.point};
}

// ------------------------------------------------------------------------------------------- height field

HeightFieldView::Side HeightFieldView::side(int segment) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    if (segment < columns) return {{0, segment}, {0, segment + 1}, {0, -1, 0}, {1, 0, 0}};
    segment -= columns;
    if (segment < rows) return {{segment, columns}, {segment + 1, columns}, {1, 0, 0}, {0, 1, 0}};
    segment -= rows;
    if (segment < columns)
        return {{rows, columns - segment}, {rows, columns - segment - 1}, {0, 1, 0}, {-1, 0, 0}};
    segment -= columns;
    return {{rows - segment, 0}, {rows - segment - 1, 0}, {-1, 0, 0}, {0, -1, 0}};
}

int HeightFieldView::triangle_inside(int segment) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    if (segment < columns) return 2 * segment;
    segment -= columns;
    if (segment < rows) return 2 * (segment * columns + columns - 1);
    segment -= rows;
    if (segment < columns) return 2 * ((rows - 1) * columns + columns - 1 - segment) + 1;
    segment -= columns;
    return 2 * ((rows - 1 - segment) * columns) + 1;
}

TriangleCorners HeightFieldView::top_triangle(int t) const {
    TriangleCorners made;
    const auto corners = grid_triangle_corners(grid_, t);
    for (int k = 0; k < 3; ++k) made[k] = top({corners[k][0], corners[k][1]});
    return made;
}

HeightFieldView::Sample HeightFieldView::corner_sample(int t, int k, bool& at_foot) const {
    at_foot = false;
    if (t < side_begin_) {
        const auto corners = grid_triangle_corners(grid_, t);
        return {corners[k][0], corners[k][1]};
    }
    if (t < bottom_begin_) {
        const Side s = side((t - side_begin_) / 2);
        if ((t - side_begin_) % 2 == 0) {
            at_foot = k < 2;
            return k == 0 ? s.left : s.right;
        }
        at_foot = k == 0;
        return k == 1 ? s.right : s.left;
    }
    at_foot = true;
    const int rows = grid_.cell_rows(), columns = grid_.cell_columns();
    if (k == 0) return {0, 0};
    if (t == bottom_begin_) return k == 1 ? Sample{rows, columns} : Sample{0, columns};
    return k == 1 ? Sample{rows, 0} : Sample{rows, columns};
}

SurfaceTriangle HeightFieldView::triangle(int t) const {
    SurfaceTriangle made;
    for (int k = 0; k < 3; ++k) {
        bool at_foot;
        const Sample s = corner_sample(t, k, at_foot);
        made.corners[k] = at_foot ? foot(s) : top(s);
        made.vertices[k] = number(s, at_foot);
    }
    if (t < side_begin_) {
        const Vec3d n = cross(made.corners[1] - made.corners[0], made.corners[2] - made.corners[0]);
        made.normal = (1 / length(n)) * n;
    } else if (t < bottom_begin_) {
        made.normal = side((t - side_begin_) / 2).normal;
    } else {
        made.normal = {0, 0, -1};
    }
    return made;
}

std::optional<EdgeNeighbor> HeightFieldView::across_edge(int t, int k) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    const auto into_top = [&](int neighbor, const Vec3d& from) -> EdgeNeighbor {
        const TriangleCorners c = top_triangle(neighbor);
        const Vec3d n = cross(c[1] - c[0], c[2] - c[0]);
        // The mean of the corners lies off every edge.
        return {(1.0 / 3.0) * ((c[0] - from) + (c[1] - from) + (c[2] - from)), (1 / length(n)) * n};
    };
    const auto down_side = [](const Vec3d& normal) -> EdgeNeighbor { return {{0, 0, -1}, normal}; };

    if (t < side_begin_) {
        const int cell = t / 2, row = cell / columns, column = cell % columns;
        const Vec3d from = top_triangle(t)[k];
        if (t % 2 == 0) {
            if (k == 0) return row > 0 ? into_top(2 * (cell - columns) + 1, from) : down_side({0, -1, 0});
            if (k == 1)
                return column + 1 < columns ? into_top(2 * (cell + 1) + 1, from) : down_side({1, 0, 0});
            return into_top(t + 1, from);
        }
        if (k == 0) return into_top(t - 1, from);
        if (k == 1) return row + 1 < rows ? into_top(2 * (cell + columns), from) : down_side({0, 1, 0});
        return column > 0 ? into_top(2 * (cell - 1), from) : down_side({-1, 0, 0});
    }
    if (t < bottom_begin_) {
        const int segment = (t - side_begin_) / 2, n = border_length();
        const Side here = side(segment);
        if ((t - side_begin_) % 2 == 0) {  // left foot, right foot, right top
            if (k == 0) return EdgeNeighbor{-here.normal, {0, 0, -1}};
            if (k == 1) {
                const Side next = side((segment + 1) % n);
                return EdgeNeighbor{next.along, next.normal};
            }
            return EdgeNeighbor{-here.along, here.normal};
        }
        // left foot, right top, left top
        if (k == 0) return EdgeNeighbor{here.along, here.normal};
        if (k == 1) return into_top(triangle_inside(segment), top(here.right));
        const Side last = side((segment + n - 1) % n);
        return EdgeNeighbor{-last.along, last.normal};
    }
    const auto up_side = [](const Vec3d& normal) -> EdgeNeighbor { return {{0, 0, 1}, normal}; };
    if (t == bottom_begin_) {
        if (k == 0) return EdgeNeighbor{{-grid_.half_x, grid_.half_y, 0}, {0, 0, -1}};
        return k == 1 ? up_side({1, 0, 0}) : up_side({0, -1, 0});
    }
    if (k == 2) return EdgeNeighbor{{grid_.half_x, -grid_.half_y, 0}, {0, 0, -1}};
    return k == 0 ? up_side({-1, 0, 0}) : up_side({0, 1, 0});
}

void HeightFieldView::list_sectors(int t, int k, SectorList& list) const {
    bool at_foot;
    const Sample s = corner_sample(t, k, at_foot);
    if (at_foot)
        list_sectors_of_foot(s, list);
    else
        list_sectors_of_sample(s, list);
}

void HeightFieldView::list_sectors_of_sample(Sample s, SectorList& list) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    const auto add_triangle = [&](int row, int column, int half, int corner) {
        if (row < 0 || column < 0 || row >= rows || column >= columns) return;
        const TriangleCorners c = top_triangle(2 * (row * columns + column) + half);
        const Vec3d n = cross(c[1] - c[0], c[2] - c[0]);
        const Vec3d& center = c[corner];
        list.add({c[(corner + 1) % 3] - center, c[(corner + 2) % 3] - center, (1 / length(n)) * n});
    };
    add_triangle(s.row, s.column, 0, 0);
    add_triangle(s.row, s.column, 1, 0);
    add_triangle(s.row, s.column - 1, 0, 1);
    add_triangle(s.row - 1, s.column - 1, 0, 2);
    add_triangle(s.row - 1, s.column - 1, 1, 1);
    add_triangle(s.row - 1, s.column, 1, 2);

    // The sides below it: to the left and to the right, seen from outside.
    const Vec3d down{0, 0, -1};
    const auto add_side = [&](bool there, const Vec3d& normal, Sample left, Sample right) {
        if (!there) return;
        const auto in_grid = [&](Sample a) {
            return a.row >= 0 && a.row <= rows && a.column >= 0 && a.column <= columns;
        };
        if (in_grid(left)) list.add({top(left) - top(s), down, normal});
        if (in_grid(right)) list.add({down, top(right) - top(s), normal});
    };
    add_side(s.row == 0, {0, -1, 0}, {0, s.column - 1}, {0, s.column + 1});
    add_side(s.column == columns, {1, 0, 0}, {s.row - 1, columns}, {s.row + 1, columns});
    add_side(s.row == rows, {0, 1, 0}, {rows, s.column + 1}, {rows, s.column - 1});
    add_side(s.column == 0, {-1, 0, 0}, {s.row + 1, 0}, {s.row - 1, 0});
}

void HeightFieldView::list_sectors_of_foot(Sample s, SectorList& list) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    const Vec3d up{0, 0, 1}, down{0, 0, -1};
    // Level directions that stay in the field, for the bottom in the end; a sample between two cells of one
    // side has the inside between its two, so that no sector is half a turn.
    const bool west = s.column == 0, east = s.column == columns, south = s.row == 0, north = s.row == rows;
    const auto add_side = [&](bool there, const Vec3d& normal, const Vec3d& along, bool ends_left,
                              bool ends_right) {
        if (!there) return;
        if (!ends_left) list.add({up, -along, normal});
        if (!ends_right) list.add({along, up, normal});
    };
    add_side(south, {0, -1, 0}, {1, 0, 0}, west, east);
    add_side(east, {1, 0, 0}, {0, 1, 0}, south, north);
    add_side(north, {0, 1, 0}, {-1, 0, 0}, east, west);
    add_side(west, {-1, 0, 0}, {0, -1, 0}, north, south);
    for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0}) {
            if ((x < 0 ? west : east) || (y < 0 ? south : north)) continue;
            list.add({{x, 0, 0}, {0, y, 0}, down});
        }
}

HeightFieldView::Sample HeightFieldView::cell_at(const Vec3d& p) const {
    const auto index = [](double x, double half, int n) {
        return static_cast<int>(std::clamp((x + half) / (2 * half) * n, 0.0, n - 1.0));
    };
    return {index(p.y, grid_.half_y, grid_.cell_rows()), index(p.x, grid_.half_x, grid_.cell_columns())};
}

std::optional<NearestOnSurface> HeightFieldView::nearest(const Vec3d& p, double reach) const {
    NearestSearch search(p, reach);
    const Vec3d here = p + origin_;
    // The cell below first: most of the others need not be looked into.
    const Sample below = cell_at(here);
    for (const int half : {0, 1})
        search.consider(*this, 2 * (below.row * grid_.cell_columns() + below.column) + half);
    walk_cells(
        grid_, false, false, [&](const Bounds& box) { return square_of_distance(box, here) <= search.least; },
        [&](int row, int column) {
            for (const int half : {0, 1})
                search.consider(*this, 2 * (row * grid_.cell_columns() + column) + half);
        });
    const double near = std::sqrt(search.least);
    visit_sides(Bounds{here, here}.grown(near), [&](int t) { search.consider(*this, t); });
    for (const int k : {0, 1}) search.consider(*this, bottom_begin_ + k);
    return search.found();
}

std::optional<WayOut> HeightFieldView::way_out(const Vec3d& inside, double) const {
    const Vec3d p = inside + origin_;
    if (!(std::abs(p.x) <= grid_.half_x && std::abs(p.y) <= grid_.half_y && p.z > -grid_.base))
        return std::nullopt;
    const auto [row, column] = cell_at(p);
    const double across = (p.x - grid_.x(column)) / (grid_.x(column + 1) - grid_.x(column));
    const double along = (p.y - grid_.y(row)) / (grid_.y(row + 1) - grid_.y(row));
    const SurfaceTriangle above =
        triangle(2 * (row * grid_.cell_columns() + column) + (along > across ? 1 : 0));
    const double depth = dot(above.normal, above.corners[0] - inside);
    if (!(depth >= 0)) return std::nullopt;

    WayOut best{above.normal, above.corners[0]};
    double least = depth;
    const auto consider = [&](double distance, const Vec3d& normal) {
        if (distance < least) {
            least = distance;
            best = {normal, inside + distance * normal};
        }
    };
    consider(p.x + grid_.half_x, {-1, 0, 0});
    consider(grid_.half_x - p.x, {1, 0, 0});
    consider(p.y + grid_.half_y, {0, -1, 0});
    consider(grid_.half_y - p.y, {0, 1, 0});
    return best;
}

// -------------------------------------------------------------------------------------------- of either view

template <class View>
Vec3d outward_at(const View& view, int t, const SurfaceTriangle& triangle, const PointOnTriangle& at) {
    Vec3d sum = Vec3d::zero();
    switch (at.region) {
        case TriangleRegion::face: return triangle.normal;
        case TriangleRegion::edge: {
            const std::optional<EdgeNeighbor> next = view.across_edge(t, at.k);
            return next ? triangle.normal + next->normal : triangle.normal;
        }
        case TriangleRegion::corner:
            view.around_corner(t, at.k, [&](const VertexSector& s) {
                const Vec3d area = cross(s.first, s.second);
                sum += std::atan2(length(area), dot(s.first, s.second)) * s.normal;
                return true;
            });
            return sum;
    }
    return triangle.normal;
}

template <class View>
bool is_nearest_around(const View& view, int t, const SurfaceTriangle& triangle, const PointOnTriangle& at,
                       const Vec3d& n, double slope) {
    const auto turns_away = [&](const Vec3d& into) { return dot(n, into) <= slope * length(into); };
    switch (at.region) {
        case TriangleRegion::face:
            return std::abs(dot(n, triangle.normal)) > 0.5 &&
                   length(cross(n, triangle.normal)) <= slope;
        case TriangleRegion::edge: {
            // Along the edge there is nowhere to go: what counts is square to it.
            const Vec3d from = triangle.corners[at.k];
            const Vec3d edge = triangle.corners[(at.k + 1) % 3] - from;
            const auto square_to_edge = [&](const Vec3d& v) {
                return v - dot(v, edge) / dot(edge, edge) * edge;
            };
            if (!turns_away(square_to_edge(triangle.corners[(at.k + 2) % 3] - from))) return false;
            const std::optional<EdgeNeighbor> next = view.across_edge(t, at.k);
            return !next || turns_away(square_to_edge(next->into));
        }
        case TriangleRegion::corner: {
            bool all = true;
            view.around_corner(t, at.k, [&](const VertexSector& s) {
                all = turns_away(s.first) && turns_away(s.second);
                return all;
            });
            return all;
        }
    }
    return false;
}

template Vec3d outward_at(const TrimeshView&, int, const SurfaceTriangle&, const PointOnTriangle&);
template Vec3d outward_at(const HeightFieldView&, int, const SurfaceTriangle&, const PointOnTriangle&);
template bool is_nearest_around(const TrimeshView&, int, const SurfaceTriangle&, const PointOnTriangle&,
                                const Vec3d&, double);
template bool is_nearest_around(const HeightFieldView&, int, const SurfaceTriangle&, const PointOnTriangle&,
                                const Vec3d&, double);

}  // namespace lig::collide
