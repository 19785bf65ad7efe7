#include "formulations/implicit/joint_stiffness.h"

#include "linalg/small_dense.h"

#include <algorithm>
#include <numbers>

namespace lig::implicit {

JointStiffness::JointStiffness(const Model& model)
    : springs(model),
      model_(&model),
      smooth_(model),
      pose_(model),
      warm_(model),
      terms_(model),
      pose_terms_(model),
      x_(model.nv),
      link_of_dof_(model.nv) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i)
        std::fill_n(link_of_dof_.begin() + links[i].v_adr, links[i].nv, static_cast<int>(i));
    rotors_ = model.tree.armature;
    for (const TreeStretch& own : model.tree.stretches)  // what stretches have is in the mass of their body
        std::fill_n(rotors_.begin() + own.v_adr, own.count, 0.0);
    for (const double armature : rotors_) has_rotors_ = has_rotors_ || armature > 0;
}

void JointStiffness::add_rotors(std::span<const double> v, std::span<const double> before, double eta,
                                std::span<double> tau) const {
    for (std::size_t k = 0; k < v.size(); ++k) tau[k] -= rotors_[k] * (v[k] - before[k]) / eta;
}

// PoseDrive gives the impulse of a linearly implicit step, x = η (K (e − η v) + C (v_target − v)), and
// A = η C + η² K. K and C are multiples of one inertia, so C is a share of A, and
// η τ = x + η² K v = x + (1 − share) A v.
void JointStiffness::add_pose_drive(const PoseTargets& targets, const JointState<double>& state,
                                    const Workspace<double>& ws, double eta, std::span<double> tau) {
    pose_terms_.clear_added();
    pose_rows_.clear();
    std::fill(x_.begin(), x_.end(), 0.0);
    pose_.add(targets, state, ws, {.h = eta, .time = state.time}, warm_,
              {pose_terms_, x_, pose_rows_});
    drives_pose_ = true;
    const auto damping_share = [&](std::size_t joint) {
        const PoseTargets::Joint& target = targets.joints[joint];
        const double by_spring = eta * 2 * std::numbers::pi * target.frequency;
        return 2 * target.damping_ratio / (by_spring + 2 * target.damping_ratio);
    };
    for (std::size_t j = 0; j < model_->joints.size(); ++j) {
        if (!(targets.joints[j].frequency > 0)) continue;
        const Model::Joint& joint = model_->joints[j];
        const double rest = 1 - damping_share(j);
        for (int a = joint.v_adr; a < joint.v_adr + joint.nv; ++a) {
            double sum = x_[a];
            for (int b = joint.v_adr; b < joint.v_adr + joint.nv; ++b)
                sum += rest * pose_terms_.added[pose_terms_.added_at(a, b)] * state.v[b];
            tau[a] += sum / eta;
        }
    }
    // Of limited torque: the same along a row, within its bounds.
    for (const RowBlock& block : pose_rows_.blocks)
        for (const Row& row : pose_rows_.rows_of(block)) {
            const double weight = 1 / row.compliance;
            double rate = 0;
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                rate += pose_rows_.entries[e].value * state.v[pose_rows_.entries[e].dof];
            const double share = damping_share(static_cast<std::size_t>(-1 - block.source));
            const double impulse = std::clamp(-weight * (row.bias + share * rate), row.lo, row.hi);
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                tau[pose_rows_.entries[e].dof] += pose_rows_.entries[e].value * impulse / eta;
        }
}

void JointStiffness::add_blocks(SmoothDynamics& inputs, const JointState<double>& state, double eta,
                                bool returning, bool with_springs, maximal::BodySystem& system,
                                StiffRows& rows) {
    terms_.clear_added();
    if (with_springs) {
        soft_.clear();
        std::fill(x_.begin(), x_.end(), 0.0);
        const RowContext context{.h = eta, .time = state.time};
        smooth_.add({state, *model_, inputs.ctrl, context, warm_, inputs.drives}, terms_, x_, soft_);
        add_rows(soft_, state, system, rows);
        springs.add_terms(eta, returning, terms_);
    }
    if (drives_pose_) {
        for (std::size_t k = 0; k < terms_.added.size(); ++k) terms_.added[k] += pose_terms_.added[k];
        add_rows(pose_rows_, state, system, rows);
        drives_pose_ = false;
    }
    for (int i = 0; i < system.graph.links(); ++i) {
        const TreeLink<double>& link = model_->tree.links[i];
        double k[maximal::max_joint_rows * small_stride];
        bool any = false;
        const int frame = maximal::frame_freedoms(model_->tree, link);
        for (int a = 0; a < frame; ++a)
            for (int b = 0; b < frame; ++b) {
                double& entry = k[a * small_stride + b];
                entry = terms_.added[terms_.added_at(link.v_adr + a, link.v_adr + b)];
                if (a == b) entry += rotors_[link.v_adr + a];
                any = any || entry != 0;
            }
        if (any) system.matrix.add_freedom_block(i, k);
    }
    system.matrix.add_stretch_terms(terms_);
}

// Soft rows on joint velocities: those of one link into its terms, others into rows.
void JointStiffness::add_rows(const Rows& from, const JointState<double>& state,
                              maximal::BodySystem& system, StiffRows& rows) {
    for (const Row& row : from.rows) {
        const std::span<const RowEntry> entries(from.entries.data() + row.entry_begin,
                                                static_cast<std::size_t>(row.entry_count));
        if (!(row.compliance > 0) || entries.empty()) continue;
        const double weight = 1 / row.compliance;
        double rate = row.bias;
        bool alone = true;
        for (const RowEntry& entry : entries) {
            rate += entry.value * state.v[entry.dof];
            alone = alone && link_of(entry.dof) == link_of(entries[0].dof);
        }
        if (const double impulse = -weight * rate; impulse < row.lo || impulse > row.hi) continue;
        if (alone) {
            for (const RowEntry& a : entries)
                for (const RowEntry& b : entries)
                    if (b.dof <= a.dof)
                        terms_.added[terms_.added_at(a.dof, b.dof)] += weight * a.value * b.value;
            continue;
        }
        rows.begin_row(weight);
        for (const RowEntry& entry : entries)
            rows.add_freedom(system, link_of(entry.dof), entry.dof, entry.value);
    }
}

}  // namespace lig::implicit
