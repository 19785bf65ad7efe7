#include "app/run/path_file.h"

#include "app/failure.h"

#include <fmt/format.h>

namespace lig::app {

PathSamples read_paths(const std::string& path, const ModelOptions& options, const Model& model) {
    Diagnostics log;
    log.set_strict(options.strict);
    try {
        return load_paths(path, model, log);
    } catch (const InputError& error) {
        for (const Diagnostic& d : log.all()) fmt::print(stderr, "{}\n", d.to_string());
        throw Failure(exit_of(error.kind()), "");
    }
}

}  // namespace lig::app
