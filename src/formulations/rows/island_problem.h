#pragma once

// What solvers of RowSolver are given of an island: rows, how s responds to them, and what is asked of them.

#include "constraints/rows.h"
#include "formulations/rows/row_response.h"

#include <span>

namespace lig {

struct IslandProblem {
    const Rows& rows;
    const RowResponse& response;
    std::span<const int> blocks;  // of the island, indices, rising
    std::span<const int> trees;   // that they act on, likewise
    std::span<const double> b, s_free;
};

}  // namespace lig
