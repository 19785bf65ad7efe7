#include "formulations/reduced/crowd/held_limits.h"

#include "formulations/reduced/crowd/tuning.h"

#include <algorithm>

namespace lig {

HeldLimits::HeldLimits(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.tree.links.size(); ++i)
        link_of_dof_.insert(link_of_dof_.end(), static_cast<std::size_t>(model.tree.links[i].nv),
                            static_cast<int>(i));
}

void HeldLimits::find(const JointState<double>& state, const WarmStarts& warm, std::vector<char>& held) {
    held.assign(model_.joints.size() * WarmStarts::limits_of_joint, 0);
    find_near_limits(state, model_, 0, near_);
    std::erase_if(near_, [&](const NearLimit& limit) {
        double rate = 0;
        for (int k = 0; k < limit.count; ++k) rate += limit.gradient[k] * state.v[limit.first + k];
        return rate > 0;
    });
    std::sort(near_.begin(), near_.end(), [](const NearLimit& a, const NearLimit& b) {
        return a.first != b.first ? a.first < b.first : a.slot < b.slot;
    });
    bounds_.clear();
    first_.clear();
    gaps_.clear();
    for (const NearLimit& limit : near_) {
        const int link = link_of_dof_[limit.first];
        bounds_.push_back({.link = link,
                           .first = limit.first - model_.tree.links[link].v_adr,
                           .count = limit.count,
                           .gradient = limit.gradient,
                           .times = crowd_tuning.limit_resistance});
        first_.push_back(limit.first);
        gaps_.push_back(limit.gap);
        held[static_cast<std::size_t>(warm.limit(limit.joint) - warm.limit(0) + limit.slot)] = 1;
    }
}

double HeldLimits::rate_of(std::size_t bound, std::span<const double> v) const {
    double rate = 0;
    for (int k = 0; k < bounds_[bound].count; ++k) rate += bounds_[bound].gradient[k] * v[first_[bound] + k];
    return rate;
}

void HeldLimits::push(std::size_t bound, double impulse, std::span<double> x) const {
    const HeldBound& own = bounds_[bound];
    for (int k = 0; k < own.count; ++k) x[first_[bound] + k] += impulse * own.gradient[k];
}

void HeldLimits::resist(std::span<const double> v, std::span<double> x) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) push(i, -bounds_[i].resistance * rate_of(i, v), x);
}

void HeldLimits::bring_back(double h, std::span<double> x) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        const double speed =
            std::min(-crowd_tuning.limit_correction / h * gaps_[i], crowd_tuning.fastest_limit_correction);
        push(i, bounds_[i].resistance * speed, x);
    }
}

double HeldLimits::lost(std::span<const double> v, std::span<const double> change) const {
    double sum = 0;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        const double before = rate_of(i, v), by = rate_of(i, change);
        sum += bounds_[i].resistance * (before + by) * (before + 0.5 * by);
    }
    return sum;
}

}  // namespace lig
