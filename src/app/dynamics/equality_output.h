#pragma once

// What equalities do in single states, for `forward` and `inverse`.

#include "app/json_output.h"

#include <ligament/model.h>

#include <span>

namespace lig::app {

// Forces of active equalities, in the order of smooth_motion.h, by the names of loops, couplings and
// constraints: a number per row, or one.
Json multipliers_json(const Model& model, std::span<const double> multipliers);

}  // namespace lig::app
