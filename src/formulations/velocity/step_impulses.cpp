#include "formulations/velocity/step_impulses.h"

#include "constraints/contact_rows.h"
#include "constraints/row_rate.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/bad_inertia.h"
#include "formulations/velocity/tuning.h"
#include "model/split_inertia.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

}  // namespace

StepImpulses::StepImpulses(StepContext& context, StepAlgebra& algebra, const StepEquations& equations)
    : context_(context),
      algebra_(algebra),
      equations_(equations),
      turning_(*context.model),
      impacts_(context.options),
      resisted_x_(context.model->nv) {}

bool StepImpulses::factor(const JointState<double>& state, double h, bool resists_turning,
                          StepReport& report) {
    const Stopwatch watch(report, StepStage::factor, context_.options.timed);
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    Rows& rows = context_.rows;
    algebra_.terms.turning = {};
    resisted_x_ = equations_.x;
    if (context_.options.multiplier.law == Law::dynamic && resists_turning &&
        turning_.find(ws, rows, context_.warm, h, context_.impulse_time)) {
        algebra_.terms.turning = turning_.of_links();
        turning_.add_impulses(ws, resisted_x_);
    }
    if (const int link = algebra_.prepare(state, ws, rows, equations_.equalities_begin, equations_.two_sided,
                                          report);
        link >= 0) {
        report.status = StepStatus::non_finite;
        report.where = bad_inertia(
            model, link, "the equations of joints or equalities are not finite: bodies move too fast");
        return false;
    }
    find_slacks(h);
    const std::size_t n = rows.rows.size();
    landing.resize(n, algebra_.size());
    after.resize(n, algebra_.size());
    rate.resize(n);
    corrected_b_.resize(n);
    free_s_.resize(algebra_.size());
    for (const RowBlock& block : rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows.rows[r];
            rate[r] = row_rate(rows, block, row, ws, state.v);
            corrected_b_[r] = rate[r] + row.bias;
            after.b[r] = landing.b[r] = rate[r] + row.kept_bias;
            landing.lambda[r] = row.lambda;
        }
    algebra_.free_change(resisted_x_, landing.b, free_s_);
    return true;
}

double StepImpulses::find(std::span<const double> b, bool correcting, std::span<double> lambda,
                          std::span<double> s, StepReport& report) {
    using Effort = ImpulseSolver::Effort;
    const SimulationOptions& options = context_.options;
    const Effort effort = correcting                               ? Effort::correction
                          : options.stepping == Stepping::velocity ? Effort::step
                                                                   : Effort::most;
    ImpulseSolver::Request request{b, free_s_, correcting ? tuning.correction_accuracy : options.accuracy,
                                   effort};
    if (correcting) {
        changed_.resize(b.size());
        for (std::size_t r = 0; r < b.size(); ++r) changed_[r] = b[r] != landing.b[r];
        request.changed = changed_;
    }
    return algebra_.solve(request, lambda, s, report);
}

bool StepImpulses::resolve(StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    std::copy(free_s_.begin(), free_s_.end(), landing.s.begin());
    algebra_.apply(landing.lambda, landing.s);
    missed_ = find(landing.b, false, landing.lambda, landing.s, report);
    after.lambda = landing.lambda;
    return report.status == StepStatus::ok;
}

void StepImpulses::hold_equalities(std::span<double> lambda) {
    std::copy(free_s_.begin(), free_s_.end(), landing.s.begin());
    algebra_.apply(lambda, landing.s);
    algebra_.hold_equalities(landing.b, lambda, landing.s);
}

bool StepImpulses::has_one_sided_rows() const {
    return static_cast<int>(context_.rows.blocks.size()) > equations_.two_sided;
}

bool StepImpulses::one_sided_rows_act() const {
    const std::vector<RowBlock>& blocks = context_.rows.blocks;
    for (std::size_t i = static_cast<std::size_t>(equations_.two_sided); i < blocks.size(); ++i)
        for (int r = 0; r < blocks[i].count; ++r)
            if (landing.lambda[blocks[i].begin + r] != 0) return true;
    return false;
}

bool StepImpulses::rows_drive() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Rows& rows = context_.rows;
    algebra_.outward(landing.s, context_.velocity_change);
    const auto motion_of = [&](int link) { return algebra_.link_motion(link); };
    double work = 0, before = 0, kinetic = 0;
    const auto work_of = [&](const RowBlock& block, int r) {
        return landing.lambda[r] *
               (rate[r] + rows.rows[r].base_rate +
                0.5 * row_product(rows, block, rows.rows[r], context_.velocity_change, motion_of));
    };
    for (int b = equations_.equalities_begin; b < equations_.two_sided; ++b)
        for (int r = rows.blocks[b].begin; r < rows.blocks[b].begin + rows.blocks[b].count; ++r)
            work += work_of(rows.blocks[b], r);
    for (std::size_t b = static_cast<std::size_t>(equations_.two_sided); b < rows.blocks.size(); ++b)
        if (rows.blocks[b].kind == RowKind::contact && landing.lambda[rows.blocks[b].begin] > 0)
            work += std::max(0.0, work_of(rows.blocks[b], rows.blocks[b].begin));
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const RigidInertia<double> inertia =
            world_inertia(ws.poses[i].X_WL.R, context_.model->tree.links[i].inertia);
        const Motion<double>& had = ws.poses[i].V_WL;
        const Motion<double> V = had + motion_of(static_cast<int>(i));
        before += 0.5 * dot(had, inertia * had);
        kinetic += 0.5 * dot(V, inertia * V);
    }
    motion_grows_ = kinetic > (1 + tuning.max_growth) * before + context_.idle_energy;
    return work > tuning.max_work_of_rows * kinetic + context_.idle_energy;
}

double StepImpulses::gap_of(const RowBlock& block) const {
    const Contacts& found = context_.collision.contacts;
    return contact_gap(found, found.contacts[block.source]);
}

double StepImpulses::room_of(std::size_t block) const {
    return std::max(0.0, gap_of(context_.rows.blocks[block])) + slacks[block];
}

// What pinned contacts may be passed by: slacks, and in their rows.
void StepImpulses::find_slacks(double h) {
    Rows& rows = context_.rows;
    slacks.assign(rows.blocks.size(), 0.0);
    pinned_.assign(rows.blocks.size(), 0);
    for (std::size_t b = static_cast<std::size_t>(equations_.two_sided); b < rows.blocks.size(); ++b) {
        const RowBlock& block = rows.blocks[b];
        const double yield = block.kind == RowKind::contact ? algebra_.yield_of(b) : 1;
        if (yield >= tuning.min_yield) continue;
        pinned_[b] = 1;
        const double slack = (1 - yield / tuning.min_yield) * tuning.pinned_slack;
        slacks[b] = std::clamp(gap_of(block) + slack, 0.0, slack);
        if (slacks[b] == 0) continue;
        Row& row = rows.rows[block.begin];
        row.kept_bias += slacks[b] / h;
        row.bias = row.kept_bias;
    }
}

const ContactProperties& StepImpulses::properties_of(const RowBlock& block) const {
    const Contacts& found = context_.collision.contacts;
    return found.properties[found.manifolds[found.contacts[block.source].manifold].properties];
}

// What equalities hold does not bounce.
double StepImpulses::restitution_of(std::size_t index) const {
    return pinned_[index] ? 0 : properties_of(context_.rows.blocks[index]).restitution;
}

std::optional<StepImpulses::Approach> StepImpulses::approach_of(std::size_t index, double h) {
    const RowBlock& block = context_.rows.blocks[index];
    if (block.kind != RowKind::contact || !(landing.lambda[block.begin] > 0)) return std::nullopt;
    const double restitution = restitution_of(index);
    const double gap = room_of(index);
    if (!(restitution > 0) && gap <= tuning.ghost_gap) return std::nullopt;
    const double before = landing.b[block.begin] - gap / h;
    const double acceleration = algebra_.change_of(index, free_s_) / h;
    // gap + before t + acceleration t²/2 = 0, by the form that does not cancel.
    const double squared = before * before - 2 * acceleration * gap;
    const double speed = std::sqrt(std::max(squared, 0.0));
    const double time = gap > 0 ? 2 * gap / (speed - before) : 0.0;
    if (!(speed > tuning.min_bounce) || (before > 0 && acceleration >= 0)) return std::nullopt;
    return Approach{time, speed, restitution};
}

double StepImpulses::first_impact(double h) {
    double first = h;
    for (std::size_t i = 0; i < context_.rows.blocks.size(); ++i)
        if (const std::optional<Approach> approach = approach_of(i, h)) {
            if (approach->time > tuning.instant * h)
                first = std::min(first, approach->time);
            else if (approach->restitution > 0)
                // It is there: the bounce takes no time, and nothing else happens.
                first = std::min(first, tuning.instant * h);
        }
    return first;
}

void StepImpulses::restitute(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    const Rows& rows = context_.rows;
    std::copy(landing.s.begin(), landing.s.end(), after.s.begin());
    bool bounces = false;
    for (std::size_t i = 0; i < rows.blocks.size(); ++i) {
        const std::optional<Approach> approach = approach_of(i, h);
        if (!approach || !(approach->restitution > 0)) continue;
        const int r = rows.blocks[i].begin;
        const double base_rate = rows.rows[r].kept_bias - room_of(i) / h;
        after.b[r] = rate[r] + base_rate - approach->restitution * approach->speed;
        bounces = true;
    }
    if (!bounces) return;
    if (context_.options.impact != ImpactLaw::simultaneous && has_several_pairs())
        bounce_in_turn(h, report);
    else
        find(after.b, false, after.lambda, after.s, report);
}

// Whether more than one pair of bodies touches and pushes: then it matters who bounces first.
bool StepImpulses::has_several_pairs() const {
    const RowBlock* first = nullptr;
    for (const RowBlock& block : context_.rows.blocks) {
        if (block.kind != RowKind::contact || !(landing.lambda[block.begin] > 0)) continue;
        if (!first) first = &block;
        if (block.link_a != first->link_a || block.link_b != first->link_b) return true;
    }
    return false;
}

// The impact at the end of the step, pair by pair. It begins with the velocities that there would be without
// the contacts that bounce; what is not closed by then takes no part, nor what is pinned and has slack left.
void StepImpulses::bounce_in_turn(double h, StepReport& report) {
    const Rows& rows = context_.rows;
    restitution_.assign(rows.blocks.size(), 0.0);
    std::copy(landing.b.begin(), landing.b.end(), after.b.begin());
    struck_b_.assign(landing.b.begin(), landing.b.end());
    for (std::size_t i = static_cast<std::size_t>(equations_.two_sided); i < rows.blocks.size(); ++i) {
        const RowBlock& block = rows.blocks[i];
        const int r = block.begin;
        if (block.kind != RowKind::contact) {
            for (int k = r; k < r + block.count; ++k)
                if (landing.b[k] - rate[k] > tuning.ghost_gap / h) struck_b_[k] = tuning.far_away;
            continue;
        }
        const std::optional<Approach> approach = approach_of(i, h);
        const double gap = room_of(i);
        const bool arrives = approach && approach->time > 0.99 * h;
        const bool closed = pinned_[i] ? landing.lambda[r] > 0 : arrives || gap <= tuning.ghost_gap;
        struck_b_[r] = closed ? landing.b[r] - gap / h : tuning.far_away;
        restitution_[i] = restitution_of(i);
        if (!approach || !(approach->restitution > 0)) continue;
        after.b[r] = tuning.far_away;
        for (int k = r; k < r + block.count; ++k) after.lambda[k] = 0;
    }
    std::copy(free_s_.begin(), free_s_.end(), after.s.begin());
    algebra_.apply(after.lambda, after.s);
    find(after.b, false, after.lambda, after.s, report);
    impacts_.resolve({rows, equations_.equalities_begin, equations_.two_sided, struck_b_, restitution_,
                      algebra_},
                     after.s, report);
    for (std::size_t r = 0; r < after.lambda.size(); ++r) after.lambda[r] += impacts_.impulses()[r];
}

}  // namespace lig
