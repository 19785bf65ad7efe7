#pragma once

// Height fields in files: PNG images, whose brightness is the height, and MuJoCo's own format, two 32-bit
// counts of rows and columns and the heights in single precision, little-endian.

#include "io/file_bytes.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace lig::io {

// As written: any range of heights.
struct HeightGrid {
    int rows = 0, columns = 0;
    std::vector<double> heights;  // row by row from the smallest y on
};

inline constexpr int max_height_cells = 1 << 24;

using HeightResult = std::variant<HeightGrid, FileFault>;

// The first row of an image is the one of the largest y. What counts is the red channel (of grey images: the
// grey) in 8 bits: 16-bit images lose their lower byte, transparency is not looked at. So does MuJoCo.
HeightResult parse_height_png(std::span<const std::byte> bytes);
HeightResult parse_height_binary(std::span<const std::byte> bytes);

// By content type (image/png, image/vnd.mujoco.hfield), else by the file's ending: .png is PNG, all others
// are MuJoCo's format.
HeightResult load_height_file(const std::filesystem::path& path, std::string_view content_type = {});

}  // namespace lig::io
