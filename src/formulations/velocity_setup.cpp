#include "formulations/velocity_step.h"

#include "constraints/contact_rows.h"
#include "model/split_inertia.h"
#include "simulation/stopwatch.h"

#include <algorithm>

namespace lig {

VelocityStep::VelocityStep(StepContext& context, StepAlgebra& algebra, SmoothStep& smooth,
                           Stiffness& stiffness)
    : context_(context),
      algebra_(algebra),
      smooth_(smooth),
      stiffness_(stiffness),
      smooth_impulses_(*context.model),
      turning_(*context.model),
      trees_(*context.model),
      transport_(*context.model),
      factor_(*context.model),
      carried_(context.model->tree.links.size()),
      held_back_(context.model->tree.links.size()),
      kept_motion_(context.model->tree.links.size()),
      pose_drive_(*context.model),
      equalities_(*context.model),
      impacts_(context.options),
      surroundings_(*context.model),
      tried_(*context.model) {
    for (std::vector<double>* v : {&moving_, &x_, &zero_, &correction_, &uncorrected_, &curved_, &resisted_,
                                   &driven_, &after_, &closing_})
        v->assign(context.model->nv, 0.0);
    earlier_.reserve(context_.warm.lambda.size());
    brake_.reserve(context.model->nv);
    closed_q_.reserve(context.model->nq);
    for (const Model::Tendon& tendon : context.model->tendons)
        tendons_are_limited_ = tendons_are_limited_ || tendon.range != Range{};
    if (tendons_are_limited_) tendon_gaps_.resize(context.model->tendons.size());
    if (LimitClosure::needed_by(*context.model))
        limit_closure_ = std::make_unique<LimitClosure>(*context.model);
    driven_terms_.reserve(JointTerms(*context.model).added.size());
}

}  // namespace lig
