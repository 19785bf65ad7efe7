#include "formulations/implicit/bushing_stiffness.h"

#include "dynamics/bushing_force.h"
#include "linalg/symmetric_eigen.h"

#include <ligament/dynamics.h>

namespace lig::implicit {

void add_bushing_stiffness(double eta, multiplier::BodySystem& system, StiffRows& rows) {
    const Model& model = system.model();
    const Workspace<double>& ws = system.workspace();
    for (const Model::Bushing& bushing : model.bushings) {
        if (!bushing.active) continue;
        const int link_a = model.bodies[bushing.body_a].link, link_b = model.bodies[bushing.body_b].link;
        if (link_a == link_b || (link_a < 0 && link_b < 0)) continue;
        const BushingPose<double> at =
            pose_of(bushing, body_pose(ws, bushing.body_a), body_pose(ws, bushing.body_b));
        const Vec3d &k = bushing.stiffness, &d = bushing.damping, &dt = bushing.turn_damping;
        const Mat3d& R = at.X_WF.R;
        const auto weight = [eta](double stiffness, double damping) {
            return eta * (eta * stiffness + damping);
        };
        const Sym3d slide = rotate(R, Sym3d::diagonal(weight(k.x, d.x), weight(k.y, d.y), weight(k.z, d.z)));
        const Sym3d spring = rotate(R * at.X_FM.R, rotation_spring_stiffness(bushing.turn_stiffness, at.e));
        const Sym3d turn =
            eta * eta * spring + rotate(R, Sym3d::diagonal(eta * dt.x, eta * dt.y, eta * dt.z));
        const Vec3d p = at.origin();
        if (link_a < 0 || link_b < 0) {
            const int link = link_a < 0 ? link_b : link_a;
            system.add_point_block(link, p - system.centre(link), slide);
            system.add_turning_block(link, turn);
            continue;
        }
        const Vec3d arm_a = p - system.centre(link_a), arm_b = p - system.centre(link_b);
        const auto add = [&](const Sym3d& matrix, bool turns) {
            const SymmetricEigen parts = symmetric_eigen(matrix);
            for (int c = 0; c < 3; ++c) {
                if (!(parts.values[c] > 0)) continue;
                const Vec3d& axis = c == 0 ? parts.vectors.x : c == 1 ? parts.vectors.y
                                                                      : parts.vectors.z;
                rows.begin_row(parts.values[c]);
                const auto force = [&](const Vec3d& arm) {
                    return turns ? Force<double>{axis, Vec3d::zero()} : Force<double>{cross(arm, axis), axis};
                };
                rows.add(system, link_a, -force(arm_a));
                rows.add(system, link_b, force(arm_b));
            }
        };
        add(slide, false);
        add(turn, true);
    }
}

}  // namespace lig::implicit
