#include "io/file_bytes.h"

#include "core/diagnostic_codes.h"
#include "core/suggest.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

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

template <class Bytes>
std::variant<Bytes, FileFault> read_all(const fs::path& path, FileKind allowed) {
    const auto fault = [](const DiagnosticCode& code, std::string what, std::string hint) {
        return FileFault{std::move(what), std::move(hint), 0, &code};
    };
    const auto too_long = [&] {
        return fault(codes::E016, std::string("there is more than ") + largest_file_text + " in it",
                     "check that this is the right file");
    };

    std::error_code failure;
    const fs::file_type type = fs::status(path, failure).type();
    if (std::string wrong = wrong_type(type, allowed); !wrong.empty())
        return fault(codes::E015, std::move(wrong), "give the path of a file");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        const int reason = errno;
        if (reason == ENOENT || reason == ENOTDIR)
            return fault(codes::E001, "there is no such file", suggest_file(path));
        return fault(codes::E001, "the file cannot be opened: " + std::generic_category().message(reason),
                     "check its permissions");
    }
    Bytes bytes;
    if (type == fs::file_type::regular) {
        const std::uintmax_t size = fs::file_size(path, failure);
        if (!failure && size > largest_file) return too_long();
        if (!failure) bytes.reserve(size);
    }
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        const auto count = static_cast<std::size_t>(file.gcount());
        if (bytes.size() + count > largest_file) return too_long();
        const auto* from = reinterpret_cast<const typename Bytes::value_type*>(block.data());
        bytes.insert(bytes.end(), from, from + count);
    }
    if (file.bad())
        return fault(codes::E001, "reading stopped after " + std::to_string(bytes.size()) + " bytes",
                     "the disk or the connection to it failed");
    return bytes;
}

}  // namespace

std::string FileFault::message(const fs::path& file) const {
    return file.string() + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what;
}

std::variant<std::vector<std::byte>, FileFault> read_file_bytes(const fs::path& path) {
    return read_all<std::vector<std::byte>>(path, FileKind::regular);
}

std::variant<std::string, FileFault> read_file_text(const fs::path& path, FileKind allowed) {
    return read_all<std::string>(path, allowed);
}

}  // namespace lig::io
