// What has happened in a tentative step, and how far back it lies.

#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "formulations/reduced/event_step.h"
#include "formulations/reduced/tuning.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

bool same_feature(const ClosedContact& own, const Manifold& manifold, const Contact& contact) {
    return own.geom_a == manifold.geom_a && own.geom_b == manifold.geom_b && own.part == manifold.part &&
           own.feature == contact.feature;
}

}  // namespace

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

// Of something that was passed in a tentative step of length h: how far back, if not before the step.
double EventStep::time_since_passed(double h, double gap, double rate, double caught) const {
    if (rate >= 0 && gap >= -caught - 10 * settled_)
        return 0;  // it parts, and was there when errors were removed
    const double own = rate < 0 ? gap / rate : 0.5 * h;
    return own <= 1.5 * h ? std::min(own, h) : 0;
}

// Contacts that next_ has passed and that are not held.
double EventStep::look_back_at_contacts(double h) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    if (!surroundings_.look_here(dynamics.ws, context_.options.threads, probe_)) return 0;
    double back = 0, drift = 0;
    for (const double gap : set_.gaps()) drift = std::max(drift, std::abs(gap));
    const Contacts &now = probe_.contacts, &before = context_.collision.contacts;
    for (const Contact& contact : now.contacts) {
        const Manifold& manifold = now.manifolds[contact.manifold];
        const double gap = contact_gap(now, contact);
        if (gap >= -nothing_.bouncing_gap || !yields(manifold)) continue;
        bool kept = false, pair_kept = false;
        for (const ClosedContact& own : set_.contacts) {
            kept = kept || same_feature(own, manifold, contact);
            pair_kept = pair_kept || (own.geom_a == manifold.geom_a && own.geom_b == manifold.geom_b);
        }
        if (kept) continue;
        // What was not there before is another feature of what was, and as far off; unless it bounces.
        const double caught =
            now.properties[manifold.properties].restitution > 0 ? nothing_.bouncing_gap : nothing_.caught_gap;
        double overlap = 0, known = -1;
        for (std::size_t i = 0; i < before.contacts.size(); ++i) {
            const Manifold& old = before.manifolds[before.contacts[i].manifold];
            if (old.geom_a != manifold.geom_a || old.geom_b != manifold.geom_b) continue;
            const double own = std::max(0.0, -near_[i].gap);
            overlap = std::max(overlap, own);
            if (old.part == manifold.part && before.contacts[i].feature == contact.feature) known = own;
        }
        const double allowed =
            known >= 0 ? nothing_.bouncing_gap + known : caught + overlap + (pair_kept ? 2 * drift : 0);
        if (gap >= -allowed) continue;
        const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
        const double rate = dot(contact.normal,
                                motion_between(dynamics.ws, manifold.geom_a, manifold.geom_b, p).lin);
        back = std::max(back, time_since_passed(h, gap, rate, caught));
    }
    return back;
}

// Limits that next_ has passed and that are not held.
double EventStep::look_back_at_bounds(double h) {
    if (near_bounds_.empty()) return 0;
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    double back = 0;
    tried_bounds_.clear();
    const double gap_step = event_tuning.gap_step;
    const RowContext context{
        .h = gap_step, .reach_speed = 0, .correction = 1, .fastest_correction = HUGE_VAL, .slop = 0};
    add_limit_rows(next_, model_, context, context_.warm, tried_bounds_);
    add_tendon_limit_rows(next_, model_, dynamics.drives, context, context_.warm, tried_bounds_);
    for (const RowBlock& block : tried_bounds_.blocks)
        for (const Row& row : tried_bounds_.rows_of(block)) {
            const double gap = gap_step * row.bias;
            double allowed = event_tuning.min_caught;
            bool kept = false;
            for (const ReachedBound& own : set_.bounds) kept = kept || own.warm == row.warm;
            for (const NearBound& old : near_bounds_)
                if (old.bound.warm == row.warm) allowed += std::max(0.0, -old.near.gap);
            if (kept || gap >= -allowed) continue;
            const double rate = row_rate(tried_bounds_, block, row, dynamics.ws, next_.v);
            back = std::max(back, time_since_passed(h, gap, rate, nothing_.caught_angle));
        }
    return back;
}

// Sliding and dry friction that have come to rest and turned back.
double EventStep::look_back_at_sliding(double h) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    double back = 0;
    const auto turned = [&](double start, double end) {
        if (end < -0.01 * nothing_.speed) back = std::max(back, h * end / (end - start));
    };
    for (const ClosedContact& own : set_.contacts) {
        if (!own.slides) continue;
        const ContactProperties& how = context_.collision.contacts.properties[own.properties];
        const Contact& contact = set_.found().contacts[static_cast<std::size_t>(&own - set_.contacts.data())];
        const Motion<double> V_AB =
            motion_between(ws, own.geom_a, own.geom_b, 0.5 * (contact.on_a + contact.on_b));
        const double start = slip_speed(how, contact.normal, own.slip, own.spin);
        turned(start, slip_product(how, contact.normal, own, V_AB) / start);
    }
    for (const Rubbing& rubbing : set_.rubbings)
        if (rubbing.sign != 0) turned(rubbing.speed, rubbing.sign * speed_of(next_, rubbing));
    return back;
}

// How far back the first thing lies that has happened in a tentative step of length h to next_, whose
// kinematics are in the workspace; 0: nothing has happened.
double EventStep::look_back(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, context_.options.timed);
    return std::max({look_back_at_contacts(h), look_back_at_bounds(h),
                     look_back_at_sliding(h)});
}

}  // namespace lig
