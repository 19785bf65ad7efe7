// Following a path: the targets move by a share of the way, and a pose is accepted if it was found, if no
// coordinate has moved by more than a little, and if it goes on in the direction in which the motion came. On
// another branch it would leap, or turn back. Else the share is halved. A pose is found if it is the nearest
// there is; where the way leaves what can be reached it has a corner.

#include <ligament/inverse_kinematics.h>

#include "simulation/reach_search.h"

#include <stdexcept>

namespace lig {

namespace {

constexpr int stages = 8;                // of the way to targets that are not reached directly
constexpr double longest_advance = 0.1;  // rad, or times the size of the model: of a step along a path
constexpr double shortest_share = 1e-7;  // of the way along a path
constexpr double straight_on = 0.5;      // cosine of the angle between two steps of a path, at least
constexpr double toggle_sine = 1e-3;     // nearer to dependent than this, branches meet

Pose between(const Pose& a, const Pose& b, double share) {
    const Quatd turn = conjugate(a.quat) * b.quat;
    return {a.pos + share * (b.pos - a.pos), normalized(a.quat * rotation_exp(share * rotation_log(turn)))};
}

void part_of_way(const std::vector<ReachTarget>& targets, const std::vector<Pose>& from, double share,
                 std::vector<ReachTarget>& part) {
    for (std::size_t k = 0; k < part.size(); ++k)
        part[k].wanted = between(from[k], targets[k].wanted, share);
}

bool goes_on(const ReachSearch& search, const std::vector<double>& change,
             const std::vector<double>& before) {
    if (search.longest(change) > longest_advance) return false;
    double along = 0, own = 0, earlier = 0;
    for (std::size_t k = 0; k < before.size(); ++k) {
        along += change[k] * before[k];
        own += change[k] * change[k];
        earlier += before[k] * before[k];
    }
    // Steps of rounding have no direction.
    return own < 1e-16 || earlier < 1e-16 || along >= straight_on * std::sqrt(own * earlier);
}

// Directly, and where that stops short, by stages of the way.
ReachReport reach(ReachSearch& search, const std::vector<ReachTarget>& targets, JointState<double>& state,
                  const ReachOptions& options) {
    JointState<double> found = state;
    ReachReport report = search.descend(targets, found, options);
    if (!report.reached) {
        JointState<double> staged = state;
        std::vector<ReachTarget> part = targets;
        const std::vector<Pose> from = search.poses_of(targets, state);
        int iterations = report.iterations;
        for (int stage = 1; stage <= stages; ++stage) {
            part_of_way(targets, from, double(stage) / stages, part);
            const ReachReport own = search.descend(part, staged, options);
            iterations += own.iterations;
            if (stage < stages || !(own.reached || own.error < report.error)) continue;
            report = own;
            found = staged;
        }
        report.iterations = iterations;
    }
    state = found;
    return report;
}

ReachReport follow(ReachSearch& search, const std::vector<ReachTarget>& targets, JointState<double>& state,
                   const ReachOptions& options) {
    std::vector<ReachTarget> part = targets;
    const std::vector<Pose> from = search.poses_of(targets, state);
    const std::vector<double> none;
    std::vector<double> change(state.v.size()), before;
    ReachReport all;
    double done = 0, share = 1;
    bool branches_meet = false, met = true;
    JointState<double> next = state;
    while (done < 1) {
        const double ahead = std::min(done + share, 1.0);
        part_of_way(targets, from, ahead, part);
        next = state;
        const ReachReport own = search.descend(part, next, options);
        all.iterations += own.iterations;
        ++all.poses;
        search.find_change(state, next, change);
        // On the way the nearest poses will do: a tip that turns on a circle cannot follow a line. Where it
        // leaves what can be reached, the way has a corner.
        const bool corner = own.reached != met;
        if ((own.reached || search.settled()) && goes_on(search, change, corner ? none : before)) {
            state = next;
            done = ahead;
            all.smallest_sine = own.smallest_sine;
            all.at_limit = own.at_limit;
            before = corner ? none : change;
            met = own.reached;
            share = std::min(2 * share, 1.0);
            continue;
        }
        share *= 0.5;
        if (share >= shortest_share) continue;
        branches_meet = own.reached || search.settled();
        break;
    }
    const ReachReport last = search.errors_of(targets, state, options);
    all.reached = last.reached;
    all.error = last.error;
    all.target = last.target;
    if (!all.reached)
        all.where = branches_meet                     ? "a place where branches of the motion meet"
                    : !all.at_limit.empty()           ? "a limit"
                    : all.smallest_sine < toggle_sine ? "a toggle of the mechanism"
                                                      : "the edge of what can be reached";
    return all;
}

}  // namespace

InverseKinematics::InverseKinematics(std::shared_ptr<const Model> model, std::vector<ReachTarget> wanted)
    : targets(std::move(wanted)), search_(std::make_unique<ReachSearch>(model)) {
    if (!model->deforming.empty())
        throw std::invalid_argument("lig::InverseKinematics: the model has bodies that deform");
    for (const ReachTarget& target : targets)
        if (target.body < 0 || target.body >= static_cast<int>(model->bodies.size()) ||
            model->bodies[target.body].link < 0)
            throw std::invalid_argument("lig::InverseKinematics: a target is on a body that cannot move");
}
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;
InverseKinematics::~InverseKinematics() = default;

ReachReport InverseKinematics::reach(JointState<double>& state, const ReachOptions& options) {
    return lig::reach(*search_, targets, state, options);
}
ReachReport InverseKinematics::follow(JointState<double>& state, const ReachOptions& options) {
    return lig::follow(*search_, targets, state, options);
}

}  // namespace lig
