#pragma once

// The paths that `ligament run --paths` leads kinematic bodies along.

#include "app/model_file.h"

#include <ligament/kinematic_paths.h>

#include <string>

namespace lig::app {

class PathFile {
public:
    // Reads the file and puts the bodies where it has them at the time of the simulation. Errors are printed
    // and end in a Failure.
    PathFile(const std::string& path, const ModelOptions& options, Simulation& simulation);

    void lead(Simulation& simulation, double h) const { paths_.lead(simulation, h); }

private:
    KinematicPaths paths_;
};

}  // namespace lig::app
