#include <ligament/fluid.h>

#include "core/scalar_math.h"
#include "core/scaled.h"
#include "dynamics/stretches.h"
#include "model/fluid_box.h"

#include <limits>
#include <numbers>

namespace lig {

namespace {

template <class T>
T length(const Vec3<T>& a) { return sqrt(dot(a, a)); }

// In the axes of the box.
template <class T>
Force<T> force_on(const BoxDrag<T>& box, const Motion<T>& V) {
    const auto resist = [](const Vec3<T>& drag, const T& viscosity, const Vec3<T>& v) {
        Vec3<T> f;
        for (int k = 0; k < 3; ++k) f[k] = -(viscosity + drag[k] * abs(v[k])) * v[k];
        return f;
    };
    return {resist(box.angular_drag, box.angular_viscosity, V.ang), resist(box.drag, box.viscosity, V.lin)};
}

template <class T>
Force<T> force_on(const Model::FluidEllipsoid& body, const Motion<T>& V) {
    // At rest all terms below are 0 / 0. Nothing larger will do: fourth powers of a small ellipsoid's sizes
    // are divisors, too.
    const T least = lift<T>(std::numeric_limits<real_t<T>>::min());
    const T speed = length(V.lin);
    // n is along the normal of the cross-section whose outline throws the ellipsoid's shadow, but not of
    // unit length.
    const Vec3<T> n = scaled(body.squared_sections, V.lin);
    const T along = dot(n, V.lin), steepness = dot(n, n);
    const T shadow = lift<T>(std::numbers::pi) * sqrt(steepness / max(least, along));
    const T cosine = along / max(least, speed * steepness);

    const Vec3<T> momentum = scaled(body.added_mass, V.lin);
    const Vec3<T> angular_momentum = scaled(body.added_inertia, V.ang);
    const Vec3<T> circulation = (lift<T>(body.kutta_lift) * cosine * shadow) * cross(n, V.lin);
    const T drag = lift<T>(body.viscosity) +
                   speed * (lift<T>(body.blunt_drag) * shadow +
                            lift<T>(body.slender_drag) * (lift<T>(body.largest_section) - shadow));
    const T angular_drag = lift<T>(body.angular_viscosity) + length(scaled(body.angular_drag, V.ang));
    return {cross(momentum, V.lin) + cross(angular_momentum, V.ang) - angular_drag * V.ang,
            cross(momentum, V.ang) + lift<T>(body.magnus_lift) * cross(V.ang, V.lin) +
                cross(circulation, V.lin) - drag * V.lin};
}

// As a link is now: of one that deforms, the box with the second moments of mass that it has along its axes.
template <class T>
BoxDrag<T> drag_of(const Model::FluidBox& box, const Workspace<T>& ws) {
    if (!stretch_of(ws, box.link))
        return {lift<T>(box.drag), lift<T>(box.angular_drag), lift<T>(box.viscosity),
                lift<T>(box.angular_viscosity)};
    const Vec3<T> moments = second_moments(ws, ws.tree().links[box.link].stretch);
    const T share = lift<T>(12 / ws.model().tree.links[box.link].inertia.mass);
    const Vec3<T> sides{sqrt(share * moments.x), sqrt(share * moments.y), sqrt(share * moments.z)};
    return drag_of_box(sides, ws.model().options);
}

// The force of the medium on a shape at the frame X_LS of a link, from the velocity it has against the medium
// in its own axes.
template <class Shape, class T>
void add_force(int index, const Shape& shape, const Transformd& X_LS, Workspace<T>& ws) {
    const PoseWork<T>& link = ws.poses[index];
    const Mat3<T> R_WS = link.X_WL.R * lift<T>(X_LS.R);
    const Vec3<T> arm = link.X_WL.R * lift<T>(X_LS.p);
    const Motion<T> V_WS = shift(link.V_WL, arm);
    const Vec3<T> wind = lift<T>(ws.model().options.wind);
    const Motion<T> V_S{transpose_mul(R_WS, V_WS.ang), transpose_mul(R_WS, V_WS.lin - wind)};
    ws.f_ext[index] += shift_back(rotate(R_WS, force_on<T>(shape, V_S)), arm);
}

}  // namespace

template <class T>
void add_fluid_forces(Workspace<T>& ws) {
    for (const Model::FluidBox& box : ws.model().fluid_boxes)
        add_force(box.link, drag_of(box, ws),
                  stretch_of(ws, box.link) ? Transformd::identity() : box.X_LI, ws);
    for (const Model::FluidEllipsoid& body : ws.model().fluid_ellipsoids)
        add_force(body.link, body, body.X_LG, ws);
}

#define LIG_INSTANTIATE(T) template void add_fluid_forces(Workspace<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
