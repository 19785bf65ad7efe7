#include "io/mesh_file.h"

#include "io/mesh_bytes.h"

#include <cctype>

namespace lig::io {

namespace {

struct FormatEntry {
    MeshFormat format;
    std::string_view ending, content_type;
    MeshResult (*parse)(std::span<const std::byte>, const std::filesystem::path&);
};
template <MeshResult (*parse)(std::span<const std::byte>)>
MeshResult from_bytes(std::span<const std::byte> bytes, const std::filesystem::path&) {
    return parse(bytes);
}
constexpr FormatEntry formats[] = {
    {MeshFormat::stl, ".stl", "model/stl", from_bytes<parse_stl>},
    {MeshFormat::obj, ".obj", "model/obj", from_bytes<parse_obj>},
    {MeshFormat::msh, ".msh", "model/vnd.mujoco.msh", from_bytes<parse_msh>},
    {MeshFormat::gltf, ".glb", "model/gltf-binary", parse_gltf},
    {MeshFormat::gltf, ".gltf", "model/gltf+json", parse_gltf},
};

}  // namespace

MeshResult parse_mesh(MeshFormat format, std::span<const std::byte> bytes,
                      const std::filesystem::path& folder) {
    for (const FormatEntry& entry : formats)
        if (entry.format == format) return entry.parse(bytes, folder);
    return FileFault{"there is no such format", {}};
}

std::optional<MeshFormat> mesh_format_of_ending(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const FormatEntry& entry : formats)
        if (entry.ending == ending) return entry.format;
    return std::nullopt;
}

std::optional<MeshFormat> mesh_format_of_content_type(std::string_view content_type) {
    for (const FormatEntry& entry : formats)
        if (entry.content_type == content_type) return entry.format;
    return std::nullopt;
}

std::optional<MeshFormat> mesh_format_of_content(std::span<const std::byte> bytes) {
    if (is_binary_stl(bytes) || is_text_stl(bytes)) return MeshFormat::stl;
    if (is_glb(bytes)) return MeshFormat::gltf;
    if (is_msh(bytes)) return MeshFormat::msh;
    // OBJ has no mark of its own: text with a line that starts with "v " or "f ".
    const std::string_view text = as_text(bytes);
    if (text.substr(0, 4096).find('\0') != text.npos) return std::nullopt;
    for (const std::string_view start : {"v ", "v\t", "f ", "f\t"})
        if (text.starts_with(start) || text.find("\n" + std::string(start)) != text.npos)
            return MeshFormat::obj;
    return std::nullopt;
}

MeshResult load_mesh_file(const std::filesystem::path& path, std::string_view content_type) {
    std::optional<MeshFormat> format;
    if (!content_type.empty()) {
        format = mesh_format_of_content_type(content_type);
        if (!format)
            return FileFault{
                "the content type '" + std::string(content_type) + "' is not known",
                "write model/stl, model/obj, model/gltf-binary, model/gltf+json or model/vnd.mujoco.msh"};
    } else {
        format = mesh_format_of_ending(path);
    }
    auto read = read_file_bytes(path);
    if (FileFault* fault = std::get_if<FileFault>(&read)) return std::move(*fault);
    const std::vector<std::byte>& bytes = std::get<std::vector<std::byte>>(read);
    if (bytes.empty()) return FileFault{"the file is empty", "check where it was written"};
    if (!format) format = mesh_format_of_content(bytes);
    if (!format)
        return FileFault{"this is no mesh in STL, OBJ, glTF or MSH format", "convert it to one of them"};
    if (as_text(bytes).starts_with("version https://git-lfs"))
        return FileFault{"this is not the mesh but a reference to it in Git LFS",
                         "fetch the file with 'git lfs pull'"};
    return parse_mesh(*format, bytes, path.parent_path());
}

}  // namespace lig::io
