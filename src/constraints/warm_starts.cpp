#include "constraints/warm_starts.h"

namespace lig {

WarmStarts::WarmStarts(const Model& model) {
    int used = 0;
    const auto reserve = [&](std::size_t count, int each = 1) {
        const int begin = used;
        used += static_cast<int>(count) * each;
        return begin;
    };
    limits_ = reserve(model.joints.size(), limits_of_joint);
    tendon_limits_ = reserve(model.tendons.size(), 2);
    friction_losses_ = reserve(model.nv);
    tendon_frictions_ = reserve(model.tendons.size());
    tendons_ = reserve(model.tendons.size());
    bushings_ = reserve(model.bushings.size(), rows_of_bushing);
    actuators_ = reserve(model.actuators.size());
    pose_drives_ = reserve(model.nv);
    trackings_ = reserve(model.nv);
    couplings_ = reserve(model.couplings.size());
    tendon_couplings_ = reserve(model.tendon_couplings.size());
    for (const Model::SubtreeConstraint& constraint : model.subtree_constraints)
        subtrees_.push_back(reserve(constraint.rows));
    for (const Model::GroupConstraint& group : model.group_constraints)
        groups_.push_back(reserve(group.rows));
    equalities_ = used;
    for (const Model::Loop& loop : model.loops) loops_.push_back(reserve(loop.rows));
    for (const Model::PairConstraint& pair : model.pair_constraints) pairs_.push_back(reserve(pair.rows));
    earlier_ = used;
    used += earlier_ - equalities_;
    lambda.assign(used, 0.0);
}

}  // namespace lig
