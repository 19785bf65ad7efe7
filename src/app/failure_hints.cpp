#include "app/failure_hints.h"

namespace lig::app {

std::string what_to_try(const FailedRun&) { return {}; }

}  // namespace lig::app
