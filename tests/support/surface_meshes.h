#pragma once

// Meshes and height fields whose smooth surfaces are known.

#include "geometry/height_grid.h"
#include "geometry/triangle_surface.h"
#include "scalar_types.h"

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <utility>

namespace lig::test {

// z = height(x, y) over [−half, half]², n × n cells, looking up; with `irregular` the inner vertices are
// moved sideways and the diagonals change from cell to cell.
template <class Height>
TriangleMesh height_mesh(int n, double half, const Height& height, bool irregular = false) {
    TriangleMesh mesh;
    Random random(7);
    const double step = 2 * half / n;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            double x = -half + j * step, y = -half + i * step;
            if (irregular && i > 0 && j > 0 && i < n && j < n) {
                x += random.uniform(-0.3, 0.3) * step;
                y += random.uniform(-0.3, 0.3) * step;
            }
            mesh.vertices.push_back({x, y, height(x, y)});
        }
    const auto at = [n](int i, int j) { return i * (n + 1) + j; };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (irregular && random.uniform(0, 1) < 0.5) {
                mesh.faces.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
                mesh.faces.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
            } else {
                mesh.faces.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
                mesh.faces.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
            }
        }
    return mesh;
}

// An icosahedron refined `levels` times, vertices on the sphere of radius r: 20 · 4^levels triangles.
inline TriangleMesh sphere_mesh(int levels, double r) {
    const double g = std::numbers::phi;
    TriangleMesh mesh;
    // Three rectangles of sides 1 and g, each square to the other two.
    for (int axis = 0; axis < 3; ++axis)
        for (const double one : {-1.0, 1.0})
            for (const double golden : {-g, g}) {
                Vec3d v{0, 0, 0};
                v[axis] = one;
                v[(axis + 1) % 3] = golden;
                mesh.vertices.push_back(v);
            }
    // Faces are the triples of vertices 2 apart.
    const auto joined = [&](int a, int b) {
        const Vec3d d = mesh.vertices[a] - mesh.vertices[b];
        return std::abs(dot(d, d) - 4) < 1e-9;
    };
    for (int a = 0; a < 12; ++a)
        for (int b = a + 1; b < 12; ++b)
            for (int c = b + 1; c < 12; ++c) {
                if (!joined(a, b) || !joined(b, c) || !joined(c, a)) continue;
                if (dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) > 0)
                    mesh.faces.push_back({a, b, c});
                else
                    mesh.faces.push_back({a, c, b});
            }
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [found, made] =
                middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
            if (made) mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
            return found->second;
        };
        std::vector<std::array<int, 3>> finer;
        for (const auto& [a, b, c] : mesh.faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.faces = finer;
    }
    for (Vec3d& v : mesh.vertices) v = (r / std::sqrt(dot(v, v))) * v;
    return mesh;
}

// A closed box with n × n cells on each face.
inline TriangleMesh box_mesh(int n, const Vec3d& half) {
    TriangleMesh mesh;
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3, begin = static_cast<int>(mesh.vertices.size());
            for (int i = 0; i <= n; ++i)
                for (int j = 0; j <= n; ++j) {
                    Vec3d p;
                    p[axis] = side * half[axis];
                    p[u] = half[u] * (2.0 * i / n - 1);
                    p[v] = half[v] * (2.0 * j / n - 1);
                    mesh.vertices.push_back(p);
                }
            const auto at = [&](int i, int j) { return begin + i * (n + 1) + j; };
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    std::array<int, 3> a{at(i, j), at(i + 1, j), at(i + 1, j + 1)};
                    std::array<int, 3> b{at(i, j), at(i + 1, j + 1), at(i, j + 1)};
                    if (side < 0) {
                        std::swap(a[1], a[2]);
                        std::swap(b[1], b[2]);
                    }
                    mesh.faces.push_back(a);
                    mesh.faces.push_back(b);
                }
        }
    return mesh;
}

// Heights from 0 to 1, times `scale`.
template <class Height>
HeightFieldAsset height_field(int rows, int columns, double half_x, double half_y, double scale, double base,
                              const Height& height) {
    auto samples = std::make_shared<std::vector<double>>();
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            samples->push_back(
                height(half_x * (2.0 * j / (columns - 1) - 1), half_y * (2.0 * i / (rows - 1) - 1)));
    HeightFieldAsset asset;
    asset.rows = rows;
    asset.columns = columns;
    asset.size = {half_x, half_y, scale, base};
    asset.elevation = samples;
    return asset;
}

// The solid that a height field is, as a closed mesh: split along the same diagonals, the bottom as a grid.
inline TriangleMesh solid_mesh(const HeightGrid& grid) {
    TriangleMesh mesh;
    const int rows = grid.rows, columns = grid.columns, n = rows * columns;
    for (const bool top : {true, false})
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                mesh.vertices.push_back({grid.half_x * (2.0 * j / (columns - 1) - 1),
                                         grid.half_y * (2.0 * i / (rows - 1) - 1),
                                         top ? grid.heights[i * columns + j] : -grid.base});
    const auto at = [&](int i, int j) { return i * columns + j; };
    for (int i = 0; i + 1 < rows; ++i)
        for (int j = 0; j + 1 < columns; ++j) {
            const int a = at(i, j), b = at(i, j + 1), c = at(i + 1, j + 1), d = at(i + 1, j);
            mesh.faces.insert(mesh.faces.end(),
                              {{a, b, c}, {a, c, d}, {n + a, n + c, n + b}, {n + a, n + d, n + c}});
        }
    const auto wall = [&](int left, int right) {  // seen from outside
        mesh.faces.push_back({n + left, n + right, right});
        mesh.faces.push_back({n + left, right, left});
    };
    for (int j = 0; j + 1 < columns; ++j) {
        wall(at(0, j), at(0, j + 1));
        wall(at(rows - 1, j + 1), at(rows - 1, j));
    }
    for (int i = 0; i + 1 < rows; ++i) {
        wall(at(i, columns - 1), at(i + 1, columns - 1));
        wall(at(i + 1, 0), at(i, 0));
    }
    return mesh;
}

}  // namespace lig::test
