// <link>: mass and shapes.
//
// A link without <inertial> is given zero mass rather than none: in URDF a shape never gives inertia.

#include "core/diagnostic_codes.h"
#include "core/suggest.h"
#include "io/urdf_parts.h"

#include <algorithm>

namespace lig::io::urdf {

namespace {

// MJCF's habit, which viewers know: group 0 collides, group 1 is there to be seen.
constexpr int collision_group = 0;
constexpr int visual_group = 1;

InertialSpec read_inertial(Reading& reading, pugi::xml_node link) {
    InertialSpec inertial;
    inertial.where = reading.source.locate(link);
    const pugi::xml_node node = only_child(reading, link, "inertial");
    if (!node) return inertial;
    ElementReader element = reading.element(node);
    inertial.where = element.where();
    inertial.frame = read_origin(reading, node);

    const std::string owner = reading.element(link).label();
    if (const pugi::xml_node mass_node = only_child(reading, node, "mass")) {
        ElementReader mass = reading.element(mass_node);
        inertial.mass = mass.required_number("value");
        mass.warn_unknown();
        check_children(reading, mass, {});
    } else {
        reading.log.report(codes::E009, element.where(), "<inertial> of " + owner + " has no <mass>",
                           "add <mass value=\"…\"/>, or remove <inertial> for a link without mass");
    }
    if (const pugi::xml_node inertia_node = only_child(reading, node, "inertia")) {
        ElementReader inertia = reading.element(inertia_node);
        inertial.inertia = {inertia.required_number("ixx"), inertia.required_number("iyy"),
                            inertia.required_number("izz"), inertia.number_or("ixy", 0),
                            inertia.number_or("ixz", 0), inertia.number_or("iyz", 0)};
        inertia.warn_unknown();
        check_children(reading, inertia, {});
    } else {
        reading.log.report(codes::E009, element.where(), "<inertial> of " + owner + " has no <inertia>",
                           "add <inertia ixx=\"…\" iyy=\"…\" izz=\"…\"/>");
    }
    element.warn_unknown();
    constexpr std::string_view known[] = {"origin", "mass", "inertia"};
    check_children(reading, element, known);
    return inertial;
}

// A size that must not be negative. Zero is tolerated here: exporters write it for links without a shape.
double read_size(Reading& reading, ElementReader& shape, const char* attribute) {
    const double value = shape.required_number(attribute);
    if (value < 0)
        reading.log.report(codes::E006, shape.where(attribute),
                           "attribute '" + std::string(attribute) + "' of " + shape.label() + " is negative");
    return value;
}

// Fills shape, size and mesh of `geom`; false when there is nothing to add.
bool read_shape(Reading& reading, ElementReader& shape, GeomSpec& geom) {
    const std::string_view kind = shape.name();
    bool has_extent = true;
    if (kind == "box") {
        if (!shape.has("size")) shape.required_text("size");
        const Vec3d full = shape.vec3_or("size", {1, 1, 1});
        if (std::min({full.x, full.y, full.z}) < 0)
            reading.log.report(codes::E006, shape.where("size"), "attribute 'size' of <box> is negative");
        geom.shape = ShapeType::box;
        geom.size = 0.5 * full;
        has_extent = full.x != 0 && full.y != 0 && full.z != 0;
    } else if (kind == "sphere") {
        geom.shape = ShapeType::sphere;
        geom.size = {read_size(reading, shape, "radius"), 0, 0};
        has_extent = geom.size.x != 0;
    } else if (kind == "cylinder" || kind == "capsule") {
        geom.shape = kind == "cylinder" ? ShapeType::cylinder : ShapeType::capsule;
        const double radius = read_size(reading, shape, "radius");
        const double length = read_size(reading, shape, "length");
        geom.size = {radius, length / 2, 0};
        // A capsule without length is a sphere; compile gets it as such.
        if (kind == "capsule" && length == 0) geom.shape = ShapeType::sphere, geom.size.y = 0;
        has_extent = radius != 0 && (length != 0 || kind == "capsule");
    } else {
        geom.shape = ShapeType::mesh;
        const std::string file = shape.required_text("filename");
        const Vec3d scale = shape.vec3_or("scale", {1, 1, 1});
        has_extent = scale.x != 0 && scale.y != 0 && scale.z != 0;
        if (has_extent && !file.empty()) geom.mesh = reading.meshes.add(file, scale, shape.where("filename"));
    }
    shape.warn_unknown();
    check_children(reading, shape, {});
    if (!has_extent)
        reading.log.report(codes::W076, shape.where(), shape.label() + " has no extent and was left out",
                           "give it a size above zero");
    return has_extent;
}

bool read_geometry(Reading& reading, pugi::xml_node owner, GeomSpec& geom) {
    constexpr std::string_view shapes[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    const pugi::xml_node node = only_child(reading, owner, "geometry");
    if (!node) {
        reading.log.report(codes::E009, reading.source.locate(owner),
                           reading.element(owner).label() + " has no <geometry>",
                           "add <geometry> with one of box, cylinder, sphere, capsule, mesh");
        return false;
    }
    ElementReader geometry = reading.element(node);
    bool found = false, usable = false;
    for (const pugi::xml_node child : node.children()) {
        if (std::find(std::begin(shapes), std::end(shapes), child.name()) == std::end(shapes)) continue;
        ElementReader shape = reading.element(child);
        if (found) {
            reading.log.report(codes::W011, shape.where(), "a second shape inside <geometry> was not read",
                               "give each shape a " + std::string(owner.name()) + " of its own");
            continue;
        }
        found = true;
        usable = read_shape(reading, shape, geom);
    }
    geometry.warn_unknown();
    check_children(reading, geometry, shapes);
    if (!found)
        reading.log.report(codes::E009, geometry.where(), "<geometry> has no shape",
                           "add one of box, cylinder, sphere, capsule, mesh");
    return usable;
}

std::optional<Colour> read_colour(Reading& reading, pugi::xml_node material) {
    const pugi::xml_node node = only_child(reading, material, "color");
    if (!node) return {};
    ElementReader colour = reading.element(node);
    if (!colour.has("rgba")) colour.required_text("rgba");
    const std::optional<std::vector<double>> values = colour.numbers("rgba", 4, 4);
    colour.warn_unknown();
    check_children(reading, colour, {});
    if (!values) return {};
    return Colour{(*values)[0], (*values)[1], (*values)[2], (*values)[3]};
}

void check_material(Reading& reading, ElementReader& material) {
    constexpr std::string_view known[] = {"color", "texture"};
    material.ignore({"name"});
    material.warn_unknown();
    // Exporters write <texture filename=""/> when there is none.
    const pugi::xml_node texture = material.node().child("texture");
    const bool has_texture = *texture.attribute("filename").value() != '\0';
    check_children(reading, material, std::span(known, has_texture ? 1 : 2));
}

// A colour of its own, or that of the material it names.
void apply_material(Reading& reading, pugi::xml_node owner, GeomSpec& geom) {
    const pugi::xml_node node = only_child(reading, owner, "material");
    if (!node) return;
    ElementReader material = reading.element(node);
    check_material(reading, material);
    const std::string name = material.text_or("name", "");
    if (const std::optional<Colour> colour = read_colour(reading, node)) {
        geom.rgba = *colour;
        reading.materials.try_emplace(name, *colour);  // later links may refer to it
        return;
    }
    if (node.child("color") || node.child("texture")) return;
    if (const auto found = reading.materials.find(name); found != reading.materials.end()) {
        geom.rgba = found->second;
        return;
    }
    std::vector<std::string_view> choices;
    for (const auto& entry : reading.materials) choices.push_back(entry.first);
    std::sort(choices.begin(), choices.end());  // the suggestion must not depend on the table's order
    const std::string_view near = nearest(name, choices);
    reading.log.report(
        codes::W075, material.where("name"), "there is no material '" + name + "'",
        near.empty() ? "define it with <color rgba=\"…\"/>" : "did you mean '" + std::string(near) + "'?");
}

void read_geoms(Reading& reading, pugi::xml_node link, const char* kind, std::vector<GeomSpec>& geoms) {
    const bool is_visual = std::string_view(kind) == "visual";
    for (const pugi::xml_node node : link.children(kind)) {
        ElementReader element = reading.element(node);
        GeomSpec geom;
        geom.where = element.where();
        geom.pose = read_origin(reading, node);
        geom.group = collision_group;
        if (is_visual) {
            geom.group = visual_group;
            geom.collides = false;
            geom.contype = geom.conaffinity = 0;
        }
        apply_material(reading, node, geom);  // the specification colours visuals only, exporters both
        // These names need not be unique in URDF, but ours are: the first of a name keeps it.
        const std::string name = element.text_or("name", "");
        if (!name.empty() && reading.geom_names.insert(name).second) geom.name = name;
        const bool usable = read_geometry(reading, node, geom);
        element.warn_unknown();
        constexpr std::string_view known[] = {"origin", "geometry", "material"};
        check_children(reading, element, known);
        if (usable) geoms.push_back(std::move(geom));
    }
}

}  // namespace

void read_materials(Reading& reading, pugi::xml_node robot) {
    for (const pugi::xml_node node : robot.children("material")) {
        ElementReader material = reading.element(node);
        const std::string name = material.required_text("name");
        check_material(reading, material);
        const std::optional<Colour> colour = read_colour(reading, node);
        // One that is only a texture is known, but has no colour to give.
        if (!name.empty() && !reading.materials.try_emplace(name, colour.value_or(GeomSpec().rgba)).second)
            reading.log.report(codes::E068, material.where("name"), "there are two materials '" + name + "'",
                               "rename or remove one");
    }
}

Link read_link(Reading& reading, pugi::xml_node node) {
    ElementReader element = reading.element(node);
    Link link;
    link.where = element.where();
    link.name = element.required_text("name");
    link.inertial = read_inertial(reading, node);
    read_geoms(reading, node, "collision", link.geoms);
    read_geoms(reading, node, "visual", link.geoms);
    element.warn_unknown();
    constexpr std::string_view known[] = {"inertial", "visual", "collision"};
    check_children(reading, element, known);
    return link;
}

}  // namespace lig::io::urdf
