#include "formulations/implicit/touch_point.h"

#include "core/length.h"
#include "core/rotation.h"
#include "formulations/implicit/tuning.h"
#include "model/collision_model.h"

#include <cmath>

namespace lig::implicit {

TouchPoint::TouchPoint(const Model& model, int geom, const Transformd& X_WL, const Vec3d& point,
                       const Vec3d& d)
    : R_from_(X_WL.R) {
    const CollisionModel::Geom& own = model.collision->geoms[model.collision->index_of[geom]];
    size_ = own.shape.size;
    R_LG_ = model.bodies[own.body].X_LB.R * own.X_BG.R;
    switch (own.shape.type) {
        case ShapeType::sphere:
        case ShapeType::capsule: round_ = Round::along_normal; break;
        case ShapeType::ellipsoid: round_ = Round::ellipsoid; break;
        case ShapeType::cylinder: {
            const Transformd X_WG = X_WL * (model.bodies[own.body].X_LB * own.X_BG);
            const Vec3d d_G = transpose_mul(X_WG.R, d), p = transpose_mul(X_WG.R, point - X_WG.p);
            const double across = std::hypot(d_G.x, d_G.y), r = size_.x;
            if (across > penalty_tuning.standing &&
                std::hypot(p.x - r * d_G.x / across, p.y - r * d_G.y / across) <
                    penalty_tuning.on_the_side * r)
                round_ = Round::across_axis;
            break;
        }
        default: break;
    }
    core_from_ = point - round_part(X_WL.R, d);
    core_ = transpose_mul(X_WL.R, core_from_ - X_WL.p);
}

Vec3d TouchPoint::round_part(const Mat3d& R_WL, const Vec3d& d) const {
    switch (round_) {
        case Round::none: break;
        case Round::along_normal: return size_.x * d;
        case Round::across_axis: {
            const Vec3d axis = R_WL * R_LG_.z, across = d - dot(d, axis) * axis;
            return (size_.x / length(across)) * across;
        }
        case Round::ellipsoid: {
            const Mat3d R = R_WL * R_LG_;
            const Vec3d d_G = transpose_mul(R, d);
            const Vec3d stretched{size_.x * d_G.x, size_.y * d_G.y, size_.z * d_G.z};
            const double by = 1 / length(stretched);
            return R * Vec3d{by * size_.x * stretched.x, by * size_.y * stretched.y,
                             by * size_.z * stretched.z};
        }
    }
    return Vec3d::zero();
}

Vec3d TouchPoint::turned(const Transformd& X_WL) const {
    return rotation_log(quaternion(X_WL.R * transpose(R_from_)));
}

TouchPoint::Place TouchPoint::at(const Transformd& X_WL, const Vec3d& d) const {
    const Vec3d core = X_WL * core_;
    if (round_ == Round::none) return {core, core - core_from_, core};
    const Vec3d round = round_part(X_WL.R, d);
    return {core + round, core - core_from_ + cross(turned(X_WL), round), core};
}

}  // namespace lig::implicit
