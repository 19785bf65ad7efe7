#pragma once

// The ellipsoid (x/a)² + (y/b)² + (z/c)² <= 1, (a, b, c) = size.
//
// Solid: the unit ball stretched, so V = 4/3 π abc and <x²> = a²/5.
//
// Surface of uniform mass per area, exactly. (MuJoCo approximates it by the thin layer between two solid
// ellipsoids, which is not equally thick everywhere, so its values differ somewhat.)
// With p = (a n_x, b n_y, c n_z), n on the unit sphere, dA = sqrt(s) dΩ where
//   s = X n_x² + Y n_y² + Z n_z²,   X = b²c², Y = a²c², Z = a²b².
// Write E for the mean over the unit sphere; then A = 4π E[√s] and <x²> = a² E[n_x² √s] / E[√s]. Let
//   d_x = E[n_x² s^(-3/2)],  p_x = E[n_x² s^(-1/2)],  g_x = E[n_x² s^(1/2)],  and so on for y and z.
// The mean over the sphere of any derivative along a rotation is zero. n_x n_y s^(-1/2) turned about z gives
//   p_x - p_y = (Y - X) E[n_x² n_y² s^(-3/2)],
// and inserting it and its counterpart for z into p_x = E[n_x² s · s^(-3/2)] leaves
//   p_x = (Y d_y + Z d_z) / 2.
// The same with n_x n_y s^(1/2) leaves
//   g_x = (G + X p_x) / 4,   G = E[√s] = X p_x + Y p_y + Z p_z.
// Finally d_x = R_D(Y, Z, X) / 3, a Carlson elliptic integral. Only positive terms are added, so it is
// accurate for needles and discs as well.

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig {

// Carlson's R_D(x, y, z) = 3/2 ∫₀^∞ dt / ((t+x)^½ (t+y)^½ (t+z)^(3/2)) for positive arguments: the
// duplication theorem brings the arguments together by a factor of four per turn, then a series ends it.
inline double carlson_rd(double x, double y, double z) {
    double sum = 0, factor = 1;
    for (;;) {
        const double mean = (x + y + 3 * z) / 5;
        const double dx = (mean - x) / mean, dy = (mean - y) / mean, dz = -(dx + dy) / 3;
        if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 1e-3) {
            // Terms of sixth order are left out: below 1e-17.
            const double e2 = dx * dy - 6 * dz * dz;
            const double e3 = (3 * dx * dy - 8 * dz * dz) * dz;
            const double e4 = 3 * (dx * dy - dz * dz) * dz * dz;
            const double e5 = dx * dy * dz * dz * dz;
            const double series =
                1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
            return 3 * sum + factor * series / (mean * std::sqrt(mean));
        }
        const double sx = std::sqrt(x), sy = std::sqrt(y), sz = std::sqrt(z);
        const double lambda = sx * sy + sx * sz + sy * sz;
        sum += factor / (sz * (z + lambda));
        factor /= 4;
        x = (x + lambda) / 4;
        y = (y + lambda) / 4;
        z = (z + lambda) / 4;
    }
}

struct EllipsoidShape {
    static constexpr std::string_view name = "ellipsoid";
    static constexpr int size_count = 3;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        const Vec3d square{size.x * size.x, size.y * size.y, size.z * size.z};
        // s is divided by the square of the largest of bc, ac, ab, so that no power of the sizes overflows.
        const Vec3d root{size.y * size.z, size.x * size.z, size.x * size.y};
        const double scale = std::max({root.x, root.y, root.z});
        Vec3d s, d, p;
        for (int i = 0; i < 3; ++i) s[i] = (root[i] / scale) * (root[i] / scale);
        for (int i = 0; i < 3; ++i) d[i] = carlson_rd(s[(i + 1) % 3], s[(i + 2) % 3], s[i]) / 3;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            p[i] = (s[j] * d[j] + s[k] * d[k]) / 2;
        }
        const double G = dot(s, p);
        Vec3d shell;
        for (int i = 0; i < 3; ++i) shell[i] = square[i] * (1 + s[i] * p[i] / G) / 4;
        return ShapeMass{.volume = 4.0 / 3.0 * std::numbers::pi * size.x * size.y * size.z,
                         .area = 4 * std::numbers::pi * scale * G,
                         .unit_inertia_solid = inertia_of_mean_squares(0.2 * square),
                         .unit_inertia_shell = inertia_of_mean_squares(shell)};
    }

    static constexpr bool convex = true;

    static double core_radius(const CollisionShape&) { return 0; }
    // The point whose outward normal (x/a², y/b², z/c²) is along d.
    static Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
        const Vec3d& s = shape.size;
        const Vec3d stretched{s.x * d.x, s.y * d.y, s.z * d.z};
        const double length = std::sqrt(dot(stretched, stretched));
        if (!(length > 0)) return {s.x, 0, 0};
        return {s.x * (stretched.x / length), s.y * (stretched.y / length), s.z * (stretched.z / length)};
    }
    static Vec3d interior_point(const CollisionShape&) { return {0, 0, 0}; }

    static void supporting_face(const CollisionShape& shape, const Vec3d& d, double, SupportingFace& face) {
        face.add(core_support(shape, d), 0);
    }

    // The unit ball under R · diag(size): its reach along an axis is the length of that row.
    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        Vec3d reach;
        for (int i = 0; i < 3; ++i) {
            const Vec3d row{X_WG.R.x[i] * shape.size.x, X_WG.R.y[i] * shape.size.y,
                            X_WG.R.z[i] * shape.size.z};
            reach[i] = std::sqrt(dot(row, row));
        }
        return {X_WG.p - reach, X_WG.p + reach};
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const Vec3d x{shape.size.x, 0, 0}, y{0, shape.size.y, 0}, z{0, 0, shape.size.z};
        outline_arc({0, 0, 0}, x, y, 1, segments);
        outline_arc({0, 0, 0}, y, z, 1, segments);
        outline_arc({0, 0, 0}, z, x, 1, segments);
    }
};

}  // namespace lig
