// Forces between events, jumps at them, and errors that are removed after steps.

#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "formulations/reduced/event_step.h"
#include "formulations/reduced/tuning.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const EventTuning& tuning = event_tuning;

}  // namespace

// Loops, couplings and tendons with inertia, as the first blocks of rows_, on accelerations. After
// inverse_dynamics with v̇ = 0 and factor.
void EventStep::add_equalities(const JointState<double>& state, StepReport& report) {
    one_sided_ = 0;
    if (!closure_) return;
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    closure_->assemble(state, dynamics.ws, dynamics.drives, true);
    const Rows& from = closure_->rows();
    for (const RowBlock& block : from.blocks) {
        rows_.begin_block(block.kind, block.source, block.link_a, block.link_b);
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            Row& row = rows_.add_copy(from, from.rows[r]);
            row.lo = -HUGE_VAL;
            row.hi = HUGE_VAL;
            row.bias = closure_->terms()[r].product;
            row.kept_bias = closure_->terms()[r].base_rate;
        }
    }
    one_sided_ = static_cast<int>(rows_.blocks.size());
    leave_out_redundant_rows(report);
}

void EventStep::leave_out_redundant_rows(StepReport& report) {
    int equal = 0;
    while (equal < one_sided_ && rows_.blocks[equal].kind != RowKind::tendon) ++equal;
    equalities_.set_rows(factor_, rows_, 0, equal);
    equalities_.choose(tuning.equality_rank_tolerance);
    int r = 0;
    for (int k = 0; k < equal; ++k)
        for (Row& row : rows_.rows_of(rows_.blocks[k]))
            if (equalities_.is_redundant(r++)) row.lo = row.hi = 0;
    report.equality_rows = equalities_.rows();
    report.redundant_rows = equalities_.redundant_rows();
}

// Forces for the accelerations of a state: rows_ with b_, lambda_ and s_.
bool EventStep::accelerate(const JointState<double>& state, const Callbacks& callbacks,
                           StepReport& report, std::span<double> qacc) {
    return assemble(state, callbacks, report) && solve(state, report, qacc);
}

bool EventStep::assemble(const JointState<double>& state, const Callbacks& callbacks, StepReport& report) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    Workspace<double>& ws = dynamics.ws;
    if (callbacks.control) callbacks.control(state, dynamics);
    {
        const Stopwatch watch(report, StepStage::assemble, context_.options.timed);
        forward_kinematics(state, ws);
        update_drives(state, ws, dynamics.drives);
        const bool pushed = dynamics.push_bodies();
        inverse_dynamics<double>(state, zero_, ws, x_, pushed);
        std::copy(dynamics.qfrc_applied.begin(), dynamics.qfrc_applied.end(), tau_.begin());
        add_smooth_forces<double>(state, model_, dynamics.ctrl, dynamics.drives, tau_);
        drives_ = tau_;
        add_pose_drives(state);
        context_.tracking.add_forces(state, tau_);
        for (std::size_t k = 0; k < tau_.size(); ++k) drives_[k] = tau_[k] - drives_[k];
        for (std::size_t k = 0; k < x_.size(); ++k) s_free_[k] = tau_[k] - x_[k];
    }
    const Stopwatch watch(report, StepStage::factor, context_.options.timed);
    if (factor_.factor(ws) >= 0) return false;
    rows_.clear();
    add_equalities(state, report);
    add_tracking(state);
    set_.add_rows(state, ws, dynamics.drives, context_.warm, context_.collision.contacts.properties, rows_);
    set_bias(state);
    return true;
}

bool EventStep::solve(const JointState<double>& state, StepReport& report, std::span<double> qacc) {
    {
        const Stopwatch watch(report, StepStage::factor, context_.options.timed);
        solver_.prepare(rows_, factor_, one_sided_);
        factor_.inward(s_free_);
    }
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    if (lambda_.size() != rows_.rows.size()) lambda_.assign(rows_.rows.size(), 0.0);
    for (std::size_t r = 0; r < lambda_.size(); ++r)
        if (!(rows_.rows[r].friction > 0))
            lambda_[r] = std::clamp(lambda_[r], rows_.rows[r].lo, rows_.rows[r].hi);
    std::copy(s_free_.begin(), s_free_.end(), s_.begin());
    solver_.apply(lambda_, s_);
    double missed = solver_.solve(
        {b_, s_free_, nothing_.accuracy, RowSolver::Effort::most, tuning.few_sweeps,
         tuning.max_iterations},
        lambda_, s_, report);
    if (missed > tuning.max_missed) {
        // Once more, from nothing.
        std::fill(lambda_.begin(), lambda_.end(), 0.0);
        std::copy(s_free_.begin(), s_free_.end(), s_.begin());
        missed = solver_.solve(
            {b_, s_free_, nothing_.accuracy, RowSolver::Effort::most, tuning.many_sweeps,
             tuning.max_iterations},
            lambda_, s_, report);
    }
    if (report.status != StepStatus::ok) return false;
    factor_.outward(s_, qacc);
    double largest = 0;
    for (const double a : qacc) largest = std::max(largest, std::abs(a));
    if (!std::isfinite(largest) || missed > tuning.max_missed * (1 + largest)) return false;
    powers_ = find_powers(state, qacc);
    find_outside_forces();
    return true;
}

// Joints that follow a clip, behind the equalities: equation (22), with as much torque as it takes or is
// given.
void EventStep::add_tracking(const JointState<double>& state) {
    for (const Tracking::Wanted& wanted : context_.tracking.desired_accelerations(state)) {
        rows_.begin_block(RowKind::tracking, wanted.joint);
        Row& row = rows_.add_row();
        row.bias = -wanted.acceleration;
        row.lo = -wanted.max_torque;
        row.hi = wanted.max_torque;
        row.warm = context_.warm.tracking(wanted.dof);
        rows_.add_entry(wanted.dof, 1);
    }
    one_sided_ = static_cast<int>(rows_.blocks.size());
}

// Pose drives as forces: what they pull with at this instant, within their limits.
void EventStep::add_pose_drives(const JointState<double>& state) {
    const PoseTargets& targets = context_.pose_targets;
    if (!targets.active()) return;
    unlimited_ = targets;
    for (PoseTargets::Joint& joint : unlimited_.joints) joint.max_torque = HUGE_VAL;
    const RowContext instant{.h = 1e-9};
    std::fill(drive_.begin(), drive_.end(), 0.0);
    unused_.clear();
    unused_terms_.clear_added();
    pose_drive_.add(unlimited_, state, context_.motion.dynamics.ws, instant, context_.warm,
                    {unused_terms_, drive_, unused_});
    for (std::size_t k = 0; k < model_.joints.size(); ++k) {
        const Model::Joint& joint = model_.joints[k];
        const double most = targets.joints[k].max_torque;
        for (int dof = joint.v_adr; dof < joint.v_adr + joint.nv; ++dof)
            tau_[dof] += std::clamp(drive_[dof] / instant.h, -most, most);
    }
}

// What the rows of the set ask of accelerations, by their mode.
void EventStep::set_bias(const JointState<double>& state) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    set_.find_products(state, context_.warm, context_.collision.contacts.properties, products_);
    b_.resize(rows_.rows.size());
    const int first = one_sided_ < static_cast<int>(rows_.blocks.size()) ? rows_.blocks[one_sided_].begin
                                                                         : static_cast<int>(b_.size());
    for (int r = 0; r < first; ++r) b_[r] = rows_.rows[r].bias;
    for (std::size_t r = static_cast<std::size_t>(first); r < b_.size(); ++r) b_[r] = products_[r - first];
    const std::size_t rubbing_begin = static_cast<std::size_t>(one_sided_) + set_.bounds.size();
    for (std::size_t k = 0; k < set_.rubbings.size(); ++k) {
        const Rubbing& rubbing = set_.rubbings[k];
        const RowBlock& block = rows_.blocks[rubbing_begin + k];
        Row& row = rows_.rows[block.begin];
        if (rubbing.sign != 0) row.lo = row.hi = -rubbing.sign * rubbing.most;
    }
    const std::size_t contact_begin = rubbing_begin + set_.rubbings.size();
    const double sliding =
        find_lcp_solver(context_.options.solver) ? tuning.sliding_acceleration_for_lcp
                                                 : tuning.sliding_acceleration;
    for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
        const ClosedContact& own = set_.contacts[k];
        const RowBlock& block = rows_.blocks[contact_begin + k];
        if (!own.slides || block.count == 1) continue;
        // Friction is against the slip of this state. Where that has turned round, the step is too long, and
        // what it began with is kept until that is seen: so the slip passes zero smoothly.
        double product = 0, squares = 0;
        for (int r = block.begin + 1; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            const double now = row_rate(rows_, block, row, ws, state.v) + row.kept_bias;
            const double then =
                r < block.begin + 3 ? dot(row.on_b.lin, own.slip) : dot(row.on_b.ang, own.spin);
            product += row.friction * row.friction * now * then;
            squares += row.friction * row.friction * now * now;
            b_[r] = now;
        }
        const double mu = rows_.rows[block.begin + 1].friction;
        if (!(product > 0) || std::sqrt(squares) < mu * nothing_.slip) {
            squares = 0;
            for (int r = block.begin + 1; r < block.begin + block.count; ++r) {
                const Row& row = rows_.rows[r];
                b_[r] = r < block.begin + 3 ? dot(row.on_b.lin, own.slip) : dot(row.on_b.ang, own.spin);
                squares += row.friction * row.friction * b_[r] * b_[r];
            }
        }
        for (int r = block.begin + 1; r < block.begin + block.count; ++r)
            b_[r] *= mu * sliding / std::sqrt(squares);
    }
}

// What begins to slide does so the way it accelerates, and friction is against that as long as it is slow:
// the longest step up to h in which it stays so. After accelerate at the same state.
double EventStep::longest_onset(double h) const {
    const auto acceleration = [&](const RowBlock& block, int r) {
        return b_[r] + row_product(rows_, block, rows_.rows[r], qacc_,
                                   [&](int link) { return factor_.link_motion(link); });
    };
    double fastest = 0;
    const std::size_t rubbing_begin = static_cast<std::size_t>(one_sided_) + set_.bounds.size();
    for (std::size_t k = 0; k < set_.rubbings.size(); ++k) {
        const RowBlock& block = rows_.blocks[rubbing_begin + k];
        if (set_.rubbings[k].sign == 0)
            fastest = std::max(fastest, std::abs(acceleration(block, block.begin)));
    }
    const std::size_t contact_begin = rubbing_begin + set_.rubbings.size();
    for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
        const RowBlock& block = rows_.blocks[contact_begin + k];
        if (set_.contacts[k].slides || !(lambda_[block.begin] > 0)) continue;
        for (int r = block.begin + 1; r < std::min(block.begin + 3, block.begin + block.count); ++r)
            fastest = std::max(fastest, std::abs(acceleration(block, r)));
    }
    return std::min(h, tuning.onset_slips * nothing_.slip / std::max(fastest, 1e-300));
}

// Marks what is pushed, and what sticks: its acceleration is nothing, wherever its force is in the cone. Of
// forces that are not unique some are on its surface though nothing slides. After accelerate at the same
// state.
void EventStep::find_held() {
    const auto acceleration = [&](const RowBlock& block, int r) {
        return b_[r] + row_product(rows_, block, rows_.rows[r], qacc_,
                                   [&](int link) { return factor_.link_motion(link); });
    };
    const double still = tuning.still_accuracies * nothing_.accuracy;
    std::size_t k = static_cast<std::size_t>(one_sided_);
    for (ReachedBound& bound : set_.bounds) bound.loaded = lambda_[rows_.blocks[k++].begin] > 0;
    for (Rubbing& rubbing : set_.rubbings) {
        const RowBlock& block = rows_.blocks[k++];
        rubbing.holds = rubbing.sign == 0 && std::abs(acceleration(block, block.begin)) <= still;
    }
    for (ClosedContact& own : set_.contacts) {
        const RowBlock& block = rows_.blocks[k++];
        own.loaded = lambda_[block.begin] > 0;
        own.holds = own.loaded && !own.slides && block.count > 1;
        for (int r = block.begin + 1; r < block.begin + block.count; ++r)
            own.holds = own.holds && std::abs(acceleration(block, r)) <= still;
    }
}

// The equalities that hold what is closed and pushed where it is: held_, with the rate_ (J v with what
// kinematic bodies add) and gap_ of each row.
void EventStep::collect_held(const JointState<double>& state, StepReport& report) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    held_.clear();
    gap_.clear();
    rate_.clear();
    rows_.clear();
    add_equalities(state, report);
    const auto hold = [&](const Rows& from, const RowBlock& block, int r, double gap) {
        Row& row = held_.add_copy(from, from.rows[r]);
        gap_.push_back(gap);
        rate_.push_back(row_rate(from, block, from.rows[r], dynamics.ws, state.v) + row.kept_bias);
    };
    for (int k = 0; k < one_sided_; ++k) {
        const RowBlock& block = rows_.blocks[k];
        if (block.kind == RowKind::tendon) continue;  // inertia, not a condition
        held_.begin_block(block.kind, block.source, block.link_a, block.link_b);
        for (int r = block.begin; r < block.begin + block.count; ++r) hold(rows_, block, r, 0);
    }
    const std::size_t first = rows_.blocks.size();
    set_.add_rows(state, dynamics.ws, dynamics.drives, context_.warm, context_.collision.contacts.properties,
                  rows_);
    for (std::size_t k = 0; k < set_.bounds.size(); ++k) {
        if (!set_.bounds[k].loaded) continue;
        const RowBlock& block = rows_.blocks[first + k];
        held_.begin_block(RowKind::loop, -1);
        hold(rows_, block, block.begin, set_.bounds[k].gap);
        held_.rows.back().lo = -HUGE_VAL;
    }
    for (std::size_t k = 0; k < set_.rubbings.size(); ++k) {
        if (!set_.rubbings[k].holds) continue;
        const RowBlock& block = rows_.blocks[first + set_.bounds.size() + k];
        held_.begin_block(RowKind::loop, -1);
        hold(rows_, block, block.begin, 0);
        held_.rows.back().lo = -HUGE_VAL;
        held_.rows.back().hi = HUGE_VAL;
    }
    const std::size_t contact_begin = first + set_.bounds.size() + set_.rubbings.size();
    for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
        const ClosedContact& own = set_.contacts[k];
        if (!own.loaded) continue;
        const RowBlock& block = rows_.blocks[contact_begin + k];
        held_.begin_block(RowKind::loop, -1, block.link_a, block.link_b);
        const int count = own.holds ? block.count : 1;
        for (int r = block.begin; r < block.begin + count; ++r) {
            hold(rows_, block, r, r == block.begin ? set_.gaps()[k] : 0);
            held_.rows.back().lo = -HUGE_VAL;
            held_.rows.back().friction = 0;
        }
    }
}

// Removes what the last step has left of gaps and velocities that ought to be zero, by the least change.
void EventStep::settle(JointState<double>& state, StepReport& report) {
    settled_ = 0;
    if (!factored_at(state)) return;
    collect_held(state, report);
    double off = 0, fast = 0;
    for (std::size_t r = 0; r < gap_.size(); ++r) {
        off = std::max(off, std::abs(gap_[r]));
        fast = std::max(fast, std::abs(rate_[r]));
    }
    if (off <= tuning.small_error && fast <= tuning.small_rate) return;
    solver_.prepare(held_, factor_, static_cast<int>(held_.blocks.size()));
    const auto change = [&](std::span<const double> b, double accuracy, std::span<double> out) {
        std::fill(s_.begin(), s_.end(), 0.0);
        held_lambda_.assign(b.size(), 0.0);
        StepReport unused;
        solver_.solve({b, zero_, accuracy, RowSolver::Effort::correction}, held_lambda_, s_, unused);
        factor_.outward(s_, out);
    };
    Workspace<double>& ws = context_.motion.dynamics.ws;
    if (fast > tuning.small_rate) {
        change(rate_, std::max(tuning.small_rate, tuning.settled_share * fast), drive_);
        for (int k = 0; k < model_.nv; ++k) state.v[k] += drive_[k];
    }
    if (off > tuning.small_error) {
        const double most = std::max(2 * nothing_.caught_gap, tuning.fastest_correction * last_h_);
        for (double& gap : gap_) gap = std::clamp(gap, -most, most);
        settled_ = std::min(off, most);
        change(gap_, std::max(tuning.small_error, tuning.settled_share * off), drive_);
        // Something deep inside something else is not pushed out at the price of a limit.
        const double allowed = std::max(tuning.max_passed, largest_limit_violation(state, model_).size);
        for (double share = 1; share > 0.1; share *= 0.5) {
            integrate<double>(ws, state.q, drive_, share, next_.q);
            next_.time = state.time;
            if (!(largest_limit_violation(next_, model_).size <= allowed)) continue;
            std::swap(state.q, next_.q);
            return;
        }
        settled_ = 0;
    }
}

// The inertia at a state whose kinematics are in the workspace, and accelerations without v̇ for equalities.
bool EventStep::factored_at(const JointState<double>& state) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    if (closure_) inverse_dynamics<double>(state, zero_, ws, x_, false);
    return factor_.factor(ws) < 0;
}

// Counts the bounces of a pair.
double EventStep::restitution_of(const ClosedContact& contact, double approach) {
    const double e = context_.collision.contacts.properties[contact.properties].restitution;
    if (!(e > 0)) return 0;
    for (Bounces& bounces : bounces_)
        if (bounces.geom_a == contact.geom_a && bounces.geom_b == contact.geom_b) {
            bounces.count += approach < 0;
            return bounces.count > tuning.max_bounces ? 0 : e;
        }
    bounces_.push_back({contact.geom_a, contact.geom_b, approach < 0});
    return e;
}

// An impact of everything that is closed. Returns by which velocity rows are missed.
double EventStep::jump(JointState<double>& state, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    if (!factored_at(state)) return 0;
    rows_.clear();
    add_equalities(state, report);
    set_.add_rows(state, dynamics.ws, dynamics.drives, context_.warm, context_.collision.contacts.properties,
                  rows_);
    const std::size_t contact_begin =
        static_cast<std::size_t>(one_sided_) + set_.bounds.size() + set_.rubbings.size();
    rate_.resize(rows_.rows.size());
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            rate_[r] = block.kind == RowKind::tendon
                           ? 0  // inertia resists what changes, not what is there
                           : row_rate(rows_, block, rows_.rows[r], dynamics.ws, state.v) +
                                 rows_.rows[r].kept_bias;
    restitution_.assign(rows_.blocks.size(), 0.0);
    for (std::size_t k = 0; k < set_.contacts.size(); ++k)
        restitution_[contact_begin + k] =
            restitution_of(set_.contacts[k], rate_[rows_.blocks[contact_begin + k].begin]);
    solver_.prepare(rows_, factor_, one_sided_);
    std::fill(s_.begin(), s_.end(), 0.0);
    const double missed = impacts_.resolve({rows_, 0, one_sided_, rate_, restitution_, solver_}, s_, report);
    factor_.outward(s_, drive_);
    add_jump_work(dynamics.ws, report.energy.flows);
    if (dynamics.momentum)
        dynamics.momentum->add_contacts(dynamics.ws, rows_, impacts_.impulses(), dynamics.momentum->sum);
    for (int k = 0; k < model_.nv; ++k) state.v[k] += drive_[k];
    return missed;
}

bool EventStep::find_forces(const JointState<double>& state, const Callbacks& callbacks,
                            StepReport& report) {
    look(state, step_, report);
    choose_set(state, true);
    if (!accelerate(state, callbacks, report, qacc_)) return false;
    for (std::size_t r = 0; r < lambda_.size(); ++r) rows_.rows[r].lambda = lambda_[r];
    store_forces();
    return true;
}

}  // namespace lig
