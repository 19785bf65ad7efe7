// The principal axes of a body's inertia. Any choice of them gives the same motion; but sensors report them,
// and where moments coincide a medium's drag on the inertia box depends on them. So they are chosen as MuJoCo
// chooses: those the file gives (the frame of a diagonal <inertial>, or of the body's only geom), else
// by its own search.

#include "model/compile.h"

#include "geometry/principal_frame.h"

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

// The axes in which the file gives the inertia of a body.
std::optional<Mat3d> given_axes(const Scene& scene, int body, const std::vector<int>& geoms) {
    const std::optional<InertialSpec>& inertial = scene.bodies()[body].spec.inertial;
    if (inertial) {
        // Products of inertia are in the axes of the body, whatever frame they were given in: that is how they
        // are written to files, and a model that was written and read back has the same axes.
        const Sym3d& I = inertial->inertia;
        const bool diagonal = I.xy == 0 && I.xz == 0 && I.yz == 0;
        return diagonal ? std::optional(transform(inertial->frame).R) : std::nullopt;
    }
    if (geoms.size() == 1) return transform(scene.geoms()[geoms[0]].spec.pose).R;
    return std::nullopt;
}

}  // namespace

void find_principal_axes(const Scene& scene, Model& model, const std::vector<int>& body_of) {
    std::vector<std::vector<int>> geoms(scene.bodies().size());
    for (std::size_t g = 0; g < scene.geoms().size(); ++g)
        geoms[scene.geoms()[g].body.index].push_back(static_cast<int>(g));
    for (std::size_t b = 0; b < scene.bodies().size(); ++b) {
        Model::Body& body = model.bodies[body_of[b]];
        const std::optional<Mat3d> given = given_axes(scene, static_cast<int>(b), geoms[b]);
        const Mat3d R_BG = given.value_or(Mat3d::identity());
        const Sym3d I_G = rotate(transpose(R_BG), body.inertia);
        body.R_BI = given && is_diagonal(I_G)
                        ? R_BG
                        : R_BG * rotation_matrix(geometry::principal_frame(I_G).axes);
    }
}

}  // namespace lig::compiling
