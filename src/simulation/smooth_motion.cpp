// Runge–Kutta methods on joint coordinates.
//
// Equalities: within a step accelerations satisfy J v̇ = −J̇ v, so a state on the equalities leaves them by
// no more than the error of the step; after it q and v are put back by their least change. That keeps the
// order of a method (Hairer, Lubich, Wanner, section IV.4). Which rows of a redundant set count is decided at
// the beginning of a step and kept for its stages.
//
// Quaternions are integrated as four numbers, q̇ = ½ q (0, ω) with ω in the axes of the child, and normalized
// after each step. Their length changes by no more than the error of the step, so the methods keep their
// orders.

#include <ligament/smooth_motion.h>

#include "core/rotation.h"
#include "joints/joint_list.h"
#include "model/named.h"
#include "simulation/butcher.h"
#include "simulation/free_momentum.h"
#include "simulation/kinematic_motion.h"
#include "simulation/momentum_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

SmoothMotion::SmoothMotion(SmoothMotion&&) noexcept = default;
SmoothMotion& SmoothMotion::operator=(SmoothMotion&&) noexcept = default;
SmoothMotion::~SmoothMotion() = default;

void MotionReport::add(const MotionReport& earlier) {
    steps += earlier.steps;
    rejected += earlier.rejected;
    evaluations += earlier.evaluations;
    newton_iterations += earlier.newton_iterations;
    projected_steps += earlier.projected_steps;
    joint_error = std::max(joint_error, earlier.joint_error);
    equality_error = std::max(equality_error, earlier.equality_error);
    penetration = std::max(penetration, earlier.penetration);
    limit_violation = std::max(limit_violation, earlier.limit_violation);
    work += earlier.work;
    found_elastic += earlier.found_elastic;
}

SmoothMotion::SmoothMotion(std::shared_ptr<const Model> model)
    : dynamics(model), stage_(*model), next_(*model) {
    momentum_ = std::make_unique<FreeMomentum>(*model);
    for (const Model::Joint& joint : model->joints) {
        const joints::JointInfo& info = joints::joint_info(joint.type);
        int v = joint.v_adr;
        for (int k = 0; k < info.nq;) {
            if (info.coordinate_kinds[k] == joints::Coordinate::quaternion) {
                quaternions_.push_back(joint.q_adr + k);
                turns_.push_back(v);
                k += 4;
                v += 3;
            } else {
                adding_q_.push_back(joint.q_adr + k++);
                adding_v_.push_back(v++);
            }
        }
    }
    rates_.assign(butcher::max_stages, Vector(model->nq + model->nv + model->na));
    error_ = rates_[0];
    change_.resize(model->nv);
}

// The rates of the coordinates.
void SmoothMotion::write_rates(const Vector& at_q, const Vector& v, Vector& rates) const {
    for (std::size_t k = 0; k < adding_q_.size(); ++k) rates[adding_q_[k]] = v[adding_v_[k]];
    for (std::size_t k = 0; k < quaternions_.size(); ++k) {
        const double* const q = at_q.data() + quaternions_[k];
        const double* const w = v.data() + turns_[k];
        const Quatd rate = Quatd{q[0], q[1], q[2], q[3]} * Quatd{0, w[0], w[1], w[2]};
        double* const out = rates.data() + quaternions_[k];
        out[0] = 0.5 * rate.w;
        out[1] = 0.5 * rate.x;
        out[2] = 0.5 * rate.y;
        out[3] = 0.5 * rate.z;
    }
}

bool SmoothMotion::evaluate(const JointState<double>& state, const SmoothOptions& options,
                            MotionReport& report, int stage, RowChoice rows) {
    Vector& rates = rates_[stage];
    if (options.control) {
        try {
            options.control(state, dynamics);
        } catch (const std::exception& error) {
            report.status = MotionStatus::control_failed;
            report.where = std::string("the control failed: ") + error.what();
            return false;
        } catch (...) {
            report.status = MotionStatus::control_failed;
            report.where = "the control failed";
            return false;
        }
    }
    const std::span<const double> qacc = dynamics.accelerate(state, rows);
    ++report.evaluations;
    report.equality_rows = dynamics.equality_rows;
    report.redundant_rows = dynamics.redundant_rows;
    smallest_sine_ = rows == RowChoice::anew ? dynamics.smallest_sine
                                             : std::min(smallest_sine_, dynamics.smallest_sine);
    const Model& model = dynamics.model();
    write_rates(state.q, state.v, rates);
    std::copy(qacc.begin(), qacc.end(), rates.begin() + model.nq);
    std::copy(dynamics.drives.act_dot.begin(), dynamics.drives.act_dot.end(),
              rates.begin() + model.nq + model.nv);
    for (const Model::Joint& joint : model.joints)
        for (int k = 0; k < joint.nv; ++k)
            if (!std::isfinite(qacc[joint.v_adr + k])) {
                report.status = MotionStatus::non_finite;
                report.where = "the acceleration of " + named(model, joint) + " is not finite";
                return false;
            }
    powers_[stage] = dynamics.powers(state);
    if (dynamics.momentum) dynamics.momentum->stage(stage) = dynamics.momentum->forces(dynamics.ws, dynamics);
    return true;
}

// What forces have done in a step: their powers by the weights of the velocities.
void SmoothMotion::add_work(double h, std::span<const double> weights, MotionReport& report) const {
    for (std::size_t s = 0; s < weights.size(); ++s) report.work += (h * weights[s]) * powers_[s];
    if (!dynamics.momentum) return;
    dynamics.momentum->propose(h, weights);
    dynamics.momentum->accept();
}

// start + h Σ weights · rates, at the time `when` after the start.
void SmoothMotion::combine(const JointState<double>& start, double h, std::span<const double> weights,
                           double when, JointState<double>& out) const {
    const std::size_t nq = start.q.size(), nv = start.v.size(), na = start.act.size();
    const auto fill = [&](const std::vector<double>& from, std::size_t offset, std::size_t count,
                          std::vector<double>& to) {
        for (std::size_t k = 0; k < count; ++k) {
            double sum = 0;
            for (std::size_t s = 0; s < weights.size(); ++s)
                if (weights[s] != 0) sum += weights[s] * rates_[s][offset + k];
            to[k] = from[k] + h * sum;
        }
    };
    fill(start.q, 0, nq, out.q);
    fill(start.v, nq, nv, out.v);
    fill(start.act, nq + nv, na, out.act);
    for (std::size_t k = 0; k < start.kinematic.size(); ++k)
        out.kinematic[k] = moved(start.kinematic[k], when);
    out.loop_q = start.loop_q;
    out.time = start.time + when;
}

// Quaternions of length 1, activations within their ranges.
void SmoothMotion::settle(JointState<double>& state) const {
    for (const int at : quaternions_) {
        double* const q = state.q.data() + at;
        const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int k = 0; k < 4; ++k) q[k] /= length;
    }
    for (const Model::Actuator& actuator : dynamics.model().actuators)
        if (actuator.act_adr >= 0)
            state.act[actuator.act_adr] = std::clamp(state.act[actuator.act_adr], actuator.act_range.lower,
                                                     actuator.act_range.upper);
}

// Puts a state back onto its equalities. When that fails, the report says so and the state is as before.
bool SmoothMotion::close(JointState<double>& state, MotionReport& report) {
    if (!dynamics.has_equalities()) return true;
    const ClosingReport closing = dynamics.close_equalities(state);
    report.equality_error = std::max(report.equality_error, closing.error);
    if (closing.closed) return true;
    report.status = MotionStatus::equality_open;
    report.where = closing.where;
    return false;
}

bool SmoothMotion::step_euler(JointState<double>& state, double h, const SmoothOptions& options,
                              MotionReport& report) {
    if (!evaluate(state, options, report, 0, RowChoice::anew)) return false;
    const Model& model = dynamics.model();
    next_ = state;
    next_activation<double>(state, model, dynamics.drives, h, next_.act);
    for (int k = 0; k < model.nv; ++k) next_.v[k] += h * rates_[0][model.nq + k];
    // A kick: it does its work at the mean of the velocities before and after.
    for (int k = 0; k < model.nv; ++k) change_[k] = 0.5 * (state.v[k] + next_.v[k]);
    const EnergyFlows work = h * dynamics.powers(state, change_);
    integrate<double>(dynamics.ws, state.q, next_.v, h, next_.q);
    for (BaseMotion<double>& base : next_.kinematic) base = moved(base, h);
    next_.time += h;
    momentum_->restore(next_, dynamics);
    if (!close(next_, report)) return false;
    report.work += work;
    if (dynamics.momentum) {
        const double all[] = {1};
        dynamics.momentum->propose(h, all);
        dynamics.momentum->accept();
    }
    std::swap(state, next_);
    return true;
}

bool SmoothMotion::step_rk4(JointState<double>& state, double h, const SmoothOptions& options,
                            MotionReport& report) {
    for (int s = 0; s < butcher::Rk4::stages; ++s) {
        combine(state, h, {butcher::Rk4::a[s], std::size_t(s)}, butcher::Rk4::c[s] * h, stage_);
        if (!evaluate(stage_, options, report, s, s == 0 ? RowChoice::anew : RowChoice::kept))
            return false;
    }
    combine(state, h, butcher::Rk4::b, h, next_);
    settle(next_);
    momentum_->restore(next_, dynamics);
    if (!close(next_, report)) return false;
    add_work(h, butcher::Rk4::b, report);
    std::swap(state, next_);
    return true;
}

// The estimated error of a step, as a change of coordinates, velocities and activations.
void SmoothMotion::find_error(double h) {
    using Table = butcher::DormandPrince;
    for (std::size_t k = 0; k < error_.size(); ++k) {
        double difference = 0;
        for (int s = 0; s < Table::stages; ++s) difference += Table::error[s] * rates_[s][k];
        error_[k] = h * difference;
    }
}

// error_ relative to what is tolerated: the mean square.
double SmoothMotion::relative_error(const JointState<double>& from, const JointState<double>& to,
                                    double tolerance) const {
    double sum = 0;
    const auto add = [&](const std::vector<double>& a, const std::vector<double>& b, std::size_t offset) {
        for (std::size_t k = 0; k < a.size(); ++k) {
            const double scale = tolerance * (1 + std::max(std::abs(a[k]), std::abs(b[k])));
            const double relative = error_[offset + k] / scale;
            sum += relative * relative;
        }
    };
    add(from.q, to.q, 0);
    add(from.v, to.v, from.q.size());
    add(from.act, to.act, from.q.size() + from.v.size());
    return error_.empty() ? 0 : std::sqrt(sum / static_cast<double>(error_.size()));
}

double SmoothMotion::try_step(const JointState<double>& from, std::span<const double> qacc, double h,
                              double tolerance, const Accelerate& accelerate, JointState<double>& to) {
    using Table = butcher::DormandPrince;
    const Model& model = dynamics.model();
    const auto note = [&](const JointState<double>& at, std::span<const double> accelerations,
                          Vector& rates) {
        write_rates(at.q, at.v, rates);
        std::copy(accelerations.begin(), accelerations.end(), rates.begin() + model.nq);
        std::copy(dynamics.drives.act_dot.begin(), dynamics.drives.act_dot.end(),
                  rates.begin() + model.nq + model.nv);
    };
    note(from, qacc, rates_[0]);
    for (int s = 1; s < Table::stages; ++s) {
        combine(from, h, {Table::a[s], std::size_t(s)}, Table::c[s] * h, stage_);
        if (!accelerate(stage_, change_)) return std::numeric_limits<double>::infinity();
        note(stage_, change_, rates_[s]);
    }
    to = stage_;
    settle(to);
    find_error(h);
    const double error = relative_error(from, to, tolerance);
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// The error of a step relative to what is tolerated.
//
// Errors that lead off the equalities are removed by closing them; they count by their square, which is what
// they do to the motion along the equalities. That is more than a saving. Near a position in which rows
// become dependent, a loop that is open by c as little as rounding turns away from its branch by c/x at the
// distance x, which short steps would follow faithfully and long ones pass over.
double SmoothMotion::error_of_step(const JointState<double>& from, const JointState<double>& to, double h,
                                   double tolerance) {
    find_error(h);
    const std::size_t nq = from.q.size(), nv = from.v.size();
    if (!dynamics.has_equalities()) return relative_error(from, to, tolerance);
    // Near there accelerations are known no better than this.
    const double attainable = std::max(tolerance, std::min(1e-15 / (smallest_sine_ * smallest_sine_), 1e-9));
    const double with_all = relative_error(from, to, std::sqrt(attainable));
    dynamics.take_out_equalities({error_.data() + nq, nv}, ChangeOf::velocities);
    // Of a rotation the coordinates change by ½ q (0, ω).
    for (std::size_t k = 0; k < adding_q_.size(); ++k) change_[adding_v_[k]] = error_[adding_q_[k]];
    for (std::size_t k = 0; k < quaternions_.size(); ++k) {
        const double* const q = to.q.data() + quaternions_[k];
        const double* const e = error_.data() + quaternions_[k];
        const Quatd turn = conjugate(Quatd{q[0], q[1], q[2], q[3]}) * Quatd{e[0], e[1], e[2], e[3]};
        for (int axis = 0; axis < 3; ++axis) change_[turns_[k] + axis] = 2 * turn.vec()[axis];
    }
    dynamics.take_out_equalities(change_, ChangeOf::coordinates);
    write_rates(to.q, change_, error_);
    return std::max(relative_error(from, to, attainable), with_all);
}

// Steps by the error estimate, with a controller of proportional and integral part (Hairer, Nørsett, Wanner,
// section IV.2).
bool SmoothMotion::advance_rk45(JointState<double>& state, double duration, const SmoothOptions& options,
                                MotionReport& report) {
    using Table = butcher::DormandPrince;
    const double end = state.time + duration, start = state.time;
    // Shorter than this, time does not move on in all its digits.
    const double shortest = 1e-12 * std::max(duration, std::abs(end));
    double h = std::min(options.step, duration), last_error = 1;
    double first_sine = 1;
    bool have_first = false, rejected = false;
    while (end - state.time > 1e-14 * std::max(std::abs(end), std::abs(start)) + 1e-300) {
        h = std::min(h, options.step);
        if (options.max_steps > 0 && report.steps + report.rejected >= options.max_steps) {
            report.status = MotionStatus::step_too_small;
            report.where = "more than " + std::to_string(options.max_steps) +
                           " steps would be needed: forces change too fast for the tolerance in longer ones";
            return false;
        }
        const bool last = state.time + 1.0000001 * h >= end;
        const double taken = last ? end - state.time : h;
        if (!have_first && !evaluate(state, options, report, 0, RowChoice::anew)) return false;
        if (have_first)
            smallest_sine_ = first_sine;
        else
            first_sine = smallest_sine_;
        have_first = true;
        bool finite = true;
        for (int s = 1; s < Table::stages && finite; ++s) {
            combine(state, taken, {Table::a[s], std::size_t(s)}, Table::c[s] * taken, stage_);
            finite = evaluate(stage_, options, report, s);
        }
        // The last stage is the new state: its weights are those of the result.
        double error = std::numeric_limits<double>::infinity();
        if (finite) error = error_of_step(state, stage_, taken, options.tolerance);
        if (error <= 1) {
            settle(stage_);
            momentum_->restore(stage_, dynamics);
            if (!close(stage_, report)) error = std::numeric_limits<double>::infinity();
        }
        if (error <= 1) {
            add_work(taken, Table::a[Table::stages - 1], report);
            std::swap(state, stage_);
            if (last) state.time = end;
            // What closing equalities has moved is evaluated anew.
            have_first = !dynamics.has_equalities();
            if (have_first) {
                std::swap(rates_[0], rates_[Table::stages - 1]);
                powers_[0] = powers_[Table::stages - 1];
                if (dynamics.momentum)
                    dynamics.momentum->stage(0) = dynamics.momentum->stage(Table::stages - 1);
            }
            ++report.steps;
            const double factor =
                0.9 * std::pow(std::max(error, 1e-10), -0.7 / 5) * std::pow(last_error, 0.4 / 5);
            h = taken * std::clamp(factor, 0.2, rejected ? 1.0 : 5.0);
            last_error = std::max(error, 1e-4);
            rejected = false;
        } else {
            ++report.rejected;
            // A stage has come close to a singular position: another length of about the same misses it.
            const double least = smallest_sine_ < 0.03 ? 0.7 : 0.1;
            h = taken *
                (std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -1.0 / 5), least, 0.9) : 0.1);
            rejected = true;
            if (h < shortest) {
                // A failure that shorter steps do not avoid is the one to tell.
                if (report.status == MotionStatus::ok) {
                    report.status = MotionStatus::step_too_small;
                    report.where = fmt::format("steps of {:.2g} s are too long for the tolerance", shortest);
                }
                return false;
            }
            // A failure along the way is none when a shorter step avoids it; one of the control is.
            if (report.status == MotionStatus::control_failed) return false;
            report.status = MotionStatus::ok;
            report.where.clear();
        }
    }
    return true;
}

MotionReport SmoothMotion::advance(JointState<double>& state, double duration, const SmoothOptions& options) {
    MotionReport report;
    report.time = state.time;
    const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
    const char* const wrong = !(duration >= 0 && std::isfinite(duration)) ? "the duration"
                              : !positive(options.step)                   ? "the step"
                              : !positive(options.tolerance)              ? "the tolerance"
                                                                          : nullptr;
    const bool fits = state.q.size() == stage_.q.size() && state.v.size() == stage_.v.size() &&
                      state.act.size() == stage_.act.size() &&
                      state.kinematic.size() == stage_.kinematic.size();
    if (wrong || !fits) {
        report.status = MotionStatus::bad_arguments;
        report.where = wrong ? std::string(wrong) + " is not a positive number"
                             : std::string("the state is of another model");
        return report;
    }
    if (dynamics.has_equalities()) {
        // Not in place: a state that fails is left as it was.
        next_ = state;
        if (!close(next_, report)) return report;
        std::swap(state, next_);
        report.equality_error = 0;
    }
    // A control may push at any time.
    const auto note_momentum = [&] {
        if (options.control)
            momentum_->forget();
        else
            momentum_->note(state, dynamics);
    };
    note_momentum();
    if (options.method == SmoothMethod::rk45) {
        advance_rk45(state, duration, options, report);
    } else {
        // Counting steps, so that rounding of the time does not add one.
        const double count = std::ceil(duration / options.step - 1e-9);
        const double end = state.time + duration;
        if (options.max_steps > 0 && count > options.max_steps) {
            report.status = MotionStatus::step_too_small;
            report.where = "more than " + std::to_string(options.max_steps) + " steps would be needed";
            return report;
        }
        for (double k = 0; k < count; ++k) {
            const double h = k + 1 < count ? options.step : end - state.time;
            if (k > 0) note_momentum();  // anew, so that it does not matter in how many calls steps are taken
            const bool done = options.method == SmoothMethod::euler ? step_euler(state, h, options, report)
                                                                    : step_rk4(state, h, options, report);
            if (!done) break;
            ++report.steps;
        }
    }
    report.time = state.time;
    return report;
}

}  // namespace lig
