#include "formulations/velocity/step_assembly.h"

#include "constraints/bushing_rows.h"
#include "constraints/contact_rows.h"
#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "dynamics/bushing_pulls.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/surroundings.h"
#include "model/named.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

StepAssembly::StepAssembly(StepContext& context, JointTerms& terms, Stiffness& stiffness,
                           StepEquations& equations)
    : context_(context),
      terms_(terms),
      stiffness_(stiffness),
      equations_(equations),
      smooth_impulses_(*context.model),
      pose_drive_(*context.model),
      equalities_(*context.model),
      bounded_constraints_(*context.model),
      zero_(context.model->nv),
      scratch_(context.model->nv),
      steady_(context.model->tree.links.size()) {
    const std::vector<Model::Tendon>& tendons = context.model->tendons;
    if (std::any_of(tendons.begin(), tendons.end(),
                    [](const Model::Tendon& tendon) { return tendon.range != Range{}; }))
        equations.tendon_gaps.resize(tendons.size());
}

bool StepAssembly::assemble(const JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::assemble, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const RowContext context{.h = h, .time = state.time};
    context_.rows.clear();
    terms_.clear_added();
    update_drives(state, dynamics.ws, dynamics.drives);
    if (context_.options.multiplier.law == Law::kinematic)
        push_by_forces(state);
    else
        add_forces(state, context);
    if (!forces_are_finite(report)) return false;
    equations_.equalities_begin = static_cast<int>(context_.rows.blocks.size());
    if (dynamics.has_equalities()) add_equality_rows(state, context);
    equations_.two_sided = static_cast<int>(context_.rows.blocks.size());
    add_one_sided_rows(state, context);
    note_tendons();
    equations_.constraints_beyond = bounded_constraints_.largest_violation(dynamics.ws, state.time);
    report.limit_violation =
        std::max({report.limit_violation, largest_limit_violation(state, *context_.model).size,
                  equations_.tendons_beyond, equations_.constraints_beyond});
    return true;
}

// The law m v = f of things that are dragged about (Baraff 1996, sec. 3): a force of 1 N gives 1 kg the
// velocity that it would give it within a second, whatever it had before. Of all forces those count that are
// applied, springs and drives; weight does not.
void StepAssembly::push_by_forces(const JointState<double>& state) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    std::vector<double>& x = equations_.x;
    // The bias with the forces on bodies, and without.
    inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, x, dynamics.push_bodies());
    inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, scratch_, false);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = dynamics.qfrc_applied[k] + scratch_[k] - x[k];
    add_smooth_forces<double>(state, dynamics.model(), dynamics.ctrl, dynamics.drives, x);
    add_bushing_pulls<double>(dynamics.ws, x);
    for (std::size_t k = 0; k < dynamics.drives.gravity_force.size(); ++k)
        x[k] -= dynamics.drives.gravity_force[k];
    std::fill(equations_.curvature.begin(), equations_.curvature.end(), 0.0);
    equations_.has_drives = false;
}

// x = h (what is applied − weight − half of what the curvature of coordinates takes, or all of it), and that
// part.
void StepAssembly::add_bias(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    std::vector<double>& x = equations_.x;
    const bool pushed = equations_.pushed = dynamics.push_bodies();
    if (equations_.carries_momenta)
        std::fill(x.begin(), x.end(), 0.0);
    else
        inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, x, pushed);
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    add_bushing_pulls<double>(dynamics.ws, scratch_);
    // Of that, what does not come from velocities: weight and forces on bodies.
    const std::vector<TreeLink<double>>& links = model.tree.links;
    const Workspace<double>& ws = dynamics.ws;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Vec3d weight = links[i].inertia.mass * model.options.gravity;
        const Vec3d arm = ws.poses[i].X_WL.R * links[i].inertia.h;
        steady_[i] = {cross(arm, model.options.gravity), weight};
        if (pushed) steady_[i] += ws.f_ext[i];
    }
    const double share = equations_.carries_momenta ? 0 : equations_.whole_curvature ? 1
                                                                                     : 0.5;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) {
            if (links[i].stretch >= 0) {
                // Momenta of what deforms are not carried on (EndVelocities): all of it is a force.
                equations_.curvature[k] = 0;
                x[k] = h * (dynamics.qfrc_applied[k] + scratch_[k] - x[k]);
                continue;
            }
            const double steady = -dot(ws.S[k], steady_[i]);
            equations_.curvature[k] = share * h * (x[k] - steady);
            x[k] = h * (dynamics.qfrc_applied[k] - steady) - equations_.curvature[k];
        }
        if (links[i].parent >= 0) steady_[links[i].parent] += shift_back(steady_[i], ws.links[i].r);
    }
}

// All forces, implicitly as far as that goes; what is a row of them has the first blocks.
void StepAssembly::add_forces(const JointState<double>& state, const RowContext& context) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    add_bias(state, context.h);
    const SmoothImpulses::Step step{state, dynamics.model(), dynamics.ctrl, context,
                                    context_.warm, dynamics.drives};
    smooth_impulses_.add_passive(step, terms_, equations_.x, context_.rows);
    add_drives(step);
    add_stiff_bushing_rows(dynamics.ws, context.h, context_.warm, context_.rows);
    // Stiff joints keep their velocities by themselves (EndVelocities).
    if (equations_.carries_momenta || equations_.whole_curvature || !stiffness_.has_stiff_rows()) return;
    equations_.whole_curvature = true;
    for (std::size_t k = 0; k < equations_.x.size(); ++k) {
        equations_.x[k] -= equations_.curvature[k];
        equations_.curvature[k] *= 2;
    }
}

// Drives, springs towards a pose and tracking; and by themselves what they do, for the ledger.
void StepAssembly::add_drives(const SmoothImpulses::Step& step) {
    std::vector<double>&x = equations_.x, &driven = equations_.driven;
    std::vector<double>& driven_terms = equations_.driven_terms;
    const bool has_drives = equations_.has_drives =
        step.model.nu > 0 || context_.pose_targets.active() || context_.tracking.clip();
    if (has_drives) {
        driven = x;
        driven_terms = terms_.added;
    }
    smooth_impulses_.add_actuators(step, terms_, x, context_.rows);
    pose_drive_.add(context_.pose_targets, step.state, context_.motion.dynamics.ws, step.context,
                    context_.warm, {terms_, x, context_.rows});
    context_.tracking.add(step.state, step.context, context_.warm, x, context_.rows);
    if (!has_drives) return;
    for (std::size_t k = 0; k < x.size(); ++k) driven[k] = x[k] - driven[k];
    for (std::size_t k = 0; k < driven_terms.size(); ++k) driven_terms[k] = terms_.added[k] - driven_terms[k];
}

bool StepAssembly::forces_are_finite(StepReport& report) const {
    for (const Model::Joint& joint : context_.model->joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(equations_.x[k])) {
                report.status = StepStatus::non_finite;
                report.where = "the force on " + named(*context_.model, joint) + " is not finite";
                return false;
            }
    return true;
}

// Of what curvature does to equalities, and to constraints with bounded forces.
double StepAssembly::product_share() const {
    return equations_.ignores_row_curvature || equations_.carries_momenta ? 0
           : equations_.whole_curvature                                   ? 1
                                                                          : 0.5;
}

// Errors of equalities are removed after the step, all of them.
void StepAssembly::add_equality_rows(const JointState<double>& state, const RowContext& context) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    RowContext equality_context = context;
    equality_context.correction = 0;
    equality_context.product_share = product_share();
    const EqualityState now{state, dynamics.ws, &dynamics.drives, state.time, true};
    equalities_.add_rows(now, equality_context, context_.warm, context_.rows, equality_terms_);
}

void StepAssembly::add_one_sided_rows(const JointState<double>& state, const RowContext& context) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    const WarmStarts& warm = context_.warm;
    Rows& rows = context_.rows;
    add_limit_rows(state, model, context, warm, rows, equations_.held_limits);
    add_tendon_limit_rows(state, model, dynamics.drives, context, warm, rows);
    add_friction_loss_rows(model, context, warm, rows);
    add_tendon_friction_rows(state, model, dynamics.drives, context, warm, rows);
    if (!bounded_constraints_.empty()) {
        RowContext bounded_context = context;
        bounded_context.product_share = product_share();
        bounded_constraints_.add_rows(dynamics.ws, state.v, bounded_context, warm, true, rows);
    }
    if (!model.options.enabled.constraint || !model.options.enabled.contact) return;
    const bool curved = context_.options.multiplier.law == Law::dynamic && !equations_.whole_curvature &&
                        !equations_.carries_momenta && !equations_.ignores_row_curvature;
    RowContext contact_context = context;
    contact_context.reach_speed = Surroundings::reach_speed;
    contact_context.contact_product_share = curved ? 0.5 : 0;
    add_contact_rows(context_.collision.contacts, dynamics.ws, contact_context,
                     context_.impulse_time > 0 ? context.h / context_.impulse_time : 0.0, rows);
}

// Where tendons are at the beginning of the step. After update_drives.
void StepAssembly::note_tendons() {
    const DriveWorkspace<double>& drives = context_.motion.dynamics.drives;
    equations_.tendons_beyond = largest_tendon_limit_violation(*context_.model, drives).size;
    for (std::size_t k = 0; k < equations_.tendon_gaps.size(); ++k)
        equations_.tendon_gaps[k] = find_tendon_gaps(*context_.model, drives, static_cast<int>(k));
}

}  // namespace lig
