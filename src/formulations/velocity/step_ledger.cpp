#include "formulations/velocity/step_ledger.h"

#include "constraints/row_rate.h"
#include "dynamics/bushing_pulls.h"
#include "dynamics/dynamics_parts.h"
#include "simulation/row_work.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>
#include <ligament/fluid.h>

#include <utility>

namespace lig {

void StepLedger::add_flows(const JointState<double>& state, double h, EnergyFlows& flows) {
    add_flows_of_rows(h, flows);
    if (context_.options.multiplier.law == Law::kinematic) return;
    add_flows_of_bushings(state, h, flows);
    add_flows_of_joints(state, h, flows);
    if (equations_.has_drives) add_flows_of_drives(state, flows);
    add_flows_of_bodies(h, flows);
}

void StepLedger::add_flows_of_rows(double h, EnergyFlows& flows) const {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    const Rows& rows = context_.rows;
    const auto motion_of = [&](int link) { return algebra_.link_motion(link); };
    // What links have from the bases that carry them is their own motion, not that of the other side.
    const auto by_carrying_bases = [&](const RowBlock& block, const Row& row) {
        if (model.nkinematic == 0) return 0.0;
        double sum = 0;
        if (block.link_a >= 0) sum += dot(row.on_a, velocity_by_base(dynamics.ws, block.link_a));
        if (block.link_b >= 0) sum += dot(row.on_b, velocity_by_base(dynamics.ws, block.link_b));
        return sum;
    };
    for (const RowBlock& block : rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const double impulse = impulses_[r];
            if (impulse == 0) continue;
            const Row& row = rows.rows[r];
            const double change = row_product(rows, block, row, context_.velocity_change, motion_of);
            const double mean = rates_[r] + row.base_rate + 0.5 * (change + row.curved_rate);
            const double work = impulse * mean;
            flows.kinematic -= impulse * (row.base_rate - by_carrying_bases(block, row));
            // Equalities are workless, but for the motion that is prescribed.
            book_row_work(block.kind, r == block.begin, work, flows);
            if (!model.options.enabled.damper) continue;
            if (block.kind == RowKind::tendon) {
                const Model::Tendon& tendon = model.tendons[block.source];
                if (is_zero(tendon.damping, tendon.damping_poly)) continue;
                const double speed = dynamics.drives.tendon_velocity[block.source];
                flows.dampers += h * damper_force_after(tendon, speed, change) * mean;
            } else if (block.kind == RowKind::bushing) {
                // Its force at the beginning of the step is in add_flows_of_bushings.
                const Model::Bushing& bushing = model.bushings[block.source];
                const int axis = row.warm - context_.warm.bushing(block.source);
                const double damping = axis < 3 ? bushing.damping[axis] : bushing.turn_damping[axis - 3];
                flows.dampers += h * damping * change * mean;
            }
        }
}

// Forces of bushings as they are at the beginning of the step: of their dampers, and on bases that move.
void StepLedger::add_flows_of_bushings(const JointState<double>& state, double h,
                                       EnergyFlows& flows) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    for (std::size_t i = 0; i < model.bushings.size(); ++i) {
        const Model::Bushing& bushing = model.bushings[i];
        if (!bushing.active) continue;
        const Vec3d origin = attached_frame(ws, bushing.body_b, bushing.X_BM).p;
        const Force<double> all = bushing_wrench(ws, static_cast<int>(i)),
                            damper = bushing_damper_wrench(ws, static_cast<int>(i));
        for (const auto& [body, sign] : {std::pair{bushing.body_a, -h}, std::pair{bushing.body_b, h}}) {
            const int link = model.bodies[body].link;
            const Vec3d arm = origin - carrier_pose(ws, link).p;
            Motion<double> mean = carrier_velocity(ws, link);
            if (link >= 0) mean += 0.5 * algebra_.link_motion(link);
            if (link < -1) mean += (0.5 * h) * state.kinematic[-2 - link].acceleration;
            flows.dampers -= sign * dot(shift(mean, arm), damper);
            if (link < -1) flows.kinematic -= sign * dot(shift(mean, arm), all);
        }
        for_each_bushing_pull(ws, static_cast<int>(i), damper, [&](int dof, double value) {
            flows.dampers -= h * value * (state.v[dof] + 0.5 * context_.velocity_change[dof]);
        });
    }
}

// What is applied to joints, and their dampers.
void StepLedger::add_flows_of_joints(const JointState<double>& state, double h, EnergyFlows& flows) const {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    const std::vector<double>& change = context_.velocity_change;
    const auto mean = [&](int k) { return state.v[k] + 0.5 * change[k]; };
    for (int k = 0; k < model.nv; ++k) flows.applied += h * dynamics.qfrc_applied[k] * mean(k);
    if (!model.options.enabled.damper) return;
    for (const Model::Joint& joint : model.joints) {
        if (is_zero(joint.damping, joint.damping_poly)) continue;
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
            const double v = state.v[k];
            const double force = damper_force_after(joint, v, change[k]);
            flows.dampers += h * force * mean(k);
        }
    }
    for_each_bulk(state, model, [&](const Model::Deforming& body, double, int first) {
        double after = 0, between = 0;
        for (int k = first; k < first + 3; ++k) {
            after += state.v[k] + change[k];
            between += mean(k);
        }
        flows.dampers += h * body.bulk_damping * after * between;
    });
    for (std::size_t i = 0; i < model.deforming.size(); ++i) {
        const bodies::Modal* const own = model.deforming[i].modal.get();
        const int first = model.tree.stretches[i].v_adr;
        for (int k = 0; own && k < own->count; ++k)
            for (int l = 0; l < own->count; ++l)
                flows.dampers +=
                    h * own->damping[k][l] * (state.v[first + l] + change[first + l]) * mean(first + k);
    }
}

// Drives that are no rows.
void StepLedger::add_flows_of_drives(const JointState<double>& state, EnergyFlows& flows) const {
    const JointTerms& terms = algebra_.terms;
    const std::vector<double>& change = context_.velocity_change;
    for (const TreeLink<double>& link : context_.model->tree.links)
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            double impulse = equations_.driven[k];
            for (int l = link.v_adr; l < link.v_adr + link.nv; ++l)
                impulse -= equations_.driven_terms[terms.added_at(k, l)] * change[l];
            flows.drives += impulse * (state.v[k] + 0.5 * change[k]);
        }
}

// What is applied to bodies, and the medium.
void StepLedger::add_flows_of_bodies(double h, EnergyFlows& flows) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    const Workspace<double>& ws = dynamics.ws;
    const auto mean_motion = [&](int link) {
        return ws.poses[link].V_WL + 0.5 * algebra_.link_motion(link);
    };
    for (std::size_t b = 1; b < dynamics.xfrc_applied.size(); ++b) {
        const Force<double>& f = dynamics.xfrc_applied[b];
        const Model::Body& body = model.bodies[b];
        if (body.link < 0 || (dot(f.lin, f.lin) == 0 && dot(f.ang, f.ang) == 0)) continue;
        const Vec3d arm = ws.poses[body.link].X_WL.R * (body.X_LB * body.com);
        flows.applied += h * dot(f, shift(mean_motion(body.link), arm));
    }
    if (!has_medium(model)) return;
    clear_external(dynamics.ws);
    add_fluid_forces(dynamics.ws);
    for (std::size_t i = 0; i < ws.poses.size(); ++i)
        flows.dampers -= h * dot(ws.f_ext[i], mean_motion(static_cast<int>(i)));
    dynamics.push_bodies();
}

void StepLedger::propose_impulses(double h) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    OutsideImpulses impulses = h * context_.momentum->forces(dynamics.ws, dynamics);
    context_.momentum->add_contacts(dynamics.ws, context_.rows, impulses_, impulses);
    context_.momentum->propose(impulses);
}

}  // namespace lig
