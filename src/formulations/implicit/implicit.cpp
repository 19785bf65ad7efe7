// `implicit`, stiff joints in linear time, after Hernandez et al. 2011. Bodies go by backward differences,
// with everything at the end of the step:
//
//     p⁺ = p̂ + η (f⁺ + J⁺ᵀ λ),   C(x⁺, R⁺, t⁺) = 0          (1)–(3) of implicit_motion.h
//
// by Newton's method on (M + ηD + η²K  Jᵀ; J  0) (du; dy) = (−(2); −C/η)       [H11 eq. 3, 4].
//
// Unknowns: six velocities per body and a multiplier per row. Cost: O(n) on trees per iteration, springs and
// dampers of joints included; equalities by their own fill. A step is one of these:
//   Touching::penalty     limits, contacts and dry friction are stiff one-sided springs in the same
//                         equations, as in the paper: ImplicitMotion::advance is the whole step, per sub-step
//                           look      what could touch                      ImplicitMotion::look_around
//                           assemble  residuals of (1)–(3), K and D         find_residual, add_stiffness
//                           factor    LDLᵀ with the blocks of grandparents  ImplicitMotion::factor
//                           resolve   du, λ and the laws of penalties       ImplicitMotion::solve, StiffRows
//                           advance   bodies, then the joints read off them ImplicitMotion::step
//   Touching::hard        they go by impulses on velocities, on the same factorization with anticipation, as
//                         in `multiplier`: VelocityStep::take (look, assemble, factor, resolve, advance), and
//                         steps are implicit in time where nothing is touched (DifferenceStepper)
//   Touching::automatic   hard, unless the model has bushings, which velocity steps take explicitly
//
// Not handled, and refused by name: tendons with inertia, couplings of tendons, bodies without mass, bounces
// by penalties, steps from event to event.

#include "formulations/implicit/implicit.h"

#include "formulations/capabilities.h"
#include "model/named.h"

#include <ligament/bushing.h>

namespace lig {

namespace {

bool acts_by_penalties(const Model& model, const SimulationOptions& options) {
    if (options.touching != Touching::automatic) return options.touching == Touching::penalty;
    return options.stepping != Stepping::velocity && has_bushings(model);
}

// How high something bounces is a matter of impulses: stiff springs at the end of the step lose it.
std::optional<formulations::Unsupported> find_bounce(const Model& model) {
    const auto bounces = [](const std::string& what, const SourceLocation& where) {
        return formulations::Unsupported{formulations::Unsupported::Kind::model,
                                         "bounces by penalties, as the restitution of " + what +
                                             " asks for; take touching hard (--touching hard)",
                                         where};
    };
    for (std::size_t k = 0; k < model.geoms.size(); ++k) {
        const GeomSpec& geom = model.geoms[k].spec;
        const bool touches = geom.collides && (geom.contype != 0 || geom.conaffinity != 0);
        if (touches && geom.restitution > 0) return bounces(named("geom", geom.name, k), geom.where);
    }
    for (std::size_t k = 0; k < model.pairs.size(); ++k)
        if (const auto& pair = model.pairs[k].spec; pair.restitution > 0)
            return bounces(named("contact pair", pair.name, k), pair.where);
    return std::nullopt;
}

std::optional<formulations::Unsupported> find_excluded(const Model& model, const SimulationOptions& options) {
    using formulations::Unsupported;
    if (options.stepping == Stepping::velocity && options.touching == Touching::penalty)
        return Unsupported{Unsupported::Kind::option, "velocity steps with penalties"};
    const ImplicitOptions &own = options.implicit, defaults;
    const bool by_penalties = acts_by_penalties(model, options) && options.stepping != Stepping::smooth;
    if (by_penalties) {
        std::optional<Unsupported> found =
            formulations::find_feature(model, {formulations::Feature::deforming_contacts});
        if (found) found->text += ", by penalties; take touching hard (--touching hard)";
        if (!found) found = find_bounce(model);
        return found ? found : formulations::find_bounded_force(model, "touching penalty");
    }
    if (own.penalty_frequency != defaults.penalty_frequency ||
        own.penalty_dissipation != defaults.penalty_dissipation)
        return Unsupported{Unsupported::Kind::contradiction,
                           "implicit.penalty_frequency (--penalty-frequency) and "
                           "implicit.penalty_dissipation (--penalty-dissipation) go with touching penalty"};
    return std::nullopt;
}

}  // namespace

Implicit::Implicit(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Formulation(std::move(model), options),
      by_penalties_(acts_by_penalties(*context_.model, options)),
      algebra_(context_.model, context_.collision.contacts, options),
      stiffness_(context_, algebra_.terms),
      stepper_(context_, by_penalties_ && options.stepping != Stepping::smooth),
      smooth_(context_, stepper_, stiffness_),
      velocity_(context_, algebra_, smooth_, stiffness_) {}

constinit const formulations::Capabilities Implicit::capabilities{
    .lacks = formulations::not_on_bodies,
    .coordinates = {Coordinates::automatic, Coordinates::maximal},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::smooth},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2},
    .touching = {Touching::automatic, Touching::hard, Touching::penalty},
    .own_options = "implicit",
    .takes_any_stiffness = true,
    .smooth_steps = "implicit steps",
    .find_excluded = find_excluded,
};

void Implicit::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                         StepReport& report) {
    context_.close_given(state, report);
    switch (context_.options.stepping) {
        case Stepping::smooth: smooth_.take(state, dt, callbacks, false, report); break;
        case Stepping::velocity: velocity_.take(state, dt, false, callbacks, report); break;
        default:
            if (!by_penalties_)
                velocity_.take(state, dt, true, callbacks, report);
            else if (smooth_.take_whole(state, dt, callbacks, report))
                stepper_.keep_penalties(state);
    }
    report.rows = static_cast<int>(context_.rows.rows.size());
}

}  // namespace lig
