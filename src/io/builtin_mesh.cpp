#include "io/builtin_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace lig::io {

namespace {

using std::numbers::pi;

Vec3d single(const Vec3d& p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
}
Vec3d unit(const Vec3d& p) { return (1 / std::sqrt(dot(p, p))) * p; }

// cos and sin with their magnitude raised to a power: what makes a sphere a supersphere.
double power_cos(double angle, double exponent) {
    return std::copysign(std::pow(std::fabs(std::cos(angle)), exponent), std::cos(angle));
}
double power_sin(double angle, double exponent) {
    return std::copysign(std::pow(std::fabs(std::sin(angle)), exponent), std::sin(angle));
}

// params: subdivisions of an icosahedron.
TriangleMesh make_sphere(std::span<const double> params) {
    const float golden = static_cast<float>((1 + std::sqrt(5.0)) / 2);
    const double radius = std::sqrt(1.0 + static_cast<double>(golden * golden));
    const double a = static_cast<float>(1 / radius), b = static_cast<float>(golden / radius);
    // clang-format off
    TriangleMesh mesh{{{-a, b, 0}, {a, b, 0}, {-a, -b, 0}, {a, -b, 0}, {0, -a, b}, {0, a, b},
                       {0, -a, -b}, {0, a, -b}, {b, 0, -a}, {b, 0, a}, {-b, 0, -a}, {-b, 0, a}},
                      {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};
    // clang-format on
    for (int level = 0; level < static_cast<int>(params[0]); ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int i, int j) {
            const auto [entry, is_new] =
                middles.try_emplace(std::minmax(i, j), static_cast<int>(mesh.vertices.size()));
            if (is_new) {
                // In single precision all the way, as the vertices themselves.
                const auto half = [](double p, double q) {
                    return (static_cast<float>(p) + static_cast<float>(q)) / 2.0f;
                };
                const Vec3d &p = mesh.vertices[i], &q = mesh.vertices[j];
                const float x = half(p.x, q.x), y = half(p.y, q.y), z = half(p.z, q.z);
                const float length = std::sqrt(x * x + y * y + z * z);
                mesh.vertices.push_back({x / length, y / length, z / length});
            }
            return entry->second;
        };
        std::vector<std::array<int, 3>> finer;
        finer.reserve(4 * mesh.faces.size());
        for (const auto& [i, j, k] : mesh.faces) {
            const int ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
            finer.insert(finer.end(), {{i, ij, ki}, {j, jk, ij}, {k, ki, jk}, {ij, jk, ki}});
        }
        mesh.faces = std::move(finer);
    }
    return mesh;
}

// params: rows between pole and equator. Row r has 4 (r + 1) vertices, from the edge of a pyramid projected
// to the sphere; a disc closes it.
TriangleMesh make_hemisphere(std::span<const double> params) {
    const int rows = static_cast<int>(params[0]) + 1;
    const Vec3d pole{0, 0, 1};
    const Vec3d equator[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    TriangleMesh mesh;
    mesh.vertices.push_back(pole);
    for (int row = 1; row <= rows; ++row) {
        const double down = static_cast<double>(row) / rows;
        for (int side = 0; side < 4; ++side) {
            const Vec3d from = pole + down * (equator[side] - pole);
            const Vec3d to = pole + down * (equator[(side + 1) % 4] - pole);
            for (int i = 0; i < row; ++i)
                mesh.vertices.push_back(single(unit(from + i * ((1.0 / row) * (to - from)))));
        }
    }
    const int bottom = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back({0, 0, 0});

    const auto start = [](int row) { return 2 * row * (row - 1) + 1; };  // of a row, counted from 1
    for (int i = 0; i < 4; ++i) mesh.faces.push_back({0, 1 + i, 1 + (i + 1) % 4});
    for (int row = 1; row < rows; ++row) {
        const int upper = start(row), uppers = 4 * row, lower = start(row + 1), lowers = 4 * (row + 1);
        for (int side = 0; side < 4; ++side) {
            for (int i = 0; i <= row; ++i) {
                const int u = i + row * side, l = i + (row + 1) * side;
                mesh.faces.push_back({upper + u % uppers, lower + l % lowers, lower + (l + 1) % lowers});
                if (i < row)
                    mesh.faces.push_back(
                        {upper + u % uppers, lower + (l + 1) % lowers, upper + (u + 1) % uppers});
            }
        }
    }
    const int rim = start(rows), rims = 4 * rows;
    for (int i = 0; i < rims; ++i) mesh.faces.push_back({rim + i, bottom, rim + (i + 1) % rims});
    return mesh;
}

// params: edges, radius of the top. Only points; their hull is meant.
TriangleMesh make_cone(std::span<const double> params) {
    const int edges = static_cast<int>(params[0]);
    TriangleMesh mesh;
    const auto ring = [&](double radius, double z) {
        for (int i = 0; i < edges; ++i) {
            const double angle = 2 * i * pi / edges;
            mesh.vertices.push_back(single({radius * std::cos(angle), radius * std::sin(angle), z}));
        }
    };
    ring(1, -1);
    if (params[1] > 0)
        ring(params[1], 1);
    else
        mesh.vertices.push_back({0, 0, 1});
    return mesh;
}

// params: resolution, exponents along the circles of longitude and latitude.
TriangleMesh make_supersphere(std::span<const double> params) {
    const int n = static_cast<int>(params[0]);
    TriangleMesh mesh;
    mesh.vertices.push_back({0, 0, -1});
    for (int i = 1; i < n; ++i) {
        const double v = -pi / 2 + i * pi / n;
        for (int j = 0; j < n; ++j) {
            const double u = -pi + j * 2 * pi / n;
            mesh.vertices.push_back(
                single({power_cos(v, params[2]) * power_cos(u, params[1]),
                        power_cos(v, params[2]) * power_sin(u, params[1]), power_sin(v, params[2])}));
        }
    }
    const int top = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back({0, 0, 1});
    const auto at = [&](int ring, int j) { return 1 + ring * n + j % n; };
    for (int j = 0; j < n; ++j) mesh.faces.push_back({0, at(0, j + 1), at(0, j)});
    for (int ring = 0; ring < n - 2; ++ring) {
        for (int j = 0; j < n; ++j) {
            mesh.faces.push_back({at(ring, j), at(ring, j + 1), at(ring + 1, j)});
            mesh.faces.push_back({at(ring, j + 1), at(ring + 1, j + 1), at(ring + 1, j)});
        }
    }
    for (int j = 0; j < n; ++j) mesh.faces.push_back({at(n - 2, j), at(n - 2, j + 1), top});
    return mesh;
}

// params: resolution, radius of the tube, exponents of the tube's and of the ring's circle.
TriangleMesh make_supertorus(std::span<const double> params) {
    const int n = static_cast<int>(params[0]);
    TriangleMesh mesh;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double u = 2 * pi * i / n, v = 2 * pi * j / n;
            const double reach = 1 + params[1] * power_cos(v, params[2]);
            mesh.vertices.push_back(single({reach * power_cos(u, params[3]), reach * power_sin(u, params[3]),
                                            params[1] * power_sin(v, params[2])}));
        }
    }
    const auto at = [&](int i, int j) { return i % n * n + j % n; };
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            mesh.faces.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
            mesh.faces.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    }
    return mesh;
}

// params: resolutions, half angles of view in degrees, concentration in the middle (0 to 1). Only points, in
// the middles of the bins of a part of the unit sphere about −z.
TriangleMesh make_wedge(std::span<const double> params) {
    const auto edge = [&](int i, int axis) {
        const int bins = static_cast<int>(params[axis]);
        const double x = -1 + 2.0 * i / bins;
        return ((1 - params[4]) * x + params[4] * std::pow(x, 5)) * params[2 + axis] * pi / 180;
    };
    TriangleMesh mesh;
    for (int i = 0; i < static_cast<int>(params[0]); ++i) {
        for (int j = 0; j < static_cast<int>(params[1]); ++j) {
            const double azimuth = 0.5 * (edge(i + 1, 0) + edge(i, 0));
            const double elevation = 0.5 * (edge(j + 1, 1) + edge(j, 1));
            mesh.vertices.push_back(single({std::cos(elevation) * std::sin(azimuth), std::sin(elevation),
                                            -std::cos(elevation) * std::cos(azimuth)}));
        }
    }
    return mesh;
}

// params: resolutions. A flat sheet at z = −1 between the middles of the cells of a square.
TriangleMesh make_plate(std::span<const double> params) {
    const int nx = static_cast<int>(params[0]), ny = static_cast<int>(params[1]);
    TriangleMesh mesh;
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            mesh.vertices.push_back(single({-1 + (i + 0.5) * (2.0 / nx), -1 + (j + 0.5) * (2.0 / ny), -1}));
    for (int i = 1; i < nx; ++i) {
        for (int j = 1; j < ny; ++j) {
            const int corner = i * ny + j;
            mesh.faces.push_back({corner - ny - 1, corner - 1, corner - ny});
            mesh.faces.push_back({corner, corner - ny, corner - 1});
        }
    }
    return mesh;
}

struct Parameter {
    std::string_view name;
    double least, most;
    bool whole = false;
    bool least_is_excluded = false;
};
struct Builtin {
    TriangleMesh (*make)(std::span<const double>);
    std::vector<Parameter> parameters;
};

// In the order of builtin_mesh_names. Resolutions are bounded so that no file asks for more than some
// million faces.
const Builtin& builtin(int kind) {
    static const std::array<Builtin, builtin_mesh_names.size()> list{{
        {make_sphere, {{"subdivision", 0, 4, true}}},
        {make_hemisphere, {{"resolution", 0, 10, true}}},
        {make_cone, {{"edge count", 3, 1000, true}, {"radius", 0, 1e6}}},
        {make_supersphere, {{"resolution", 3, 1000, true}, {"exponent e", 0, 1e6}, {"exponent n", 0, 1e6}}},
        {make_supertorus,
         {{"resolution", 3, 1000, true},
          {"radius", 0, 1, false, true},
          {"exponent s", 0, 1e6, false, true},
          {"exponent t", 0, 1e6, false, true}}},
        {make_wedge,
         {{"horizontal resolution", 1, 1000, true},
          {"vertical resolution", 1, 1000, true},
          {"horizontal angle", 0, 180, false, true},
          {"vertical angle", 0, 90, false, true},
          {"concentration", 0, 1}}},
        {make_plate, {{"x resolution", 2, 1000, true}, {"y resolution", 2, 1000, true}}},
    }};
    return list[static_cast<std::size_t>(kind)];
}

std::string number(double x) {
    std::string text = std::to_string(x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

}  // namespace

std::variant<TriangleMesh, FileFault> make_builtin_mesh(int kind, std::span<const double> params) {
    const Builtin& wanted = builtin(kind);
    std::string names;
    for (const Parameter& p : wanted.parameters) names += (names.empty() ? "" : ", ") + std::string(p.name);
    if (params.size() != wanted.parameters.size())
        return FileFault{"a " + std::string(builtin_mesh_names[static_cast<std::size_t>(kind)]) + " takes " +
                             std::to_string(wanted.parameters.size()) + " parameters, not " +
                             std::to_string(params.size()),
                         "they are: " + names};
    for (std::size_t i = 0; i < params.size(); ++i) {
        const Parameter& p = wanted.parameters[i];
        const bool inside =
            params[i] <= p.most && (p.least_is_excluded ? params[i] > p.least : params[i] >= p.least);
        if (inside && (!p.whole || params[i] == std::floor(params[i]))) continue;
        return FileFault{"the " + std::string(p.name) + " is " + number(params[i]),
                         std::string(p.whole ? "it is a whole number from " : "it is a number from ") +
                             number(p.least) + (p.least_is_excluded ? " (excluded) to " : " to ") +
                             number(p.most)};
    }
    return wanted.make(params);
}

}  // namespace lig::io
