// From the attributes of a site to a SiteSpec: sizes, fromto, colour, the frame it stands in.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "shapes/shape_mass.h"

namespace lig::io::mjcf {

namespace {

// Shapes between two points take their length and pose from them and their width from the first size.
void apply_fromto(ElementReader& in, const std::array<double, 6>& fromto, SiteSpec& site) {
    const double half = half_length(fromto);
    if (site.shape == ShapeType::sphere)
        in.log().report(codes::E087, in.where("fromto"),
                        in.label() + ": 'fromto' is for capsules, cylinders, ellipsoids and boxes",
                        "give the type");
    else if (half < 1e-14)
        in.log().report(codes::E087, in.where("fromto"),
                        in.label() + ": the two points of 'fromto' are the same");
    else {
        const bool round = site.shape == ShapeType::capsule || site.shape == ShapeType::cylinder;
        site.pose = pose_between(fromto);
        site.size = round ? Vec3d{site.size.x, half, 0} : Vec3d{site.size.x, site.size.x, half};
    }
}

}  // namespace

SiteSpec make_site(Context& context, ElementReader& in, const SiteFields& fields, const Pose& frame) {
    SiteSpec site;
    site.where = in.where();
    site.shape = fields.shape;
    site.size = fields.size;
    site.pose = to_pose(fields.pose, context.settings);
    site.group = fields.group;
    if (fields.fromto) apply_fromto(in, *fields.fromto, site);
    if (const auto trouble = shape_size_error(site.shape, site.size))
        in.log().report(codes::E087, in.where("size"), in.label() + ": " + *trouble);
    site.pose = compose(frame, site.pose);
    if (!fields.material.empty()) {
        const int material = context.materials.find(fields.material, in.where("material"), in.log());
        if (material >= 0) site.rgba = context.material_colours[material];
    }
    if (fields.rgba) site.rgba = *fields.rgba;
    return site;
}

}  // namespace lig::io::mjcf
