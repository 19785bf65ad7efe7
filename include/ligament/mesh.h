#pragma once

// Triangle meshes and height fields as scenes hold them. What is read from a file is kept as it was written:
// scale and reference frame are applied where a mesh is used.

#include <ligament/diagnostics.h>
#include <ligament/vec.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace lig {

// Faces are counter-clockwise seen from outside. No faces: a cloud of points, meant to be its convex hull.
struct TriangleMesh {
    std::vector<Vec3d> vertices;
    std::vector<std::array<int, 3>> faces;
};

// What the volume of a mesh is, when mass is asked for.
//   legacy  the sum of the pyramids from the mean of the faces' centres, each counted as positive
//   exact   the signed volume; the surface has to be closed
//   convex  the volume of the convex hull
//   shell   the mass sits on the faces
enum class MeshInertia {
    legacy,
    exact,
    convex,
    shell
};

struct MeshAsset {
    std::string name;
    std::string file;  // as found; empty when it was not found or when the mesh was written out in the model
    Vec3d scale{1, 1, 1};
    Vec3d ref_pos{0, 0, 0};         // the point of the file's axes that becomes the origin,
    Quatd ref_quat{1, 0, 0, 0};     // and the axes that become x, y, z
    MeshInertia inertia = MeshInertia::legacy;
    int max_hull_vertices = -1;     // −1: as many as the hull has
    std::shared_ptr<const TriangleMesh> mesh;  // as read; empty when the file was not found
    SourceLocation where;
};

// Heights over a rectangular grid in the x–y plane, centred at the origin.
struct HeightFieldAsset {
    std::string name;
    std::string file;  // empty when the heights were written out in the model
    int rows = 0, columns = 0;                    // along y and along x
    std::array<double, 4> size{0, 0, 0, 0};       // half x, half y, height of elevation 1, depth of the base
    std::shared_ptr<const std::vector<double>> elevation;  // rows × columns, from the smallest y on; 0 to 1
    SourceLocation where;
};

}  // namespace lig
