#include "constraints/friction_loss_rows.h"

#include "constraints/length_row.h"

namespace lig {

namespace {

bool friction_counts(const Model& model) {
    return model.options.enabled.constraint && model.options.enabled.friction_loss;
}

Row& add_bounded_row(Rows& rows, double most, const WarmStarts& warm, int slot) {
    Row& row = rows.add_row();
    row.lo = -most;
    row.hi = most;
    row.warm = slot;
    row.lambda = warm.lambda[slot];
    return row;
}

}  // namespace

void add_friction_loss_rows(const Model& model, const RowContext& context, const WarmStarts& warm,
                            Rows& rows) {
    if (!friction_counts(model)) return;
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
        const Model::Joint& joint = model.joints[i];
        if (joint.friction_loss <= 0 || joint.nv == 0) continue;
        rows.begin_block(RowKind::friction_loss, static_cast<int>(i));
        for (int dof = joint.v_adr; dof < joint.v_adr + joint.nv; ++dof) {
            add_bounded_row(rows, context.h * joint.friction_loss, warm, warm.friction_loss(dof));
            rows.add_entry(dof, 1);
        }
    }
}

void add_tendon_friction_rows(const JointState<double>& state, const Model& model,
                              const DriveWorkspace<double>& drives, const RowContext& context,
                              const WarmStarts& warm, Rows& rows) {
    if (!friction_counts(model)) return;
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (tendon.friction_loss <= 0) continue;
        const int index = static_cast<int>(i);
        rows.begin_block(RowKind::tendon_friction, index);
        Row& row =
            add_bounded_row(rows, context.h * tendon.friction_loss, warm, warm.tendon_friction(index));
        row.bias = row.kept_bias = row.base_rate =
            drives.tendon_velocity[i] - speed_by_joints(state, model, drives, tendon.row);
        add_length_entries(model, drives, tendon.row, 1, rows);
    }
}

}  // namespace lig
