#include "simulation/least_forces.h"

#include "linalg/dense_lu.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Of the diagonal: the least that the matrix has along any direction, at first, and where the balance gains
// little by a turn.
constexpr double first_damping = 1e-6, least_damping = 1e-13, little_gain = 0.1;
constexpr int max_turns = 100, max_steps = 60, max_idle = 5, max_cleanings = 40;
constexpr double worthwhile = 0.5;  // of what is missing: a cleaning that leaves no more
// Of the largest term of an equation, or a share of that of all equations at their scale: as good as rounding
// leaves it, and what is not balanced any more.
constexpr double balanced = 1e-14, missed = 1e-9, share_of_all = 1e-3;
constexpr double armijo = 1e-4, shortest = 1e-10;

double length_of(const double* z, int n) { return std::sqrt(dot(z, z, n)); }

}  // namespace

int LeastForces::add(std::span<const double> column, double weight, const Range& range) {
    const int place = static_cast<int>(columns_.size()) / std::max(equations_, 1);
    blocks_.push_back({place, 1, weight, range, false});
    columns_.insert(columns_.end(), column.begin(), column.end());
    return place;
}

int LeastForces::add_cone(std::span<const double> columns, int count, double weight) {
    const int place = static_cast<int>(columns_.size()) / std::max(equations_, 1);
    blocks_.push_back({place, count, weight, {}, true});
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    return place;
}

// Each equation by what the forces do to it: newtons and newton metres compare.
void LeastForces::scale_rows() {
    scale_.assign(equations_, 0.0);
    for (const Block& block : blocks_)
        for (int j = block.begin; j < block.begin + block.count; ++j)
            for (int i = 0; i < equations_; ++i) {
                const double entry = columns_[static_cast<std::size_t>(j) * equations_ + i];
                scale_[i] += entry * entry / block.weight;
            }
    for (double& scale : scale_) scale = scale > 0 ? 1 / std::sqrt(scale) : 1;
    scaled_ = columns_;
    for (std::size_t k = 0; k < scaled_.size(); ++k) scaled_[k] *= scale_[k % equations_];
    entries_.clear();
    entry_begin_.assign(1, 0);
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
        if (scaled_[k] != 0) entries_.push_back(static_cast<int>(k % equations_));
        if ((k + 1) % equations_ == 0) entry_begin_.push_back(static_cast<int>(entries_.size()));
    }
}

void LeastForces::find_forces(std::span<const double> y) {
    for (const Block& block : blocks_) {
        double* const x = x_.data() + block.begin;
        for (int j = 0; j < block.count; ++j) {
            const std::size_t k = static_cast<std::size_t>(block.begin) + j;
            pull_[k] = dot(scaled_.data() + k * equations_, y.data(), equations_);
            x[j] = pull_[k] / block.weight;
        }
        if (!block.cone) {
            x[0] = std::clamp(x[0], block.range.lower, block.range.upper);
            continue;
        }
        const double across = length_of(x + 1, block.count - 1);
        if (across <= x[0]) continue;
        const double normal = across <= -x[0] ? 0 : 0.5 * (x[0] + across);
        for (int j = 1; j < block.count; ++j) x[j] *= normal / across;
        x[0] = normal;
    }
}

double LeastForces::value(std::span<const double> y) const {
    double sum = dot(wanted_.data(), y.data(), equations_);
    for (const Block& block : blocks_)
        for (int k = block.begin; k < block.begin + block.count; ++k)
            sum -= x_[k] * (pull_[k] - 0.5 * block.weight * x_[k]);
    for (int i = 0; i < equations_; ++i) {
        const double away = y[i] - center_[i];
        sum -= 0.5 * damping_ * away * away;
    }
    return sum;
}

// After find_forces. Returns the largest entry.
double LeastForces::find_gradient(std::span<const double> y) {
    for (int i = 0; i < equations_; ++i) gradient_[i] = wanted_[i] - damping_ * (y[i] - center_[i]);
    for (std::size_t k = 0; k < x_.size(); ++k)
        if (x_[k] != 0)
            add_scaled(-x_[k], scaled_.data() + k * equations_, gradient_.data(), equations_);
    return largest_of(gradient_);
}

// How the forces of a block change with what pulls on them: out = D v.
void LeastForces::add_change(const Block& block, const double* v, double* out) const {
    const double flat = 1 / block.weight;
    const double* const pull = pull_.data() + block.begin;
    if (!block.cone) {
        const double p = pull[0] * flat;
        if (p >= block.range.lower && p <= block.range.upper) out[0] += flat * v[0];
        return;
    }
    const int n = block.count - 1;
    const double across = length_of(pull + 1, n);
    if (across <= -pull[0] && pull[0] < 0) return;
    if (across <= pull[0] || across == 0) {
        for (int j = 0; j <= n; ++j) out[j] += flat * v[j];
        return;
    }
    const double ratio = pull[0] / across, along = dot(pull + 1, v + 1, n) / across;
    out[0] += 0.5 * flat * (v[0] + along);
    for (int j = 1; j <= n; ++j)
        out[j] += 0.5 * flat * ((v[0] - ratio * along) * pull[j] / across + (1 + ratio) * v[j]);
}

// A D Aᵀ + δ
void LeastForces::find_matrix() {
    std::fill(H_.begin(), H_.end(), 0.0);
    std::vector<double> unit, change;
    for (const Block& block : blocks_)
        for (int l = 0; l < block.count; ++l) {
            unit.assign(block.count, 0.0);
            change.assign(block.count, 0.0);
            unit[l] = 1;
            add_change(block, unit.data(), change.data());
            const double* const b = scaled_.data() + static_cast<std::size_t>(block.begin + l) * equations_;
            for (int k = 0; k < block.count; ++k) {
                if (change[k] == 0) continue;
                const double* const a =
                    scaled_.data() + static_cast<std::size_t>(block.begin + k) * equations_;
                for (const int i : entries(block.begin + k))
                    for (const int j : entries(block.begin + l))
                        H_[static_cast<std::size_t>(i) * equations_ + j] += change[k] * a[i] * b[j];
            }
        }
    for (int i = 0; i < equations_; ++i) H_[static_cast<std::size_t>(i) * (equations_ + 1)] += damping_;
}

// What is missing is small at the end, and forces from y have lost as many digits as weights differ: the
// change that they lack is found by itself.
void LeastForces::clean(std::span<const double> wanted) {
    std::vector<double> change, pull(pull_.size());
    find_matrix();
    DenseLu lu(H_.data(), equations_, equations_, swapped_.data());
    if (!lu.factor(0)) return;
    double before = HUGE_VAL;
    for (int turn = 0; turn < max_cleanings; ++turn) {
        const double now = worst();
        if (now <= balanced || now > worthwhile * before) return;
        before = now;
        for (int i = 0; i < equations_; ++i) step_[i] = scale_[i] * missing_[i];
        lu.solve(step_.data());
        for (std::size_t k = 0; k < x_.size(); ++k)
            pull[k] = dot(scaled_.data() + k * equations_, step_.data(), equations_);
        for (const Block& block : blocks_) {
            change.assign(block.count, 0.0);
            add_change(block, pull.data() + block.begin, change.data());
            for (int j = 0; j < block.count; ++j) x_[block.begin + j] += change[j];
        }
        find_missing(wanted);
    }
}

// From y_ to the top about center_. False: it could not get on.
bool LeastForces::climb() {
    find_forces(y_);
    double steepest = find_gradient(y_), height = value(y_), least = HUGE_VAL;
    for (int count = 0, idle = 0; count < max_steps && idle < max_idle; ++count) {
        idle = steepest < 0.5 * least ? 0 : idle + 1;  // rounding is reached
        least = std::min(least, steepest);
        double largest = 0;
        for (int i = 0; i < equations_; ++i) largest = std::max(largest, std::fabs(wanted_[i]));
        if (!(steepest > 0.1 * balanced * largest)) return true;
        find_matrix();
        step_ = gradient_;
        DenseLu lu(H_.data(), equations_, equations_, swapped_.data());
        if (!lu.factor(0)) return false;
        lu.solve(step_.data());
        const double slope = dot(gradient_.data(), step_.data(), equations_);
        bool better = false;
        for (double share = 1; share > shortest && !better; share *= 0.5) {
            for (int i = 0; i < equations_; ++i) tried_[i] = y_[i] + share * step_[i];
            find_forces(tried_);
            const double now = value(tried_), was = steepest;
            steepest = find_gradient(tried_);
            // Where heights differ by rounding only, the slope tells.
            better = now >= height + armijo * share * slope ||
                     (std::fabs(now - height) <= 1e-12 * std::fabs(height) && steepest < 0.9 * was);
            if (better)
                height = now;
            else
                steepest = was;
        }
        if (!better) {
            find_forces(y_);
            find_gradient(y_);
            return false;
        }
        std::swap(y_, tried_);
    }
    return true;
}

void LeastForces::find_missing(std::span<const double> wanted) {
    missing_.assign(wanted.begin(), wanted.end());
    sizes_.assign(equations_, 0.0);
    for (int i = 0; i < equations_; ++i) sizes_[i] = std::fabs(wanted[i]);
    for (std::size_t k = 0; k < x_.size(); ++k)
        for (int i = 0; i < equations_; ++i) {
            const double term = columns_[k * equations_ + i] * x_[k];
            missing_[i] -= term;
            sizes_[i] = std::max(sizes_[i], std::fabs(term));
        }
}

// By how much an equation is missed at most.
double LeastForces::worst() const {
    double share = 0, largest = 1e-300;
    for (int i = 0; i < equations_; ++i) largest = std::max(largest, scale_[i] * sizes_[i]);
    for (int i = 0; i < equations_; ++i)
        share = std::max(share, scale_[i] * std::fabs(missing_[i]) /
                                    std::max(scale_[i] * sizes_[i], share_of_all * largest));
    return share;
}

bool LeastForces::solve(std::span<const double> wanted) {
    const std::size_t n = static_cast<std::size_t>(equations_);
    scale_rows();
    wanted_.assign(wanted.begin(), wanted.end());
    for (std::size_t i = 0; i < n; ++i) wanted_[i] *= scale_[i];
    const std::size_t forces = n > 0 ? columns_.size() / n : 0;
    pull_.assign(forces, 0.0);
    x_.assign(forces, 0.0);
    for (std::vector<double>* v : {&y_, &center_, &tried_, &gradient_, &step_}) v->assign(n, 0.0);
    H_.assign(n * n, 0.0);
    swapped_.assign(n, 0);
    damping_ = first_damping;

    find_missing(wanted);
    const auto has_bounds = [](const Block& block) {
        return block.cone || std::isfinite(block.range.lower) || std::isfinite(block.range.upper);
    };
    if (std::ranges::none_of(blocks_, has_bounds)) {
        damping_ = least_damping;
        clean(wanted);
        return worst() <= missed;
    }
    double before = HUGE_VAL;
    for (int turn = 0; turn < max_turns; ++turn) {
        climb();
        find_missing(wanted);
        const double now = worst();
        if (now <= balanced) break;
        if (now > little_gain * before) {
            // Nothing more to gain: rounding, or what cannot be balanced.
            if (damping_ <= least_damping && now > 0.99 * before) break;
            damping_ = std::max(least_damping, little_gain * damping_);
        }
        before = now;
        center_ = y_;
    }
    clean(wanted);
    return worst() <= missed;
}

}  // namespace lig
