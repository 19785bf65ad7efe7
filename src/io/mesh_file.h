#pragma once

// Triangle meshes in files: STL (binary and text), OBJ, glTF, and MuJoCo's MSH. Whatever the bytes are, the
// answer is a mesh whose indices are valid and whose coordinates are finite, or what is wrong with them.
//
// Coordinates are rounded to single precision, which STL and MSH have anyway: a mesh means the same in each
// format.

#include "io/file_bytes.h"

#include <ligament/mesh.h>

#include <optional>
#include <span>
#include <string_view>

namespace lig::io {

enum class MeshFormat {
    stl,
    obj,
    msh,
    gltf
};

using MeshResult = std::variant<TriangleMesh, FileFault>;

MeshResult parse_stl(std::span<const std::byte> bytes);
MeshResult parse_obj(std::span<const std::byte> bytes);
MeshResult parse_msh(std::span<const std::byte> bytes);
// `folder`: where buffers of the file stand that are files of their own; empty: nowhere.
MeshResult parse_gltf(std::span<const std::byte> bytes, const std::filesystem::path& folder = {});
MeshResult parse_mesh(MeshFormat format, std::span<const std::byte> bytes,
                      const std::filesystem::path& folder = {});

// By the ending of a file's name, in any case.
std::optional<MeshFormat> mesh_format_of_ending(const std::filesystem::path& file);
// model/stl, model/obj, model/vnd.mujoco.msh, model/gltf-binary, model/gltf+json
std::optional<MeshFormat> mesh_format_of_content_type(std::string_view content_type);
std::optional<MeshFormat> mesh_format_of_content(std::span<const std::byte> bytes);

// The format is that of the content type; without one, that of the ending; without a known ending, that of
// the content.
MeshResult load_mesh_file(const std::filesystem::path& path, std::string_view content_type = {});

}  // namespace lig::io
