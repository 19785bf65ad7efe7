#pragma once

// Where bodies and sites are wanted: NAME=X,Y,Z, or with a quaternion NAME=X,Y,Z,W,I,J,K.

#include "app/arguments.h"
#include "app/dynamics/dynamics_job.h"

#include <ligament/inverse_kinematics.h>

#include <string>
#include <vector>

namespace lig::app {

struct ReachOption {
    std::vector<std::string> words;
    std::string branch = "keep";

    void declare(Arguments& arguments);
    std::vector<ReachTarget> targets(std::string_view command, const DynamicsJob& job) const;
    // From a pose in which equalities are closed.
    ReachReport find(const DynamicsJob& job, const std::vector<ReachTarget>& targets,
                     JointState<double>& state) const;
    // "'hand' is 0.12 m off: joint 'knee' is at the end of its range"
    std::string describe(const ReachReport& report) const;
};

}  // namespace lig::app
