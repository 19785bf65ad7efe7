#include "app/path_file.h"

#include "app/failure.h"

#include <fmt/format.h>

#include <stdexcept>

namespace lig::app {

namespace {

KinematicPaths read_paths(const std::string& path, const ModelOptions& options, const Model& model) {
    Diagnostics log;
    log.set_strict(options.strict);
    try {
        return {model, load_paths(path, model, log)};
    } catch (const InputError& error) {
        for (const Diagnostic& d : log.all()) fmt::print(stderr, "{}\n", d.to_string());
        throw Failure(exit_of(error.kind()), "");
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::input, fmt::format("{}: error: {}", path, error.what()));
    }
}

}  // namespace

PathFile::PathFile(const std::string& path, const ModelOptions& options, Simulation& simulation)
    : paths_(read_paths(path, options, simulation.model())) {
    paths_.start(simulation);
}

}  // namespace lig::app
