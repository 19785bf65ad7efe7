#include "simulation/reactions.h"

#include "dynamics/dynamics_parts.h"
#include "dynamics/stretches.h"

#include <ligament/bushing.h>

#include <algorithm>

namespace lig {

Reactions::Reactions(std::shared_ptr<const Model> model)
    : dynamics_(model),
      own_forces_(*model),
      qacc_(model->nv),
      tau_(model->nv),
      equalities_(*model) {
    if (!model->deforming.empty())
        bodies_ = std::make_unique<maximal::BodyDynamics>(model, EqualityMethod::direct);
}

// qacc_ and the multipliers of equalities.
void Reactions::accelerate(const JointState<double>& state) {
    if (!bodies_) {
        const std::span<const double> qacc = dynamics_.accelerate(state);
        std::copy(qacc.begin(), qacc.end(), qacc_.begin());
        return;
    }
    bodies_->accelerate(dynamics_, state, qacc_);
    bodies_->write_multipliers(dynamics_.multipliers);
    update_drives(state, dynamics_.ws, dynamics_.drives);
}

namespace {

// The inputs are to be those of the sub-step.
void look_back_with_adhesion(Formulation& formulation) {
    const std::vector<Force<double>>& adhesion = formulation.context().adhesion;
    if (adhesion.empty()) return formulation.look_back();
    std::vector<Force<double>>& applied = formulation.context().motion.dynamics.xfrc_applied;
    const std::vector<Force<double>> given = applied;
    for (std::size_t b = 0; b < adhesion.size(); ++b) applied[b] += adhesion[b];
    formulation.look_back();
    applied = given;
}

}  // namespace

bool Reactions::look_back(Formulation& formulation, const JointState<double>& state) {
    look_back_with_adhesion(formulation);
    const LastSubstep& last = formulation.context().last;
    if (last.kind == SubstepKind::none) return false;
    const SmoothDynamics& inputs = formulation.context().motion.dynamics;
    dynamics_.ctrl = inputs.ctrl;
    dynamics_.qfrc_applied = inputs.qfrc_applied;
    own_forces_.add(last.kind == SubstepKind::velocity ? last.before : state, dynamics_.qfrc_applied);
    dynamics_.xfrc_applied = inputs.xfrc_applied;
    const std::vector<Force<double>>& adhesion = formulation.context().adhesion;
    for (std::size_t b = 0; b < adhesion.size(); ++b) dynamics_.xfrc_applied[b] += adhesion[b];
    if (last.kind == SubstepKind::velocity) {
        at_ = &last.before;
        rows_ = &formulation.context().rows;
        time_ = last.h;
        forward_kinematics(*at_, dynamics_.ws);
        const std::span<const double> change = formulation.context().velocity_change;
        std::transform(change.begin(), change.end(), qacc_.begin(), [&](double dv) { return dv / last.h; });
        return true;
    }
    at_ = &state;
    rows_ = &equality_rows_;
    time_ = 1;
    accelerate(state);
    equality_rows_.clear();
    terms_.clear();
    // The multipliers are of the rows as their objects state them, without their scale.
    const EqualityState now{state, dynamics_.ws, &dynamics_.drives, state.time, false};
    for (const Equality& equality : equalities_.acting()) {
        const std::size_t first = equality_rows_.rows.size();
        Equalities::add(equality, now, equality_rows_, terms_);
        for (std::size_t r = first; r < equality_rows_.rows.size(); ++r)
            equality_rows_.rows[r].lambda =
                dynamics_.multipliers[equality.multiplier + terms_[r].part] / terms_[r].scale;
    }
    return true;
}

void Reactions::joints(Formulation& formulation, const JointState<double>& state,
                       std::span<Force<double>> out) {
    const Model& model = dynamics_.model();
    require_size(out.size(), model.bodies.size(), "joint_reactions: out");
    std::fill(out.begin(), out.end(), Force<double>::zero());
    if (!look_back(formulation, state)) return;
    Workspace<double>& ws = dynamics_.ws;
    dynamics_.push_bodies();
    for (const RowBlock& block : rows_->blocks)
        for (const Row& row : rows_->rows_of(block)) {
            if (row.lambda == 0) continue;
            if (block.link_a >= 0) ws.f_ext[block.link_a] += (row.lambda / time_) * row.on_a;
            if (block.link_b >= 0) ws.f_ext[block.link_b] += (row.lambda / time_) * row.on_b;
        }
    through_joints(*at_, qacc_, ws, tau_, out);
}

void Reactions::through_joints(const JointState<double>& state, std::span<const double> qacc,
                               Workspace<double>& ws, std::span<double> tau, std::span<Force<double>> out) {
    add_gravity_compensation(ws);
    inverse_dynamics<double>(state, qacc, ws, tau, true);
    const std::vector<Model::Body>& bodies = ws.model().bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        out[b] = bodies[b].joint_count > 0 && bodies[b].link >= 0 ? ws.links[bodies[b].link].f
                                                                  : Force<double>::zero();
}

// What the rows of a block do to body B, in world axes about the point p_BM of it.
Force<double> Reactions::on_b(const RowBlock& block, int body_b, const Vec3d& p_BM) const {
    const Workspace<double>& ws = dynamics_.ws;
    const Vec3d p_M = carrier_pose(ws, block.link_b) *
                      stretched(ws, block.link_b, dynamics_.model().bodies[body_b].X_LB * p_BM);
    // Both sides get the same at M. A row has nothing of a side that does not move.
    const bool by_b = block.link_b >= 0;
    const Vec3d arm = p_M - carrier_pose(ws, by_b ? block.link_b : block.link_a).p;
    Force<double> sum = Force<double>::zero();
    for (const Row& row : rows_->rows_of(block))
        sum += (row.lambda / time_) * (by_b ? row.on_b : -row.on_a);
    return shift_back(sum, -arm);
}

void Reactions::loops(Formulation& formulation, const JointState<double>& state,
                      std::span<Force<double>> out) {
    const Model& model = dynamics_.model();
    require_size(out.size(), model.loops.size(), "loop_reactions: out");
    std::fill(out.begin(), out.end(), Force<double>::zero());
    if (model.loops.empty() || !look_back(formulation, state)) return;
    for (const RowBlock& block : rows_->blocks) {
        if (block.kind != RowKind::loop) continue;
        const Model::Loop& loop = model.loops[block.source];
        out[block.source] = on_b(block, loop.body_b, loop.X_BM.p);
    }
}

void Reactions::pairs(Formulation& formulation, const JointState<double>& state,
                      std::span<Force<double>> out) {
    const Model& model = dynamics_.model();
    require_size(out.size(), model.pair_constraints.size(), "pair_reactions: out");
    std::fill(out.begin(), out.end(), Force<double>::zero());
    if (model.pair_constraints.empty() || !look_back(formulation, state)) return;
    for (const RowBlock& block : rows_->blocks) {
        if (block.kind != RowKind::pair && block.kind != RowKind::pair_drive &&
            block.kind != RowKind::pair_limit)
            continue;
        const Model::PairConstraint& pair = model.pair_constraints[block.source];
        out[block.source] = on_b(block, pair.body_b, pair.X_BM.p);
    }
}

// Springs and dampers are what they are at a state; no accelerations are needed.
void Reactions::bushings(Formulation& formulation, const JointState<double>& state,
                         std::span<Force<double>> out) {
    const Model& model = dynamics_.model();
    require_size(out.size(), model.bushings.size(), "bushing_forces: out");
    std::fill(out.begin(), out.end(), Force<double>::zero());
    look_back_with_adhesion(formulation);
    const LastSubstep& last = formulation.context().last;
    if (model.bushings.empty() || last.kind == SubstepKind::none) return;
    forward_kinematics(last.kind == SubstepKind::velocity ? last.before : state, dynamics_.ws);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = bushing_wrench(dynamics_.ws, static_cast<int>(k));
}

namespace {

// What the rows of a kind do along the velocities, as means over the last velocity step.
void forces_of(Formulation& formulation, RowKind kind, std::span<double> out) {
    look_back_with_adhesion(formulation);
    std::fill(out.begin(), out.end(), 0.0);
    if (formulation.context().last.kind != SubstepKind::velocity) return;
    const Rows& rows = formulation.context().rows;
    for (const RowBlock& block : rows.blocks) {
        if (block.kind != kind) continue;
        for (const Row& row : rows.rows_of(block))
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                out[rows.entries[e].dof] += rows.entries[e].value * row.lambda / formulation.context().last.h;
    }
}

}  // namespace

void Reactions::limits(Formulation& formulation, std::span<double> out) {
    require_size(out.size(), formulation.context().velocity_change.size(), "limit_forces: out");
    forces_of(formulation, RowKind::limit, out);
}

void Reactions::tracking(Formulation& formulation, std::span<double> out) {
    require_size(out.size(), formulation.context().velocity_change.size(), "tracking_forces: out");
    forces_of(formulation, RowKind::tracking, out);
    if (formulation.context().last.kind == SubstepKind::velocity)
        formulation.context().tracking.add_forces(formulation.context().last.before, out);
}

}  // namespace lig
