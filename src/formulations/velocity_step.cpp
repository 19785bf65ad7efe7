// The part of a velocity step before impulses: forces and rows, and how long it may be.

#include "constraints/base_motion.h"
#include "constraints/bushing_rows.h"
#include "constraints/contact_rows.h"
#include "constraints/coupling_rows.h"
#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity_formulation.h"
#include "model/named.h"
#include "model/split_inertia.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// How far a contact point may curve away from its tangent within a step, by the rotation of its bodies.
constexpr double curvature_tolerance = 5e-4;  // m
// How far a link may turn in a step: forces that depend on velocities are taken at its beginning.
constexpr double rotation_tolerance = 0.4;
constexpr double limit_tolerance = 0.01;  // rad, m: how far limits may be passed
// Response over compliance beyond which a row is stiff.
constexpr double stiff_share = 0.2;
constexpr double most_work_of_loops = 0.2;  // of the kinetic energy, within a step
constexpr double passing_tolerance = 1e-3;  // m: how deep a smooth step may lead into contacts
constexpr int shortest_parts = 256;  // of a step: no sub-step is shorter for the sake of accuracy
constexpr int closing_parts = 16;  // of such a part, before loops are said to be open
// Contacts that would act from afar are approached first, in so many parts of a step at most.
constexpr int most_cuts = 40;
// Rows that are missed by more than this, m/s or rad/s, are not satisfied: steps are taken again, or told.
constexpr double gross_miss = 0.1;
constexpr int most_misses = 4;  // within one step
constexpr double max_growth = 0.05;  // of the kinetic energy by impulses: more of it is looked at
// Sub-steps of a step that contact points ask for which leave their tangents, at most.
constexpr int max_bends = 4096;

}  // namespace

// Kinematics, and what could touch within h.
void VelocityFormulation::look(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options_.timed);
    forward_kinematics(state, motion.dynamics.ws);
    if (!surroundings_.look(motion.dynamics.ws, h, options_.threads, collision)) return;
    events.add(collision.contacts.events);
    for (const Contact& contact : collision.contacts.contacts)
        report.penetration = std::max(report.penetration, -contact.distance);
}

// The longest step up to h in which contact points do not leave their tangents by more than the tolerance, as
// their bodies turn now.
double VelocityFormulation::longest_step(double h) const {
    const Workspace<double>& ws = motion.dynamics.ws;
    const Model& model = ws.model();
    double bend = 0;  // m/s²
    for (const Manifold& manifold : collision.contacts.manifolds) {
        const Vec3d& p = collision.contacts.contacts[manifold.begin].on_a;
        double sum = 0;
        for (const int geom : {manifold.geom_a, manifold.geom_b}) {
            const int link = model.bodies[model.geoms[geom].body].link;
            const Vec3d& w = carrier_velocity(ws, link).ang;
            sum += dot(w, w) * length(p - carrier_pose(ws, link).p);
        }
        bend = std::max(bend, sum);
    }
    const double longest = bend > 0 ? std::sqrt(2 * curvature_tolerance / bend) : h;
    return h <= 1.2 * longest ? h : h / std::ceil(h / longest);
}

// Whether loops or contacts would do much work. They are asked for velocities that follow their curvature,
// and where rows are nearly dependent that may take any; such a step is taken by velocities that fit them as
// they are, by which they can only take energy.
// Notes besides whether impulses make the motion grow, so that its energy is to be looked at.
bool VelocityFormulation::rows_drive() {
    const Workspace<double>& ws = motion.dynamics.ws;
    algebra().outward(s_, change_);
    const auto motion_of = [&](int link) { return algebra().link_motion(link); };
    double work = 0, before = 0, kinetic = 0;
    const auto work_of = [&](const RowBlock& block, int r) {
        return lambda_[r] * (rate_[r] + rows_.rows[r].base_rate +
                             0.5 * row_product(rows_, block, rows_.rows[r], change_, motion_of));
    };
    for (int b = loops_begin_; b < two_sided_; ++b)
        for (int r = rows_.blocks[b].begin; r < rows_.blocks[b].begin + rows_.blocks[b].count; ++r)
            work += work_of(rows_.blocks[b], r);
    for (std::size_t b = static_cast<std::size_t>(two_sided_); b < rows_.blocks.size(); ++b)
        if (rows_.blocks[b].kind == RowKind::contact && lambda_[rows_.blocks[b].begin] > 0)
            work += std::max(0.0, work_of(rows_.blocks[b], rows_.blocks[b].begin));
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, model_->tree.links[i].inertia);
        const Motion<double>& had = ws.poses[i].V_WL;
        const Motion<double> V = had + motion_of(static_cast<int>(i));
        before += 0.5 * dot(had, own * had);
        kinetic += 0.5 * dot(V, own * V);
    }
    grows_ = kinetic > (1 + max_growth) * before + idle_energy();
    return work > most_work_of_loops * kinetic + idle_energy();
}

double VelocityFormulation::deepest_contact() const {
    double deepest = 0;
    for (const Contact& contact : collision.contacts.contacts) deepest = std::max(deepest, -contact.distance);
    return deepest;
}

// Whether a smooth step has led into something that it was to pass by: rows are tangents, and bodies turn.
// deep, beyond: what was deep, and beyond its limits, before it.
bool VelocityFormulation::has_passed(const JointState<double>& state, double deep, double beyond) {
    if (largest_limit_violation(state, *model_).size > std::max(limit_tolerance, beyond)) return true;
    if (!probe_) probe_ = std::make_unique<CollisionWorkspace>(model_);
    forward_kinematics(state, motion.dynamics.ws);
    if (!surroundings_.look_here(motion.dynamics.ws, options_.threads, *probe_)) return false;
    return std::any_of(probe_->contacts.contacts.begin(), probe_->contacts.contacts.end(),
                       [&](const Contact& contact) {
                           return -contact.distance > std::max(passing_tolerance, deep);
                       });
}

// The law m v = f of things that are dragged about (Baraff 1996, sec. 3): a force of 1 N gives 1 kg the
// velocity that it would give it within a second, whatever it had before. Of all forces those count that are
// applied, springs and drives; weight does not. x_ comes with the bias, in which the forces on bodies are.
void VelocityFormulation::push_by_forces(const JointState<double>& state) {
    SmoothDynamics& dynamics = motion.dynamics;
    inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, moving_, false);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = dynamics.qfrc_applied[k] + moving_[k] - x_[k];
    add_smooth_forces<double>(state, dynamics.model(), dynamics.ctrl, dynamics.drives, x_);
    for (std::size_t k = 0; k < dynamics.drives.gravity_force.size(); ++k)
        x_[k] -= dynamics.drives.gravity_force[k];
}

// x_ = h (what is applied − weight − half of what the curvature of coordinates takes, or all of it), and that
// part.
void VelocityFormulation::add_bias(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = motion.dynamics;
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
void VelocityFormulation::add_drives(const SmoothImpulses::Step& step) {
    JointTerms& terms = algebra().terms;
    has_drives_ = step.model.nu > 0 || pose_targets.active() || tracking.clip();
    if (has_drives_) {
        driven_ = x_;
        driven_terms_ = terms.added;
    }
    smooth_impulses_.add_actuators(step, terms, x_, rows_);
    pose_drive_.add(pose_targets, step.state, motion.dynamics.ws, step.context, warm, terms, x_, rows_);
    tracking.add(step.state, step.context, warm, x_, rows_);
    if (!has_drives_) return;
    for (std::size_t k = 0; k < x_.size(); ++k) driven_[k] = x_[k] - driven_[k];
    for (std::size_t k = 0; k < driven_terms_.size(); ++k)
        driven_terms_[k] = terms.added[k] - driven_terms_[k];
}

void VelocityFormulation::find_stiffness(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = motion.dynamics;
    const RowContext context{.h = h, .time = state.time};
    rows_.clear();
    algebra().terms.clear_added();
    forward_kinematics(state, dynamics.ws);
    update_drives(state, dynamics.ws, dynamics.drives);
    const SmoothImpulses::Step step{state, dynamics.model(), dynamics.ctrl, context, warm, dynamics.drives};
    smooth_impulses_.add_passive(step, algebra().terms, x_, rows_);
    smooth_impulses_.add_actuators(step, algebra().terms, x_, rows_);
    add_stiff_bushing_rows(dynamics.ws, h, warm, rows_);
}

// Whether tendons, bushings or drives that are rows are so stiff that links move as they have it: halves of
// curvature would be taken by them. Stiff joints keep their velocities by themselves (average_velocities).
bool VelocityFormulation::has_stiff_rows() const {
    const Workspace<double>& ws = motion.dynamics.ws;
    const Tree<double>& tree = model_->tree;
    for (const RowBlock& block : rows_.blocks)
        for (const Row& row : rows_.rows_of(block)) {
            if (!(row.compliance > 0)) continue;
            double response = 0;
            if (block.link_a >= 0) response += response_alone(ws, block.link_a, row.on_a);
            if (block.link_b >= 0) response += response_alone(ws, block.link_b, row.on_b);
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                const RowEntry& entry = rows_.entries[e];
                const int link = factor_.link_of_dof[entry.dof];
                const RigidInertia<double> own =
                    world_inertia(ws.poses[link].X_WL.R, tree.links[link].inertia);
                response += entry.value * entry.value /
                            (dot(ws.S[entry.dof], own * ws.S[entry.dof]) + tree.armature[entry.dof]);
            }
            if (response > stiff_share * row.compliance) return true;
        }
    return false;
}

// Forces and rows: x_, and rows_.
bool VelocityFormulation::assemble(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::assemble, options_.timed);
    SmoothDynamics& dynamics = motion.dynamics;
    const Model& model = dynamics.model();
    const RowContext context{.h = h, .time = state.time};
    rows_.clear();
    algebra().terms.clear_added();
    update_drives(state, dynamics.ws, dynamics.drives);
    if (options_.law == Law::kinematic) {
        inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, x_, dynamics.push_bodies());
        push_by_forces(state);
        std::fill(curved_.begin(), curved_.end(), 0.0);
        has_drives_ = false;
    } else {
        add_bias(state, h);
        const SmoothImpulses::Step step{state, model, dynamics.ctrl, context, warm, dynamics.drives};
        smooth_impulses_.add_passive(step, algebra().terms, x_, rows_);
        add_drives(step);
        add_stiff_bushing_rows(dynamics.ws, h, warm, rows_);
        if (!whole_ && has_stiff_rows()) {
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
    loops_begin_ = static_cast<int>(rows_.blocks.size());
    if (dynamics.has_loops()) {
        // Errors are removed after the step, all of them.
        RowContext loop_context = context;
        loop_context.correction = 0;
        loop_context.product_share = calm_ ? 0 : whole_ ? 1
                                                        : 0.5;
        add_loop_rows(dynamics.ws, loop_context, warm, rows_, loop_terms_);
        add_pair_rows(dynamics.ws, loop_context, warm, rows_, loop_terms_);
        add_coupling_rows(state, dynamics.ws, dynamics.drives, loop_context, warm, rows_, loop_terms_);
    }
    two_sided_ = static_cast<int>(rows_.blocks.size());
    add_limit_rows(state, model, context, warm, rows_);
    add_tendon_limit_rows(state, model, dynamics.drives, context, warm, rows_);
    add_friction_loss_rows(model, context, warm, rows_);
    add_tendon_friction_rows(state, model, dynamics.drives, context, warm, rows_);
    note_tendons();
    report.limit_violation =
        std::max({report.limit_violation, largest_limit_violation(state, model).size, tendons_beyond_});
    RowContext contact_context = context;
    contact_context.reach_speed = Surroundings::reach_speed;
    contact_context.contact_product_share = options_.law == Law::dynamic && !whole_ && !calm_ ? 0.5 : 0;
    if (model.options.enabled.constraint && model.options.enabled.contact)
        add_contact_rows(collision.contacts, dynamics.ws, contact_context,
                         impulse_time > 0 ? h / impulse_time : 0.0, rows_);
    return true;
}

bool VelocityFormulation::factor(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::factor, options_.timed);
    const Workspace<double>& ws = motion.dynamics.ws;
    const Model& model = ws.model();
    StepAlgebra& algebra = this->algebra();
    algebra.terms.turning = {};
    resisted_ = x_;
    if (options_.law == Law::dynamic && !looking_back_ && turning_.find(ws, rows_, warm, h, impulse_time)) {
        algebra.terms.turning = turning_.of_links();
        turning_.add_impulses(ws, resisted_);
    }
    if (const int link = algebra.prepare(state, ws, rows_, loops_begin_, two_sided_, report); link >= 0) {
        report.status = StepStatus::non_finite;
        report.where = "the equations of joints or loops are not finite: bodies move too fast";
        for (const Model::Body& body : model.bodies)
            if (body.link == link) {
                report.where = "the inertia of " + named(model, body) + " is not positive";
                break;
            }
        return false;
    }
    const std::size_t n = rows_.rows.size();
    for (std::vector<double>* v : {&b_, &b_kept_, &b_after_, &rate_, &lambda_, &landing_}) v->resize(n);
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            rate_[r] = row_rate(rows_, block, row, ws, state.v);
            b_[r] = rate_[r] + row.bias;
            b_after_[r] = b_kept_[r] = rate_[r] + row.kept_bias;
            lambda_[r] = row.lambda;
        }
    for (std::vector<double>* s : {&s_free_, &s_, &s_after_}) s->resize(algebra.size());
    algebra.free_change(resisted_, b_kept_, s_free_);
    return true;
}

// Whether the step with these impulses is short enough: rows are tangents, and an impact can make joints turn
// so fast that limits and contact points leave theirs within the step.
bool VelocityFormulation::fits(const JointState<double>& state, double h) {
    const Workspace<double>& ws = motion.dynamics.ws;
    const Model& model = ws.model();
    algebra().outward(s_, change_);
    for (int k = 0; k < model.nv; ++k) moving_[k] = state.v[k] + change_[k];
    for (const RowBlock& block : rows_.blocks) {
        if (block.kind != RowKind::contact || !(lambda_[block.begin] > 0)) continue;
        const Vec3d& p = collision.contacts.contacts[block.source].on_a;
        double bend = 0;
        for (const int link : {block.link_a, block.link_b}) {
            if (link < 0) continue;
            const Vec3d w = ws.poses[link].V_WL.ang + algebra().link_motion(link).ang;
            bend += dot(w, w) * length(p - ws.poses[link].X_WL.p);
        }
        if (0.5 * h * h * bend > 2 * curvature_tolerance) return false;
    }
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Vec3d w = ws.poses[i].V_WL.ang + algebra().link_motion(static_cast<int>(i)).ang;
        if (h * h * dot(w, w) > rotation_tolerance * rotation_tolerance) return false;
    }
    tried_.time = state.time;
    integrate<double>(ws, state.q, moving_, h, tried_.q);
    const double now = largest_limit_violation(state, model).size;
    // What is beyond its limit already must not be held up by the last digits of where it is.
    return largest_limit_violation(tried_, model).size <=
           std::max(limit_tolerance, now + 0.05 * limit_tolerance);
}

void VelocityFormulation::step_by_velocity(JointState<double>& state, double dt, bool automatic,
                                           const Callbacks& callbacks, StepReport& report) {
    double remaining = dt;
    const double shortest = dt / shortest_parts;
    double longest = dt;  // that the last attempt allows
    int cuts = 0, misses = 0;
    bool stiff = false;   // too much for the smooth integrator
    bool hurried = false;  // bodies in contact turn too fast for max_bends sub-steps
    // The smooth integrator knows nothing of these.
    const bool dragged = options_.law == Law::kinematic;
    const bool driven = dragged || pose_targets.active() || tracking.acts(state.time, dt);
    double residual = 0;
    algebra().loops_open = open_before_;
    while (remaining > 1e-9 * dt && report.status == StepStatus::ok) {
        double h = remaining;
        if (report.substeps >= options_.most_substeps) {
            report.status = StepStatus::step_too_small;
            report.where = "more than " + std::to_string(options_.most_substeps) +
                           " sub-steps would be needed: bodies in contact turn too fast for longer ones";
            break;
        }
        if (dragged) std::fill(state.v.begin(), state.v.end(), 0.0);
        // Joints that follow a clip are to have the velocities that are found for them.
        whole_ = tracking.acts(state.time, h);
        if (callbacks.control) callbacks.control(state, motion.dynamics);
        look(state, h, report);
        if (automatic) {
            const double wished = longest_step(h);
            hurried = hurried || (wished < h && max_bends * wished < dt);
            h = std::max(wished, std::min(h, dt / max_bends));
        }
        h = std::min(h, longest);
        if (!assemble(state, h, report)) break;
        const auto glide = [&] {
            const EnergyFlows flows = report.energy.flows;
            const OutsideImpulses outside = momentum_ ? momentum_->sum : OutsideImpulses{};
            const bool near = static_cast<int>(rows_.blocks.size()) > two_sided_;
            const double deep = deepest_contact(), beyond = largest_limit_violation(state, *model_).size;
            if (!smooth_step(state, h, callbacks, automatic, report)) {
                stiff = report.status == StepStatus::ok;
            } else if (near && h > shortest && has_passed(state, deep, beyond)) {
                state = tried_;
                state_was_set(state);
                restore_bodies(tried_bodies_);
                report.energy.flows = flows;
                if (momentum_) momentum_->sum = outside;
                ++report.rejected;
                longest = std::max(0.5 * h, shortest);
            } else {
                remaining -= h;
                longest = std::min(2 * h, dt);
            }
        };
        if (automatic && !driven && !stiff && static_cast<int>(rows_.blocks.size()) == two_sided_) {
            glide();
            continue;
        }
        // Of the rows that are there, and again without curvature where that would drive, or where rows
        // contradict each other: without it, standing still would satisfy them.
        const auto find = [&] {
            if (!factor(state, h, report) || !resolve(report)) return false;
            if (!rows_drive() && !(missed_ > gross_miss)) return true;
            calm_ = true;
            const bool found = assemble(state, h, report) && factor(state, h, report) && resolve(report);
            calm_ = false;
            return found;
        };
        grows_ = false;
        if (!find()) break;
        // Rows that contradict each other are missed in steps of any length: shorter ones are tried a few
        // times.
        const bool missing = missed_ > gross_miss && misses < most_misses && !algebra().has_large_island();
        if (automatic && h > shortest && (!fits(state, h) || missing)) {
            misses += missing;
            ++report.rejected;
            longest = std::max(0.5 * h, shortest);
            continue;
        }
        longest = std::min(2 * h, dt);
        bool acts = false;
        for (std::size_t i = static_cast<std::size_t>(two_sided_); i < rows_.blocks.size(); ++i)
            for (int r = 0; r < rows_.blocks[i].count; ++r)
                acts = acts || lambda_[rows_.blocks[i].begin + r] != 0;
        if (automatic && !driven && !stiff && !acts) {
            glide();
            continue;
        }
        if (automatic && !dragged) {
            // A bounce is to happen at the end of a step, not within it; and what is stopped far from a
            // surface might pass it by: nearer to it, it is seen whether it does.
            if (const double impact = first_impact(h); impact < 0.999 * h && cuts < most_cuts) {
                ++cuts;
                h = impact;
                if (!assemble(state, h, report) || !find()) break;
                if (h > shortest && !fits(state, h)) {
                    ++report.rejected;
                    longest = std::max(0.5 * h, shortest);
                    continue;
                }
            }
        }
        if (dragged)
            s_after_ = s_;
        else
            restitute(h, report);
        last_try_ = h <= shortest;
        may_be_pressed_ = last_try_ || !automatic;
        grows_ = grows_ && automatic && !dragged && options_.energy_guard > 0;
        const Advance made = advance(state, h, report);
        if (made == Advance::failed) break;
        const bool can_close = made == Advance::open && h > shortest / closing_parts;
        if (made == Advance::astray || can_close) {
            ++report.rejected;
            longest = std::max(0.5 * h, last_try_ ? 0.0 : shortest);
            continue;
        }
        if (made == Advance::open) {
            report.status = StepStatus::loop_open;
            report.where = open_loop_;
            break;
        }
        residual = std::max(residual, missed_);
        ++report.substeps;
        ++report.velocity_steps;
        remaining -= h;
    }
    report.residual = std::max(report.residual, residual);
    if (report.status == StepStatus::ok && hurried) {
        report.status = StepStatus::not_converged;
        report.where = "bodies in contact turn too fast for the " + std::to_string(max_bends) +
                       " sub-steps that a step may have; take shorter steps";
    }
    if (report.status == StepStatus::ok && residual > gross_miss) {
        report.status = StepStatus::not_converged;
        report.where = "impulses that satisfy all rows were not found; velocities are off by up to " +
                       std::to_string(residual) + " m/s or rad/s";
    }
}

}  // namespace lig
