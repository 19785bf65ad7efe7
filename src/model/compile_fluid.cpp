// The coefficients of a medium's forces, after MuJoCo ("Fluid forces" in its chapter on computation).
//
// A body whose geoms have no fluid coefficients is seen as the box of uniform density with its mass and its
// moments of inertia, of sides x = √(6 (Iy + Iz − Ix) / m), …: fluid_box.h. A geom with fluid coefficients is
// seen as an ellipsoid.

#include "model/compile.h"

#include "core/diagnostic_codes.h"
#include "model/fluid_box.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace lig::compiling {

namespace {

constexpr double pi = std::numbers::pi;

double squared(double x) { return x * x; }
double fourth(double x) { return squared(squared(x)); }

// MuJoCo's smallest mass and moment that count.
constexpr double least = 1e-15;

Model::FluidBox fluid_box(const Model::Body& body, const Options& medium) {
    const Sym3d I = rotate(transpose(body.R_BI), body.inertia);
    const double trace = I.xx + I.yy + I.zz;
    const auto side = [&](double moment) {
        return std::sqrt(std::max(least, trace - 2 * moment) / body.mass * 6);
    };
    const BoxDrag<double> of_box = drag_of_box(Vec3d{side(I.xx), side(I.yy), side(I.zz)}, medium);
    Model::FluidBox fluid{};
    fluid.link = body.link;
    fluid.X_LI = body.X_LB * Transformd{body.R_BI, body.com};
    for (int k = 0; k < 3; ++k) {
        fluid.drag[k] = of_box.drag[k];
        fluid.angular_drag[k] = of_box.angular_drag[k];
    }
    fluid.viscosity = of_box.viscosity;
    fluid.angular_viscosity = of_box.angular_viscosity;
    return fluid;
}

std::optional<Vec3d> semi_axes(const GeomSpec& geom) {
    switch (geom.shape) {
        case ShapeType::sphere: return Vec3d{geom.size.x, geom.size.x, geom.size.x};
        case ShapeType::capsule: return Vec3d{geom.size.x, geom.size.x, geom.size.y + geom.size.x};
        case ShapeType::cylinder: return Vec3d{geom.size.x, geom.size.x, geom.size.y};
        case ShapeType::ellipsoid:
        case ShapeType::box: return geom.size;
        case ShapeType::plane:
        case ShapeType::mesh:
        case ShapeType::heightfield:
        case ShapeType::trimesh: break;
    }
    return std::nullopt;
}

// κ(a; b, c) = ∫₀^∞ abc / √((a² + λ)³ (b² + λ) (c² + λ)) dλ, by which Lamb gives the fluid that an ellipsoid
// takes along. Fifteen points of Kronrod's rule in x, with λ = s x³/(1 − x)² and s a mean of the squared
// axes. Points and weights have eight digits, as in MuJoCo, so that the coefficients are the same.
double added_mass_integral(double a, double b, double c) {
    // The lower half of the points in [0, 1]; the upper ones mirror them.
    static constexpr double points[8] = {0.00427231, 0.02544604, 0.06756779, 0.12923441,
                                         0.20695638, 0.29707742, 0.39610752, 0.5};
    static constexpr double weights[8] = {0.01146766, 0.03154605, 0.05239501, 0.07032663,
                                          0.08450236, 0.09517529, 0.10221647, 0.10474107};
    const double scale = std::pow(a * a * a * b * c, 0.4);
    double sum = 0;
    for (int i = 0; i < 15; ++i) {
        const int k = i < 8 ? i : 14 - i;
        const double x = i < 8 ? points[k] : 1 - points[k];
        const double lambda = scale * x * x * x / squared(1 - x);
        const double slope = scale * x * x * (3 - x) / ((1 - x) * squared(1 - x));
        const double fa = 1 + lambda / (a * a), fb = 1 + lambda / (b * b), fc = 1 + lambda / (c * c);
        sum += weights[k] * slope / (fa * std::sqrt(fa * fb * fc));
    }
    return sum / (a * a);
}

// The moment of inertia of the fluid that is taken along about an axis; b and c are the other two.
double added_inertia(double volume, double b, double c, double kappa_b, double kappa_c) {
    const double difference = b * b - c * c, sum = b * b + c * c;
    const double divisor = std::abs(2 * difference + sum * (kappa_b - kappa_c));
    return volume / 5 * squared(difference) * std::abs(kappa_c - kappa_b) / std::max(1e-14, divisor);
}

Model::FluidEllipsoid fluid_ellipsoid(const Model::Body& body, const Transformd& X_BG, const Vec3d& axes,
                                      const FluidSpec& spec, const Options& medium) {
    const double volume = 4.0 / 3.0 * pi * axes.x * axes.y * axes.z;
    const double longest = std::max({axes.x, axes.y, axes.z}), shortest = std::min({axes.x, axes.y, axes.z});
    const double middle = axes.x + axes.y + axes.z - longest - shortest;
    const double diameter = 2.0 / 3.0 * (axes.x + axes.y + axes.z);
    const double largest_moment = 8.0 / 15.0 * pi * middle * fourth(longest);
    Vec3d kappa{0, 0, 0};
    for (int k = 0; k < 3; ++k)
        kappa[k] = added_mass_integral(axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]);

    Model::FluidEllipsoid fluid{};
    fluid.link = body.link;
    fluid.X_LG = body.X_LB * X_BG;
    fluid.largest_section = pi * longest * middle;
    for (int k = 0; k < 3; ++k) {
        const int b = (k + 1) % 3, c = (k + 2) % 3;
        fluid.squared_sections[k] = squared(axes[b] * axes[c]);
        fluid.added_mass[k] = medium.density * volume * kappa[k] / std::max(1e-14, 2 - kappa[k]);
        fluid.added_inertia[k] =
            medium.density * added_inertia(volume, axes[b], axes[c], kappa[b], kappa[c]);
        const double moment = 8.0 / 15.0 * pi * axes[k] * fourth(std::max(axes[b], axes[c]));
        fluid.angular_drag[k] =
            medium.density * (spec.angular_drag * moment + spec.slender_drag * (largest_moment - moment));
    }
    fluid.blunt_drag = medium.density * spec.blunt_drag;
    fluid.slender_drag = medium.density * spec.slender_drag;
    fluid.kutta_lift = medium.density * spec.kutta_lift;
    fluid.magnus_lift = medium.density * volume * spec.magnus_lift;
    fluid.viscosity = 3 * pi * diameter * medium.viscosity;
    fluid.angular_viscosity = pi * diameter * diameter * diameter * medium.viscosity;
    return fluid;
}

}  // namespace

void add_medium(Model& model, Diagnostics& log) {
    const Options& medium = model.options;
    if (medium.density == 0 && medium.viscosity == 0) return;
    // As in MuJoCo: without springs and dampers nothing passive acts at all.
    if (!medium.enabled.spring && !medium.enabled.damper) return;
    std::vector<bool> by_geoms(model.bodies.size(), false);
    for (std::size_t g = 0; g < model.geoms.size(); ++g) {
        const Model::Geom& geom = model.geoms[g];
        const Model::Body& body = model.bodies[geom.body];
        if (!geom.spec.fluid || body.link < 0) continue;
        by_geoms[geom.body] = true;
        if (body.mass < least) continue;
        const std::optional<Vec3d> axes = semi_axes(geom.spec);
        if (axes)
            model.fluid_ellipsoids.push_back(
                fluid_ellipsoid(body, geom.X_BG, *axes, *geom.spec.fluid, medium));
        else
            log.report(codes::U058, geom.spec.where,
                       named("geom", geom.spec.name, static_cast<int>(g)) + " is a " +
                           std::string(shape_name(geom.spec.shape)) +
                           ", for which the ellipsoid of the medium's forces is not computed",
                       "use a shape with sizes of its own, or leave its fluid coefficients out");
    }
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        if (body.link >= 0 && body.mass >= least && !by_geoms[b])
            model.fluid_boxes.push_back(fluid_box(body, medium));
    }
}

}  // namespace lig::compiling
