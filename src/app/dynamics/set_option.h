#pragma once

// The option --set: coordinates by their names, "knee=0.5,hip=-1".

#include "app/dynamics/dynamics_job.h"

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

void declare_set_option(Arguments& arguments, std::vector<std::string>& words);

// Throws Failure when a name is none of the model's coordinates, or a value no number.
void set_coordinates(std::string_view command, const std::vector<std::string>& words, const DynamicsJob& job,
                     JointState<double>& state);

}  // namespace lig::app
