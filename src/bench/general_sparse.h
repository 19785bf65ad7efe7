#pragma once

// A general sparse solver on the matrix of a BlockLdlt, to compare with: Eigen's, where this was built with
// it. Patterns are analyzed once; factor reads the numbers of K again.

#include "linalg/block_ldlt.h"

#include <memory>
#include <span>
#include <string_view>

namespace lig::bench {

class GeneralSparse {
public:
    enum class Method {
        lu,    // SparseLU, columns by COLAMD, rows by partial pivoting
        ldlt,  // SimplicialLDLT by AMD; does not pivot, so constraint rows get −shift on the diagonal, and
               // the solution is refined once with the matrix as it is
    };
    static constexpr double shift = 1e-10;

    virtual ~GeneralSparse() = default;
    virtual bool factor() = 0;
    virtual void solve(std::span<double> x) = 0;  // vectors as those of K
};

// Null where this was built without Eigen.
std::unique_ptr<GeneralSparse> make_general_sparse(const BlockLdlt& K, GeneralSparse::Method method);

}  // namespace lig::bench
