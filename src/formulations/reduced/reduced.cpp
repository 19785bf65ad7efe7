// `reduced`, after Kokkevis 2004 and Featherstone. Joints are exact by construction: the unknowns are joint
// accelerations, or velocities at the end of a step, and λ, one per row of what is not a joint.
//
//     M(q) v̇ + c(q, v) = τ + Jᵀ λ,    rows on J v̇ (events), on J v⁺ (velocity steps)
//
// A step is one of these, or several by turns:
//   smooth     nothing touches: Runge–Kutta methods, accelerations by the articulated-body method
//              (JointStepper, SmoothMotion)
//   velocity   something may touch: VelocityStep::take, per sub-step
//                look      kinematics, contacts within reach             VelocityStep::look
//                assemble  forces τ, rows J                              StepAssembly::assemble
//                factor    articulated inertias; responses of the rows   JointAlgebra::prepare
//                resolve   λ, then bounces                               StepImpulses::resolve, restitute
//                advance   q⁺, v⁺, equalities closed                     StepAdvance::advance
//   event      from event to event, the paper's own step (section 7): EventLoop::take, EventStep::advance
//   crowd      few sub-steps with two sweeps each, momenta carried: CrowdStep::take
//
// Cost: O(n) for n freedoms, and per row and sweep the way from its links to the root.
// Not handled, and refused by name: RATTLE and backward differences, penalties, the kinematic law.

#include "formulations/reduced/reduced.h"

#include "formulations/capabilities.h"

namespace lig {

namespace {

std::optional<formulations::Unsupported> find_excluded(const Model& model, const SimulationOptions& options) {
    using formulations::Unsupported;
    if (options.stepping != Stepping::crowd) return std::nullopt;
    if (options.solver != formulations::automatic_solver && options.solver != "sweeps")
        return Unsupported{Unsupported::Kind::contradiction,
                           "stepping crowd and the solver '" + options.solver +
                               "' exclude each other: it sweeps (--solver sweeps)"};
    if (options.impact == ImpactLaw::sequential)
        return Unsupported{Unsupported::Kind::contradiction,
                           "stepping crowd and impact sequential exclude each other: it resolves all impacts "
                           "of a sub-step at once"};
    return formulations::find_equality(model, "stepping crowd");
}

}  // namespace

Reduced::Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Formulation(std::move(model), options),
      algebra_(*context_.model, context_.collision.contacts, options),
      stiffness_(context_, algebra_.terms),
      stepper_(context_),
      smooth_(context_, stepper_, stiffness_),
      velocity_(context_, algebra_, smooth_, stiffness_),
      events_(context_, smooth_, velocity_),
      crowd_(context_, algebra_, stiffness_) {}

constinit const formulations::Capabilities Reduced::capabilities{
    .lacks = {formulations::Feature::deforming_bodies},
    .coordinates = {Coordinates::automatic, Coordinates::joint},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::event, Stepping::smooth,
                 Stepping::crowd},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::euler, SmoothIntegrator::rk4,
                   SmoothIntegrator::rk45},
    .own_options = "event",
    .on_bodies = false,
    .smooth_steps = "Dormand-Prince steps by their error where nothing is touched",
    .find_excluded = find_excluded,
};

void Reduced::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                        StepReport& report) {
    context_.close_given(state, report);
    switch (context_.options.stepping) {
        case Stepping::smooth: smooth_.take(state, dt, callbacks, false, report); break;
        case Stepping::event: events_.take(state, dt, callbacks, report); break;
        case Stepping::automatic: velocity_.take(state, dt, true, callbacks, report); break;
        case Stepping::velocity: velocity_.take(state, dt, false, callbacks, report); break;
        case Stepping::crowd: crowd_.take(state, dt, callbacks, report); break;
    }
    report.rows = static_cast<int>(context_.rows.rows.size());
}

MotionReport JointStepper::advance(JointState<double>& state, double duration, SmoothOptions& options) {
    const SmoothIntegrator wanted = context_.options.integrator;
    options.method = wanted == SmoothIntegrator::euler ? SmoothMethod::euler
                     : wanted == SmoothIntegrator::rk4 ? SmoothMethod::rk4
                                                       : SmoothMethod::rk45;
    return context_.motion.advance(state, duration, options);
}

}  // namespace lig
