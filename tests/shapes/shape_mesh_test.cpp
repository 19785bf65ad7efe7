// Triangles of every shape, against its closed form: volume, area, normals, and that nothing is open.

#include "shapes/shape_mesh.h"

#include "core/length.h"
#include "shapes/shape_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

using namespace lig;

namespace {

constexpr double pi = std::numbers::pi;

using Point = std::array<double, 3>;

Point key(const Vec3d& p) { return {p.x, p.y, p.z}; }

Vec3d area_vector(const ShapeMesh& mesh, const std::array<int, 3>& t) {
    const Vec3d &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    return 0.5 * cross(b - a, c - a);
}

double area(const ShapeMesh& mesh) {
    double sum = 0;
    for (const auto& t : mesh.triangles) sum += length(area_vector(mesh, t));
    return sum;
}

// Positive where triangles are counter-clockwise from outside.
double volume(const ShapeMesh& mesh) {
    double sum = 0;
    for (const auto& t : mesh.triangles) sum += dot(mesh.positions[t[0]], area_vector(mesh, t)) / 3;
    return sum;
}

// Every edge is there once in each direction, by the bits of its ends.
bool is_closed(const ShapeMesh& mesh) {
    std::map<std::pair<Point, Point>, int> edges;
    for (const auto& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) ++edges[{key(mesh.positions[t[k]]), key(mesh.positions[t[(k + 1) % 3]])}];
    for (const auto& [edge, count] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        if (count != 1 || back == edges.end()) return false;
    }
    return !edges.empty();
}

// Of unit length, and on the same side as the triangle they belong to.
void check_normals(const ShapeMesh& mesh) {
    REQUIRE(mesh.normals.size() == mesh.positions.size());
    for (const Vec3d& n : mesh.normals) CHECK(length(n) == doctest::Approx(1));
    for (const auto& t : mesh.triangles) {
        const Vec3d across = area_vector(mesh, t);
        for (const int v : t) CHECK(dot(mesh.normals[v], across) > 0.5 * length(across));
    }
}

struct Round {
    CollisionShape shape;
    double volume, area;
    Vec3d (*normal)(const Vec3d& size, const Vec3d& p);  // of the surface at a point of it
};

const Round round_shapes[] = {
    {{.type = ShapeType::sphere, .size = {0.7, 0, 0}},
     4 * pi / 3 * 0.343,
     4 * pi * 0.49,
     [](const Vec3d& s, const Vec3d& p) { return (1 / s.x) * p; }},
    {{.type = ShapeType::capsule, .size = {0.3, 0.5, 0}},
     pi * 0.09 * (4.0 / 3 * 0.3 + 1.0),
     4 * pi * 0.09 + 2 * pi * 0.3 * 1.0,
     [](const Vec3d& s, const Vec3d& p) {
         return (1 / s.x) * Vec3d{p.x, p.y, p.z - std::clamp(p.z, -s.y, s.y)};
     }},
    // Its area is a series: here one of revolution about z, oblate with eccentricity e:
    // 2 π a² (1 + (1 − e²)/e · artanh e).
    {{.type = ShapeType::ellipsoid, .size = {0.5, 0.5, 0.3}},
     4 * pi / 3 * 0.075,
     2 * pi * 0.25 * (1 + 0.36 / 0.8 * std::atanh(0.8)),
     [](const Vec3d& s, const Vec3d& p) {
         const Vec3d n{p.x / (s.x * s.x), p.y / (s.y * s.y), p.z / (s.z * s.z)};
         return (1 / length(n)) * n;
     }},
};

}  // namespace

TEST_CASE("round shapes approach their volume and area with the square of the resolution") {
    for (const Round& round : round_shapes) {
        CAPTURE(static_cast<int>(round.shape.type));
        double last_volume = 0, last_area = 0;
        for (const int sectors : {16, 32, 64}) {
            const ShapeMesh mesh = shape_mesh(round.shape, 0, sectors);
            CHECK(is_closed(mesh));
            check_normals(mesh);
            // From inside.
            const double volume_error = 1 - volume(mesh) / round.volume;
            const double area_error = 1 - area(mesh) / round.area;
            CHECK(volume_error > 0);
            CHECK(area_error > 0);
            if (last_volume > 0) {
                CHECK(last_volume / volume_error == doctest::Approx(4).epsilon(0.1));
                CHECK(last_area / area_error == doctest::Approx(4).epsilon(0.1));
            } else {
                CHECK(volume_error < 0.07);
                CHECK(area_error < 0.04);
            }
            last_volume = volume_error;
            last_area = area_error;
        }
    }
}

TEST_CASE("points and normals of round shapes are those of the surface") {
    for (const Round& round : round_shapes) {
        CAPTURE(static_cast<int>(round.shape.type));
        const ShapeMesh mesh = shape_mesh(round.shape, 0);
        for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
            const Vec3d wanted = round.normal(round.shape.size, mesh.positions[i]);
            // Off the surface of a sphere or capsule this would not be of unit length.
            CHECK(length(mesh.normals[i] - wanted) < 1e-12);
        }
    }
}

TEST_CASE("an ellipsoid of three different axes is closed and as large as it should be") {
    const ShapeMesh mesh = shape_mesh({.type = ShapeType::ellipsoid, .size = {0.2, 0.5, 0.9}}, 0, 64);
    CHECK(is_closed(mesh));
    check_normals(mesh);
    CHECK(volume(mesh) == doctest::Approx(4 * pi / 3 * 0.09).epsilon(0.005));
    for (const Vec3d& p : mesh.positions)
        CHECK(p.x * p.x / 0.04 + p.y * p.y / 0.25 + p.z * p.z / 0.81 == doctest::Approx(1));
}

TEST_CASE("a cylinder is a prism over a polygon") {
    const int n = 24;
    const double r = 0.4, h = 0.3;
    const ShapeMesh mesh = shape_mesh({.type = ShapeType::cylinder, .size = {r, h, 0}}, 0, n);
    CHECK(is_closed(mesh));
    check_normals(mesh);
    const double base = 0.5 * n * r * r * std::sin(2 * pi / n), side = 2 * r * std::sin(pi / n);
    CHECK(volume(mesh) == doctest::Approx(2 * h * base));
    CHECK(area(mesh) == doctest::Approx(2 * base + n * side * 2 * h));
    // The rim is an edge: normals lie along or across the axis.
    for (const Vec3d& normal : mesh.normals) CHECK((std::fabs(normal.z) == 1 || normal.z == 0));
}

TEST_CASE("a box is exact, with normals along its axes") {
    const ShapeMesh mesh = shape_mesh({.type = ShapeType::box, .size = {0.2, 0.3, 0.5}}, 0);
    CHECK(is_closed(mesh));
    check_normals(mesh);
    CHECK(volume(mesh) == doctest::Approx(8 * 0.03));
    CHECK(area(mesh) == doctest::Approx(8 * (0.06 + 0.1 + 0.15)));
    for (const Vec3d& n : mesh.normals) CHECK(std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z) == 1);
    CHECK(mesh.triangles.size() == 12);
}

TEST_CASE("a plane is a rectangle that looks up, as far as it is told where it has no end") {
    const ShapeMesh mesh = shape_mesh({.type = ShapeType::plane, .size = {0, 3, 0}}, 10);
    check_normals(mesh);
    CHECK(area(mesh) == doctest::Approx(20 * 6));
    for (const Vec3d& n : mesh.normals) CHECK(n.z == 1);
}

TEST_CASE("a hull keeps its corners, and is smooth where it stands for something round") {
    std::vector<Vec3d> points;
    for (const double x : {-1, 1})
        for (const double y : {-1, 1})
            for (const double z : {-1, 1}) points.push_back({x, y, z});
    const auto made = make_hull_geometry(points);
    const ShapeMesh cube = shape_mesh({.type = ShapeType::mesh, .hull = &std::get<HullGeometry>(made)}, 0);
    CHECK(is_closed(cube));
    check_normals(cube);
    CHECK(volume(cube) == doctest::Approx(8));
    CHECK(cube.positions.size() == 24);  // three normals a corner

    const ShapeMesh ball = shape_mesh({.type = ShapeType::sphere, .size = {1, 0, 0}}, 0);
    const auto ball_hull = make_hull_geometry(ball.positions);
    const ShapeMesh smooth =
        shape_mesh({.type = ShapeType::mesh, .hull = &std::get<HullGeometry>(ball_hull)}, 0);
    CHECK(is_closed(smooth));
    CHECK(smooth.positions.size() == ball.positions.size());
    for (std::size_t i = 0; i < smooth.positions.size(); ++i)
        CHECK(dot(smooth.normals[i], smooth.positions[i]) > 0.99);
}

TEST_CASE("a surface of triangles is drawn as it is, open or not") {
    const TriangleMesh tent{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}},
                            {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}}};
    const TriangleSurface surface = make_triangle_surface(tent);
    const ShapeMesh mesh = shape_mesh({.type = ShapeType::trimesh, .surface = &surface}, 0);
    check_normals(mesh);
    CHECK(mesh.triangles.size() == 4);
    CHECK(area(mesh) == doctest::Approx(4 * std::sqrt(3) / 2));
    CHECK_FALSE(is_closed(mesh));
}

TEST_CASE("a height field is the solid below it") {
    // Two heights over 4 × 3 cells, and with a border as low as the base, where walls have no height.
    for (const double base : {0.5, 0.0}) {
        HeightFieldAsset asset;
        asset.rows = 4;
        asset.columns = 5;
        asset.size = {2, 1.5, 1, base};
        std::vector<double> heights(20, 0.0);
        heights[6] = 1;
        heights[12] = 0.5;
        asset.elevation = std::make_shared<const std::vector<double>>(heights);
        const HeightGrid grid = make_height_grid(asset);
        const ShapeMesh mesh = shape_mesh({.type = ShapeType::heightfield, .grid = &grid}, 0);
        check_normals(mesh);
        // A sample inside has six triangles of half a cell (1 m × 1 m) around it: a third of its height each.
        CHECK(volume(mesh) == doctest::Approx(4 * 3 * base + (1 + 0.5) * 6 * 0.5 / 3));
        CHECK(is_closed(mesh));
    }
}
