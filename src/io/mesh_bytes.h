#pragma once

// What the mesh readers share: numbers out of bytes, words out of text.

#include "io/mesh_file.h"

#include <cstdint>
#include <cstring>

namespace lig::io {

bool is_binary_stl(std::span<const std::byte> bytes);  // its size fits its count of faces
bool is_text_stl(std::span<const std::byte> bytes);    // it begins with "solid" and is text
bool is_msh(std::span<const std::byte> bytes);         // its size fits its four counts
bool is_glb(std::span<const std::byte> bytes);         // it begins with "glTF"

// More than any shape needs, and little enough to be held: MuJoCo stops at 200,000 faces.
inline constexpr std::size_t max_faces = 1'000'000;
inline constexpr std::size_t max_vertices = 3 * max_faces;
inline FileFault too_many_faces() {
    return {"the mesh has more than a million faces or three million vertices", "reduce their number"};
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Little-endian, at any address. The caller has checked that it is inside.
inline std::uint32_t read_u32(const std::byte* at) {
    std::uint32_t value = 0;
    for (int k = 3; k >= 0; --k) value = value << 8 | std::to_integer<std::uint32_t>(at[k]);
    return value;
}
inline float read_f32(const std::byte* at) {
    const std::uint32_t bits = read_u32(at);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// A coordinate of a text in single precision; nothing if it is no number or not finite there.
std::optional<double> parse_coordinate(std::string_view word);

// The words of a text line by line. '#' starts a comment, a backslash before the end of a line continues it.
class TextWords {
public:
    explicit TextWords(std::string_view text) : rest_(text) {}

    // The next word of the current line; empty at its end.
    std::string_view word();
    // Skips what is left of the current line; false at the end of the text.
    bool next_line();
    int line() const { return line_; }

private:
    std::string_view rest_;
    int line_ = 1;
};

}  // namespace lig::io
