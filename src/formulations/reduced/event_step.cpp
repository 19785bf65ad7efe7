// The sub-step. What happens in it is found in event_detection.cpp, forces and jumps in event_forces.cpp.

#include "formulations/reduced/event_step.h"

#include "constraints/base_motion.h"
#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "formulations/reduced/tuning.h"
#include "simulation/butcher.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const EventTuning& tuning = event_tuning;

// The first t > 0 at which gap + rate t + acceleration t²/2 = 0, by the form that does not cancel; infinite
// if there is none.
double time_to_close(double gap, double rate, double acceleration) {
    if (gap <= 0) return rate > 0 && acceleration < 0 ? -2 * rate / acceleration : HUGE_VAL;
    const double squared = rate * rate - 2 * acceleration * gap;
    if (squared < 0) return HUGE_VAL;
    const double speed = std::sqrt(squared);
    return rate - speed < 0 ? 2 * gap / (speed - rate) : HUGE_VAL;
}

// By which the rates of a stage of rk45 count in its result.
double result_weight(int stage) {
    using Table = butcher::DormandPrince;
    return stage < Table::stages - 1 ? Table::a[Table::stages - 1][stage] : 0;
}

Motion<double> acceleration_of(const Workspace<double>& ws, const JointFactor& factor, int link) {
    return link >= 0 ? ws.links[link].a0 + factor.link_motion(link) : ws.bases[-1 - link].a0;
}

EventTolerances tolerances_of(const StepContext& context) {
    const double size = Surroundings(*context.model).size();
    const double caught = std::max(tuning.min_caught, tuning.caught_tolerances * context.options.tolerance);
    return {.accuracy = context.options.tolerance,
            .caught_gap = caught * (size > 0 ? size : 1),
            .caught_angle = caught,
            .bouncing_gap = tuning.closed_share * (size > 0 ? size : 1),
            .speed = caught,
            .slip = tuning.slow_share * caught};
}

}  // namespace

EventStep::EventStep(StepContext& context) : EventStep(context, tolerances_of(context)) {}

EventStep::EventStep(StepContext& context, const EventTolerances& tolerances)
    : context_(context),
      model_(*context.model),
      set_(context.model),
      factor_(model_),
      solver_(model_, factor_, set_.found(), context.options),
      impacts_(context.options),
      surroundings_(model_),
      pose_drive_(model_),
      equalities_(model_, Equalities::multiplier_count(model_)),
      probe_(context.model),
      nothing_(tolerances),
      next_(model_),
      unlimited_(model_),
      unused_terms_(model_),
      flows_(model_) {
    bool inertial = false;
    for (const Model::Tendon& tendon : model_.tendons) inertial = inertial || tendon.armature > 0;
    if (!Equalities(model_).acting().empty() || inertial) closure_.emplace(model_);
    for (std::vector<double>* v : {&tau_, &x_, &zero_, &s_, &s_free_, &qacc_, &drive_, &drives_})
        v->assign(model_.nv, 0.0);
}

void EventStep::begin(double dt) {
    step_ = next_step_ = dt;
    missed_ = 0;
    bounces_.clear();
    clear_contacts(probe_);
    lambda_.clear();
}

void EventStep::look(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    forward_kinematics(state, dynamics.ws);
    update_drives(state, dynamics.ws, dynamics.drives);
    near_.clear();
    if (surroundings_.look(dynamics.ws, h, context_.options.threads, context_.collision)) {
        const Contacts& found = context_.collision.contacts;
        context_.events.add(found.events);
        for (const Contact& contact : found.contacts) {
            report.penetration = std::max(report.penetration, -contact.distance);
            const Manifold& manifold = found.manifolds[contact.manifold];
            const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
            const double gap = contact_gap(found, contact);
            const bool loaded = dot(contact.impulse, contact.normal) > 0;
            near_.push_back(
                {yields(manifold) && gap <= closed_gap(found.properties[manifold.properties], loaded),
                 loaded, gap,
                 dot(contact.normal, motion_between(dynamics.ws, manifold.geom_a, manifold.geom_b, p).lin)});
        }
    }
    find_bounds(state, h);
    for (const NearBound& bound : near_bounds_)
        report.limit_violation = std::max(report.limit_violation, -bound.near.gap);
}

void EventStep::find_bounds(const JointState<double>& state, double h) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    double fastest = 0;
    for (const double v : state.v) fastest = std::max(fastest, std::abs(v));
    const RowContext context{.h = tuning.gap_step,
                             .reach_speed =
                                 h * (RowContext{.h = h}.reach_speed + 2 * fastest) / tuning.gap_step,
                             .correction = 1,
                             .fastest_correction = HUGE_VAL,
                             .slop = 0};
    bound_rows_.clear();
    near_bounds_.clear();
    add_limit_rows(state, model_, context, context_.warm, bound_rows_);
    add_tendon_limit_rows(state, model_, dynamics.drives, context, context_.warm, bound_rows_);
    for (const RowBlock& block : bound_rows_.blocks)
        for (const Row& row : bound_rows_.rows_of(block)) {
            const double gap = tuning.gap_step * row.bias;
            const double rate = row_rate(bound_rows_, block, row, dynamics.ws, state.v);
            const bool loaded = context_.warm.lambda[row.warm] > 0;
            near_bounds_.push_back({{block.kind, block.source, row.warm, loaded, gap},
                                    {gap <= (loaded ? 2 : 1) * nothing_.caught_angle, loaded, gap, rate},
                                    static_cast<int>(&row - bound_rows_.rows.data())});
        }
}

// What is closed: all of it, for an impact, or what does not part.
void EventStep::choose_set(const JointState<double>& state, bool resting_only) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const Contacts& found = context_.collision.contacts;
    set_.clear();
    const auto wanted = [&](const Near& near) {
        return near.closed && (!resting_only || near.rate <= nothing_.speed);
    };
    for (std::size_t i = 0; i < near_.size(); ++i) {
        if (!wanted(near_[i])) continue;
        const Contact& contact = found.contacts[i];
        set_.add(found, static_cast<int>(i), dynamics.ws);
        ClosedContact& own = set_.contacts.back();
        own.loaded = near_[i].loaded;
        own.impulse = contact.impulse;
        const Motion<double> V_AB =
            motion_between(dynamics.ws, own.geom_a, own.geom_b, 0.5 * (contact.on_a + contact.on_b));
        own.slip = V_AB.lin - dot(V_AB.lin, contact.normal) * contact.normal;
        own.spin = V_AB.ang;
        own.slides = slip_speed(found.properties[own.properties], contact.normal, own.slip, own.spin) >
                     nothing_.slip;
        own.holds = false;
        if (!own.slides) own.slip = own.spin = Vec3d::zero();
    }
    for (const NearBound& bound : near_bounds_)
        if (wanted(bound.near)) set_.bounds.push_back(bound.bound);
    for (Rubbing& rubbing : set_.rubbings) {
        const double v = speed_of(state, rubbing);
        rubbing.sign = v > nothing_.speed ? 1 : v < -nothing_.speed ? -1
                                                                    : 0;
        rubbing.speed = std::abs(v);
    }
}

bool EventStep::yields(const Manifold& manifold) const {
    const auto moves = [&](int geom) { return model_.bodies[model_.geoms[geom].body].link >= 0; };
    return moves(manifold.geom_a) || moves(manifold.geom_b);
}

// Up to which gap a contact counts as closed.
double EventStep::closed_gap(const ContactProperties& how, bool loaded) const {
    return loaded ? 2 * nothing_.caught_gap : how.restitution > 0 ? nothing_.bouncing_gap
                                                                  : nothing_.caught_gap;
}

// The velocity of geom B at a point less that of geom A.
Motion<double> EventStep::motion_between(const Workspace<double>& ws, int geom_a, int geom_b,
                                         const Vec3d& p) const {
    const auto motion_of = [&](int geom) {
        const int link = model_.bodies[model_.geoms[geom].body].link;
        return shift(carrier_velocity(ws, link), p - carrier_pose(ws, link).p);
    };
    return motion_of(geom_b) - motion_of(geom_a);
}

// In the measure of the cone, as a velocity: sliding with the first coefficient counts as it is.
double EventStep::slip_speed(const ContactProperties& how, const Vec3d& normal, const Vec3d& slip,
                             const Vec3d& spin) const {
    const double mu = how.condim > 1 ? how.friction[0] : 0;
    if (!(mu > 0)) return 0;
    double squares = dot(slip, slip);
    const double about = dot(spin, normal);
    const Vec3d across = spin - about * normal;
    if (how.condim > 3) squares += how.friction[2] * how.friction[2] * about * about / (mu * mu);
    if (how.condim > 4) squares += how.friction[3] * how.friction[3] * dot(across, across) / (mu * mu);
    return std::sqrt(squares);
}

double EventStep::speed_of(const JointState<double>& state,
                           const Rubbing& rubbing) const {
    return rubbing.kind == RowKind::friction_loss
               ? state.v[rubbing.warm - context_.warm.friction_loss(0)]
               : context_.motion.dynamics.drives.tendon_velocity[rubbing.source];
}

bool EventStep::approaches() const {
    return approach().speed > std::max(nothing_.speed, 2 * missed_);
}

EventStep::Approach EventStep::approach() const {
    Approach fastest;
    const auto is_faster = [&](const Near& near) { return near.closed && -near.rate > fastest.speed; };
    for (std::size_t i = 0; i < near_.size(); ++i)
        if (is_faster(near_[i]))
            fastest = {-near_[i].rate, &context_.collision.contacts.contacts[i], nullptr};
    for (const NearBound& bound : near_bounds_)
        if (is_faster(bound.near)) fastest = {-bound.near.rate, nullptr, &bound.bound};
    for (const BoundedRow& row : set_.bounded)
        if (row.one_sided && row.acts && -row.rate > fastest.speed) fastest = {-row.rate, nullptr, nullptr};
    return fastest;
}

bool EventStep::look_at(const JointState<double>& state, StepReport& report) {
    look(state, step_, report);
    choose_set(state, true);
    set_.find_bounded(state, context_.motion.dynamics.ws, context_.warm, nothing_.caught_gap, nothing_.speed);
    return !approaches();
}

// When the first contact or bound that is not closed, or parts, will be reached, at most h. After accelerate
// at the same state.
double EventStep::expected(std::span<const double> qacc, double h) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Contacts& found = context_.collision.contacts;
    const auto stays = [&](const Near& near) { return near.closed && near.rate <= nothing_.speed; };
    double first = h;
    for (std::size_t i = 0; i < near_.size(); ++i) {
        const Manifold& manifold = found.manifolds[found.contacts[i].manifold];
        if (stays(near_[i]) || !yields(manifold)) continue;
        const Vec3d& n = found.contacts[i].normal;
        const Vec3d p = 0.5 * (found.contacts[i].on_a + found.contacts[i].on_b);
        const auto acceleration = [&](int geom) {
            const int link = model_.bodies[model_.geoms[geom].body].link;
            const Vec3d arm = p - carrier_pose(ws, link).p, w = carrier_velocity(ws, link).ang;
            const Motion<double> a = acceleration_of(ws, factor_, link);
            return a.lin + cross(a.ang, arm) + cross(w, cross(w, arm));
        };
        first = std::min(first, time_to_close(near_[i].gap, near_[i].rate,
                                              dot(n, acceleration(manifold.geom_b) -
                                                         acceleration(manifold.geom_a))));
    }
    for (const NearBound& bound : near_bounds_) {
        if (stays(bound.near)) continue;
        const Row& row = bound_rows_.rows[bound.row];
        double acceleration = 0;
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            acceleration += bound_rows_.entries[e].value * qacc[bound_rows_.entries[e].dof];
        first = std::min(first, time_to_close(bound.near.gap, bound.near.rate, acceleration));
    }
    if (near_.empty()) return first;
    for (std::size_t link = 0; link < ws.poses.size(); ++link)
        if (const double turning = length(ws.poses[link].V_WL.ang); first * turning > tuning.max_turn)
            first = tuning.max_turn / turning;
    return first;
}

EventStep::Result EventStep::advance(JointState<double>& state, double remaining,
                                     const Callbacks& callbacks, StepReport& report) {
    look(state, remaining, report);
    const bool driven = context_.pose_targets.active() || context_.tracking.acts(state.time, remaining);
    if (near_.empty() && near_bounds_.empty() && set_.rubbings.empty() && !driven)
        return {.outcome = Outcome::idle};
    if (approaches()) {
        choose_set(state, false);
        missed_ = jump(state, report);
        ++report.events;
        ++report.impacts;
        return {.outcome = Outcome::jumped};
    }
    choose_set(state, true);
    if (!accelerate(state, callbacks, report, qacc_))
        return {.outcome = Outcome::stuck,
                .why = "no forces were found that keep closed what is closed",
                .forceless = true};
    find_held();
    const double h = longest_onset(std::min({remaining, next_step_, expected(qacc_, remaining)}));
    settle(state, report);
    if (settled_ > 0) find_bounds(state, h);
    return step_to_event(state, h, callbacks, report);
}

// Forces at the stages of a tentative step, and what these do by the weights of the velocities.
struct EventStep::Stages {
    EventStep& step;
    const Callbacks& callbacks;
    StepReport& report;
    const EnergyFlows first_powers;
    const OutsideImpulses first_outside;
    int stage = 0;
    EnergyFlows work{};
    OutsideImpulses outside{};

    void begin() {
        stage = 0;
        work = result_weight(0) * first_powers;
        outside = result_weight(0) * first_outside;
    }
    bool accelerate(const JointState<double>& at, std::span<double> qacc) {
        if (!step.accelerate(at, callbacks, report, qacc)) return false;
        const double weight = result_weight(++stage);
        work += weight * step.powers_;
        if (step.context_.momentum) outside += weight * step.outside_;
        return true;
    }
};

// A step of rk45 of length h, or shorter: by its error, or to where something has happened. After accelerate
// at the state.
EventStep::Result EventStep::step_to_event(JointState<double>& state, double h, const Callbacks& callbacks,
                                           StepReport& report) {
    const bool slides = std::any_of(set_.contacts.begin(), set_.contacts.end(),
                                    [](const ClosedContact& contact) { return contact.slides; });
    // Steps that slow sliding makes shorter than this are better made on velocities.
    const double shortest = (slides ? 0.02 : 1e-6) * step_;
    const double instant = 1e-13 * std::max(1.0, std::abs(state.time));
    double passed = HUGE_VAL;  // something has happened by then
    bool located = false;
    Stages stages{*this, callbacks, report, powers_, outside_};
    // One pointer: std::function holds that without allocating.
    const SmoothMotion::Accelerate forces = [&stages](const JointState<double>& at, std::span<double> qacc) {
        return stages.accelerate(at, qacc);
    };
    for (int count = 0; count < tuning.max_attempts; ++count) {
        h = std::max(h, instant);
        // Activations had their rates with the accelerations.
        if (count > 0 && model_.na > 0 && !accelerate(state, callbacks, report, qacc_)) break;
        stages.begin();
        const double error =
            context_.motion.try_step(state, qacc_, h, context_.options.tolerance, forces, next_);
        if (!(error <= 1) && h > instant) {
            ++report.rejected;
            h *= std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.9) : 0.1;
            next_step_ = h;
            if (h < shortest) break;
            continue;
        }
        if (!std::isfinite(error)) break;
        const double back = look_back(h, report);
        if (back > 0 && h > instant && passed > instant) {
            ++report.rejected;
            located = true;
            passed = h;
            h -= back;
            if (!(h > 0.001 * passed)) h = 0.5 * passed;
            continue;
        }
        const double grown = 0.9 * std::pow(std::max(error, 1e-10), -0.2);
        next_step_ = std::max(next_step_, h) * std::clamp(h < next_step_ ? 1.0 : grown, 0.2, 5.0);
        report.events += located;
        report.energy.flows += h * stages.work;
        if (context_.momentum) context_.momentum->sum += h * stages.outside;
        std::swap(state, next_);
        store_forces();
        last_h_ = h;
        missed_ = 0;
        return {.outcome = Outcome::moved, .time = h};
    }
    return {.outcome = Outcome::stuck, .why = "steps became too short"};
}

void EventStep::store_forces() const {
    for (Contact& contact : context_.collision.contacts.contacts)
        contact.impulse = contact.moment_impulse = Vec3d::zero();
    std::fill(context_.warm.lambda.begin(), context_.warm.lambda.end(), 0.0);
    std::size_t contact = 0;
    for (std::size_t k = static_cast<std::size_t>(one_sided_); k < rows_.blocks.size(); ++k) {
        const RowBlock& block = rows_.blocks[k];
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            if (block.kind != RowKind::contact) {
                if (row.warm >= 0) context_.warm.lambda[row.warm] = lambda_[r];
                continue;
            }
            Contact& to = context_.collision.contacts.contacts[set_.contacts[contact].source];
            if (r < block.begin + 3)
                to.impulse += lambda_[r] * row.on_b.lin;
            else
                to.moment_impulse += lambda_[r] * row.on_b.ang;
        }
        contact += block.kind == RowKind::contact;
    }
}

}  // namespace lig
