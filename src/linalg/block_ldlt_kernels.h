#pragma once

// The inner loops of BlockLdlt, built per instruction set like the recursions (dynamics/kernels.h).

#include "dynamics/kernels.h"
#include "linalg/block_ldlt_layout.h"

namespace lig {

struct BlockLdltKernels {
    struct Factored {
        int bad_row = -1;
        int redundant_rows = 0;
        double min_share = 1;
    };
    // Factors K, with `damping` times its start added to the pivot of every row of a hard constraint; without
    // damping redundant rows are counted, marked and left out.
    Factored (*factor)(const LdltView& view, double damping);
    // On vectors by places: L x = x and Lᵀ x = x.
    void (*forward)(const LdltView& view, double* x);
    void (*backward)(const LdltView& view, double* x);
    // Four vectors side by side, y[4 · offset + lane]: L y = y on the given rows, ascending.
    void (*forward4)(const LdltView& view, const int* rows, int count, double* y);
    // a[4 · 4] += Σ y_i z_jᵀ over a support: y[4 · i] belongs to z[4 · entries[i]].
    void (*products4)(const double* y, const int* entries, int count, const double* z, double* a);
};

#define LIG_DECLARE_BLOCK_LDLT_KERNELS(isa)               \
    namespace isa {                                       \
    void add_block_ldlt_kernels(BlockLdltKernels& table); \
    }
LIG_FOR_EACH_ISA(LIG_DECLARE_BLOCK_LDLT_KERNELS)
#undef LIG_DECLARE_BLOCK_LDLT_KERNELS

// Those of the instruction set in use.
const BlockLdltKernels& block_ldlt_kernels();

}  // namespace lig
