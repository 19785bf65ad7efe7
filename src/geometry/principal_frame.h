#pragma once

#include <ligament/vec.h>

namespace lig::geometry {

// The principal moments of a symmetric matrix, largest first, and the rotation whose columns are their axes.
struct PrincipalFrame {
    Vec3d moments;
    Quatd axes;
};

// Unlike symmetric_eigen it also fixes which of the four possible frames is meant: the one that MuJoCo gives
// to a mesh, so that the frames of mesh geoms agree. Rotations that make the largest off-diagonal entry zero
// follow each other; then quarter turns bring the moments in order. (MuJoCo stops earlier: its frames are
// up to 1e-6 rad away.) A frame that has nothing to turn is the identity.
PrincipalFrame principal_frame(const Sym3d& m);

}  // namespace lig::geometry
