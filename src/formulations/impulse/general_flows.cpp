// What general forces do in a sub-step, for the energy ledger.

#include "constraints/bushing_rows.h"
#include "dynamics/joint_springs.h"
#include "dynamics/stretches.h"
#include "formulations/impulse/general_forces.h"
#include "simulation/row_work.h"

namespace lig::impulse {

void GeneralForces::add_wrench_work(const MovingBodies& bodies, const SubstepVelocities& u,
                                    EnergyFlows& flows) const {
    const auto work = [&](int index, const Vec3d& arm, const Force<double>& f) {
        return u.h * (dot(f.lin, u.mean.velocity_at(index, arm)) + dot(f.ang, u.mean.u[index].w));
    };
    if (pushes_wrenches_)
        for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
            const Model::Body& body = model_.bodies[b];
            if (body.link < 0) continue;
            const int index = bodies.index(body.link);
            const Vec3d at = bodies.link_pose(body.link) * (body.X_LB * body.com);
            flows.applied += work(index, at - bodies.places[index].x, from_.dynamics.xfrc_applied[b]);
        }
    if (!acts_ || !has_medium_) return;
    for (int i = 0; i < bodies.links(); ++i) {
        const int index = bodies.index(i);
        if (bodies.is_asleep(index)) continue;
        flows.dampers -= work(index, from_.dynamics.ws.poses[i].X_WL.p - bodies.places[index].x, drags_[i]);
    }
}

// Along freedoms: what changes with their velocities within the sub-step does so here, too.
void GeneralForces::add_joint_work(const JointState<double>& state, const SubstepVelocities& u,
                                   EnergyFlows& flows) const {
    const std::vector<double>& applied = from_.dynamics.qfrc_applied;
    const DriveWorkspace<double>& drives = from_.dynamics.drives;
    for (const Model::Joint& joint : model_.joints) {
        const bool damps = model_.options.enabled.damper && has_damper(joint);
        const bool lifts = joint.actuators_carry_gravity && !drives.gravity_force.empty();
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
            if (!damps && !has_drives_ && !lifts && applied[k] == 0) continue;
            const double mean = freedoms_[k].velocity(u.mean), v = state.v[k];
            flows.applied += u.h * applied[k] * mean;
            if (damps) {
                const double change = freedoms_[k].velocity(u.after) - v;
                const double force = damper_force_after(joint, v, change);
                flows.dampers += u.h * force * mean;
            }
            if (lifts) flows.drives -= u.h * drives.gravity_force[k] * mean;
        }
    }
    for_each_bulk(state, model_, [&](const Model::Deforming& body, double, int first) {
        double after = 0, mean = 0;
        for (int k = first; k < first + 3; ++k) {
            after += freedoms_[k].velocity(u.after);
            mean += freedoms_[k].velocity(u.mean);
        }
        if (model_.options.enabled.damper) flows.dampers += u.h * body.bulk_damping * after * mean;
    });
    for (std::size_t d = 0; d < model_.deforming.size() && model_.options.enabled.damper; ++d)
        if (const bodies::Modal* const own = model_.deforming[d].modal.get()) {
            const int first = model_.tree.stretches[d].v_adr;
            for (int k = 0; k < own->count; ++k)
                for (int l = 0; l < own->count; ++l)
                    flows.dampers += u.h * own->damping[k][l] * freedoms_[first + l].velocity(u.after) *
                                     freedoms_[first + k].velocity(u.mean);
        }
    for (const TreeLink<double>& link : model_.tree.links)
        for (int k = link.v_adr; k < link.v_adr + link.nv && has_drives_; ++k) {
            double impulse = driven_[k];
            for (int l = link.v_adr; l < link.v_adr + link.nv; ++l)
                if (const double weight = driven_terms_[terms_.added_at(k, l)]; weight != 0)
                    impulse -= weight * (freedoms_[l].velocity(u.after) - state.v[l]);
            if (impulse != 0) flows.drives += impulse * freedoms_[k].velocity(u.mean);
        }
    for (int k = 0; k < model_.nv && u.bases_move; ++k) {
        const Freedom& freedom = freedoms_[k];
        if (!u.is_base(freedom.a)) continue;
        const Velocity& base = u.mean.u[freedom.a];
        flows.kinematic +=
            joint_forces_.impulse_of(k) * (dot(freedom.lin, base.v) - dot(freedom.ang_a, base.w));
    }
}

void GeneralForces::add_row_work(const SubstepVelocities& u, EnergyFlows& flows) const {
    for (std::size_t b = 0; b < from_.rows.blocks.size(); ++b) {
        if (blocks_.is_asleep(static_cast<int>(b))) continue;
        const RowBlock& block = from_.rows.blocks[b];
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const double impulse = blocks_.impulse(r);
            if (impulse == 0) continue;
            const double mean = blocks_.rate(r, u.mean), work = impulse * mean;
            book_row_work(block.kind, r == block.begin, work, flows);
            if (block.kind == RowKind::tendon && model_.options.enabled.damper) {
                const double speed = from_.dynamics.drives.tendon_velocity[block.source];
                flows.dampers += u.h *
                                 damper_force_after(model_.tendons[block.source], speed,
                                                    blocks_.rate(r, u.after) - speed) *
                                 mean;
            }
            // Bases that move, or what time prescribes.
            flows.kinematic -= impulse * blocks_.rate_by_bases(r, u.mean, u.bases);
        }
    }
    if (!has_bushings_) return;
    const bool damps = model_.options.enabled.damper;
    for (std::size_t b = 0; b < bushing_rows_.blocks.size(); ++b) {
        if (bushings_.is_asleep(static_cast<int>(b))) continue;
        const RowBlock& block = bushing_rows_.blocks[b];
        const Model::Bushing& bushing = model_.bushings[block.source];
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const int axis = bushing_rows_.rows[r].warm % rows_of_bushing;
            const double damping = axis < 3 ? bushing.damping[axis] : bushing.turn_damping[axis - 3];
            if (damps)
                flows.dampers += u.h * damping * bushings_.rate(r, u.after) * bushings_.rate(r, u.mean);
            if (u.bases_move)
                flows.kinematic -= bushings_.impulse(r) * bushings_.rate_by_bases(r, u.mean, u.bases);
        }
    }
}

void GeneralForces::add_work(const JointState<double>& state, const MovingBodies& bodies,
                             const SubstepVelocities& u, EnergyFlows& flows) const {
    if (acts_ || pushes_wrenches_) add_wrench_work(bodies, u, flows);
    if (!acts_) return;
    add_joint_work(state, u, flows);
    add_row_work(u, flows);
}

}  // namespace lig::impulse
