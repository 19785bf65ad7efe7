#pragma once

// Transmissions through linkages, for `info --transmissions`.

#include "app/dynamics/model_file.h"
#include "app/json_output.h"
#include "app/names.h"

#include <ligament/transmission.h>

#include <string>
#include <vector>

namespace lig::app {

// Of all actuators that move joints besides those they act on, from a keyframe, or from the reference
// configuration where the name is empty.
std::vector<TransmissionCurve> find_transmissions(const LoadedModel& loaded, const Names& names,
                                                  const std::string& key);

Json transmissions_json(const Model& model, const Names& names, const std::vector<TransmissionCurve>& curves);
void print_transmissions(const Model& model, const Names& names,
                         const std::vector<TransmissionCurve>& curves);
// All points as a table (.csv), or pictures over the lengths of the actuators (.svg), by the path's ending.
void write_transmissions(const std::string& path, const Model& model, const Names& names,
                         const std::vector<TransmissionCurve>& curves);

}  // namespace lig::app
