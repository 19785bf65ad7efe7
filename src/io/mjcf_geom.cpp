// From the attributes of a geom to a GeomSpec: sizes, fromto, colour, mass, the frame it stands in.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "shapes/shape_mass.h"

namespace lig::io::mjcf {

namespace {

// A geom between two points takes its length and pose from them and its width from the first size.
void apply_fromto(ElementReader& in, const GeomFields& fields, GeomSpec& geom) {
    const double half = half_length(*fields.fromto);
    const bool across_two = geom.shape == ShapeType::ellipsoid || geom.shape == ShapeType::box;
    if (!across_two && geom.shape != ShapeType::capsule && geom.shape != ShapeType::cylinder) {
        in.log().report(codes::E087, in.where("fromto"),
                        in.label() +
                            ": 'fromto' is for capsules, cylinders, ellipsoids and boxes, not for a " +
                            std::string(shape_name(geom.shape)),
                        "give the type");
        return;
    }
    if (half < 1e-14) {
        in.log().report(codes::E087, in.where("fromto"),
                        in.label() + ": the two points of 'fromto' are the same");
        return;
    }
    geom.pose = pose_between(*fields.fromto);
    geom.size = across_two ? Vec3d{geom.size.x, geom.size.x, half} : Vec3d{geom.size.x, half, 0};
}

void check_asset(Context& context, ElementReader& in, const GeomFields& fields, GeomSpec& geom) {
    const bool field = geom.shape == ShapeType::heightfield;
    const char* const attribute = field ? "hfield" : "mesh";
    geom.mesh = field ? fields.hfield : fields.mesh;
    if (geom.mesh.empty())
        in.log().report(codes::E087, in.where(), in.label() + " is of type " + attribute + " but names none",
                        "add " + std::string(attribute) + "=\"…\"");
    else
        (field ? context.hfields : context.meshes).find(geom.mesh, in.where(attribute), in.log());
}

}  // namespace

GeomSpec make_geom(Context& context, ElementReader& in, const GeomFields& fields, const Pose& frame) {
    GeomSpec geom;
    geom.shape = fields.shape;
    geom.size = fields.size;
    geom.pose = to_pose(fields.pose, context.settings);
    geom.density = fields.density;
    geom.mass = fields.mass;
    geom.shell = fields.shell;
    geom.contype = fields.contype;
    geom.conaffinity = fields.conaffinity;
    geom.collides = fields.contype != 0 || fields.conaffinity != 0;
    geom.condim = fields.condim;
    geom.group = fields.group;
    geom.friction = fields.friction;
    geom.restitution = fields.restitution;
    geom.margin = fields.margin;
    geom.gap = fields.gap;
    geom.priority = fields.priority;
    geom.solmix = fields.solmix;
    geom.soft = fields.soft;
    if (fields.has_fluid_forces) geom.fluid = fields.fluid;
    geom.where = in.where();

    if (geom.shape == ShapeType::mesh || geom.shape == ShapeType::heightfield) {
        check_asset(context, in, fields, geom);
    } else if (!fields.mesh.empty()) {
        in.log().report(
            codes::U091, in.where("mesh"),
            in.label() + ": fitting a " + std::string(shape_name(geom.shape)) + " to a mesh is not supported",
            "give the sizes, or type=\"mesh\"");
    } else {
        if (fields.fromto) apply_fromto(in, fields, geom);
        if (const auto trouble = shape_size_error(geom.shape, geom.size))
            in.log().report(codes::E087, in.where("size"), in.label() + ": " + *trouble,
                            in.has("size") ? "" : "add size=\"…\"");
    }
    geom.pose = compose(frame, geom.pose);

    if (!fields.material.empty()) {
        const int material = context.materials.find(fields.material, in.where("material"), in.log());
        if (material >= 0) geom.rgba = context.material_colours[material];
    }
    if (fields.rgba) geom.rgba = *fields.rgba;

    const Settings& settings = context.settings;
    if (fields.group < settings.first_inertia_group || fields.group > settings.last_inertia_group)
        geom.mass = 0;
    return geom;
}

}  // namespace lig::io::mjcf
