#pragma once

// One bushing: what it does at given poses and velocities, and how that changes with them.
//
// A bushing joins frame F on body A and frame M on body B. With R = R_FM and p the position of M's origin in
// F, e the rotation vector of R, and diagonal matrices over the axes of F,
//
//   energy    V = ½ pᵀ K p + ½ eᵀ K_t e
//   force     f = −K p − D ṗ              on B at M's origin, in F
//   moment    m = R τ(e) − D_t ω          on B, in F; τ: rotation_spring.h, in the axes of M
//
// where (ω, ṗ) is the motion of M seen from F: that of B less that of A, both taken at M's origin. A gets the
// opposite force and moment at the same point, M's origin, wherever F is: the two together leave momentum
// alone, and their power, f·ṗ + m·ω, is −dV/dt less what the dampers take. (If A were pushed at F's origin
// instead, an anisotropic spring, whose force is not along p, would turn the pair by itself.)
//
// Where a body deforms, its frame moves with the point of the body at which it is (stretches.h); the power is
// that of F on A and M on B, so its stretches are pulled at F, and at M.
//
// For steps that take the end of the step into account: with δ the small motion of a body, rotation and
// displacement of its origin in world axes, the motion of M seen from F in world axes is G_B δ_B − G_A δ_A,
//
//   G = (1 0; −[r]× 1),   r from the body's origin to M's.
//
// Stiffness and damping are Gᵀ diag(W_t, W) G in the blocks +, −, −, +, with W = R_WF K R_WFᵀ and W_t from
// rotation_spring.h. These are positive semidefinite. What they leave out is the turning of the forces they
// have at the time with the bodies and with F; where the bushing is at rest there is none, and they are
// exact.

#include "core/rotation.h"
#include "dynamics/rotation_spring.h"

#include <ligament/model.h>

namespace lig {

template <class T>
struct BushingPose {
    Transform<T> X_WF, X_FM;
    Vec3<T> e;  // rotation vector of X_FM.R: of at most π, unless who calls has followed it further

    Vec3<T> origin() const { return X_WF * X_FM.p; }  // of M, in the world
};

template <class T>
BushingPose<T> bushing_pose(const Transform<T>& X_WF, const Transform<T>& X_WM) {
    const Transform<T> X_FM = X_WF.inverse() * X_WM;
    return {X_WF, X_FM, rotation_log(quaternion(X_FM.R))};
}

template <class T>
T spring_energy(const Model::Bushing& bushing, const BushingPose<T>& at) {
    return lift<T>(0.5) * dot(at.X_FM.p, scaled(bushing.stiffness, at.X_FM.p)) +
           rotation_spring_energy(bushing.turn_stiffness, at.e);
}

// On B at M's origin, in world axes.
template <class T>
Force<T> spring_force(const Model::Bushing& bushing, const BushingPose<T>& at) {
    const Force<T> in_F{at.X_FM.R * rotation_spring_torque(bushing.turn_stiffness, at.e),
                        -scaled(bushing.stiffness, at.X_FM.p)};
    return rotate(at.X_WF.R, in_F);
}
// `relative`: the velocity of B less that of A, both at M's origin, in world axes.
template <class T>
Force<T> damper_force(const Model::Bushing& bushing, const BushingPose<T>& at, const Motion<T>& relative) {
    const Mat3<T>& R = at.X_WF.R;
    return {-(R * scaled(bushing.turn_damping, transpose_mul(R, relative.ang))),
            -(R * scaled(bushing.damping, transpose_mul(R, relative.lin)))};
}

}  // namespace lig
