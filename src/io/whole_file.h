#pragma once

// A file that appears whole or not at all: written beside its place under another name, and moved there when
// it is finished. What is at the place is replaced then and not before.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace lig::io {

class WholeFile {
public:
    // Throws std::system_error where it cannot be written, as do all that follow. Links are followed; pipes
    // and devices, which nothing can be moved to, are written to directly.
    explicit WholeFile(std::filesystem::path path);
    // Removes what has been written unless it was finished.
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    // Moves what has been written to its place now; what follows is added there. For files that can be read
    // while they grow.
    void publish();
    void flush();
    void finish();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::filesystem::path path_, written_;  // the same where it is written directly
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace lig::io
