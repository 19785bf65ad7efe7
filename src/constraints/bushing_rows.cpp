#include "constraints/bushing_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/soft_row.h"
#include "constraints/stretch_entries.h"
#include "dynamics/bushing_force.h"
#include "linalg/symmetric_eigen.h"
#include "model/split_inertia.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>

namespace lig {

namespace {

// Of the inertia of the bodies: stiffness and damping up to this an explicit step takes without help.
constexpr double resolved_share = 0.25;
constexpr double thin_share = 1e-6;  // of the largest moment of inertia: what has less does not turn

struct BushingAt {
    BushingAt(const Workspace<double>& workspace, int index)
        : ws(workspace),
          bushing(ws.model().bushings[index]),
          A(ws, ws.model().bodies[bushing.body_a].link),
          B(ws, ws.model().bodies[bushing.body_b].link),
          rest_F((ws.model().bodies[bushing.body_a].X_LB * bushing.X_AF).p),
          rest_M((ws.model().bodies[bushing.body_b].X_LB * bushing.X_BM).p),
          at(bushing_pose(attached_frame(ws, bushing.body_a, bushing.X_AF),
                          attached_frame(ws, bushing.body_b, bushing.X_BM))),
          origin(at.origin()) {
        A.attach(ws, rest_F);
        B.attach(ws, rest_M);
    }

    bool acts() const { return bushing.active && (A.link >= 0 || B.link >= 0); }
    Force<double> unit(int k) const {
        const Vec3d& axis = (&at.X_WF.R.x)[k % 3];
        return k >= 3 ? Force<double>{axis, Vec3d::zero()} : Force<double>{Vec3d::zero(), axis};
    }
    // Along axis k, without its force.
    SoftForce soft(int k) const {
        const Motion<double> relative{B.V.ang - A.V.ang, B.velocity_at(origin) - A.velocity_at(origin)};
        SoftForce out{0, dot(relative, unit(k)), 0, 0};
        const auto& enabled = ws.model().options.enabled;
        if (enabled.spring) out.stiffness = (k >= 3 ? bushing.turn_stiffness : bushing.stiffness)[k % 3];
        if (enabled.damper) out.damping = (k >= 3 ? bushing.turn_damping : bushing.damping)[k % 3];
        return out;
    }
    // Over the compliance of the row.
    double response(int k, double weight) const {
        double sum = 0;
        for (const Carrier* body : {&A, &B}) {
            if (body->link < 0) continue;
            sum += response_alone(ws, body->link, about(body->X.p, origin, unit(k)));
            if (!body->slips) continue;
            const Vec3d& rest = body == &A ? rest_F : rest_M;
            for_each_stretch_pull(ws, body->link, unit(k).lin, rest, -1, [&](int dof, double pull) {
                sum += pull * pull / ws.model().tree.armature[dof];
            });
        }
        return sum * weight;
    }
    Row& add_row(int k, const SoftForce& soft, double h, Rows& rows) const {
        const Force<double> on_a = -about(A.X.p, origin, unit(k)), on_b = about(B.X.p, origin, unit(k));
        Row& row = rows.add_row();
        if (A.link >= 0) row.on_a = on_a;
        if (B.link >= 0) row.on_b = on_b;
        add_stretch_entries(ws, A.link, -unit(k).lin, rest_F, rows);
        add_stretch_entries(ws, B.link, unit(k).lin, rest_M, rows);
        set_soft(row, soft, h,
                 dot(on_a, velocity_by_base(ws, A.link)) + dot(on_b, velocity_by_base(ws, B.link)), Range{});
        return row;
    }

    const Workspace<double>& ws;
    const Model::Bushing& bushing;
    Carrier A, B;
    const Vec3d rest_F, rest_M;  // on the links at rest
    const BushingPose<double> at;
    const Vec3d origin;
};

}  // namespace

double response_alone(const Workspace<double>& ws, int link, const Force<double>& f) {
    const RigidInertia<double> own =
        world_inertia(ws.poses[link].X_WL.R, ws.model().tree.links[link].inertia);
    if (!(own.mass > 0)) return 0;
    const Vec3d com = (1 / own.mass) * own.h;
    const Vec3d moment = f.ang - cross(com, f.lin);
    const SymmetricEigen turning = symmetric_eigen(shift_back(own, -com).I);
    double sum = dot(f.lin, f.lin) / own.mass;
    for (int k = 0; k < 3; ++k) {
        if (!(turning.values[k] > thin_share * turning.values.z)) continue;
        const double along = dot(moment, (&turning.vectors.x)[k]);
        sum += along * along / turning.values[k];
    }
    return sum;
}

void add_bushing_rows(const Workspace<double>& ws, double h, std::span<const double> impulses, Rows& rows) {
    for (int i = 0; i < static_cast<int>(ws.model().bushings.size()); ++i) {
        const BushingAt own(ws, i);
        if (!own.acts()) continue;
        const Force<double> acting = bushing_wrench(ws, i);
        rows.begin_block(RowKind::bushing, i, own.A.link, own.B.link);
        for (int k = 0; k < rows_of_bushing; ++k) {
            SoftForce soft = own.soft(k);
            soft.force = dot(acting, Motion<double>{own.unit(k).ang, own.unit(k).lin});
            if (!(soft.weight(h) > 0)) continue;
            Row& row = own.add_row(k, soft, h, rows);
            row.warm = rows_of_bushing * i + k;
            row.lambda = impulses[row.warm];
        }
    }
}

void add_stiff_bushing_rows(const Workspace<double>& ws, double h, const WarmStarts& warm, Rows& rows) {
    for (int i = 0; i < static_cast<int>(ws.model().bushings.size()); ++i) {
        const BushingAt own(ws, i);
        if (!own.acts()) continue;
        bool stiff = false;
        for (int k = 0; k < rows_of_bushing && !stiff; ++k) {
            const double weight = own.soft(k).weight(h);
            stiff = weight > 0 && own.response(k, weight) > resolved_share;
        }
        if (!stiff) continue;
        rows.begin_block(RowKind::bushing, i, own.A.link, own.B.link, own.origin, own.origin);
        for (int k = 0; k < rows_of_bushing; ++k) {
            const SoftForce soft = own.soft(k);
            if (!(soft.weight(h) > 0)) continue;
            Row& row = own.add_row(k, soft, h, rows);
            row.warm = warm.bushing(i) + k;
            row.lambda = warm.lambda[row.warm];
        }
    }
}

}  // namespace lig
