// `multiplier`, after Baraff 1996. Joints are constraints on bodies, their forces Lagrange multipliers, and
// one sparse factorization finds them:
//
//     (M  Jᵀ; J  −C) (a; −λ) = (f; −c)          maximal/body_matrix.h, linalg/block_ldlt.h
//
// Unknowns: six accelerations per body and a multiplier per row. Cost: O(n) on trees, equalities by their own
// fill. A step is one of these, or several by turns:
//   smooth     nothing touches: RATTLE, or Runge–Kutta methods with projection (BodyStepper, BodyMotion)
//   velocity   limits, contacts, dry friction or bounded drives may act: VelocityStep::take, with these as
//              auxiliary constraints in anticipation of the joints (section 5), per sub-step
//                look      kinematics, contacts within reach               VelocityStep::look
//                assemble  applied forces, auxiliary rows                  StepAssembly::assemble
//                factor    LDLᵀ of bodies and joints; A = Jₐ M̂⁻¹ K         BodyAlgebra::prepare
//                resolve   µ, then bounces                                 StepImpulses::resolve, restitute
//                advance   the final solve; q⁺, v⁺, equalities closed      StepAdvance::advance
// Forces too stiff for explicit kicks are left to velocity steps, too, which take them implicitly.
//
// The state that the world sees is in joint coordinates, read from the poses after every step. The poses are
// kept between steps (Coordinates::maximal), or found anew from the coordinates in every step
// (Coordinates::joint, the middle ground of sec. 2.2).
// Not handled, and refused by name: tendons with inertia, couplings of tendons, bodies without mass, steps
// from event to event.

#include "formulations/multiplier/multiplier.h"

#include "formulations/capabilities.h"

namespace lig {

namespace {

std::optional<formulations::Unsupported> find_excluded(const Model&, const SimulationOptions& options) {
    using formulations::Unsupported;
    if (options.multiplier.law == Law::kinematic && options.stepping == Stepping::smooth)
        return Unsupported{Unsupported::Kind::option, "the kinematic law with smooth stepping"};
    const bool by_rattle = options.integrator == SmoothIntegrator::automatic ||
                           options.integrator == SmoothIntegrator::rattle;
    if (options.multiplier.baumgarte > 0 && (by_rattle || options.stepping == Stepping::velocity))
        return Unsupported{Unsupported::Kind::option,
                           "multiplier.baumgarte (--baumgarte) with steps whose joints hold by their "
                           "positions; take the integrator rk4 or rk45"};
    return std::nullopt;
}

}  // namespace

Multiplier::Multiplier(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Formulation(std::move(model), options),
      algebra_(context_.model, context_.collision.contacts, options),
      stiffness_(context_, algebra_.terms),
      stepper_(context_, algebra_, stiffness_),
      smooth_(context_, stepper_, stiffness_),
      velocity_(context_, algebra_, smooth_, stiffness_) {}

constinit const formulations::Capabilities Multiplier::capabilities{
    .lacks = formulations::not_on_bodies,
    .coordinates = {Coordinates::automatic, Coordinates::maximal, Coordinates::joint},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::smooth},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::euler, SmoothIntegrator::rk4,
                   SmoothIntegrator::rk45, SmoothIntegrator::rattle},
    .own_options = "multiplier",
    .smooth_steps = "RATTLE where nothing is touched",
    .find_excluded = find_excluded,
};

void Multiplier::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                           StepReport& report) {
    context_.close_given(state, report);
    if (context_.options.stepping == Stepping::smooth)
        smooth_.take(state, dt, callbacks, false, report);
    else
        velocity_.take(state, dt, context_.options.stepping == Stepping::automatic, callbacks, report);
    report.rows = static_cast<int>(context_.rows.rows.size());
}

}  // namespace lig
