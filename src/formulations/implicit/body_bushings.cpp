#include "formulations/implicit/body_bushings.h"

#include "dynamics/bushing_pulls.h"
#include "dynamics/dynamics_parts.h"
#include "linalg/symmetric_eigen.h"

#include <utility>

namespace lig::implicit {

BodyBushings::BodyBushings(const Model& model) : model_(&model) {
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& spec = model.bushings[k];
        const Model::Body &a = model.bodies[spec.body_a], &b = model.bodies[spec.body_b];
        if (!spec.active || a.link == b.link || (a.link < 0 && b.link < 0)) continue;
        bushings_.push_back(
            {static_cast<int>(k), a.link, b.link, a.X_LB * spec.X_AF, b.X_LB * spec.X_BM, {}, {}});
    }
}

void BodyBushings::look(const maximal::BodySystem& system) {
    const Workspace<double>& ws = system.poses.workspace();
    for (Bushing& bushing : bushings_) {
        const auto frame = [&](int link, const Transformd& X_LF) {
            return carrier_pose(ws, link) * Transformd{X_LF.R, stretched(ws, link, X_LF.p)};
        };
        const Transformd X_WM = frame(bushing.link_b, bushing.X_BM);
        bushing.at = bushing_pose(frame(bushing.link_a, bushing.X_AF), X_WM);
        bushing.origin = X_WM.p;
    }
}

void BodyBushings::add_forces(const maximal::BodySystem& system, std::span<double> f) const {
    const Workspace<double>& ws = system.poses.workspace();
    for (const Bushing& bushing : bushings_) {
        const Model::Bushing& spec = model_->bushings[bushing.source];
        Force<double> force = Force<double>::zero();
        if (model_->options.enabled.spring) force += spring_force(spec, bushing.at);
        if (model_->options.enabled.damper) {
            const auto velocity = [&](int link, const Vec3d& rest) {
                Motion<double> V =
                    shift(carrier_velocity(ws, link), bushing.origin - carrier_pose(ws, link).p);
                if (stretch_of(ws, link)) V.lin += ws.poses[link].X_WL.R * slip_of(ws, link, rest);
                return V;
            };
            force += damper_force(spec, bushing.at,
                                  velocity(bushing.link_b, bushing.X_BM.p) -
                                      velocity(bushing.link_a, bushing.X_AF.p));
        }
        for (const auto& [link, sign] : {std::pair{bushing.link_a, -1.0}, std::pair{bushing.link_b, 1.0}})
            if (link >= 0)
                system.poses.add_wrench(
                    link, sign * shift_back(force, bushing.origin - ws.poses[link].X_WL.p), f);
        for_each_bushing_pull(ws, bushing.source, force, [&](int dof, double value) {
            f[system.graph.offset(system.graph.link_of(dof)) + system.graph.stretch_entry(dof)] += value;
        });
    }
}

void BodyBushings::add_stiffness(double eta, maximal::BodySystem& system, StiffRows& rows) const {
    const double spring = model_->options.enabled.spring ? eta * eta : 0.0;
    const double damper = model_->options.enabled.damper ? eta : 0.0;
    for (const Bushing& bushing : bushings_) {
        const Model::Bushing& spec = model_->bushings[bushing.source];
        const BushingPose<double>& at = bushing.at;
        const Vec3d k = spring * spec.stiffness + damper * spec.damping, &dt = spec.turn_damping;
        const Mat3d& R = at.X_WF.R;
        const Sym3d slide = rotate(R, Sym3d::diagonal(k.x, k.y, k.z));
        const Sym3d turn =
            spring * rotate(R * at.X_FM.R, rotation_spring_return(spec.turn_stiffness, at.e)) +
            rotate(R, Sym3d::diagonal(damper * dt.x, damper * dt.y, damper * dt.z));
        const int link_a = bushing.link_a, link_b = bushing.link_b;
        const Workspace<double>& ws = system.poses.workspace();
        const bool deforms = stretch_of(ws, link_a) || stretch_of(ws, link_b);
        if ((link_a < 0 || link_b < 0) && !deforms) {
            const int link = link_a < 0 ? link_b : link_a;
            system.matrix.add_point_block(link, bushing.origin - system.poses.centre(link), slide);
            system.matrix.add_turning_block(link, turn);
            continue;
        }
        const auto add = [&](const Sym3d& matrix, bool turns) {
            const SymmetricEigen parts = symmetric_eigen(matrix);
            for (int c = 0; c < 3; ++c) {
                if (!(parts.values[c] > 0)) continue;
                const Vec3d& axis = c == 0 ? parts.vectors.x : c == 1 ? parts.vectors.y
                                                                      : parts.vectors.z;
                rows.begin_row(parts.values[c]);
                const auto push = [&](int link, const Vec3d& along, const Vec3d& rest) {
                    if (link < 0) return;
                    const Vec3d arm = bushing.origin - system.poses.centre(link);
                    rows.add(system, link,
                             turns ? Force<double>{along, Vec3d::zero()}
                                   : Force<double>{cross(arm, along), along});
                    if (turns || !stretch_of(ws, link)) return;
                    for_each_stretch_pull(ws, link, along, rest, -1, [&](int dof, double value) {
                        rows.add_freedom(system, link, dof, value);
                    });
                };
                push(link_a, -axis, bushing.X_AF.p);
                push(link_b, axis, bushing.X_BM.p);
            }
        };
        add(slide, false);
        add(turn, true);
    }
}

}  // namespace lig::implicit
