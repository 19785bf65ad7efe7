#include "constraints/limit_rows.h"

#include "constraints/length_row.h"
#include "dynamics/ball_angles.h"
#include "joints/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig {

namespace {

constexpr double pi = std::numbers::pi;

static_assert(LimitSlots::twist + 2 == WarmStarts::limits_of_joint);

bool limits_count(const Model& model) {
    return model.options.enabled.constraint && model.options.enabled.limit;
}

// One bound of a joint. Its gap changes with `gradient` at the velocities first … first + count.
struct Bound {
    int slot;
    double gap;
    Vec3d gradient;
    int first, count;
    // Of a curved bound: see rise_aside. By `aside` the joint turns along the bound in unit time.
    double angle = 0, weight = 0, aside = 0;
    HalfAngle half{0, 1};
};

// A cone or swing as seen from where the joint is: the circle's radius, the angle from its centre, the
// direction outward and those across, as gradients.
struct Circle {
    int slot;
    double limit, angle;
    Vec3d outward;
    int across_count;
    Vec3d across[2];
};

double size_of(const Vec3d& a) { return std::sqrt(dot(a, a)); }

template <class F>
void for_each_bound_of_range(const Range& range, double value, Bound bound, F&& f) {
    if (std::isfinite(range.lower)) {
        bound.gap = value - range.lower;
        f(bound);
    }
    if (std::isfinite(range.upper)) {
        ++bound.slot;
        bound.gap = range.upper - value;
        bound.gradient = -bound.gradient;
        f(bound);
    }
}

bool binds(const std::optional<double>& angle) { return angle && *angle < pi; }
bool binds(const std::optional<Range>& range) {
    if (!range) return false;
    const bool below = std::isfinite(range->lower), above = std::isfinite(range->upper);
    return below && above ? range->upper - range->lower < 2 * pi : below || above;
}

Circle circle_of(const Model::Joint& joint, const RotationAngle& rotation, const Vec3d& w) {
    const Vec3d n = rotation.gradient, t = unit_across(n, w), b = cross(n, t);
    // The rotation vector x = φ n changes across n with (φ/2) cot(φ/2) ω + ½ x × ω.
    const double half = rotation.angle / 2;
    const double along = rotation.half.sine > 0 ? half * rotation.half.cosine / rotation.half.sine : 1;
    return {
        LimitSlots::cone, *joint.cone, rotation.angle, n, 2, {along * t - half * b, along * b + half * t}};
}

Circle circle_of(const Model::Joint& joint, const SwingTwist& angles) {
    const double sine = 2 * angles.half_swing.sine * angles.half_swing.cosine;
    const double stretch = sine > 0 ? angles.swing / sine : 1;
    const Vec3d j = angles.swing_gradient, aside = stretch * cross(joint.twist_axis, j);
    return {LimitSlots::swing, *joint.swing, angles.swing, j, 1, {aside, Vec3d::zero()}};
}

// Calls f with every bound of a joint, and after that of a cone or swing `circle` with its limit and a
// function that makes its Circle.
template <class F, class G>
void for_each_bound(const Model::Joint& joint, const JointState<double>& state, F&& f, G&& circle) {
    if (joint.type != JointType::ball) {
        for (int k = 0; k < std::min(joint.nq, 3); ++k)
            for_each_bound_of_range(joint.range[k], state.q[joint.q_adr + k],
                                    {2 * k, 0, {1, 0, 0}, joint.v_adr + k, 1}, f);
        return;
    }
    const double *q = &state.q[joint.q_adr], *v = &state.v[joint.v_adr];
    const Quatd r{q[0], q[1], q[2], q[3]};
    const Vec3d w{v[0], v[1], v[2]};
    if (binds(joint.cone)) {
        const RotationAngle rotation = rotation_angle(r, w);
        const Vec3d& n = rotation.gradient;
        f(Bound{LimitSlots::cone, *joint.cone - rotation.angle, -n, joint.v_adr, 3, rotation.angle,
                rotation.half.cosine * rotation.half.cosine, size_of(w - dot(n, w) * n), rotation.half});
        circle(*joint.cone, [&] { return circle_of(joint, rotation, w); });
    }
    if (!binds(joint.swing) && !binds(joint.twist)) return;
    const SwingTwist angles = swing_twist(r, joint.twist_axis, w);
    if (binds(joint.swing)) {
        const HalfAngle& half = angles.half_swing;
        const Vec3d& j = angles.swing_gradient;
        f(Bound{LimitSlots::swing, *joint.swing - angles.swing, -j, joint.v_adr, 3, angles.swing,
                half.cosine * half.cosine - half.sine * half.sine, dot(w, cross(joint.twist_axis, j)), half});
        circle(*joint.swing, [&] { return circle_of(joint, angles); });
    }
    if (binds(joint.twist))
        for_each_bound_of_range(*joint.twist, joints::unwrap(angles.twist, middle_of(*joint.twist)),
                                {LimitSlots::twist, 0, angles.twist_gradient, joint.v_adr, 3}, f);
}

class LimitRows {
public:
    LimitRows(const JointState<double>& state, const RowContext& context, const WarmStarts& warm, Rows& rows,
              std::span<const char> left_out = {})
        : state_(state), context_(context), warm_(warm), rows_(rows), left_out_(left_out) {}

    void add(int joint, const Model::Joint& spec) {
        bool has_block = false;
        const auto add_bound = [&](const Bound& bound) {
            double rate = 0;
            for (int k = 0; k < bound.count; ++k) rate += bound.gradient[k] * state_.v[bound.first + k];
            const double aside = context_.h * bound.aside;
            const int warm = warm_.limit(joint) + bound.slot;
            if (!left_out_.empty() && left_out_[static_cast<std::size_t>(warm - warm_.limit(0))]) return;
            if (!within_reach(context_, bound.gap - std::abs(aside), rate)) return;
            const double rise = rise_aside(bound.angle, bound.half, bound.weight, aside);
            if (!has_block) rows_.begin_block(RowKind::limit, joint);
            has_block = true;
            Row& row = rows_.add_row();
            set_gap(row, context_, bound.gap, 0);
            row.bias -= rise / context_.h;
            row.warm = warm;
            row.lambda = warm_.lambda[row.warm];
            for (int k = 0; k < bound.count; ++k) rows_.add_entry(bound.first + k, bound.gradient[k]);
        };
        const auto surround = [&](double limit, auto&& make_circle) {
            if (!within_reach(context_, limit, 0)) return;
            const Circle circle = make_circle();
            int slot = circle.slot + 1;
            add_bound({slot, circle.limit + circle.angle, circle.outward, spec.v_adr, 3});
            for (int k = 0; k < circle.across_count; ++k) {
                add_bound({++slot, circle.limit, circle.across[k], spec.v_adr, 3});
                add_bound({++slot, circle.limit, -circle.across[k], spec.v_adr, 3});
            }
        };
        for_each_bound(spec, state_, add_bound, surround);
    }

private:
    const JointState<double>& state_;
    const RowContext& context_;
    const WarmStarts& warm_;
    Rows& rows_;
    const std::span<const char> left_out_;
};

}  // namespace

void add_limit_rows(const JointState<double>& state, const Model& model, const RowContext& context,
                    const WarmStarts& warm, Rows& rows, std::span<const char> left_out) {
    if (!limits_count(model)) return;
    LimitRows limits(state, context, warm, rows, left_out);
    for (std::size_t i = 0; i < model.joints.size(); ++i) limits.add(static_cast<int>(i), model.joints[i]);
}

void add_limit_rows(const JointState<double>& state, const Model& model, int joint, const RowContext& context,
                    const WarmStarts& warm, Rows& rows) {
    if (limits_count(model)) LimitRows(state, context, warm, rows).add(joint, model.joints[joint]);
}

void add_tendon_limit_rows(const JointState<double>& state, const Model& model,
                           const DriveWorkspace<double>& drives, const RowContext& context,
                           const WarmStarts& warm, Rows& rows) {
    if (!limits_count(model)) return;
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (tendon.range == Range{}) continue;
        const double length = drives.tendon_length[i], speed = drives.tendon_velocity[i];
        const double base_speed = speed - speed_by_joints(state, model, drives, tendon.row);
        bool begun = false;
        const auto add_bound = [&](int side, double gap, double sign) {
            if (!std::isfinite(gap) || !within_reach(context, gap, sign * speed)) return;
            if (!begun) rows.begin_block(RowKind::tendon_limit, static_cast<int>(i));
            begun = true;
            Row& row = rows.add_row();
            set_gap(row, context, gap, sign * base_speed);
            row.warm = warm.tendon_limit(static_cast<int>(i)) + side;
            row.lambda = warm.lambda[row.warm];
            add_length_entries(model, drives, tendon.row, sign, rows);
        };
        add_bound(0, length - tendon.range.lower, 1);
        add_bound(1, tendon.range.upper - length, -1);
    }
}

void find_near_limits(const JointState<double>& state, const Model& model, double reach,
                      std::vector<NearLimit>& out) {
    out.clear();
    if (!limits_count(model)) return;
    for (std::size_t i = 0; i < model.joints.size(); ++i)
        for_each_bound(
            model.joints[i], state,
            [&](const Bound& bound) {
                if (bound.gap < reach)
                    out.push_back({static_cast<int>(i), bound.slot, bound.gap, bound.first, bound.count,
                                   bound.gradient});
            },
            [](double, auto&&) {});
}

NearLimit find_limit(const JointState<double>& state, const Model& model, int joint, int slot,
                     LimitBend* bend) {
    NearLimit found{};
    for_each_bound(
        model.joints[joint], state,
        [&](const Bound& bound) {
            if (bound.slot != slot) return;
            found = {joint, slot, bound.gap, bound.first, bound.count, bound.gradient};
            // rise_aside to second order
            const double sine = 2 * bound.half.sine * bound.half.cosine;
            if (bend && sine > 0 && bound.weight > 0)
                *bend = {bound.weight / sine, slot == LimitSlots::swing
                                                  ? cross(model.joints[joint].twist_axis, bound.gradient)
                                                  : Vec3d{0, 0, 0}};
        },
        [](double, auto&&) {});
    return found;
}

TendonGaps find_tendon_gaps(const Model& model, const DriveWorkspace<double>& drives, int tendon) {
    const Model::Tendon& own = model.tendons[tendon];
    double arm = 0;
    for (int k = own.row.begin; k < own.row.begin + own.row.count; ++k)
        arm = std::max(arm, std::abs(drives.row_entries[k]));
    const double length = drives.tendon_length[tendon];
    return {{length - own.range.lower, own.range.upper - length}, arm};
}

LimitViolation largest_limit_violation(const JointState<double>& state, const Model& model) {
    LimitViolation worst;
    if (!limits_count(model)) return worst;
    for (std::size_t i = 0; i < model.joints.size(); ++i)
        for_each_bound(
            model.joints[i], state,
            [&](const Bound& bound) {
                if (-bound.gap > worst.size) worst = {-bound.gap, static_cast<int>(i)};
            },
            [](double, auto&&) {});
    return worst;
}

LimitViolation largest_tendon_limit_violation(const Model& model, const DriveWorkspace<double>& drives) {
    LimitViolation worst;
    if (!limits_count(model)) return worst;
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Range& range = model.tendons[i].range;
        const double beyond =
            std::max(range.lower - drives.tendon_length[i], drives.tendon_length[i] - range.upper);
        if (beyond > worst.size) worst = {beyond, static_cast<int>(i)};
    }
    return worst;
}

}  // namespace lig
