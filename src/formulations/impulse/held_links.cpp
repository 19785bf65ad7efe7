// How limits of ball joints that are circles hold links: as a joint turns along its circle, the moment that
// keeps it in turns with it. For direct solutions (direct_solve.h).

#include "constraints/limit_rows.h"
#include "core/length.h"
#include "formulations/impulse/general_forces.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/impulse/pack_filling.h"

#include <cmath>

namespace lig::impulse {

namespace {

// A moment about the unit vector u that keeps a rotation within an angle from none: across u.
Sym3d held_by_cone(double moment, double angle, const Vec3d& u) {
    const double k = moment * 0.5 / std::tan(0.5 * angle);
    return {k * (1 - u.x * u.x), k * (1 - u.y * u.y), k * (1 - u.z * u.z),
            -k * u.x * u.y, -k * u.x * u.z, -k * u.y * u.z};
}

// … that keeps the axis `twist` within an angle from where it began: about what is across both.
Sym3d held_by_swing(double moment, double angle, const Vec3d& u, const Vec3d& twist) {
    const Vec3d aside = cross(u, twist);
    const double k = moment / std::tan(angle);
    return {k * aside.x * aside.x, k * aside.y * aside.y, k * aside.z * aside.z,
            k * aside.x * aside.y, k * aside.x * aside.z, k * aside.y * aside.z};
}

}  // namespace

void JointLimits::hold_by_circles(const MovingBodies& bodies, double h, std::vector<HeldLink>& out) const {
    for (const RowLane& at : row_lanes_) {
        const LimitPack& pack = packs_[at.pack];
        const double moment = pack.impulse[0][at.lane] / h, angle = pack.circle[at.lane];
        if (at.row != 0 || !(moment > 0)) continue;
        const Vec3d u = lane3(pack.row[0], at.lane);
        Sym3d K;
        if (pack.of_angle[at.lane] > 0) {
            K = held_by_cone(moment, angle, u);
        } else {
            const Quatd own{pack.own.w[at.lane], pack.own.x[at.lane], pack.own.y[at.lane],
                            pack.own.z[at.lane]};
            K = held_by_swing(moment, angle, u,
                              rotation_matrix(bodies.places[pack.b[at.lane]].q * own) *
                                  lane3(pack.axis, at.lane));
        }
        for (const int body : {pack.a[at.lane], pack.b[at.lane]})
            if (body >= bodies.bases()) out.push_back({body - bodies.bases(), K});
    }
}

void GeneralForces::hold_by_cones(const Workspace<double>& ws, double h, std::vector<HeldLink>& out) const {
    for (const int b : direct_blocks_) {
        const RowBlock& block = from_.rows.blocks[b];
        if (block.kind != RowKind::limit) continue;
        const Model::Joint& joint = model_.joints[block.source];
        if (joint.type != JointType::ball || !joint.cone) continue;
        for (const Row& row : from_.rows.rows_of(block)) {
            if (row.warm != from_.warm.limit(block.source) + LimitSlots::cone || !(row.lambda > 0)) continue;
            Vec3d u = Vec3d::zero();
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                u += from_.rows.entries[e].value * ws.S[from_.rows.entries[e].dof].ang;
            if (!(length(u) > 0)) continue;
            const Sym3d K = held_by_cone(row.lambda / h, *joint.cone, (1 / length(u)) * u);
            const int link = model_.bodies[joint.body].link, parent = model_.tree.links[link].parent;
            out.push_back({link, K});
            if (parent >= 0) out.push_back({parent, K});
        }
    }
}

}  // namespace lig::impulse
