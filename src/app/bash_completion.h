#pragma once

#include "app/command_description.h"

#include <span>
#include <string>

namespace lig::app {

// A script that makes bash complete the words of these commands.
std::string bash_completion(std::span<const CommandDescription> commands);

}  // namespace lig::app
