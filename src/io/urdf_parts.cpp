#include "io/urdf_parts.h"

#include "core/diagnostic_codes.h"
#include "core/unit_quaternion.h"
#include "io/mesh_file.h"

#include <algorithm>
#include <cmath>

namespace lig::io::urdf {

namespace {

constexpr std::string_view extension_elements[] = {
    "transmission",
    "gazebo",
    "sensor",
    "ros2_control",
    "mujoco",
    "contact",
    "texture",
    "collision_checking",
    "self_collision_checking",
};

bool is_xacro(std::string_view element) { return element.starts_with("xacro:"); }

}  // namespace

// Extrinsic rotations about x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll).
Quatd quaternion_from_rpy(const Vec3d& rpy) {
    const Quatd roll{std::cos(rpy.x / 2), std::sin(rpy.x / 2), 0, 0};
    const Quatd pitch{std::cos(rpy.y / 2), 0, std::sin(rpy.y / 2), 0};
    const Quatd yaw{std::cos(rpy.z / 2), 0, 0, std::sin(rpy.z / 2)};
    return unit_quaternion(yaw * pitch * roll);
}

bool Extensions::is_extension(std::string_view element) {
    // A prefix such as drake: says whose element it is.
    if (element.find(':') != element.npos) return !is_xacro(element);
    return std::find(std::begin(extension_elements), std::end(extension_elements), element) !=
           std::end(extension_elements);
}

void Extensions::note(std::string_view element, SourceLocation where) {
    const auto [entry, is_new] = index_.try_emplace(std::string(element), kinds_.size());
    if (is_new) kinds_.push_back({entry->first, std::move(where), 0});
    ++kinds_[entry->second].count;
}

void Extensions::report(Diagnostics& log) const {
    for (const Kind& kind : kinds_) {
        std::string message = "<" + kind.element + "> belongs to an extension and was not read";
        if (kind.count > 1) message += "; the file has " + std::to_string(kind.count) + " of them";
        log.report(codes::W062, kind.first, std::move(message));
    }
}

std::string MeshTable::add(const std::string& uri, Vec3d scale, const SourceLocation& where) {
    const auto [entry, is_new] =
        by_content_.try_emplace({uri, std::array<double, 3>{scale.x, scale.y, scale.z}}, assets_.size());
    if (!is_new) return assets_[entry->second].name;

    const File& file = locate(uri, where);
    const std::size_t slash = uri.find_last_of("/\\");
    const std::string stem =
        std::filesystem::path(slash == uri.npos ? uri : uri.substr(slash + 1)).stem().string();
    std::string name = stem;
    for (int i = 2; !names_.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
    assets_.push_back({.name = name, .file = file.path, .scale = scale, .mesh = file.mesh, .where = where});
    return name;
}

// What cannot be read is left out with a warning: masses are written in the file, so nothing that is computed
// depends on it.
std::shared_ptr<const TriangleMesh> MeshTable::load(const std::string& path, const SourceLocation& where) {
    if (!mesh_format_of_ending(path)) {
        const std::string ending = std::filesystem::path(path).extension().string();
        if (unread_endings_.insert(ending).second)
            log_.report(codes::W102, where,
                        "meshes in '" + ending + "' files are not read; this is the first of them",
                        "STL, OBJ and glTF are read");
        return nullptr;
    }
    MeshResult result = load_mesh_file(path);
    if (const FileFault* fault = std::get_if<FileFault>(&result)) {
        log_.report(codes::W102, where, fault->message(path), fault->hint);
        return nullptr;
    }
    return std::make_shared<const TriangleMesh>(std::move(std::get<TriangleMesh>(result)));
}

const MeshTable::File& MeshTable::locate(const std::string& uri, const SourceLocation& where) {
    const auto [entry, is_new] = files_.try_emplace(uri);
    if (!is_new) return entry->second;
    const FileSearch search = paths_.find(uri);
    entry->second.path = search.found.string();
    if (!search.found.empty()) {
        entry->second.mesh = load(entry->second.path, where);
    } else {
        std::string places;
        for (const std::string& place : search.tried) places += (places.empty() ? "" : ", ") + place;
        log_.report(codes::W012, where, "the mesh '" + uri + "' was not found; tried: " + places,
                    uri.starts_with("package://")
                        ? "give the folder that holds the package as a package path or in ROS_PACKAGE_PATH"
                        : "relative paths start from the folder of the model");
    }
    return entry->second;
}

pugi::xml_node only_child(Reading& reading, pugi::xml_node parent, const char* name) {
    const pugi::xml_node first = parent.child(name);
    for (pugi::xml_node more = first.next_sibling(name); more; more = more.next_sibling(name))
        reading.log.report(codes::W011, reading.source.locate(more),
                           "a second <" + std::string(name) + "> inside " + reading.element(parent).label() +
                               " was not read",
                           "remove one of them");
    return first;
}

namespace {

// What Gazebo's extension says about joints of the robot is read as loops.
bool holds_only_loops(pugi::xml_node extension) {
    if (std::string_view(extension.name()) != "gazebo" || !extension.child("joint")) return false;
    for (const pugi::xml_node part : extension.children())
        if (part.type() == pugi::node_element && std::string_view(part.name()) != "joint") return false;
    return extension.parent().parent() == extension.root();
}

}  // namespace

void check_children(Reading& reading, ElementReader& parent, std::span<const std::string_view> known) {
    std::vector<std::string_view> expected(known.begin(), known.end());
    for (const pugi::xml_node child : parent.node().children()) {
        const std::string_view name = child.name();
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
        if (is_known || child.type() != pugi::node_element) continue;
        if (Extensions::is_extension(name) && !holds_only_loops(child))
            reading.extensions.note(name, reading.source.locate(child));
        // What xacro left over has its own message.
        if ((Extensions::is_extension(name) || is_xacro(name)) &&
            std::find(expected.begin(), expected.end(), name) == expected.end())
            expected.push_back(name);
    }
    parent.warn_unknown_children(expected);
}

Pose read_origin(Reading& reading, pugi::xml_node parent) {
    const pugi::xml_node node = only_child(reading, parent, "origin");
    if (!node) return {};
    ElementReader origin = reading.element(node);
    const Pose pose = read_pose(reading, origin);
    origin.warn_unknown();
    check_children(reading, origin, {});
    return pose;
}

Pose read_pose(Reading& reading, ElementReader& origin) {
    Pose pose;
    pose.pos = origin.vec3_or("xyz", {0, 0, 0});
    if (const std::optional<Vec3d> rpy = origin.vec3("rpy")) pose.quat = quaternion_from_rpy(*rpy);
    if (const std::optional<std::vector<double>> q = origin.numbers("quat_xyzw", 4, 4)) {
        const Quatd quat{(*q)[3], (*q)[0], (*q)[1], (*q)[2]};
        if (origin.has("rpy"))
            reading.log.report(codes::E014, origin.where("quat_xyzw"),
                               origin.label() + " has both 'rpy' and 'quat_xyzw'", "keep one of them");
        else if (dot(quat, quat) == 0)
            reading.log.report(codes::E006, origin.where("quat_xyzw"),
                               "attribute 'quat_xyzw' of " + origin.label() + " is zero and no rotation",
                               "no rotation is \"0 0 0 1\"");
        else
            pose.quat = quat;
    }
    return pose;
}

bool reject_xacro(Reading& reading, pugi::xml_node robot) {
    constexpr std::string_view definitions[] = {"xacro:property", "xacro:arg", "xacro:macro"};
    const std::string hint = "run xacro first: xacro model.urdf.xacro > model.urdf";
    int uses = 0;
    SourceLocation first;
    const auto note = [&](SourceLocation where) {
        if (uses++ == 0) first = std::move(where);
    };
    // Depth first along parent pointers; what stands inside definitions and extensions does not matter.
    for (pugi::xml_node node = robot; node;) {
        const std::string_view name = node.name();
        const bool is_definition =
            std::find(std::begin(definitions), std::end(definitions), name) != std::end(definitions);
        if (is_definition)
            reading.log.report(codes::W061, reading.source.locate(node),
                               "<" + std::string(name) + "> is a definition of xacro and was not read", hint);
        else if (is_xacro(name))
            note(reading.source.locate(node));
        const bool enter = !is_xacro(name) && !(node != robot && Extensions::is_extension(name));
        if (enter)
            for (const pugi::xml_attribute attribute : node.attributes()) {
                const std::string_view value = attribute.value();
                const std::size_t at = std::min(value.find("${"), value.find("$("));
                if (at != value.npos) note(reading.source.locate(attribute, at));
            }
        pugi::xml_node next = enter ? node.first_child() : pugi::xml_node();
        while (!next && node && node != robot) {
            next = node.next_sibling();
            if (!next) node = node.parent();
        }
        node = next;
    }
    if (uses == 0) return false;
    reading.log.report(codes::E060, first,
                       "this is a source of xacro, not a URDF: " + std::to_string(uses) +
                           (uses == 1 ? " element or value is" : " elements or values are") +
                           " still to be expanded",
                       hint);
    return true;
}

}  // namespace lig::io::urdf
