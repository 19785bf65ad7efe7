// A model written in another format: read, compiled as a check, and saved.

#include "app/commands.h"
#include "app/model_file.h"
#include "app/scene_output.h"

#include <fmt/format.h>

namespace lig::app {

Exit run_convert(Arguments& arguments) {
    ModelOptions options;
    std::string out;
    options.declare(arguments);
    declare_scene_output(arguments, out);
    if (!arguments.parse()) return Exit::ok;

    require_writable(out);
    if (out != "-" && options.path != "-" && is_same_file(options.path, out))
        throw Failure(Exit::usage,
                      fmt::format("ligament: '{}' is the model itself; write to another file", out));

    write_scene(load_model(options).scene, out);
    return Exit::ok;
}

}  // namespace lig::app
