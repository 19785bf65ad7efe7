#include "geometry/convex_hull.h"

#include "geometry/orientation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace lig::geometry {

namespace {

constexpr double largest_coordinate = 1e60;

struct Face {
    std::array<int, 3> vertex;
    std::array<int, 3> neighbour;  // across the edge from vertex[i] to vertex[i + 1]
    Vec3d normal;                  // of unit length, outwards
    double offset;
    std::vector<int> outside;      // points in front of it, each in the list of one face only
    int farthest = -1;             // among them
    double farthest_distance = 0;
    bool alive = true;
    int visited_for = -1;          // the point whose view was asked last
    bool visible = false;
};

class Quickhull {
public:
    Quickhull(std::span<const Vec3d> points, int max_vertices)
        : points_(points), max_vertices_(max_vertices), uses_(points.size(), 0), edge_from_(points.size()) {}

    std::optional<HullFault> run() {
        if (const auto fault = make_simplex()) return fault;
        while (true) {
            if (max_vertices_ >= 0 && vertex_count_ >= max_vertices_) break;
            const int face = next_face();
            if (face < 0) break;
            add_point_beyond(face);
        }
        return std::nullopt;
    }

    ConvexHull result() const {
        ConvexHull hull;
        for (const Face& face : faces_)
            if (face.alive) hull.faces.push_back(face.vertex);
        for (std::size_t i = 0; i < uses_.size(); ++i)
            if (uses_[i] > 0) hull.vertices.push_back(static_cast<int>(i));
        return hull;
    }

private:
    double distance(const Face& face, int point) const {
        return dot(face.normal, points_[point]) - face.offset;
    }
    bool sees(int point, const Face& face) const {
        return orientation(points_[face.vertex[0]], points_[face.vertex[1]], points_[face.vertex[2]],
                           points_[point]) > 0;
    }

    std::optional<HullFault> make_simplex() {
        if (points_.size() < 4) return HullFault::too_few_points;
        int least[3] = {0, 0, 0}, most[3] = {0, 0, 0};
        double sum_of_largest = 0;
        for (int k = 0; k < 3; ++k) {
            double largest = 0;
            for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
                const double x = points_[i][k];
                if (!(std::fabs(x) <= largest_coordinate)) return HullFault::not_finite;
                if (x < points_[least[k]][k]) least[k] = i;
                if (x > points_[most[k]][k]) most[k] = i;
                largest = std::max(largest, std::fabs(x));
            }
            sum_of_largest += largest;
        }
        tolerance_ = 4 * std::numeric_limits<double>::epsilon() * sum_of_largest;

        int a = 0, b = 0;
        double best = 0;
        for (int k = 0; k < 3; ++k) {
            const Vec3d d = points_[most[k]] - points_[least[k]];
            if (dot(d, d) > best) best = dot(d, d), a = least[k], b = most[k];
        }
        if (!(std::sqrt(best) > tolerance_)) return HullFault::one_point;

        const Vec3d line = (1 / std::sqrt(best)) * (points_[b] - points_[a]);
        const auto [c, from_line] = farthest_by([&](const Vec3d& p) {
            const Vec3d off = cross(p - points_[a], line);
            return std::sqrt(dot(off, off));
        });
        if (!(from_line > tolerance_)) return HullFault::collinear;

        Vec3d normal = cross(points_[b] - points_[a], points_[c] - points_[a]);
        normal = (1 / std::sqrt(dot(normal, normal))) * normal;
        const auto [d, from_plane] =
            farthest_by([&](const Vec3d& p) { return std::fabs(dot(normal, p - points_[a])); });
        // What the plane's own rounding amounts to at the farthest point grows with the shape's slenderness.
        const double slack = tolerance_ * std::max(1.0, std::sqrt(best) / from_line);
        if (!(from_plane > slack)) return HullFault::coplanar;
        const double side = orientation(points_[a], points_[b], points_[c], points_[d]);
        if (side == 0) return HullFault::coplanar;
        const int front = side > 0 ? c : b, back = side > 0 ? b : c;  // a, front, back: d is behind it

        // The base and the three faces from its edges to d.
        add_face({a, front, back});
        add_face({front, a, d});
        add_face({back, front, d});
        add_face({a, back, d});
        faces_[0].neighbour = {1, 2, 3};
        faces_[1].neighbour = {0, 3, 2};
        faces_[2].neighbour = {0, 1, 3};
        faces_[3].neighbour = {0, 2, 1};
        for (int i = 0; i < static_cast<int>(points_.size()); ++i)
            if (i != a && i != b && i != c && i != d) hand_to_face(i, 0);
        return std::nullopt;
    }

    template <class Measure>
    std::pair<int, double> farthest_by(const Measure& measure) const {
        int found = 0;
        double best = -1;
        for (int i = 0; i < static_cast<int>(points_.size()); ++i)
            if (const double value = measure(points_[i]); value > best) best = value, found = i;
        return {found, best};
    }

    int add_face(std::array<int, 3> vertex) {
        Face face;
        face.vertex = vertex;
        const Vec3d &a = points_[vertex[0]], &b = points_[vertex[1]], &c = points_[vertex[2]];
        face.normal = cross(b - a, c - a);
        // Exactly oriented faces have an area, but their rounded normal may vanish: then no point is counted
        // as in front of it.
        const double length = std::sqrt(dot(face.normal, face.normal));
        face.normal = length > 0 ? (1 / length) * face.normal : Vec3d::zero();
        face.offset = dot(face.normal, (1.0 / 3) * (a + b + c));
        for (const int v : vertex)
            if (uses_[v]++ == 0) ++vertex_count_;
        faces_.push_back(std::move(face));
        return static_cast<int>(faces_.size()) - 1;
    }

    void remove_face(int index) {
        Face& face = faces_[index];
        face.alive = false;
        for (const int v : face.vertex)
            if (--uses_[v] == 0) --vertex_count_;
    }

    // Into the list of the first face from `first` on that has the point in front of it.
    void hand_to_face(int point, int first) {
        for (int f = first; f < static_cast<int>(faces_.size()); ++f) {
            Face& face = faces_[f];
            const double d = distance(face, point);
            if (d <= tolerance_) continue;
            face.outside.push_back(point);
            if (d > face.farthest_distance) face.farthest_distance = d, face.farthest = point;
            return;
        }
    }

    // A face with points in front of it: any when all are to be taken, else the one with the farthest.
    int next_face() {
        const int count = static_cast<int>(faces_.size());
        if (max_vertices_ < 0) {
            while (next_ < count && (!faces_[next_].alive || faces_[next_].outside.empty())) ++next_;
            return next_ < count ? next_ : -1;
        }
        int best = -1;
        for (int f = 0; f < count; ++f) {
            if (!faces_[f].alive || faces_[f].outside.empty()) continue;
            if (best < 0 || faces_[f].farthest_distance > faces_[best].farthest_distance) best = f;
        }
        return best;
    }

    void drop_farthest(Face& face) {
        std::erase(face.outside, face.farthest);
        face.farthest = -1;
        face.farthest_distance = 0;
        for (const int point : face.outside) {
            const double d = distance(face, point);
            if (face.farthest < 0 || d > face.farthest_distance)
                face.farthest_distance = d, face.farthest = point;
        }
    }

    void add_point_beyond(int start) {
        const int point = faces_[start].farthest;
        if (!sees(point, faces_[start])) {
            // The plane of a sliver is not accurate. Another face may still have the point in front of it.
            drop_farthest(faces_[start]);
            start = -1;
            for (int f = 0; start < 0 && f < static_cast<int>(faces_.size()); ++f)
                if (faces_[f].alive && distance(faces_[f], point) > tolerance_ && sees(point, faces_[f]))
                    start = f;
            if (start < 0) return;
        }
        find_horizon(point, start);

        const int first_new = static_cast<int>(faces_.size());
        for (const Edge& edge : horizon_) {
            const int added = add_face({edge.from, edge.to, point});
            faces_[added].neighbour[0] = edge.beyond;
            Face& beyond = faces_[edge.beyond];
            for (int i = 0; i < 3; ++i)
                if (beyond.vertex[i] == edge.to && beyond.vertex[(i + 1) % 3] == edge.from)
                    beyond.neighbour[i] = added;
            edge_from_[edge.from] = added;
        }
        for (std::size_t i = 0; i < horizon_.size(); ++i) {
            const int face = first_new + static_cast<int>(i);
            const int after = edge_from_[horizon_[i].to];
            faces_[face].neighbour[1] = after;
            faces_[after].neighbour[2] = face;
        }
        for (const int old : seen_) {
            remove_face(old);
            const std::vector<int> left = std::move(faces_[old].outside);
            faces_[old].outside.clear();
            for (const int other : left)
                if (other != point) hand_to_face(other, first_new);
        }
    }

    struct Edge {
        int from, to;
        int beyond;  // the face on the other side, which the point does not see
    };

    // The faces that the point sees are connected; the edges around them are the horizon.
    void find_horizon(int point, int start) {
        seen_.assign(1, start);
        horizon_.clear();
        faces_[start].visited_for = point;
        faces_[start].visible = true;
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                const int index = faces_[seen_[i]].neighbour[k];
                Face& face = faces_[index];
                if (face.visited_for != point) {
                    face.visited_for = point;
                    face.visible = sees(point, face);
                    if (face.visible) seen_.push_back(index);
                }
                if (!face.visible) {
                    const Face& inner = faces_[seen_[i]];
                    horizon_.push_back({inner.vertex[k], inner.vertex[(k + 1) % 3], index});
                }
            }
        }
    }

    std::span<const Vec3d> points_;
    int max_vertices_;
    double tolerance_ = 0;
    std::vector<Face> faces_;
    std::vector<int> uses_;       // faces around each point
    std::vector<int> edge_from_;  // the newest face on the horizon edge that starts at a point
    std::vector<int> seen_;
    std::vector<Edge> horizon_;
    int vertex_count_ = 0;
    int next_ = 0;
};

}  // namespace

std::string_view describe(HullFault fault) {
    switch (fault) {
        case HullFault::too_few_points: return "there are fewer than four points";
        case HullFault::not_finite: return "a coordinate is not finite or beyond all size";
        case HullFault::one_point: return "all points are in one place";
        case HullFault::collinear: return "all points are on one line";
        case HullFault::coplanar: return "all points are in one plane";
    }
    return "";
}

std::variant<ConvexHull, HullFault> convex_hull(std::span<const Vec3d> points, int max_vertices) {
    Quickhull hull(points, max_vertices < 0 ? -1 : std::max(max_vertices, 4));
    if (const auto fault = hull.run()) return *fault;
    return hull.result();
}

}  // namespace lig::geometry
