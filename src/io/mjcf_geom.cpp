// From the attributes of a geom to a GeomSpec: sizes, fromto, colour, mass, the frame it stands in.

#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "geometry/mesh_fit.h"
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
    if (geom.mesh.empty()) {
        const bool surface = geom.shape == ShapeType::trimesh;
        const std::string type =
            surface ? "trimesh but names no mesh" : attribute + std::string(" but names none");
        in.log().report(codes::E087, in.where(), in.label() + " is of type " + type,
                        "add " + std::string(attribute) + "=\"…\"");
        return;
    }
    const int asset =
        (field ? context.hfields : context.meshes).find(geom.mesh, in.where(attribute), in.log());
    if (field && asset >= 0) {
        // What it weighs, should anybody ask: a box of half its mean height and its base, as in MuJoCo.
        const std::array<double, 4>& size = context.scene.height_fields()[asset].size;
        geom.size = {size[0], size[1], 0.25 * size[2] + 0.5 * size[3]};
    }
    if (geom.shape == ShapeType::mesh && fields.shell)
        in.log().report(codes::E088, in.where("shellinertia"),
                        in.label() + ": the mass of a mesh is on its surface when the mesh says so",
                        "write inertia=\"shell\" in the <mesh>");
}

// A primitive with a mesh takes its sizes from it, and its pose too.
void fit_to_mesh(Context& context, ElementReader& in, const GeomFields& fields, GeomSpec& geom) {
    if (fields.fromto) {
        in.log().report(codes::E014, in.where(in.has("fromto") ? "fromto" : "mesh"),
                        in.label() + ": 'fromto' and 'mesh' both tell its size", "remove one of them");
        return;
    }
    const int index = context.meshes.find(fields.mesh, in.where("mesh"), in.log());
    if (index < 0) return;
    const MeshAsset& asset = context.scene.meshes()[index];
    const std::string who = in.label() + " is fitted to mesh '" + asset.name + "'";
    if (!asset.mesh) {
        // When the file was found, what is wrong with the mesh has been said.
        if (asset.file.empty() && context.absent_meshes.contains(index))
            in.log().report(codes::E100, in.where("mesh"), who + ", whose file was not found",
                            "provide the file, or give the sizes");
        return;
    }
    auto known = context.mesh_bodies.find(index);
    if (known == context.mesh_bodies.end())
        known = context.mesh_bodies.emplace(index, geometry::mesh_body(asset)).first;
    if (const auto* fault = std::get_if<geometry::MeshFault>(&known->second)) {
        in.log().report(codes::E103, in.where("mesh"), who + ", but " + fault->what(), fault->hint());
        return;
    }
    const auto fitted =
        geometry::fit_shape(geom.shape, std::get<geometry::MeshBody>(known->second),
                            context.settings.fit_aabb ? geometry::FitTo::bounds : geometry::FitTo::inertia);
    if (!fitted) {
        in.log().report(
            codes::E087, in.where("mesh"),
            in.label() + ": a " + std::string(shape_name(geom.shape)) + " cannot be fitted to a mesh",
            "choose sphere, capsule, cylinder, ellipsoid or box");
        return;
    }
    geom.size = fields.fit_scale * fitted->size;
    geom.pose = compose(geom.pose, {fitted->X_MF.p, quaternion(fitted->X_MF.R)});
    if (const auto trouble = shape_size_error(geom.shape, geom.size))
        in.log().report(codes::E087, in.where("mesh"), who + ", but " + *trouble, "give the sizes");
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
    geom.adhesion = fields.adhesion;
    geom.priority = fields.priority;
    geom.solmix = fields.solmix;
    geom.soft = fields.soft;
    if (fields.has_fluid_forces) geom.fluid = fields.fluid;
    geom.where = in.where();

    if (geom.shape == ShapeType::mesh || geom.shape == ShapeType::trimesh ||
        geom.shape == ShapeType::heightfield) {
        check_asset(context, in, fields, geom);
    } else if (!fields.mesh.empty()) {
        fit_to_mesh(context, in, fields, geom);
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
