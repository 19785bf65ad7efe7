// Support points, supporting faces, bounds and outlines of every shape in the list, against sampled surfaces.

#include "shapes/shape_geometry.h"

#include "geometry/hull_geometry.h"
#include "geometry/hull_support.h"
#include "shapes/shape_list.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <functional>
#include <numbers>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

// A shape with what it points to, points all over its surface, a length to measure errors by, and how far a
// point is from its surface, up to a factor near 1 (closed forms, independent of the code under test).
struct Sample {
    CollisionShape shape;
    std::vector<Vec3d> points;
    double size;
    std::function<double(const Vec3d&)> off_surface;
};

double box_distance(const Vec3d& p, const Vec3d& s) {
    const Vec3d q{std::fabs(p.x) - s.x, std::fabs(p.y) - s.y, std::fabs(p.z) - s.z};
    const Vec3d outside{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    return length(outside) + std::min(std::max({q.x, q.y, q.z}), 0.0);
}

// Of a unit cube of points on the faces, corners and edges included: `n` intervals per edge.
template <class Use>
void over_cube(int n, const Use& use) {
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j)
            for (int axis = 0; axis < 3; ++axis)
                for (const double side : {-1.0, 1.0}) {
                    Vec3d p;
                    p[axis] = side;
                    p[(axis + 1) % 3] = 2.0 * i / n - 1;
                    p[(axis + 2) % 3] = 2.0 * j / n - 1;
                    use(p);
                }
}

// Two pyramids on a square with a cut tip: faces of three, four and more vertices, none square to an axis.
const HullGeometry& some_hull() {
    static const HullGeometry hull = [] {
        std::vector<Vec3d> points;
        const Mat3d R = rotation_matrix(Quatd{0.8, 0.3, -0.5, 0.2});
        for (int i = 0; i < 7; ++i) {
            const double a = 2 * pi * i / 7;
            points.push_back(R * Vec3d{std::cos(a), std::sin(a), 0.2});
            points.push_back(R * Vec3d{0.4 * std::cos(a), 0.4 * std::sin(a), 0.9});
        }
        points.push_back(R * Vec3d{0.1, 0, -0.7});
        return std::get<HullGeometry>(make_hull_geometry(points));
    }();
    return hull;
}

const TriangleSurface& some_surface() {
    static const TriangleSurface surface = [] {
        TriangleSurface s;  // a roof of two triangles
        s.vertices = {{0, -1, 0}, {0, 1, 0.2}, {1, 0, -0.5}, {-0.8, 0, -0.4}};
        s.triangles = {{{0, 2, 1}, {-1, -1, 1}, {true, true, true}, {}},
                       {{0, 1, 3}, {0, -1, -1}, {true, true, true}, {}}};
        return s;
    }();
    return surface;
}

const HeightGrid& some_grid() {
    static const HeightGrid grid{.rows = 3,
                                 .columns = 4,
                                 .half_x = 1.5,
                                 .half_y = 1.0,
                                 .base = 0.3,
                                 .heights = {0.1, 0.2, 0, 0.4, 0.5, 0.3, 0.1, 0.2, 0, 0.25, 0.6, 0.35},
                                 .lowest = 0,
                                 .highest = 0.6,
                                 .levels = {}};
    return grid;
}

Sample sample(ShapeType type, const Vec3d& size) {
    Sample s{{.type = type, .size = size}, {}, std::max({size.x, size.y, size.z}), {}};
    switch (type) {
        case ShapeType::sphere:
            over_cube(60, [&](const Vec3d& p) { s.points.push_back((size.x / length(p)) * p); });
            s.off_surface = [size](const Vec3d& p) { return length(p) - size.x; };
            s.size = size.x;
            break;
        case ShapeType::ellipsoid:
            over_cube(60, [&](const Vec3d& p) {
                const Vec3d n = (1 / length(p)) * p;
                s.points.push_back({size.x * n.x, size.y * n.y, size.z * n.z});
            });
            s.off_surface = [size](const Vec3d& p) {
                const double scale = std::min({size.x, size.y, size.z});
                return scale * (length({p.x / size.x, p.y / size.y, p.z / size.z}) - 1);
            };
            break;
        case ShapeType::capsule:
            over_cube(60, [&](const Vec3d& p) {
                for (const double side : {-1.0, 1.0})
                    s.points.push_back((size.x / length(p)) * p + Vec3d{0, 0, side * size.y});
            });
            // The points of the two spheres inside the tube are not on the surface, but do no harm below.
            s.off_surface = [size](const Vec3d& p) {
                return length({p.x, p.y, p.z - std::clamp(p.z, -size.y, size.y)}) - size.x;
            };
            break;
        case ShapeType::cylinder:
            for (int i = 0; i < 720; ++i)
                for (const double z : {-size.y, 0.3 * size.y, size.y})
                    for (const double r : {size.x, 0.5 * size.x})
                        s.points.push_back({r * std::cos(i * pi / 360), r * std::sin(i * pi / 360), z});
            s.off_surface = [size](const Vec3d& p) {
                return std::max(std::hypot(p.x, p.y) - size.x, std::fabs(p.z) - size.y);
            };
            break;
        case ShapeType::box:
            over_cube(20, [&](const Vec3d& p) {
                s.points.push_back({p.x * size.x, p.y * size.y, p.z * size.z});
            });
            s.off_surface = [size](const Vec3d& p) { return box_distance(p, size); };
            break;
        case ShapeType::mesh:
            s.shape.hull = &some_hull();
            s.size = 1;
            s.points = some_hull().vertices;
            s.off_surface = [](const Vec3d& p) {
                double most = -1e300;
                for (int f = 0; f < some_hull().face_count(); ++f)
                    most = std::max(most, dot(some_hull().face_normals[f], p) - some_hull().face_offsets[f]);
                return most;
            };
            break;
        case ShapeType::plane: s.off_surface = [](const Vec3d& p) { return p.z; }; break;
        case ShapeType::trimesh:
            s.shape.surface = &some_surface();
            s.size = 1;
            s.points = some_surface().vertices;
            s.off_surface = [](const Vec3d& p) {
                // Its edges are all that is drawn.
                double nearest = 1e300;
                const auto& v = some_surface().vertices;
                for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {2, 1}, {1, 3}, {3, 0}}) {
                    const Vec3d along = v[b] - v[a];
                    const double t = std::clamp(dot(p - v[a], along) / dot(along, along), 0.0, 1.0);
                    nearest = std::min(nearest, length(p - v[a] - t * along));
                }
                return nearest;
            };
            break;
        case ShapeType::heightfield:
            s.shape.grid = &some_grid();
            s.size = 1.5;
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 4; ++column)
                    s.points.push_back(
                        {column * 1.0 - 1.5, row * 1.0 - 1.0, some_grid().heights[row * 4 + column]});
            for (const double x : {-1.5, 1.5})
                for (const double y : {-1.0, 1.0}) s.points.push_back({x, y, -0.3});
            s.off_surface = [](const Vec3d& p) {
                // On a line of the grid at the interpolated height, or at the border below it.
                const double u = p.x + 1.5, v = p.y + 1.0;
                const bool border =
                    std::fabs(std::fabs(p.x) - 1.5) < 1e-12 || std::fabs(std::fabs(p.y) - 1) < 1e-12;
                const bool on_row = std::fabs(v - std::round(v)) < 1e-12;
                const bool on_column = std::fabs(u - std::round(u)) < 1e-12;
                if (!on_row && !on_column) return 1.0;
                const int c = std::min(static_cast<int>(u + 1e-9), 2);
                const int r = std::min(static_cast<int>(v + 1e-9), 1);
                const auto h = [](int row, int column) { return some_grid().heights[row * 4 + column]; };
                const double a = u - c, b = v - r;
                const double height = (1 - b) * ((1 - a) * h(r, c) + a * h(r, c + 1)) +
                                      b * ((1 - a) * h(r + 1, c) + a * h(r + 1, c + 1));
                if (border && p.z >= -0.3 && p.z <= height) return 0.0;
                return p.z - height;
            };
            break;
    }
    return s;
}

const Vec3d sizes[] = {
    {0.3, 0.7, 0.5}, {1.2, 0.4, 2.0}, {0.001, 0.001, 0.001}, {1000, 600, 5}, {0.02, 3, 0.6}};

Transformd random_pose(Random& random, double reach) {
    return {rotation_matrix(random_rotation(random)), random_vec(random, reach)};
}

// How much farther than the best of the sampled points a surface can reach: the grids above are fine enough
// for this fraction of the size.
constexpr double sampling = 2e-3;

}  // namespace

TEST_CASE("support points are on the core and farther along than any sampled point") {
    Random random(7);
    for (const ShapeType type : all_shapes) {
        if (!is_convex(type)) continue;
        for (const Vec3d& size : sizes) {
            const Sample s = sample(type, size);
            CAPTURE(shape_name(type));
            CAPTURE(size.x);
            const double radius = core_radius(s.shape);
            std::vector<Vec3d> directions;
            over_cube(2, [&](const Vec3d& d) { directions.push_back(d); });  // axes, edges, corners: ties
            for (int i = 0; i < 60; ++i)
                directions.push_back(random.uniform(1e-3, 1e3) * random_direction(random));
            for (const Vec3d& d : directions) {
                const Vec3d unit = (1 / length(d)) * d;
                const Vec3d core = core_support(s.shape, d);
                const Vec3d again = core_support(s.shape, d);
                CHECK(length(core - again) == 0);
                const Vec3d p = core + radius * unit;
                REQUIRE(std::fabs(s.off_surface(p)) <= 1e-14 * s.size);
                double best = -1e300;
                for (const Vec3d& q : s.points) best = std::max(best, dot(q, unit));
                CHECK(dot(p, unit) >= best - 1e-14 * s.size);
                CHECK(dot(p, unit) <= best + sampling * s.size);
            }
            // Inside by far: a tenth of the least half size.
            CHECK(s.off_surface(interior_point(s.shape)) < 0);
        }
    }
}

TEST_CASE("bounds contain every sampled point and touch the surface on all sides") {
    Random random(11);
    for (const ShapeType type : all_shapes) {
        if (type == ShapeType::plane) continue;
        for (const Vec3d& size : sizes) {
            const Sample s = sample(type, size);
            CAPTURE(shape_name(type));
            CAPTURE(size.x);
            for (int i = 0; i < 20; ++i) {
                const Transformd X = i == 0 ? Transformd::identity() : random_pose(random, 3 * s.size);
                const Bounds box = bounds(s.shape, X);
                Bounds seen = Bounds::nothing();
                for (const Vec3d& p : s.points) seen.add(X * p);
                const double rounding = 1e-14 * s.size, slack = sampling * s.size;
                CHECK(box.grown(rounding).contains(seen));
                CHECK(seen.grown(slack).contains(box));
                if (!is_convex(type)) continue;
                // Exactly: the support points along the axes.
                const double radius = core_radius(s.shape);
                for (int k = 0; k < 3; ++k) {
                    const Vec3d row{X.R.x[k], X.R.y[k], X.R.z[k]};
                    const Vec3d most = X * core_support(s.shape, row);
                    const Vec3d least = X * core_support(s.shape, -row);
                    CHECK(std::fabs(box.upper[k] - (most[k] + radius)) <= rounding);
                    CHECK(std::fabs(box.lower[k] - (least[k] - radius)) <= rounding);
                }
            }
        }
    }
}

TEST_CASE("a plane's bounds end where it is square to an axis") {
    const CollisionShape plane{.type = ShapeType::plane, .size = {1, 1, 0.1}};
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto check = [&](const Quatd& turn, const Vec3d& lower, const Vec3d& upper) {
        const Bounds box = bounds(plane, {rotation_matrix(turn), {1, 2, 3}});
        for (int i = 0; i < 3; ++i) {
            CHECK(box.lower[i] == lower[i]);
            CHECK(box.upper[i] == upper[i]);
        }
    };
    const double half = std::sqrt(0.5);
    check({1, 0, 0, 0}, {-inf, -inf, -inf}, {inf, inf, 3});
    check({0, 1, 0, 0}, {-inf, -inf, 3}, {inf, inf, inf});
    check({half, half, 0, 0}, {-inf, 2, -inf}, {inf, inf, inf});   // z to −y
    check({half, 0, half, 0}, {-inf, -inf, -inf}, {1, inf, inf});  // z to x
    check({0.9, 0.1, 0, 0}, {-inf, -inf, -inf}, {inf, inf, inf});
}

TEST_CASE("supporting faces are flat, counter-clockwise, on the core and lie where the slope says") {
    Random random(13);
    for (const ShapeType type : all_shapes) {
        if (!is_convex(type)) continue;
        for (const Vec3d& size : sizes) {
            const Sample s = sample(type, size);
            CAPTURE(shape_name(type));
            CAPTURE(size.x);
            const double radius = core_radius(s.shape), rounding = 1e-14 * s.size;
            std::vector<Vec3d> directions;
            over_cube(2, [&](const Vec3d& d) { directions.push_back(d); });
            if (type == ShapeType::mesh)
                for (const Vec3d& n : some_hull().face_normals) directions.push_back(n);
            for (int i = 0; i < 40; ++i) directions.push_back(random_direction(random));
            const std::size_t count = directions.size();
            for (std::size_t i = 0; i < count; ++i)  // the same, leaning a little
                for (const double lean : {1e-12, 1e-4, 0.02})
                    directions.push_back(directions[i] + lean * random_direction(random));
            for (const Vec3d& d : directions) {
                const Vec3d unit = (1 / length(d)) * d;
                for (const double slope : {0.0, 1e-3, 0.05}) {
                    SupportingFace face;
                    supporting_face(s.shape, 3.7 * d, slope, face);
                    REQUIRE(face.count >= 1);
                    REQUIRE(face.count <= SupportingFace::capacity);
                    double farthest = -1e300;
                    for (int a = 0; a < face.count; ++a) {
                        // The lower end of a leaning segment is not where the surface is farthest.
                        const double allowed = face.count == 2 ? slope * s.size + rounding : rounding;
                        CHECK(std::fabs(s.off_surface(face.points[a] + radius * unit)) <= allowed);
                        farthest = std::max(farthest, dot(face.points[a], unit));
                        for (int b = 0; b < a; ++b) CHECK(face.ids[a] != face.ids[b]);
                    }
                    // The support point belongs to it, or all of it is as far along within the slope.
                    const double support = dot(core_support(s.shape, d), unit);
                    CHECK(farthest >= support - (slope + 1e-6) * 2 * s.size);
                    if (slope == 0) CHECK(farthest >= support - 1e-7 * s.size);
                    for (int a = 0; a < face.count; ++a)
                        CHECK(dot(face.points[a], unit) >= support - (slope + 1e-14) * 4 * s.size);
                    if (face.count == 2) {
                        const Vec3d edge = face.points[1] - face.points[0];
                        CHECK(std::fabs(dot(edge, unit)) <= (slope + 1e-14) * length(edge));
                    }
                    if (face.count < 3) {
                        CHECK(length(face.normal - unit) <= 1e-15);
                        continue;
                    }
                    CHECK(length(cross(face.normal, unit)) <= slope + 1e-15);
                    CHECK(dot(face.normal, unit) > 0);
                    CHECK(length(face.normal) == doctest::Approx(1).epsilon(1e-14));
                    for (int a = 0; a < face.count; ++a) {
                        const Vec3d& p = face.points[a];
                        const Vec3d& q = face.points[(a + 1) % face.count];
                        const Vec3d& r = face.points[(a + 2) % face.count];
                        CHECK(std::fabs(dot(face.normal, q - p)) <= 10 * rounding);
                        CHECK(dot(cross(q - p, r - q), face.normal) > 0);
                    }
                }
            }
        }
    }
}

TEST_CASE("what the shapes turn towards a direction") {
    SupportingFace face;
    const auto points = [&](const CollisionShape& shape, const Vec3d& d, double slope) {
        supporting_face(shape, d, slope, face);
        return face.count;
    };
    const CollisionShape box{.type = ShapeType::box, .size = {1, 2, 3}};
    CHECK(points(box, {0, 0, -1}, 1e-3) == 4);
    CHECK(points(box, {0, 1, -1}, 1e-3) == 2);
    CHECK(points(box, {1, 1, 1}, 1e-3) == 1);
    CHECK(points(box, {0.0009, 0, 1}, 1e-3) == 4);
    CHECK(points(box, {0.0011, 0, 1}, 1e-3) == 2);
    CHECK(points(box, {1e-300, 0, 1e-290}, 1e-3) == 4);  // squares vanish

    const CollisionShape cylinder{.type = ShapeType::cylinder, .size = {1, 2}};
    CHECK(points(cylinder, {0, 0, 1}, 1e-3) == 16);
    CHECK(points(cylinder, {1e-9, 0, -1}, 1e-3) == 16);
    CHECK(points(cylinder, {3e-4, 1e-4, -1}, 1e-3) == 17);  // with the deepest point
    CHECK(points(cylinder, {1, 1, 0}, 1e-3) == 2);
    CHECK(points(cylinder, {1, 0, 1}, 1e-3) == 1);
    // Leaning does not turn the polygon.
    supporting_face(cylinder, {3e-4, 1e-4, 1}, 1e-3, face);
    int fixed = 0;
    for (int i = 0; i < face.count; ++i) {
        if (face.ids[i] >= 16) continue;
        ++fixed;
        const double angle = face.ids[i] * pi / 8;
        CHECK(length(face.points[i] - Vec3d{std::cos(angle), std::sin(angle), 2}) < 1e-15);
    }
    CHECK(fixed == 16);

    const CollisionShape capsule{.type = ShapeType::capsule, .size = {1, 2}};
    CHECK(points(capsule, {1, 0, 0}, 1e-3) == 2);
    CHECK(points(capsule, {1, 0, 0.1}, 1e-3) == 1);
    CHECK(points({.type = ShapeType::sphere, .size = {1}}, {1, 0, 0}, 1e-3) == 1);
    CHECK(points({.type = ShapeType::ellipsoid, .size = {1, 2, 3}}, {1, 0, 0}, 1e-3) == 1);
}

TEST_CASE("a face of many vertices is spanned by as many as fit") {
    std::vector<Vec3d> points;
    const int count = 300;  // more than ids tell apart, too
    for (int i = 0; i < count; ++i) {
        const double a = 2 * pi * i / count;
        points.push_back({std::cos(a), std::sin(a), 0.1});
        points.push_back({std::cos(a), std::sin(a), -0.1});
    }
    points.push_back({1.5, 0.3, 0.1});  // one corner that must not be missed
    const HullGeometry hull = std::get<HullGeometry>(make_hull_geometry(points));
    const CollisionShape shape{.type = ShapeType::mesh, .hull = &hull};
    SupportingFace face;
    supporting_face(shape, {0, 0, 1}, 1e-3, face);
    CHECK(face.count > 20);
    CHECK(face.count <= SupportingFace::capacity);
    for (int a = 0; a < face.count; ++a)
        for (int b = 0; b < a; ++b) CHECK(face.ids[a] != face.ids[b]);
    // Along every direction the subset reaches as far as the face, but for tan(π/32)/2 of the longest gap,
    // the tangent from the corner to the circle: √(1.5² + 0.3² − 1).
    for (int i = 0; i < 1000; ++i) {
        const double a = 2 * pi * i / 1000;
        const Vec3d d{std::cos(a), std::sin(a), 0};
        double whole = -9, part = -9;
        for (const Vec3d& p : points) whole = std::max(whole, dot(p, d));
        for (int k = 0; k < face.count; ++k) part = std::max(part, dot(face.points[k], d));
        CHECK(part >= whole - 0.5 * std::tan(pi / 32) * std::sqrt(1.34));
    }
}

TEST_CASE("hulls of many faces turn the nearest of them towards a direction") {
    Random random(17);
    for (const int count : {20, 60, 400, 2000})
        for (const Vec3d& size : {Vec3d{1, 1, 1}, Vec3d{1, 0.2, 0.05}}) {
            std::vector<Vec3d> points;
            for (int i = 0; i < count; ++i) {
                const Vec3d d = random_direction(random);
                points.push_back({size.x * d.x, size.y * d.y, size.z * d.z});
            }
            const HullGeometry hull = std::get<HullGeometry>(make_hull_geometry(points));
            const CollisionShape shape{.type = ShapeType::mesh, .hull = &hull};
            CAPTURE(count);
            for (int i = 0; i < 300; ++i) {
                const Vec3d d = random_direction(random);
                // Of all faces when they are few, else of those around the farthest vertex at least.
                double nearest = -1;
                const int support = hull_support(hull, d);
                for (int f = 0; f < hull.face_count(); ++f) {
                    const auto polygon = hull.face(f);
                    const bool near = std::find(polygon.begin(), polygon.end(), support) != polygon.end();
                    if (near || hull.face_count() <= 48)
                        nearest = std::max(nearest, dot(hull.face_normals[f], d));
                }
                SupportingFace face;
                supporting_face(shape, d, 1, face);  // any slope: always a face
                REQUIRE(face.count >= 3);
                CHECK(dot(face.normal, d) >= nearest - 1e-15);
            }
        }
}

TEST_CASE("outlines lie on the surface and reach all around it") {
    for (const ShapeType type : all_shapes)
        for (const Vec3d& size : sizes) {
            const Sample s = sample(type, size);
            CAPTURE(shape_name(type));
            CAPTURE(size.x);
            std::vector<Vec3d> segments;
            outline(s.shape, 10, segments);
            REQUIRE(segments.size() >= 2);
            REQUIRE(segments.size() % 2 == 0);
            Bounds drawn = Bounds::nothing();
            for (const Vec3d& p : segments) {
                CHECK(std::fabs(s.off_surface(p)) <= 1e-13 * s.size);
                drawn.add(p);
            }
            if (type == ShapeType::plane) {
                CHECK(drawn.upper.x == size.x);
                CHECK(drawn.lower.y == -size.y);
                continue;
            }
            const Bounds box = bounds(s.shape, Transformd::identity());
            CHECK(box.grown(1e-14 * s.size).contains(drawn));
            CHECK(drawn.grown(1e-14 * s.size).contains(box));
        }
    std::vector<Vec3d> segments;
    outline({.type = ShapeType::plane, .size = {0, 2, 0.1}}, 10, segments);
    Bounds drawn = Bounds::nothing();
    for (const Vec3d& p : segments) drawn.add(p);
    CHECK(drawn.upper.x == 10);
    CHECK(drawn.upper.y == 2);
}
