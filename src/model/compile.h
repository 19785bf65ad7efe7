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
// Of all bodies, after the bounds and the balance of the scene's inertia rules; the world weighs nothing.
std::vector<BodyInertia> body_inertias(const Scene& scene, Diagnostics& log);
RigidInertia<double> rigid_inertia(const BodyInertia& body, const Transformd& X_LB);

// compile_inertia_rules.cpp: the bounds and the balance of one body; the scale of all.
BodyInertia apply_rules(const InertiaRules& rules, BodyInertia body);
void scale_to_total_mass(const InertiaRules& rules, std::vector<BodyInertia>& bodies);

// compile_reshape.cpp: static bodies fused, free bodies aligned, masses scaled, as the scene asks for. Nothing
// when the scene stays as it is; `inertias` are those of the bodies afterwards.
std::optional<Scene> reshape(const Scene& scene, std::vector<BodyInertia>& inertias);

// compile_tree.cpp: bodies in depth-first order, joints, links, frames. `body_of` maps scene bodies to model
// bodies.
void build_tree(const Scene& scene, const std::vector<BodyInertia>& inertias, Model& model,
                std::vector<int>& body_of, Diagnostics& log);
// Freedoms that move no inertia at the reference configuration, and compound joints whose freedoms depend on
// each other.
void check_mobility(const Model& model, Diagnostics& log);

}  // namespace lig::compiling
