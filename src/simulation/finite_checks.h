#pragma once

// Numbers that are not finite in what a simulation is given, in words. Empty: there are none.

#include <ligament/smooth_motion.h>

#include <string>

namespace lig {

std::string find_bad_input(const SmoothDynamics& inputs);
std::string find_bad_motion(const BaseMotion<double>& motion);
// Of the size of the model.
std::string find_bad_state(const Model& model, const JointState<double>& state);

}  // namespace lig
