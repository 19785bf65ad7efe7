#pragma once

// Finding a pose in which all equalities of a model are closed.

#include <ligament/model.h>
#include <ligament/state.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lig {

struct AssembleOptions {
    int starts = 64;  // poses to begin with: the given one, then random ones further and further from it
    int iterations = 200;    // of each
    std::uint64_t seed = 1;  // of the random ones
    // Of one iteration, rad, or times the size of the model; 0: any. Short ones stay on the branch of a
    // mechanism that a pose is on.
    double longest_step = 0;
};

struct AssembleReport {
    bool closed = false;
    double error = 0;                   // the largest, m or rad
    int starts = 0, iterations = 0;     // what it took
    double limit_violation = 0;         // of joints' ranges in the pose that was found, rad or m
    std::string beyond_limit;           // the joint that is beyond its range by the most, or empty

    struct Open {
        std::string what;  // "loop 'knee' between 'thigh' and 'shin'"
        double error;      // the root of the squares of its rows, m or rad
    };
    std::vector<Open> open;  // what is not closed in the best pose that was found, the worst first
};

// Looks for a pose near the given one: by damped Gauss–Newton steps, the least ones by the inertia, within
// the ranges of the joints; where no pose within them closes the equalities, beyond them. Limits of ball
// joints (cone, swing, twist) are not looked at. Then `state` has that pose, and its velocities keep the
// equalities closed. When nothing is found, `state` is as before, and the report tells of the best pose.
// Throws std::invalid_argument for a state of another model.
AssembleReport assemble(const std::shared_ptr<const Model>& model, JointState<double>& state,
                        const AssembleOptions& options = {});

}  // namespace lig
