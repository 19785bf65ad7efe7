#include "formulations/stiffness.h"

#include "constraints/bushing_rows.h"
#include "dynamics/dynamics_parts.h"
#include "model/split_inertia.h"

namespace lig {

namespace {

// Of the inertia along a freedom or row: springs and dampers that add more of it, within a step, are stiff.
constexpr double stiff_share = 0.2;

}  // namespace

Stiffness::Stiffness(StepContext& context, JointTerms& terms)
    : context_(context),
      terms_(terms),
      smooth_impulses_(*context.model),
      link_of_dof_(context.model->nv),
      unused_(context.model->nv) {
    const std::vector<TreeLink<double>>& links = context.model->tree.links;
    for (std::size_t i = 0; i < links.size(); ++i)
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k)
            link_of_dof_[k] = static_cast<int>(i);
}

void Stiffness::find(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const RowContext context{.h = h, .time = state.time};
    context_.rows.clear();
    terms_.clear_added();
    forward_kinematics(state, dynamics.ws);
    update_drives(state, dynamics.ws, dynamics.drives);
    smooth_impulses_.add({state, dynamics.model(), dynamics.ctrl, context, context_.warm, dynamics.drives},
                         terms_, unused_, context_.rows);
    add_stiff_bushing_rows(dynamics.ws, h, context_.warm, context_.rows);
}

bool Stiffness::has_stiff_forces(const JointState<double>& state, double h) {
    find(state, h);
    if (has_stiff_rows()) return true;
    for (int k = 0; k < context_.model->nv; ++k)
        if (terms_.added[terms_.added_at(k, k)] > stiff_share * inertia_along(k)) return true;
    return false;
}

double Stiffness::inertia_along(int dof) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Tree<double>& tree = context_.model->tree;
    const int link = link_of_dof_[dof];
    const RigidInertia<double> inertia = world_inertia(ws.poses[link].X_WL.R, tree.links[link].inertia);
    return dot(ws.S[dof], inertia * ws.S[dof]) + tree.armature[dof];
}

bool Stiffness::has_stiff_rows() const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Rows& rows = context_.rows;
    for (const RowBlock& block : rows.blocks)
        for (const Row& row : rows.rows_of(block)) {
            if (!(row.compliance > 0)) continue;
            const double response =
                response_alone(ws, rows, block, row, [&](int dof) { return inertia_along(dof); });
            if (response > stiff_share * row.compliance) return true;
        }
    return false;
}

}  // namespace lig
