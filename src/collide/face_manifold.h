#pragma once

// The points at which two faces, edges or vertices meet that look at each other along a common normal.

#include "collide/narrow_phase.h"
#include "shapes/shape_geometry.h"

namespace lig::collide {

// `a` looks along the normal of the witness and `b` against it; the points of both, and the witness, are in
// one frame, the world's or any that is only moved from it, and so is the result. The radii are those around
// the cores to which the faces belong; the witness points lie on the surfaces.
struct FacePair {
    const SupportingFace &a, &b;
    double radius_a = 0, radius_b = 0;
};

// Face against face and face against edge give the corners of what they have in common, seen along the
// normal; two edges side by side give the ends of what they have in common; all else gives the witness. Of
// these, points farther apart than `margin` are left out and at most four are kept. The witness is among them
// unless another point is as deep. False: farther apart than the margin everywhere.
bool manifold_of_faces(const FacePair& faces, double margin, const ClosestPoints& witness, PairManifold& out);

// The points of a face that is part of a surface, before four are chosen: returns how many, 0 when farther
// apart than the margin everywhere.
constexpr int face_point_capacity = 2 * SupportingFace::capacity + 3;
int points_of_faces(const FacePair& faces, double margin, const ClosestPoints& witness,
                    std::array<ManifoldPoint, face_point_capacity>& points);

// What a feature of these manifolds stands for, with the ids of the two faces: for whoever numbers one of
// them anew.
struct FaceFeature {
    enum class Kind {
        witness,
        vertex_of_a,
        vertex_of_b,
        crossing  // of edges
    };
    Kind kind;
    std::uint32_t from_a,
        to_a;  // of the edge; of a vertex only the first. The second of an edge has seven bits
    std::uint32_t from_b, to_b;
};
FaceFeature face_feature(std::uint32_t feature);

}  // namespace lig::collide
