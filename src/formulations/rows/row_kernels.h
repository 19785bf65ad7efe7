#pragma once

// The inner loops over rows, built per instruction set like the recursions (dynamics/kernels.h). Rows of a
// block stand side by side, four to a register.

#include "dynamics/joint_factor.h"
#include "dynamics/kernels.h"

namespace lig {

// What four rows do to a link (−1: none): force[6 · 4], component by component, four rows apart.
struct FourForces {
    int link;
    const double* force;
};

// `terms` vectors y[term · count + j] on a support given by runs of places that follow each other: runs[2 k]
// the first place, runs[2 k + 1] how many.
struct OuterTerms {
    const double* y;
    int terms, count;
    const int* runs;
    int run_count;
};

struct RowKernels {
    // z of four rows on their way to the root, from one link or two. Writes 4 · n numbers and n freedoms, n
    // as count_path gives it.
    void (*propagate4)(const JointFactor::Link* links, const JointFactor::Dof* dofs, FourForces on_a,
                       FourForces on_b, double* z, int* support);
    // w[4] += Z s and s += Zᵀ change[4] over a support.
    void (*gather4)(const double* z, const int* support, int count, const double* s, double* w);
    void (*scatter4)(const double* z, const int* support, int count, const double* change, double* s);
    // The sixteen products of the four rows.
    void (*products4)(const double* z, int count, double* a);
    // H += Σ y yᵀ over the terms. row(place) is entries + start[place] − first[place].
    void (*add_outer)(const OuterTerms& terms, double* entries, const int* start, const int* first);
    // L of an envelope, in place; `reciprocal` gets 1/L_ii. False where a pivot is not positive.
    bool (*factor_envelope)(int n, const int* start, const int* first, double* entries, double* reciprocal);
    // x = (L Lᵀ)⁻¹ x of what factor_envelope has left.
    void (*solve_envelope)(int n, const int* start, const int* first, const double* entries,
                           const double* reciprocal, double* x);
};

#define LIG_DECLARE_ROW_KERNELS(isa)         \
    namespace isa {                          \
    void add_row_kernels(RowKernels& table); \
    }
LIG_FOR_EACH_ISA(LIG_DECLARE_ROW_KERNELS)
#undef LIG_DECLARE_ROW_KERNELS

// Those of the instruction set in use.
const RowKernels& row_kernels();

// How many freedoms there are on the ways from two links to their roots, each counted once. −1: no link.
int count_path(const JointFactor::Link* links, int a, int b);

}  // namespace lig
