#pragma once

#include <ligament/vec.h>

namespace lig::geometry {

// The principal moments of a symmetric matrix, largest first, and the rotation whose columns are their axes.
struct PrincipalFrame {
    Vec3d moments;
    Quatd axes;
};

// Unlike symmetric_eigen it also fixes which of the four possible frames is meant, and how exactly: it is
// the one that MuJoCo gives to a mesh, so that frames and inertias of mesh geoms agree. Rotations that make
// the largest off-diagonal entry zero follow each other until all are below 1e-7 of the largest entry
// (vertices in single precision tell no more); then quarter turns bring the moments in order. The moments
// are the diagonal entries in that frame, good to 1e-13. A matrix with nothing to turn gives the identity.
PrincipalFrame principal_frame(const Sym3d& m);
// The same until all off-diagonal entries are below `negligible`.
PrincipalFrame principal_frame(const Sym3d& m, double negligible);

}  // namespace lig::geometry
