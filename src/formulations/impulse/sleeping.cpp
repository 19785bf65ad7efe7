#include "formulations/impulse/sleeping.h"

#include "core/length.h"
#include "formulations/impulse/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

bool is_zero(const Vec3d& v) { return v.x == 0 && v.y == 0 && v.z == 0; }
template <class SpatialVector>
bool is_zero(const SpatialVector& f) {
    return is_zero(f.ang) && is_zero(f.lin);
}

}  // namespace

Sleeping::Sleeping(const MovingBodies& bodies, const std::vector<std::pair<int, int>>& connected)
    : model_(bodies.model()),
      islands_(bodies, connected),
      size_(bodies.links()),
      still_(bodies.links(), 0.0),
      asleep_(bodies.links(), 0),
      pushed_(bodies.links(), 0),
      base_moves_(bodies.bases(), 0),
      timed_(bodies.links(), 0),
      disturbed_(bodies.links(), 0),
      least_(bodies.links(), 0.0),
      controls_(model_.nu + model_.na, 0.0) {
    for (int i = 0; i < bodies.links(); ++i) size_[i] = bodies.gyration(i);
    for (const Model::PairConstraint& pair : model_.pair_constraints)
        for (const int body : {pair.body_a, pair.body_b})
            if (const int link = model_.bodies[body].link; link >= 0) timed_[link] = 1;
    for (const Model::GroupConstraint& group : model_.group_constraints)
        for (const Model::GroupConstraint::Member& member : group.members)
            if (const int link = model_.bodies[member.body].link; link >= 0) timed_[link] = 1;
}

void Sleeping::begin_step(const JointState<double>& state, const SmoothDynamics& inputs, bool driven) {
    const auto differs = [&](const std::vector<double>& now, std::size_t at) {
        return !std::equal(now.begin(), now.end(), controls_.begin() + static_cast<std::ptrdiff_t>(at));
    };
    driven = driven || differs(inputs.ctrl, 0) || differs(state.act, inputs.ctrl.size());
    std::copy(inputs.ctrl.begin(), inputs.ctrl.end(), controls_.begin());
    std::copy(state.act.begin(), state.act.end(), controls_.begin() + model_.nu);
    for (std::size_t i = 0; i < pushed_.size(); ++i) {
        const TreeLink<double>& link = model_.tree.links[i];
        pushed_[i] = driven || timed_[i] ||
                     std::any_of(inputs.qfrc_applied.begin() + link.v_adr,
                                 inputs.qfrc_applied.begin() + link.v_adr + link.nv,
                                 [](double x) { return x != 0; });
    }
    const auto push = [&](int body) {
        if (const int link = model_.bodies[body].link; link >= 0) pushed_[link] = 1;
    };
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
        if (!is_zero(inputs.xfrc_applied[b])) push(static_cast<int>(b));
    for (const Model::Loop& loop : model_.loops)
        if (state.time < loop.closing_time) {
            push(loop.body_a);
            push(loop.body_b);
        }
    // The world comes first among bases and stands still.
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        base_moves_[k + 1] =
            !is_zero(state.kinematic[k].velocity) || !is_zero(state.kinematic[k].acceleration);
}

// Within the time: as things move now, at twice that speed lest rounding decides, and as far as they fall.
// Points whose impulses are kept touch, however the rounding of their gap is.
bool Sleeping::touches(const Contacts& contacts, const Manifold& manifold, const MovingBodies& bodies,
                       double time) const {
    if (manifold.active) return true;
    const ContactProperties& properties = contacts.properties[manifold.properties];
    const double fall = 0.5 * time * time * length(model_.options.gravity);
    const auto velocity = [&](int geom, const Vec3d& point) {
        const int index = bodies.index(model_.bodies[model_.geoms[geom].body].link);
        return bodies.point_velocity(index, point - bodies.places[index].x, geom);
    };
    for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
        const Contact& contact = contacts.contacts[c];
        if (!is_zero(contact.impulse)) return true;
        const double gap = contact.distance - (properties.margin - properties.gap);
        const Vec3d apart = velocity(manifold.geom_b, contact.on_b) - velocity(manifold.geom_a, contact.on_a);
        if (gap <= fall + 2 * time * std::max(0.0, -dot(contact.normal, apart))) return true;
    }
    return false;
}

bool Sleeping::look(const Contacts& contacts, const MovingBodies& bodies, double time, bool beginning) {
    const int links = bodies.links();
    islands_.find(contacts, bodies,
                  [&](const Manifold& manifold) { return touches(contacts, manifold, bodies, time); });
    std::fill(disturbed_.begin(), disturbed_.end(), 0);
    std::fill(least_.begin(), least_.end(), HUGE_VAL);
    for (int i = 0; i < links; ++i) {
        const int island = islands_.of(i);
        if (pushed_[i]) disturbed_[island] = 1;
        least_[island] = std::min(least_[island], still_[i]);
    }
    islands_.for_each_at_base([&](int link, int base) {
        if (base_moves_[bodies.index(base)]) disturbed_[islands_.of(link)] = 1;
    });
    // Nothing else than having been touched wakes an island that has slept; then it begins anew.
    for (int i = 0; i < links; ++i)
        if (asleep_[i] && least_[islands_.of(i)] < sleep_tuning.rest_time) disturbed_[islands_.of(i)] = 1;
    bool changed = false;
    for (int i = 0; i < links; ++i) {
        const int island = islands_.of(i);
        still_[i] = disturbed_[island] ? 0.0 : least_[island];
        const bool rests = still_[i] >= sleep_tuning.rest_time && (beginning || asleep_[i]);
        changed = changed || rests != (asleep_[i] != 0);
        asleep_[i] = rests;
    }
    return changed;
}

void Sleeping::end_step(const MovingBodies& bodies, double dt) {
    for (int i = 0; i < bodies.links(); ++i) {
        if (asleep_[i]) continue;
        const Velocity& own = bodies.velocities[bodies.index(i)];
        double speed = std::max(length(own.v), size_[i] * length(own.w));
        if (const int stretch = model_.tree.links[i].stretch; stretch >= 0) {
            const Velocity& rates = bodies.velocities[bodies.rates(stretch)];
            speed = std::max(speed, size_[i] * std::max(length(rates.v), length(rates.w)));
        }
        if (speed < sleep_tuning.still_speed)
            still_[i] += dt;
        else if (!(speed <= sleep_tuning.moving_speed))
            still_[i] = 0;
    }
}

int Sleeping::count() const { return static_cast<int>(std::count(asleep_.begin(), asleep_.end(), char{1})); }

void Sleeping::wake_all() {
    std::fill(still_.begin(), still_.end(), 0.0);
    std::fill(asleep_.begin(), asleep_.end(), 0);
}

void Sleeping::save_or_restore(NumberStream& numbers) {
    numbers.numbers(still_);
    numbers.numbers(asleep_);
    numbers.numbers(controls_);
}

}  // namespace lig::impulse
