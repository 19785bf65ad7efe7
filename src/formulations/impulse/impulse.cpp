#include "formulations/impulse/impulse.h"

#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/capabilities.h"
#include "model/collision_model.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lig {

using impulse::ContactPoints;
using impulse::direct_tuning;
using impulse::Give;
using impulse::solver_tuning;
using impulse::sweep_tuning;
using List = impulse::ContactPoints::List;

namespace {

constexpr int numbers_of_all = 2, numbers_of_link = 13;

int substeps_for(double rough) {
    const double wished = sweep_tuning.substeps_per_root * std::sqrt(rough);
    if (!(wished < sweep_tuning.max_substeps)) return sweep_tuning.max_substeps;
    return std::max(sweep_tuning.min_substeps, static_cast<int>(std::ceil(wished)));
}

// (links) Those on whose surfaces points of contact move as they turn: not on flat ones, nor where they stay
// along the normal.
std::vector<char> rolling_links(const Model& model) {
    std::vector<char> out(model.tree.links.size(), 0);
    for (std::size_t g = 0; g < model.geoms.size() && model.collision; ++g) {
        const int index = model.collision->index_of[g], link = model.bodies[model.geoms[g].body].link;
        if (index < 0 || link < 0) continue;
        switch (model.collision->geoms[index].shape.type) {
            case ShapeType::plane:
            case ShapeType::box:
            case ShapeType::sphere:
            case ShapeType::capsule: break;
            default: out[link] = 1;
        }
    }
    return out;
}

// Whether all that is beyond a link, or what something else connects it to, weighs many times as much.
bool carries_much_more(const Model& model, std::span<const std::pair<int, int>> connected) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    std::vector<double> beyond(links.size(), 0.0);
    for (std::size_t i = links.size(); i-- > 0;)
        if (links[i].parent >= 0) beyond[links[i].parent] += beyond[i] + links[i].inertia.mass;
    const auto mass = [&](int link) { return links[link].inertia.mass; };
    for (std::size_t i = 0; i < links.size(); ++i)
        if (beyond[i] > direct_tuning.heavy_ratio * links[i].inertia.mass) return true;
    return std::any_of(connected.begin(), connected.end(), [&](const std::pair<int, int>& pair) {
        if (pair.first < 0 || pair.second < 0) return false;
        const auto [least, most] = std::minmax(mass(pair.first), mass(pair.second));
        return most > direct_tuning.heavy_ratio * least;
    });
}

constexpr std::string_view unused_options[] = {"tolerance", "max_substeps", "seed"};

}  // namespace

Impulse::Impulse(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Formulation(model, options),
      model_(model),
      options_(options),
      way_(options.solver == "classic"     ? Way::classic
           : options.solver == "soft-step" ? Way::soft_step
                                           : Way::split_step),
      bodies_(model),
      unmet_(bodies_),
      joints_(bodies_),
      limits_(bodies_, context_.warm),
      general_(bodies_, limits_,
               {context_.motion.dynamics, context_.warm, context_.pose_targets, context_.tracking,
                context_.rows}),
      surroundings_(*model),
      islands_(bodies_, general_.connected()),
      sleeping_(bodies_, general_.connected()),
      q_(model->nq) {
    context_.bodies = this;
    unmet_.leave_alone(general_.acted_on(bodies_));
    if (way_ == Way::split_step && options.iterations == 0)
        direct_ = impulse::DirectSolve::make(model, context_.collision.contacts, options);
    if (!direct_) return;
    all_links_.resize(model->tree.links.size());
    std::iota(all_links_.begin(), all_links_.end(), 0);
    if (bodies_.links() > direct_tuning.max_links)
        direct_islands_ = std::make_unique<impulse::DirectIslands>(bodies_, general_.connected());
    rolling_ = rolling_links(*model);
    carries_heavy_ = carries_much_more(*model, general_.connected());
}

constinit const formulations::Capabilities Impulse::capabilities{
    .lacks = {formulations::Feature::massless_bodies},
    .coordinates = {Coordinates::automatic, Coordinates::maximal},
    .stepping = {Stepping::automatic},
    .integrator = {SmoothIntegrator::automatic},
    .impact = {ImpactLaw::automatic, ImpactLaw::simultaneous},
    .friction = {FrictionLaw::cone, FrictionLaw::per_axis},
    .solvers = formulations::SolverFamily::sequential,
    .own_options = "impulse",
    .unused = unused_options,
    .holds_equalities = false,
    .leaves_slop = true,
    .smooth_steps = "impulses in sub-steps",
};

void Impulse::forget() {
    Formulation::forget();
    sleeping_.wake_all();
    follow_sleep();
    joints_.forget();
    limits_.scale(0);
    rough_ = 0;
    direct_left_ = 0;
    if (direct_islands_) direct_islands_->forget();
    general_.forget();
}

void Impulse::state_was_set(const JointState<double>&) {
    fitting_ = false;
    mending_ = true;
    general_.state_was_set();
    sleeping_.wake_all();
    follow_sleep();
}

void Impulse::velocities_were_set(const JointState<double>& state) {
    const bool mending = mending_;
    state_was_set(state);
    mending_ = mending;
}

// Who sleeps is another than before.
void Impulse::follow_sleep() {
    bodies_.set_asleep(sleeping_.asleep());
    joints_.follow_sleep(bodies_);
    limits_.follow_sleep(bodies_);
}

void Impulse::save_bodies(std::vector<double>& out) const {
    out.clear();
    out.resize(numbers_of_all + numbers_of_link * static_cast<std::size_t>(bodies_.links()));
    out[0] = fitting_ ? 1.0 : 0.0;
    out[1] = rough_;
    double* to = out.data() + numbers_of_all;
    for (int i = 0; i < bodies_.links(); ++i) {
        const impulse::Place& place = bodies_.places[bodies_.index(i)];
        const impulse::Velocity& own = bodies_.velocities[bodies_.index(i)];
        const Vec3d &x = place.x, &v = own.v, &w = own.w;
        const Quatd& q = place.q;
        for (const double number :
             {x.x, x.y, x.z, q.w, q.x, q.y, q.z, w.x, w.y, w.z, v.x, v.y, v.z})
            *to++ = number;
    }
    joints_.save(out);
    general_.save(out);
    sleeping_.save(out);
    if (direct_islands_) direct_islands_->save(out);
    out.push_back(direct_left_);
    out.push_back(mending_);
}

void Impulse::restore_bodies(std::span<const double> numbers) {
    if (numbers.empty()) return;
    fitting_ = numbers[0] != 0;
    rough_ = numbers[1];
    direct_left_ = static_cast<int>(numbers[numbers.size() - 2]);
    mending_ = numbers.back() != 0;
    if (direct_islands_) direct_islands_->restore(numbers.data() + numbers.size() - 2 - bodies_.links());
    const double* n = numbers.data() + numbers_of_all;
    for (int i = 0; i < bodies_.links(); ++i, n += numbers_of_link)
        bodies_.set(i, {n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]},
                    {{n[7], n[8], n[9]}, {n[10], n[11], n[12]}});
    n = general_.restore(joints_.restore(n));
    limits_.restore(context_.warm.lambda);
    if (!options_.impulse.sleeping) return;
    sleeping_.restore(n);
    follow_sleep();
}

void Impulse::body_poses(const JointState<double>& state, std::span<Transformd> out) {
    find_bodies(state);
    bodies_.body_poses(out);
}

void Impulse::find_bodies(const JointState<double>& state) {
    if (fitting_) return place_bases(state);
    forward_kinematics(state, context_.motion.dynamics.ws);
    bodies_.from_joints(context_.motion.dynamics.ws);
    fitting_ = true;
}

void Impulse::place_bases(const JointState<double>& state) {
    if (state.kinematic.empty()) return;
    set_bases(state, context_.motion.dynamics.ws);
    bodies_.place_bases(context_.motion.dynamics.ws.bases);
}

// Kinematic bodies within a sub-step: where they are at its beginning, with the velocity that leads them to
// where they are at its end. Their acceleration is constant, so that is the one at half time. state.kinematic
// has these velocities until the sub-step is over.
void Impulse::lead_bases(JointState<double>& state, double h) {
    bases_ = state.kinematic;
    for (BaseMotion<double>& base : state.kinematic) base.velocity = moved(base, h / 2).velocity;
    place_bases(state);
}

// Where they are at the end of the sub-step, still with these velocities.
void Impulse::move_bases(JointState<double>& state, double h) {
    for (std::size_t k = 0; k < bases_.size(); ++k) {
        const BaseMotion<double> end = moved(bases_[k], h);
        state.kinematic[k].pos = end.pos;
        state.kinematic[k].quat = end.quat;
    }
    place_bases(state);
}

void Impulse::keep_before(const JointState<double>& state, double h) {
    places_before_ = bodies_.places;
    velocities_before_ = bodies_.velocities;
    context_.last.kind = SubstepKind::velocity;
    context_.last.h = h;
    context_.last.before = state;
    looked_back_ = false;
}

// Joint coordinates before the last sub-step, the change of their velocities by it, and its rows: those of
// general forces are there already.
void Impulse::look_back() {
    if (context_.last.kind != SubstepKind::velocity || looked_back_) return;
    looked_back_ = true;
    JointState<double> after = context_.last.before;
    bodies_.to_joints(after);
    std::swap(bodies_.places, places_before_);
    std::swap(bodies_.velocities, velocities_before_);
    place_bases(context_.last.before);
    bodies_.to_joints(context_.last.before);
    std::swap(bodies_.places, places_before_);
    std::swap(bodies_.velocities, velocities_before_);
    for (int k = 0; k < model_->nv; ++k) context_.velocity_change[k] = after.v[k] - context_.last.before.v[k];
    forward_kinematics(context_.last.before, context_.motion.dynamics.ws);
    // Whatever had an impulse has a row.
    const LastSubstep& last = context_.last;
    const RowContext context{.h = last.h, .time = last.before.time, .reach_speed = HUGE_VAL};
    for (int j = 0; j < static_cast<int>(model_->joints.size()); ++j)
        if (limits_.has(j)) add_limit_rows(last.before, *model_, j, context, context_.warm, context_.rows);
    add_contact_rows(context_.collision.contacts, context_.motion.dynamics.ws, context, 1, context_.rows);
}

void Impulse::look(double dt, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options_.timed);
    const Model& model = *model_;
    if (!model.options.enabled.constraint || !model.options.enabled.contact) return;
    bodies_.body_poses(surroundings_.poses());
    // An impact can make anything as fast as the fastest there is; against what stands still, that is seen in
    // time.
    double fastest = 0;
    for (const impulse::Velocity& own : bodies_.velocities) fastest = std::max(fastest, dot(own.v, own.v));
    surroundings_.look(dt, dt * std::sqrt(fastest), options_.threads, context_.collision, [&](int b) {
        const int index = bodies_.index(model.bodies[b].link);
        const impulse::Velocity& own = bodies_.velocities[index];
        const Vec3d arm = surroundings_.poses()[b].p - bodies_.places[index].x;
        return solver_tuning.reach_share * Motion<double>{own.w, own.v + cross(own.w, arm)};
    });
    context_.events.add(context_.collision.contacts.events);
}

// Forces, and rows where bodies are now.
void Impulse::prepare(JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::assemble, options_.timed);
    general_.prepare(state, h, options_.impulse.warm_starting, bodies_, report);
    const Vec3d gravity = model_->options.gravity;
    for (int i = 0; i < bodies_.links(); ++i) {
        if (bodies_.is_asleep(bodies_.index(i))) continue;
        const Vec3d weight = bodies_.mass(i) * gravity;
        bodies_.moving().push(bodies_.index(i), h * weight, Vec3d::zero());
    }
    if (direct_ && (!direct_islands_ || direct_islands_->may_solve())) pushed_ = bodies_.velocities;
    const bool warmly = options_.impulse.warm_starting;
    if (!warmly) {
        joints_.scale(0);
        limits_.scale(0);
        contacts_.scale(0);
    }
    // Contacts first: with what they are hit is what bodies do before the impulses of joints, which may be
    // large and against each other, are all there.
    const double deep = contacts_.prepare(bodies_, warmly);
    report.penetration = std::max(report.penetration, deep);
    if (warmly) general_.warm_start(bodies_.moving());
    apart_ = joints_.prepare(bodies_, warmly, state.q.data());
    report.joint_error = std::max(report.joint_error, apart_);
    const double passed = limits_.prepare(bodies_, h, warmly);
    report.limit_violation = std::max(report.limit_violation, passed);
    off_ = std::max({deep, passed, general_.acts() ? report.equality_error : 0.0});
}

void Impulse::restitute(double h, StepReport& report) {
    if (!contacts_.may_bounce()) return;
    means_ = bodies_.velocities;
    const double before = bodies_.kinetic_energy(means_);
    const double by_bases = -contacts_.work_of_bases(velocities_around(h));
    take_contacts(-1);
    contacts_.restitute(solver_tuning.min_bounce, bodies_.moving());
    take_contacts(1);
    const double kinematic = by_bases + contacts_.work_of_bases(velocities_around(h));
    report.energy.flows.kinematic += kinematic;
    report.energy.flows.impacts -= bodies_.kinetic_energy(bodies_.velocities) - before - kinematic;
}

void Impulse::drift(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::advance, options_.timed);
    bodies_.hold_still();
    general_.before_drift(bodies_.moving());
    bodies_.drift(h);
    general_.after_drift(bodies_.moving());
}

void Impulse::substep(JointState<double>& state, double h, StepReport& report) {
    const ImpulseOptions& how = options_.impulse;
    lead_bases(state, h);
    means_ = bodies_.velocities;
    prepare(state, h, report);
    if (report.status != StepStatus::ok) return;
    const int sweeps = options_.iterations > 0  ? options_.iterations
                       : way_ == Way::classic   ? solver_tuning.classic_sweeps
                       : !general_.is_stiff()   ? solver_tuning.sweeps
                       : way_ == Way::soft_step ? solver_tuning.soft_stiff_sweeps
                                                : solver_tuning.stiff_sweeps;
    switch (way_) {
        case Way::classic: {
            const Give feedback = Give::rigid(how.bias_factor / h);
            sweep_until_done(sweeps, feedback, feedback, report);
            account(state, h, report);
            drift(h, report);
            break;
        }
        case Way::soft_step:
            sweep_until_done(sweeps, Give::of(how.joints, h),
                             Give::of(how.contacts, h), report);
            account(state, h, report);
            drift(h, report);
            // Gaps to bases that had stayed behind would look open, and let go of what they push.
            move_bases(state, h);
            means_ = bodies_.velocities;
            // The same impulses at the arms of the new poses, so that angular momentum is kept.
            contacts_.prepare(bodies_, false);
            joints_.prepare(bodies_, false, state.q.data());
            limits_.prepare(bodies_, h, false);
            take_contacts(-1);
            sweep_until_done(sweeps, Give::none(), Give::none(), report);
            take_contacts(1);
            bodies_.hold_still();
            account_relaxation(report);
            break;
        case Way::split_step:
            find_impulses(state, sweeps, h, report);
            if (report.status != StepStatus::ok) return;
            account(state, h, report);
            account_corrections(h, report);
            drift(h, report);
            restitute(h, report);
            break;
    }
    general_.finish(state, h, bodies_.moving());
    for (std::size_t k = 0; k < bases_.size(); ++k) state.kinematic[k] = moved(bases_[k], h);
    state.time += h;
}

// Contacts within a time from now, and which of them are of islands at rest, or nearly. Islands wake up; at
// the beginning of a step they may fall asleep.
void Impulse::find_contacts_within(double time, bool beginning, StepReport& report) {
    look(time, report);
    const Stopwatch watch(report, StepStage::factor, options_.timed);
    if (options_.impulse.sleeping && sleeping_.look(context_.collision.contacts, bodies_, time, beginning))
        follow_sleep();
    lists_.assign(bodies_.velocities.size(), ContactPoints::passing);
    if (way_ == Way::split_step && (direct_islands_ || !context_.collision.contacts.manifolds.empty())) {
        islands_.find(context_.collision.contacts, bodies_);
        if (direct_islands_) direct_islands_->find(context_.collision.contacts, islands_, bodies_);
        enum : char {
            quiet,
            fast,
            held
        };
        tempers_.assign(bodies_.links(), quiet);
        for (int i = 0; i < bodies_.links(); ++i) {
            const Vec3d& v = bodies_.velocities[bodies_.index(i)].v;
            const bool speeds = dot(v, v) > sweep_tuning.steady_speed * sweep_tuning.steady_speed;
            const char own = islands_.is_held(i) ? held : speeds ? fast
                                                                 : quiet;
            char& temper = tempers_[islands_.of(i)];
            temper = std::max(temper, own);
        }
        for (int i = 0; i < bodies_.links(); ++i) {
            const char temper = tempers_[islands_.of(i)];
            lists_[bodies_.index(i)] = temper == held   ? ContactPoints::passing
                                       : temper == fast ? ContactPoints::loose
                                                        : ContactPoints::steady;
        }
    }
    contacts_.find(context_.collision.contacts, bodies_, time, lists_);
    find_turning_links();
}

// Between two bodies that are not planes a normal turns with either of them; balls alone may turn.
void Impulse::find_turning_links() {
    turning_ = rolling_;
    if (turning_.empty()) return;
    if (direct_islands_) direct_islands_->choose(bodies_);
    if (direct_islands_ && direct_islands_->count() == 0) return turning_.clear();
    const Contacts& contacts = context_.collision.contacts;
    for (const Manifold& manifold : contacts.manifolds) {
        const int geoms[] = {manifold.geom_a, manifold.geom_b};
        const auto type_of = [&](int geom) {
            return model_->collision->geoms[model_->collision->index_of[geom]].shape.type;
        };
        if (type_of(geoms[0]) == ShapeType::plane || type_of(geoms[1]) == ShapeType::plane) continue;
        bool near = false;
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c)
            near = near || contacts.contacts[c].distance < direct_tuning.near_gap;
        for (const int geom : geoms) {
            const int link = model_->bodies[model_->geoms[geom].body].link;
            if (near && link >= 0 && type_of(geom) != ShapeType::sphere) turning_[link] = 1;
        }
    }
}

double Impulse::fastest_turn() const {
    double squared = 0;
    for (std::size_t i = 0; i < turning_.size(); ++i) {
        const Vec3d& w = bodies_.velocities[bodies_.index(static_cast<int>(i))].w;
        if (turning_[i] && is_direct(static_cast<int>(i))) squared = std::max(squared, dot(w, w));
    }
    return std::sqrt(squared);
}

// By the accelerations with which the two sides of joints leave each other as bodies turn on.
int Impulse::substeps_for_turning(double dt) const {
    if (!direct_ || (direct_islands_ && direct_islands_->count() == 0)) return 0;
    const auto curving = [&](int link, const Vec3d& joint) {
        const int index = bodies_.index(link);
        const Vec3d& w = bodies_.velocities[index].w;
        return cross(w, cross(w, joint - bodies_.places[index].x));
    };
    double squared = 0;
    for (int i = 0; i < bodies_.links(); ++i) {
        const TreeLink<double>& link = model_->tree.links[i];
        if (!bodies_.has_joint_rows(i) || link.kernel == TreeLink<double>::Kernel::free) continue;
        if (!is_direct(i)) continue;
        const Vec3d joint = bodies_.link_pose(i).p;
        const Vec3d apart = curving(i, joint) - curving(link.parent, joint);
        squared = std::max(squared, dot(apart, apart));
    }
    const double wished = dt * std::sqrt(0.5 * std::sqrt(squared) / direct_tuning.turning_gap);
    if (!(wished < direct_tuning.max_turning_substeps)) return direct_tuning.max_turning_substeps;
    return static_cast<int>(std::ceil(wished));
}

// Impulses are kept for a sub-step of this length. Those of contacts come as forces where they are new.
void Impulse::scale_impulses(double h, bool new_contacts) {
    settings_.h = h;
    contacts_.scale(new_contacts ? h : h / context_.impulse_time);
    if (context_.impulse_time > 0 && h != context_.impulse_time) {
        const double scale = h / context_.impulse_time;
        joints_.scale(scale);
        limits_.scale(scale);
        general_.scale(scale);
        for (double& lambda : context_.warm.lambda) lambda *= scale;
    }
    context_.impulse_time = h;
}

void Impulse::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                        StepReport& report) {
    const ImpulseOptions& how = options_.impulse;
    find_bodies(state);
    limits_.follow(state.q);
    if (callbacks.control) callbacks.control(state, context_.motion.dynamics);
    if (how.sleeping)
        sleeping_.begin_step(state, context_.motion.dynamics, general_.drives_joints(state.time, dt));
    general_.begin_step(state, dt);
    settings_ = {.slop = how.slop,
                 .per_axis = options_.friction == FrictionLaw::per_axis,
                 .accumulated = how.accumulated_clamping,
                 .bounce = way_ == Way::classic,
                 .least_bounce = solver_tuning.min_bounce};
    // Sub-steps as the motion needs them, finer from one to the next.
    const bool chooses = way_ == Way::split_step && how.substeps == 0;
    int substeps = how.substeps > 0         ? how.substeps
                   : way_ == Way::classic   ? 1
                   : way_ == Way::soft_step ? solver_tuning.soft_substeps
                                            : substeps_for(rough_);
    if (chooses && general_.acts()) substeps = std::max(substeps, sweep_tuning.smooth_substeps);
    if (chooses) substeps = std::max(substeps, substeps_for_turning(dt));
    int looked = 0;  // sub-steps since contacts were found,
    double turned = 0;  // … and by how much something has turned whose points of contact move
    rough_ = 0;
    double apart = 0, broken = 0, passed = 0;  // joints, all that is off, and limits when the step began
    for (double left = dt; left > 0 && report.status == StepStatus::ok;) {
        if (report.substeps == 0 ||
            (way_ == Way::split_step &&
             (looked == sweep_tuning.substeps_per_look || turned > direct_tuning.max_turned))) {
            if (report.substeps > 0) contacts_.store(context_.collision.contacts);
            const double ahead =
                way_ == Way::split_step ? sweep_tuning.substeps_per_look * dt / substeps : dt;
            find_contacts_within(std::min(left, ahead), report.substeps == 0, report);
            if (context_.impulse_time > 0) contacts_.scale(1 / context_.impulse_time);
            looked = 0;
            turned = 0;
            if (chooses)
                substeps = std::max(substeps, substeps_for(sweep_tuning.hit_weight * contacts_.hit_speed()));
        }
        const double count = std::max(1.0, std::ceil(left * substeps / dt - 1e-6));
        const double h = left / count;
        scale_impulses(h, looked == 0);
        if (count == 1) keep_before(state, h);
        missed_ = 0;
        substep(state, h, report);
        left = count == 1 ? 0 : left - h;
        if (++report.substeps == 1) {
            apart = report.joint_error;
            passed = std::max(report.limit_violation, general_.limit_violation(state));
            broken = std::max({apart, report.equality_error, report.penetration});
        }
        if (direct_islands_) direct_islands_->end_substep();
        turned += h * fastest_turn();
        ++looked;
        rough_ = std::max(rough_, missed_);
        if (chooses) substeps = std::max({substeps, substeps_for(missed_), substeps_for_turning(dt)});
        if (chooses && carries_heavy_ && direct_->holds_tension())
            substeps = direct_tuning.max_turning_substeps;
    }
    report.velocity_steps = report.substeps;
    report.residual = rough_;
    if (report.status != StepStatus::ok) return;
    if (way_ == Way::soft_step) restitute(context_.impulse_time, report);
    contacts_.store(context_.collision.contacts);
    limits_.store(context_.warm.lambda);
    const Stopwatch watch(report, StepStage::advance, options_.timed);
    place_bases(state);
    bodies_.to_joints_of_awake(state);
    // What is left, where bodies are now.
    report.joint_error = joints_.prepare(bodies_, false, state.q.data());
    report.penetration = contacts_.prepare(bodies_, false);
    report.limit_violation =
        std::max(limits_.prepare(bodies_, settings_.h, false), general_.limit_violation(state));
    // To mend what was off to begin with takes energy, or gives it. What a base does by the inertia of a
    // tendon is not in the ledger.
    const double left_over = std::max({report.joint_error, report.equality_error, report.penetration});
    mending_ = mending_ && broken > solver_tuning.min_broken;
    context_.given_open =
        (mending_ && left_over <= broken) ||
        (!context_.motion.dynamics.drives.inertial_tendons.empty() && model_->nkinematic > 0);
    // Joints that were apart to begin with and come together are as they should be.
    if (!(report.joint_error <= std::max(apart, solver_tuning.suspicious_gap)))
        note_torn_joint(state, report);
    if (report.status == StepStatus::ok && report.limit_violation > passed) note_passed_limit(state, report);
    if (!how.sleeping) return;
    sleeping_.end_step(bodies_, dt);
    report.sleeping = sleeping_.count();
}

}  // namespace lig
