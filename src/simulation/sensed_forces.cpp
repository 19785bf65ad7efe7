// What sensors read after a step.

#include "dynamics/dynamics_parts.h"
#include "sensors/sensor_stage.h"
#include "simulation/reactions.h"

#include <algorithm>

namespace lig {

void Reactions::load_bodies(const Formulation& formulation) {
    const Model& model = dynamics_.model();
    const Workspace<double>& ws = dynamics_.ws;
    on_bodies_.assign(model.bodies.size(), Force<double>::zero());
    std::copy(dynamics_.xfrc_applied.begin(), dynamics_.xfrc_applied.end(), on_bodies_.begin());
    const auto push = [&](int body, const Force<double>& f, const Vec3d& at) {
        on_bodies_[body] += shift_back(f, at - body_pose(ws, body) * model.bodies[body].com);
    };
    const Contacts& contacts = formulation.context().collision.contacts;
    const double time = formulation.context().impulse_time, rate = time > 0 ? 1 / time : 0;
    for (const Contact& contact : contacts.contacts) {
        const Force<double> f{rate * contact.moment_impulse, rate * contact.impulse};
        const Manifold& manifold = contacts.manifolds[contact.manifold];
        push(model.geoms[manifold.geom_b].body, f, contact.on_b);
        push(model.geoms[manifold.geom_a].body, -f, contact.on_b);
    }
    for (const RowBlock& block : rows_->blocks) {
        if (block.kind == RowKind::loop) {
            const Model::Loop& loop = model.loops[block.source];
            const Force<double> f = on_b(block, loop.body_b, loop.X_BM.p);
            const Vec3d M = body_pose(ws, loop.body_b) * loop.X_BM.p;
            push(loop.body_b, f, M);
            push(loop.body_a, -f, M);
        }
        // A gear does not do to A the opposite of what it does to B.
        if (block.kind == RowKind::pair || block.kind == RowKind::pair_drive ||
            block.kind == RowKind::pair_limit)
            for (const Row& row : rows_->rows_of(block)) {
                const Model::PairConstraint& pair = model.pair_constraints[block.source];
                const double force = row.lambda / time_;
                if (block.link_a >= 0) push(pair.body_a, force * row.on_a, carrier_pose(ws, block.link_a).p);
                if (block.link_b >= 0) push(pair.body_b, force * row.on_b, carrier_pose(ws, block.link_b).p);
            }
    }
}

void Reactions::sum_limits() {
    joint_limits_.assign(dynamics_.model().joints.size(), 0.0);
    tendon_limits_.assign(dynamics_.model().tendons.size(), 0.0);
    for (const RowBlock& block : rows_->blocks) {
        if (block.kind != RowKind::limit && block.kind != RowKind::tendon_limit) continue;
        double& sum =
            block.kind == RowKind::limit ? joint_limits_[block.source] : tendon_limits_[block.source];
        for (const Row& row : rows_->rows_of(block)) sum += row.lambda / time_;
    }
}

void Reactions::sensors(Formulation& formulation, const JointState<double>& state,
                        SensorWorkspace<double>& out) {
    Workspace<double>& ws = dynamics_.ws;
    std::fill(out.status.begin(), out.status.end(), SensorStatus::not_evaluated);
    if (look_back(formulation, state)) {
        load_bodies(formulation);
        sum_limits();
        sensors::find_body_motion<double>(*at_, qacc_, on_bodies_, ws, out);
        const StepContext& context = formulation.context();
        sensors::read_stage(
            sensors::Stage::forces, *at_, dynamics_.drives, ws, out,
            {&context.collision.contacts, context.impulse_time, joint_limits_, tendon_limits_});
    }
    const SmoothDynamics& inputs = formulation.context().motion.dynamics;
    forward_kinematics(state, ws);
    update_drives(state, ws, dynamics_.drives);
    actuator_forces<double>(state, dynamics_.model(), inputs.ctrl, dynamics_.drives);
    sensors::read_stage(sensors::Stage::motion, state, dynamics_.drives, ws, out, {});
}

}  // namespace lig
