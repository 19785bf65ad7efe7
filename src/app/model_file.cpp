#include "app/model_file.h"

#include "app/failure.h"
#include "io/file_bytes.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace lig::app {

void ModelOptions::declare(Arguments& arguments) {
    arguments.positional(path, "MODEL", "a URDF or MJCF file; - reads standard input");
    arguments.option(base, "--base", "fixed|free",
                     "URDF: how the root link hangs on the world (default: fixed)");
    arguments.option(package_paths, "--package-path", "DIR",
                     "a folder with ROS packages for package:// (repeatable)");
    arguments.flag(strict, "--strict", "take warnings for errors");
    arguments.flag(quiet, "--quiet", "do not print warnings");
}

LoadOptions ModelOptions::load_options() const {
    LoadOptions result;
    if (base == "free")
        result.base = BaseMode::free;
    else if (base != "fixed")
        throw Failure(Exit::usage, fmt::format("ligament: --base is fixed or free, not '{}'{}", base,
                                               did_you_mean(base, {"fixed", "free"})));
    result.package_paths.assign(package_paths.begin(), package_paths.end());
    return result;
}

std::string read_text(const std::string& path) {
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const auto cannot_read = [&] {
        return Failure(Exit::io, fmt::format("{}: error: cannot be read: {}", path, std::strerror(errno)));
    };
    std::unique_ptr<std::FILE, Close> opened;
    std::FILE* file = stdin;
    if (path != "-") {
        opened.reset(std::fopen(path.c_str(), "rb"));
        file = opened.get();
        if (!file) throw cannot_read();
    }
    std::string text;
    char block[65536];
    while (const std::size_t count = std::fread(block, 1, sizeof block, file)) {
        // Standard input may have no end.
        if (text.size() + count > io::largest_file)
            throw Failure(Exit::input, fmt::format("{}: error: there is more than {} in it",
                                                   path == "-" ? "<stdin>" : path, io::largest_file_text));
        text.append(block, count);
    }
    if (std::ferror(file)) throw cannot_read();
    return text;
}

bool is_same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code failure;
    return fs::equivalent(a, b, failure) ||
           fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

Scene read_scene(const ModelOptions& options, Diagnostics& log) {
    log.set_strict(options.strict);
    const LoadOptions load_options = options.load_options();
    if (options.path == "-") return parse_scene(read_text("-"), "<stdin>", load_options, log);
    return load_scene(options.path, load_options, log);
}

LoadedModel load_model(const ModelOptions& options, const std::function<void(Scene&)>& edit) {
    Diagnostics log;
    const auto print = [&] {
        for (const Diagnostic& d : log.all())
            if (d.severity == Severity::error || !options.quiet) fmt::print(stderr, "{}\n", d.to_string());
    };
    try {
        Scene scene = read_scene(options, log);
        if (edit) edit(scene);
        std::shared_ptr<const Model> model = compile(scene, log);
        print();
        return {std::move(scene), std::move(model), log.all()};
    } catch (const InputError& error) {
        print();
        throw Failure(exit_of(error.kind()), "");
    }
}

}  // namespace lig::app
