#pragma once

// What the commands say about tendons and actuators.

#include "app/json_output.h"
#include "app/names.h"

#include <ligament/drives.h>

#include <span>

namespace lig::app {

// For `info`.
Json actuators_json(const Model& model, const Names& names);
Json tendons_json(const Model& model, const Names& names);
void print_drives(const Model& model, const Names& names);

// For `forward` and `inverse`: what they do in one state. Nothing where a model has none.
void add_drive_results(const Model& model, const DriveWorkspace<double>& drives, Json& out);
void print_drive_results(const Model& model, const Names& names, const DriveWorkspace<double>& drives,
                         std::span<const double> ctrl);

}  // namespace lig::app
