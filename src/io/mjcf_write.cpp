// A scene as MJCF: the document, its settings and assets.
//
// The promise is that reading the text gives a scene that compiles to the same bits. So numbers are written
// as the scene has them, in radians, and what a reader would compute (poses of fromto, defaults, degrees, the
// colours of materials) has been computed once and for all.

#include "io/mjcf_write.h"

#include "core/unit_quaternion.h"
#include "io/format_list.h"
#include "io/mesh_file.h"
#include "io/mjcf_lists.h"
#include "shapes/shape_mass.h"

#include <ligament/save.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace lig::io::mjcf {

namespace fs = std::filesystem;

void write_pose(XmlWriter& xml, const Pose& pose) {
    const Pose none;
    xml.numbers("pos", span_of(pose.pos), span_of(none.pos));
    const Quatd quat = unit_quaternion(pose.quat);
    xml.numbers("quat", span_of(quat), span_of(none.quat));
}

void write_ranges(XmlWriter& xml, std::string_view flag, std::string_view name,
                  std::span<const Range> ranges) {
    constexpr double largest = std::numeric_limits<double>::max();
    std::vector<double> ends;
    bool limited = false, single = false;
    for (const Range& range : ranges) {
        limited = limited || std::isfinite(range.lower) || std::isfinite(range.upper);
        single = single || range.lower == range.upper;
        ends.push_back(std::max(range.lower, -largest));
        ends.push_back(std::min(range.upper, largest));
    }
    if (!limited) return;
    if (single) xml.word(flag, "true");
    xml.numbers(name, ends);
}

void write_softness(XmlWriter& xml, std::string_view solref, std::string_view solimp, const Softness& soft) {
    const Softness usual;
    xml.numbers(solref, soft.solref, usual.solref);
    xml.numbers(solimp, soft.solimp, usual.solimp, true);
}

void write_polynomial(XmlWriter& xml, std::string_view name, double first,
                      const std::array<double, 2>& higher) {
    const double all[] = {first, higher[0], higher[1]};
    const double none[] = {0, 0, 0};
    xml.numbers(name, all, none, true);
}

void write_rgba(XmlWriter& xml, const std::array<double, 4>& rgba) {
    xml.numbers("rgba", rgba, GeomSpec{}.rgba);
}

std::string_view shape_word(ShapeType shape) {
    return shape == ShapeType::heightfield ? "hfield" : shape_name(shape);
}

namespace {

void write_compiler(const Scene& scene, XmlWriter& xml) {
    xml.open("compiler");
    xml.word("angle", "radian");
    xml.word("autolimits", "true");
    const InertiaRules& rules = scene.inertia_rules;
    xml.number("boundmass", rules.min_mass, 0);
    xml.number("boundinertia", rules.min_inertia, 0);
    xml.flag("balanceinertia", rules.balance);
    if (rules.total_mass) xml.numbers("settotalmass", {&*rules.total_mass, 1});
    xml.flag("fusestatic", rules.fuse_static);
    xml.flag("alignfree", aligns_all_free_joints(scene));
    xml.close();
}

void write_flags(const Switches& on, XmlWriter& xml) {
    if (on == Switches{}) return;
    xml.open("flag");
    for (const SwitchName& flag : switch_names)
        if (!(on.*flag.is_on)) xml.word(flag.name, "disable");
    xml.close();
}

std::string options_text(const Scene& scene) {
    constexpr std::string_view integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
    XmlWriter xml(1);
    const Options& options = scene.options;
    const Options usual;
    xml.open("option");
    xml.number("timestep", options.timestep, usual.timestep);
    xml.numbers("gravity", span_of(options.gravity), span_of(usual.gravity));
    if (options.integrator != usual.integrator)
        xml.word("integrator", integrators[static_cast<int>(options.integrator)]);
    xml.numbers("wind", span_of(options.wind), span_of(usual.wind));
    xml.number("density", options.density, usual.density);
    xml.number("viscosity", options.viscosity, usual.viscosity);
    xml.numbers("magnetic", span_of(options.magnetic), span_of(usual.magnetic));
    xml.number("impratio", options.impratio, usual.impratio);
    if (options.elliptic_cone) xml.word("cone", "elliptic");
    if (!options.disabled_actuator_groups.empty())
        xml.integers("actuatorgroupdisable", options.disabled_actuator_groups);
    write_flags(options.enabled, xml);
    xml.close();
    std::string text = xml.take();
    return text == "  <option/>\n" ? "" : text;
}

// As other machines can use it: relative where the two have a folder in common, with forward slashes.
std::string path_text(const std::string& file, const fs::path& folder) {
    const fs::path from = fs::absolute(folder.empty() ? fs::path(".") : folder).lexically_normal();
    const fs::path to = fs::absolute(file).lexically_normal();
    const fs::path relative = to.lexically_relative(from);
    return (relative.empty() ? to : relative).generic_string();
}

// Files are named where their ending tells how to read them. Where the model told by a content type, which
// scenes do not keep, what was read is written out.
void write_mesh(const MeshAsset& mesh, const WriteContext& context, XmlWriter& xml) {
    constexpr std::string_view inertias[] = {"legacy", "exact", "convex", "shell"};
    const MeshAsset usual;
    xml.open("mesh");
    xml.text("name", mesh.name);
    if (!mesh.mesh) {
        // Its file was not found or could not be used, as a warning has said. This one is not found, either.
        xml.word("file", mesh.name);
    } else if (context.names_files && mesh_format_of_ending(mesh.file)) {
        xml.word("file", path_text(mesh.file, context.folder));
    } else {
        static_assert(sizeof(Vec3d) == 3 * sizeof(double));
        const TriangleMesh& triangles = *mesh.mesh;
        if (!triangles.vertices.empty())
            xml.numbers("vertex", {&triangles.vertices[0].x, 3 * triangles.vertices.size()});
        if (!triangles.faces.empty())
            xml.integers("face", {triangles.faces[0].data(), 3 * triangles.faces.size()});
    }
    xml.numbers("scale", span_of(mesh.scale), span_of(usual.scale));
    xml.numbers("refpos", span_of(mesh.ref_pos), span_of(usual.ref_pos));
    xml.numbers("refquat", span_of(mesh.ref_quat), span_of(usual.ref_quat));
    if (mesh.inertia != usual.inertia) xml.word("inertia", inertias[static_cast<int>(mesh.inertia)]);
    xml.integer("maxhullvert", mesh.max_hull_vertices, usual.max_hull_vertices);
    xml.close();
}

void write_height_field(const HeightFieldAsset& field, const WriteContext& context, XmlWriter& xml) {
    xml.open("hfield");
    xml.text("name", field.name);
    const fs::path ending = fs::path(field.file).extension();
    const bool from_file = context.names_files && (ending == ".png" || ending == ".bin");
    if (!field.elevation) {
        xml.word("file", field.name);  // as for meshes
    } else if (from_file) {
        xml.word("file", path_text(field.file, context.folder));
    } else {
        xml.integers("nrow", {&field.rows, 1});
        xml.integers("ncol", {&field.columns, 1});
    }
    xml.numbers("size", field.size);
    if (!from_file && field.elevation) {
        // In the file the first row is the one of the largest y.
        std::vector<double> rows;
        const std::size_t columns = static_cast<std::size_t>(field.columns);
        for (std::size_t row = static_cast<std::size_t>(field.rows); row-- > 0;)
            rows.insert(rows.end(), field.elevation->begin() + row * columns,
                        field.elevation->begin() + (row + 1) * columns);
        xml.numbers("elevation", rows);
    }
    xml.close();
}

// A section with what `write` puts into it; nothing when that is nothing.
template <class Write>
std::string section(std::string_view name, Write write) {
    XmlWriter inside(2);
    write(inside);
    if (inside.is_empty()) return {};
    return "  <" + std::string(name) + ">\n" + inside.take() + "  </" + std::string(name) + ">\n";
}

}  // namespace

void write_assets(const WriteContext& context, XmlWriter& xml) {
    for (const MeshAsset& mesh : context.scene.meshes()) write_mesh(mesh, context, xml);
    for (const HeightFieldAsset& field : context.scene.height_fields())
        write_height_field(field, context, xml);
}

void write_keyframes(const WriteContext& context, XmlWriter& xml) {
    for (const KeyframeSpec& key : context.scene.keyframes()) {
        xml.open("key");
        xml.text("name", key.name);
        xml.number("time", key.time, 0);
        for (const KeyframeNumbers& part : keyframe_numbers)
            if (!(key.*part.numbers).empty()) xml.numbers(part.name, key.*part.numbers);
        xml.close();
    }
}

}  // namespace lig::io::mjcf

namespace lig {

namespace {

std::string write_document(io::mjcf::WriteContext context) {
    using namespace io::mjcf;
    using io::XmlWriter;
    const Scene& scene = context.scene;
    for (const Scene::Camera& camera : scene.cameras())
        if (camera.spec.target.index >= 0) context.names.to_refer(camera.spec.target);
    // Tendons name loops, and equalities, of which loops are some, name tendons.
    for (const TendonSpec& tendon : scene.tendons())
        for (const TendonSpec::JointTerm& term : tendon.joints)
            if (term.loop.index >= 0) context.names.to_refer(term.loop);

    const auto part = [&](std::string_view name, auto write) {
        return section(name, [&](XmlWriter& xml) { write(context, xml); });
    };
    const std::string sensors = part("sensor", write_sensors);
    const std::string actuators = part("actuator", write_actuators);
    const std::string equalities = part("equality", write_equalities);
    const std::string tendons = part("tendon", write_tendons);
    const std::string forces = part("force", write_forces);
    const std::string contacts = part("contact", write_contacts);

    XmlWriter settings(1);
    write_compiler(scene, settings);
    XmlWriter root;
    root.open("mujoco");
    root.text("model", scene.name);
    std::string text = root.take() + ">\n" + settings.take() + options_text(scene);
    text += part("asset", write_assets);
    text += part("worldbody", write_worldbody);
    text += contacts + tendons + equalities + forces + actuators + sensors;
    text += part("keyframe", write_keyframes);
    return text + "</mujoco>\n";
}

}  // namespace

std::string write_mjcf(const Scene& scene, const std::filesystem::path& folder) {
    using namespace io::mjcf;
    return write_document({scene, WrittenNames(scene), folder, aligns_all_free_joints(scene), true});
}

std::string write_self_contained_mjcf(const Scene& scene) {
    using namespace io::mjcf;
    return write_document({scene, WrittenNames(scene), {}, aligns_all_free_joints(scene), false});
}

void save_scene(const Scene& scene, const std::filesystem::path& file) {
    const io::Format* const format = io::format_of_ending(file);
    if (!format || !format->write)
        throw std::invalid_argument("lig::save_scene: '" + file.string() + "' names no format that can be " +
                                    "written");
    const std::string text = format->write(scene, file.parent_path());
    struct Close {
        void operator()(std::FILE* opened) const { std::fclose(opened); }
    };
    const auto failed = [&] { return std::system_error(errno, std::generic_category(), file.string()); };
    std::unique_ptr<std::FILE, Close> out(std::fopen(file.c_str(), "wb"));
    if (!out) throw failed();
    if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size()) throw failed();
    // A full disk may be noticed only when the file is closed.
    if (std::fclose(out.release()) != 0) throw failed();
}

}  // namespace lig
