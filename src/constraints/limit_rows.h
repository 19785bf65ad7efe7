#pragma once

// Limits of joints and tendons as one-sided rows: gap ≥ 0 at the end of the step.
//
// Coordinates. gap = q − lower, or upper − q; a joint may be near both bounds of a narrow range at once.
//
// Balls. Cone: gap = limit − φ; swing: gap = limit − σ; twist: gap = θ − lower, or upper − θ; the angles and
// their gradients are in ball_angles.h. Of all values of the twist, which repeat after a turn, the one
// nearest to the middle of its range counts. Limits of half a turn and more (twist: a range of a turn) bind
// nothing; with one end only, the twist is between −π and π.
//   The bound of a cone or swing is a circle, a row is its tangent. A joint that moves along the bound leaves
// it on the tangent; by how much is known beforehand (rise_aside) and is taken off `bias`, though not off
// `kept_bias`: the path is bent, the velocity does not gain by it. What is left is of third order in the
// step.
//   Where the whole circle is so narrow that the joint may cross it within a step, the tangent at its present
// direction is not enough: it is then surrounded by further tangents, opposite and at right angles, a box
// around the circle. With a limit of 0 they hold the joint altogether.
//
// Limits are hard and act where the range ends: margins and softness are of soft formulations.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"

#include <ligament/drives.h>

#include <span>
#include <vector>

namespace lig {

// Where the impulses of a joint's limits are kept, from WarmStarts::limit on. Coordinate k has 2 k and
// 2 k + 1.
struct LimitSlots {
    static constexpr int cone = 0;    // outward, inward, two pairs aside
    static constexpr int swing = 6;   // outward, inward, one pair aside
    static constexpr int twist = 10;  // lower, upper
};

// Nothing is added where the model's switches for limits or constraints are off.
// left_out: which limits get none, from WarmStarts::limit(0) on; empty: all get one.
void add_limit_rows(const JointState<double>& state, const Model& model, const RowContext& context,
                    const WarmStarts& warm, Rows& rows, std::span<const char> left_out = {});
// Those of one joint.
void add_limit_rows(const JointState<double>& state, const Model& model, int joint, const RowContext& context,
                    const WarmStarts& warm, Rows& rows);
// After update_drives.
void add_tendon_limit_rows(const JointState<double>& state, const Model& model,
                           const DriveWorkspace<double>& drives, const RowContext& context,
                           const WarmStarts& warm, Rows& rows);

// A bound of a joint: its gap changes with `gradient` at the velocities first … first + count.
struct NearLimit {
    int joint;
    int slot;    // of LimitSlots
    double gap;  // negative: it is violated, rad or m
    int first, count;
    Vec3d gradient;
};
// All of them with gaps below `reach`, in the order of joints. Nothing where the model's switches for limits
// or constraints are off.
void find_near_limits(const JointState<double>& state, const Model& model, double reach,
                      std::vector<NearLimit>& out);

// How a bound bends: by ½ bend a² the gap falls while the joint turns by a across the gradient, in any
// direction (a cone) or along one (a swing).
struct LimitBend {
    double bend = 0;
    Vec3d along{0, 0, 0};  // zero: any
};
// One bound, which the joint must have.
NearLimit find_limit(const JointState<double>& state, const Model& model, int joint, int slot,
                     LimitBend* bend = nullptr);

// The gaps of a tendon, lower and upper, and the largest arm that it has about a joint (or 1, of slides):
// gaps over the arm are the angle that one joint is off by. After update_drives.
struct TendonGaps {
    double gap[2];
    double arm;
};
TendonGaps find_tendon_gaps(const Model& model, const DriveWorkspace<double>& drives, int tendon);

struct LimitViolation {
    double size = 0;  // rad or m
    int source = -1;  // Model::joints or Model::tendons; −1: no limit is violated
};
LimitViolation largest_limit_violation(const JointState<double>& state, const Model& model);
// After update_drives.
LimitViolation largest_tendon_limit_violation(const Model& model, const DriveWorkspace<double>& drives);

}  // namespace lig
