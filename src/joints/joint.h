#pragma once

// What a joint is: geometry and nothing else, stated twice.
//
// A joint says where frame M (on the child) may sit relative to frame F (on the parent). Velocities of M in F
// are V_FM = (ω, ṗ): angular velocity and velocity of M's origin, both in the axes of F, so that Ṙ_FM = [ω]×
// R_FM and ṗ_FM is the linear part itself.
//
// The freedom half, read by formulations on joint coordinates:
//   pose               X_FM(q)
//   motion             the columns of S(q): V_FM = S v
//   velocity_product   Ṡ v, the acceleration of M that is left when v̇ = 0
//   integrate          q along v for a time h, exactly on the manifold
//   difference         the v that takes q0 to q1 in unit time
//   coordinates        q read back from a pose; angles come out nearest to those of `near`
//
// The constraint half, read by formulations on body coordinates:
//   residual           C(X_FM), `rows` numbers that vanish where the joint can be
//   jacobian           G, with dC/dt = G V_FM; a row pairs with a motion, so it has the type of a force
//   jacobian_rate      (dG/dt) V_FM for the given V_FM
//
// To add a joint: write one file like hinge.h, add its line to joint_list.h and its enumerator to JointType.
// The contract tests (tests/joints) then run over it. docs/add-a-joint.md walks through it.

#include <ligament/joint_type.h>
#include <ligament/spatial.h>

#include "core/rotation.h"
#include "core/scalar_math.h"

#include <array>
#include <string_view>

namespace lig::joints {

// Numbers of a joint that are not coordinates.
template <class T>
struct Parameters {
    T pitch;  // screw: metres per radian
};
// Those of a joint of the tree, or of a loop.
template <class T = double, class Joint>
LIG_INLINE Parameters<T> parameters_of(const Joint& joint) {
    return {T(joint.pitch)};
}

// Where a body has frame M of its joint, by the `pos`, `axis` and `axis2` that the user gives.
enum class Placement {
    body,      // M is the body frame
    point,     // at pos, in the axes of the body
    axis,      // at pos, z along the axis; x and y do not matter, F and M may be turned about z together
    normal,    // at pos, z along the axis; the coordinates refer to x and y
    two_axes,  // at pos, x along axis, y along axis2
};

// What the user may say about a coordinate, and how it is written.
enum class Coordinate {
    angle,
    length,
    quaternion
};

template <class T>
LIG_INLINE Vec3<T> unit_x() { return {T(1), T(0), T(0)}; }
template <class T>
LIG_INLINE Vec3<T> unit_y() { return {T(0), T(1), T(0)}; }
template <class T>
LIG_INLINE Vec3<T> unit_z() { return {T(0), T(0), T(1)}; }

template <class T>
LIG_INLINE Mat3<T> rotation_x(const T& s, const T& c) { return {unit_x<T>(), {T(0), c, s}, {T(0), -s, c}}; }
template <class T>
LIG_INLINE Mat3<T> rotation_y(const T& s, const T& c) { return {{c, T(0), -s}, unit_y<T>(), {s, T(0), c}}; }
template <class T>
LIG_INLINE Mat3<T> rotation_z(const T& s, const T& c) { return {{c, s, T(0)}, {-s, c, T(0)}, unit_z<T>()}; }

template <class T>
LIG_INLINE Mat3<T> rotation_z(const T& angle) {
    T s, c;
    sin_cos(angle, s, c);
    return rotation_z(s, c);
}

// The angle that equals `angle` up to whole turns and lies nearest to `near`.
template <class T>
LIG_INLINE T unwrap(const T& angle, const T& near) {
    using R = real_t<T>;
    constexpr R turn = R(6.283185307179586476925286766559);
    // Adding and subtracting 1.5 · 2^(digits - 1) rounds to the nearest integer.
    constexpr R rounder = sizeof(R) == 8 ? R(6755399441055744.0) : R(12582912.0);
    const T turns = ((near - angle) * T(R(1) / turn) + T(rounder)) - T(rounder);
    return angle + T(turn) * turns;
}

}  // namespace lig::joints
