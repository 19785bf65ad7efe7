#include "constraints/tracking_rows.h"

#include "core/rotation.h"
#include "core/rotation_vector.h"
#include "model/floating.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

constexpr double min_slope = 1e-9;  // of torques by inertia, per 1/h

void require(bool condition, const std::string& what) {
    if (!condition) throw std::invalid_argument("lig: tracking: " + what);
}

Quatd quaternion_at(const std::vector<double>& q, int at) { return {q[at], q[at + 1], q[at + 2], q[at + 3]}; }

Vec3d vector_at(const std::vector<double>& v, int at, int count) {
    Vec3d out = Vec3d::zero();
    for (int k = 0; k < count; ++k) out[k] = v[at + k];
    return out;
}

// What is x in the axes before a rotation, in the axes behind it.
Vec3d turned_back(const Vec3d& rotation, const Vec3d& x) {
    return transpose_mul(rotation_matrix(rotation_exp(rotation)), x);
}

}  // namespace

TrackingGains settling_gains(double settling_time, double share) {
    require(settling_time > 0 && std::isfinite(settling_time), "the settling time must be positive");
    require(share > 0 && share < 1, "the share that is left must be between 0 and 1");
    // f(x) = log(1 + x) − x − log(share) falls and is concave for x > 0: from a point where it is negative,
    // Newton's method comes down to the root from above and cannot miss it.
    const double target = std::log(share);
    double x = 2 - 2 * target;
    for (int k = 0; k < 60; ++k) {
        const double next = x + (std::log1p(x) - x - target) * (1 + x) / x;
        if (!(next < x)) break;
        x = next;
    }
    return {(x / settling_time) * (x / settling_time), 2 * x / settling_time};
}

TrackingGains paper_gains(double settling_time) {
    require(settling_time > 0 && std::isfinite(settling_time), "the settling time must be positive");
    return {1 / (settling_time * settling_time), 2 / settling_time};
}

// With α = K_d/2 and β² = α² − K_p the exponential is [c + α s, s; −K_p s, c − α s] with
// c = e^(−αh) cosh βh and s = e^(−αh) sinh(βh)/β; cosine and sine where β² < 0.
ErrorFlow::ErrorFlow(const TrackingGains& gains, double h) {
    const double alpha = 0.5 * gains.damping, square = alpha * alpha - gains.stiffness;
    const double beta = std::sqrt(std::abs(square)), z = beta * h;
    double c, s;
    if (z < 1e-4) {  // to z⁴
        const double decay = std::exp(-alpha * h), sign = square < 0 ? -1 : 1;
        c = decay * (1 + sign * z * z / 2);
        s = decay * h * (1 + sign * z * z / 6);
    } else if (square > 0) {  // both exponents are negative: nothing overflows
        const double slow = std::exp((beta - alpha) * h), fast = std::exp(-(alpha + beta) * h);
        c = 0.5 * (slow + fast);
        s = 0.5 * (slow - fast) / beta;
    } else {
        const double decay = std::exp(-alpha * h);
        c = decay * std::cos(z);
        s = decay * std::sin(z) / beta;
    }
    ee = c + alpha * s;
    ev = s;
    ve = -gains.stiffness * s;
    vv = c - alpha * s;
}

// e⁺ = e + h ė⁺, ė⁺ = ė − h (K_d ė⁺ + K_p e⁺).
ErrorFlow ErrorFlow::backward(const TrackingGains& gains, double h) {
    const double by = 1 / (1 + h * gains.damping + h * h * gains.stiffness);
    ErrorFlow flow;
    flow.ee = by * (1 + h * gains.damping);
    flow.ev = by * h;
    flow.ve = -by * h * gains.stiffness;
    flow.vv = by;
    return flow;
}

Tracking::Tracking(const Model& model)
    : q_(model.q0),
      v_(model.nv, 0.0),
      a_(model.nv, 0.0),
      next_q_(model.q0),
      next_v_(model.nv, 0.0),
      ends_(model.q0),
      last_errors_(model.nv) {}

void Tracking::set(std::shared_ptr<const Model> model, const MotionClip& clip,
                   const TrackingOptions& options) {
    require(clip.fits(*model), "the clip is of another model");
    const auto is_gain = [](double x) { return x >= 0 && std::isfinite(x); };
    require(is_gain(options.gains.stiffness) && is_gain(options.gains.damping),
            "gains must be finite and not negative");
    require(options.feed_forward || options.gains.stiffness > 0,
            "without feed-forward the stiffness must be positive");
    require(options.torque_limit >= 0, "the torque limit must not be negative");
    require(options.torque_limits.empty() || options.torque_limits.size() == model->joints.size(),
            "there are " + std::to_string(options.torque_limits.size()) + " torque limits; the model has " +
                std::to_string(model->joints.size()) + " joints");
    for (const double limit : options.torque_limits)
        require(limit >= 0, "the torque limit must not be negative");
    require(std::isfinite(options.start), "the start must be finite");
    for (const TrackingOptions::Interval& limp : options.limp)
        require(limp.from <= limp.to, "a time of going limp ends before it begins");
    std::vector<int> which = options.joints.empty() ? clip.samples().joints : options.joints;
    std::sort(which.begin(), which.end());
    which.erase(std::unique(which.begin(), which.end()), which.end());
    std::vector<Joint> joints;
    for (const int j : which) {
        require(j >= 0 && j < static_cast<int>(model->joints.size()),
                "there is no joint " + std::to_string(j));
        const Model::Joint& joint = model->joints[j];
        require(clip.has_joint(j), "the clip has nothing for joint '" + joint.name + "'");
        // Nothing pushes a body that floats.
        if (floats(joint) || joint.nv == 0) continue;
        const Switches& enabled = model->options.enabled;
        joints.push_back({j, joint.q_adr, joint.v_adr, joint.nv, joint.type == JointType::ball,
                          options.torque_limits.empty() ? options.torque_limit : options.torque_limits[j],
                          enabled.constraint && enabled.limit ? joint.range : std::array<Range, 3>{}});
    }
    std::vector<double> inertia;
    if (options.method == TrackingMethod::pd) {
        Workspace<double> ws(model);
        const JointState<double> reference(*model);
        std::vector<double> M(static_cast<std::size_t>(model->nv) * model->nv);
        mass_matrix<double>(reference, ws, M);
        for (int k = 0; k < model->nv; ++k) inertia.push_back(M[static_cast<std::size_t>(k) * model->nv + k]);
    }
    TrackingOptions kept = options;
    clip_.emplace(clip);
    options_ = std::move(kept);
    joints_ = std::move(joints);
    inertia_ = std::move(inertia);
    wanted_.clear();
    wanted_.reserve(static_cast<std::size_t>(model->nv));
}

void Tracking::release() {
    clip_.reset();
    options_ = {};
    joints_.clear();
}

bool Tracking::is_limp(double time) const {
    return std::any_of(
        options_.limp.begin(), options_.limp.end(),
        [&](const TrackingOptions::Interval& limp) { return time >= limp.from && time < limp.to; });
}

bool Tracking::acts(double time, double duration) const {
    if (joints_.empty()) return false;
    return std::none_of(options_.limp.begin(), options_.limp.end(),
                        [&](const TrackingOptions::Interval& limp) {
                            return time >= limp.from && time + duration <= limp.to;
                        });
}

void Tracking::sample(double time) { clip_->sample(clip_time(time), q_, v_, a_); }

Tracking::Errors Tracking::errors_of(const Joint& joint, const JointState<double>& state) const {
    const Vec3d v = vector_at(state.v, joint.v_adr, joint.nv), v_d = vector_at(v_, joint.v_adr, joint.nv);
    if (!joint.ball)
        return {vector_at(state.q, joint.q_adr, joint.nv) - vector_at(q_, joint.q_adr, joint.nv), v - v_d};
    const Vec3d phi =
        rotation_log(conjugate(quaternion_at(q_, joint.q_adr)) * quaternion_at(state.q, joint.q_adr));
    return {phi, rotation_vector_rate(phi, v - turned_back(phi, v_d))};
}

void Tracking::add_row(int dof, double position_velocity, double velocity, const Joint& joint,
                       const RowContext& context, const WarmStarts& warm, Rows& rows) {
    if (row_block_ != joint.index) rows.begin_block(RowKind::tracking, joint.index);
    row_block_ = joint.index;
    Row& row = rows.add_row();
    row.bias = -position_velocity;
    row.kept_bias = -velocity;
    row.hi = context.h * joint.max_torque;
    row.lo = -row.hi;
    row.warm = warm.tracking(dof);
    row.lambda = warm.lambda[row.warm];
    rows.add_entry(dof, 1);
}

void Tracking::add(const JointState<double>& state, const RowContext& context, const WarmStarts& warm,
                   std::span<double> x, Rows& rows) {
    if (joints_.empty() || is_limp(state.time)) return;
    const double h = context.h;
    sample(state.time);
    if (options_.method == TrackingMethod::pd) {
        for (const Joint& joint : joints_) {
            const Errors now = errors_of(joint, state);
            for (int k = 0; k < joint.nv; ++k) x[joint.v_adr + k] += h * torque(joint, now, k);
        }
        return;
    }
    clip_->sample(clip_time(state.time + h), next_q_, next_v_, {});
    const ErrorFlow flow(options_.gains, h);
    row_block_ = -1;
    for (const Joint& joint : joints_) {
        if (joint.max_torque == 0) continue;
        const End end = end_of(joint, state, errors_of(joint, state), flow, h);
        for (int k = 0; k < joint.nv; ++k)
            add_row(joint.v_adr + k, end.u[k], end.v[k], joint, context, warm, rows);
    }
}

// After targets have been sampled, at both ends.
Tracking::End Tracking::end_of(const Joint& joint, const JointState<double>& state, const Errors& now,
                               const ErrorFlow& flow, double h) const {
    Vec3d lag = Vec3d::zero();
    if (!options_.feed_forward) {
        lag = (1 / options_.gains.stiffness) * vector_at(a_, joint.v_adr, joint.nv);
        if (joint.ball) lag = rotation_vector_rate(now.e, turned_back(now.e, lag));
    }
    const Vec3d e = flow.ee * (now.e + lag) + flow.ev * now.rate - lag;
    const Vec3d rate = flow.ve * (now.e + lag) + flow.vv * now.rate;
    const Vec3d target = vector_at(next_v_, joint.v_adr, joint.nv);
    if (joint.ball) {
        const Quatd wanted = quaternion_at(next_q_, joint.q_adr) * rotation_exp(e);
        return {(1 / h) * rotation_log(conjugate(quaternion_at(state.q, joint.q_adr)) * wanted),
                turned_back(e, target) + angular_velocity(e, rate)};
    }
    End end{(1 / h) *
                (vector_at(next_q_, joint.q_adr, joint.nv) + e - vector_at(state.q, joint.q_adr, joint.nv)),
            target + rate};
    for (int k = 0; k < joint.nv; ++k) {
        const double q = state.q[joint.q_adr + k], to = q + h * end.u[k];
        const double within = std::clamp(to, joint.range[k].lower, joint.range[k].upper);
        if (within != to) end.u[k] = end.v[k] = (within - q) / h;
    }
    return end;
}

bool Tracking::find_ends(const JointState<double>& state, double h, const JointState<double>* last,
                         bool second_order) {
    if (joints_.empty() || is_limp(state.time)) return false;
    if (options_.method == TrackingMethod::pd) return true;
    const bool differences = last && !second_order;
    if (differences) errors(*last, last_errors_);
    sample(state.time);
    clip_->sample(clip_time(state.time + h), next_q_, next_v_, {});
    const ErrorFlow flow =
        second_order ? ErrorFlow(options_.gains, h) : ErrorFlow::backward(options_.gains, h);
    for (const Joint& joint : joints_) {
        Errors now = errors_of(joint, state);
        if (differences)
            now.rate = (1 / (state.time - last->time)) *
                       (now.e + vector_at(last_errors_, joint.v_adr, joint.nv));
        const Vec3d u = end_of(joint, state, now, flow, h).u;
        if (joint.ball) {
            const Quatd end = quaternion_at(state.q, joint.q_adr) * rotation_exp(h * u);
            std::copy_n(std::array{end.w, end.x, end.y, end.z}.begin(), 4, ends_.begin() + joint.q_adr);
            continue;
        }
        for (int k = 0; k < joint.nv; ++k)
            ends_[joint.q_adr + k] = state.q[joint.q_adr + k] + h * u[k];
    }
    return true;
}

void Tracking::find_pulls(const JointState<double>& state, double eta, std::vector<Pull>& out) {
    const TrackingGains& gains = options_.gains;
    const bool pd = options_.method == TrackingMethod::pd;
    if (pd) sample(state.time);
    for (const Joint& joint : joints_) {
        if (joint.max_torque == 0) continue;
        Vec3d off = Vec3d::zero();
        if (pd) {
            const Errors now = errors_of(joint, state);
            off = gains.stiffness * now.e + gains.damping * now.rate;
            if (options_.feed_forward) off = off - vector_at(a_, joint.v_adr, joint.nv);
        } else if (joint.ball) {
            off = -rotation_log(conjugate(quaternion_at(state.q, joint.q_adr)) *
                                quaternion_at(ends_, joint.q_adr));
        } else {
            off = vector_at(state.q, joint.q_adr, joint.nv) - vector_at(ends_, joint.q_adr, joint.nv);
        }
        // Feed-forward alone does not depend on velocities; a slope of nothing stands for that.
        const double by = pd ? std::max(gains.damping + eta * gains.stiffness, min_slope / eta) : eta;
        for (int k = 0; k < joint.nv; ++k) {
            const double slope =
                pd ? inertia_[joint.v_adr + k] * by : std::numeric_limits<double>::infinity();
            out.push_back({joint.index, joint.v_adr + k, off[k] / by, slope, joint.max_torque});
        }
    }
}

std::span<const Tracking::Wanted> Tracking::desired_accelerations(const JointState<double>& state) {
    wanted_.clear();
    if (joints_.empty() || is_limp(state.time) || options_.method == TrackingMethod::pd) return wanted_;
    sample(state.time);
    const TrackingGains& gains = options_.gains;
    for (const Joint& joint : joints_) {
        if (joint.max_torque == 0) continue;
        const Errors now = errors_of(joint, state);
        const Vec3d second = -gains.stiffness * now.e - gains.damping * now.rate;
        Vec3d target = vector_at(a_, joint.v_adr, joint.nv);
        Vec3d acceleration = second;
        if (joint.ball) {
            // d/dt (Eᵀ ω_d) = Eᵀ ω̇_d − ω_E × Eᵀ ω_d.
            const Vec3d v_d = turned_back(now.e, vector_at(v_, joint.v_adr, 3));
            const Vec3d apart = vector_at(state.v, joint.v_adr, 3) - v_d;
            target = turned_back(now.e, target);
            acceleration = angular_acceleration(now.e, now.rate, second) - cross(apart, v_d);
        }
        if (options_.feed_forward) acceleration = acceleration + target;
        for (int k = 0; k < joint.nv; ++k)
            wanted_.push_back({joint.index, joint.v_adr + k, acceleration[k], joint.max_torque});
    }
    return wanted_;
}

double Tracking::torque(const Joint& joint, const Errors& now, int k) const {
    const int dof = joint.v_adr + k;
    const double acceleration = -options_.gains.stiffness * now.e[k] - options_.gains.damping * now.rate[k] +
                                (options_.feed_forward ? a_[dof] : 0);
    return std::clamp(inertia_[dof] * acceleration, -joint.max_torque, joint.max_torque);
}

void Tracking::add_forces(const JointState<double>& state, std::span<double> tau) {
    if (joints_.empty() || is_limp(state.time) || options_.method != TrackingMethod::pd) return;
    sample(state.time);
    for (const Joint& joint : joints_) {
        const Errors now = errors_of(joint, state);
        for (int k = 0; k < joint.nv; ++k) tau[joint.v_adr + k] += torque(joint, now, k);
    }
}

void Tracking::errors(const JointState<double>& state, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    if (joints_.empty()) return;
    sample(state.time);
    for (const Joint& joint : joints_) {
        const Errors now = errors_of(joint, state);
        for (int k = 0; k < joint.nv; ++k) out[joint.v_adr + k] = -now.e[k];
    }
}

}  // namespace lig
