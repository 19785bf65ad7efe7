#include "formulations/impulse/bushing_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/soft_row.h"
#include "dynamics/bushing_force.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>

namespace lig::impulse {

void add_bushing_rows(const Workspace<double>& ws, double h, std::span<const double> impulses, Rows& rows) {
    const Model& model = ws.model();
    const bool springs = model.options.enabled.spring, dampers = model.options.enabled.damper;
    for (int i = 0; i < static_cast<int>(model.bushings.size()); ++i) {
        const Model::Bushing& bushing = model.bushings[i];
        const Carrier A(ws, model.bodies[bushing.body_a].link), B(ws, model.bodies[bushing.body_b].link);
        if (!bushing.active || (A.link < 0 && B.link < 0)) continue;
        const BushingPose<double> at =
            pose_of(bushing, body_pose(ws, bushing.body_a), body_pose(ws, bushing.body_b));
        const Vec3d origin = at.origin();
        const Force<double> acting = bushing_wrench(ws, i);
        const Motion<double> relative{B.V.ang - A.V.ang, B.velocity_at(origin) - A.velocity_at(origin)};
        const Motion<double> base_a = velocity_by_base(ws, A.link), base_b = velocity_by_base(ws, B.link);
        rows.begin_block(RowKind::drive, i, A.link, B.link);
        for (int k = 0; k < rows_of_bushing; ++k) {
            const bool turns = k >= 3;
            const Vec3d& axis = (&at.X_WF.R.x)[k % 3];
            const Force<double> at_M = turns ? Force<double>{axis, Vec3d::zero()}
                                             : Force<double>{Vec3d::zero(), axis};
            SoftForce soft{dot(axis, turns ? acting.ang : acting.lin), dot(relative, at_M), 0, 0};
            if (springs) soft.stiffness = (turns ? bushing.turn_stiffness : bushing.stiffness)[k % 3];
            if (dampers) soft.damping = (turns ? bushing.turn_damping : bushing.damping)[k % 3];
            if (!(soft.weight(h) > 0)) continue;
            const Force<double> on_a = -about(A.X.p, origin, at_M), on_b = about(B.X.p, origin, at_M);
            Row& row = rows.add_row();
            if (A.link >= 0) row.on_a = on_a;
            if (B.link >= 0) row.on_b = on_b;
            set_soft(row, soft, h, dot(on_a, base_a) + dot(on_b, base_b), Range{});
            row.warm = rows_of_bushing * i + k;
            row.lambda = impulses[row.warm];
        }
    }
}

}  // namespace lig::impulse
