#include "formulations/maximal/joint_blocks.h"

#include "joints/joint_list.h"

#include <algorithm>

namespace lig::maximal {

namespace {

// R v. Rows of joints have many entries that are 0 or 1 for every pose; after inlining these tests are
// decided by the compiler, which may not leave out products with zeros by itself.
LIG_INLINE Vec3d turned(const Mat3d& R, const Vec3d& v) {
    if (v.y == 0 && v.z == 0) return v.x == 1 ? R.x : v.x == 0 ? Vec3d::zero()
                                                               : v.x * R.x;
    if (v.x == 0 && v.z == 0) return v.y == 1 ? R.y : v.y * R.y;
    if (v.x == 0 && v.y == 0) return v.z == 1 ? R.z : v.z * R.z;
    return R * v;
}

LIG_INLINE bool is_zero(const Vec3d& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

LIG_INLINE void put(const Vec3d& ang, const Vec3d& lin, double* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = ang[k];
        out[3 + k] = lin[k];
    }
}

template <class J>
void write(const JointPlace& place, bool with_products, const JointBlocks& out) {
    const Mat3d& R = place.R_WF;
    const Transformd &before = place.before.X, &own = place.own.X;
    const Motion<double>&A = place.before.V, &B = place.own.V;
    const joints::Parameters<double> parameters = joints::parameters_of(place.joint);
    const joints::LocalCoordinates near(place.joint, place.q, J::nq);

    // Positions relative to each other, so that far from the world's origin nothing more is lost.
    const Vec3d arm = own.p - before.p;
    const Transformd X{transpose_mul(R, own.R), transpose_mul(R, arm - before.R * place.joint.X_PF.p)};
    Force<double> G[J::rows];
    J::residual(parameters, X, near.q, out.errors);
    J::jacobian(parameters, X, G);

    for (int k = 0; k < J::rows; ++k) {
        const Vec3d ang = turned(R, G[k].ang), lin = turned(R, G[k].lin);
        double* const row = out.own + 6 * k;
        double* const other = out.before ? out.before + 6 * k : nullptr;
        if (is_zero(G[k].lin)) {
            put(ang, lin, row);
            if (other) put(-ang, lin, other);
        } else {
            put(ang + cross(place.from_own, lin), lin, row);
            if (other) put(-ang - cross(place.from_before, lin), -lin, other);
        }
    }
    const Vec3d at_A = A.lin + cross(A.ang, arm);
    if (place.base_moves) {
        const Motion<double> by_base{transpose_mul(R, -A.ang), transpose_mul(R, -at_A)};
        for (int k = 0; k < J::rows; ++k) out.base_rates[k] = dot(by_base, G[k]);
    } else {
        std::fill_n(out.base_rates, J::rows, 0.0);
    }
    if (!with_products) return;
    const Motion<double>&a = place.before.a0, &b = place.own.a0;
    const Vec3d u = B.lin - at_A;
    const Motion<double> V{transpose_mul(R, B.ang - A.ang), transpose_mul(R, u)};
    J::jacobian_rate(parameters, X, V, out.products);
    // Accelerations of M seen from F, while the bodies' own are 0: the base's, and what turning makes.
    const Vec3d angular = b.ang - a.ang - cross(A.ang, B.ang);
    const Vec3d linear =
        b.lin - a.lin - cross(a.ang, arm) - cross(A.ang, cross(A.ang, arm) + 2 * u);
    const Motion<double> A_FM{transpose_mul(R, angular), transpose_mul(R, linear)};
    for (int k = 0; k < J::rows; ++k) out.products[k] += dot(A_FM, G[k]);
}

}  // namespace

void write_joint_blocks(const JointPlace& place, bool with_products, const JointBlocks& out) {
    joints::visit_joint(place.joint.type, [&](auto kind) {
        using J = decltype(kind);
        if constexpr (J::rows > 0) write<J>(place, with_products, out);
    });
}

}  // namespace lig::maximal
