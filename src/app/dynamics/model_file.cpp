#include "app/dynamics/model_file.h"

#include "app/failure.h"
#include "io/file_bytes.h"
#include "io/format_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <variant>

namespace lig::app {

namespace {

constexpr std::string_view bases[] = {"fixed", "free"};

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::vector<std::string_view> model_endings() {
    std::vector<std::string_view> endings;
    for (const io::Format& format : io::formats)
        endings.insert(endings.end(), format.endings.begin(), format.endings.end());
    return endings;
}

void ModelOptions::declare(Arguments& arguments) {
    arguments.section(Section::model);
    arguments.positional(path, "MODEL", "a URDF or MJCF file; - reads standard input").file(model_endings());
    arguments
        .option(base, "--base", "fixed|free", "URDF: how the root link hangs on the world (default: fixed)")
        .choice({bases, bases + std::size(bases)});
    arguments
        .option(package_paths, "--package-path", "DIR",
                "a folder with ROS packages for package:// (repeatable)")
        .folder();
    arguments.section(Section::messages);
    arguments.flag(strict, "--strict", "take warnings for errors");
    arguments.flag(quiet, "--quiet", "no warnings and no progress bar; errors and results alone");
    arguments.flag(verbose, "--verbose", "say what is read, chosen and done, on stderr");
    arguments.section(Section::own);
}

LoadOptions ModelOptions::load_options() const {
    LoadOptions result;
    if (base == "free")
        result.base = BaseMode::free;
    else if (base != "fixed")
        throw Failure(Exit::usage, fmt::format("ligament: --base is fixed or free, not '{}'{}", base,
                                               did_you_mean(base, {bases, bases + std::size(bases)})));
    result.package_paths.assign(package_paths.begin(), package_paths.end());
    return result;
}

std::string read_text(const std::string& path) {
    if (path != "-") {
        std::variant<std::string, io::FileFault> read = io::read_file_text(path, io::FileKind::or_pipe);
        if (const io::FileFault* const fault = std::get_if<io::FileFault>(&read))
            throw Failure(Exit::io,
                          fmt::format("{}: error: cannot be read: {} ({})", path, fault->what, fault->hint));
        return std::get<std::string>(std::move(read));
    }
    std::string text;
    char block[65536];
    while (const std::size_t count = std::fread(block, 1, sizeof block, stdin)) {
        // Standard input may have no end.
        if (text.size() + count > io::largest_file)
            throw Failure(Exit::input, fmt::format("<stdin>: error: there is more than {} in it",
                                                   io::largest_file_text));
        text.append(block, count);
    }
    if (std::ferror(stdin))
        throw Failure(Exit::io, fmt::format("<stdin>: error: cannot be read: {}", std::strerror(errno)));
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
    if (options.quiet && options.verbose)
        throw Failure(Exit::usage, "ligament: --quiet and --verbose exclude each other");
    Diagnostics log;
    const auto print = [&] {
        for (const Diagnostic& d : log.all())
            if (d.severity == Severity::error || !options.quiet) fmt::print(stderr, "{}\n", d.to_string());
    };
    try {
        const auto begin = std::chrono::steady_clock::now();
        Scene scene = read_scene(options, log);
        const double reading = milliseconds_since(begin);
        if (edit) edit(scene);
        std::shared_ptr<const Model> model = compile(scene, log);
        print();
        if (options.verbose)
            fmt::print(
                stderr,
                "ligament: read {} in {:.3g} ms, compiled in {:.3g} ms: {} bodies, {} joints, {} geoms, "
                "{} velocities, {} equalities, {} actuators\n",
                options.path == "-" ? "<stdin>" : options.path, reading, milliseconds_since(begin) - reading,
                model->bodies.size(), model->joints.size(), model->geoms.size(), model->nv,
                model->loops.size() + model->couplings.size(), model->actuators.size());
        return {std::move(scene), std::move(model), log.all()};
    } catch (const InputError& error) {
        print();
        throw Failure(exit_of(error.kind()), "");
    }
}

}  // namespace lig::app
