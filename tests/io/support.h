#pragma once

// Shared by the tests of the readers.

#include <ligament/load.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#ifndef LIG_SHARED_DIR
#define LIG_SHARED_DIR "../shared"
#endif

namespace lig::test {

// Every diagnostic, one per line, for exact comparisons and for INFO.
inline std::string all_text(const Diagnostics& log) {
    std::string text;
    for (const Diagnostic& d : log.all()) text += d.to_string() + '\n';
    return text;
}

inline int count_code(const Diagnostics& log, std::string_view id) {
    return static_cast<int>(std::count_if(log.all().begin(), log.all().end(),
                                          [&](const Diagnostic& d) { return d.code->id == id; }));
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// A new empty folder that vanishes with its content at the end of the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const std::filesystem::path base = std::filesystem::temp_directory_path();
        for (int i = 0;; ++i) {
            path_ = base / ("ligament_test_" + std::to_string(i));
            if (std::filesystem::create_directory(path_)) return;
        }
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

    std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

private:
    std::filesystem::path path_;
};

}  // namespace lig::test
