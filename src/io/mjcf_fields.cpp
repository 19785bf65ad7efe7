#include "io/mjcf_fields.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_values.h"
#include "joints/joint_list.h"
#include "shapes/shape_list.h"

#include <cmath>

namespace lig::io::mjcf {

namespace {

// The kinds of MJCF and our own; a fixed joint is a body without joints.
constexpr joints::JointWords joint_kinds = joints::joint_words_except(JointType::fixed);

std::array<std::string_view, shape_count> shape_words() {
    std::array<std::string_view, shape_count> words;
    for (const ShapeType shape : all_shapes)
        words[static_cast<int>(shape)] = shape == ShapeType::heightfield ? "hfield" : shape_name(shape);
    return words;
}

void read_axis(ElementReader& in, const char* attribute, Vec3d& axis) {
    const std::optional<Vec3d> value = in.vec3(attribute);
    if (!value) return;
    if (std::hypot(value->x, value->y, value->z) < 1e-14)
        in.log().report(
            codes::E083, in.where(attribute),
            "attribute '" + std::string(attribute) + "' of " + in.label() + ": the axis has no length");
    else
        axis = *value;
}

void note_unless_zero(ElementReader& in, NotRead& notes, std::initializer_list<const char*> attributes) {
    for (const char* attribute : attributes)
        if (in.number_or(attribute, 0) != 0) notes.attribute(attribute, in.name(), in.where(attribute));
}

}  // namespace

void read_joint_fields(ElementReader& in, JointFields& fields, NotRead& notes) {
    if (const auto word = in.choice("type", joint_kinds.words)) fields.type = joint_kinds.types[*word];
    assign(fields.pos, in.vec3("pos"));
    read_axis(in, "axis", fields.axis);
    read_axis(in, "axis2", fields.axis2);
    assign(fields.pitch, in.number("pitch"));
    read_limited(in, "limited", fields.limited);
    if (auto range = in.numbers("range", 2, 6)) fields.range = std::move(range);
    read_limited(in, "actuatorfrclimited", fields.force_limited);
    read_array(in, "actuatorfrcrange", fields.force_range);
    assign(fields.ref, in.number("ref"));
    assign(fields.springref, in.number("springref"));
    assign(fields.stiffness, non_negative(in, "stiffness"));
    assign(fields.damping, non_negative(in, "damping"));
    assign(fields.armature, non_negative(in, "armature"));
    assign(fields.frictionloss, non_negative(in, "frictionloss"));

    note_unless_zero(in, notes, {"margin"});
    if (in.has("springdamper")) notes.attribute("springdamper", in.name(), in.where("springdamper"));
    if (in.boolean("actuatorgravcomp").value_or(false))
        notes.attribute("actuatorgravcomp", in.name(), in.where("actuatorgravcomp"));
    // MuJoCo's soft constraints; hard ones have no use for them.
    in.ignore({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "group", "user"});
}

void read_geom_fields(ElementReader& in, GeomFields& fields, NotRead& notes) {
    static const auto words = shape_words();
    if (in.text_or("type", "") == "sdf")
        in.log().report(codes::U091, in.where("type"), "geoms of type 'sdf' are not supported");
    else if (const auto word = in.choice("type", words))
        fields.shape = static_cast<ShapeType>(*word);
    assign_first(fields.size, in.numbers("size", 1, 3));
    read_pose(in, fields.pose);
    read_array(in, "fromto", fields.fromto);
    assign(fields.mass, non_negative(in, "mass"));
    assign(fields.density, non_negative(in, "density"));
    assign(fields.shell, in.boolean("shellinertia"));
    assign(fields.contype, integer(in, "contype"));
    assign(fields.conaffinity, integer(in, "conaffinity"));
    assign(fields.group, integer(in, "group"));
    assign(fields.condim, contact_dimension(in));
    assign_first(fields.friction, in.numbers("friction", 1, 3));
    assign(fields.margin, in.number("margin"));
    read_array(in, "rgba", fields.rgba);
    assign(fields.mesh, in.text("mesh"));
    assign(fields.hfield, in.text("hfield"));
    assign(fields.material, in.text("material"));

    note_unless_zero(in, notes, {"gap", "priority"});
    if (in.text_or("fluidshape", "none") != "none")
        notes.attribute("fluidshape", in.name(), in.where("fluidshape"));
    in.ignore({"solmix", "solref", "solimp", "fitscale", "fluidcoef", "user"});
}

void read_site_fields(ElementReader& in, SiteFields& fields, NotRead&) {
    read_pose(in, fields.pose);
    read_array(in, "fromto", fields.fromto);
    in.ignore({"type", "size", "group", "material", "rgba", "user"});
}

void read_mesh_fields(ElementReader& in, MeshFields& fields, NotRead& notes) {
    assign(fields.scale, in.vec3("scale"));
    for (const char* attribute : {"refpos", "refquat"})
        if (in.has(attribute)) notes.attribute(attribute, in.name(), in.where(attribute));
    in.ignore(
        {"content_type", "inertia", "smoothnormal", "maxhullvert", "material", "needsdf", "octree_maxdepth"});
}

void read_material_fields(ElementReader& in, MaterialFields& fields, NotRead&) {
    assign_first(fields.rgba, in.numbers("rgba", 4, 4));
    in.ignore({"texture", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance",
               "metallic", "roughness"});
}

void read_equality_fields(ElementReader& in, EqualityFields& fields, NotRead&) {
    assign(fields.active, in.boolean("active"));
    in.ignore({"solref", "solimp"});
}

// z points from the second point to the first: that is how MuJoCo orients such geoms and sites, although its
// manual says the opposite.
Pose pose_between(const std::array<double, 6>& fromto) {
    const Vec3d from{fromto[0], fromto[1], fromto[2]}, to{fromto[3], fromto[4], fromto[5]};
    return {0.5 * (from + to), quaternion_of_z(from - to)};
}

double half_length(const std::array<double, 6>& fromto) {
    return std::hypot(fromto[3] - fromto[0], fromto[4] - fromto[1], fromto[5] - fromto[2]) / 2;
}

}  // namespace lig::io::mjcf
