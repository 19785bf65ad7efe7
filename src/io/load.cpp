#include <ligament/load.h>

#include "core/diagnostic_codes.h"
#include "io/format_list.h"

namespace lig {

namespace {

Scene read_by_root(const io::XmlSource& source, const LoadOptions& options, Diagnostics& log) {
    const std::string_view root = source.root().name();
    for (const io::Format& format : io::formats) {
        if (format.root != root) continue;
        Scene scene = format.read(source, options, log);
        log.throw_if_errors();
        return scene;
    }
    std::string known;
    for (const io::Format& format : io::formats) {
        if (!known.empty()) known += ", ";
        known.append("<").append(format.root).append("> (").append(format.name).append(")");
    }
    log.report(codes::E004, source.locate(source.root()),
               "the root element <" + std::string(root) + "> is of no format that can be read",
               "a model starts with " + known);
    log.throw_if_errors();
    return Scene();
}

}  // namespace

Scene load_scene(const std::filesystem::path& path, const LoadOptions& options, Diagnostics& log) {
    io::XmlSource source;
    if (!source.load_file(path, log)) log.throw_if_errors();
    return read_by_root(source, options, log);
}

Scene parse_scene(std::string_view text, const std::filesystem::path& file_name, const LoadOptions& options,
                  Diagnostics& log) {
    io::XmlSource source;
    if (!source.load_text(text, file_name, log)) log.throw_if_errors();
    return read_by_root(source, options, log);
}

}  // namespace lig
