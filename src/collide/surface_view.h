#pragma once

// A surface of triangles and a height field seen alike: triangles by number, and what lies around their edges
// and corners. Positions are relative to a point of the surface's frame, that of a shape nearby: a small
// shape far out on a large surface loses no digits.

#include "collide/triangle_distance.h"
#include "geometry/height_grid.h"
#include "geometry/triangle_surface.h"

#include <cstdint>
#include <optional>

namespace lig::collide {

struct SurfaceTriangle {
    TriangleCorners corners;
    Vec3d normal;
    std::array<std::uint32_t, 3> vertices;  // numbers that tell the vertices of the surface apart
};

// What meets a triangle at an edge: a direction into it, and its normal.
struct EdgeNeighbor {
    Vec3d into, normal;
};
// The corner of a triangle at a vertex: the directions of its two edges, counter-clockwise, and its normal.
struct VertexSector {
    Vec3d first, second, normal;
};

// The point of a surface that is nearest to another one.
struct NearestOnSurface {
    int triangle;
    PointOnTriangle at;
    double square;  // of the distance
};

// Where a point inside a solid comes out: the direction, and a point of the plane square to it that it has to
// pass.
struct WayOut {
    Vec3d normal, point;
};

class TrimeshView {
public:
    TrimeshView(const TriangleSurface& surface, const Vec3d& origin) : surface_(surface), origin_(origin) {}

    bool solid() const { return surface_.closed; }

    template <class Visit>
    void visit(const Bounds& box, Visit&& visit) const {
        visit_triangles(surface_, {box.lower + origin_, box.upper + origin_}, visit);
    }

    SurfaceTriangle triangle(int t) const;

    // Nothing at a free edge.
    std::optional<EdgeNeighbor> across_edge(int t, int k) const;

    // Calls see(sector) for triangle t and all that are joined to it by edges at its corner k, until it says
    // false.
    template <class See>
    void around_corner(int t, int k, See&& see) const {
        const int center = surface_.triangles[t].vertices[k];
        if (!see(sector(t, k))) return;
        for (const int side :
             {0, 2}) {  // across the edge that leaves the corner, then across the one that comes
            for (int at = t, corner = k;;) {
                at = surface_.triangles[at].neighbors[(corner + side) % 3];
                if (at == t) return;
                if (at < 0) break;
                corner = corner_at(at, center);
                if (!see(sector(at, corner))) return;
            }
        }
    }

    // Nothing: farther than `reach`.
    std::optional<NearestOnSurface> nearest(const Vec3d& p, double reach) const;

    // For a point inside a closed surface and no farther than `reach` from it; otherwise nothing.
    std::optional<WayOut> way_out(const Vec3d& inside, double reach) const;

private:
    int corner_at(int t, int vertex) const {
        const std::array<int, 3>& v = surface_.triangles[t].vertices;
        if (v[0] == vertex) return 0;
        return v[1] == vertex ? 1 : 2;
    }
    VertexSector sector(int t, int k) const {
        const TriangleSurface::Triangle& triangle = surface_.triangles[t];
        const Vec3d& center = surface_.vertices[triangle.vertices[k]];
        return {surface_.vertices[triangle.vertices[(k + 1) % 3]] - center,
                surface_.vertices[triangle.vertices[(k + 2) % 3]] - center, triangle.normal};
    }

    const TriangleSurface& surface_;
    Vec3d origin_;
};

// A height field is the boundary of a solid: the triangles of its grid first, then two for every segment of
// its border, which are its sides, and two for its bottom. The border is counted counter-clockwise seen from
// above, from the corner of smallest x and y on.
class HeightFieldView {
public:
    HeightFieldView(const HeightGrid& grid, const Vec3d& origin)
        : grid_(grid),
          origin_(origin),
          side_begin_(2 * grid.cell_rows() * grid.cell_columns()),
          bottom_begin_(side_begin_ + 4 * (grid.cell_rows() + grid.cell_columns())) {}

    bool solid() const { return true; }

    template <class Visit>
    void visit(const Bounds& box, Visit&& visit) const {
        visit_triangles(grid_, {box.lower + origin_, box.upper + origin_}, visit);
        visit_border(box, visit);
    }
    // Only the sides and the bottom.
    template <class Visit>
    void visit_border(const Bounds& box, Visit&& visit) const {
        const Bounds here{box.lower + origin_, box.upper + origin_};
        visit_sides(here, visit);
        if (here.overlaps(bottom())) {
            visit(bottom_begin_);
            visit(bottom_begin_ + 1);
        }
    }

    SurfaceTriangle triangle(int t) const;

    std::optional<EdgeNeighbor> across_edge(int t, int k) const;

    template <class See>
    void around_corner(int t, int k, See&& see) const {
        SectorList sectors;
        list_sectors(t, k, sectors);
        for (int i = 0; i < sectors.count; ++i)
            if (!see(sectors.sectors[i])) return;
    }

    std::optional<NearestOnSurface> nearest(const Vec3d& p, double reach) const;

    // For any point inside: up through the surface above it, or out of a side that is nearer.
    std::optional<WayOut> way_out(const Vec3d& inside, double reach) const;

private:
    struct Sample {
        int row, column;
    };
    // A border segment seen from outside: from its left end to its right one.
    struct Side {
        Sample left, right;
        Vec3d normal, along;  // unit, level
    };
    // Six triangles of the grid around a sample and two sides, or two sides and the bottom.
    struct SectorList {
        std::array<VertexSector, 10> sectors;
        int count = 0;
        void add(const VertexSector& s) { sectors[count++] = s; }
    };

    Vec3d top(Sample s) const { return grid_.sample(s.row, s.column) - origin_; }
    Vec3d foot(Sample s) const {
        return Vec3d{grid_.x(s.column), grid_.y(s.row), -grid_.base} - origin_;
    }
    Bounds bottom() const {
        return {{-grid_.half_x, -grid_.half_y, -grid_.base}, {grid_.half_x, grid_.half_y, -grid_.base}};
    }
    std::uint32_t number(Sample s, bool at_foot) const {
        const std::uint32_t n = static_cast<std::uint32_t>(s.row) * grid_.columns + s.column;
        return at_foot ? n + static_cast<std::uint32_t>(grid_.rows) * grid_.columns : n;
    }
    int border_length() const { return (bottom_begin_ - side_begin_) / 2; }
    Side side(int segment) const;
    // The triangle of the grid that ends at a border segment.
    int triangle_inside(int segment) const;
    TriangleCorners top_triangle(int t) const;
    void list_sectors(int t, int k, SectorList& list) const;
    void list_sectors_of_sample(Sample s, SectorList& list) const;
    void list_sectors_of_foot(Sample s, SectorList& list) const;
    Sample corner_sample(int t, int k, bool& at_foot) const;
    // The cell below or above a point of the field's frame, or the one next to it.
    Sample cell_at(const Vec3d& p) const;

    template <class Visit>
    void visit_sides(const Bounds& here, Visit&& visit) const;

    const HeightGrid& grid_;
    Vec3d origin_;
    int side_begin_, bottom_begin_;
};

template <class Visit>
void HeightFieldView::visit_sides(const Bounds& here, Visit&& visit) const {
    const int columns = grid_.cell_columns(), rows = grid_.cell_rows();
    // The cells of a row or column that [low, high] reaches, one more at each end for rounding.
    const auto range = [](double low, double high, double half, int n) {
        const double scale = n / (2 * half);
        const double first = std::clamp((low + half) * scale - 1, 0.0, static_cast<double>(n));
        const double last = std::clamp((high + half) * scale + 1, 0.0, static_cast<double>(n));
        return std::array<int, 2>{static_cast<int>(first), static_cast<int>(last)};
    };
    const auto [c0, c1] = range(here.lower.x, here.upper.x, grid_.half_x, columns);
    const auto [r0, r1] = range(here.lower.y, here.upper.y, grid_.half_y, rows);
    const auto visit_segments = [&](int begin, int end) {
        for (int segment = begin; segment < end; ++segment) {
            const Side s = side(segment);
            Bounds box = Bounds::nothing();
            for (const Vec3d& p : {top(s.left), top(s.right), foot(s.left), foot(s.right)})
                box.add(p + origin_);
            if (!box.overlaps(here)) continue;
            visit(side_begin_ + 2 * segment);
            visit(side_begin_ + 2 * segment + 1);
        }
    };
    const auto reaches = [](double low, double high, double at) { return low <= at && at <= high; };
    if (reaches(here.lower.y, here.upper.y, -grid_.half_y)) visit_segments(c0, c1);
    if (reaches(here.lower.x, here.upper.x, grid_.half_x)) visit_segments(columns + r0, columns + r1);
    if (reaches(here.lower.y, here.upper.y, grid_.half_y))
        visit_segments(columns + rows + (columns - c1), columns + rows + (columns - c0));
    if (reaches(here.lower.x, here.upper.x, -grid_.half_x))
        visit_segments(2 * columns + rows + (rows - r1), 2 * columns + rows + (rows - r0));
}

// ---------------------------------------------------------------------------------------------------------

// The normal at a point of a surface: that of the face, or of those that meet there, weighted by their angles
// at a corner (Bærentzen and Aanæs 2005). A point nearest to p sees p in front exactly when this looks
// towards p.
template <class View>
Vec3d outward_at(const View& view, int t, const SurfaceTriangle& triangle, const PointOnTriangle& at);

// Whether no point of the surface around `at` is nearer to something that is seen from there along n: n makes
// no acute angle with any direction into the surface, up to `slope` (sine).
template <class View>
bool is_nearest_around(const View& view, int t, const SurfaceTriangle& triangle, const PointOnTriangle& at,
                       const Vec3d& n, double slope);

extern template Vec3d outward_at(const TrimeshView&, int, const SurfaceTriangle&, const PointOnTriangle&);
extern template Vec3d outward_at(const HeightFieldView&, int, const SurfaceTriangle&, const PointOnTriangle&);
extern template bool is_nearest_around(const TrimeshView&, int, const SurfaceTriangle&,
                                       const PointOnTriangle&, const Vec3d&, double);
extern template bool is_nearest_around(const HeightFieldView&, int, const SurfaceTriangle&,
                                       const PointOnTriangle&, const Vec3d&, double);

}  // namespace lig::collide
