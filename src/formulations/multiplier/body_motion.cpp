#include "formulations/multiplier/body_motion.h"

#include "dynamics/dynamics_parts.h"
#include "formulations/bad_inertia.h"
#include "formulations/multiplier/tuning.h"
#include "linalg/vector_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::multiplier {

namespace {

constexpr const MotionTuning& tuning = motion_tuning;

double fastest_turn(const BodyCoordinates& bodies) {
    double most = 0;
    for (const Motion<double>& V : bodies.V) most = std::max(most, dot(V.ang, V.ang));
    return std::sqrt(most);
}

}  // namespace

BodyMotion::BodyMotion(std::shared_ptr<const Model> model, EqualityMethod method)
    : dynamics(model, method), flows_(dynamics.system), bases_(model), next_(*model), near_(*model) {
    const std::size_t n = static_cast<std::size_t>(dynamics.system.graph.size());
    for (std::vector<double>* v : {&u_, &f_, &x_, &rates_, &carried_, &missed_rows_, &slips_})
        v->assign(n, 0.0);
    rotor_.assign(model->nv, 0.0);
    theta_.assign(model->nq, 0.0);
    moved_from_.x.reserve(model->tree.links.size());
    moved_from_.quat.reserve(model->tree.links.size());
    moved_from_.shapes.reserve(model->tree.stretches.size());
}

void BodyMotion::find_freedom_inertias(const JointState<double>& state, const BodyCoordinates& bodies,
                                       std::span<double> out) {
    look(state, bodies);
    dynamics.system.poses.find_freedoms();
    const Tree<double>& tree = dynamics.system.graph.model().tree;
    for (int i = 0; i < dynamics.system.graph.links(); ++i)
        for (int k = tree.links[i].v_adr; k < tree.links[i].v_adr + tree.links[i].nv; ++k)
            out[k] = dynamics.system.poses.pair_inertia(i, k) + tree.armature[k];
}

void BodyMotion::look(const JointState<double>& state, const BodyCoordinates& bodies) {
    const Stopwatch watch(stages.watched(), StepStage::look);
    set_bases(state, bases_);
    dynamics.system.poses.look(bodies, bases_.bases, state.time);
}

void BodyMotion::find_forces(SmoothDynamics& inputs, JointState<double>& state,
                             const BodyMotionOptions& options, bool first, std::span<double> f) {
    const Stopwatch watch(stages.watched(), StepStage::assemble);
    if (options.control && first) {
        dynamics.system.poses.to_joints(state);
        options.control(state, inputs);
    }
    dynamics.find_forces(inputs, state, false, f);
}

// RATTLE counts redundant rows in the first step of a call, which takes a factorization of its own. Where
// there are some, they are taken to be as many in the others. Stages of Runge–Kutta methods must know which.
bool BodyMotion::factor(MotionReport& report) {
    const Stopwatch watch(stages.watched(), StepStage::factor);
    const bool counted = by_rattle_ && redundant_ > 0 && report.steps > 0;
    const double damping = counted ? BodyMatrix::least_damping : 0;
    const BlockLdlt::Factored factored = dynamics.system.matrix.factor(damping);
    if (!counted) redundant_ = factored.redundant_rows;
    report.redundant_rows = redundant_;
    factored_ = factored.bad_node < 0;
    if (factored_) return true;
    report.status = MotionStatus::non_finite;
    report.where = bad_inertia(dynamics.system.graph.model(), factored.bad_node);
    return false;
}

// last: nothing iterates after it, so that redundant rows are to be dealt with here.
void BodyMotion::solve(std::span<double> x, bool last) {
    const Stopwatch watch(stages.watched(), StepStage::resolve);
    if (redundant_ == 0 || !last)
        dynamics.system.matrix.solve(x);
    else
        dynamics.system.matrix.solve_refined(x, BodyMatrix::max_solves);
}

// How far the coordinates of the bodies looked at are from where the rotors have got to: near_.v at the soft
// freedoms. Returns the largest.
double BodyMotion::rotor_errors(const JointState<double>& from, double h) {
    const BodySystem& system = dynamics.system;
    if (system.graph.soft_freedoms().empty()) return 0;
    near_.q = from.q;
    dynamics.system.poses.to_joints(near_);
    integrate<double>(bases_, from.q, rotor_, h, theta_);
    difference<double>(bases_, theta_, near_.q, near_.v);
    double most = 0;
    for (const int dof : system.graph.soft_freedoms()) {
        if (!(std::abs(near_.v[dof]) <= most)) most = std::abs(near_.v[dof]);
    }
    return most;
}

// Which lengths of steps mean what, within one duration.
struct BodyMotion::Lengths {
    bool has_equalities;
    double shortest;
    // As short as constraints that are stiff ask for; what halves it further is a singular position.
    double longest;
    // Rows of trees are independent everywhere: what makes Newton's method slow is stiffness. Near a singular
    // position of equalities shorter steps do not help, and only some are tried.
    double projected_below, shortest_by_contraction;
};

// One step by the method of the options, or by projection where it may be singular.
bool BodyMotion::make_step(const Step& step, const Lengths& lengths) {
    const double h = step.h;
    MotionReport& report = step.report;
    if (by_rattle_ ? step_rattle(step) : step_stages(step)) return true;
    if (!by_rattle_) return false;
    // Numbers may leave their range in a step that is too long.
    if (0.5 * h >= lengths.shortest) report.status = MotionStatus::ok;
    if (report.status != MotionStatus::ok ||
        !(h < 1.5 * std::max(std::ldexp(lengths.longest, -tuning.halvings_before_projection),
                             lengths.projected_below)))
        return false;
    ++report.rejected;
    return step_projected(step);
}

// After a step that was too long.
void BodyMotion::shorten(const Step& step, Lengths& lengths, maximal::StepPacer& pacer) const {
    ++step.report.rejected;
    if (step.options.method == Method::rk45 && step.error > 1) {
        // A stage may have come close to a singular position of equalities: another length of about the same
        // misses it, where much shorter ones would only come closer.
        const double least = lengths.has_equalities && step.error < tuning.far_off ? 0.7 : 0.1;
        pacer.shorten(step.h * std::clamp(0.9 * std::pow(step.error, -0.2), least, 0.9));
    } else if (contraction_ > max_contraction_) {
        pacer.shorten(step.h * std::clamp(std::sqrt(tuning.good_contraction / contraction_), 0.25, 0.7));
        lengths.longest = pacer.length();
    } else {
        pacer.shorten(0.5 * step.h);
    }
    if (!(pacer.length() < lengths.shortest)) return;
    step.report.status = MotionStatus::equality_open;
    if (step.report.where.empty()) step.report.where = "a constraint";
    step.report.where += fmt::format(" cannot be held, in steps of {:.2g} s or shorter", step.h);
}

// After one that was not.
void BodyMotion::lengthen(const Step& step, Lengths& lengths, maximal::StepPacer& pacer) const {
    const bool shortens = step.h > lengths.shortest_by_contraction;
    if (step.options.method == Method::rk45) {
        pacer.choose(step.h * std::clamp(0.9 * std::pow(std::max(step.error, 1e-10), -0.2), 0.2, 5.0));
    } else if (shortens && contraction_ > tuning.good_contraction) {
        pacer.shorten(step.h * std::max(0.5, std::sqrt(tuning.good_contraction / contraction_)));
        lengths.longest = pacer.length();
    } else if (pacer.lengthen()) {
        lengths.longest = std::max(lengths.longest, pacer.length());
    }
}

MotionReport BodyMotion::advance(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                                 double duration, const BodyMotionOptions& options) {
    MotionReport report;
    factored_ = carries_ = false;
    by_rattle_ = options.method == Method::rattle;
    contraction_ = 0;
    maximal::StepPacer pacer(duration, options.step, pace.steps);
    const double wanted = pacer.wanted();
    const bool has_equalities = !dynamics.system.graph.equalities().empty();
    Lengths lengths{
        .has_equalities = has_equalities,
        .shortest = options.method == Method::rk45 ? 1e-12 * duration
                                                   : std::ldexp(wanted, -tuning.max_halvings),
        .longest = pace.longest > 0 ? std::min(wanted, pace.longest) : wanted,
        .projected_below = has_equalities ? std::ldexp(wanted, -tuning.max_before_projection) : 0,
        .shortest_by_contraction =
            by_rattle_ ? std::ldexp(wanted, has_equalities ? -tuning.max_by_equalities
                                                           : -tuning.max_by_contraction)
                       : HUGE_VAL};
    while (!pacer.is_done() && report.status == MotionStatus::ok) {
        if (options.max_steps > 0 && report.steps + report.rejected >= options.max_steps) {
            report.status = MotionStatus::step_too_small;
            report.where = "more than " + std::to_string(options.max_steps) + " steps would be needed";
            break;
        }
        if (!by_rattle_) pacer.limit(tuning.longest_turn / fastest_turn(bodies));
        double error = 0;
        const Step step{inputs, state, bodies, pacer.next(), options, report, error};
        max_contraction_ = step.h > lengths.shortest_by_contraction ? tuning.max_contraction : HUGE_VAL;
        const bool made = make_step(step, lengths);
        if (report.status != MotionStatus::ok) break;
        if (!made) {
            shorten(step, lengths, pacer);
            continue;
        }
        pacer.was_made(step.h);
        ++report.steps;
        look(state, bodies);
        dynamics.system.poses.to_joints(state);
        report.where.clear();
        lengthen(step, lengths, pacer);
    }
    pace.longest = lengths.longest < wanted ? lengths.longest : 0;
    return report;
}

}  // namespace lig::multiplier
