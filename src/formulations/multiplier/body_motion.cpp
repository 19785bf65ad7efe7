#include "formulations/multiplier/body_motion.h"

#include "dynamics/dynamics_parts.h"
#include "linalg/vector_ops.h"
#include "model/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::multiplier {

namespace {

constexpr int most_halvings = 16;
// rad within a step, of a body: beyond half a turn between two of them the turns of joints would be lost.
constexpr double longest_turn = 1;
// Of the error relative to what is tolerated: beyond it the step is too long in any case.
constexpr double far_off = 1e4;
constexpr int halvings_before_projection = 4;
// Of Newton's method, from one iteration to the next: beyond the most a step is too long, and the next one is
// chosen for the good one. Corrections along the rows of the beginning are off by what bodies turn within the
// step, the more the heavier what they pull is beside what they turn: it goes with (h ω)², ω the fastest
// swing of what is under tension, and where it does not converge RATTLE is not stable either.
constexpr double most_contraction = 0.5, good_contraction = 0.2;
// Halvings because of it. Joints with rotors have singular positions, too; of loops, and before it is left to
// projection.
constexpr int most_by_contraction = 10, most_by_loops = 3, most_before_projection = 5;
constexpr int easy_steps = 4;  // after a step that was too long, before longer ones are tried again

double fastest_turn(const BodyCoordinates& bodies) {
    double most = 0;
    for (const Motion<double>& V : bodies.V) most = std::max(most, dot(V.ang, V.ang));
    return std::sqrt(most);
}

}  // namespace

BodyMotion::BodyMotion(std::shared_ptr<const Model> model, LoopMethod loops)
    : dynamics(model, loops), flows_(dynamics.system), bases_(model), next_(*model), near_(*model) {
    const std::size_t n = static_cast<std::size_t>(dynamics.system.graph.size());
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
    const BlockLdlt::Factored factored = dynamics.system.matrix.factor(counted);
    if (!counted) redundant_ = factored.redundant_rows;
    report.redundant_rows = redundant_;
    factored_ = factored.bad_node < 0;
    if (factored_) return true;
    report.status = MotionStatus::non_finite;
    for (const Model::Body& body : dynamics.system.graph.model().bodies)
        if (body.link == factored.bad_node) {
            report.where =
                "the inertia of " + named(dynamics.system.graph.model(), body) + " is not positive";
            break;
        }
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

MotionReport BodyMotion::advance(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                                 double duration, const BodyMotionOptions& options) {
    MotionReport report;
    factored_ = carries_ = false;
    by_rattle_ = options.method == Method::rattle;
    double remaining = duration;
    const double wanted = duration / std::max(1.0, std::ceil(duration / options.step - 1e-9));
    // Where steps have had to be shorter, the next ones begin so.
    double h = pace.last_step > 0 ? std::min(wanted, pace.last_step) : wanted;
    int& easy = pace.easy;
    const bool has_loops = !dynamics.system.graph.equalities().empty();
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
        const Step one{inputs, state, bodies, step, options, report, error};
        bool made = by_rattle_ ? step_rattle(one) : step_stages(one);
        // Numbers may leave their range in a step that is too long.
        if (!made && by_rattle_ && 0.5 * step >= shortest) report.status = MotionStatus::ok;
        if (!made && report.status == MotionStatus::ok && options.method == Method::rattle &&
            step < 1.5 * std::max(std::ldexp(longest, -halvings_before_projection), projected_below)) {
            ++report.rejected;
            made = step_projected(one);
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
        dynamics.system.poses.to_joints(state);
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
