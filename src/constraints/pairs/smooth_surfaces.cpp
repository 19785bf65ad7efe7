// The surfaces that the library knows, each by its f. Where they can be, they are polynomials, so that f and
// its derivatives are finite everywhere.

#include "constraints/pairs/faults.h"

#include <ligament/smooth_surface.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

template <class T>
T square(const T& x) {
    return x * x;
}
// The distance from the z axis.
template <class T>
T from_axis(const Vec3<T>& p) {
    return sqrt(square(p.x) + square(p.y));
}

SurfacePoint plane(const std::array<double, 4>&, const Vec3d& p) {
    return {p.z, {0, 0, 1}, Sym3d::zero()};
}
SurfacePoint sphere(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate([&](const auto& x) { return 0.5 / s[0] * (dot(x, x) - s[0] * s[0]); }, p);
}
SurfacePoint ellipsoid(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) { return square(x.x / s[0]) + square(x.y / s[1]) + square(x.z / s[2]) - 1.0; }, p);
}
SurfacePoint capsule(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) {
            using T = std::decay_t<decltype(x.z)>;
            const T beyond = x.z > s[1] ? x.z - s[1] : x.z < -s[1] ? x.z + s[1]
                                                                   : T(0.0);
            return 0.5 / s[0] * (square(x.x) + square(x.y) + square(beyond) - s[0] * s[0]);
        },
        p);
}
SurfacePoint cylinder(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) { return 0.5 / s[0] * (square(x.x) + square(x.y) - s[0] * s[0]); }, p);
}
SurfacePoint cone(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) { return std::cos(s[0]) * from_axis(x) - std::sin(s[0]) * x.z; }, p);
}
SurfacePoint torus(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) {
            return 0.5 / s[1] * (square(from_axis(x) - s[0]) + square(x.z) - s[1] * s[1]);
        },
        p);
}
SurfacePoint superquadric(const std::array<double, 4>& s, const Vec3d& p) {
    return differentiate(
        [&](const auto& x) {
            return pow(abs(x.x / s[0]), s[3]) + pow(abs(x.y / s[1]), s[3]) + pow(abs(x.z / s[2]), s[3]) - 1.0;
        },
        p);
}

}  // namespace

SurfacePoint StandardSurface::at(const Vec3d& p) const {
    using Function = SurfacePoint (*)(const std::array<double, 4>&, const Vec3d&);
    static constexpr Function functions[] = {
#define LIG_SURFACE_FUNCTION(name, sizes, summary) name,
        LIG_FOR_EACH_SURFACE(LIG_SURFACE_FUNCTION)
#undef LIG_SURFACE_FUNCTION
    };
    SurfacePoint out = functions[static_cast<int>(type)](sizes, p);
    if (inside) out = {-out.f, -out.gradient, -1.0 * out.hessian};
    return out;
}

// The least half width, so that what is small beside it is small.
double StandardSurface::size() const {
    switch (type) {
        case SurfaceKind::plane:
        case SurfaceKind::cone: return 0;  // as large as one likes
        case SurfaceKind::torus: return sizes[1];
        case SurfaceKind::ellipsoid:
        case SurfaceKind::superquadric: return std::min({sizes[0], sizes[1], sizes[2]});
        default: return sizes[0];
    }
}

std::string StandardSurface::fault() const {
    const SurfaceInfo& info = surface_list[static_cast<int>(type)];
    for (int k = 0; k < info.sizes; ++k) {
        const std::string name = "size " + std::to_string(k + 1) + " of the " + std::string(info.name);
        const bool length_of_capsule = type == SurfaceKind::capsule && k == 1;
        if (length_of_capsule && sizes[k] == 0) continue;
        if (std::string fault = pairs::unless_positive(name.c_str(), sizes[k]); !fault.empty()) return fault;
    }
    if (type == SurfaceKind::cone && !(sizes[0] < std::acos(0.0)))
        return "the half angle of the cone must be less than a right angle";
    if (type == SurfaceKind::torus && !(sizes[1] < sizes[0]))
        return "the tube of the torus must be thinner than the ring";
    if (type == SurfaceKind::superquadric && !(sizes[3] >= 2))
        return "the exponent of the superquadric must be 2 or more";
    return {};
}

}  // namespace lig
