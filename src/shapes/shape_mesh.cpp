#include "shapes/shape_mesh.h"

#include "core/length.h"

#include <cmath>
#include <numbers>
#include <span>

namespace lig {

namespace {

using Triangle = std::array<int, 3>;

// Faces that meet at a smaller angle than this are one smooth surface.
const double crease_cosine = std::cos(35 * std::numbers::pi / 180);

Vec3d unit_or_up(const Vec3d& a) {
    const double l = length(a);
    return l > 0 ? (1 / l) * a : Vec3d{0, 0, 1};
}

// A point of a curve that turns about z, with the normal of the surface there.
struct ProfilePoint {
    double radius, z, normal_out, normal_z;
};

// The curve runs upwards where the outside is away from the axis.
void add_turned(std::span<const ProfilePoint> profile, int sectors, ShapeMesh& mesh) {
    struct Ring {
        int begin, count;
        int at(int sector) const { return begin + sector % count; }
    };
    std::vector<Ring> rings;
    for (const ProfilePoint& point : profile) {
        const Ring ring{static_cast<int>(mesh.positions.size()), point.radius > 0 ? sectors : 1};
        for (int k = 0; k < ring.count; ++k) {
            const double angle = 2 * std::numbers::pi * k / sectors;
            const double x = std::cos(angle), y = std::sin(angle);
            mesh.positions.push_back({point.radius * x, point.radius * y, point.z});
            mesh.normals.push_back({point.normal_out * x, point.normal_out * y, point.normal_z});
        }
        rings.push_back(ring);
    }
    for (std::size_t i = 1; i < rings.size(); ++i) {
        const Ring &low = rings[i - 1], &high = rings[i];
        for (int k = 0; k < sectors; ++k) {
            if (low.count > 1) mesh.triangles.push_back({low.at(k), low.at(k + 1), high.at(k + 1)});
            if (high.count > 1) mesh.triangles.push_back({low.at(k), high.at(k + 1), high.at(k)});
        }
    }
}

// From the lower pole of a sphere of the radius to its upper one, the halves moved apart by 2 · half.
std::vector<ProfilePoint> round_profile(double radius, double half, int sectors) {
    const int steps = sectors / 4;  // of a quarter
    std::vector<ProfilePoint> profile{{0, -half - radius, 0, -1}};
    for (int k = 1; k < 2 * steps; ++k) {
        const double lift = std::numbers::pi / 2 * (k - steps) / steps;
        const double out = k == steps ? 1 : std::cos(lift), up = k == steps ? 0 : std::sin(lift);
        if (k <= steps) profile.push_back({radius * out, radius * up - half, out, up});
        if (k > steps || (k == steps && half > 0))
            profile.push_back({radius * out, radius * up + half, out, up});
    }
    profile.push_back({0, half + radius, 0, 1});
    return profile;
}

void add_cylinder(double radius, double half, int sectors, ShapeMesh& mesh) {
    const ProfilePoint lower[] = {{0, -half, 0, -1}, {radius, -half, 0, -1}};
    const ProfilePoint side[] = {{radius, -half, 1, 0}, {radius, half, 1, 0}};
    const ProfilePoint upper[] = {{radius, half, 0, 1}, {0, half, 0, 1}};
    for (const std::span<const ProfilePoint> part : {std::span(lower), std::span(side), std::span(upper)})
        add_turned(part, sectors, mesh);
}

void add_ellipsoid(const Vec3d& size, int sectors, ShapeMesh& mesh) {
    add_turned(round_profile(1, 0, sectors), sectors, mesh);
    for (Vec3d& p : mesh.positions) p = {size.x * p.x, size.y * p.y, size.z * p.z};
    for (Vec3d& n : mesh.normals) n = unit_or_up({n.x / size.x, n.y / size.y, n.z / size.z});
}

void add_box(const Vec3d& size, ShapeMesh& mesh) {
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
            const int first = static_cast<int>(mesh.positions.size());
            // Counter-clockwise about the outward normal.
            const int j = (axis + (side > 0 ? 1 : 2)) % 3, k = (axis + (side > 0 ? 2 : 1)) % 3;
            constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
            for (const auto& [a, b] : corners) {
                Vec3d position{0, 0, 0}, normal{0, 0, 0};
                position[axis] = side * size[axis];
                position[j] = a * size[j];
                position[k] = b * size[k];
                normal[axis] = side;
                mesh.positions.push_back(position);
                mesh.normals.push_back(normal);
            }
            mesh.triangles.push_back({first, first + 1, first + 2});
            mesh.triangles.push_back({first, first + 2, first + 3});
        }
}

void add_plane(const Vec3d& size, double reach, ShapeMesh& mesh) {
    const double x = size.x > 0 ? size.x : reach, y = size.y > 0 ? size.y : reach;
    mesh.positions = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
    mesh.normals.assign(4, {0, 0, 1});
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
}

// Triangles on shared points. Every corner gets the mean normal of the faces around its point that go on
// smoothly from its own; corners of one point with one normal become one vertex.
void add_surface(std::span<const Vec3d> points, std::span<const Triangle> faces, ShapeMesh& mesh) {
    std::vector<Vec3d> areas, directions;  // of the faces
    std::vector<std::vector<int>> around(points.size());
    for (const Triangle& face : faces) {
        const Vec3d area = cross(points[face[1]] - points[face[0]], points[face[2]] - points[face[0]]);
        for (const int v : face) around[v].push_back(static_cast<int>(areas.size()));
        areas.push_back(area);
        directions.push_back(unit_or_up(area));
    }
    std::vector<std::vector<int>> vertices(points.size());  // of the mesh, by point
    for (std::size_t f = 0; f < faces.size(); ++f) {
        Triangle made;
        for (int corner = 0; corner < 3; ++corner) {
            const int point = faces[f][corner];
            Vec3d sum{0, 0, 0};
            for (const int g : around[point])
                if (dot(directions[f], directions[g]) >= crease_cosine) sum += areas[g];
            const Vec3d normal = unit_or_up(sum);
            made[corner] = -1;
            for (const int v : vertices[point]) {
                const Vec3d& other = mesh.normals[v];
                if (other.x == normal.x && other.y == normal.y && other.z == normal.z) made[corner] = v;
            }
            if (made[corner] >= 0) continue;
            made[corner] = static_cast<int>(mesh.positions.size());
            vertices[point].push_back(made[corner]);
            mesh.positions.push_back(points[point]);
            mesh.normals.push_back(normal);
        }
        mesh.triangles.push_back(made);
    }
}

void add_hull(const HullGeometry& hull, ShapeMesh& mesh) {
    std::vector<Triangle> faces;
    for (int f = 0; f < hull.face_count(); ++f) {
        const std::span<const int> face = hull.face(f);
        for (std::size_t k = 2; k < face.size(); ++k) faces.push_back({face[0], face[k - 1], face[k]});
    }
    add_surface(hull.vertices, faces, mesh);
}

void add_triangles(const TriangleSurface& surface, ShapeMesh& mesh) {
    std::vector<Triangle> faces;
    for (const TriangleSurface::Triangle& triangle : surface.triangles) faces.push_back(triangle.vertices);
    add_surface(surface.vertices, faces, mesh);
}

// The ground down to its base: walls below the border and a floor.
void add_grid(const HeightGrid& grid, ShapeMesh& mesh) {
    std::vector<Vec3d> points;
    std::vector<Triangle> faces;
    for (int row = 0; row < grid.rows; ++row)
        for (int column = 0; column < grid.columns; ++column) points.push_back(grid.sample(row, column));
    const auto index = [&](int row, int column) { return row * grid.columns + column; };
    for (int t = 0; t < 2 * grid.cell_rows() * grid.cell_columns(); ++t) {
        Triangle face;
        const auto corners = grid_triangle_corners(grid, t);
        for (int k = 0; k < 3; ++k) face[k] = index(corners[k][0], corners[k][1]);
        faces.push_back(face);
    }

    std::vector<int> border;  // counter-clockwise seen from above
    for (int column = 0; column < grid.cell_columns(); ++column) border.push_back(index(0, column));
    for (int row = 0; row < grid.cell_rows(); ++row) border.push_back(index(row, grid.columns - 1));
    for (int column = grid.columns - 1; column > 0; --column) border.push_back(index(grid.rows - 1, column));
    for (int row = grid.rows - 1; row > 0; --row) border.push_back(index(row, 0));
    const int floor = static_cast<int>(points.size());
    for (const int top : border) points.push_back({points[top].x, points[top].y, -grid.base});
    const int middle = static_cast<int>(points.size());
    points.push_back({0, 0, -grid.base});
    const auto add_face = [&](int a, int b, int c) {
        const auto same = [&](int i, int j) { return length(points[i] - points[j]) == 0; };
        // Where the ground is as low as the base there is no wall.
        if (!same(a, b) && !same(b, c) && !same(c, a)) faces.push_back({a, b, c});
    };
    for (std::size_t k = 0; k < border.size(); ++k) {
        const std::size_t next = (k + 1) % border.size();
        const int low = floor + static_cast<int>(k), next_low = floor + static_cast<int>(next);
        add_face(low, next_low, border[next]);
        add_face(low, border[next], border[k]);
        add_face(middle, next_low, low);
    }
    add_surface(points, faces, mesh);
}

}  // namespace

ShapeMesh shape_mesh(const CollisionShape& shape, double reach, int sectors) {
    ShapeMesh mesh;
    const Vec3d& size = shape.size;
    switch (shape.type) {
        case ShapeType::plane: add_plane(size, reach, mesh); break;
        case ShapeType::sphere: add_turned(round_profile(size.x, 0, sectors), sectors, mesh); break;
        case ShapeType::capsule: add_turned(round_profile(size.x, size.y, sectors), sectors, mesh); break;
        case ShapeType::cylinder: add_cylinder(size.x, size.y, sectors, mesh); break;
        case ShapeType::ellipsoid: add_ellipsoid(size, sectors, mesh); break;
        case ShapeType::box: add_box(size, mesh); break;
        case ShapeType::mesh: add_hull(*shape.hull, mesh); break;
        case ShapeType::heightfield: add_grid(*shape.grid, mesh); break;
        case ShapeType::trimesh: add_triangles(*shape.surface, mesh); break;
    }
    return mesh;
}

}  // namespace lig
