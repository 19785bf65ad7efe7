#pragma once

// A convex polyhedron as collision sees it: whole faces instead of triangles, and who neighbours whom.

#include "geometry/bounds.h"
#include "geometry/convex_hull.h"

#include <ligament/mesh.h>

#include <span>
#include <variant>
#include <vector>

namespace lig {

struct HullGeometry {
    // Coordinates in files are often rounded to 24 bits; flat sides should be flat nevertheless.
    static constexpr double coplanarity_tolerance = 1e-6;

    std::vector<Vec3d> vertices;      // only those of the hull

    // Face f is the convex polygon face_vertices[face_begin[f] … face_begin[f + 1]), counter-clockwise seen
    // from outside, in the plane dot(face_normals[f], x) = face_offsets[f]. Triangles in one plane, to within
    // coplanarity_tolerance of the hull's size, are one face; vertices inside it are in no polygon.
    std::vector<int> face_begin;      // (faces + 1)
    std::vector<int> face_vertices;
    std::vector<Vec3d> face_normals;  // (faces) outwards
    std::vector<double> face_offsets; // (faces)

    // The vertices joined to vertex v by an edge: neighbors[neighbor_begin[v] … neighbor_begin[v + 1]). From
    // any vertex, going to a neighbour that is farther along a direction leads to the farthest. Edges within
    // a face of several triangles count.
    std::vector<int> neighbor_begin;  // (vertices + 1)
    std::vector<int> neighbors;
    // The faces around vertex v, likewise.
    std::vector<int> vertex_face_begin;  // (vertices + 1)
    std::vector<int> vertex_faces;

    // Where to begin looking for the farthest vertex along a direction: the faces of a cube around the origin
    // are divided into start_resolution² cells each, and starts holds the farthest vertex along the middle of
    // each. Empty: the vertices are few, or two of them so near each other that rounding may hide which edge
    // leads up; all are looked at.
    int start_resolution = 0;
    std::vector<int> starts;  // (6 · start_resolution²)

    Bounds bounds;                    // of the vertices
    Vec3d center;                     // a point well inside

    std::span<const int> face(int f) const {
        return {face_vertices.data() + face_begin[f], face_vertices.data() + face_begin[f + 1]};
    }
    int face_count() const { return static_cast<int>(face_normals.size()); }
};

// The convex hull of a mesh whose vertices have been placed (scale and reference frame applied).
std::variant<HullGeometry, geometry::HullFault> make_hull_geometry(std::span<const Vec3d> points,
                                                                   int max_vertices = -1);

// The hull as it is after a linear map of its frame: faces and neighbours stay what they are. `out` begins as
// a copy of `rest`; nothing is allocated.
void stretch_hull(const HullGeometry& rest, const Sym3d& S, HullGeometry& out);
void stretch_hull(const HullGeometry& rest, const Mat3d& A, HullGeometry& out);

}  // namespace lig
