// <asset>: meshes, height fields, the colours of materials and models to attach. Textures and skins are only
// for drawing.

#include "core/diagnostic_codes.h"
#include "io/builtin_mesh.h"
#include "io/height_field_file.h"
#include "io/mesh_file.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <limits>
#include <system_error>

namespace lig::io::mjcf {

namespace {

namespace fs = std::filesystem;

// Paths of meshes and height fields start from the folder of the main file and the compiler's meshdir; a file
// that was moved together with the files it includes is also looked for beside the file that names it.
std::string find_asset_file(Context& context, ElementReader& in, int element, const std::string& written,
                            const std::string& kind) {
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
    in.log().report(codes::W012, in.where("file"), "the " + kind + " file '" + written + "' was not found",
                    "looked for " + places);
    return {};
}

// One file may be several meshes of different scale: it is read once.
std::shared_ptr<const TriangleMesh> load_mesh(Context& context, ElementReader& in, const std::string& file,
                                              const std::string& content_type) {
    const auto [known, is_new] = context.mesh_files.try_emplace({file, content_type});
    if (!is_new) return known->second;
    MeshResult result = load_mesh_file(file, content_type);
    if (const FileFault* fault = std::get_if<FileFault>(&result)) {
        in.log().report(codes::E101, in.where("file"), fault->message(file), fault->hint);
        return nullptr;
    }
    known->second = std::make_shared<const TriangleMesh>(std::move(std::get<TriangleMesh>(result)));
    return known->second;
}

// vertex="x y z …" face="i j k …", in single precision as in files.
std::shared_ptr<const TriangleMesh> read_written_mesh(ElementReader& in) {
    constexpr int any = std::numeric_limits<int>::max();
    const auto numbers = in.numbers("vertex", 0, any);
    if (!numbers) return nullptr;
    const auto wrong = [&](const char* attribute, const std::string& what, const char* hint) {
        in.log().report(codes::E104, in.where(attribute), in.label() + ": " + what, hint);
        return nullptr;
    };
    if (numbers->size() % 3 != 0 || numbers->size() < 12)
        return wrong("vertex", "'vertex' has " + std::to_string(numbers->size()) + " numbers",
                     "three for each vertex, and four vertices at least");
    TriangleMesh mesh;
    for (std::size_t i = 0; i < numbers->size(); i += 3) {
        Vec3d v;
        for (int k = 0; k < 3; ++k) {
            const double x = (*numbers)[i + static_cast<std::size_t>(k)];
            if (!(std::fabs(x) <= std::numeric_limits<float>::max()))
                return wrong("vertex", "a coordinate is too large for single precision", "check the unit");
            v[k] = static_cast<float>(x);
        }
        mesh.vertices.push_back(v);
    }
    if (const auto corners = in.numbers("face", 0, any)) {
        if (corners->size() % 3 != 0)
            return wrong("face", "'face' has " + std::to_string(corners->size()) + " numbers",
                         "three for each face");
        for (std::size_t i = 0; i < corners->size(); i += 3) {
            std::array<int, 3> face;
            for (std::size_t k = 0; k < 3; ++k) {
                const double index = (*corners)[i + k];
                if (!(index >= 0 && index < static_cast<double>(mesh.vertices.size()) &&
                      index == std::floor(index)))
                    return wrong("face",
                                 "face " + std::to_string(i / 3) + " names a vertex that does not exist",
                                 "faces and vertices count from 0");
                face[k] = static_cast<int>(index);
            }
            mesh.faces.push_back(face);
        }
    }
    return std::make_shared<const TriangleMesh>(std::move(mesh));
}

std::shared_ptr<const TriangleMesh> make_builtin(ElementReader& in, int kind) {
    const auto params = in.numbers("params", 0, 16);
    auto made = make_builtin_mesh(kind, params.value_or(std::vector<double>{}));
    if (const FileFault* fault = std::get_if<FileFault>(&made)) {
        in.log().report(codes::E104, in.where(in.has("params") ? "params" : "builtin"),
                        in.label() + ": " + fault->what, fault->hint);
        return nullptr;
    }
    return std::make_shared<const TriangleMesh>(std::move(std::get<TriangleMesh>(made)));
}

std::optional<int> read_builtin_kind(ElementReader& in) {
    if (in.text_or("builtin", "none") == "none") return std::nullopt;
    return in.choice("builtin", builtin_mesh_names);
}

void read_mesh(Context& context, int element) {
    ElementReader in = context.document.reader(element);
    const int of_class = context.defaults.select(in, "class", DefaultClasses::main);
    MeshFields fields = context.defaults[of_class].mesh;
    read_mesh_fields(in, fields, context.notes);
    const std::string written = in.text_or("file", "");
    const auto index = static_cast<int>(context.scene.meshes().size());
    MeshAsset mesh{.name = in.text_or("name", fs::path(written).stem().string()),
                   .scale = fields.scale,
                   .ref_pos = fields.ref_pos,
                   .ref_quat = fields.ref_quat,
                   .inertia = fields.inertia,
                   .max_hull_vertices = fields.max_hull_vertices,
                   .where = in.where()};
    const bool builtin = in.text_or("builtin", "none") != "none";
    if (builtin + !written.empty() + in.has("vertex") > 1) {
        in.log().report(codes::E014, in.where(),
                        in.label() + ": two of 'file', 'vertex' and 'builtin' are given", "keep one of them");
    } else if (builtin) {
        if (const auto kind = read_builtin_kind(in)) {
            mesh.mesh = make_builtin(in, *kind);
            // It has no volume.
            if (builtin_mesh_names[static_cast<std::size_t>(*kind)] == "plate")
                mesh.inertia = MeshInertia::shell;
        }
    } else if (in.has("vertex")) {
        mesh.mesh = read_written_mesh(in);
    } else if (!written.empty()) {
        mesh.file = find_asset_file(context, in, element, written, "mesh");
        if (mesh.file.empty())
            context.absent_meshes.insert(index);
        else
            mesh.mesh = load_mesh(context, in, mesh.file, fields.content_type);
    } else if (context.document[element].first_child >= 0) {
        in.log().report(codes::U091, in.where(), in.label() + ": meshes made by plugins are not supported",
                        "export the mesh to a file");
    } else {
        in.required_text("file");
    }
    if (mesh.mesh &&
        !take_geometry(context, mesh.mesh->vertices.size() + mesh.mesh->faces.size(), in.where()))
        mesh.mesh = nullptr;
    if (mesh.name.empty() && !written.empty()) in.required_text("name");
    // How it is drawn.
    in.ignore({"normal", "texcoord", "face", "params"});
    in.warn_unknown();
    context.meshes.add(mesh.name, index, in.where(), context.log);
    context.scene.add_mesh(std::move(mesh));
}

// Heights from 0 to 1; a level field is 0.
void normalize(std::vector<double>& heights) {
    if (heights.empty()) return;
    const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
    const double low = *least, range = *most - *least;
    for (double& h : heights) h = range > 0 ? (h - low) / range : 0;
}

// elevation="…" row by row, the one of the largest y first, as one sees it from above.
std::optional<HeightGrid> read_written_heights(Context& context, ElementReader& in) {
    HeightGrid grid;
    grid.rows = integer(in, "nrow").value_or(0);
    grid.columns = integer(in, "ncol").value_or(0);
    if (grid.rows <= 0 || grid.columns <= 0 || grid.rows > max_height_cells / grid.columns) {
        in.log().report(codes::E105, in.where(),
                        in.label() + ": it has " + std::to_string(grid.rows) + " rows and " +
                            std::to_string(grid.columns) + " columns",
                        "give a file, or nrow and ncol");
        return std::nullopt;
    }
    const std::size_t cells = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
    if (!take_geometry(context, cells, in.where())) return std::nullopt;
    grid.heights.assign(cells, 0);
    if (!in.has("elevation")) return grid;  // level: programs fill it in later
    const auto written = in.numbers("elevation", 0, std::numeric_limits<int>::max());
    if (!written) return std::nullopt;
    if (written->size() != cells) {
        in.log().report(codes::E105, in.where("elevation"),
                        in.label() + ": 'elevation' has " + std::to_string(written->size()) +
                            " numbers, nrow × ncol is " + std::to_string(cells),
                        "one number for each point of the grid");
        return std::nullopt;
    }
    const auto columns = static_cast<std::ptrdiff_t>(grid.columns);
    for (std::ptrdiff_t row = 0; row < grid.rows; ++row)
        std::copy_n(written->begin() + (grid.rows - 1 - row) * columns, columns,
                    grid.heights.begin() + row * columns);
    return grid;
}

void read_height_field(Context& context, int element) {
    ElementReader in = context.document.reader(element);
    const std::string written = in.text_or("file", "");
    const std::string content_type = in.text_or("content_type", "");
    HeightFieldAsset field{.name = in.text_or("name", fs::path(written).stem().string()),
                           .where = in.where()};
    if (!in.has("size")) in.required_text("size");
    if (const auto size = in.numbers("size", 4, 4)) {
        std::copy(size->begin(), size->end(), field.size.begin());
        if (!std::all_of(size->begin(), size->end(), [](double x) { return x > 0; }))
            in.log().report(codes::E105, in.where("size"), in.label() + ": its sizes must be positive",
                            "half x, half y, height, depth of the base");
    }
    std::optional<HeightGrid> grid;
    if (!written.empty()) {
        in.ignore({"nrow", "ncol"});
        if (in.has("elevation"))
            in.log().report(codes::E014, in.where("elevation"),
                            in.label() + ": 'file' and 'elevation' both tell its heights",
                            "remove one of them");
        field.file = find_asset_file(context, in, element, written, "height field");
        if (!field.file.empty()) {
            HeightResult result = load_height_file(field.file, content_type);
            if (const FileFault* fault = std::get_if<FileFault>(&result))
                in.log().report(codes::E101, in.where("file"), fault->message(field.file), fault->hint);
            else if (take_geometry(context, std::get<HeightGrid>(result).heights.size(), in.where("file")))
                grid = std::move(std::get<HeightGrid>(result));
        }
    } else {
        grid = read_written_heights(context, in);
    }
    if (grid) {
        normalize(grid->heights);
        field.rows = grid->rows;
        field.columns = grid->columns;
        field.elevation = std::make_shared<const std::vector<double>>(std::move(grid->heights));
    }
    if (field.name.empty()) in.required_text("name");
    in.warn_unknown();
    context.hfields.add(field.name, static_cast<int>(context.scene.height_fields().size()), in.where(),
                        context.log);
    context.scene.add_height_field(std::move(field));
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

bool take_geometry(Context& context, std::size_t count, const SourceLocation& where) {
    // A hundred letters make a height field of millions of points, and each of a thousand meshes may be the
    // same large file. Small ones count as well.
    constexpr std::size_t most = 20'000'000, least = 100;
    if (context.budget->geometry > most) return false;  // said already
    context.budget->geometry += std::max(count, least);
    if (context.budget->geometry <= most) return true;
    context.log.report(codes::E111, where,
                       "the meshes and height fields together have more than " + std::to_string(most) +
                           " vertices, faces and points",
                       "reduce their number");
    return false;
}

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
            read_height_field(context, child);
        } else if (std::find(std::begin(known), std::end(known), kind) == std::end(known)) {
            ElementReader in = context.document.reader(child);
            report_unknown_element(in, "asset", known);
        }
    }
}

}  // namespace lig::io::mjcf
