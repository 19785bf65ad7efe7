#include "simulation/pose_target_numbers.h"

#include <ligament/model.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace lig {

std::vector<double> numbers_of(const Model& model, const PoseTargets& targets) {
    std::vector<double> out, q = model.q0, v(model.nv, 0.0);
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
        const PoseTargets::Joint& how = targets.joints[k];
        const Model::Joint& joint = model.joints[k];
        const bool driven = how.frequency != 0;
        const PoseTargets::Joint kept = driven ? how : PoseTargets::Joint{};
        out.insert(out.end(), {kept.frequency, kept.damping_ratio, kept.max_torque});
        if (!driven) continue;
        std::copy_n(targets.q.begin() + joint.q_adr, joint.nq, q.begin() + joint.q_adr);
        std::copy_n(targets.v.begin() + joint.v_adr, joint.nv, v.begin() + joint.v_adr);
    }
    out.insert(out.end(), q.begin(), q.end());
    out.insert(out.end(), v.begin(), v.end());
    return out;
}

PoseTargets targets_of(const Model& model, const std::vector<double>& numbers) {
    PoseTargets targets(model);
    if (numbers.empty()) return targets;
    const std::size_t begin_q = 3 * model.joints.size(), begin_v = begin_q + model.nq;
    if (numbers.size() != begin_v + model.nv)
        throw std::invalid_argument("lig::Simulation: the snapshot's pose targets are of another model");
    const std::span<const double> all(numbers);
    for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
        const double* how = numbers.data() + 3 * k;
        // Setting checks the numbers.
        if (how[0] != 0)
            targets.set(model, all.subspan(begin_q, model.nq), all.subspan(begin_v, model.nv), how[0], how[1],
                        how[2], std::span(&k, 1));
    }
    return targets;
}

}  // namespace lig
