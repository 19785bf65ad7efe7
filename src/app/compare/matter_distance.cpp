#include "app/compare/matter_distance.h"

#include <algorithm>
#include <cmath>

namespace lig::app {

namespace {

Mat3d rotation_at(std::span<const double> xquat, int body) {
    const double* const q = xquat.data() + 4 * body;
    return rotation_matrix(Quatd{q[0], q[1], q[2], q[3]});
}

Vec3d position_at(std::span<const double> xpos, int body) {
    const double* const p = xpos.data() + 3 * body;
    return {p[0], p[1], p[2]};
}

}  // namespace

MatterDistance::MatterDistance(const Model& model) {
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        if (body.link < 0 || !(body.mass > 0)) continue;
        const Sym3d& inertia = body.inertia;
        const double half_trace = 0.5 * (inertia.xx + inertia.yy + inertia.zz);
        const Sym3d second{half_trace - inertia.xx, half_trace - inertia.yy, half_trace - inertia.zz,
                           -inertia.xy, -inertia.xz, -inertia.yz};
        bodies_.push_back({static_cast<int>(b), body.mass, body.com, second});
        mass_ += body.mass;
    }
}

double MatterDistance::between(std::span<const double> xpos_a, std::span<const double> xquat_a,
                               std::span<const double> xpos_b, std::span<const double> xquat_b) const {
    double sum = 0;
    for (const Body& body : bodies_) {
        const Mat3d R_a = rotation_at(xquat_a, body.index), R_b = rotation_at(xquat_b, body.index);
        const Vec3d apart = (position_at(xpos_a, body.index) - position_at(xpos_b, body.index)) +
                            (R_a * body.com - R_b * body.com);
        const Mat3d turned = R_a - R_b;
        double spread = 0;  // tr D S Dᵀ
        for (int i = 0; i < 3; ++i) {
            const Vec3d row{turned(i, 0), turned(i, 1), turned(i, 2)};
            spread += dot(row, body.second_moment * row);
        }
        sum += body.mass * dot(apart, apart) + spread;
    }
    return std::sqrt(std::max(sum, 0.0) / mass_);
}

}  // namespace lig::app
