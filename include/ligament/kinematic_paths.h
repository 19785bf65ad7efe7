#pragma once

// Paths of kinematic bodies: where they are to be over time, from a table.
//
//   Diagnostics log;
//   const KinematicPaths paths(*model, load_paths("hand.csv", *model, log));
//   paths.start(sim);
//   while (…) {
//       paths.lead(sim, h);
//       sim.step(h);
//   }
//
// A table has the columns `time` and, of every body that moves, NAME.x NAME.y NAME.z, NAME.qw NAME.qx NAME.qy
// NAME.qz, or both: docs/command-line.md.

#include <ligament/diagnostics.h>
#include <ligament/model.h>
#include <ligament/simulation.h>
#include <ligament/state.h>

#include <filesystem>
#include <string_view>
#include <vector>

namespace lig {

// Times, and where bodies are at each of them.
struct PathSamples {
    struct Path {
        int body;                 // in Model::bodies
        std::vector<Vec3d> pos;   // (times), or empty: it stays where it is
        std::vector<Quatd> quat;  // (times), or empty: it does not turn
    };
    std::vector<double> times;    // rising
    std::vector<Path> paths;      // one a body
};

// Curves through the samples, with continuous velocities throughout: bodies are at rest up to the first
// sample and from the last one on. Between samples positions are cubic Hermite splines, and so are the
// rotation vectors from one sample to the next, by the shorter way; velocities at a sample are those of the
// parabola through it and its neighbours.
class KinematicPaths {
public:
    // Throws std::invalid_argument for samples that do not fit the model or each other, bodies that are not
    // kinematic, times that do not rise and numbers that are not finite.
    KinematicPaths(const Model& model, PathSamples samples);

    const PathSamples& samples() const { return samples_; }

    // The motion of samples().paths[path] at a time. What the path leaves open stays as it is in `motion`, at
    // rest.
    void sample(int path, double time, BaseMotion<double>& motion) const;

    // Puts the bodies where they are at the time of the simulation, with their velocities.
    void start(Simulation& sim) const;
    // Gives them the accelerations of the next step, of length h. Velocities stay continuous, so that what
    // hangs on the bodies is not struck; they are those of the path and a third of the error before the step
    // per step. So what is left of an error halves with each step, and bodies are on smooth paths to O(h³).
    void lead(Simulation& sim, double h) const;

private:
    struct Velocities {
        std::vector<Vec3d> lin, ang;  // (times); angular ones in the axes of the body
    };

    PathSamples samples_;
    std::vector<Velocities> velocities_;  // (paths)
    std::vector<int> places_;             // (paths) in JointState::kinematic
};

// Reads paths from a table. Errors are collected in `log` and thrown together as InputError.
PathSamples load_paths(const std::filesystem::path& path, const Model& model, Diagnostics& log);
// The same from text; `file_name` stands in diagnostics.
PathSamples parse_paths(std::string_view text, const std::filesystem::path& file_name, const Model& model,
                        Diagnostics& log);

}  // namespace lig
