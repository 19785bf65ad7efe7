#include "linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lig {
namespace {

// One rotation in the plane of axes p and q that makes a(p, q) zero; the columns of v follow.
void rotate_away(Mat3d& a, Mat3d& v, int p, int q) {
    const double a_pq = a(p, q);
    // What changes neither diagonal entry by a digit is rounding. Turning it further would never end where
    // eigenvalues coincide, and each turn costs the vectors some orthogonality.
    const double negligible = 0.5 * std::numeric_limits<double>::epsilon();
    if (std::fabs(a_pq) <= negligible * std::sqrt(std::fabs(a(p, p))) * std::sqrt(std::fabs(a(q, q)))) {
        a(p, q) = a(q, p) = 0.0;
        return;
    }
    // t = tan of the smaller of the two angles that do it. hypot: the quotient may be huge.
    const double theta = (a(q, q) - a(p, p)) / (2.0 * a_pq);
    const double t = std::copysign(1.0, theta) / (std::fabs(theta) + std::hypot(1.0, theta));
    const double c = 1.0 / std::hypot(1.0, t), s = t * c;

    a(p, p) -= t * a_pq;
    a(q, q) += t * a_pq;
    a(p, q) = a(q, p) = 0.0;
    const int r = 3 - p - q;
    const double a_rp = a(r, p), a_rq = a(r, q);
    a(r, p) = a(p, r) = c * a_rp - s * a_rq;
    a(r, q) = a(q, r) = s * a_rp + c * a_rq;
    for (int i = 0; i < 3; ++i) {
        const double v_ip = v(i, p), v_iq = v(i, q);
        v(i, p) = c * v_ip - s * v_iq;
        v(i, q) = s * v_ip + c * v_iq;
    }
}

}  // namespace

SymmetricEigen symmetric_eigen(const Sym3d& m) {
    double largest = 0.0;
    for (double entry : {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}) {
        if (!std::isfinite(entry)) {
            const double nan = std::numeric_limits<double>::quiet_NaN();
            return {{nan, nan, nan}, Mat3d::identity()};
        }
        largest = std::max(largest, std::fabs(entry));
    }
    if (largest == 0.0) return {Vec3d::zero(), Mat3d::identity()};

    // A power of two near 1/largest: nothing overflows, and no digit changes.
    const int exponent = std::ilogb(largest);
    const auto scaled = [&](double entry) { return std::scalbn(entry, -exponent); };
    Mat3d a =
        Sym3d{scaled(m.xx), scaled(m.yy), scaled(m.zz), scaled(m.xy), scaled(m.xz), scaled(m.yz)}.full();
    Mat3d v = Mat3d::identity();

    // Off-diagonal entries shrink quadratically, three to six sweeps do; the bound only makes the loop finite
    // by construction.
    for (int sweep = 0; sweep < 40; ++sweep) {
        if (a(0, 1) == 0.0 && a(0, 2) == 0.0 && a(1, 2) == 0.0) break;
        rotate_away(a, v, 0, 1);
        rotate_away(a, v, 0, 2);
        rotate_away(a, v, 1, 2);
    }

    int order[3] = {0, 1, 2};
    // Neighbours are swapped, so that equal values keep their order.
    for (const int k : {0, 1, 0})
        if (a(order[k + 1], order[k + 1]) < a(order[k], order[k])) std::swap(order[k], order[k + 1]);
    SymmetricEigen out;
    for (int i = 0; i < 3; ++i) {
        out.values[i] = std::scalbn(a(order[i], order[i]), exponent);
        for (int row = 0; row < 3; ++row) out.vectors(row, i) = v(row, order[i]);
    }
    if (dot(cross(out.vectors.x, out.vectors.y), out.vectors.z) < 0.0) out.vectors.z = -out.vectors.z;
    return out;
}

}  // namespace lig
