#pragma once

// The parts of compile(scene), one file each, in the order in which they run.

#include <ligament/model.h>

#include <optional>
#include <vector>

namespace lig::compiling {

// Mass, centre of mass and inertia about it, in the axes of the body frame.
struct BodyInertia {
    double mass = 0;
    Vec3d com{0, 0, 0};
    Sym3d inertia = Sym3d::zero();
};

// A rotation that takes z to the given direction. Coordinate directions give exact matrices.
Mat3d axis_frame(const Vec3d& axis);

// The pose with its quaternion normalized.
Transformd transform(const Pose& pose);

// "body 'arm'", or "body 3 (without a name)".
std::string named(std::string_view kind, std::string_view name, int index);

// compile_checks.cpp: everything that can be said about each object for itself, and the names.
void check_scene(const Scene& scene, Diagnostics& log);

// compile_inertia.cpp: what a body weighs, from its <inertial> or from its geoms.
BodyInertia body_inertia(const Scene& scene, BodyId body, const std::vector<int>& geoms, Diagnostics& log);
RigidInertia<double> rigid_inertia(const BodyInertia& body, const Transformd& X_LB);

// compile_tree.cpp: bodies in depth-first order, joints, links, frames. `body_of` maps scene bodies to model
// bodies.
void build_tree(const Scene& scene, Model& model, std::vector<int>& body_of, Diagnostics& log);
// compile_axes.cpp: the principal axes of the bodies' inertias. After build_tree.
void find_principal_axes(const Scene& scene, Model& model, const std::vector<int>& body_of);

// compile_fluid.cpp: what a medium does to bodies and geoms. After the geoms and the principal axes.
void add_medium(Model& model, Diagnostics& log);

// Freedoms that move no inertia at the reference configuration, and compound joints whose freedoms depend on
// each other.
void check_mobility(const Model& model, Diagnostics& log);

}  // namespace lig::compiling
