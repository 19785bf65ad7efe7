#pragma once

#include <ligament/vec.h>

namespace lig {

// m = vectors · diag(values) · vectorsᵀ, values ascending, vectors a rotation (its columns are the principal
// axes). A diagonal matrix in ascending order gives the identity.
struct SymmetricEigen {
    Vec3d values;
    Mat3d vectors;
};

// By Jacobi rotations, for checking inertias and finding principal axes: slower than a closed form, but the
// vectors are orthogonal to rounding also where eigenvalues coincide. Input that is not finite gives NaN
// values and the identity.
SymmetricEigen symmetric_eigen(const Sym3d& m);

}  // namespace lig
