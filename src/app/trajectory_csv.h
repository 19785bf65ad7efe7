#pragma once

// A trajectory as comma-separated text: time, coordinates, velocities, energy, one row a sample.

#include "app/names.h"

#include <ligament/state.h>

#include <fstream>
#include <string>

namespace lig::app {

class TrajectoryCsv {
public:
    // Writes the header line. Throws Failure when the file cannot be written.
    TrajectoryCsv(const std::string& path, const Model& model, const Names& names);

    void add(const JointState<double>& state, double energy);
    // Throws Failure when anything could not be written.
    void finish();

private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace lig::app
