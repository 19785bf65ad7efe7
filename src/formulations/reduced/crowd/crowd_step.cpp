#include "formulations/reduced/crowd/crowd_step.h"

#include "constraints/row_rate.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/bad_inertia.h"
#include "formulations/reduced/crowd/tuning.h"
#include "model/named.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const CrowdTuning& tuning = crowd_tuning;

}  // namespace

CrowdStep::CrowdStep(StepContext& context, JointAlgebra& algebra, Stiffness& stiffness)
    : context_(context),
      algebra_(algebra),
      equations_(*context.model),
      assembly_(context, algebra.terms, stiffness, equations_),
      limits_(*context.model),
      turning_(*context.model),
      ends_(context, algebra, equations_),
      ledger_(context, algebra, equations_, lambda_, rate_),
      surroundings_(*context.model),
      turns_(context.model->tree.links.size()),
      x_(context.model->nv),
      moving_(context.model->nv),
      free_(algebra.size()),
      back_(algebra.size()),
      s_(algebra.size()),
      q_(context.model->nq) {
    equations_.carries_momenta = true;
}

void CrowdStep::take(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report) {
    forward_kinematics(state, context_.motion.dynamics.ws);
    const int count = choose_substeps(dt);
    for (int k = 0; k < count; ++k) {
        if (!take_substep(state, dt / count, callbacks, report)) break;
        ++report.substeps;
        ++report.velocity_steps;
    }
    algebra_.terms.held = {};
}

// By how far all links but the fastest turn. After forward_kinematics.
int CrowdStep::choose_substeps(double dt) {
    if (turns_.empty()) return tuning.min_substeps;
    const std::vector<PoseWork<double>>& poses = context_.motion.dynamics.ws.poses;
    for (std::size_t i = 0; i < turns_.size(); ++i) turns_[i] = length(poses[i].V_WL.ang);
    const auto fast = turns_.begin() + static_cast<std::ptrdiff_t>((1 - tuning.fast_share) *
                                                                   static_cast<double>(turns_.size() - 1));
    std::nth_element(turns_.begin(), fast, turns_.end());
    return std::clamp(static_cast<int>(std::ceil(*fast * dt / tuning.max_turn)), tuning.min_substeps,
                      tuning.max_substeps);
}

bool CrowdStep::take_substep(JointState<double>& state, double h, const Callbacks& callbacks,
                             StepReport& report) {
    if (callbacks.control) callbacks.control(state, context_.motion.dynamics);
    context_.look(state, h, surroundings_, report);
    limits_.find(state, context_.warm, equations_.held_limits);
    if (!assembly_.assemble(state, h, report) || !factor(state, h, report)) return false;
    resolve(state, h, report);
    return move(state, h, report);
}

bool CrowdStep::factor(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::factor, context_.options.timed);
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    Rows& rows = context_.rows;
    algebra_.terms.turning = {};
    if (turning_.find(ws, rows, context_.warm, h, context_.impulse_time)) {
        algebra_.terms.turning = turning_.of_links();
        turning_.add_impulses(ws, equations_.x);
    }
    algebra_.terms.held = limits_.bounds();
    if (const int link = algebra_.prepare(state, ws, rows, equations_.equalities_begin, equations_.two_sided,
                                          report);
        link >= 0) {
        report.status = StepStatus::non_finite;
        report.where =
            bad_inertia(*context_.model, link, "equations of joints are not finite: bodies move too fast");
        return false;
    }
    const std::size_t n = rows.rows.size();
    for (std::vector<double>* of_rows : {&rate_, &biased_, &kept_, &lambda_}) of_rows->resize(n);
    for (const RowBlock& block : rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows.rows[r];
            rate_[r] = row_rate(rows, block, row, ws, state.v);
            biased_[r] = rate_[r] + row.bias;
            kept_[r] = rate_[r] + row.kept_bias;
            lambda_[r] = row.lambda;
        }
    return true;
}

// Contacts that arrive and bounce are asked for the velocities of it: their restitution times the speed that
// they would arrive with under forces alone.
void CrowdStep::bounce(double h) {
    const Contacts& found = context_.collision.contacts;
    const Rows& rows = context_.rows;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const int normal = rows.blocks[b].begin;
        if (rows.blocks[b].kind != RowKind::contact || !(lambda_[normal] > 0)) continue;
        const double restitution =
            found.properties[found.manifolds[found.contacts[rows.blocks[b].source].manifold].properties]
                .restitution;
        const double before = rate_[normal] + rows.rows[normal].base_rate;
        if (!(restitution > 0) || !(before < -tuning.min_bounce)) continue;
        const double gap = h * (rows.rows[normal].kept_bias - rows.rows[normal].base_rate);
        const double acceleration = algebra_.change_of(b, free_) / h;
        const double speed = std::sqrt(std::max(before * before - 2 * acceleration * gap, 0.0));
        kept_[normal] = before - restitution * speed;
    }
}

// moving_: velocities that coordinates move by; the context's change of velocities: of those that stay.
void CrowdStep::resolve(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    using Effort = ImpulseSolver::Effort;
    x_ = equations_.x;
    limits_.resist(state.v, x_);
    algebra_.free_change(x_, kept_, free_);
    std::fill(x_.begin(), x_.end(), 0.0);
    limits_.bring_back(h, x_);
    algebra_.free_change(x_, kept_, back_);
    for (std::size_t k = 0; k < s_.size(); ++k) s_[k] = free_[k] + back_[k];
    moving_ = s_;  // of the algebra, while it is a free change
    algebra_.apply(lambda_, s_);
    ImpulseSolver::Request request{
        .b = biased_,
        .s_free = moving_,
        .accuracy = std::max(context_.options.accuracy, tuning.accuracy),
        .effort = Effort::sweeps,
        .first_sweeps = tuning.biased_sweeps,
        .iterations = tuning.swept_blocks};
    algebra_.solve(request, lambda_, s_, report);
    algebra_.outward(s_, moving_);
    raised_ = power_of_weight();
    for (std::size_t k = 0; k < moving_.size(); ++k) moving_[k] += state.v[k];

    bounce(h);
    for (std::size_t k = 0; k < s_.size(); ++k) s_[k] -= back_[k];
    request.b = kept_;
    request.s_free = free_;
    request.first_sweeps = tuning.relaxing_sweeps;
    report.residual = std::max(report.residual, algebra_.solve(request, lambda_, s_, report));
    algebra_.outward(s_, context_.velocity_change);
    raised_ -= power_of_weight();
}

// Of the last outward, W.
double CrowdStep::power_of_weight() const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    double power = 0;
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Motion<double>& V = algebra_.link_motion(static_cast<int>(i));
        const SplitInertia<double>& inertia = model.tree.links[i].inertia;
        const Vec3d momentum = inertia.mass * V.lin + cross(V.ang, ws.poses[i].X_WL.R * inertia.h);
        power += dot(model.options.gravity, momentum);
    }
    return power;
}

bool CrowdStep::move(JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::advance, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    for (const Model::Joint& joint : context_.model->joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(context_.velocity_change[k] + moving_[k])) {
                report.status = StepStatus::non_finite;
                report.where = "the velocity of " + named(*context_.model, joint) + " would not be finite";
                return false;
            }
    EnergyFlows& flows = report.energy.flows;
    ledger_.add_flows(state, h, flows);
    flows.limits += limits_.lost(state.v, context_.velocity_change);
    flows.corrections += h * raised_;
    if (context_.momentum) ledger_.propose_impulses(h);
    context_.last.kind = SubstepKind::velocity;
    context_.last.h = h;
    context_.last.before = state;
    context_.last.half_curved = false;
    context_.move_beside_coordinates(state, h);
    integrate<double>(dynamics.ws, state.q, moving_, h, q_);
    ends_.carry(state, q_);
    if (context_.momentum) context_.momentum->accept();
    for (std::size_t k = 0; k < state.v.size(); ++k)
        context_.velocity_change[k] = state.v[k] - context_.last.before.v[k];
    context_.keep_impulses(lambda_, h);
    return true;
}

}  // namespace lig
