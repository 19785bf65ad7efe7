// STL: triangles without shared vertices. Binary is an 80-byte header (often beginning with "solid", like the
// text form), a count, and 50 bytes per face; what tells the two apart is that the size fits the count.

#include "io/mesh_bytes.h"
#include "io/vertex_merger.h"

#include <array>
#include <cctype>
#include <cmath>

namespace lig::io {

namespace {

constexpr std::size_t header_size = 84, face_size = 50;

MeshResult parse_binary(std::span<const std::byte> bytes) {
    const std::size_t count = read_u32(bytes.data() + 80);
    if (count == 0) return FileFault{"the mesh has no faces", "check where it was written"};
    if (count > max_faces) return too_many_faces();
    TriangleMesh mesh;
    mesh.faces.reserve(count);
    VertexMerger merger(mesh, count);
    for (std::size_t f = 0; f < count; ++f) {
        const std::byte* at = bytes.data() + header_size + face_size * f + 12;
        std::array<int, 3> face;
        for (int& corner : face) {
            std::array<float, 3> v;
            for (float& x : v) {
                x = read_f32(at);
                at += 4;
                if (!std::isfinite(x))
                    return FileFault{"a vertex of face " + std::to_string(f) + " is not finite",
                                     "faces count from 0; repair the mesh"};
            }
            corner = merger.add(v);
        }
        mesh.faces.push_back(face);
    }
    return mesh;
}

bool equals_in_any_case(std::string_view word, std::string_view lower) {
    if (word.size() != lower.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (std::tolower(static_cast<unsigned char>(word[i])) != lower[i]) return false;
    return true;
}

// Only the vertices matter: three between "outer loop" and "endloop" are a face. Normals are told by them
// too.
MeshResult parse_text(std::span<const std::byte> bytes) {
    TriangleMesh mesh;
    VertexMerger merger(mesh, 0);
    std::array<int, 3> face;
    int corners = -1;  // of the open loop
    TextWords words(as_text(bytes));
    const auto fault = [&](std::string what, std::string hint) {
        return FileFault{std::move(what), std::move(hint), words.line()};
    };
    do {
        const std::string_view word = words.word();
        if (equals_in_any_case(word, "outer")) {
            if (corners >= 0)
                return fault("a loop begins inside a loop", "every 'outer loop' needs 'endloop'");
            corners = 0;
        } else if (equals_in_any_case(word, "vertex")) {
            if (corners < 0 || corners > 2)
                return fault("a vertex is outside a loop or its fourth", "faces have three vertices");
            std::array<float, 3> v;
            for (float& x : v) {
                const std::optional<double> value = parse_coordinate(words.word());
                if (!value) return fault("a vertex needs three finite numbers", "repair the mesh");
                x = static_cast<float>(*value);
            }
            face[corners++] = merger.add(v);
        } else if (equals_in_any_case(word, "endloop")) {
            if (corners != 3) return fault("a face has not three vertices", "triangulate the mesh");
            if (mesh.faces.size() == max_faces) return too_many_faces();
            mesh.faces.push_back(face);
            corners = -1;
        }
    } while (words.next_line());
    if (corners >= 0) return fault("the file ends inside a face", "it may be truncated");
    if (mesh.faces.empty()) return fault("the mesh has no faces", "check where it was written");
    return mesh;
}

}  // namespace

bool is_binary_stl(std::span<const std::byte> bytes) {
    return bytes.size() >= header_size &&
           (bytes.size() - header_size) == face_size * std::size_t{read_u32(bytes.data() + 80)};
}

bool is_text_stl(std::span<const std::byte> bytes) {
    const std::string_view text = as_text(bytes);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && equals_in_any_case(text.substr(first, 5), "solid") &&
           text.substr(0, 4096).find('\0') == text.npos;
}

MeshResult parse_stl(std::span<const std::byte> bytes) {
    if (is_binary_stl(bytes)) return parse_binary(bytes);
    if (is_text_stl(bytes)) return parse_text(bytes);
    if (bytes.size() < header_size)
        return FileFault{"the file is too short for STL", "it may be truncated, or of another format"};
    const std::size_t count = read_u32(bytes.data() + 80);
    return FileFault{"a binary STL file of " + std::to_string(count) + " faces has " +
                         std::to_string(header_size + face_size * count) + " bytes, this one has " +
                         std::to_string(bytes.size()),
                     "it may be truncated, or of another format"};
}

}  // namespace lig::io
