#include "formulations/implicit/body_bushings.h"

#include "dynamics/bushing_force.h"
#include "linalg/symmetric_eigen.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>

namespace lig::implicit {

void add_bushing_forces(const multiplier::BodySystem& system, std::span<double> f) {
    const Model& model = system.model();
    const Workspace<double>& ws = system.workspace();
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& bushing = model.bushings[k];
        if (!bushing.active) continue;
        const Force<double> force = bushing_wrench(ws, static_cast<int>(k));
        const Vec3d p = body_pose(ws, bushing.body_b) * bushing.X_BM.p;
        const int a = model.bodies[bushing.body_a].link, b = model.bodies[bushing.body_b].link;
        if (b >= 0) system.add_wrench(b, shift_back(force, p - ws.poses[b].X_WL.p), f);
        if (a >= 0) system.add_wrench(a, -shift_back(force, p - ws.poses[a].X_WL.p), f);
    }
}

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
        const double spring = model.options.enabled.spring ? eta * eta : 0.0;
        const double damper = model.options.enabled.damper ? eta : 0.0;
        const auto weight = [&](double stiffness, double damping) {
            return spring * stiffness + damper * damping;
        };
        const Sym3d slide = rotate(R, Sym3d::diagonal(weight(k.x, d.x), weight(k.y, d.y), weight(k.z, d.z)));
        const Sym3d turn =
            spring * rotate(R * at.X_FM.R, rotation_spring_return(bushing.turn_stiffness, at.e)) +
            rotate(R, Sym3d::diagonal(damper * dt.x, damper * dt.y, damper * dt.z));
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
