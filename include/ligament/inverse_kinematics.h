#pragma once

// Poses in which points and frames of bodies are where they are wanted, while loops and other equalities stay
// closed and joints within their limits. docs/loops.md#inverse-kinematics has the method.

#include <ligament/model.h>
#include <ligament/state.h>

#include <memory>
#include <string>
#include <vector>

namespace lig {

class ReachSearch;  // inside

// A point of a body, or a frame, and where it is wanted in the world.
struct ReachTarget {
    int body;
    Pose frame;               // on the body
    Pose wanted;              // in the world
    bool with_axes = false;   // the axes of the frame as well
    double weight = 1;        // against other targets, where not all can be met
    double radian = 0;        // with axes: the metres that a radian counts; 0: the size of the model
};

struct ReachOptions {
    double tolerance = 1e-10;  // m and rad: a target that is no farther off is met
    int iterations = 200;      // of one pose
    // The longest change of one iteration, rad, or of a length, times the size of the model.
    double longest_step = 0.5;
};

struct ReachReport {
    bool reached = false;        // every target is met, equalities are closed and limits are kept
    double error = 0;            // of the target that is off by the most, m or rad; 0 where all are met
    int target = -1;             // … which one it is
    int iterations = 0, poses = 0;  // what it took
    // Joints that are at an end of their range in the pose, by name.
    std::vector<std::string> at_limit;
    // Of the smallest angle between an equality and the others: near 0 the mechanism is at a toggle, where
    // branches of its motion meet.
    double smallest_sine = 1;
    // Why follow() stopped before the targets: "a toggle", "the targets are out of reach", … Empty: it did
    // not.
    std::string where;
};

class InverseKinematics {
public:
    // Throws std::invalid_argument for a model with bodies that deform, or a target on a body that cannot
    // move.
    InverseKinematics(std::shared_ptr<const Model> model, std::vector<ReachTarget> targets);
    InverseKinematics(InverseKinematics&&) noexcept;
    InverseKinematics& operator=(InverseKinematics&&) noexcept;
    ~InverseKinematics();

    // May be changed from call to call, but for their bodies.
    std::vector<ReachTarget> targets;

    // The nearest pose that can be found from the one given: that in which the targets are met or, if there
    // is none, off by the least sum of squares. Velocities become 0 where the coordinates have changed.
    ReachReport reach(JointState<double>& state, const ReachOptions& options = {});

    // The same by moving the targets from where they are in the given pose to where they are wanted, along
    // straight lines, in steps so short that the motion stays on its branch. Where it cannot go on, it stops
    // with the last pose of the branch, and the report says why.
    ReachReport follow(JointState<double>& state, const ReachOptions& options = {});

private:
    std::unique_ptr<ReachSearch> search_;
};

}  // namespace lig
