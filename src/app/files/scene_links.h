#pragma once

// Joints, loops and what else holds bodies together, as a page draws them: docs/report.md.

#include "app/json_output.h"
#include "app/names.h"

namespace lig::app {

Json joints_json(const Model& model, const Names& names);
Json links_json(const Model& model, const Names& names);

}  // namespace lig::app
