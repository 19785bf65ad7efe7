#include "geometry/principal_frame.h"

#include "core/rotation.h"

#include <algorithm>
#include <cmath>

namespace lig::geometry {

namespace {

Quatd turn_about(int axis, double sine_of_half) {
    const double s = sine_of_half;
    return {std::sqrt(1 - s * s), axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
}

double largest_entry(const Sym3d& m) {
    return std::max({std::fabs(m.xx), std::fabs(m.yy), std::fabs(m.zz), std::fabs(m.xy), std::fabs(m.xz),
                     std::fabs(m.yz)});
}

}  // namespace

PrincipalFrame principal_frame(const Sym3d& m) { return principal_frame(m, 1e-7 * largest_entry(m)); }

PrincipalFrame principal_frame(const Sym3d& m, double negligible) {
    const double largest = largest_entry(m);
    PrincipalFrame frame{{m.xx, m.yy, m.zz}, {1, 0, 0, 0}};
    if (!(largest > 0) || !std::isfinite(largest)) return frame;

    Quatd q{1, 0, 0, 0};
    // Each turn takes its entry's square from the off-diagonal sum; the bound only makes the loop finite by
    // construction.
    for (int turn = 0; turn < 500; ++turn) {
        const Mat3d R = rotation_matrix(q);
        const Sym3d D = rotate(transpose(R), m);
        frame.moments = {D.xx, D.yy, D.zz};
        struct Pair {
            int row, column;
            double entry;
        };
        Pair pair{1, 2, D.yz};
        if (std::fabs(D.xz) > std::fabs(pair.entry)) pair = {0, 2, D.xz};
        if (std::fabs(D.xy) > std::fabs(pair.entry)) pair = {0, 1, D.xy};
        if (std::fabs(pair.entry) < negligible) break;

        const double ratio =
            (frame.moments[pair.column] - frame.moments[pair.row]) / (2 * pair.entry);
        const double sense = ratio >= 0 ? 1 : -1;
        const double tangent = sense / (std::fabs(ratio) + std::hypot(1.0, ratio));
        // The turn by −atan(tangent) about the third axis, whose sense is that of (row, column) in the
        // cyclic order.
        const int axis = 3 - pair.row - pair.column;
        const double sine_of_half = std::sin(0.5 * std::atan(axis == 1 ? tangent : -tangent));
        q = normalized(q * turn_about(axis, sine_of_half));
    }

    for (const int k : {0, 1, 0}) {
        if (!(frame.moments[k] + 1e-12 * largest < frame.moments[k + 1])) continue;
        std::swap(frame.moments[k], frame.moments[k + 1]);
        q = normalized(q * turn_about((k + 2) % 3, std::sqrt(0.5)));
    }
    frame.axes = q;
    return frame;
}

}  // namespace lig::geometry
