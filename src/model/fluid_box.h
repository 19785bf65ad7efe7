#pragma once

// What a medium does to a box, by its sides: drag of plates, and the viscous resistance of a sphere whose
// diameter is the mean side. MuJoCo's: "Fluid forces" in its chapter on computation.

#include "core/lift.h"

#include <ligament/model.h>

#include <numbers>

namespace lig {

template <class T>
struct BoxDrag {
    Vec3<T> drag, angular_drag;
    T viscosity, angular_viscosity;
};

template <class T>
BoxDrag<T> drag_of_box(const Vec3<T>& sides, const Options& medium) {
    constexpr double pi = std::numbers::pi;
    const auto fourth = [](const T& x) { return (x * x) * (x * x); };
    const T diameter = (sides.x + sides.y + sides.z) / lift<T>(3);
    BoxDrag<T> out;
    for (int k = 0; k < 3; ++k) {
        const T &a = sides[(k + 1) % 3], &b = sides[(k + 2) % 3];
        out.drag[k] = lift<T>(0.5 * medium.density) * a * b;
        out.angular_drag[k] = lift<T>(medium.density) * sides[k] * (fourth(a) + fourth(b)) / lift<T>(64);
    }
    out.viscosity = lift<T>(3 * pi) * diameter * lift<T>(medium.viscosity);
    out.angular_viscosity = lift<T>(pi) * diameter * diameter * diameter * lift<T>(medium.viscosity);
    return out;
}

}  // namespace lig
