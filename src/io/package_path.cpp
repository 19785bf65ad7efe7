#include "io/package_path.h"

#include <charconv>
#include <cstdlib>

namespace lig::io {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> split_path_list(const char* variable) {
    std::vector<fs::path> list;
    const char* value = std::getenv(variable);
    if (!value) return list;
    std::string_view rest = value;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) list.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return list;
}

// %20 and the like in a file:// address.
std::string decode_percent(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        if (text[i] == '%' && i + 2 < text.size()) {
            const char* const digits = text.data() + i + 1;
            if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
                out += static_cast<char>(byte);
                i += 2;
                continue;
            }
        }
        out += text[i];
    }
    return out;
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool try_place(const fs::path& place, FileSearch& search) {
    const fs::path normal = place.lexically_normal();
    search.tried.push_back(normal.string());
    if (!is_file(normal)) return false;
    search.found = normal;
    return true;
}

}  // namespace

PackagePaths::PackagePaths(const LoadOptions& options, const fs::path& model_file)
    : parents_(options.package_paths), prefixes_(split_path_list("AMENT_PREFIX_PATH")) {
    std::error_code ignored;
    folder_ = fs::absolute(model_file, ignored).lexically_normal().parent_path();
    for (fs::path folder = folder_;; folder = folder.parent_path()) {
        above_.push_back(folder);
        if (folder == folder.parent_path()) break;
    }
    for (fs::path& folder : split_path_list("ROS_PACKAGE_PATH")) parents_.push_back(std::move(folder));
}

FileSearch PackagePaths::find(std::string_view uri) const {
    for (const std::string_view scheme : {"package://", "model://"}) {
        if (!uri.starts_with(scheme)) continue;
        const std::string_view path = uri.substr(scheme.size());
        const std::size_t slash = std::min(path.find('/'), path.size());
        return find_in_packages(path.substr(0, slash), path.substr(std::min(slash + 1, path.size())));
    }
    FileSearch search;
    if (uri.starts_with("http://") || uri.starts_with("https://")) {
        search.tried.push_back("web addresses are not fetched");
        return search;
    }
    fs::path path(uri);
    if (uri.starts_with("file://")) {
        std::string_view local = uri.substr(7);
        if (local.starts_with("localhost/")) local.remove_prefix(9);
        path = decode_percent(local);
    }
    // An absolute right-hand side replaces the left one.
    if (try_place(folder_ / path, search)) return search;
    std::string forward = path.string();
    if (forward.find('\\') != forward.npos) {
        for (char& c : forward)
            if (c == '\\') c = '/';
        try_place(folder_ / forward, search);
    }
    return search;
}

FileSearch PackagePaths::find_in_packages(std::string_view package, std::string_view rest) const {
    FileSearch search;
    for (const fs::path& parent : parents_) {
        if (try_place(parent / package / rest, search)) return search;
        // A listed folder may be the package itself.
        if (parent.filename() == package && try_place(parent / rest, search)) return search;
    }
    for (const fs::path& prefix : prefixes_)
        if (try_place(prefix / "share" / package / rest, search)) return search;
    bool found_package = false;
    for (const fs::path& folder : above_) {
        if (package.empty() || !is_folder(folder / package)) continue;
        found_package = true;
        if (try_place(folder / package / rest, search)) return search;
    }
    if (!found_package)
        search.tried.push_back("no folder '" + std::string(package) + "' in or above " + folder_.string());
    return search;
}

}  // namespace lig::io
