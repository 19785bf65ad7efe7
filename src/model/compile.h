#pragma once

// The parts of compile(scene), one file each, in the order in which they run.

#include "geometry/mesh_mass.h"

#include <ligament/body_kind.h>
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

// Frame M of a joint in the frame of its body.
Transformd joint_frame(const JointSpec& spec);

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

// compile_inertia.cpp: the geoms of each body.
std::vector<std::vector<int>> geoms_by_body(const Scene& scene);
// What a body weighs, from its <inertial> or from its geoms; of all bodies, after the bounds and the balance
// of the scene's inertia rules; the world weighs nothing.
std::vector<BodyInertia> body_inertias(const Scene& scene, const MeshBodies& meshes, Diagnostics& log);
RigidInertia<double> rigid_inertia(const BodyInertia& body, const Transformd& X_LB);

// compile_inertia_rules.cpp: the bounds and the balance of one body; the scale of all.
BodyInertia apply_rules(const InertiaRules& rules, BodyInertia body);
void scale_to_total_mass(const InertiaRules& rules, std::vector<BodyInertia>& bodies);

// compile_reshape.cpp: joints of bodies that deform made loops, static bodies fused, free bodies aligned,
// masses scaled, as the scene asks for. Nothing when the scene stays as it is; `inertias` are those of the
// bodies afterwards.
std::optional<Scene> reshape(const Scene& scene, std::vector<BodyInertia>& inertias, Diagnostics& log);

// compile_tree.cpp: whether a body moves relative to its parent by joints or by its kind.
bool moves(const Scene& scene, const Scene::Body& body);
// Bodies in depth-first order, joints, links, frames. `body_of` maps scene bodies to model
// bodies.
void build_tree(const Scene& scene, const std::vector<BodyInertia>& inertias, Model& model,
                std::vector<int>& body_of, Diagnostics& log);
// compile_axes.cpp: the axes of the principal moments of a body whose inertia is `inertia` in its own axes.
Quatd principal_axes(const Scene& scene, BodyId body, const std::vector<int>& geoms, const Sym3d& inertia);
// Those of all bodies, into the model. After build_tree.
void find_principal_axes(const Scene& scene, Model& model, const std::vector<int>& body_of);

// compile_elastic.cpp: what a body is made of, for itself; bodies that deform, after build_tree; and what is
// not done with them, at the end.
void check_elastic(const BodySpec& spec, const std::string& who, Diagnostics& log);
void add_elasticity(const Scene& scene, const MeshBodies& meshes, const std::vector<int>& body_of,
                    Model& model, Diagnostics& log);
void refuse_on_deforming(const Model& model, Diagnostics& log);

// compile_program.cpp: kinds of bodies that a program defines: a body's, for itself; how its mass is spread;
// the kind seen from another origin; what they are made of, after the geoms.
void check_program(const BodySpec& spec, const std::string& who, Diagnostics& log);
std::vector<MassSample> samples_of(const Scene& scene, int body, const std::vector<int>& geoms,
                                   Diagnostics& log);
BodyInertia program_inertia(const Scene& scene, int body, const std::vector<int>& geoms, Diagnostics& log);
std::shared_ptr<const ProgramBody> moved(std::shared_ptr<const ProgramBody> kind, const Vec3d& origin);
void add_programs(const Scene& scene, const std::vector<int>& body_of, Model& model, Diagnostics& log);

// compile_fluid.cpp: what a medium does to bodies and geoms. After the geoms and the principal axes.
void add_medium(Model& model, Diagnostics& log);

// compile_constraints.cpp: loops, constraints between two bodies and couplings of joints.
void check_force(const Range& force, const std::string& who, const SourceLocation& where, Diagnostics& log);
void add_loops(const Scene& scene, Model& model, const std::vector<int>& body_of, Diagnostics& log);
void add_pair_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                          Diagnostics& log);
// compile_bushings.cpp: springs and dampers between two bodies. After build_tree.
void add_bushings(const Scene& scene, Model& model, const std::vector<int>& body_of, Diagnostics& log);
void add_couplings(const Scene& scene, Model& model, const std::vector<int>& joint_of, Diagnostics& log);
void add_group_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                           Diagnostics& log);
void add_subtree_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                             Diagnostics& log);

// compile_sensors.cpp: cameras, and sensors once everything they may be attached to is there.
void add_cameras(const Scene& scene, Model& model, const std::vector<int>& body_of);
void add_sensors(const Scene& scene, Model& model, const std::vector<int>& body_of,
                 const std::vector<int>& joint_of, Diagnostics& log);

// Freedoms that move no inertia at the reference configuration, and compound joints whose freedoms depend on
// each other.
void check_mobility(const Model& model, Diagnostics& log);

}  // namespace lig::compiling
