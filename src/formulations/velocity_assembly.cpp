// The part of a velocity step before impulses: forces, rows and their factor.

#include "constraints/base_motion.h"
#include "constraints/bushing_rows.h"
#include "constraints/contact_rows.h"
#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity_step.h"
#include "model/named.h"
#include "model/split_inertia.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double max_work_of_rows = 0.2;  // of the kinetic energy, within a step
constexpr double max_growth = 0.05;  // of the kinetic energy by impulses: more of it is looked at

}  // namespace

// Kinematics, and what could touch within h.
void VelocityStep::look(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, context_.options.timed);
    forward_kinematics(state, context_.motion.dynamics.ws);
    if (!surroundings_.look(context_.motion.dynamics.ws, h, context_.options.threads, context_.collision))
        return;
    context_.events.add(context_.collision.contacts.events);
    for (const Contact& contact : context_.collision.contacts.contacts)
        report.penetration = std::max(report.penetration, -contact.distance);
}

// Whether equalities or contacts would do much work. They are asked for velocities that follow their
// curvature, and where rows are nearly dependent that may take any; such a step is taken by velocities that
// fit them as they are, by which they can only take energy. Notes besides whether impulses make the motion
// grow, so that its energy is to be looked at.
bool VelocityStep::rows_drive() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    algebra_.outward(s_, context_.velocity_change);
    const auto motion_of = [&](int link) { return algebra_.link_motion(link); };
    double work = 0, before = 0, kinetic = 0;
    const auto work_of = [&](const RowBlock& block, int r) {
        return lambda_[r] * (rate_[r] + context_.rows.rows[r].base_rate +
                             0.5 * row_product(context_.rows, block, context_.rows.rows[r],
                                               context_.velocity_change, motion_of));
    };
    for (int b = equalities_begin_; b < two_sided_; ++b)
        for (int r = context_.rows.blocks[b].begin;
             r < context_.rows.blocks[b].begin + context_.rows.blocks[b].count; ++r)
            work += work_of(context_.rows.blocks[b], r);
    for (std::size_t b = static_cast<std::size_t>(two_sided_); b < context_.rows.blocks.size(); ++b)
        if (context_.rows.blocks[b].kind == RowKind::contact && lambda_[context_.rows.blocks[b].begin] > 0)
            work += std::max(0.0, work_of(context_.rows.blocks[b], context_.rows.blocks[b].begin));
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const RigidInertia<double> own =
            world_inertia(ws.poses[i].X_WL.R, context_.model->tree.links[i].inertia);
        const Motion<double>& had = ws.poses[i].V_WL;
        const Motion<double> V = had + motion_of(static_cast<int>(i));
        before += 0.5 * dot(had, own * had);
        kinetic += 0.5 * dot(V, own * V);
    }
    grows_ = kinetic > (1 + max_growth) * before + context_.idle_energy;
    return work > max_work_of_rows * kinetic + context_.idle_energy;
}

// The law m v = f of things that are dragged about (Baraff 1996, sec. 3): a force of 1 N gives 1 kg the
// velocity that it would give it within a second, whatever it had before. Of all forces those count that are
// applied, springs and drives; weight does not. x_ comes with the bias, in which the forces on bodies are.
void VelocityStep::push_by_forces(const JointState<double>& state) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, moving_, false);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = dynamics.qfrc_applied[k] + moving_[k] - x_[k];
    add_smooth_forces<double>(state, dynamics.model(), dynamics.ctrl, dynamics.drives, x_);
    for (std::size_t k = 0; k < dynamics.drives.gravity_force.size(); ++k)
        x_[k] -= dynamics.drives.gravity_force[k];
}

// x_ = h (what is applied − weight − half of what the curvature of coordinates takes, or all of it), and that
// part.
void VelocityStep::add_bias(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    pushed_ = dynamics.push_bodies();
    inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, x_, pushed_);
    // Of that, what does not come from velocities: weight and forces on bodies.
    const std::vector<TreeLink<double>>& links = model.tree.links;
    const Workspace<double>& ws = dynamics.ws;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Vec3d weight = links[i].inertia.mass * model.options.gravity;
        const Vec3d arm = ws.poses[i].X_WL.R * links[i].inertia.h;
        carried_[i] = {cross(arm, model.options.gravity), weight};
        if (pushed_) carried_[i] += ws.f_ext[i];
    }
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) {
            const double steady = -dot(ws.S[k], carried_[i]);
            curved_[k] = (whole_ ? 1 : 0.5) * h * (x_[k] - steady);
            x_[k] = h * (dynamics.qfrc_applied[k] - steady) - curved_[k];
        }
        if (links[i].parent >= 0) carried_[links[i].parent] += shift_back(carried_[i], ws.links[i].r);
    }
}

// Drives, springs towards a pose and tracking; and by themselves what they do, for the ledger.
void VelocityStep::add_drives(const SmoothImpulses::Step& step) {
    JointTerms& terms = algebra_.terms;
    has_drives_ = step.model.nu > 0 || context_.pose_targets.active() || context_.tracking.clip();
    if (has_drives_) {
        driven_ = x_;
        driven_terms_ = terms.added;
    }
    smooth_impulses_.add_actuators(step, terms, x_, context_.rows);
    pose_drive_.add(context_.pose_targets, step.state, context_.motion.dynamics.ws, step.context, context_.warm, {terms, x_, context_.rows});
    context_.tracking.add(step.state, step.context, context_.warm, x_, context_.rows);
    if (!has_drives_) return;
    for (std::size_t k = 0; k < x_.size(); ++k) driven_[k] = x_[k] - driven_[k];
    for (std::size_t k = 0; k < driven_terms_.size(); ++k)
        driven_terms_[k] = terms.added[k] - driven_terms_[k];
}

// Forces and rows: x_, and rows_.
bool VelocityStep::assemble(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::assemble, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    const RowContext context{.h = h, .time = state.time};
    context_.rows.clear();
    algebra_.terms.clear_added();
    update_drives(state, dynamics.ws, dynamics.drives);
    if (context_.options.multiplier.law == Law::kinematic) {
        inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, x_, dynamics.push_bodies());
        push_by_forces(state);
        std::fill(curved_.begin(), curved_.end(), 0.0);
        has_drives_ = false;
    } else {
        add_bias(state, h);
        const SmoothImpulses::Step step{state, model, dynamics.ctrl, context, context_.warm, dynamics.drives};
        smooth_impulses_.add_passive(step, algebra_.terms, x_, context_.rows);
        add_drives(step);
        add_stiff_bushing_rows(dynamics.ws, h, context_.warm, context_.rows);
        if (!whole_ && stiffness_.has_stiff_rows()) {
            whole_ = true;
            for (std::size_t k = 0; k < x_.size(); ++k) {
                x_[k] -= curved_[k];
                curved_[k] *= 2;
            }
        }
    }
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(x_[k])) {
                report.status = StepStatus::non_finite;
                report.where = "the force on " + named(model, joint) + " is not finite";
                return false;
            }
    equalities_begin_ = static_cast<int>(context_.rows.blocks.size());
    if (dynamics.has_equalities()) {
        // Errors are removed after the step, all of them.
        RowContext equality_context = context;
        equality_context.correction = 0;
        equality_context.product_share = calm_ ? 0 : whole_ ? 1
                                                            : 0.5;
        const EqualityState now{state, dynamics.ws, &dynamics.drives, state.time, true};
        equalities_.add_rows(now, equality_context, context_.warm, context_.rows, equality_terms_);
    }
    two_sided_ = static_cast<int>(context_.rows.blocks.size());
    add_limit_rows(state, model, context, context_.warm, context_.rows);
    add_tendon_limit_rows(state, model, dynamics.drives, context, context_.warm, context_.rows);
    add_friction_loss_rows(model, context, context_.warm, context_.rows);
    add_tendon_friction_rows(state, model, dynamics.drives, context, context_.warm, context_.rows);
    note_tendons();
    report.limit_violation =
        std::max({report.limit_violation, largest_limit_violation(state, model).size, tendons_beyond_});
    RowContext contact_context = context;
    contact_context.reach_speed = Surroundings::reach_speed;
    contact_context.contact_product_share =
        context_.options.multiplier.law == Law::dynamic && !whole_ && !calm_ ? 0.5 : 0;
    if (model.options.enabled.constraint && model.options.enabled.contact)
        add_contact_rows(context_.collision.contacts, dynamics.ws, contact_context,
                         context_.impulse_time > 0 ? h / context_.impulse_time : 0.0, context_.rows);
    return true;
}

bool VelocityStep::factor(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::factor, context_.options.timed);
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    algebra_.terms.turning = {};
    resisted_ = x_;
    if (context_.options.multiplier.law == Law::dynamic && !looking_back_ &&
        turning_.find(ws, context_.rows, context_.warm, h, context_.impulse_time)) {
        algebra_.terms.turning = turning_.of_links();
        turning_.add_impulses(ws, resisted_);
    }
    if (const int link = algebra_.prepare(state, ws, context_.rows, equalities_begin_, two_sided_, report);
        link >= 0) {
        report.status = StepStatus::non_finite;
        report.where = "the equations of joints or equalities are not finite: bodies move too fast";
        for (const Model::Body& body : model.bodies)
            if (body.link == link) {
                report.where = "the inertia of " + named(model, body) + " is not positive";
                break;
            }
        return false;
    }
    const std::size_t n = context_.rows.rows.size();
    for (std::vector<double>* v : {&b_, &b_kept_, &b_after_, &rate_, &lambda_, &landing_}) v->resize(n);
    for (const RowBlock& block : context_.rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = context_.rows.rows[r];
            rate_[r] = row_rate(context_.rows, block, row, ws, state.v);
            b_[r] = rate_[r] + row.bias;
            b_after_[r] = b_kept_[r] = rate_[r] + row.kept_bias;
            lambda_[r] = row.lambda;
        }
    for (std::vector<double>* s : {&s_free_, &s_, &s_after_}) s->resize(algebra_.size());
    algebra_.free_change(resisted_, b_kept_, s_free_);
    return true;
}

}  // namespace lig
