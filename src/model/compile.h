#pragma once

// The parts of compile(scene), one file each, in the order in which they run.

#include "geometry/mesh_mass.h"

#include <ligament/model.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
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

// compile_meshes.cpp: the meshes that geoms use, as bodies of their own.
class MeshBodies {
public:
    explicit MeshBodies(const Scene& scene);

    // The mesh of a geom; nullptr when it has none, its file was not read, or nothing can be computed from
    // it.
    const geometry::MeshBody* find(const GeomSpec& geom) const;
    // For a geom whose mass is needed: as above, and the reason is reported.
    const geometry::MeshBody* require(const GeomSpec& geom, const std::string& who, Diagnostics& log) const;

private:
    struct Entry {
        const MeshAsset* asset;
        std::optional<std::variant<geometry::MeshBody, geometry::MeshFault>> body;  // absent: not read
    };
    std::unordered_map<std::string, Entry> entries_;  // by name
};

// compile_inertia.cpp: what a body weighs, from its <inertial> or from its geoms.
BodyInertia body_inertia(const Scene& scene, BodyId body, const std::vector<int>& geoms,
                         const MeshBodies& meshes, Diagnostics& log);
RigidInertia<double> rigid_inertia(const BodyInertia& body, const Transformd& X_LB);

// compile_tree.cpp: bodies in depth-first order, joints, links, frames. `body_of` maps scene bodies to model
// bodies.
void build_tree(const Scene& scene, const MeshBodies& meshes, Model& model, std::vector<int>& body_of,
                Diagnostics& log);
// Freedoms that move no inertia at the reference configuration, and compound joints whose freedoms depend on
// each other.
void check_mobility(const Model& model, Diagnostics& log);

}  // namespace lig::compiling
