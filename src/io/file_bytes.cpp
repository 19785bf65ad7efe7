#include "io/file_bytes.h"

#include "core/diagnostic_codes.h"
#include "core/suggest.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

namespace lig::io {

namespace {

namespace fs = std::filesystem;

// For a file that is not there: the file of nearly the same name beside it, if any.
std::string suggest_file(const fs::path& path) {
    std::error_code failure;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, failure)) return "there is no folder " + folder.string();
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    const std::vector<std::string_view> choices(names.begin(), names.end());
    const std::string wanted = path.filename().string();
    const std::string_view near = nearest(wanted, choices);
    if (near.empty()) return "check the path";
    return "did you mean " + (path.parent_path() / near).string() + "?";
}

// Why a file of this type is not read; empty when it is.
std::string wrong_type(fs::file_type type, FileKind allowed) {
    switch (type) {
        case fs::file_type::directory: return "this is a folder, not a file";
        case fs::file_type::fifo: return allowed == FileKind::or_pipe ? "" : "this is a pipe, not a file";
        case fs::file_type::block:
        case fs::file_type::character:
        case fs::file_type::socket: return "this is a device, not a file";
        default: return "";
    }
}

}  // namespace

std::optional<std::string> read_bytes(const fs::path& path, FileKind allowed, const char* needed,
                                      Diagnostics& log) {
    const SourceLocation where{std::make_shared<const std::string>(path.string()), 0, 0};
    const auto fail = [&](const DiagnosticCode& code, std::string message, std::string hint) {
        log.report(code, where, std::move(message), std::move(hint));
        return std::nullopt;
    };
    const auto too_long = [&] {
        return fail(codes::E016, std::string("there is more than ") + largest_file_text + " in it",
                    std::string("give ") + needed);
    };

    std::error_code failure;
    const fs::file_type type = fs::status(path, failure).type();
    if (std::string wrong = wrong_type(type, allowed); !wrong.empty())
        return fail(codes::E015, std::move(wrong), std::string("give ") + needed);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        const int reason = errno;
        if (reason == ENOENT || reason == ENOTDIR)
            return fail(codes::E001, "there is no such file", suggest_file(path));
        return fail(codes::E001, "the file cannot be opened: " + std::generic_category().message(reason),
                    "check its permissions");
    }
    std::string bytes;
    if (type == fs::file_type::regular) {
        const std::uintmax_t size = fs::file_size(path, failure);
        if (!failure && size > largest_file) return too_long();
        if (!failure) bytes.reserve(size);
    }
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        const auto count = static_cast<std::size_t>(file.gcount());
        if (bytes.size() + count > largest_file) return too_long();
        bytes.append(block.data(), count);
    }
    if (file.bad())
        return fail(codes::E001, "reading stopped after " + std::to_string(bytes.size()) + " bytes",
                    "the disk or the connection to it failed");
    return bytes;
}

}  // namespace lig::io
