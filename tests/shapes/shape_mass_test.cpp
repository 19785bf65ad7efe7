// Mass properties of every shape in the list against quadrature over its parametrized surface. The surface
// integrals give the shell directly and, by the divergence theorem, the solid: ∫ x² dV = ∮ x³/3 n_x dA.
// Nothing is shared with the closed forms under test.

#include "shapes/shape_mass.h"
#include "shapes/shape_list.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

using namespace lig;

namespace {

constexpr double pi = std::numbers::pi;

// A piece of surface: a point and its two derivatives over the unit square; du × dv points outwards.
struct PatchPoint {
    Vec3d p, du, dv;
};
using Patch = std::function<PatchPoint(double u, double v)>;

struct Rule {
    std::vector<double> node, weight;
};

// Gauss–Legendre on [0, 1], nodes by Newton's method on the Legendre polynomial.
Rule gauss_rule(int n) {
    Rule rule;
    for (int i = 0; i < n; ++i) {
        double x = std::cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int turn = 0; turn < 20; ++turn) {
            double p0 = 1, p1 = x;
            for (int k = 2; k <= n; ++k) {
                const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            x -= p1 / slope;
        }
        rule.node.push_back((1 + x) / 2);
        rule.weight.push_back(1 / ((1 - x * x) * slope * slope));
    }
    return rule;
}

// A stretched sphere between two polar angles and in one of `slices` slices of azimuth, moved along z.
Patch sphere_patch(Vec3d radii, double polar_from, double polar_to, double shift, int slice = 0,
                   int slices = 1) {
    return [=](double u, double v) {
        const double t = polar_from + u * (polar_to - polar_from), dt = polar_to - polar_from;
        const double f = 2 * pi * (slice + v) / slices, df = 2 * pi / slices;
        return PatchPoint{
            {radii.x * std::sin(t) * std::cos(f), radii.y * std::sin(t) * std::sin(f),
             radii.z * std::cos(t) + shift},
            {radii.x * dt * std::cos(t) * std::cos(f), radii.y * dt * std::cos(t) * std::sin(f),
             -radii.z * dt * std::sin(t)},
            {-radii.x * df * std::sin(t) * std::sin(f), radii.y * df * std::sin(t) * std::cos(f), 0}};
    };
}

Patch tube_patch(double r, double h) {
    return [=](double u, double v) {
        const double f = 2 * pi * u;
        return PatchPoint{{r * std::cos(f), r * std::sin(f), h * (2 * v - 1)},
                          {-2 * pi * r * std::sin(f), 2 * pi * r * std::cos(f), 0},
                          {0, 0, 2 * h}};
    };
}

Patch disc_patch(double r, double z) {
    const double side = z > 0 ? 1 : -1;
    return [=](double u, double v) {
        const double f = 2 * pi * v * side;
        return PatchPoint{{r * u * std::cos(f), r * u * std::sin(f), z},
                          {r * std::cos(f), r * std::sin(f), 0},
                          {-2 * pi * side * r * u * std::sin(f), 2 * pi * side * r * u * std::cos(f), 0}};
    };
}

Patch face_patch(Vec3d size, int axis, double side) {
    return [=](double u, double v) {
        const int j = (axis + 1) % 3, k = (axis + 2) % 3;
        PatchPoint point{Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
        point.p[axis] = side * size[axis];
        point.p[j] = size[j] * (2 * u - 1) * side;
        point.p[k] = size[k] * (2 * v - 1);
        point.du[j] = 2 * size[j] * side;
        point.dv[k] = 2 * size[k];
        return point;
    };
}

std::vector<Patch> surface(ShapeType shape, const Vec3d& size) {
    switch (shape) {
        case ShapeType::sphere: return {sphere_patch({size.x, size.x, size.x}, 0, pi, 0)};
        case ShapeType::ellipsoid: {
            std::vector<Patch> octants;
            for (int slice = 0; slice < 4; ++slice)
                for (const double top : {0.0, pi / 2})
                    octants.push_back(sphere_patch(size, top, top + pi / 2, 0, slice, 4));
            return octants;
        }
        case ShapeType::capsule:
            return {sphere_patch({size.x, size.x, size.x}, 0, pi / 2, size.y), tube_patch(size.x, size.y),
                    sphere_patch({size.x, size.x, size.x}, pi / 2, pi, -size.y)};
        case ShapeType::cylinder:
            return {disc_patch(size.x, size.y), tube_patch(size.x, size.y), disc_patch(size.x, -size.y)};
        case ShapeType::box:
        case ShapeType::heightfield: {  // weighs like a box
            std::vector<Patch> faces;
            for (int axis = 0; axis < 3; ++axis)
                for (const double side : {-1.0, 1.0}) faces.push_back(face_patch(size, axis, side));
            return faces;
        }
        case ShapeType::plane:
        case ShapeType::mesh:
        case ShapeType::trimesh: return {};
    }
    return {};
}

ShapeMass integrate(const std::vector<Patch>& patches, int n) {
    const Rule rule = gauss_rule(n);
    double volume = 0, area = 0;
    Sym3d shell = Sym3d::zero();  // ∫ p pᵀ dA
    Vec3d solid = Vec3d::zero();  // ∫ x², y², z² dV
    double solid_xy = 0, solid_xz = 0, solid_yz = 0;
    for (const Patch& patch : patches)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const PatchPoint s = patch(rule.node[i], rule.node[j]);
                const Vec3d normal = (rule.weight[i] * rule.weight[j]) * cross(s.du, s.dv);
                const double dA = std::sqrt(dot(normal, normal));
                const Vec3d& p = s.p;
                volume += dot(p, normal) / 3;
                area += dA;
                shell += dA * Sym3d{p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
                for (int k = 0; k < 3; ++k) solid[k] += p[k] * p[k] * p[k] * normal[k] / 3;
                solid_xy += p.x * p.x * p.y * normal.x / 2;
                solid_xz += p.x * p.x * p.z * normal.x / 2;
                solid_yz += p.y * p.y * p.z * normal.y / 2;
            }
    const auto inertia = [](const Sym3d& m, double total) {
        return (1 / total) * Sym3d{m.yy + m.zz, m.xx + m.zz, m.xx + m.yy, -m.xy, -m.xz, -m.yz};
    };
    return {.volume = volume,
            .area = area,
            .unit_inertia_solid = inertia({solid.x, solid.y, solid.z, solid_xy, solid_xz, solid_yz}, volume),
            .unit_inertia_shell = inertia(shell, area)};
}

void check_close(const Sym3d& got, const Sym3d& expected, double tolerance) {
    const double scale = expected.xx + expected.yy + expected.zz;
    CHECK(std::abs(got.xx - expected.xx) <= tolerance * scale);
    CHECK(std::abs(got.yy - expected.yy) <= tolerance * scale);
    CHECK(std::abs(got.zz - expected.zz) <= tolerance * scale);
    CHECK(std::abs(got.xy - expected.xy) <= tolerance * scale);
    CHECK(std::abs(got.xz - expected.xz) <= tolerance * scale);
    CHECK(std::abs(got.yz - expected.yz) <= tolerance * scale);
}

}  // namespace

TEST_CASE("volume, area and inertia of every shape agree with quadrature over its surface") {
    const Vec3d sizes[] = {{0.3, 0.7, 0.5}, {1.2, 0.4, 2.0}, {0.05, 0.05, 0.05}, {2, 2, 0.5}, {0.6, 3, 0.6}};
    for (const ShapeType shape : all_shapes)
        for (const Vec3d& size : sizes) {
            CAPTURE(shape_name(shape));
            CAPTURE(size.x);
            const std::vector<Patch> patches = surface(shape, size);
            const std::optional<ShapeMass> mass = shape_mass(shape, size);
            if (shape == ShapeType::mesh) {
                CHECK_FALSE(mass.has_value());
                continue;
            }
            REQUIRE(mass.has_value());
            CHECK(dot(mass->com, mass->com) == 0);
            if (shape == ShapeType::plane || shape == ShapeType::trimesh) {
                CHECK(mass->volume == 0);
                CHECK(mass->area == 0);
                continue;
            }
            REQUIRE_FALSE(patches.empty());
            const ShapeMass expected = integrate(patches, 60);
            CHECK(mass->volume == doctest::Approx(expected.volume).epsilon(1e-12));
            CHECK(mass->area == doctest::Approx(expected.area).epsilon(1e-12));
            check_close(mass->unit_inertia_solid, expected.unit_inertia_solid, 1e-12);
            check_close(mass->unit_inertia_shell, expected.unit_inertia_shell, 1e-12);
        }
}

TEST_CASE("the surface of an ellipsoid in its limits") {
    SUBCASE("equal axes: a sphere") {
        const ShapeMass m = *shape_mass(ShapeType::ellipsoid, {0.7, 0.7, 0.7});
        CHECK(m.area == doctest::Approx(4 * pi * 0.49).epsilon(1e-14));
        check_close(m.unit_inertia_shell, Sym3d::diagonal(2 * 0.49 / 3, 2 * 0.49 / 3, 2 * 0.49 / 3), 1e-15);
    }
    SUBCASE("oblate, by the classical formula") {
        const double a = 1.5, c = 0.4, e = std::sqrt(1 - c * c / (a * a));
        const ShapeMass m = *shape_mass(ShapeType::ellipsoid, {a, a, c});
        const double area = 2 * pi * a * a * (1 + (1 - e * e) / e * std::atanh(e));
        CHECK(m.area == doctest::Approx(area).epsilon(1e-13));
    }
    SUBCASE("flat: two discs, <x²> = a²/4") {
        const ShapeMass m = *shape_mass(ShapeType::ellipsoid, {2, 2, 1e-9});
        CHECK(m.area == doctest::Approx(2 * pi * 4).epsilon(1e-12));
        CHECK(m.unit_inertia_shell.zz == doctest::Approx(2.0).epsilon(1e-12));
        CHECK(m.unit_inertia_shell.xx == doctest::Approx(1.0).epsilon(1e-12));
    }
    SUBCASE("thin: area π² a c, <z²> = a² ∫ u² √(1-u²) du / ∫ √(1-u²) du = a²/4") {
        const ShapeMass m = *shape_mass(ShapeType::ellipsoid, {1e-9, 1e-9, 2});
        CHECK(m.area == doctest::Approx(pi * pi * 2e-9).epsilon(1e-12));
        CHECK(m.unit_inertia_shell.xx == doctest::Approx(1.0).epsilon(1e-12));
    }
    SUBCASE("sizes may be very large") {
        const ShapeMass m = *shape_mass(ShapeType::ellipsoid, {1e60, 1e60, 1e60});
        CHECK(m.area == doctest::Approx(4 * pi * 1e120).epsilon(1e-13));
    }
}

TEST_CASE("the sizes each shape takes") {
    CHECK(shape_size_count(ShapeType::plane) == 3);
    CHECK(shape_size_count(ShapeType::sphere) == 1);
    CHECK(shape_size_count(ShapeType::capsule) == 2);
    CHECK(shape_size_count(ShapeType::cylinder) == 2);
    CHECK(shape_size_count(ShapeType::ellipsoid) == 3);
    CHECK(shape_size_count(ShapeType::box) == 3);
    CHECK(shape_size_count(ShapeType::mesh) == 0);
    CHECK(shape_size_count(ShapeType::heightfield) == 0);
    CHECK(shape_size_count(ShapeType::trimesh) == 0);

    for (const ShapeType shape : all_shapes) {
        CAPTURE(shape_name(shape));
        CHECK(shape_by_name(shape_name(shape)) == shape);
        CHECK_FALSE(shape_size_error(shape, {1, 1, 1}).has_value());
        for (int i = 0; i < 3; ++i) {
            const bool read = i < shape_size_count(shape);
            for (const double bad :
                 {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
                Vec3d size{1, 1, 1};
                size[i] = bad;
                CHECK(shape_size_error(shape, size).has_value() == read);
            }
            Vec3d size{1, 1, 1};
            size[i] = 0;
            CHECK(shape_size_error(shape, size).has_value() == (read && shape != ShapeType::plane));
        }
    }
    CHECK(shape_size_error(ShapeType::box, {1, 0, 1}) == "size 2 of a box must be positive");
    CHECK_FALSE(shape_by_name("bax").has_value());
}
