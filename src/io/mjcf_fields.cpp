#include "io/mjcf_fields.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_values.h"
#include "joints/joint_list.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_list.h"

#include <cmath>
#include <vector>

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

// Of sites: shapes that have an inside, by their sizes alone.
struct SiteShapes {
    SiteShapes() {
        for (const ShapeType shape : all_shapes) {
            if (!is_convex(shape) || shape_size_count(shape) == 0) continue;
            types.push_back(shape);
            words.push_back(shape_name(shape));
        }
    }
    std::vector<ShapeType> types;
    std::vector<std::string_view> words;
};

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

// A linear coefficient, not negative, and up to two of higher order.
void read_coefficients(ElementReader& in, const char* attribute, std::array<double, 3>& target) {
    const auto numbers = in.numbers(attribute, 1, 3);
    if (!numbers) return;
    if (numbers->front() < 0)
        in.log().report(
            codes::E006, in.where(attribute),
            "attribute '" + std::string(attribute) + "' of " + in.label() + " must not be negative");
    else
        assign_first(target, numbers);
}

void refuse_unless_zero(ElementReader& in, const char* attribute, int most) {
    const auto numbers = in.numbers(attribute, 1, most);
    if (numbers && std::any_of(numbers->begin(), numbers->end(), [](double value) { return value != 0; }))
        in.log().report(codes::U130, in.where(attribute),
                        in.label() + ": '" + attribute + "' is not supported", "remove it");
}

void read_fluid(ElementReader& in, GeomFields& fields) {
    static constexpr std::string_view words[] = {"none", "ellipsoid"};
    if (const auto word = in.choice("fluidshape", words)) fields.has_fluid_forces = *word == 1;
    const auto numbers = in.numbers("fluidcoef", 1, 5);
    if (!numbers) return;
    FluidSpec& fluid = fields.fluid;
    double* const targets[] = {&fluid.blunt_drag, &fluid.slender_drag, &fluid.angular_drag, &fluid.kutta_lift,
                               &fluid.magnus_lift};
    for (std::size_t i = 0; i < numbers->size(); ++i) *targets[i] = (*numbers)[i];
}

void read_pair(ElementReader& in, const char* attribute, std::array<int, 2>& target) {
    const auto numbers = in.numbers(attribute, 2, 2);
    if (!numbers) return;
    for (int i = 0; i < 2; ++i) {
        const double value = (*numbers)[i];
        if (value < 1 || value != std::floor(value) || value > 1e6) {
            in.log().report(codes::E006, in.where(attribute),
                            "attribute '" + std::string(attribute) + "' of " + in.label() +
                                " must hold two positive whole numbers, at most a million");
            return;
        }
        target[i] = static_cast<int>(value);
    }
}

}  // namespace

void read_joint_fields(ElementReader& in, JointFields& fields, NotRead&) {
    if (const auto word = in.choice("type", joint_kinds.words)) fields.type = joint_kinds.types[*word];
    assign(fields.pos, in.vec3("pos"));
    read_axis(in, "axis", fields.axis);
    read_axis(in, "axis2", fields.axis2);
    assign(fields.pitch, in.number("pitch"));
    assign(fields.velocity_limit, non_negative(in, "velocitylimit"));
    read_limited(in, "limited", fields.limited);
    if (auto range = in.numbers("range", 2, 6)) {
        // Zeros say that there is none, as in read_range.
        const bool none = fields.limited != Limited::yes &&
                          std::all_of(range->begin(), range->end(), [](double end) { return end == 0; });
        fields.range = none ? std::nullopt : std::move(range);
    }
    read_range(in, "actuatorfrclimited", "actuatorfrcrange", fields.force);
    assign(fields.cone, non_negative(in, "cone"));
    assign(fields.swing, non_negative(in, "swing"));
    read_array(in, "twist", fields.twist);
    assign(fields.ref, in.number("ref"));
    assign(fields.springref, in.number("springref"));
    assign(fields.margin, in.number("margin"));
    read_coefficients(in, "stiffness", fields.stiffness);
    read_coefficients(in, "damping", fields.damping);
    assign(fields.axis_stiffness, in.vec3("axisstiffness"));
    read_frame_quat(in, "stiffnessaxes", fields.stiffness_axes);
    if (const auto spring = in.numbers("springdamper", 2, 2)) {
        fields.springdamper = {(*spring)[0], (*spring)[1]};
        const bool none = (*spring)[0] == 0 && (*spring)[1] == 0;
        if (!none && ((*spring)[0] <= 0 || (*spring)[1] <= 0))
            in.log().report(codes::E006, in.where("springdamper"),
                            in.label() + ": time constant and damping ratio must both be positive");
    }
    assign(fields.armature, non_negative(in, "armature"));
    assign(fields.frictionloss, non_negative(in, "frictionloss"));
    assign(fields.actuators_carry_gravity, in.boolean("actuatorgravcomp"));
    read_softness(in, "solreflimit", "solimplimit", fields.soft_limit);
    read_softness(in, "solreffriction", "solimpfriction", fields.soft_friction);
    assign(fields.group, integer(in, "group"));
    in.ignore({"user"});
}

void read_geom_fields(ElementReader& in, GeomFields& fields, NotRead&) {
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

    assign(fields.fit_scale, in.number("fitscale"));
    assign(fields.gap, in.number("gap"));
    assign(fields.adhesion, non_negative(in, "adhesion"));
    assign(fields.priority, integer(in, "priority"));
    assign(fields.solmix, in.number("solmix"));
    assign(fields.restitution, non_negative(in, "restitution"));
    read_softness(in, "solref", "solimp", fields.soft);
    read_fluid(in, fields);
    refuse_unless_zero(in, "surfacevel", 6);
    in.ignore({"user"});
}

void read_site_fields(ElementReader& in, SiteFields& fields, NotRead&) {
    read_pose(in, fields.pose);
    read_array(in, "fromto", fields.fromto);
    static const SiteShapes shapes;
    if (const auto word = in.choice("type", shapes.words)) fields.shape = shapes.types[*word];
    assign_first(fields.size, in.numbers("size", 1, 3));
    assign(fields.group, integer(in, "group"));
    read_array(in, "rgba", fields.rgba);
    assign(fields.material, in.text("material"));
    in.ignore({"user"});
}

void read_camera_fields(ElementReader& in, CameraFields& fields) {
    static constexpr std::string_view modes[] = {"fixed", "track", "trackcom", "targetbody", "targetbodycom"};
    static constexpr std::string_view projections[] = {"perspective", "orthographic"};
    read_pose(in, fields.pose);
    if (const auto word = in.choice("mode", modes)) fields.mode = static_cast<CameraMode>(*word);
    if (const auto word = in.choice("projection", projections)) fields.orthographic = *word == 1;
    assign(fields.fovy, in.number("fovy"));
    read_pair(in, "resolution", fields.resolution);
    assign_first(fields.sensor_size, in.numbers("sensorsize", 2, 2));
    read_array(in, "focal", fields.focal);
    read_array(in, "focalpixel", fields.focal_pixel);
    read_array(in, "principal", fields.principal);
    read_array(in, "principalpixel", fields.principal_pixel);
    in.ignore({"ipd", "output", "user"});  // for drawing and the user
}

void read_light(ElementReader& in) {
    in.ignore({"name", "class", "directional", "type", "castshadow", "active", "pos", "dir", "bulbradius",
               "intensity", "range", "attenuation", "cutoff", "softness", "exponent", "ambient", "diffuse",
               "specular", "mode", "target", "texture"});
}

void read_mesh_fields(ElementReader& in, MeshFields& fields, NotRead&) {
    static constexpr std::string_view kinds[] = {"legacy", "exact", "convex", "shell"};
    static_assert(static_cast<int>(MeshInertia::shell) == 3, "the words follow the order of MeshInertia");
    assign(fields.content_type, in.text("content_type"));
    assign(fields.scale, in.vec3("scale"));
    assign(fields.ref_pos, in.vec3("refpos"));
    if (const auto q = in.numbers("refquat", 4, 4)) {
        fields.ref_quat = {(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
        if (!(dot(fields.ref_quat, fields.ref_quat) > 1e-20)) {
            in.log().report(codes::E083, in.where("refquat"), in.label() + ": 'refquat' has no length",
                            "write 1 0 0 0 for no rotation");
            fields.ref_quat = {1, 0, 0, 0};
        }
    }
    if (const auto kind = in.choice("inertia", kinds)) fields.inertia = static_cast<MeshInertia>(*kind);
    if (const auto most = integer(in, "maxhullvert")) {
        if (*most == -1 || *most > 3)
            fields.max_hull_vertices = *most;
        else
            in.log().report(codes::E006, in.where("maxhullvert"),
                            in.label() + ": 'maxhullvert' must be larger than 3",
                            "or -1 for no limit");
    }
    // For drawing, and for signed distance fields.
    in.ignore({"smoothnormal", "material", "needsdf", "octree_maxdepth"});
}

void read_material_fields(ElementReader& in, MaterialFields& fields, NotRead&) {
    assign_first(fields.rgba, in.numbers("rgba", 4, 4));
    in.ignore({"texture", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance",
               "metallic", "roughness"});
}

void read_equality_fields(ElementReader& in, EqualityFields& fields, NotRead&) {
    assign(fields.active, in.boolean("active"));
    read_softness(in, "solref", "solimp", fields.soft);
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
