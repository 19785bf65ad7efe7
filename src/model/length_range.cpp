#include "model/length_range.h"

#include "joints/joint_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lig::compiling {

namespace {

constexpr int max_steps = 2000;
// Of the length relative to how much it has changed: below this a step has found nothing more.
constexpr double settled = 1e-14;
constexpr int settled_steps = 5;
// Where a freedom without limits has gone this far, the length has no end: turns, and metres.
constexpr double far_angle = 4 * std::numbers::pi, far_length = 1e4;
// By this share of its scale each freedom is moved, up and down, for two more starts: at the reference
// configuration the slope may be zero, at a greatest length say.
constexpr double offset_share = 1e-3;

bool is_bounded(const Range& range) { return range != Range{}; }

double polynomial(const std::array<double, 5>& c, double x) {
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}
double slope(const std::array<double, 5>& c, double x) {
    return c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]));
}

bool moves_one_of(const Model& model, const Model::Row& a, const Model::Row& b) {
    const auto begin = model.row_velocities.begin();
    return std::any_of(begin + a.begin, begin + a.begin + a.count, [&](int v) {
        return std::find(begin + b.begin, begin + b.begin + b.count, v) != begin + b.begin + b.count;
    });
}

}  // namespace

LengthRangeSearch::LengthRangeSearch(const std::shared_ptr<const Model>& model)
    : model_(*model), ws_(model), drives_(*model), state_(*model), motion_(model->nv), slope_(model->nv) {
    for (const Model::Coupling& coupling : model_.couplings) {
        if (!coupling.active) continue;
        const Model::Joint& follower = model_.joints[coupling.follower];
        const Model::Joint* leader = coupling.leader < 0 ? nullptr : &model_.joints[coupling.leader];
        followers_.push_back({&coupling, leader ? leader->q_adr : -1, follower.q_adr,
                              leader ? leader->reference : 0, follower.reference});
    }
}

bool LengthRangeSearch::overlooks(int actuator) const {
    if (!model_.loops.empty() || !model_.pair_constraints.empty() || !model_.tendon_couplings.empty())
        return true;
    const Model::Actuator& own = model_.actuators[actuator];
    for (std::size_t t = 0; t < model_.tendons.size(); ++t)
        if (static_cast<int>(t) != own.tendon && is_bounded(model_.tendons[t].range) &&
            moves_one_of(model_, own.row, model_.tendons[t].row))
            return true;
    return false;
}

bool LengthRangeSearch::is_follower(int coordinate) const {
    return std::any_of(followers_.begin(), followers_.end(),
                       [&](const Follower& f) { return f.follower == coordinate; });
}

void LengthRangeSearch::collect_freedoms(int actuator) {
    const Model::Row& row = model_.actuators[actuator].row;
    std::vector<char> wanted(model_.nv, false);
    for (int k = row.begin; k < row.begin + row.count; ++k) wanted[model_.row_velocities[k]] = true;
    // Leaders move what their followers move.
    for (std::size_t pass = 0; pass < followers_.size(); ++pass)
        for (const Follower& f : followers_)
            if (f.leader >= 0 && wanted[model_.joints[f.coupling->follower].v_adr])
                wanted[model_.joints[f.coupling->leader].v_adr] = true;
    freedoms_.clear();
    has_manifolds_ = false;
    for (const Model::Joint& joint : model_.joints) {
        const joints::JointInfo& info = joints::joint_info(joint.type);
        for (int k = 0; k < joint.nv; ++k) {
            if (!wanted[joint.v_adr + k]) continue;
            Freedom freedom{joint.v_adr + k, -1, Range{}, 1, far_angle};
            if (joint.nq == joint.nv) {
                freedom.coordinate = joint.q_adr + k;
                if (is_follower(freedom.coordinate)) continue;
                freedom.range = joint.range[k];
                const double width = freedom.range.upper - freedom.range.lower;
                const bool is_angle = info.coordinate_kinds[k] == joints::Coordinate::angle;
                if (!is_angle) freedom.farthest = far_length;
                freedom.scale = !std::isfinite(width) ? (is_angle ? 1 : 0.1) : width > 0 ? width
                                                                                         : 1;
                if (std::isfinite(freedom.range.lower) && std::isfinite(freedom.range.upper))
                    freedom.farthest = std::numeric_limits<double>::infinity();
            } else {
                has_manifolds_ = true;
            }
            freedoms_.push_back(freedom);
        }
    }
}

void LengthRangeSearch::clamp(std::vector<double>& x) const {
    for (std::size_t i = 0; i < freedoms_.size(); ++i) {
        const Freedom& f = freedoms_[i];
        if (f.coordinate < 0) continue;
        const double q0 = model_.q0[f.coordinate];
        x[i] = std::clamp(x[i], (f.range.lower - q0) / f.scale, (f.range.upper - q0) / f.scale);
    }
}

void LengthRangeSearch::move_to(const std::vector<double>& x) {
    state_.q = base_;
    if (has_manifolds_) {
        std::fill(motion_.begin(), motion_.end(), 0.0);
        for (std::size_t i = 0; i < freedoms_.size(); ++i)
            if (freedoms_[i].coordinate < 0) motion_[freedoms_[i].velocity] = x[i] * freedoms_[i].scale;
        integrate<double>(ws_, base_, motion_, 1.0, state_.q);
    }
    for (std::size_t i = 0; i < freedoms_.size(); ++i)
        if (const int q = freedoms_[i].coordinate; q >= 0)
            state_.q[q] = model_.q0[q] + x[i] * freedoms_[i].scale;
    for (std::size_t pass = 0; pass < followers_.size(); ++pass)  // chains of couplings
        for (const Follower& f : followers_)
            state_.q[f.follower] =
                f.follower_reference +
                polynomial(f.coupling->coefficients,
                           f.leader < 0 ? 0 : state_.q[f.leader] - f.leader_reference);
}

double LengthRangeSearch::evaluate(int actuator, double sign, const std::vector<double>& x,
                                   std::vector<double>& gradient) {
    move_to(x);
    forward_kinematics(state_, ws_);
    update_drives(state_, ws_, drives_);
    std::fill(slope_.begin(), slope_.end(), 0.0);
    const Model::Row& row = model_.actuators[actuator].row;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        slope_[model_.row_velocities[k]] = drives_.row_entries[k];
    for (std::size_t pass = 0; pass < followers_.size(); ++pass)
        for (const Follower& f : followers_) {
            double& own = slope_[model_.joints[f.coupling->follower].v_adr];
            if (f.leader >= 0)
                slope_[model_.joints[f.coupling->leader].v_adr] +=
                    own * slope(f.coupling->coefficients, state_.q[f.leader] - f.leader_reference);
            own = 0;
        }
    for (std::size_t i = 0; i < freedoms_.size(); ++i)
        gradient[i] = sign * slope_[freedoms_[i].velocity] * freedoms_[i].scale;
    return sign * drives_.actuator_length[actuator];
}

// Gradient steps of Barzilai and Borwein, projected onto the limits, that never go up. On manifolds each
// step begins where the last one ended.
std::optional<double> LengthRangeSearch::least(int actuator, double sign, double first_offset) {
    const std::size_t n = freedoms_.size();
    std::vector<double> x(n, first_offset), g(n), y(n), gy(n);
    base_ = model_.q0;
    clamp(x);
    double f = evaluate(actuator, sign, x, g);
    const double start = f;
    double largest = 0;
    for (const double c : g) largest = std::max(largest, std::abs(c));
    double step = largest > 0 ? 0.1 / largest : 1;
    int still = 0;
    for (int k = 0; k < max_steps; ++k) {
        double moved = 0, fy = f;
        for (int halvings = 0;; ++halvings) {
            y = x;
            for (std::size_t i = 0; i < n; ++i) y[i] -= std::clamp(step * g[i], -0.5, 0.5);
            clamp(y);
            moved = 0;
            for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::abs(y[i] - x[i]));
            if (moved == 0) return sign * f;
            fy = evaluate(actuator, sign, y, gy);
            if (fy <= f) break;
            if (halvings == 60) return sign * f;  // rounding is all that is left
            step /= 2;
        }
        for (std::size_t i = 0; i < n; ++i)
            if (std::abs(y[i]) * freedoms_[i].scale > freedoms_[i].farthest) return {};
        double yy = 0, yg = 0;
        for (std::size_t i = 0; i < n; ++i) {
            yy += (y[i] - x[i]) * (y[i] - x[i]);
            yg += (y[i] - x[i]) * (gy[i] - g[i]);
        }
        still = f - fy <= settled * (std::abs(f - start) + std::abs(f)) ? still + 1 : 0;
        step = yg > 1e-12 * yy ? yy / yg : 2 * step;
        if (has_manifolds_) {
            base_ = state_.q;
            for (std::size_t i = 0; i < n; ++i)
                if (freedoms_[i].coordinate < 0) y[i] = 0;
        }
        x.swap(y);
        g.swap(gy);
        f = fy;
        if (still == settled_steps) return sign * f;
    }
    return {};
}

std::optional<double> LengthRangeSearch::end(int actuator, double sign) {
    std::optional<double> best;
    for (const double offset : {0.0, offset_share, -offset_share}) {
        const std::optional<double> found = least(actuator, sign, offset);
        if (!found) return {};
        best = sign > 0 ? std::min(best.value_or(*found), *found) : std::max(best.value_or(*found), *found);
    }
    return best;
}

std::optional<std::array<double, 2>> LengthRangeSearch::find(int actuator) {
    const Model::Actuator& own = model_.actuators[actuator];
    collect_freedoms(actuator);
    std::optional<double> shortest = end(actuator, 1), longest = end(actuator, -1);
    if (own.transmission == Transmission::tendon && is_bounded(model_.tendons[own.tendon].range)) {
        // The tendon's own range holds it, also where the joints have no limits.
        const Range& range = model_.tendons[own.tendon].range;
        const double gear = own.gear[0];
        const double a = gear * (gear > 0 ? range.lower : range.upper),
                     b = gear * (gear > 0 ? range.upper : range.lower);
        if (std::isfinite(a)) shortest = std::max(shortest.value_or(a), a);
        if (std::isfinite(b)) longest = std::min(longest.value_or(b), b);
    }
    if (!shortest || !longest || !(*longest - *shortest > 1e-12 * (std::abs(*longest) + std::abs(*shortest))))
        return {};
    return std::array{*shortest, *longest};
}

}  // namespace lig::compiling
