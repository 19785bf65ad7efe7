#include "geometry/mesh_fit.h"

#include <algorithm>

namespace lig::geometry {

namespace {

std::optional<Vec3d> size_for(ShapeType shape, const Vec3d& box, FitTo fit) {
    const bool bounds = fit == FitTo::bounds;
    const double across = bounds ? std::max(box.x, box.y) : (box.x + box.y) / 2;
    switch (shape) {
        case ShapeType::sphere:
            return Vec3d{bounds ? std::max(across, box.z) : (box.x + box.y + box.z) / 3, 0, 0};
        case ShapeType::capsule:
            // Half the radius, not all of it, is taken from the length of an inertia box: MuJoCo's choice.
            return Vec3d{across, bounds ? box.z - across : std::max(0.0, box.z - across / 2), 0};
        case ShapeType::cylinder: return Vec3d{across, box.z, 0};
        case ShapeType::ellipsoid:
        case ShapeType::box: return box;
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<FittedShape> fit_shape(ShapeType shape, const MeshBody& mesh, FitTo fit) {
    Transformd X_MF = mesh.X_MG;
    Vec3d box = mesh.inertia_box;
    if (fit == FitTo::bounds) {
        const Vec3d centre = 0.5 * (mesh.lower + mesh.upper);
        box = mesh.upper - centre;
        X_MF.p = mesh.X_MG * centre;
    }
    const std::optional<Vec3d> size = size_for(shape, box, fit);
    if (!size) return std::nullopt;
    return FittedShape{*size, X_MF};
}

}  // namespace lig::geometry
