#include "formulations/impulse/direct_solve.h"

#include "constraints/row_rate.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/impulse/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr double any_speed = 1e300;  // corrections of all links are limited together

}  // namespace

std::unique_ptr<DirectSolve> DirectSolve::make(std::shared_ptr<const Model> model, const Contacts& contacts,
                                               const SimulationOptions& options) {
    if (static_cast<int>(model->tree.links.size()) > direct_tuning.max_model_links) return nullptr;
    const bool inertial = std::any_of(model->tendons.begin(), model->tendons.end(),
                                      [](const Model::Tendon& tendon) { return tendon.armature > 0; });
    if (inertial) return nullptr;
    return std::make_unique<DirectSolve>(std::move(model), contacts, options);
}

DirectSolve::DirectSolve(std::shared_ptr<const Model> model, const Contacts& contacts,
                         const SimulationOptions& options)
    : model_(*model),
      options_(options),
      algebra_(model, contacts, options),
      turning_(*model),
      x_(model->nv, 0.0),
      v_(model->nv, 0.0),
      pushes_(model->tree.links.size()),
      joint_impulses_(model->tree.links.size()),
      joint_forces_(model->tree.links.size()) {
    held_.reserve(2 * model->joints.size());
    algebra_.follows_turning = true;
}

// By the last `outward`: of the centre of mass of a link.
Motion<double> DirectSolve::change_of(int link, const Workspace<double>& ws,
                                      const MovingBodies& bodies) const {
    return shift(algebra_.link_motion(link), bodies.places[bodies.index(link)].x - ws.poses[link].X_WL.p);
}

// The same, of one of Model::deforming, at the place of its rates.
Velocity DirectSolve::stretch_change(int deforming) const {
    const TreeStretch& own = model_.tree.stretches[deforming];
    Velocity out;
    for (int k = 0; k < own.count; ++k) out.rate(k) = v_[own.v_adr + k];
    return out;
}

// More kinetic energy than rows can have given to links, whatever the masses: infinity where bases move.
// Those that ask for no motion only take of it; others may move all that there is with the speed they ask
// for.
double DirectSolve::max_given(std::span<const int> links, const MovingBodies& bodies) const {
    for (int k = 1; k < bodies.bases(); ++k) {
        const Velocity& base = bodies.velocities[k];
        if (dot(base.v, base.v) + dot(base.w, base.w) > 0) return HUGE_VAL;
    }
    double fastest = 0;
    for (const Row& row : rows_.rows)
        if (row.lo < 0 || row.kept_bias < 0) fastest = std::max(fastest, std::abs(row.kept_bias));
    double mass = 0;
    for (const int i : links) mass += bodies.mass(i);
    return mass * fastest * fastest;
}

void DirectSolve::begin(JointState<double>& state, const Substep& substep, const ChosenBodies& chosen,
                        GeneralForces& general, MovingBodies& bodies) {
    kept_velocities_ = bodies.velocities;
    kept_corrections_ = bodies.corrections;
    chosen_.assign(bodies.velocities.size(), 0);
    holds_tension_ = false;
    tension_rate_ = 0;
    for (int k = 0; k < static_cast<int>(bodies.velocities.size()); ++k)
        if (chosen.has(k)) bodies.velocities[k] = substep.before[k];
    general.begin_direct(state, bodies, chosen);
}

// What is solved: some links, and everything that they are solved from and for.
struct DirectSolve::Task {
    std::span<const int> links;
    JointState<double>& state;
    Workspace<double>& ws;
    const Substep& substep;
    const Parts& parts;
    MovingBodies& bodies;
    StepReport& report;
    ChosenBodies chosen;
    std::size_t general_rows = 0, limit_rows = 0;  // those of contacts come behind them
    bool resists = false;                          // turning, by turning_
};

double DirectSolve::give_up(const Task& task) const {
    for (const int i : task.links)
        task.bodies.for_each_place(i, [&](int place) {
            task.bodies.velocities[place] = kept_velocities_[place];
            task.bodies.corrections[place] = kept_corrections_[place];
        });
    return HUGE_VAL;
}

void DirectSolve::follow_tension_of(std::vector<char> links) {
    follows_ = std::move(links);
    follows_all_ = std::ranges::count(follows_, 0) == 0;
    followed_.reserve(follows_.size());
}

// What resists the turning of links in a sub-step of length h, by the impulses that rows and joints have.
bool DirectSolve::find_turning(const Task& task, std::span<const int> links, double h) {
    const double last = task.substep.h;
    task.parts.joints.find_forces(last, joint_forces_);
    held_.clear();
    task.parts.general.hold_by_cones(task.ws, last, held_);
    task.parts.limits.hold_by_circles(task.bodies, last, held_);
    return turning_.find(task.ws, links, rows_, joint_forces_, held_, h, last);
}

// How short the next sub-step has to be. The tension of a rope that is pulled taut grows fast.
void DirectSolve::look_at_tension(const Task& task) {
    if (!(task.substep.longest > 0)) return;
    followed_.clear();
    for (const int i : task.links)
        if (follows_[i]) followed_.push_back(i);
    if (followed_.empty()) return;
    for (std::size_t r = 0; r < rows_.rows.size(); ++r) rows_.rows[r].lambda = lambda_[r];
    if (find_turning(task, followed_, task.substep.longest))
        tension_rate_ = std::max(tension_rate_, turning_.needed_steps() / task.substep.longest);
}

// Rows, what resists turning, and the factor. False: there is none.
bool DirectSolve::prepare(Task& task) {
    const Substep& substep = task.substep;
    const Parts& parts = task.parts;
    algebra_.choose(task.links);
    const GeneralForces::Direct general =
        parts.general.find_direct_rows(task.chosen, rows_, x_, algebra_.terms);
    task.general_rows = rows_.rows.size();
    const RowContext context{.h = substep.h,
                             .time = task.state.time,
                             .reach_speed = direct_tuning.reach_speed,
                             .correction = substep.removed_share,
                             .fastest_correction = substep.fastest_correction,
                             .slop = substep.slop};
    // A limit may be turned back as fast as a light link can be.
    RowContext turning_back = context;
    turning_back.fastest_correction = any_speed;
    parts.limits.add_rows(task.bodies, task.ws, turning_back, task.chosen, rows_);
    task.limit_rows = rows_.rows.size() - task.general_rows;
    parts.contacts.add_rows(task.bodies, task.ws, context, task.chosen, rows_);
    clear_external(task.ws);
    task.resists = find_turning(task, task.links, substep.h);
    holds_tension_ = holds_tension_ || task.resists;
    algebra_.terms.turning = task.resists ? turning_.of_links() : std::span<const Sym3d>();
    return algebra_.prepare(task.state, task.ws, rows_, general.equalities_begin, general.two_sided,
                            task.report) < 0;
}

// Velocities that rows are to change, and what pushes the links.
void DirectSolve::write_problem(const Task& task) {
    const std::size_t n = rows_.rows.size();
    for (std::vector<double>* list : {&b_, &b_kept_, &lambda_, &corrected_}) list->resize(n);
    for (std::vector<double>* list : {&s_free_, &s_}) list->resize(algebra_.size());
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            const double rate = row_rate(rows_, block, row, task.ws, task.state.v);
            // General rows state all of an error; limits and contacts the share that is to go.
            const double share = r < static_cast<int>(task.general_rows) ? task.substep.removed_share : 1;
            b_kept_[r] = rate + row.kept_bias;
            b_[r] = b_kept_[r] + share * (row.bias - row.kept_bias);
            lambda_[r] = row.lambda;
        }
    std::fill(pushes_.begin(), pushes_.end(), Force<double>::zero());
    for (const int i : task.links) {
        const int index = task.bodies.index(i);
        double on_stretches[max_stretches];
        const Force<double> at_com =
            task.bodies.impulse_between(i, task.substep.before, task.substep.pushed, on_stretches);
        pushes_[i] = shift_back(at_com, task.bodies.places[index].x - task.ws.poses[i].X_WL.p);
        if (task.resists) pushes_[i].ang -= turning_.of_links()[i] * task.substep.before[index].w;
        if (task.bodies.is_asleep(index)) {
            pushes_[i] = Force<double>::zero();
            continue;
        }
        if (const int stretch = model_.tree.links[i].stretch; stretch >= 0)
            std::copy_n(on_stretches, model_.tree.stretches[stretch].count,
                        x_.begin() + model_.tree.stretches[stretch].v_adr);
    }
}

// λ for velocities b, and the change of velocities by it; joints remove their errors at a rate (1/s). Returns
// by how much the rows are missed.
double DirectSolve::find(std::span<const double> b, double removal, double accuracy,
                         ImpulseSolver::Effort effort, std::span<double> lambda, StepReport& report) {
    algebra_.free_change_of_bodies(x_, pushes_, b, removal, ahead_, s_free_);
    std::copy(s_free_.begin(), s_free_.end(), s_.begin());
    algebra_.apply(lambda, s_);
    const double missed = algebra_.solve({b, s_free_, accuracy, effort}, lambda, s_, report);
    algebra_.outward(s_, v_);
    return missed;
}

// The velocities that were found. Returns their kinetic energy over what links and rows had to give.
double DirectSolve::take_velocities(const Task& task) {
    MovingBodies& bodies = task.bodies;
    for (const int i : task.links) {
        const int index = bodies.index(i);
        const Motion<double> change = change_of(i, task.ws, bodies);
        const Velocity& before = task.substep.before[index];
        bodies.velocities[index].v = before.v + change.lin;
        bodies.velocities[index].w = before.w + change.ang;
        bodies.corrections[index].v = -change.lin;
        bodies.corrections[index].w = -change.ang;
        if (const int stretch = model_.tree.links[i].stretch; stretch >= 0) {
            const int place = bodies.rates(stretch);
            const Velocity changed = stretch_change(stretch);
            bodies.velocities[place].v = task.substep.before[place].v + changed.v;
            bodies.velocities[place].w = task.substep.before[place].w + changed.w;
            bodies.corrections[place] = {-changed.v, -changed.w};
        }
        joint_impulses_[i] =
            bodies.is_asleep(index) ? Force<double>::zero() : algebra_.joint_impulse(i, s_);
    }
    double given = bodies.resisted_energy(task.substep.pushed, task.links) + max_given(task.links, bodies);
    // Stretches were pushed already.
    for (const TreeLink<double>& link : model_.tree.links)
        for (int k = link.v_adr; k < link.v_adr + maximal::frame_freedoms(model_.tree, link); ++k)
            given += std::abs(x_[k] * v_[k]);
    const double found = bodies.resisted_energy(bodies.velocities, task.links);
    return found > 0 ? found / given : 0;
}

// Of positions, by the velocities found last, less those that are kept. False: something is not finite.
bool DirectSolve::take_corrections(const Task& task) {
    MovingBodies& bodies = task.bodies;
    double fastest = 0;
    bool finite = std::all_of(lambda_.begin(), lambda_.end(), [](double x) { return std::isfinite(x); });
    for (const int i : task.links) {
        Velocity& correction = bodies.corrections[bodies.index(i)];
        const Motion<double> change = change_of(i, task.ws, bodies);
        correction.v += change.lin;
        correction.w += change.ang;
        double speed = std::max(length(correction.v), length(correction.w) * bodies.gyration(i));
        if (const int stretch = model_.tree.links[i].stretch; stretch >= 0) {
            Velocity& stretching = bodies.corrections[bodies.rates(stretch)];
            const Velocity changed = stretch_change(stretch);
            stretching.v += changed.v;
            stretching.w += changed.w;
            speed = std::max(speed, (length(stretching.v) + length(stretching.w)) * bodies.gyration(i));
        }
        const Velocity& moving = bodies.velocities[bodies.index(i)];
        finite = finite && std::isfinite(speed + length(moving.v) + length(moving.w) +
                                         length(joint_impulses_[i].lin) + length(joint_impulses_[i].ang));
        fastest = std::max(fastest, speed);
    }
    // Nearly dependent rows ask for any speed.
    const double allowed = task.substep.fastest_correction;
    if (finite && fastest > allowed)
        for (const int i : task.links)
            bodies.for_each_place(i, [&](int place) {
                Velocity& correction = bodies.corrections[place];
                correction.v = (allowed / fastest) * correction.v;
                correction.w = (allowed / fastest) * correction.w;
            });
    return finite;
}

// With joints and equalities that give way by `damping` (body_algebra.h). Returns by how much rows are
// missed; infinity: there is no solution, or one with more energy than this many times what there was.
double DirectSolve::find_velocities(Task& task, double damping, double max_gain) {
    algebra_.damping = damping;
    if (task.report.status != StepStatus::ok || !prepare(task)) return HUGE_VAL;
    write_problem(task);
    const double missed =
        find(b_kept_, 0, options_.accuracy, ImpulseSolver::Effort::most, lambda_, task.report);
    if (task.report.status != StepStatus::ok) return HUGE_VAL;
    return take_velocities(task) <= max_gain ? missed : HUGE_VAL;
}

double DirectSolve::solve(std::span<const int> links, JointState<double>& state, Workspace<double>& ws,
                          const Substep& substep, const Parts& parts, MovingBodies& bodies,
                          StepReport& report) {
    using Effort = ImpulseSolver::Effort;
    const bool whole = static_cast<int>(links.size()) == bodies.links();
    std::fill(chosen_.begin(), chosen_.end(), 0);
    for (const int i : links) bodies.for_each_place(i, [&](int place) { chosen_[place] = 1; });
    Task task{links, state, ws, substep, parts, bodies,
              report, whole ? ChosenBodies() : ChosenBodies(chosen_)};
    ahead_ = 0.5 * substep.h;
    double missed = find_velocities(task, 0, direct_tuning.sound_gain);
    if (!std::isfinite(missed)) missed = find_velocities(task, direct_tuning.damping, direct_tuning.max_gain);
    if (!std::isfinite(missed)) return give_up(task);
    corrected_ = lambda_;
    find(b_, substep.removed_share / substep.h, direct_tuning.correction_accuracy, Effort::correction,
         corrected_, report);
    if (!take_corrections(task)) return give_up(task);
    const std::span<const double> impulses(lambda_);
    parts.general.take_impulses(impulses.first(task.general_rows), bodies.moving(), task.chosen);
    parts.limits.take_impulses(impulses.subspan(task.general_rows, task.limit_rows));
    parts.contacts.take_impulses(impulses.subspan(task.general_rows + task.limit_rows));
    parts.joints.take_impulses(joint_impulses_, task.chosen);
    look_at_tension(task);
    return missed;
}

}  // namespace lig::impulse
