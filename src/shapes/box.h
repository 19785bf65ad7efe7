#pragma once

// The box |x| <= a, |y| <= b, |z| <= c, (a, b, c) = size.
//
// Solid: V = 8abc, <x²> = a²/3.
// Surface: the two faces across x have 8bc together and x² = a² on them; on the other four, of areas 8ac and
// 8ab, <x²> = a²/3. Hence A = 8(bc + ac + ab) and <x²> = a² (bc + (ac + ab)/3) / (bc + ac + ab).

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

#include <cmath>

namespace lig {

struct BoxShape {
    static constexpr std::string_view name = "box";
    static constexpr int size_count = 3;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        const Vec3d square{size.x * size.x, size.y * size.y, size.z * size.z};
        const Vec3d faces{8 * size.y * size.z, 8 * size.x * size.z, 8 * size.x * size.y};
        const double area = faces.x + faces.y + faces.z;
        Vec3d shell = Vec3d::zero();
        for (int i = 0; i < 3; ++i) shell[i] = square[i] * (faces[i] + (area - faces[i]) / 3) / area;
        return ShapeMass{.volume = 8 * size.x * size.y * size.z,
                         .area = area,
                         .unit_inertia_solid = inertia_of_mean_squares((1.0 / 3.0) * square),
                         .unit_inertia_shell = inertia_of_mean_squares(shell)};
    }

    static constexpr bool convex = true;

    static double core_radius(const CollisionShape&) { return 0; }
    static Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
        const Vec3d& s = shape.size;
        return {d.x >= 0 ? s.x : -s.x, d.y >= 0 ? s.y : -s.y, d.z >= 0 ? s.z : -s.z};
    }
    static Vec3d interior_point(const CollisionShape&) { return {0, 0, 0}; }

    // Corners have ids of three bits, one per axis, set on the positive side.
    static void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope,
                                SupportingFace& face) {
        const Vec3d size = shape.size;
        const auto add = [&](int corner) {
            face.add({corner & 1 ? size.x : -size.x, corner & 2 ? size.y : -size.y,
                      corner & 4 ? size.z : -size.z},
                     corner);
        };
        int most = 0, least = 0;
        for (int i = 1; i < 3; ++i) {
            if (std::fabs(d[i]) > std::fabs(d[most])) most = i;
            if (std::fabs(d[i]) <= std::fabs(d[least])) least = i;
        }
        const int corner = (d.x >= 0 ? 1 : 0) | (d.y >= 0 ? 2 : 0) | (d.z >= 0 ? 4 : 0);
        const int j = (most + 1) % 3, k = (most + 2) % 3;
        if (d[j] * d[j] + d[k] * d[k] <= slope * slope) {
            const bool positive = d[most] >= 0;
            face.normal = {0, 0, 0};
            face.normal[most] = positive ? 1 : -1;
            const int base = positive ? 1 << most : 0, bit_j = 1 << j, bit_k = 1 << k;
            add(base | bit_j | bit_k);
            add(positive ? base | bit_k : base | bit_j);
            add(base);
            add(positive ? base | bit_j : base | bit_k);
        } else if (std::fabs(d[least]) <= slope) {
            add(corner | (1 << least));
            add(corner & ~(1 << least));
        } else {
            add(corner);
        }
    }

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        const Mat3d& R = X_WG.R;
        Vec3d reach;
        for (int i = 0; i < 3; ++i)
            reach[i] = shape.size.x * std::fabs(R.x[i]) + shape.size.y * std::fabs(R.y[i]) +
                       shape.size.z * std::fabs(R.z[i]);
        return {X_WG.p - reach, X_WG.p + reach};
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const Vec3d& s = shape.size;
        for (const double a : {-1.0, 1.0})
            for (const double b : {-1.0, 1.0}) {
                outline_line({-s.x, a * s.y, b * s.z}, {s.x, a * s.y, b * s.z}, segments);
                outline_line({a * s.x, -s.y, b * s.z}, {a * s.x, s.y, b * s.z}, segments);
                outline_line({a * s.x, b * s.y, -s.z}, {a * s.x, b * s.y, s.z}, segments);
            }
    }
};

}  // namespace lig
