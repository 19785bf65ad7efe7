#pragma once

// The OUT argument of commands that write a scene.

#include "app/arguments.h"

#include <ligament/scene.h>

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// Of the files that scenes can be written to.
std::vector<std::string_view> writable_endings();

void declare_scene_output(Arguments& arguments, std::string& out);

// Throws Failure when no format that can be written has the ending of `out`. "-" is MJCF on standard output.
void require_writable(const std::string& out);

// Throws Failure when both are the same file.
void require_other_file(const std::string& model, const std::string& out);

// Throws Failure when the file cannot be written.
void write_scene(const Scene& scene, const std::string& out);

}  // namespace lig::app
