// Free motion of bodies.

#include "bodies/free_rotation.h"
#include "core/rotation.h"
#include "formulations/impulse/lane_bodies.h"

namespace lig::impulse {
namespace {

void drift(const int* groups, int count, double time, const DriftingBodies& bodies) {
    const auto [all_moments, places, inertias, u, corrections] = bodies;
    const Four h(time), zero(0.0);
    for (int g = 0; g < count; ++g) {
        const int first = groups[g];
        const int which[lanes] = {first, first + 1, first + 2, first + 3};
        LanePlace place = load_place(places, which);
        LaneVelocity own = load_velocity(u, which), correction = load_velocity(corrections, which);
        Vec3<Four> moments;
        for (int k = 0; k < lanes; ++k) {
            moments.x.set(k, all_moments[first + k].x);
            moments.y.set(k, all_moments[first + k].y);
            moments.z.set(k, all_moments[first + k].z);
        }
        place.x += h * (own.v + correction.v);
        const Vec3<Four> turning = transpose_mul(place.R, own.w);
        Vec3<Four> momentum = scaled(moments, turning);
        if (any((correction.w.x != zero) | (correction.w.y != zero) | (correction.w.z != zero))) {
            // The angular momentum stays where it is in the world.
            const Vec3<Four> in_world = place.R * momentum;
            const Vec3<Four> half = Four(0.5) * (h * correction.w);
            place.q = normalized(Quat<Four>{Four(1.0), half.x, half.y, half.z} * place.q);
            place.R = rotation_matrix(place.q);
            momentum = transpose_mul(place.R, in_world);
        }
        bodies::FreeRotation::turn<bodies::SmallTurns>(moments, h, place.q, place.R, momentum, own.w);
        store_numbers<8>(&place.x.x, places, which, 0);
        store_velocity(own, u, which);
        store_velocity({Vec3<Four>::zero(), Vec3<Four>::zero()}, corrections, which);
        const Vec3<Four> inverse{Four(1.0) / moments.x, Four(1.0) / moments.y, Four(1.0) / moments.z};
        LaneInertia inertia = load_inertia(inertias, which);
        inertia.inv_inertia = rotate(place.R, Sym3<Four>::diagonal(inverse.x, inverse.y, inverse.z));
        store_numbers<5>(&inertia.inv_mass.x, inertias, which, 0);
    }
}

}  // namespace

namespace LIG_ISA {

void add_motion_kernels(ImpulseKernels& table) {
    table.drift = drift;
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
