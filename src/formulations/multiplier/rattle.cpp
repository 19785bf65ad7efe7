// RATTLE: half a kick, free motion onto the constraints, half a kick (body_motion.h has the equations); and
// steps by projection, where it finds none.

#include "dynamics/dynamics_parts.h"
#include "formulations/multiplier/body_motion.h"
#include "formulations/multiplier/tuning.h"
#include "linalg/vector_ops.h"
#include "simulation/kinematic_motion.h"
#include "simulation/momentum_account.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::multiplier {

namespace {

constexpr const MotionTuning& tuning = motion_tuning;

}  // namespace

bool BodyMotion::step_rattle(const Step& step) {
    if (!kick_half(step)) return false;
    next_ = step.state;
    next_.time = step.state.time + step.h;
    for (BaseMotion<double>& motion : next_.kinematic) motion = moved(motion, step.h);
    if (!find_free_motion(step)) return false;
    work_ += flows_.work(u_, 0.25 * step.h);
    if (!finish_step(step) || !admits_energy(step) || !leave_errors(step)) return false;
    step.report.joint_error = std::max(step.report.joint_error, dynamics.system.matrix.joint_error());
    step.report.equality_error =
        std::max(step.report.equality_error, dynamics.system.matrix.equality_error());
    step.report.work += work_;
    if (step.inputs.momentum) step.inputs.momentum->accept();
    std::swap(step.bodies, trial_);
    std::swap(step.state, next_);
    return true;
}

// The step does not do: it is to be shorter, from a factor of its own.
bool BodyMotion::reject(const Step& step, std::string where) {
    step.report.where = std::move(where);
    factored_ = false;
    return false;
}

// The factor that finds Λ. Errors of the end of a step are measured along the rows of its beginning. Along
// directions that these hardly know of, their own part below the root of what may be left open, they are the
// rows of what has been left open: what divides by it drives bodies at any speed, and the end of the step
// takes the energy of that from the motion.
bool BodyMotion::factor_beginning(const Step& step) {
    if (!factored_ && (step.report.steps == 0 || redundant_ == 0) && !factor(step.report)) return false;
    if (redundant_ == 0) return true;
    const Stopwatch watch(stages.watched(), StepStage::factor);
    factored_ = dynamics.system.matrix.factor(tuning.beginning_damping).bad_node < 0;
    return factored_;
}

// u_: u½ by half a kick, with J u½ such that the constraints hold at the end to second order: a first guess.
bool BodyMotion::kick_half(const Step& step) {
    BodySystem& system = dynamics.system;
    SmoothDynamics& inputs = step.inputs;
    const double h = step.h;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const std::span<const double> errors = system.matrix.errors(), base = system.matrix.base_rates(),
                                  products = system.matrix.products();
    look(step.state, step.bodies);
    find_forces(inputs, step.state, step.options, true, f_);
    if (!system.graph.soft_freedoms().empty()) system.poses.to_joints(step.state);
    const bool ready = factored_ && redundant_ == 0;
    if (!ready) system.matrix.find_inertias();
    system.matrix.find_rows(true);
    if (!ready && !factor_beginning(step)) return false;
    system.poses.velocities(u_);
    // Half a kick does its work at the mean of the velocities before and after it.
    flows_.find(system, inputs, step.state, dynamics.reads_joints(inputs));
    work_ = flows_.work(u_, 0.25 * h);
    if (inputs.momentum)
        inputs.momentum->stage(0) = inputs.momentum->forces(system.poses.workspace(), inputs);
    system.matrix.row_velocities(u_, rates_);
    system.poses.momenta(u_, x_);
    // Constraints that stand still do no work: what forces do is all that may change the energy of motion.
    kick_ = {};
    for (int k = 0; k < nb; ++k) {
        kick_.energy += 0.5 * u_[k] * x_[k];
        kick_.power += u_[k] * f_[k];
    }
    kick_.constraints_move = !system.graph.soft_freedoms().empty();
    for (int k = nb; k < n; ++k) kick_.constraints_move = kick_.constraints_move || base[k] != 0;
    for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
    for (int k = nb; k < n; ++k) {
        // To remove what an earlier step has left takes a velocity, which stays, the larger the shorter the
        // step: where that was too much, it is left as it is.
        carried_[k] = carries_ ? errors[k] : 0.0;
        x_[k] = -base[k] - 0.5 * h * products[k] - (errors[k] - carried_[k]) / h;
    }
    for (const int dof : system.graph.soft_freedoms())
        x_[system.graph.soft_row(dof)] = rates_[system.graph.soft_row(dof)];
    solve(x_, false);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    std::copy_n(x_.begin(), nb, u_.begin());
    system.matrix.row_velocities(u_, rates_);
    for (const int dof : system.graph.soft_freedoms())
        rotor_[dof] = rates_[system.graph.soft_row(dof)] + base[system.graph.soft_row(dof)];
    return true;
}

// trial_: where free motion with u_ leads to; missed_rows_: what it misses. Returns the largest of that.
double BodyMotion::try_free_motion(const Step& step) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const std::span<const double> errors = system.matrix.errors();
    const bool slips = system.matrix.has_velocity_rows();
    trial_ = step.bodies;
    system.poses.read_velocities(u_, trial_);
    if (slips) {
        look(step.state, trial_);
        system.matrix.find_errors();
        system.matrix.find_slips(slips_);
    }
    system.poses.drift(step.h, trial_);
    look(next_, trial_);
    system.matrix.find_errors();
    for (int k = nb; k < n; ++k) missed_rows_[k] = errors[k] - carried_[k];
    if (slips) {
        system.matrix.find_slips(rates_);
        for (int k = nb; k < n; ++k)
            if (system.matrix.velocity_rows()[k]) missed_rows_[k] = 0.5 * step.h * (slips_[k] + rates_[k]);
    }
    const double missed = largest_of(std::span<const double>(missed_rows_).subspan(nb));
    return std::max(missed, rotor_errors(step.state, step.h));
}

// u_ and rotor_ by what removes what is missed, with the last factor.
void BodyMotion::correct_half_kick(const Step& step) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    std::fill_n(x_.begin(), nb, 0.0);
    for (int k = nb; k < n; ++k) x_[k] = -missed_rows_[k] / step.h;
    for (const int dof : system.graph.soft_freedoms())
        x_[system.graph.soft_row(dof)] = -near_.v[dof] / step.h;
    solve(x_, false);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    for (int k = 0; k < nb; ++k) u_[k] += x_[k];
    if (system.graph.soft_freedoms().empty()) return;
    system.matrix.row_velocities(x_, rates_);
    for (const int dof : system.graph.soft_freedoms())
        rotor_[dof] += rates_[system.graph.soft_row(dof)] + near_.v[dof] / step.h;
}

// Newton's method for Λ: free motion that ends on the constraints.
bool BodyMotion::find_free_motion(const Step& step) {
    BodySystem& system = dynamics.system;
    const double tolerance = rounding_of(step.bodies);
    double before = std::numeric_limits<double>::infinity();
    int stuck = 0;
    contraction_ = 0;
    for (int iteration = 0;; ++iteration) {
        const double off = try_free_motion(step);
        if (off <= tolerance) return true;
        if (iteration > 0 && off > tuning.measurable * tolerance)
            contraction_ = std::max(contraction_, off / before);
        if (contraction_ > max_contraction_) return reject(step, system.matrix.name_of_worst());
        // Near a singular position what is off may have no part along the rows of the beginning. Those of
        // where the bodies have got to know of it; a factor lasts for three iterations, by which bodies move
        // little there.
        const bool slow = off > 0.5 * before;
        if (slow && ++stuck > tuning.max_stuck && off <= tuning.left_error * system.graph.extent())
            return true;
        if (!std::isfinite(off) || iteration == tuning.max_iterations || stuck > 2 * tuning.max_stuck ||
            off > system.graph.extent())
            return reject(step, system.matrix.name_of_worst());
        if (slow && stuck % 3 == 1) {
            system.matrix.find_inertias();
            system.matrix.find_rows(false);
            // What is redundant has been counted at the beginning.
            if (system.matrix.factor(redundant_ > 0 ? BodyMatrix::least_damping : 0).bad_node >= 0) {
                factored_ = false;
                return false;
            }
        }
        before = off;
        ++step.report.newton_iterations;
        correct_half_kick(step);
    }
}

// Whether the energy of motion has not grown by more than what forces have done.
bool BodyMotion::admits_energy(const Step& step) {
    if (kick_.constraints_move) return true;
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries();
    std::copy_n(x_.begin(), nb, u_.begin());
    system.poses.momenta(u_, rates_);
    double after = 0, power = kick_.power;
    for (int k = 0; k < nb; ++k) {
        after += 0.5 * u_[k] * rates_[k];
        power += u_[k] * f_[k];
    }
    const double work = 0.5 * step.h * power;
    const double bound =
        tuning.energy_tolerance * (std::max(kick_.energy, after) + std::abs(work)) +
        system.graph.idle_energy();
    // Not where it is lost: a net that is pulled taut stops at once.
    if (after - kick_.energy - work <= bound) return true;
    carries_ = true;
    return reject(step, "the energy of motion");
}

// What the step has left of errors is removed, or small enough for the next ones.
bool BodyMotion::leave_errors(const Step& step) {
    BodySystem& system = dynamics.system;
    const std::span<const double> errors = system.matrix.errors().subspan(system.graph.body_entries());
    if (largest_of(errors) > tuning.small_error)
        remove_errors();
    else
        carries_ = false;
    // What steps carry on must not pile up.
    return !(largest_of(errors) > tuning.max_left * tuning.left_error * system.graph.extent()) ||
           reject(step, system.matrix.name_of_worst());
}

// Velocities at the end of a step, in x_ and trial_, after which `state` was: half a kick, and constraints.
bool BodyMotion::finish_step(const Step& step) {
    BodySystem& system = dynamics.system;
    SmoothDynamics& inputs = step.inputs;
    const double h = step.h;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const std::span<const double> base = system.matrix.base_rates();
    if (system.graph.model().na > 0)
        next_activation<double>(step.state, system.graph.model(), inputs.drives, h, next_.act);
    system.matrix.find_inertias();
    system.matrix.find_rows(false);
    if (!factor(step.report)) return false;
    system.poses.velocities(u_);
    const int passes = dynamics.depends_on_velocity() ? 2 : 1;
    for (int pass = 0; pass < passes; ++pass) {
        dynamics.find_forces(inputs, next_, false, f_);
        system.poses.momenta(u_, x_);
        for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
        for (int k = nb; k < n; ++k) x_[k] = -base[k];
        for (const int dof : system.graph.soft_freedoms()) x_[system.graph.soft_row(dof)] += rotor_[dof];
        solve(x_, true);
        system.poses.read_velocities(x_, trial_);
        if (pass + 1 < passes) look(next_, trial_);
    }
    flows_.find(system, inputs, next_, dynamics.reads_joints(inputs));
    work_ += flows_.work(u_, 0.25 * h);
    work_ += flows_.work(x_, 0.25 * h);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    if (inputs.momentum) {
        inputs.momentum->stage(1) = inputs.momentum->forces(system.poses.workspace(), inputs);
        const double halves[] = {0.5, 0.5};
        inputs.momentum->propose(h, halves);
    }
    for (int k = 0; k < nb; ++k)
        if (!std::isfinite(x_[k])) {
            step.report.status = MotionStatus::non_finite;
            step.report.where = "velocities would not be finite";
            factored_ = false;
            return false;
        }
    return true;
}

// Where rows become dependent, impulses that put positions onto them within the step may do any work, and
// RATTLE finds none in steps of any length. This one moves bodies without, puts them back by the least
// change, and makes velocities fit at the end: constraints take energy then, and never give any.
bool BodyMotion::step_projected(const Step& step) {
    BodySystem& system = dynamics.system;
    const auto& [inputs, state, bodies, h, options, report, error] = step;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    if (!system.graph.soft_freedoms().empty()) return false;
    look(state, bodies);
    dynamics.find_forces(inputs, state, false, f_);
    system.matrix.find_inertias();
    system.matrix.find_rows(true);
    if (!factor(step.report)) return false;
    system.poses.velocities(u_);
    system.poses.momenta(u_, x_);
    for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
    for (int k = nb; k < n; ++k)
        x_[k] = -system.matrix.base_rates()[k] - 0.5 * h * system.matrix.products()[k];
    solve(x_, true);
    flows_.find(system, inputs, state, dynamics.reads_joints(inputs));
    work_ = flows_.work(u_, 0.25 * h);
    work_ += flows_.work(x_, 0.25 * h);
    if (inputs.momentum)
        inputs.momentum->stage(0) = inputs.momentum->forces(system.poses.workspace(), inputs);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    trial_ = bodies;
    system.poses.read_velocities(x_, trial_);
    system.poses.drift(h, trial_);
    next_ = state;
    next_.time = state.time + h;
    for (BaseMotion<double>& motion : next_.kinematic) motion = moved(motion, h);
    if (!project_positions(next_, trial_, tuning.max_left * tuning.left_error * system.graph.extent(),
                           report))
        return false;
    if (!finish_step(step)) return false;
    report.joint_error = std::max(report.joint_error, system.matrix.joint_error());
    report.equality_error = std::max(report.equality_error, system.matrix.equality_error());
    ++report.projected_steps;
    report.work += work_;
    if (inputs.momentum) inputs.momentum->accept();
    std::swap(bodies, trial_);
    std::swap(state, next_);
    return true;
}

}  // namespace lig::multiplier
