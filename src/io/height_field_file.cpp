#include "io/height_field_file.h"

#include "io/mesh_bytes.h"

#include <png.h>

#include <cctype>
#include <cmath>
#include <csetjmp>

namespace lig::io {

namespace {

// libpng reports errors by longjmp. Everything it may jump over lives in this struct, outside the function
// that calls setjmp, so no destructor is skipped.
struct PngReading {
    std::span<const std::byte> rest;
    std::string error;
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::vector<png_byte> pixels;
    std::vector<png_bytep> rows;
    png_uint_32 width = 0, height = 0;
    std::size_t channels = 0;

    ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void png_take(png_structp png, png_bytep to, png_size_t count) {
    auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
    if (count > reading.rest.size()) png_error(png, "the file ends too early");
    std::memcpy(to, reading.rest.data(), count);
    reading.rest = reading.rest.subspan(count);
}

[[noreturn]] void png_fail(png_structp png, png_const_charp message) {
    static_cast<PngReading*>(png_get_error_ptr(png))->error = message;
    png_longjmp(png, 1);
}

void png_ignore_warning(png_structp, png_const_charp) {}

bool read_pixels(PngReading& r) {
    if (setjmp(png_jmpbuf(r.png))) return false;
    png_set_read_fn(r.png, &r, png_take);
    png_read_info(r.png, r.info);
    r.width = png_get_image_width(r.png, r.info);
    r.height = png_get_image_height(r.png, r.info);
    if (std::uint64_t{r.width} * r.height > max_height_cells) png_error(r.png, "the image is too large");
    png_set_palette_to_rgb(r.png);
    png_set_expand_gray_1_2_4_to_8(r.png);
    png_set_strip_16(r.png);
    png_set_strip_alpha(r.png);
    png_set_interlace_handling(r.png);
    png_read_update_info(r.png, r.info);
    r.channels = png_get_channels(r.png, r.info);
    const std::size_t row_bytes = png_get_rowbytes(r.png, r.info);
    r.pixels.resize(row_bytes * r.height);
    r.rows.resize(r.height);
    for (std::size_t i = 0; i < r.height; ++i) r.rows[i] = r.pixels.data() + i * row_bytes;
    png_read_image(r.png, r.rows.data());
    return true;
}

}  // namespace

HeightResult parse_height_png(std::span<const std::byte> bytes) {
    PngReading reading;
    reading.rest = bytes;
    if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0)
        return FileFault{"this is no PNG image", "check the file and its content type"};
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, png_fail, png_ignore_warning);
    if (reading.png) reading.info = png_create_info_struct(reading.png);
    if (!reading.info) return FileFault{"the image cannot be read", "there is too little memory"};
    if (!read_pixels(reading))
        return FileFault{"the PNG image cannot be read: " + reading.error, "it may be truncated"};

    HeightGrid grid{static_cast<int>(reading.height), static_cast<int>(reading.width), {}};
    grid.heights.reserve(std::size_t{reading.height} * reading.width);
    for (std::size_t i = reading.height; i-- > 0;)
        for (std::size_t j = 0; j < reading.width; ++j)
            grid.heights.push_back(reading.rows[i][j * reading.channels]);
    return grid;
}

HeightResult parse_height_binary(std::span<const std::byte> bytes) {
    if (bytes.size() < 8) return FileFault{"the file is too short for a height field", "it may be truncated"};
    const std::uint64_t rows = read_u32(bytes.data()), columns = read_u32(bytes.data() + 4);
    if (rows == 0 || columns == 0 || rows > max_height_cells || columns > max_height_cells ||
        rows * columns > max_height_cells)
        return FileFault{"it begins with " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                             " columns",
                         "PNG images need the ending .png or content_type=\"image/png\""};
    if (bytes.size() != 8 + 4 * rows * columns)
        return FileFault{"a height field of " + std::to_string(rows) + " × " + std::to_string(columns) +
                             " has " + std::to_string(8 + 4 * rows * columns) + " bytes, this one has " +
                             std::to_string(bytes.size()),
                         "it may be truncated"};
    HeightGrid grid{static_cast<int>(rows), static_cast<int>(columns), {}};
    grid.heights.reserve(rows * columns);
    for (std::uint64_t i = 0; i < rows * columns; ++i) {
        const double height = read_f32(bytes.data() + 8 + 4 * i);
        if (!std::isfinite(height))
            return FileFault{"height " + std::to_string(i) + " is not finite", "heights count from 0"};
        grid.heights.push_back(height);
    }
    return grid;
}

HeightResult load_height_file(const std::filesystem::path& path, std::string_view content_type) {
    std::string ending = path.extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    bool png = ending == ".png";
    if (!content_type.empty()) {
        png = content_type == "image/png";
        if (!png && content_type != "image/vnd.mujoco.hfield")
            return FileFault{"the content type '" + std::string(content_type) + "' is not known",
                             "write image/png or image/vnd.mujoco.hfield"};
    }
    auto read = read_file_bytes(path);
    if (FileFault* fault = std::get_if<FileFault>(&read)) return std::move(*fault);
    const auto& bytes = std::get<std::vector<std::byte>>(read);
    return png ? parse_height_png(bytes) : parse_height_binary(bytes);
}

}  // namespace lig::io
