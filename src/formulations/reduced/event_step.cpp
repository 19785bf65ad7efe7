// The sub-step and its events. Forces and jumps are in event_forces.cpp.

#include "formulations/reduced/event_step.h"

#include "constraints/base_motion.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "simulation/butcher.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// What touches and bounces does so up to this share of the bodies' size.
constexpr double closed_share = 1e-9;
// What does not bounce is caught from as many times the tolerance on (a share of the size; rad), and held up
// to twice that; slower than that many times the tolerance nothing approaches, parts or slides (m/s, rad/s).
// Bodies that come to rest rattle infinitely often in a finite time: this ends it.
constexpr double caught_tolerances = 100, least_caught = 1e-9;
// What slides slower than that many times more sticks, if its friction holds it: the direction of friction
// turns by μg/v per second, and no explicit method follows that down to v = 0.
constexpr double slow_share = 10;
// How far a link may turn in a step while something is near that it could touch.
constexpr double most_turn = 0.5;
constexpr int most_attempts = 60;

// For gaps: of a row in a step this short, bias · h is the gap, and what else is in it is not felt.
constexpr double gap_step = 1e-9;

// The first t > 0 at which gap + rate t + acceleration t²/2 = 0, by the form that does not cancel; infinite
// if there is none.
double time_to_close(double gap, double rate, double acceleration) {
    if (gap <= 0) return rate > 0 && acceleration < 0 ? -2 * rate / acceleration : HUGE_VAL;
    const double squared = rate * rate - 2 * acceleration * gap;
    if (squared < 0) return HUGE_VAL;
    const double speed = std::sqrt(squared);
    return rate - speed < 0 ? 2 * gap / (speed - rate) : HUGE_VAL;
}

bool same_feature(const ClosedContact& own, const Manifold& manifold, const Contact& contact) {
    return own.geom_a == manifold.geom_a && own.geom_b == manifold.geom_b && own.part == manifold.part &&
           own.feature == contact.feature;
}

double gap_of(const Contacts& found, const Contact& contact) {
    const ContactProperties& how = found.properties[found.manifolds[contact.manifold].properties];
    return contact.distance - (how.margin - how.gap);
}

// By which the rates of a stage of rk45 count in its result.
double result_weight(int stage) {
    using Table = butcher::DormandPrince;
    return stage < Table::stages - 1 ? Table::a[Table::stages - 1][stage] : 0;
}

// Whether one of the bodies of a contact can move.
bool yields(const Model& model, const Manifold& manifold) {
    return model.bodies[model.geoms[manifold.geom_a].body].link >= 0 ||
           model.bodies[model.geoms[manifold.geom_b].body].link >= 0;
}

Motion<double> acceleration_of(const Workspace<double>& ws, const JointFactor& factor, int link) {
    return link >= 0 ? ws.links[link].a0 + factor.link_motion(link) : ws.bases[-1 - link].a0;
}

}  // namespace

EventStep::EventStep(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : options_(options),
      model_(*model),
      set_(model),
      factor_(*model),
      solver_(*model, factor_, set_.found(), options),
      impacts_(options),
      surroundings_(*model),
      pose_drive_(*model),
      equalities_(*model, Equalities::multiplier_count(*model)),
      probe_(model),
      next_(*model),
      unlimited_(*model),
      unused_terms_(*model),
      flows_(*model) {
    const double size = surroundings_.size() > 0 ? surroundings_.size() : 1;
    least_speed_ = caught_share_ = std::max(least_caught, caught_tolerances * options.tolerance);
    slow_slip_ = slow_share * least_speed_;
    bouncing_gap_ = closed_share * size;
    caught_gap_ = caught_share_ * size;
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

void EventStep::look(const Scene& scene, const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options_.timed);
    SmoothDynamics& dynamics = scene.motion.dynamics;
    forward_kinematics(state, dynamics.ws);
    update_drives(state, dynamics.ws, dynamics.drives);
    near_.clear();
    if (surroundings_.look(dynamics.ws, h, options_.threads, scene.collision)) {
        const Contacts& found = scene.collision.contacts;
        scene.events.add(found.events);
        for (const Contact& contact : found.contacts) {
            report.penetration = std::max(report.penetration, -contact.distance);
            const Manifold& manifold = found.manifolds[contact.manifold];
            const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
            const double gap = gap_of(found, contact);
            const bool loaded = dot(contact.impulse, contact.normal) > 0;
            near_.push_back(
                {yields(model_, manifold) && gap <= closed_gap(found.properties[manifold.properties], loaded),
                 loaded, gap,
                 dot(contact.normal, motion_between(dynamics.ws, manifold.geom_a, manifold.geom_b, p).lin)});
        }
    }
    find_bounds(scene, state, h);
    for (const NearBound& bound : near_bounds_)
        report.limit_violation = std::max(report.limit_violation, -bound.near.gap);
}

void EventStep::find_bounds(const Scene& scene, const JointState<double>& state, double h) {
    const SmoothDynamics& dynamics = scene.motion.dynamics;
    double fastest = 0;
    for (const double v : state.v) fastest = std::max(fastest, std::abs(v));
    const RowContext context{.h = gap_step,
                             .reach_speed = h * (RowContext{.h = h}.reach_speed + 2 * fastest) / gap_step,
                             .correction = 1,
                             .fastest_correction = HUGE_VAL,
                             .slop = 0};
    bound_rows_.clear();
    near_bounds_.clear();
    add_limit_rows(state, model_, context, scene.warm, bound_rows_);
    add_tendon_limit_rows(state, model_, dynamics.drives, context, scene.warm, bound_rows_);
    for (const RowBlock& block : bound_rows_.blocks)
        for (const Row& row : bound_rows_.rows_of(block)) {
            const double gap = gap_step * row.bias;
            const double rate = row_rate(bound_rows_, block, row, dynamics.ws, state.v);
            const bool loaded = scene.warm.lambda[row.warm] > 0;
            near_bounds_.push_back({{block.kind, block.source, row.warm, loaded, gap},
                                    {gap <= (loaded ? 2 : 1) * caught_share_, loaded, gap, rate},
                                    static_cast<int>(&row - bound_rows_.rows.data())});
        }
}

// What is closed: all of it, for an impact, or what does not part.
void EventStep::choose_set(const Scene& scene, const JointState<double>& state, bool resting_only) {
    const SmoothDynamics& dynamics = scene.motion.dynamics;
    const Contacts& found = scene.collision.contacts;
    set_.clear();
    const auto wanted = [&](const Near& near) {
        return near.closed && (!resting_only || near.rate <= least_speed_);
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
                     slow_slip_;
        own.holds = false;
        if (!own.slides) own.slip = own.spin = Vec3d::zero();
    }
    for (const NearBound& bound : near_bounds_)
        if (wanted(bound.near)) set_.bounds.push_back(bound.bound);
    for (Rubbing& rubbing : set_.rubbings) {
        const double v = speed_of(scene, state, rubbing);
        rubbing.sign = v > least_speed_ ? 1 : v < -least_speed_ ? -1
                                                                : 0;
        rubbing.speed = std::abs(v);
    }
}

// Up to which gap a contact counts as closed.
double EventStep::closed_gap(const ContactProperties& how, bool loaded) const {
    return loaded ? 2 * caught_gap_ : how.restitution > 0 ? bouncing_gap_
                                                          : caught_gap_;
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

double EventStep::speed_of(const Scene& scene, const JointState<double>& state,
                           const Rubbing& rubbing) const {
    return rubbing.kind == RowKind::friction_loss
               ? state.v[rubbing.warm - scene.warm.friction_loss(0)]
               : scene.motion.dynamics.drives.tendon_velocity[rubbing.source];
}

bool EventStep::approaches() const {
    const double speed = std::max(least_speed_, 2 * missed_);
    const auto closes = [&](const Near& near) { return near.closed && near.rate < -speed; };
    return std::any_of(near_.begin(), near_.end(), closes) ||
           std::any_of(near_bounds_.begin(), near_bounds_.end(),
                       [&](const NearBound& bound) { return closes(bound.near); });
}

// When the first contact or bound that is not closed, or parts, will be reached, at most h. After accelerate
// at the same state.
double EventStep::expected(const Scene& scene, std::span<const double> qacc, double h) const {
    const Workspace<double>& ws = scene.motion.dynamics.ws;
    const Contacts& found = scene.collision.contacts;
    const auto stays = [&](const Near& near) { return near.closed && near.rate <= least_speed_; };
    double first = h;
    for (std::size_t i = 0; i < near_.size(); ++i) {
        const Manifold& manifold = found.manifolds[found.contacts[i].manifold];
        if (stays(near_[i]) || !yields(model_, manifold)) continue;
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
        if (const double turning = length(ws.poses[link].V_WL.ang); first * turning > most_turn)
            first = most_turn / turning;
    return first;
}

// Of something that was passed in a tentative step of length h: how far back, if not before the step.
double EventStep::time_since_passed(double h, double gap, double rate, double caught) const {
    if (rate >= 0 && gap >= -caught - 10 * settled_)
        return 0;  // it parts, and was there when errors were removed
    const double own = rate < 0 ? gap / rate : 0.5 * h;
    return own <= 1.5 * h ? std::min(own, h) : 0;
}

// Contacts that next_ has passed and that are not held.
double EventStep::look_back_at_contacts(const Scene& scene, double h) {
    const SmoothDynamics& dynamics = scene.motion.dynamics;
    if (!surroundings_.look_here(dynamics.ws, options_.threads, probe_)) return 0;
    double back = 0, drift = 0;
    for (const double gap : set_.gaps()) drift = std::max(drift, std::abs(gap));
    const Contacts &now = probe_.contacts, &before = scene.collision.contacts;
    for (const Contact& contact : now.contacts) {
        const Manifold& manifold = now.manifolds[contact.manifold];
        const double gap = gap_of(now, contact);
        if (gap >= -bouncing_gap_ || !yields(model_, manifold)) continue;
        bool kept = false, pair_kept = false;
        for (const ClosedContact& own : set_.contacts) {
            kept = kept || same_feature(own, manifold, contact);
            pair_kept = pair_kept || (own.geom_a == manifold.geom_a && own.geom_b == manifold.geom_b);
        }
        if (kept) continue;
        // What was not there before is another feature of what was, and as far off; unless it bounces.
        const double caught =
            now.properties[manifold.properties].restitution > 0 ? bouncing_gap_ : caught_gap_;
        double overlap = 0, known = -1;
        for (std::size_t i = 0; i < before.contacts.size(); ++i) {
            const Manifold& old = before.manifolds[before.contacts[i].manifold];
            if (old.geom_a != manifold.geom_a || old.geom_b != manifold.geom_b) continue;
            const double own = std::max(0.0, -near_[i].gap);
            overlap = std::max(overlap, own);
            if (old.part == manifold.part && before.contacts[i].feature == contact.feature) known = own;
        }
        const double allowed =
            known >= 0 ? bouncing_gap_ + known : caught + overlap + (pair_kept ? 2 * drift : 0);
        if (gap >= -allowed) continue;
        const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
        const double rate = dot(contact.normal,
                                motion_between(dynamics.ws, manifold.geom_a, manifold.geom_b, p).lin);
        back = std::max(back, time_since_passed(h, gap, rate, caught));
    }
    return back;
}

// Limits that next_ has passed and that are not held.
double EventStep::look_back_at_bounds(const Scene& scene, double h) {
    if (near_bounds_.empty()) return 0;
    const SmoothDynamics& dynamics = scene.motion.dynamics;
    double back = 0;
    tried_bounds_.clear();
    const RowContext context{
        .h = gap_step, .reach_speed = 0, .correction = 1, .fastest_correction = HUGE_VAL, .slop = 0};
    add_limit_rows(next_, model_, context, scene.warm, tried_bounds_);
    add_tendon_limit_rows(next_, model_, dynamics.drives, context, scene.warm, tried_bounds_);
    for (const RowBlock& block : tried_bounds_.blocks)
        for (const Row& row : tried_bounds_.rows_of(block)) {
            const double gap = gap_step * row.bias;
            double allowed = least_caught;
            bool kept = false;
            for (const ReachedBound& own : set_.bounds) kept = kept || own.warm == row.warm;
            for (const NearBound& old : near_bounds_)
                if (old.bound.warm == row.warm) allowed += std::max(0.0, -old.near.gap);
            if (kept || gap >= -allowed) continue;
            const double rate = row_rate(tried_bounds_, block, row, dynamics.ws, next_.v);
            back = std::max(back, time_since_passed(h, gap, rate, caught_share_));
        }
    return back;
}

// Sliding and dry friction that have come to rest and turned back.
double EventStep::look_back_at_sliding(const Scene& scene, double h) const {
    const Workspace<double>& ws = scene.motion.dynamics.ws;
    double back = 0;
    const auto turned = [&](double start, double end) {
        if (end < -0.01 * least_speed_) back = std::max(back, h * end / (end - start));
    };
    for (const ClosedContact& own : set_.contacts) {
        if (!own.slides) continue;
        const ContactProperties& how = scene.collision.contacts.properties[own.properties];
        const Contact& contact = set_.found().contacts[static_cast<std::size_t>(&own - set_.contacts.data())];
        const Motion<double> V_AB =
            motion_between(ws, own.geom_a, own.geom_b, 0.5 * (contact.on_a + contact.on_b));
        const double start = slip_speed(how, contact.normal, own.slip, own.spin);
        turned(start, slip_product(how, contact.normal, own, V_AB) / start);
    }
    for (const Rubbing& rubbing : set_.rubbings)
        if (rubbing.sign != 0) turned(rubbing.speed, rubbing.sign * speed_of(scene, next_, rubbing));
    return back;
}

// How far back the first thing lies that has happened in a tentative step of length h to next_, whose
// kinematics are in the workspace; 0: nothing has happened.
double EventStep::look_back(const Scene& scene, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options_.timed);
    return std::max({look_back_at_contacts(scene, h), look_back_at_bounds(scene, h),
                     look_back_at_sliding(scene, h)});
}

// The slip at the beginning times the one of another motion, in the measure of slip_speed.
double EventStep::slip_product(const ContactProperties& how, const Vec3d& normal, const ClosedContact& own,
                               const Motion<double>& V_AB) const {
    const double mu = how.friction[0];
    double product = dot(own.slip, V_AB.lin);
    const double about = dot(own.spin, normal), about_now = dot(V_AB.ang, normal);
    if (how.condim > 3) product += how.friction[2] * how.friction[2] * about * about_now / (mu * mu);
    if (how.condim > 4)
        product += how.friction[3] * how.friction[3] *
                   dot(own.spin - about * normal, V_AB.ang - about_now * normal) / (mu * mu);
    return product;
}

EventStep::Result EventStep::advance(const Scene& scene, JointState<double>& state, double remaining,
                                     const Callbacks& callbacks, StepReport& report) {
    look(scene, state, remaining, report);
    const bool driven = scene.pose_targets.active() || scene.tracking.acts(state.time, remaining);
    if (near_.empty() && near_bounds_.empty() && set_.rubbings.empty() && !driven)
        return {.outcome = Outcome::idle};
    if (approaches()) {
        choose_set(scene, state, false);
        missed_ = jump(scene, state, report);
        ++report.events;
        ++report.impacts;
        return {.outcome = Outcome::jumped};
    }
    choose_set(scene, state, true);
    if (!accelerate(scene, state, callbacks, report, qacc_))
        return {.outcome = Outcome::stuck,
                .why = "no forces were found that keep closed what is closed",
                .forceless = true};
    find_held();
    // Steps that slow sliding makes shorter than this are better made on velocities.
    bool slides = false;
    for (const ClosedContact& own : set_.contacts) slides = slides || own.slides;
    const double shortest = (slides ? 0.02 : 1e-6) * step_;
    const double instant = 1e-13 * std::max(1.0, std::abs(state.time));
    double low = 0, high = HUGE_VAL;  // nothing happens before, something has happened after
    bool located = false;
    double h = longest_onset(std::min({remaining, next_step_, expected(scene, qacc_, remaining)}));
    settle(scene, state, report);
    if (settled_ > 0) find_bounds(scene, state, h);
    // One pointer: std::function holds that without allocating.
    struct {
        EventStep& step;
        const Scene& scene;
        const Callbacks& callbacks;
        StepReport& report;
        int stage;
        EnergyFlows work;  // of the stages, by the weights of the velocities
        OutsideImpulses outside;
    } call{*this, scene, callbacks, report, 0, {}, {}};
    const SmoothMotion::Accelerate forces = [&call](const JointState<double>& at, std::span<double> qacc) {
        if (!call.step.accelerate(call.scene, at, call.callbacks, call.report, qacc)) return false;
        const double weight = result_weight(++call.stage);
        call.work += weight * call.step.powers_;
        if (call.scene.motion.dynamics.momentum) call.outside += weight * call.step.outside_;
        return true;
    };
    const EnergyFlows first_powers = powers_;
    const OutsideImpulses first_outside = outside_;
    for (int count = 0; count < most_attempts; ++count) {
        h = std::max(h, instant);
        // Activations had their rates with the accelerations.
        if (count > 0 && model_.na > 0 && !accelerate(scene, state, callbacks, report, qacc_)) break;
        call.stage = 0;
        call.work = result_weight(0) * first_powers;
        call.outside = result_weight(0) * first_outside;
        const double error = scene.motion.try_step(state, qacc_, h, options_.tolerance, forces, next_);
        if (!(error <= 1) && h > instant) {
            ++report.rejected;
            h *= std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.9) : 0.1;
            next_step_ = h;
            if (h < shortest) break;
            continue;
        }
        if (!std::isfinite(error)) break;
        const double back = look_back(scene, h, report);
        if (back > 0 && h > instant && high - low > instant) {
            ++report.rejected;
            located = true;
            high = h;
            h -= back;
            if (!(h > low + 0.001 * (high - low))) h = 0.5 * (low + high);
            continue;
        }
        const double grown = 0.9 * std::pow(std::max(error, 1e-10), -0.2);
        next_step_ = std::max(next_step_, h) * std::clamp(h < next_step_ ? 1.0 : grown, 0.2, 5.0);
        report.events += located;
        report.energy.flows += h * call.work;
        if (MomentumAccount* account = scene.motion.dynamics.momentum) account->sum += h * call.outside;
        std::swap(state, next_);
        store_forces(scene);
        last_h_ = h;
        missed_ = 0;
        return {.outcome = Outcome::moved, .time = h};
    }
    return {.outcome = Outcome::stuck, .why = "steps became too short"};
}

void EventStep::store_forces(const Scene& scene) const {
    for (Contact& contact : scene.collision.contacts.contacts)
        contact.impulse = contact.moment_impulse = Vec3d::zero();
    std::fill(scene.warm.lambda.begin(), scene.warm.lambda.end(), 0.0);
    std::size_t contact = 0;
    for (std::size_t k = static_cast<std::size_t>(one_sided_); k < rows_.blocks.size(); ++k) {
        const RowBlock& block = rows_.blocks[k];
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            if (block.kind != RowKind::contact) {
                if (row.warm >= 0) scene.warm.lambda[row.warm] = lambda_[r];
                continue;
            }
            Contact& to = scene.collision.contacts.contacts[set_.contacts[contact].source];
            if (r < block.begin + 3)
                to.impulse += lambda_[r] * row.on_b.lin;
            else
                to.moment_impulse += lambda_[r] * row.on_b.ang;
        }
        contact += block.kind == RowKind::contact;
    }
}

}  // namespace lig
