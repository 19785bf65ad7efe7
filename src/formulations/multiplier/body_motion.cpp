#include "formulations/multiplier/body_motion.h"

#include "dynamics/dynamics_parts.h"
#include "linalg/vector_ops.h"
#include "model/named.h"
#include "simulation/kinematic_motion.h"
#include "simulation/momentum_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::multiplier {

namespace {

constexpr int most_iterations = 40;
constexpr double small_error =
    1e-9;  // m, rad: what is left may be this where Newton's method gets no further
constexpr int most_halvings = 16;
// Of the size of the parts: what may be left of an error where nothing improves it, for the next steps to
// remove; and how often that is tried.
constexpr double left_error = 1e-6;
constexpr int most_stuck = 4;
constexpr double most_left = 3;  // times that, where steps one after the other leave some
// Factors anew within one step, to remove what errors have piled up beyond that.
constexpr int most_removals = 6;
// rad within a step, of a body: beyond half a turn between two of them the turns of joints would be lost.
constexpr double longest_turn = 1;
// Of the energy of motion: a step of RATTLE in which it grows by more than what forces do is too long.
constexpr double energy_tolerance = 0.01;
// Of the error relative to what is tolerated: beyond it the step is too long in any case.
constexpr double far_off = 1e4;
constexpr int halvings_before_projection = 4;
// Of Newton's method, from one iteration to the next: beyond the most a step is too long, and the next one is
// chosen for the good one. Corrections along the rows of the beginning are off by what bodies turn within the
// step, the more the heavier what they pull is beside what they turn: it goes with (h ω)², ω the fastest
// swing of what is under tension, and where it does not converge RATTLE is not stable either. Measured while
// errors are this much above rounding.
constexpr double most_contraction = 0.5, good_contraction = 0.2, measurable = 1e3;
// Halvings because of it. Joints with rotors have singular positions, too; of loops, and before it is left to
// projection.
constexpr int most_by_contraction = 10, most_by_loops = 3, most_before_projection = 5;
constexpr double least_share = 1e-3;  // of a correction
constexpr int easy_steps = 4;  // after a step that was too long, before longer ones are tried again

// What rounding of positions leaves of errors.
double rounding_of(const BodyCoordinates& bodies) {
    double far = 1;
    for (const Vec3d& x : bodies.x) far = std::max({far, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    return 1e-12 + 1e-14 * far;
}

double fastest_turn(const BodyCoordinates& bodies) {
    double most = 0;
    for (const Motion<double>& V : bodies.V) most = std::max(most, dot(V.ang, V.ang));
    return std::sqrt(most);
}

}  // namespace

BodyMotion::BodyMotion(std::shared_ptr<const Model> model, LoopMethod loops)
    : dynamics(model, loops), flows_(dynamics.system), bases_(model), next_(*model), near_(*model) {
    const std::size_t n = static_cast<std::size_t>(dynamics.system.size());
    for (std::vector<double>* v : {&u_, &f_, &x_, &rates_, &carried_, &missed_rows_, &slips_})
        v->assign(n, 0.0);
    rotor_.assign(model->nv, 0.0);
    theta_.assign(model->nq, 0.0);
    moved_from_.x.reserve(model->tree.links.size());
    moved_from_.quat.reserve(model->tree.links.size());
}

void BodyMotion::find_freedom_inertias(const JointState<double>& state, const BodyCoordinates& bodies,
                                       std::span<double> out) {
    look(state, bodies);
    dynamics.system.find_freedoms();
    const Tree<double>& tree = dynamics.system.model().tree;
    for (int i = 0; i < dynamics.system.links(); ++i)
        for (int k = tree.links[i].v_adr; k < tree.links[i].v_adr + tree.links[i].nv; ++k)
            out[k] = dynamics.system.pair_inertia(i, k) + tree.armature[k];
}

void BodyMotion::look(const JointState<double>& state, const BodyCoordinates& bodies) {
    const Stopwatch watch(stages.watched(), StepStage::look);
    set_bases(state, bases_);
    dynamics.system.look(bodies, bases_.bases, state.time);
}

void BodyMotion::find_forces(SmoothDynamics& inputs, JointState<double>& state,
                             const BodyMotionOptions& options, bool first, std::span<double> f) {
    const Stopwatch watch(stages.watched(), StepStage::assemble);
    if (options.control && first) {
        dynamics.system.to_joints(state);
        options.control(state, inputs);
    }
    dynamics.find_forces(inputs, state, false, f);
}

// RATTLE counts redundant rows in the first step of a call, which takes a factorization of its own. Where
// there are some, they are taken to be as many in the others. Stages of Runge–Kutta methods must know which.
bool BodyMotion::factor(MotionReport& report) {
    const Stopwatch watch(stages.watched(), StepStage::factor);
    const bool counted = by_rattle_ && redundant_ > 0 && report.steps > 0;
    const BlockLdlt::Factored factored = dynamics.system.factor(counted);
    if (!counted) redundant_ = factored.redundant_rows;
    report.redundant_rows = redundant_;
    factored_ = factored.bad_node < 0;
    if (factored_) return true;
    report.status = MotionStatus::non_finite;
    for (const Model::Body& body : dynamics.system.model().bodies)
        if (body.link == factored.bad_node) {
            report.where = "the inertia of " + named(dynamics.system.model(), body) + " is not positive";
            break;
        }
    return false;
}

// last: nothing iterates after it, so that redundant rows are to be dealt with here.
void BodyMotion::solve(std::span<double> x, bool last) {
    const Stopwatch watch(stages.watched(), StepStage::resolve);
    if (redundant_ == 0 || !last)
        dynamics.system.solve(x);
    else
        dynamics.system.solve_refined(x, BodySystem::most_solves);
}

// How far the coordinates of the bodies looked at are from where the rotors have got to: near_.v at the soft
// freedoms. Returns the largest.
double BodyMotion::rotor_errors(const JointState<double>& from, double h) {
    const BodySystem& system = dynamics.system;
    if (system.soft_freedoms().empty()) return 0;
    near_.q = from.q;
    dynamics.system.to_joints(near_);
    integrate<double>(bases_, from.q, rotor_, h, theta_);
    difference<double>(bases_, theta_, near_.q, near_.v);
    double most = 0;
    for (const int dof : system.soft_freedoms()) {
        if (!(std::abs(near_.v[dof]) <= most)) most = std::abs(near_.v[dof]);
    }
    return most;
}

bool BodyMotion::step_rattle(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                             double h, const BodyMotionOptions& options, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.body_entries(), n = system.size();
    const std::span<const double> errors = system.errors(), base = system.base_rates(),
                                  products = system.products();
    look(state, bodies);
    find_forces(inputs, state, options, true, f_);
    if (!system.soft_freedoms().empty()) system.to_joints(state);
    const bool ready = factored_;
    if (!ready) system.find_inertias();
    system.find_rows(true);
    if (!ready && !factor(report)) return false;

    // A first guess: J u½ such that the constraints hold at the end to second order.
    system.velocities(u_);
    // Half a kick does its work at the mean of the velocities before and after it.
    flows_.find(system, inputs, state, dynamics.reads_joints(inputs));
    work_ = flows_.work(u_, 0.25 * h);
    if (inputs.momentum) inputs.momentum->stage(0) = inputs.momentum->forces(system.workspace(), inputs);
    system.row_velocities(u_, rates_);
    system.momenta(u_, x_);
    // Constraints that stand still do no work: what forces do is all that may change the energy of motion.
    double energy = 0, power = 0;
    for (int k = 0; k < nb; ++k) {
        energy += 0.5 * u_[k] * x_[k];
        power += u_[k] * f_[k];
    }
    bool moving = !system.soft_freedoms().empty();
    for (int k = nb; k < n; ++k) moving = moving || base[k] != 0;
    for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
    for (int k = nb; k < n; ++k) {
        // To remove what an earlier step has left takes a velocity, which stays, the larger the shorter the
        // step: where that was too much, it is left as it is.
        carried_[k] = carries_ ? errors[k] : 0.0;
        x_[k] = -base[k] - 0.5 * h * products[k] - (errors[k] - carried_[k]) / h;
    }
    for (const int dof : system.soft_freedoms()) x_[system.soft_row(dof)] = rates_[system.soft_row(dof)];
    solve(x_, false);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    std::copy_n(x_.begin(), nb, u_.begin());
    system.row_velocities(u_, rates_);
    for (const int dof : system.soft_freedoms())
        rotor_[dof] = rates_[system.soft_row(dof)] + base[system.soft_row(dof)];

    next_ = state;
    next_.time = state.time + h;
    for (BaseMotion<double>& motion : next_.kinematic) motion = moved(motion, h);
    const double tolerance = rounding_of(bodies);
    const bool slips = system.has_velocity_rows();
    double before = std::numeric_limits<double>::infinity();
    int stuck = 0;
    contraction_ = 0;
    for (int iteration = 0;; ++iteration) {
        trial_ = bodies;
        system.read_velocities(u_, trial_);
        if (slips) {
            look(state, trial_);
            system.find_errors();
            system.find_slips(slips_);
        }
        system.drift(h, trial_);
        look(next_, trial_);
        system.find_errors();
        for (int k = nb; k < n; ++k) missed_rows_[k] = errors[k] - carried_[k];
        if (slips) {
            system.find_slips(rates_);
            for (int k = nb; k < n; ++k)
                if (system.velocity_rows()[k]) missed_rows_[k] = 0.5 * h * (slips_[k] + rates_[k]);
        }
        const double missed = largest_of(std::span<const double>(missed_rows_).subspan(nb));
        const double off = std::max(missed, rotor_errors(state, h));
        if (off <= tolerance) break;
        if (iteration > 0 && off > measurable * tolerance)
            contraction_ = std::max(contraction_, off / before);
        if (contraction_ > most_contraction_) {
            report.where = system.name_of_worst();
            factored_ = false;
            return false;
        }
        // Near a singular position what is off may have no part along the rows of the beginning. Those of
        // where the bodies have got to know of it; a factor lasts for three iterations, by which bodies move
        // little there.
        const bool slow = off > 0.5 * before;
        if (slow && ++stuck > most_stuck && off <= left_error * system.extent()) break;
        if (!std::isfinite(off) || iteration == most_iterations || stuck > 2 * most_stuck ||
            off > system.extent()) {
            report.where = system.name_of_worst();
            factored_ = false;
            return false;
        }
        if (slow && stuck % 3 == 1) {
            system.find_inertias();
            system.find_rows(false);
            // What is redundant has been counted at the beginning.
            if (system.factor(redundant_ > 0).bad_node >= 0) {
                factored_ = false;
                return false;
            }
        }
        before = off;
        ++report.newton_iterations;
        std::fill_n(x_.begin(), nb, 0.0);
        for (int k = nb; k < n; ++k) x_[k] = -missed_rows_[k] / h;
        for (const int dof : system.soft_freedoms()) x_[system.soft_row(dof)] = -near_.v[dof] / h;
        solve(x_, false);
        work_.kinematic += BodyFlows::work_of_rows(system, x_);
        for (int k = 0; k < nb; ++k) u_[k] += x_[k];
        if (!system.soft_freedoms().empty()) {
            system.row_velocities(x_, rates_);
            for (const int dof : system.soft_freedoms())
                rotor_[dof] += rates_[system.soft_row(dof)] + near_.v[dof] / h;
        }
    }

    work_ += flows_.work(u_, 0.25 * h);
    if (!finish_step(inputs, state, h, report)) return false;
    if (!moving) {
        std::copy_n(x_.begin(), nb, u_.begin());
        system.momenta(u_, rates_);
        double after = 0;
        for (int k = 0; k < nb; ++k) {
            after += 0.5 * u_[k] * rates_[k];
            power += u_[k] * f_[k];
        }
        const double work = 0.5 * h * power;
        const double bound =
            energy_tolerance * (std::max(energy, after) + std::abs(work)) + system.idle_energy();
        // Not where it is lost: a net that is pulled taut stops at once.
        if (!(after - energy - work <= bound)) {
            report.where = "the energy of motion";
            factored_ = false;
            carries_ = true;
            return false;
        }
    }
    if (largest_of(errors.subspan(nb)) > small_error)
        remove_errors();
    else
        carries_ = false;
    // What steps carry on must not pile up.
    if (largest_of(errors.subspan(nb)) > most_left * left_error * system.extent()) {
        report.where = system.name_of_worst();
        factored_ = false;
        return false;
    }
    report.joint_error = std::max(report.joint_error, system.joint_error());
    report.loop_error = std::max(report.loop_error, system.loop_error());
    report.work += work_;
    if (inputs.momentum) inputs.momentum->accept();
    std::swap(bodies, trial_);
    std::swap(state, next_);
    return true;
}

// Velocities at the end of a step, in x_ and trial_, after which `state` was: half a kick, and constraints.
bool BodyMotion::finish_step(SmoothDynamics& inputs, const JointState<double>& state, double h,
                             MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.body_entries(), n = system.size();
    const std::span<const double> base = system.base_rates();
    if (system.model().na > 0)
        next_activation<double>(state, system.model(), inputs.drives, h, next_.act);
    system.find_inertias();
    system.find_rows(false);
    if (!factor(report)) return false;
    system.velocities(u_);
    const int passes = dynamics.depends_on_velocity() ? 2 : 1;
    for (int pass = 0; pass < passes; ++pass) {
        dynamics.find_forces(inputs, next_, false, f_);
        system.momenta(u_, x_);
        for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
        for (int k = nb; k < n; ++k) x_[k] = -base[k];
        for (const int dof : system.soft_freedoms()) x_[system.soft_row(dof)] += rotor_[dof];
        solve(x_, true);
        system.read_velocities(x_, trial_);
        if (pass + 1 < passes) look(next_, trial_);
    }
    flows_.find(system, inputs, next_, dynamics.reads_joints(inputs));
    work_ += flows_.work(u_, 0.25 * h);
    work_ += flows_.work(x_, 0.25 * h);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    if (inputs.momentum) {
        inputs.momentum->stage(1) = inputs.momentum->forces(system.workspace(), inputs);
        const double halves[] = {0.5, 0.5};
        inputs.momentum->propose(h, halves);
    }
    for (int k = 0; k < nb; ++k)
        if (!std::isfinite(x_[k])) {
            report.status = MotionStatus::non_finite;
            report.where = "velocities would not be finite";
            factored_ = false;
            return false;
        }
    return true;
}

// Where rows become dependent, impulses that put positions onto them within the step may do any work, and
// RATTLE finds none in steps of any length. This one moves bodies without, puts them back by the least
// change, and makes velocities fit at the end: constraints take energy then, and never give any.
bool BodyMotion::step_projected(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                                double h, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.body_entries(), n = system.size();
    if (!system.soft_freedoms().empty()) return false;
    look(state, bodies);
    dynamics.find_forces(inputs, state, false, f_);
    system.find_inertias();
    system.find_rows(true);
    if (!factor(report)) return false;
    system.velocities(u_);
    system.momenta(u_, x_);
    for (int k = 0; k < nb; ++k) x_[k] += 0.5 * h * f_[k];
    for (int k = nb; k < n; ++k) x_[k] = -system.base_rates()[k] - 0.5 * h * system.products()[k];
    solve(x_, true);
    flows_.find(system, inputs, state, dynamics.reads_joints(inputs));
    work_ = flows_.work(u_, 0.25 * h);
    work_ += flows_.work(x_, 0.25 * h);
    if (inputs.momentum) inputs.momentum->stage(0) = inputs.momentum->forces(system.workspace(), inputs);
    work_.kinematic += BodyFlows::work_of_rows(system, x_);
    trial_ = bodies;
    system.read_velocities(x_, trial_);
    system.drift(h, trial_);
    next_ = state;
    next_.time = state.time + h;
    for (BaseMotion<double>& motion : next_.kinematic) motion = moved(motion, h);
    if (!project_positions(next_, trial_, most_left * left_error * system.extent(), report)) return false;
    if (!finish_step(inputs, state, h, report)) return false;
    report.joint_error = std::max(report.joint_error, system.joint_error());
    report.loop_error = std::max(report.loop_error, system.loop_error());
    ++report.projected_steps;
    report.work += work_;
    if (inputs.momentum) inputs.momentum->accept();
    std::swap(bodies, trial_);
    std::swap(state, next_);
    return true;
}

// Takes out of trial_, with whose factor the step has ended, what is left of errors. Velocities stay. At a
// singular position that needs factors of its own, damped: errors there are squares of distances, and each
// turn leaves a quarter.
void BodyMotion::remove_errors() {
    BodySystem& system = dynamics.system;
    const std::span<const double> errors = system.errors().subspan(system.body_entries());
    bool better = shift_by_errors();
    const double most = left_error * system.extent();
    for (int k = 0; k < most_removals && largest_of(errors) > (better ? 0.2 : 1) * most; ++k) {
        system.find_inertias();
        system.find_rows(false);
        factored_ = false;
        if (system.factor(true).bad_node >= 0) return;
        better = shift_by_errors();
        if (!better) return;
    }
}

// Moves the bodies of trial_ by the least change that removes errors to first order. False: they would not
// become smaller; then bodies are as before.
bool BodyMotion::shift_by_errors() {
    BodySystem& system = dynamics.system;
    const std::span<const double> errors = system.errors();
    const int nb = system.body_entries();
    const double before = largest_of(errors.subspan(nb));
    std::fill(x_.begin(), x_.end(), 0.0);
    for (int k = nb; k < system.size(); ++k) x_[k] = -errors[k];
    solve(x_, true);
    stage_ = trial_;
    for (int i = 0; i < system.links(); ++i) {
        const Motion<double> moved = system.motion_of(x_, i);
        trial_.x[i] += moved.lin;
        trial_.quat[i] = normalized(rotation_exp(moved.ang) * trial_.quat[i]);
    }
    look(next_, trial_);
    system.find_errors();
    if (largest_of(errors.subspan(nb)) < 0.9 * before) {
        factored_ = false;
        return true;
    }
    std::swap(trial_, stage_);
    look(next_, trial_);
    system.find_errors();
    return false;
}

// enough: an error that may be left where iterations do not make it smaller. The factor is that of the bodies
// afterwards.
bool BodyMotion::project_positions(const JointState<double>& state, BodyCoordinates& bodies, double enough,
                                   MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.body_entries(), n = system.size();
    const std::span<const double> errors = system.errors();
    // Next to a singular position, x away, velocities turn off by what is left over x²: all is removed that
    // can be. Rows of trees are independent everywhere.
    const double tolerance = (system.equalities().empty() ? 1 : 1e-3) * rounding_of(bodies);
    double before = std::numeric_limits<double>::infinity();
    const auto move = [&](double share) {
        for (int i = 0; i < system.links(); ++i) {
            const Motion<double> moved = system.motion_of(x_, i);
            bodies.x[i] += share * moved.lin;
            bodies.quat[i] = normalized(rotation_exp(share * moved.ang) * bodies.quat[i]);
        }
    };
    double share = 1;
    for (int iteration = 0;; ++iteration) {
        look(state, bodies);
        system.find_errors();
        // Next to a singular position corrections are too far for their direction to hold.
        for (; !(largest_of(errors.subspan(nb)) <= before) && share > least_share; system.find_errors()) {
            bodies.x = moved_from_.x;
            bodies.quat = moved_from_.quat;
            move(share *= 0.25);
            look(state, bodies);
        }
        system.find_inertias();
        system.find_rows(false);
        if (!factor(report)) return false;
        const double off = largest_of(errors.subspan(nb));
        if (off <= tolerance || (off > 0.5 * before && off <= enough)) return true;
        const bool stuck = iteration > 5 && off > 0.9 * before && !(share < 1 && off < before);
        if (!std::isfinite(off) || iteration == most_iterations || stuck) {
            report.where = system.name_of_worst();
            return false;
        }
        before = off;
        ++report.newton_iterations;
        std::fill(x_.begin(), x_.end(), 0.0);
        for (int k = nb; k < n; ++k) x_[k] = -errors[k];
        solve(x_, true);
        moved_from_.x = bodies.x;
        moved_from_.quat = bodies.quat;
        move(share = 1);
    }
}

bool BodyMotion::project(const JointState<double>& state, BodyCoordinates& bodies, MotionReport& report) {
    if (!project_positions(state, bodies, small_error, report)) return false;
    project_velocities(bodies, report);
    return true;
}

bool BodyMotion::fit_velocities(const JointState<double>& state, BodyCoordinates& bodies,
                                MotionReport& report) {
    look(state, bodies);
    dynamics.system.find_inertias();
    dynamics.system.find_rows(false);
    if (!factor(report)) return false;
    project_velocities(bodies, report);
    return true;
}

// Of the bodies looked at, whose factor is there.
void BodyMotion::project_velocities(BodyCoordinates& bodies, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.body_entries(), n = system.size();
    const std::span<const double> base = system.base_rates();
    system.velocities(u_);
    system.row_velocities(u_, rates_);
    system.momenta(u_, x_);
    for (int k = nb; k < n; ++k) x_[k] = -base[k];
    for (const int dof : system.soft_freedoms()) x_[system.soft_row(dof)] = rates_[system.soft_row(dof)];
    solve(x_, true);
    system.read_velocities(x_, bodies);
    report.joint_error = std::max(report.joint_error, system.joint_error());
    report.loop_error = std::max(report.loop_error, system.loop_error());
}

MotionReport BodyMotion::advance(SmoothDynamics& inputs, JointState<double>& state,
                                     BodyCoordinates& bodies, double duration,
                                     const BodyMotionOptions& options) {
    MotionReport report;
    factored_ = carries_ = false;
    by_rattle_ = options.method == Method::rattle;
    double remaining = duration;
    const double wanted = duration / std::max(1.0, std::ceil(duration / options.step - 1e-9));
    // Where steps have had to be shorter, the next ones begin so.
    double h = pace.last_step > 0 ? std::min(wanted, pace.last_step) : wanted;
    int& easy = pace.easy;
    const bool has_loops = !dynamics.system.equalities().empty();
    // As short as constraints that are stiff ask for; what halves it further is a singular position.
    double longest = pace.longest > 0 ? std::min(wanted, pace.longest) : wanted;
    // Rows of trees are independent everywhere: what makes Newton's method slow is stiffness. Near a singular
    // position of loops shorter steps do not help, and only some are tried.
    const double projected_below = has_loops ? std::ldexp(wanted, -most_before_projection) : 0;
    const double shortest_by_contraction =
        by_rattle_ ? std::ldexp(wanted, has_loops ? -most_by_loops : -most_by_contraction) : HUGE_VAL;
    contraction_ = 0;
    const double shortest =
        options.method == Method::rk45 ? 1e-12 * duration : std::ldexp(wanted, -most_halvings);
    const auto fail = [&](MotionStatus status) {
        if (report.status == MotionStatus::ok) report.status = status;
    };
    while (remaining > 1e-9 * wanted && report.status == MotionStatus::ok) {
        if (options.most_steps > 0 && report.steps + report.rejected >= options.most_steps) {
            fail(MotionStatus::step_too_small);
            report.where = "more than " + std::to_string(options.most_steps) + " steps would be needed";
            break;
        }
        // No crumb is left at the end.
        if (options.method != Method::rattle) h = std::min(h, longest_turn / fastest_turn(bodies));
        double step =
            remaining < 1.5 * h && remaining > (1 + 1e-9) * h ? 0.5 * remaining : std::min(h, remaining);
        if (remaining - step < 1e-9 * wanted) step = remaining;
        double error = 0;
        const bool shortens = step > shortest_by_contraction;
        most_contraction_ = shortens ? most_contraction : HUGE_VAL;
        bool made = options.method == Method::rattle
                        ? step_rattle(inputs, state, bodies, step, options, report)
                        : step_stages({inputs, state, bodies, step, options, report, error});
        // Numbers may leave their range in a step that is too long.
        if (!made && by_rattle_ && 0.5 * step >= shortest) report.status = MotionStatus::ok;
        if (!made && report.status == MotionStatus::ok && options.method == Method::rattle &&
            step < 1.5 * std::max(std::ldexp(longest, -halvings_before_projection), projected_below)) {
            ++report.rejected;
            made = step_projected(inputs, state, bodies, step, report);
        }
        if (report.status != MotionStatus::ok) break;
        if (!made) {
            ++report.rejected;
            // A stage may have come close to a singular position of loops: another length of about the same
            // misses it, where much shorter ones would only come closer.
            const double least = has_loops && error < far_off ? 0.7 : 0.1;
            if (options.method == Method::rk45 && error > 1)
                h = step * std::clamp(0.9 * std::pow(error, -0.2), least, 0.9);
            else if (contraction_ > most_contraction_) {
                h = step * std::clamp(std::sqrt(good_contraction / contraction_), 0.25, 0.7);
                longest = h;
            } else
                h = 0.5 * step;
            easy = 0;
            if (h < shortest) {
                fail(MotionStatus::loop_open);
                if (report.where.empty()) report.where = "a constraint";
                report.where += fmt::format(" cannot be held, in steps of {:.2g} s or shorter", step);
            }
            continue;
        }
        remaining -= step;
        ++report.steps;
        look(state, bodies);
        dynamics.system.to_joints(state);
        report.where.clear();
        if (options.method == Method::rk45)
            h = std::min(wanted, step * std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0));
        else if (shortens && contraction_ > good_contraction) {
            h = longest = step * std::max(0.5, std::sqrt(good_contraction / contraction_));
            easy = 0;
        } else if (++easy >= easy_steps || h >= wanted) {
            h = std::min(wanted, 2 * h);
            longest = std::max(longest, h);
            easy = 0;
        }
    }
    pace.last_step = h < wanted ? h : 0;
    pace.longest = longest < wanted ? longest : 0;
    return report;
}

}  // namespace lig::multiplier
