#pragma once

// Convex shapes by closed forms in extended precision: support functions and membership, independent of the
// code under test. Together they prove a distance: witness points inside both shapes bound it from above,
// the width along the normal from below.

#include "scalar_types.h"
#include "shapes/collision_shape.h"
#include "support/random_values.h"

#include <cmath>
#include <memory>
#include <vector>

namespace lig::test {

using Real = long double;
using Vec3r = Vec3<Real>;

inline Vec3r wide(const Vec3d& a) { return {a.x, a.y, a.z}; }
inline Real wide_length(const Vec3r& a) { return std::sqrt(dot(a, a)); }

// Σ over the radius and the extents: max of n·x over the shape, n in G, of any length.
template <class T>
T support_function(const CollisionShape& s, const Vec3<T>& n) {
    const T length = std::sqrt(dot(n, n));
    const T a = s.size.x, b = s.size.y, c = s.size.z;
    switch (s.type) {
        case ShapeType::sphere: return a * length;
        case ShapeType::capsule: return a * length + b * std::abs(n.z);
        case ShapeType::cylinder: return a * std::sqrt(n.x * n.x + n.y * n.y) + b * std::abs(n.z);
        case ShapeType::ellipsoid:
            return std::sqrt(a * a * n.x * n.x + b * b * n.y * n.y + c * c * n.z * n.z);
        case ShapeType::box: return a * std::abs(n.x) + b * std::abs(n.y) + c * std::abs(n.z);
        default: {
            T best = -std::numeric_limits<T>::infinity();
            for (const Vec3d& v : s.hull->vertices) best = std::max(best, n.x * v.x + n.y * v.y + n.z * v.z);
            return best;
        }
    }
}

// How far outside the shape p (in G) is, from below and in the order of the true distance; negative inside.
inline Real outside(const CollisionShape& s, const Vec3r& p) {
    const Real a = s.size.x, b = s.size.y, c = s.size.z;
    switch (s.type) {
        case ShapeType::sphere: return wide_length(p) - a;
        case ShapeType::capsule: {
            const Real z = p.z - std::clamp(p.z, -b, b);
            return wide_length({p.x, p.y, z}) - a;
        }
        case ShapeType::cylinder: return std::max(std::sqrt(p.x * p.x + p.y * p.y) - a, std::abs(p.z) - b);
        case ShapeType::ellipsoid: {
            // q(p) = |p/size| is convex and homogeneous: (q − 1) q / |∇(q²)/2| is the distance to first
            // order.
            const Vec3r u{p.x / a, p.y / b, p.z / c};
            const Real q = wide_length(u);
            if (q == 0) return -std::min({a, b, c});
            return (q - 1) * q / wide_length({u.x / a, u.y / b, u.z / c});
        }
        case ShapeType::box: return std::max({std::abs(p.x) - a, std::abs(p.y) - b, std::abs(p.z) - c});
        default: {
            Real most = -std::numeric_limits<Real>::infinity();
            for (int f = 0; f < s.hull->face_count(); ++f)
                most = std::max(most, dot(wide(s.hull->face_normals[f]), p) - Real(s.hull->face_offsets[f]));
            return most;
        }
    }
}

// The radius of the ball around G's origin that holds the shape.
inline double reach(const CollisionShape& s) {
    switch (s.type) {
        case ShapeType::sphere: return s.size.x;
        case ShapeType::capsule: return s.size.x + s.size.y;
        case ShapeType::cylinder: return std::hypot(s.size.x, s.size.y);
        case ShapeType::ellipsoid: return std::max({s.size.x, s.size.y, s.size.z});
        case ShapeType::box: return length(s.size);
        default: {
            double most = 0;
            for (const Vec3d& v : s.hull->vertices) most = std::max(most, length(v));
            return most;
        }
    }
}

// A shape that owns its hull.
struct OwnedShape {
    CollisionShape shape;
    std::shared_ptr<HullGeometry> hull;
};

inline constexpr ShapeType convex_types[] = {ShapeType::sphere, ShapeType::capsule, ShapeType::cylinder,
                                             ShapeType::ellipsoid, ShapeType::box, ShapeType::mesh};

// Sizes about `scale`, or between it and `thinness` times it.
inline OwnedShape random_shape(Random& random, ShapeType type, double scale, double thinness = 0.3) {
    OwnedShape made;
    made.shape.type = type;
    const auto some = [&] { return scale * std::pow(thinness, random.uniform(0, 1)); };
    const double x = some(), y = some(), z = some();
    made.shape.size = {x, y, z};
    if (type == ShapeType::mesh) {
        std::vector<Vec3d> points(4 + random_index(random, 20));
        for (;;) {
            for (Vec3d& p : points) {
                const Vec3d d = random_direction(random);
                p = {x * d.x + 0.2 * x, y * d.y, z * d.z};
            }
            auto hull = make_hull_geometry(points);
            if (auto* good = std::get_if<HullGeometry>(&hull)) {
                made.hull = std::make_shared<HullGeometry>(std::move(*good));
                break;
            }
        }
        made.shape.hull = made.hull.get();
    }
    return made;
}

// −(h_A(n) + h_B(−n)): how far apart A and B are along n (unit, in the world's axes).
template <class T>
T separation(const CollisionShape& a, const Transformd& X_WA, const CollisionShape& b, const Transformd& X_WB,
             const Vec3<T>& n) {
    const auto turned = [&](const Mat3d& R, T sign) {
        const auto column = [&](const Vec3d& c) { return sign * (n.x * c.x + n.y * c.y + n.z * c.z); };
        return Vec3<T>{column(R.x), column(R.y), column(R.z)};
    };
    const T apart = n.x * (T(X_WB.p.x) - T(X_WA.p.x)) + n.y * (T(X_WB.p.y) - T(X_WA.p.y)) +
                    n.z * (T(X_WB.p.z) - T(X_WA.p.z));
    return apart - support_function(a, turned(X_WA.R, 1)) - support_function(b, turned(X_WB.R, -1));
}

inline Real outside(const CollisionShape& s, const Transformd& X_WG, const Vec3d& p_W) {
    const Vec3r d{Real(p_W.x) - X_WG.p.x, Real(p_W.y) - X_WG.p.y, Real(p_W.z) - X_WG.p.z};
    return outside(s, {dot(wide(X_WG.R.x), d), dot(wide(X_WG.R.y), d), dot(wide(X_WG.R.z), d)});
}

// Looks for the direction along which A and B are farthest apart, from many starts by a shrinking search;
// `hints` are tried as well. A lower bound of the signed distance that is close to it.
inline double searched_separation(Random& random, const CollisionShape& a, const Transformd& X_WA,
                                  const CollisionShape& b, const Transformd& X_WB,
                                  const std::vector<Vec3d>& hints, int samples, int starts) {
    struct Found {
        double value;
        Vec3d n;
    };
    const auto value = [&](const Vec3d& n) { return separation(a, X_WA, b, X_WB, n); };
    std::vector<Found> best;
    const auto keep = [&](const Vec3d& n) {
        const Found found{value(n), n};
        if (static_cast<int>(best.size()) < starts)
            best.push_back(found);
        else if (found.value > best.back().value)
            best.back() = found;
        else
            return;
        std::sort(best.begin(), best.end(), [](const Found& l, const Found& r) { return l.value > r.value; });
    };
    for (const Vec3d& n : hints) keep(n);
    // A spiral over the sphere, turned at random.
    const Mat3d turn = rotation_matrix(random_rotation(random));
    for (int i = 0; i < samples; ++i) {
        const double z = 1 - (2 * i + 1.0) / samples, r = std::sqrt(1 - z * z), phi = 2.399963229728653 * i;
        keep(turn * Vec3d{r * std::cos(phi), r * std::sin(phi), z});
    }
    for (Found& found : best) {
        double step = 2 / std::sqrt(samples), phase = 0;
        while (step > 1e-9) {
            const Vec3d side = std::abs(found.n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
            Vec3d u = cross(found.n, side);
            u = (1 / length(u)) * u;
            const Vec3d v = cross(found.n, u);
            Found next = found;
            for (int k = 0; k < 6; ++k) {
                const double angle = phase + k * 1.0471975511965976;
                Vec3d n = found.n + step * (std::cos(angle) * u + std::sin(angle) * v);
                n = (1 / length(n)) * n;
                if (const double there = value(n); there > next.value) next = {there, n};
            }
            step = next.value > found.value ? step * 1.5 : step * 0.5;
            phase += 0.37;
            found = next;
        }
    }
    double most = -std::numeric_limits<double>::infinity();
    for (const Found& found : best) most = std::max(most, found.value);
    return most;
}

}  // namespace lig::test
