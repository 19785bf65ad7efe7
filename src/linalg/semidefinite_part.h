#pragma once

namespace lig {

// Of a symmetric matrix, row by row, n ≤ 6: its part with eigenvalues that are not negative, in place. By
// Jacobi's rotations; a matrix that is definite keeps its bits.
void make_semidefinite(int n, double* a);

}  // namespace lig
