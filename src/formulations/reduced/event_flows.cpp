// What forces and impacts do between events and at them.

#include "constraints/row_rate.h"
#include "formulations/reduced/event_step.h"
#include "model/split_inertia.h"
#include "simulation/row_work.h"

namespace lig {

void EventStep::add_row_work(const RowBlock& block, int r, double force, double rate,
                             EnergyFlows& sum) const {
    book_row_work(block.kind, r == block.begin, force * rate, sum);
    // Joints and links feel the row without what bases add to its rate.
    sum.kinematic -= force * rows_.rows[r].kept_bias;
}

// After accelerate has found qacc and lambda_ of the state.
EnergyFlows EventStep::find_powers(const JointState<double>& state,
                                   std::span<const double> qacc) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    Workspace<double>& ws = dynamics.ws;
    flows_.find(dynamics, state);
    EnergyFlows out = flows_.powers(dynamics, state);
    for (std::size_t k = 0; k < drives_.size(); ++k) out.drives += drives_[k] * state.v[k];
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (lambda_[r] != 0)
                add_row_work(block, r, lambda_[r],
                             row_rate(rows_, block, rows_.rows[r], ws, state.v) + rows_.rows[r].kept_bias,
                             out);
    if (!flows_.bases_move) return out;
    inverse_dynamics<double>(state, qacc, ws, x_, true);
    out.kinematic += power_through_roots(ws);
    inverse_dynamics<double>(state, zero_, ws, x_, true);  // accelerations without v̇ are wanted later
    return out;
}

// For the momentum ledger, at the same state.
void EventStep::find_outside_forces() {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    if (!dynamics.momentum) return;
    outside_ = dynamics.momentum->forces(dynamics.ws, dynamics);
    dynamics.momentum->add_contacts(dynamics.ws, rows_, lambda_, outside_);
}

// After drive_ has become what the impact changes velocities by: impulses do their work at the mean of the
// rates before and after.
void EventStep::add_jump_work(const Workspace<double>& ws, EnergyFlows& sum) const {
    const std::span<const double> impulses = impacts_.impulses();
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            if (impulses[r] == 0) continue;
            const double change = row_product(rows_, block, rows_.rows[r], drive_,
                                              [&](int link) { return factor_.link_motion(link); });
            add_row_work(block, r, impulses[r], rate_[r] + 0.5 * change, sum);
        }
    // What hangs on bases that move is pushed by these as well, as much as the others' impulses make it.
    for (std::size_t i = 0; i < ws.poses.size() && model_.nkinematic > 0; ++i) {
        const int link = static_cast<int>(i);
        const RigidInertia<double> inertia = world_inertia(ws.poses[i].X_WL.R, model_.tree.links[i].inertia);
        sum.kinematic += dot(velocity_by_base(ws, link), inertia * factor_.link_motion(link));
    }
}

}  // namespace lig
