#include "simulation/limit_closure.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr int max_iterations = 30;
// Of a change: a thin link turns about its own axis before anything else does, and the circle of a cone bends
// away from its tangent.
constexpr int max_halvings = 5;
// Relative to the parts, or rad: what is closed; rows at a smaller angle follow from the others; and how long
// one change may be.
constexpr double closed = 1e-10, rank_tolerance = 1e-14, longest_change = 0.3;

}  // namespace

LimitClosure::LimitClosure(const Model& model) : rows_(model), change_(model.nv) {
    rows_.held = &contacts;
    rows_.held_limits = &limits;
    start_q_.reserve(model.nq);
    better_q_.reserve(model.nq);
}

bool LimitClosure::needed_by(const Model& model) {
    const auto is_limited = [](const Range& range) {
        return std::isfinite(range.lower) || std::isfinite(range.upper);
    };
    return std::any_of(model.joints.begin(), model.joints.end(),
                       [&](const Model::Joint& joint) {
                           return joint.cone || joint.swing || joint.twist ||
                                  std::any_of(std::begin(joint.range), std::end(joint.range), is_limited);
                       }) ||
           std::any_of(model.tendons.begin(), model.tendons.end(),
                       [&](const Model::Tendon& tendon) { return is_limited(tendon.range); });
}

EqualityErrors LimitClosure::look(const JointState<double>& state, Workspace<double>& ws,
                                  DriveWorkspace<double>& drives) {
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    rows_.assemble(state, ws, drives, false);
    return rows_.error();
}

bool LimitClosure::close(JointState<double>& state, Workspace<double>& ws, DriveWorkspace<double>& drives,
                         double h) {
    start_q_ = state.q;
    rows_.resist_stretching(state, h);
    EqualityErrors error = look(state, ws, drives);
    for (int k = 0; k < max_iterations && !(error.relative <= closed); ++k) {
        if (!rows_.find_correction(ws, rank_tolerance, change_)) break;
        if (k == 0) {
            rows_.stiffen();
            if (!rows_.find_correction(ws, rank_tolerance, change_)) break;
        }
        double longest = 0;
        for (const double x : change_) longest = std::max(longest, std::abs(x));
        double share = longest > longest_change ? longest_change / longest : 1;
        better_q_ = state.q;
        const double before = error.relative;
        const auto contracts = [&] {
            integrate<double>(ws, better_q_, change_, share, state.q);
            error = look(state, ws, drives);
            return error.relative <= (1 - 0.5 * share) * before;
        };
        bool better = contracts();
        for (int halvings = 0; halvings < max_halvings && !better; ++halvings) {
            share *= 0.5;
            better = contracts();
        }
        if (!better) break;
    }
    rows_.relax();
    left_ = error.relative;
    if (left_ <= closed) return true;
    state.q = start_q_;
    look(state, ws, drives);
    return false;
}

}  // namespace lig
