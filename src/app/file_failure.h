#pragma once

// Files that cannot be written, and what to do about it.

#include "app/failure.h"

#include <string>
#include <system_error>

namespace lig::app {

// "-" is standard output.
Failure cannot_write(const std::string& path, const std::error_code& why);

}  // namespace lig::app
