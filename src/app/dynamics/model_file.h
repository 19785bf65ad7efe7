#pragma once

// Reading the MODEL argument, the same way in every command that has one.

#include "app/arguments.h"

#include <ligament/load.h>
#include <ligament/model.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lig::app {

struct ModelOptions {
    std::string path;
    std::string base = "fixed";
    std::vector<std::string> package_paths;
    bool strict = false;
    bool quiet = false, verbose = false;

    void declare(Arguments& arguments);
    LoadOptions load_options() const;  // throws Failure when --base is neither of its words
};

// The endings of files that models are read from.
std::vector<std::string_view> model_endings();

// All of standard input, or of a file. Throws Failure when it cannot be read.
std::string read_text(const std::string& path);

// Whether two paths name one file, be it there or not.
bool is_same_file(const std::string& a, const std::string& b);

// Reads the scene and hands it to `log`; throws InputError. "-" is standard input.
Scene read_scene(const ModelOptions& options, Diagnostics& log);

// The scene is kept for what the model does not say, such as the axes of joints in the words of the file.
struct LoadedModel {
    Scene scene;
    std::shared_ptr<const Model> model;
    std::vector<Diagnostic> warnings;
};

// Reads and compiles, and prints warnings and errors to stderr; errors end in a Failure. `edit` may change
// the scene between the two.
LoadedModel load_model(const ModelOptions& options, const std::function<void(Scene&)>& edit = {});

}  // namespace lig::app
