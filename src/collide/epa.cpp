// The differences of the cores are a convex set W that contains the origin, and the shortest way out is the
// least distance of the planes that touch W from the origin. The expanding polytope algorithm encloses it:
// the hull of some points of W lies inside W, so no touching plane is nearer than the plane of its nearest
// face; a touching plane parallel to that face is a way out, though perhaps not the shortest. The farthest
// point of W along the face's normal then joins the hull.
//
// Three things differ from the usual form.
// - Which faces the new point sees is decided on a grid of 2⁻⁴⁰ of the size, in whole numbers without
//   rounding, so the hull is closed and convex for coplanar points and slivers too. Only which points
//   belong to the hull depends on the grid; planes and depths are of the points themselves. A sliver's
//   normal may be wrong; but the normals of a sliver lie between those of its neighbours, among which the
//   distance is least at the ends, so slivers are left out.
// - The way out of a face is followed down to the least depth nearby (local_depth.h), which reaches all
//   digits on round shapes after few steps, where adding points alone would go on for hundreds. Its points
//   join the hull.
// - The hull need not contain the origin at the start, or at all: distances of faces have a sign. Nearly
//   touching shapes are no special case.
//
// The search ends when no face is nearer than the best way out. Round shapes deep in each other have many
// faces about as near; after `patient_vertices` points a difference of 2e-8 of the size suffices, and after
// `max_vertices` the best is taken, of it and of the descents from a few more faces. `bound` tells what was
// not excluded.

#include "collide/epa.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lig::collide {

namespace {

constexpr int max_vertices = 128;
constexpr int patient_vertices = 32;
constexpr double patient_tolerance = 1e-14;  // relative to the size of W
constexpr double impatient_tolerance = 2e-8;  // likewise
constexpr double well_spanned = 1e-4;  // the height of a tetrahedron to begin with, likewise
constexpr double flat = 4e-12;  // W thinner than this, relative to its size, has no inside
constexpr double no_normal = 1e-11;  // and a face lower than this no normal
constexpr int last_starts = 4;
constexpr double near_direction = 0.95;  // cosine
constexpr double infinity = std::numeric_limits<double>::infinity();

double square(const Vec3d& a) { return dot(a, a); }
Vec3d unit(const Vec3d& a) { return (1 / std::sqrt(square(a))) * a; }

// The axis that is least along a.
Vec3d min_axis(const Vec3d& a) {
    const double x = std::abs(a.x), y = std::abs(a.y), z = std::abs(a.z);
    if (x <= y && x <= z) return {1, 0, 0};
    return y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
}

// A point on the grid. Coordinates are below 2⁴⁰, so determinants of differences are below 2¹²⁶.
struct GridPoint {
    std::int64_t x, y, z;
    friend GridPoint operator-(const GridPoint& a, const GridPoint& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
};
__extension__ using Wide = __int128;

class Grid {
public:
    explicit Grid(double size) {
        int exponent;
        std::frexp(size, &exponent);
        scale_ = std::ldexp(1, 40 - exponent);
    }
    GridPoint nearest(const Vec3d& p) const {
        return {std::llrint(scale_ * p.x), std::llrint(scale_ * p.y), std::llrint(scale_ * p.z)};
    }

private:
    double scale_;
};

// The sign of the volume of a, b, c, d: positive when d is on the side from which a, b, c are seen
// counter-clockwise.
int side_of(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
    const GridPoint u = b - a, v = c - a, w = d - a;
    const Wide volume = (Wide(u.y) * v.z - Wide(u.z) * v.y) * w.x +
                        (Wide(u.z) * v.x - Wide(u.x) * v.z) * w.y + (Wide(u.x) * v.y - Wide(u.y) * v.x) * w.z;
    return volume > 0 ? 1 : volume < 0 ? -1
                                       : 0;
}

struct Face {
    std::array<short, 3> vertices;  // counter-clockwise from outside
    std::array<short, 3> neighbors;  // across the edge from vertex i to the next
    Vec3d normal;  // outwards
    double distance;  // of the plane along it; infinite: not to be looked at again
    bool alive;
};

class Polytope {
public:
    static constexpr int face_capacity = 2 * max_vertices;

    explicit Polytope(double size) : size_(size), grid_(size) {}

    int vertex_count() const { return vertex_count_; }
    int face_count() const { return face_count_; }  // including those no longer alive
    Face& face(int f) { return faces_[f]; }

    // False: on the grid the four points are in one plane.
    bool begin(const std::array<CorePoint, 4>& points) {
        for (int i = 0; i < 4; ++i) set_vertex(i, points[i]);
        const int side = side_of(on_grid_[0], on_grid_[1], on_grid_[2], on_grid_[3]);
        if (side == 0) return false;
        if (side > 0) {
            set_vertex(1, points[2]);
            set_vertex(2, points[1]);
        }
        vertex_count_ = 4;
        face_count_ = 4;
        set_face(0, {0, 1, 2});
        set_face(1, {0, 3, 1});
        set_face(2, {1, 3, 2});
        set_face(3, {2, 3, 0});
        faces_[0].neighbors = {1, 2, 3};
        faces_[1].neighbors = {3, 2, 0};
        faces_[2].neighbors = {1, 3, 0};
        faces_[3].neighbors = {2, 1, 0};
        return true;
    }

    // The face nearest to the origin, or −1.
    int nearest() const {
        int best = -1;
        double least = infinity;
        for (int f = 0; f < face_count_; ++f)
            if (faces_[f].alive && faces_[f].distance < least) {
                least = faces_[f].distance;
                best = f;
            }
        return best;
    }

    // The hull with one point more. False: it is not outside `from` (any face: −1), or there is no room.
    bool add(const CorePoint& point, int from = -1) {
        if (vertex_count_ == max_vertices) return false;
        const GridPoint placed = grid_.nearest(point.difference);
        if (from < 0) {
            for (int f = 0; f < face_count_ && from < 0; ++f)
                if (faces_[f].alive && sees(placed, f) > 0) from = f;
            if (from < 0) return false;
        } else if (sees(placed, from) <= 0) {
            return false;
        }

        // The faces it sees, and those it sees edge-on, are removed: what remains is seen from behind, and no
        // new face has zero height.
        std::array<short, face_capacity> removed;
        int removed_count = 0;
        const auto remove = [&](short f) {
            faces_[f].alive = false;
            removed[removed_count++] = f;
        };
        remove(static_cast<short>(from));
        for (int i = 0; i < removed_count; ++i)
            for (const short beyond : faces_[removed[i]].neighbors)
                if (faces_[beyond].alive && sees(placed, beyond) >= 0) remove(beyond);

        // One new face per edge of the horizon.
        struct Edge {
            short from, to, beyond;  // vertices, and the face that remains
        };
        std::array<Edge, face_capacity> horizon;
        std::array<short, max_vertices> edge_from;
        std::fill_n(edge_from.begin(), vertex_count_, short(-1));
        int horizon_count = 0;
        bool single_loop = true;
        for (int i = 0; i < removed_count; ++i) {
            const Face& gone = faces_[removed[i]];
            for (int e = 0; e < 3; ++e) {
                if (!faces_[gone.neighbors[e]].alive) continue;
                const Edge edge{gone.vertices[e], gone.vertices[(e + 1) % 3], gone.neighbors[e]};
                single_loop = single_loop && edge_from[edge.from] < 0;
                if (!single_loop) break;
                edge_from[edge.from] = static_cast<short>(horizon_count);
                horizon[horizon_count++] = edge;
            }
        }
        // Always so on a convex hull; kept as a guard.
        if (!single_loop || horizon_count < 3) {
            for (int i = 0; i < removed_count; ++i) faces_[removed[i]].alive = true;
            return false;
        }

        const short added = static_cast<short>(vertex_count_);
        set_vertex(vertex_count_++, point);
        std::copy_n(removed.begin(), removed_count, free_.begin() + free_count_);
        free_count_ += removed_count;
        std::array<short, face_capacity> made;
        for (int i = 0; i < horizon_count; ++i)
            made[i] = free_count_ > 0 ? free_[--free_count_] : static_cast<short>(face_count_++);
        for (int i = 0; i < horizon_count; ++i) {
            const Edge& edge = horizon[i];
            set_face(made[i], {edge.from, edge.to, added});
            const short next = made[edge_from[edge.to]];
            faces_[made[i]].neighbors[0] = edge.beyond;
            faces_[made[i]].neighbors[1] = next;
            faces_[next].neighbors[2] = made[i];
            Face& beyond = faces_[edge.beyond];
            for (int e = 0; e < 3; ++e)
                if (beyond.vertices[e] == edge.to && beyond.vertices[(e + 1) % 3] == edge.from)
                    beyond.neighbors[e] = made[i];
        }
        return true;
    }

private:
    int sees(const GridPoint& point, int f) const {
        const auto& v = faces_[f].vertices;
        return side_of(on_grid_[v[0]], on_grid_[v[1]], on_grid_[v[2]], point);
    }

    void set_vertex(int v, const CorePoint& point) {
        vertices_[v] = point.difference;
        on_grid_[v] = grid_.nearest(point.difference);
    }

    void set_face(int f, const std::array<short, 3>& v) {
        Face& face = faces_[f];
        face.vertices = v;
        face.alive = true;
        const Vec3d& p = vertices_[v[0]];
        const Vec3d e = vertices_[v[1]] - p, g = vertices_[v[2]] - p, k = g - e;
        const Vec3d n = cross(e, g);
        const double area_square = square(n), longest_square = std::max({square(e), square(g), square(k)});
        if (!(area_square > no_normal * no_normal * size_ * size_ * longest_square)) {
            face.normal = Vec3d::zero();
            face.distance = infinity;
            return;
        }
        face.normal = (1 / std::sqrt(area_square)) * n;
        face.distance = dot(face.normal, p);
    }

    double size_;
    Grid grid_;
    int vertex_count_ = 0, face_count_ = 0, free_count_ = 0;
    std::array<Vec3d, max_vertices> vertices_;
    std::array<GridPoint, max_vertices> on_grid_;
    std::array<Face, face_capacity> faces_;  // face_count_ places, of which
    std::array<short, face_capacity> free_;  // these are not in use
};

// Four points of W that span a volume, if there are: those that GJK ended with, or far points in several
// directions.
struct FirstPoints {
    std::array<CorePoint, 4> corners;
    int dimension = 0;  // of W: 0 a point, … 3
    double size;  // no coordinate of W is larger

    FirstPoints(const CorePair& pair, const GjkResult& overlap) : size(overlap.size) {
        const auto look = [&](const Vec3d& d) {
            const CorePoint p = pair.support(d);
            size = std::max(size, std::sqrt(square(p.difference)));
            return p;
        };
        double longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3d d = Vec3d::zero();
            d[axis] = 1;
            const CorePoint p = look(d), q = look(-d);
            const double length = square(q.difference - p.difference);
            if (length > longest) {
                longest = length;
                corners[0] = p;
                corners[1] = q;
            }
        }
        if (overlap.simplex.count == 4) {
            const auto& p = overlap.simplex.points;
            const Vec3d n = cross(p[1].difference - p[0].difference, p[2].difference - p[0].difference);
            const double volume = std::abs(dot(n, p[3].difference - p[0].difference));
            if (volume > well_spanned * size * std::sqrt(square(n))) {
                corners = p;
                dimension = 3;
                return;
            }
        }

        const Vec3d& origin = corners[0].difference;
        if (!(longest > flat * flat * size * size)) return;
        dimension = 1;

        const Vec3d along = unit(corners[1].difference - origin);
        const Vec3d u = unit(cross(along, min_axis(along))), v = cross(along, u);
        double widest = -1;
        for (const Vec3d& d : {u, -u, v, -v}) {
            const CorePoint p = look(d);
            const double width = square(cross(along, p.difference - origin));
            if (width > widest) {
                widest = width;
                corners[2] = p;
            }
        }
        if (!(widest > flat * flat * size * size)) return;
        dimension = 2;

        const Vec3d normal = unit(cross(along, corners[2].difference - origin));
        const CorePoint p = look(normal), q = look(-normal);
        const double below = std::abs(dot(normal, p.difference - origin));
        const double above = std::abs(dot(normal, q.difference - origin));
        corners[3] = below > above ? p : q;
        if (std::max(below, above) > flat * size) dimension = 3;
    }

    // Square to a W without inside; towards B where there is a choice.
    Vec3d normal(const Vec3d& centers) const {
        if (dimension == 0) return square(centers) > 0 ? unit(centers) : Vec3d{0, 0, 1};
        const Vec3d along = unit(corners[1].difference - corners[0].difference);
        Vec3d n;
        if (dimension == 2) {
            n = unit(cross(along, corners[2].difference - corners[0].difference));
        } else {
            const Vec3d across = centers - dot(centers, along) * along;
            n = square(across) > 1e-20 * square(centers) ? unit(across)
                                                         : unit(cross(along, min_axis(along)));
        }
        return dot(n, centers) < 0 ? -n : n;
    }
};

Penetration penetration_of(const LocalDepth& found) {
    const Vec3d on_a = nearest_on_a(found.touching);
    return {found.normal, found.depth, found.depth, on_a, on_a - found.depth * found.normal, 0};
}

}  // namespace

Penetration penetration(const CorePair& pair, const GjkResult& overlap) {
    const FirstPoints first(pair, overlap);
    const double size = first.size;
    LocalDepth best{Vec3d::zero(), infinity, {}};
    const auto take = [&](const Vec3d& n) {
        const LocalDepth found = descend(pair, n, size);
        if (found.depth < best.depth) best = found;
        return found;
    };

    double bound;
    int vertices = 0;
    Polytope hull(size);
    if (first.dimension < 3 || !hull.begin(first.corners)) {
        take(first.normal(pair.centers()));
        bound = best.depth;
    } else {
        const auto take_and_add = [&](const Vec3d& n) {
            const LocalDepth found = take(n);
            bool grown = hull.add(pair.support(found.normal));
            for (int i = 0; i < found.touching.count; ++i)
                grown = hull.add(found.touching.points[i]) || grown;
            return grown;
        };
        // Of all directions that GJK has looked along, the one of least depth.
        take_and_add(overlap.normal);

        double min_left = infinity;  // of faces that were closed without proof
        for (;;) {
            const int f = hull.nearest();
            const double tolerance =
                size * (hull.vertex_count() < patient_vertices ? patient_tolerance : impatient_tolerance);
            bound = f < 0 ? infinity : hull.face(f).distance;
            if (bound >= best.depth - tolerance || hull.vertex_count() == max_vertices) break;

            const Vec3d n = -hull.face(f).normal;
            const CorePoint farthest = pair.support(n);
            const double depth = -dot(n, farthest.difference);
            if (depth < best.depth - patient_tolerance * size && take_and_add(n)) continue;
            if (!hull.add(farthest, f)) {
                min_left = std::min(min_left, hull.face(f).distance);
                hull.face(f).distance = infinity;
            }
        }
        // Undecided: the opposite direction, which is the next best for anything nearly symmetric, and the
        // lowest directions that the faces offer, away from the best and from each other.
        if (bound < best.depth && hull.vertex_count() == max_vertices) take(-best.normal);
        std::array<Vec3d, last_starts> tried;
        int tries = 0;
        while (bound < best.depth && hull.vertex_count() == max_vertices && tries < last_starts) {
            Vec3d lowest = Vec3d::zero();
            double least = infinity;
            for (int f = 0; f < hull.face_count(); ++f) {
                const Face& face = hull.face(f);
                if (!face.alive || !(face.distance < best.depth)) continue;
                const Vec3d n = -face.normal;
                bool new_one = dot(n, best.normal) < near_direction;
                for (int i = 0; i < tries; ++i) new_one = new_one && dot(n, tried[i]) < near_direction;
                if (!new_one) continue;
                if (const double depth = depth_along(pair, n); depth < least) {
                    least = depth;
                    lowest = n;
                }
            }
            if (least == infinity) break;
            tried[tries++] = lowest;
            take(lowest);
        }
        bound = std::min({bound, min_left, best.depth});
        vertices = hull.vertex_count();
    }

    Penetration result = penetration_of(best);
    result.bound = bound;
    result.vertices = vertices;
    return result;
}

Penetration local_penetration(const CorePair& pair, const Vec3d& normal, double size) {
    return penetration_of(descend(pair, normal, size));
}

}  // namespace lig::collide
