#include "formulations/velocity/step_checks.h"

#include "constraints/limit_rows.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity/contact_gaps.h"
#include "formulations/velocity/tuning.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

// m, by which two geoms are in each other.
double depth_of(const Contacts& contacts, const Manifold& manifold) {
    double deep = 0;
    for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c)
        deep = std::max(deep, -contacts.contacts[c].distance);
    return deep;
}

}  // namespace

StepChecks::StepChecks(StepContext& context, StepAlgebra& algebra, const StepEquations& equations)
    : context_(context),
      algebra_(algebra),
      equations_(equations),
      surroundings_(*context.model),
      bounded_constraints_(*context.model),
      moving_(context.model->nv),
      tried_(*context.model) {}

void StepChecks::look(const JointState<double>& state, double h, StepReport& report) {
    context_.look(state, h, surroundings_, report);
}

double StepChecks::longest_step(double h) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    double bend = 0;  // m/s²
    for (const Manifold& manifold : context_.collision.contacts.manifolds) {
        const Vec3d& p = context_.collision.contacts.contacts[manifold.begin].on_a;
        double sum = 0;
        for (const int geom : {manifold.geom_a, manifold.geom_b}) {
            const int link = model.bodies[model.geoms[geom].body].link;
            const Vec3d& w = carrier_velocity(ws, link).ang;
            sum += dot(w, w) * length(p - carrier_pose(ws, link).p);
        }
        bend = std::max(bend, sum);
    }
    const double longest = bend > 0 ? std::sqrt(2 * tuning.curvature_tolerance / bend) : h;
    return h <= 1.2 * longest ? h : h / std::ceil(h / longest);
}

bool StepChecks::fits(const JointState<double>& state, double h, const Impulses& impulses) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    algebra_.outward(impulses.s, context_.velocity_change);
    for (int k = 0; k < model.nv; ++k) moving_[k] = state.v[k] + context_.velocity_change[k];
    for (const RowBlock& block : context_.rows.blocks) {
        if (block.kind != RowKind::contact || !(impulses.lambda[block.begin] > 0)) continue;
        const Vec3d& p = context_.collision.contacts.contacts[block.source].on_a;
        double bend = 0;
        for (const int link : {block.link_a, block.link_b}) {
            if (link < 0) continue;
            const Vec3d w = ws.poses[link].V_WL.ang + algebra_.link_motion(link).ang;
            bend += dot(w, w) * length(p - ws.poses[link].X_WL.p);
        }
        if (0.5 * h * h * bend > 2 * tuning.curvature_tolerance) return false;
    }
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Vec3d w = ws.poses[i].V_WL.ang + algebra_.link_motion(static_cast<int>(i)).ang;
        if (h * h * dot(w, w) > tuning.rotation_tolerance * tuning.rotation_tolerance) return false;
    }
    tried_.time = state.time;
    integrate<double>(ws, state.q, moving_, h, tried_.q);
    const double now = largest_limit_violation(state, model).size;
    // What is beyond its limit already must not be held up by the last digits of where it is.
    return largest_limit_violation(tried_, model).size <=
           std::max(tuning.limit_tolerance, now + 0.05 * tuning.limit_tolerance);
}

// False: contacts are switched off. After forward_kinematics.
bool StepChecks::look_here() {
    if (!probe_) probe_ = std::make_unique<CollisionWorkspace>(context_.model);
    return surroundings_.look_here(context_.motion.dynamics.ws, context_.options.threads, *probe_);
}

double StepChecks::deepest() const {
    double deepest = 0;
    for (const Contact& contact : context_.collision.contacts.contacts)
        deepest = std::max(deepest, -contact.distance);
    return deepest;
}

double StepChecks::overlap_here() {
    double sum = 0;
    if (look_here())
        for (const Manifold& manifold : probe_->contacts.manifolds)
            sum += depth_of(probe_->contacts, manifold);
    return sum;
}

StepChecks::Passed StepChecks::passed_at(const JointState<double>& state) {
    return {deepest(),
            std::max(largest_limit_violation(state, *context_.model).size,
                     bounded_constraints_.largest_violation(context_.motion.dynamics.ws, state.time))};
}

bool StepChecks::has_passed(const JointState<double>& state, const Passed& before) {
    const double beyond = std::max(tuning.limit_tolerance, before.beyond);
    if (largest_limit_violation(state, *context_.model).size > beyond) return true;
    forward_kinematics(state, context_.motion.dynamics.ws);
    if (bounded_constraints_.largest_violation(context_.motion.dynamics.ws, state.time) > beyond) return true;
    if (!look_here()) return false;
    const std::vector<Contact>& contacts = probe_->contacts.contacts;
    return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
        return -contact.distance > std::max(tuning.passing_tolerance, before.deep);
    });
}

bool StepChecks::leads_astray(const JointState<double>& state, double h, bool limits_stay) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = *context_.model;
    constexpr double pressed = tuning.max_pressed;
    if (dynamics.has_equalities() || limits_stay) {
        const double before = largest_limit_violation(context_.last.before, model).size;
        if (largest_limit_violation(state, model).size > std::max(tuning.limit_tolerance, before + pressed))
            return true;
    }
    if (!equations_.tendon_gaps.empty()) {
        update_drives(state, dynamics.ws, dynamics.drives);
        if (largest_tendon_limit_violation(model, dynamics.drives).size >
            std::max(tuning.passing_tolerance, equations_.tendons_beyond + pressed))
            return true;
    }
    if (bounded_constraints_.largest_violation(dynamics.ws, state.time) >
        std::max(tuning.passing_tolerance, equations_.constraints_beyond + pressed))
        return true;
    // Where bodies hardly move, nothing is met.
    if (!(h * surroundings_.fastest(dynamics.ws) > pressed) || !look_here()) return false;
    const Contacts &now = probe_->contacts, &then = context_.collision.contacts;
    for (const Manifold& manifold : now.manifolds) {
        const double deep = depth_of(now, manifold);
        if (!(deep > tuning.passing_tolerance)) continue;
        double before = 0;
        for (const Manifold& known : then.manifolds)
            if (known.geom_a == manifold.geom_a && known.geom_b == manifold.geom_b)
                before = std::max(before, depth_of(then, known));
        if (deep > before + pressed) return true;
    }
    return false;
}

}  // namespace lig
