#pragma once

// Arrays by name in one file, as numpy.load reads them: a ZIP archive with a member NAME.npy for each.

#include "io/zip_write.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lig::io {

class NpzWriter {
public:
    // Throws std::system_error where it cannot be written, as do all that follow.
    explicit NpzWriter(const std::filesystem::path& path) : zip_(path) {}

    // Row-major; the product of the shape is the number of values.
    void add(std::string_view name, std::span<const double> values, std::span<const std::size_t> shape);
    void add(std::string_view name, std::span<const std::int64_t> values, std::span<const std::size_t> shape);
    // Texts in UTF-8, as an array of unicode strings as long as the longest.
    void add(std::string_view name, std::span<const std::string> texts);
    void finish() { zip_.finish(); }

private:
    void add_array(std::string_view name, std::string_view type, std::span<const std::byte> data,
                   std::span<const std::size_t> shape);

    ZipWriter zip_;
};

}  // namespace lig::io
