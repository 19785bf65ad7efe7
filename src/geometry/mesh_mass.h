#pragma once

// What a mesh weighs and where its inertial frame sits. The four kinds are MuJoCo's; see MeshInertia.

#include "geometry/convex_hull.h"

#include <ligament/mesh.h>

#include <string>
#include <variant>

namespace lig::geometry {

// The vertices of a mesh as its geoms see them: moved by ref_pos, turned by ref_quat, then scaled; faces
// turned over when the scale mirrors. A mesh without faces gets those of its convex hull (of at most
// max_hull_vertices vertices).
std::variant<TriangleMesh, HullFault> placed_mesh(const MeshAsset& asset);
std::vector<Vec3d> placed_vertices(const MeshAsset& asset);

// For unit density, or unit mass per area (shell).
struct MeshMass {
    double volume;   // shell: the area
    Vec3d com;
    Sym3d inertia;   // about the centre of mass
};

struct MeshFault {
    enum class Kind {
        hull,                      // it has no convex hull: see `hull`
        area_too_small,
        volume_too_small,
        volume_negative,           // exact: the faces look inwards
        orientation_inconsistent,  // exact: two faces use the edge from vertex_a to vertex_b in one direction
        inertia_impossible         // exact: the surface is not closed
    };
    Kind kind;
    HullFault hull{};
    int vertex_a = -1, vertex_b = -1;

    std::string what() const;
    std::string hint() const;
};

std::variant<MeshMass, MeshFault> mesh_mass(const TriangleMesh& mesh, MeshInertia kind);

// A mesh as a body of its own. G is its inertial frame: at the centre of mass, along the principal axes with
// the largest moment first. MuJoCo reports it as the frame of a mesh geom.
struct MeshBody {
    MeshMass mass;
    Transformd X_MG;
    Vec3d inertia_box;     // half sizes of the box with the same moments per volume
    Vec3d lower, upper;    // bounds of the vertices in G
};

std::variant<MeshBody, MeshFault> mesh_body(const MeshAsset& asset);

}  // namespace lig::geometry
