#pragma once

// Free: M moves without restriction. q is p_FM, then a unit quaternion, w first; v is ṗ in the axes of F,
// then the angular velocity in the axes of M, so V_FM = (R v_ang, v_lin). The velocity product vanishes, as
// for the ball. No constraint rows.

#include "joints/ball.h"

namespace lig::joints {

struct Free : NoVelocityProduct {
    static constexpr JointType type = JointType::free;
    static constexpr std::string_view name = "free";
    static constexpr std::string_view summary = "any motion";
    static constexpr int nq = 7, nv = 6, rows = 0;
    static constexpr Placement placement = Placement::body;
    static constexpr std::array<Coordinate, 7> coordinate_kinds{
        Coordinate::length, Coordinate::length, Coordinate::length, Coordinate::quaternion,
        Coordinate::quaternion, Coordinate::quaternion, Coordinate::quaternion};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>& parameters, const T* q) {
        return {Ball::pose(parameters, q + 3).R, {q[0], q[1], q[2]}};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>& parameters, const T* q, Motion<T>* S) {
        S[0] = {Vec3<T>::zero(), unit_x<T>()};
        S[1] = {Vec3<T>::zero(), unit_y<T>()};
        S[2] = {Vec3<T>::zero(), unit_z<T>()};
        Ball::motion(parameters, q + 3, S + 3);
    }
    template <class T>
    LIG_INLINE static void integrate(const T* q, const T* v, const T& h, T* out) {
        AddingCoordinates<3>::integrate(q, v, h, out);
        Ball::integrate(q + 3, v + 3, h, out + 3);
    }
    template <class T>
    LIG_INLINE static void difference(const T* q0, const T* q1, T* v) {
        AddingCoordinates<3>::difference(q0, q1, v);
        Ball::difference(q0 + 3, q1 + 3, v + 3);
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>& parameters, const Transform<T>& X, const T* near,
                                       T* q) {
        for (int i = 0; i < 3; ++i) q[i] = X.p[i];
        Ball::coordinates(parameters, X, near + 3, q + 3);
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>&, const T*, T*) {}
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>&, Force<T>*) {}
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>&, const Motion<T>&, T*) {}
};

}  // namespace lig::joints
