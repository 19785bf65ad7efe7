#pragma once

// Writing scenes to files. What is written loads back to the same model: compile() gives the same bits.

#include <ligament/scene.h>

#include <filesystem>
#include <string>

namespace lig {

// The scene as MJCF. Files of meshes and height fields are named relative to `folder`, where the text is
// going to be; empty: the current one.
//
// Bodies are written depth first, so geoms, sites and cameras that a program added in another order come out
// by body. Objects without a name stay without, unless something refers to them: then they get one that is
// not in use. docs/format.md tells what is written how.
std::string write_mjcf(const Scene& scene, const std::filesystem::path& folder = {});

// The same with meshes and height fields written out: the text needs no other file. Their numbers are those
// of files, in single precision; vertices that a program gave more digits are rounded when the text is read.
std::string write_self_contained_mjcf(const Scene& scene);

// Writes a file in the format that its ending tells. Throws std::invalid_argument when no format that can be
// written has this ending, std::system_error when the file cannot be written.
void save_scene(const Scene& scene, const std::filesystem::path& file);

}  // namespace lig
