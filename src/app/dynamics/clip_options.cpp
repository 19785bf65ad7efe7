#include "app/dynamics/clip_options.h"

#include "app/comma_list.h"
#include "app/failure.h"
#include "app/number_option.h"

#include <fmt/format.h>

namespace lig::app {

void ClipFileOptions::declare(Arguments& arguments) {
    arguments.option(map, "--map", "NAME=JOINT,…",
                     "joints of a BVH skeleton that move joints or bodies of the model (repeatable)");
    arguments.option(scale, "--clip-scale", "NUMBER", "metres per unit of length of a BVH file (default: 1)");
    arguments.option(up, "--clip-up", "AXIS", "the axis of a BVH file that points up, {} (default: y)")
        .choice({"y", "z"});
    arguments.option(root, "--clip-root", "NAME", "which skeleton of a BVH file, if it has several");
}

ClipOptions ClipFileOptions::interpret(std::string_view command) const {
    ClipOptions options;
    options.scale = number_option(command, "--clip-scale", "a positive number", scale, 1, 0, true);
    if (up != "y" && up != "z")
        throw Failure(Exit::usage, fmt::format("ligament {}: --clip-up is y or z, not '{}'", command, up));
    options.up = up == "y" ? ClipOptions::Up::y : ClipOptions::Up::z;
    if (root) options.root = *root;
    for (const std::string& pair : split_at_commas(map)) {
        const std::size_t middle = pair.find('=');
        if (middle == pair.npos || middle == 0 || middle + 1 == pair.size())
            throw Failure(Exit::usage, fmt::format("ligament {}: --map is made of NAME=JOINT, not '{}'",
                                                   command, pair));
        options.map.emplace_back(pair.substr(0, middle), pair.substr(middle + 1));
    }
    return options;
}

ClipSamples read_clip(const std::string& path, const Model& model, const ClipOptions& options,
                      const ModelOptions& model_options) {
    Diagnostics log;
    log.set_strict(model_options.strict);
    const auto print = [&] {
        for (const Diagnostic& d : log.all())
            if (d.severity == Severity::error || !model_options.quiet)
                fmt::print(stderr, "{}\n", d.to_string());
    };
    try {
        ClipSamples samples = load_clip(path, model, options, log);
        print();
        return samples;
    } catch (const InputError& error) {
        print();
        throw Failure(exit_of(error.kind()), "");
    }
}

}  // namespace lig::app
