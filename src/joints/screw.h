#pragma once

// Screw: M turns about z_F by q and moves along it by pitch · q. X_FM = (Rz(q), pitch q z), S = (z, pitch z),
// constant. Constraint: p_x = p_y = 0, z_M parallel to z_F, and p_z − pitch θ = 0 with θ the twist angle,
// counted through full turns from `near`.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Screw : AddingCoordinates<1>, NoVelocityProduct {
    static constexpr JointType type = JointType::screw;
    static constexpr std::string_view name = "screw";
    static constexpr std::string_view summary = "rotation about an axis coupled to translation along it";
    static constexpr int nq = 1, nv = 1, rows = 5;
    static constexpr Placement placement = Placement::axis;
    static constexpr std::array<Coordinate, 1> coordinate_kinds{Coordinate::angle};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>& parameters, const T* q) {
        return {rotation_z(q[0]), {T(0), T(0), parameters.pitch * q[0]}};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>& parameters, const T*, Motion<T>* S) {
        S[0] = {unit_z<T>(), {T(0), T(0), parameters.pitch}};
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        q[0] = unwrap(TwistAngle::value(X), near[0]);
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>& parameters, const Transform<T>& X, const T* near,
                                    T* C) {
        C[0] = X.p.x;
        C[1] = X.p.y;
        C[2] = OrthogonalRow<0, 2>::residual(X);
        C[3] = OrthogonalRow<1, 2>::residual(X);
        C[4] = X.p.z - parameters.pitch * unwrap(TwistAngle::value(X), near[0]);
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>& parameters, const Transform<T>& X, Force<T>* G) {
        G[0] = PointRow<0>::jacobian<T>();
        G[1] = PointRow<1>::jacobian<T>();
        G[2] = OrthogonalRow<0, 2>::jacobian(X);
        G[3] = OrthogonalRow<1, 2>::jacobian(X);
        G[4] = {-parameters.pitch * TwistAngle::gradient(X), unit_z<T>()};
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>& parameters, const Transform<T>& X,
                                         const Motion<T>& V, T* out) {
        out[0] = out[1] = T(0);
        out[2] = OrthogonalRow<0, 2>::rate(X, V);
        out[3] = OrthogonalRow<1, 2>::rate(X, V);
        out[4] = -parameters.pitch * TwistAngle::rate(X, V);
    }
};

}  // namespace lig::joints
