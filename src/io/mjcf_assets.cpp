// <asset>: meshes, the colours of materials and models to attach. Textures and skins are only for drawing.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <system_error>

namespace lig::io::mjcf {

namespace {

namespace fs = std::filesystem;

// Mesh paths start from the folder of the main file and the compiler's meshdir; a file that was moved
// together with the files it includes is also looked for beside the file that names it.
std::string find_mesh_file(Context& context, ElementReader& in, int element, const std::string& written) {
    const Settings& settings = context.settings;
    const fs::path file = settings.strip_path ? fs::path(written).filename() : fs::path(written);
    const fs::path folder = settings.mesh_folder.empty() ? settings.asset_folder : settings.mesh_folder;
    std::vector<fs::path> tried;
    for (const XmlSource* source : {&context.document.main(), context.document[element].source}) {
        const fs::path path = (source->path().parent_path() / folder / file).lexically_normal();
        if (std::find(tried.begin(), tried.end(), path) == tried.end()) tried.push_back(path);
    }
    std::error_code failure;
    for (const fs::path& path : tried)
        if (fs::exists(path, failure)) return path.string();
    std::string places;
    for (const fs::path& path : tried) places += (places.empty() ? "" : ", ") + path.string();
    in.log().report(codes::W012, in.where("file"), "the mesh file '" + written + "' was not found",
                    "looked for " + places);
    return {};
}

void read_mesh(Context& context, int element) {
    ElementReader in = context.document.reader(element);
    const int of_class = context.defaults.select(in, "class", DefaultClasses::main);
    MeshFields fields = context.defaults[of_class].mesh;
    read_mesh_fields(in, fields, context.notes);
    const std::string written = in.text_or("file", "");
    MeshAsset mesh{.name = in.text_or("name", fs::path(written).stem().string()),
                   .scale = fields.scale,
                   .where = in.where()};
    if (!written.empty())
        mesh.file = find_mesh_file(context, in, element, written);
    else if (in.has("vertex") || in.has("builtin"))
        context.notes.add(codes::W092, "a mesh without a file is not read yet", in.where());
    else
        in.required_text("file");
    if (mesh.name.empty() && !written.empty()) in.required_text("name");
    in.ignore({"vertex", "normal", "texcoord", "face", "builtin", "params"});
    in.warn_unknown();
    context.meshes.add(mesh.name, static_cast<int>(context.scene.meshes().size()), in.where(), context.log);
    context.scene.add_mesh(std::move(mesh));
}

void read_material(Context& context, int element) {
    ElementReader in = context.document.reader(element);
    const int of_class = context.defaults.select(in, "class", DefaultClasses::main);
    MaterialFields fields = context.defaults[of_class].material;
    read_material_fields(in, fields, context.notes);
    const std::string name = in.required_text("name");
    in.warn_unknown();
    context.materials.add(name, static_cast<int>(context.material_colours.size()), in.where(), context.log);
    context.material_colours.push_back(fields.rgba);
}

}  // namespace

void read_asset(Context& context, int section) {
    static constexpr std::string_view known[] = {"mesh", "material", "hfield", "texture", "skin", "model"};
    for (const int child : context.document.children(section)) {
        const std::string_view kind = context.document.name(child);
        if (kind == "mesh") {
            read_mesh(context, child);
        } else if (kind == "material") {
            read_material(context, child);
        } else if (kind == "model") {
            read_model_asset(context, child);
        } else if (kind == "hfield") {
            ElementReader in = context.document.reader(child);
            const std::string name = in.text_or("name", fs::path(in.text_or("file", "")).stem().string());
            context.hfields.add(name, 0, in.where(), context.log);
            context.notes.element(kind, "asset", in.where());
        } else if (std::find(std::begin(known), std::end(known), kind) == std::end(known)) {
            ElementReader in = context.document.reader(child);
            report_unknown_element(in, "asset", known);
        }
    }
}

}  // namespace lig::io::mjcf
