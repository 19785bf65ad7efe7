#pragma once

// How BlockLdlt holds its factor: rows of blocks of U = Lᵀ, in the order of elimination. A row of blocks is
// dim scalar rows, `stride` numbers apart: first the diagonal block, then the blocks of the nodes that are
// eliminated later, side by side. Every block is filled up with zeros to a multiple of four columns: kernels
// work on registers of four numbers, and a block of three costs what a block of four does, so there are no
// tails and all addresses are aligned.

#include <cstddef>

namespace lig {

inline constexpr int ldlt_lanes = 4;
inline constexpr int ldlt_padded(int columns) { return (columns + ldlt_lanes - 1) / ldlt_lanes * ldlt_lanes; }

struct LdltRow {
    int node, dim;
    bool constraint, soft;
    int offset;       // in vectors of the caller
    int place;        // in vectors by order of elimination, each node padded; also of reciprocals of pivots
    int stride;
    std::size_t at;   // in the factor
    int begin, end;   // its blocks right of the diagonal
    int copies_begin, copies_end;  // blocks of K that it starts from
};

// A block right of the diagonal: which row it adds to, where it stands, and, in runs of columns that follow
// each other in both rows, where what it adds goes.
struct LdltBlock {
    int row, dim, column, place;
    int runs_begin, runs_end;
};
struct LdltRun {
    int from, to, columns;
};

// A block of K: where it is, and where it goes in the row.
struct LdltCopy {
    std::size_t from;
    int rows, columns;  // of what is read
    int column;         // of what is written
    bool transposed;
};

struct LdltView {
    const LdltRow* rows;
    const int* chosen;  // rows that take part, rising,
    int chosen_count;   // … so many
    const LdltBlock* blocks;
    const LdltRun* runs;
    const LdltCopy* copies;
    // Rows are filled in from K just before something is added to them for the first time, when they are
    // going to be in the cache anyway: load_order[load_begin[k] … load_begin[k + 1]) before row k.
    const int* load_order;
    const int* load_begin;
    const double* matrix;
    double* factor;
    double* reciprocal;  // by places: of pivots, 1/D
    double* relieved;  // by places: what other constraints took away from the pivot of a constraint's row
    double* products;  // room for D U of the longest row
    double* added;     // by offsets: what damping has added to the pivots
    char* redundant;   // by offsets
};

}  // namespace lig
