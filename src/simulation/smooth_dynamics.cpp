// Accelerations under forces and equalities, and states put back onto their equalities.

#include <ligament/smooth_motion.h>

#include "constraints/length_row.h"
#include "simulation/equality_closure.h"
#include "simulation/force_flows.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

SmoothDynamics::SmoothDynamics(std::shared_ptr<const Model> model) : ws(model), drives(*model) {
    ctrl.assign(model->nu, 0.0);
    qfrc_applied.assign(model->nv, 0.0);
    xfrc_applied.assign(model->bodies.size(), Force<double>::zero());
    tau_.resize(model->nv);
    qacc_.resize(model->nv);
    flows_ = std::make_unique<ForceFlows>(*model);
    multipliers.assign(Equalities::multiplier_count(*model), 0.0);
    if (!Equalities(*model).acting().empty()) {
        closure_ = std::make_unique<EqualityClosure>(*model);
        start_q_.resize(model->nq);
        better_q_.resize(model->nq);
        change_.resize(model->nv);
    }
}

SmoothDynamics::SmoothDynamics(SmoothDynamics&&) noexcept = default;
SmoothDynamics& SmoothDynamics::operator=(SmoothDynamics&&) noexcept = default;
SmoothDynamics::~SmoothDynamics() = default;

bool SmoothDynamics::push_bodies() {
    clear_external(ws);
    bool pushed = has_medium(model()) || has_bushings(model());
    for (std::size_t body = 1; body < xfrc_applied.size(); ++body) {
        const Force<double>& f = xfrc_applied[body];
        if (f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0 && f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0)
            continue;
        add_body_wrench<double>(ws, static_cast<int>(body), f.lin, f.ang);
        pushed = true;
    }
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    return pushed;
}

std::span<const double> SmoothDynamics::accelerate(const JointState<double>& state, RowChoice rows) {
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    const bool pushed = push_bodies();
    std::copy(qfrc_applied.begin(), qfrc_applied.end(), tau_.begin());
    add_smooth_forces<double>(state, model(), ctrl, drives, tau_);
    if (!closure_) {
        forward_dynamics<double>(state, tau_, ws, drives, qacc_, pushed);
        return qacc_;
    }
    forward_dynamics<double>(state, tau_, ws, qacc_, pushed);  // inertia of tendons comes with the equalities
    const int link = closure_->accelerate(state, ws, drives, rows == RowChoice::anew, qacc_);
    if (link >= 0) {
        const TreeLink<double>& without_inertia = model().tree.links[link];
        for (int k = 0; k < without_inertia.nv; ++k)
            qacc_[without_inertia.v_adr + k] = std::numeric_limits<double>::quiet_NaN();
        return qacc_;
    }
    closure_->write_multipliers(multipliers);
    equality_rows = closure_->equality_rows();
    redundant_rows = closure_->redundant_rows();
    smallest_sine = closure_->smallest_sine();
    return qacc_;
}

// Where trees hang on bases that move: the wrench of a base on its link, as if what equalities and tendons do
// came through the joints. That it does not is in the rates by which bases change equalities and lengths.
double SmoothDynamics::power_of_bases(const JointState<double>& state) {
    double sum = 0;
    if (closure_)
        for (int r = 0; r < closure_->equality_rows(); ++r)
            sum -= closure_->lambda()[r] * closure_->terms()[r].base_rate;
    if (!flows_->bases_move) return sum;
    for (std::size_t i = 0; i < drives.inertial_tendons.size(); ++i) {
        const int tendon = drives.inertial_tendons[i];
        const double pull =
            closure_ ? closure_->lambda()[closure_->equality_rows() + i] : drives.inertial_force[i];
        sum -= pull * (drives.tendon_velocity[tendon] -
                       speed_by_joints(state, model(), drives, model().tendons[tendon].row));
    }
    inverse_dynamics<double>(state, qacc_, ws, tau_, true);
    return sum + power_through_roots(ws);
}

EnergyFlows SmoothDynamics::powers(const JointState<double>& state) {
    flows_->find(*this, state);
    EnergyFlows out = flows_->powers(*this, state);
    out.kinematic += power_of_bases(state);
    return out;
}

EnergyFlows SmoothDynamics::powers(const JointState<double>& state, std::span<const double> v) {
    flows_->find(*this, state);
    EnergyFlows out = flows_->powers_at(*this, v);
    out.kinematic += power_of_bases(state);
    return out;
}

void SmoothDynamics::take_multipliers(const JointState<double>& state, std::span<const double> found) {
    std::copy(found.begin(), found.end(), multipliers.begin());
    if (!closure_) return;
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    closure_->assemble(state, ws, drives, false);
    closure_->take_multipliers(multipliers);
    equality_rows = closure_->equality_rows();
}

void SmoothDynamics::equality_forces(std::span<double> out) {
    if (closure_)
        closure_->joint_forces(ws, out);
    else
        std::fill(out.begin(), out.end(), 0.0);
}

void SmoothDynamics::loop_reactions(std::span<Force<double>> out) const {
    if (closure_)
        closure_->loop_reactions(ws, out);
    else
        std::fill(out.begin(), out.end(), Force<double>::zero());
}

void SmoothDynamics::pair_reactions(std::span<Force<double>> out) const {
    if (closure_)
        closure_->pair_reactions(ws, out);
    else
        std::fill(out.begin(), out.end(), Force<double>::zero());
}

void SmoothDynamics::take_out_equalities(std::span<double> change, ChangeOf of) {
    if (closure_) closure_->take_out(ws, change, of);
}

EqualityErrors SmoothDynamics::equality_errors(const JointState<double>& state) {
    if (!closure_) return {};
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    closure_->assemble(state, ws, drives, false);
    return closure_->error();
}

std::string SmoothDynamics::describe(const EqualityErrors& errors) const {
    return fmt::format("{} is open by {:.3g} m or rad", closure_->name_of_block(errors.block),
                       errors.largest);
}

namespace {

// Rows that depend on each other by a squared sine below this are left alone when a state is put back with
// care. An error e across rows at an angle σ is removed by a change of e/σ, which must stay well below σ, the
// distance to another branch of the mechanism.
double closing_tolerance(const EqualityErrors& error) { return std::max(1e-14, 10 * error.relative); }

constexpr int max_iterations = 50;
// Errors relative to the size of the parts: up to `max_at_start` a state is put back in passing; what is
// left when no row can be improved any more may be `max_left`, for models whose redundant rows contradict
// each other by the digits of their file.
constexpr double max_at_start = 0.02, max_left = 1e-2;
constexpr double worth_closing = 1e-4, min_strictness = 0.05;
// By contraction: rows at a smaller angle follow from the others; rad or m within an iteration; and errors
// that are closed well enough to go on from.
constexpr double rank_tolerance = 1e-14, longest_change = 0.3, well_closed = 1e-9;
constexpr int max_halvings = 6;  // of such a change, in a last try
// Equalities whose rows are at a smaller angle than this, and that stay open by more, are taut.
constexpr double taut_sine = 0.1, taut_error = 1e-8;
// Equalities at a smaller angle are closed well enough when they are open by no more than this, m or rad,
// half of what steps promise: nearer to where the angle is 0, nothing holds the load of a rope drawn
// straight.
constexpr double straight_sine = 1e-4, straight_error = 5e-8;

}  // namespace

// Whether equalities are closed as far as those of a rope drawn straight may be. After find_correction.
bool SmoothDynamics::is_straight(const EqualityErrors& error) const {
    return error.largest <= straight_error && closure_->smallest_sine() < straight_sine;
}

// Newton's method on all rows, as long as errors fall as a straight line would have it, to half of them at
// least. A change that leads past a singular position, to another branch, does not do that: there errors are
// squares of distances. False: it got stuck before the equalities were closed, and the coordinates are the
// best that it has found.
bool SmoothDynamics::close_by_contraction(JointState<double>& state, EqualityErrors& error, int& iterations) {
    for (; iterations < max_iterations; ++iterations) {
        if (!closure_->find_correction(ws, rank_tolerance, change_)) return error.relative <= well_closed;
        if (is_straight(error)) return true;
        double longest = 0;
        for (const double x : change_) longest = std::max(longest, std::abs(x));
        double share = longest > longest_change ? longest_change / longest : 1;
        better_q_ = state.q;
        const EqualityErrors before = error;
        const auto contracts = [&] {
            integrate<double>(ws, better_q_, change_, share, state.q);
            error = equality_errors(state);
            return error.relative <= (1 - 0.5 * share) * before.relative;
        };
        bool better = contracts();
        // An empty list of contacts: a last try, by less of each change.
        const bool last_try = closure_->held && closure_->held->empty() && before.relative > well_closed;
        for (int k = 0; k < max_halvings && !better && last_try; ++k) {
            share *= 0.5;
            better = contracts();
        }
        if (better) continue;
        const bool enough = before.relative <= well_closed;
        if (!(error.relative < before.relative)) {
            state.q = better_q_;
            error = equality_errors(state);
        }
        return enough;
    }
    return error.relative <= well_closed;
}

// Newton's method with the least change as its step, halved where the errors would grow.
void SmoothDynamics::close_with_care(JointState<double>& state, EqualityErrors& error, int& iterations) {
    EqualityErrors before = error;
    double share = 1, strictness = 1;
    // What cannot be closed without rows at a somewhat smaller angle is closed with them.
    const auto correct = [&] {
        while (!closure_->find_correction(ws, strictness * closing_tolerance(error), change_)) {
            if (!(error.relative > worth_closing) || strictness < min_strictness) return false;
            strictness *= 0.1;
        }
        return true;
    };
    for (bool moved = false; iterations < max_iterations; ++iterations, moved = true) {
        // Rows that contradict each other do not get much better by that.
        const double enough = strictness < 1 ? 0.1 : 1;
        if (!moved || error.relative < enough * before.relative) {
            if (!correct()) break;
            better_q_ = state.q;
            before = error;
            share = 1;
        } else if (before.relative > max_left && strictness == 1 && share > 1e-3) {
            share *= 0.5;
        } else {
            state.q = better_q_;
            error = equality_errors(state);
            if (!(error.relative > worth_closing) || strictness < min_strictness) break;
            strictness *= 0.1;
            if (!correct()) break;
            share = 1;
        }
        integrate<double>(ws, better_q_, change_, share, state.q);
        error = equality_errors(state);
    }
}

ClosingReport SmoothDynamics::close_coordinates(JointState<double>& state,
                                                const std::vector<HeldContact>* held, double within) {
    ClosingReport report;
    if (!closure_) return report;
    closure_->held = held;
    closure_->resist_stretching(state, within);
    start_q_ = state.q;
    EqualityErrors error = equality_errors(state);
    if (error.relative <= max_at_start && !close_by_contraction(state, error, report.iterations)) {
        const bool singular = closure_->smallest_sine() < taut_sine;
        report.iterations = 0;
        close_with_care(state, error, report.iterations);
        if (singular && error.relative > taut_error && error.relative <= max_left) {
            const EqualityErrors before = error;
            std::swap(state.q, start_q_);
            error = equality_errors(state);
            closure_->find_correction(ws, rank_tolerance, change_);
            closure_->stiffen();
            close_by_contraction(state, error, report.iterations);
            closure_->relax();
            if (!(error.relative < before.relative)) {
                state.q = start_q_;
                error = equality_errors(state);
            }
        }
    }
    report.error = error.largest;
    report.relative = error.relative;
    report.closed = error.relative <= max_left;
    report.straight = is_straight(error);
    if (!report.closed) {
        report.where = describe(error);
        state.q = start_q_;
    }
    closure_->held = nullptr;
    return report;
}

bool SmoothDynamics::velocities_fit(const JointState<double>& state) {
    return !closure_ || closure_->velocity_fits(ws, state.v, 1e-6);
}

void SmoothDynamics::fit_velocities(JointState<double>& state, double within) {
    if (!closure_) return;
    closure_->resist_stretching(state, within);
    fit_velocities(equality_errors(state), state);
}

void SmoothDynamics::fit_velocities(const EqualityErrors& error, JointState<double>& state) {
    if (closure_->velocity_fits(ws, state.v)) return;
    const bool closed = error.relative <= well_closed || is_straight(error);
    closure_->project_velocity(ws, closed ? rank_tolerance : closing_tolerance(error), state.v);
}

ClosingReport SmoothDynamics::close_equalities(JointState<double>& state) {
    const ClosingReport report = close_coordinates(state);
    if (closure_ && report.closed) fit_velocities(closure_->error(), state);
    return report;
}

}  // namespace lig
