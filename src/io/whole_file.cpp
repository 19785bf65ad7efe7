#include "io/whole_file.h"

#include <cerrno>
#include <system_error>

namespace lig::io {

namespace {

namespace fs = std::filesystem;

// Where the bytes are to end up: links are followed, so that they are not replaced by a file.
fs::path place_of(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_symlink(path, failure)) return path;
    const fs::path target = fs::weakly_canonical(path, failure);
    return failure ? path : target;
}

bool can_be_replaced(const fs::path& path) {
    std::error_code failure;
    const fs::file_type type = fs::status(path, failure).type();
    return type == fs::file_type::regular || type == fs::file_type::not_found;
}

}  // namespace

WholeFile::WholeFile(fs::path path) : path_(place_of(path)), written_(path_) {
    if (can_be_replaced(path_)) written_ += ".partial";
    file_.reset(std::fopen(written_.c_str(), "wb"));
    if (!file_) throw std::system_error(errno, std::generic_category(), path_.string());
}

WholeFile::~WholeFile() {
    if (!file_) return;
    file_.reset();
    std::error_code ignored;
    if (written_ != path_) fs::remove(written_, ignored);
}

void WholeFile::write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
        throw std::system_error(errno, std::generic_category(), path_.string());
}

void WholeFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void WholeFile::publish() {
    flush();
    if (written_ == path_) return;
    fs::rename(written_, path_);
    written_ = path_;
}

void WholeFile::flush() {
    if (std::fflush(file_.get()) != 0)
        throw std::system_error(errno, std::generic_category(), path_.string());
}

void WholeFile::finish() {
    // A full disk may be noticed only when the file is closed.
    std::error_code failure;
    if (std::fclose(file_.release()) != 0) failure = {errno, std::generic_category()};
    if (written_ == path_) {
        if (failure) throw std::system_error(failure, path_.string());
        return;
    }
    if (!failure) fs::rename(written_, path_, failure);
    if (!failure) return;
    std::error_code ignored;
    fs::remove(written_, ignored);
    throw std::system_error(failure, path_.string());
}

}  // namespace lig::io
