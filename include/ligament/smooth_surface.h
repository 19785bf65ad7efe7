#pragma once

// Smooth surfaces f(p) = 0, on which bodies roll and slide without leaving them (TangencyConstraint in
// pair_kinds.h). f is negative inside; its size does not matter, its gradient on the surface must not vanish.
// The library knows some, of which `ligament list surfaces` tells; a program brings its own as a function:
//
//   const auto egg = lig::make_surface(
//       [](const auto& p) { return p.x * p.x + p.y * p.y + (1 + 0.2 * p.z) * p.z * p.z - 1.0; }, 1.0);

#include <ligament/dual.h>
#include <ligament/vec.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace lig {

struct SurfacePoint {
    double f = 0;
    Vec3d gradient = Vec3d::zero();
    Sym3d hessian = Sym3d::zero();
};

// Immutable; may be asked from several threads at once.
class SmoothSurface {
public:
    virtual ~SmoothSurface() = default;
    virtual std::string_view kind() const = 0;
    virtual double size() const = 0;  // how large it is: a length to measure distances by
    virtual SurfacePoint at(const Vec3d& p) const = 0;
    // What is wrong with its parameters; empty if nothing is.
    virtual std::string fault() const { return {}; }

protected:
    SmoothSurface() = default;
    SmoothSurface(const SmoothSurface&) = default;
    SmoothSurface& operator=(const SmoothSurface&) = default;
};

// f and its derivatives, of a function template.
template <class Function>
SurfacePoint differentiate(const Function& function, const Vec3d& p) {
    using First = Dual<double, 3>;
    Vec3<Dual<First, 3>> x;
    for (int k = 0; k < 3; ++k) {
        x[k] = Dual<First, 3>(p[k]);
        x[k].value.d[k] = 1;
        x[k].d[k] = First(1.0);
    }
    const Dual<First, 3> f = function(x);
    return {f.value.value,
            {f.value.d[0], f.value.d[1], f.value.d[2]},
            {f.d[0].d[0], f.d[1].d[1], f.d[2].d[2], f.d[0].d[1], f.d[0].d[2], f.d[1].d[2]}};
}

template <class Function>
class FunctionSurface final : public SmoothSurface {
public:
    FunctionSurface(Function function, double size) : function_(std::move(function)), size_(size) {}
    std::string_view kind() const override { return "function"; }
    double size() const override { return size_; }
    SurfacePoint at(const Vec3d& p) const override { return differentiate(function_, p); }
    std::string fault() const override { return size_ > 0 ? "" : "its size is not positive"; }

private:
    Function function_;
    double size_;
};

template <class Function>
std::shared_ptr<const SmoothSurface> make_surface(Function function, double size) {
    return std::make_shared<FunctionSurface<Function>>(std::move(function), size);
}

// The kinds that the library knows: name, how many sizes, what they are. In their own frame.
#define LIG_FOR_EACH_SURFACE(X)                                                \
    X(plane, 0, "z = 0, the solid below")                                      \
    X(sphere, 1, "radius")                                                     \
    X(ellipsoid, 3, "half axes")                                               \
    X(capsule, 2, "radius, half length of the middle along z")                 \
    X(cylinder, 1, "radius; about z, without ends")                            \
    X(cone, 1, "half angle at the tip in radians; opens along z, without end") \
    X(torus, 2, "radius of the ring about z, radius of its tube")              \
    X(superquadric, 4, "half axes and an exponent of 2 or more: |x/a|ᵉ + |y/b|ᵉ + |z/c|ᵉ = 1")

enum class SurfaceKind : unsigned char {
#define LIG_NAME_SURFACE(name, sizes, summary) name,
    LIG_FOR_EACH_SURFACE(LIG_NAME_SURFACE)
#undef LIG_NAME_SURFACE
};

struct SurfaceInfo {
    std::string_view name;
    int sizes;
    std::string_view summary;
};
inline constexpr SurfaceInfo surface_list[] = {
#define LIG_LIST_SURFACE(name, sizes, summary) {#name, sizes, summary},
    LIG_FOR_EACH_SURFACE(LIG_LIST_SURFACE)
#undef LIG_LIST_SURFACE
};

class StandardSurface final : public SmoothSurface {
public:
    // inside: the solid is outside, what touches it is within (a ball in a bowl).
    StandardSurface(SurfaceKind type, std::array<double, 4> sizes, bool inside = false)
        : type(type), sizes(sizes), inside(inside) {}
    std::string_view kind() const override { return surface_list[static_cast<int>(type)].name; }
    double size() const override;
    SurfacePoint at(const Vec3d& p) const override;
    std::string fault() const override;

    const SurfaceKind type;
    const std::array<double, 4> sizes;
    const bool inside;
};

}  // namespace lig
