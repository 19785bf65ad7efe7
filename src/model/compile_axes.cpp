// The principal axes of a body's inertia. Any choice of them gives the same motion; but sensors report them,
// and where moments coincide a medium's drag on the inertia box depends on them. So they are chosen as MuJoCo
// chooses: those the file gives (the frame of a diagonal <inertial>, or of the body's only geom), else
// by its own search.

#include "model/compile.h"

#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "geometry/principal_frame.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lig::compiling {

namespace {

// Up to rounding.
bool is_diagonal(const Sym3d& I) {
    const double largest = std::max({std::abs(I.xx), std::abs(I.yy), std::abs(I.zz)});
    return std::max({std::abs(I.xy), std::abs(I.xz), std::abs(I.yz)}) <= 1e-12 * largest;
}

// The axes in which the file gives the inertia of a body: those of its <inertial>, or of its only geom that
// weighs.
std::optional<Quatd> given_axes(const Scene& scene, BodyId body, const std::vector<int>& geoms) {
    const std::optional<InertialSpec>& inertial = scene.bodies()[body.index].spec.inertial;
    if (inertial) {
        // Products of inertia are in the axes of the body, whatever frame they were given in: that is how
        // they are written to files, and a model that was written and read back has the same axes.
        const Sym3d& I = inertial->inertia;
        const bool diagonal = I.xy == 0 && I.xz == 0 && I.yz == 0;
        return diagonal ? std::optional(unit_quaternion(inertial->frame.quat)) : std::nullopt;
    }
    const GeomSpec* only = nullptr;
    for (const int g : geoms) {
        const GeomSpec& geom = scene.geoms()[g].spec;
        const bool weighs = geom.mass ? *geom.mass > 0 : geom.density > 0;
        if (weighs_nothing(geom.shape) || !weighs) continue;
        if (only) return std::nullopt;
        only = &geom;
    }
    return only ? std::optional(unit_quaternion(only->pose.quat)) : std::nullopt;
}

}  // namespace

Quatd principal_axes(const Scene& scene, BodyId body, const std::vector<int>& geoms, const Sym3d& inertia) {
    const std::optional<Quatd> given = given_axes(scene, body, geoms);
    const Quatd q_BG = given.value_or(Quatd::identity());
    const Sym3d I_G = rotate(transpose(rotation_matrix(q_BG)), inertia);
    if (given && is_diagonal(I_G)) return q_BG;
    // MuJoCo looks for the axes of bodies more closely than for those of meshes, and stops at this many kg
    // m².
    return unit_quaternion(q_BG * geometry::principal_frame(I_G, 1e-12).axes);
}

void find_principal_axes(const Scene& scene, Model& model, const std::vector<int>& body_of) {
    const std::vector<std::vector<int>> geoms = geoms_by_body(scene);
    for (std::size_t b = 0; b < scene.bodies().size(); ++b) {
        Model::Body& body = model.bodies[body_of[b]];
        body.R_BI =
            rotation_matrix(principal_axes(scene, {static_cast<int>(b)}, geoms[b], body.inertia));
    }
}

}  // namespace lig::compiling
