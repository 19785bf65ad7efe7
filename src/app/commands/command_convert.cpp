// A model written in another format: read, compiled as a check, and saved.

#include "app/commands.h"
#include "app/dynamics/model_file.h"
#include "app/dynamics/scene_output.h"

namespace lig::app {

Exit run_convert(Arguments& arguments) {
    ModelOptions options;
    std::string out;
    options.declare(arguments);
    declare_scene_output(arguments, out);
    if (!arguments.parse()) return Exit::ok;

    require_writable(out);
    require_other_file(options.path, out);
    write_scene(load_model(options).scene, out);
    return Exit::ok;
}

}  // namespace lig::app
