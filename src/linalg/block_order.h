#pragma once

// The order in which BlockLdlt eliminates the nodes of its graph, and the pattern of L that follows.

#include "linalg/block_ldlt.h"

#include <span>
#include <vector>

namespace lig {

// By places in the order: place k is that of node order[k]. `rows` of a place: those of the blocks of L below
// its diagonal, ascending; the first of them is the parent in the elimination tree. The order is a postorder
// of that tree: what a place adds to is at hand soon.
struct BlockPattern {
    std::vector<int> order;
    std::vector<int> row_begin;  // (places + 1)
    std::vector<int> rows;
    int fill = 0;  // blocks of L that are not edges
};

// Minimum degree among the nodes that are eligible (block_ldlt.h). The degree of a node is the sum of the
// dimensions of its neighbours that are left; a node with one neighbour or none makes no fill and goes first.
// A node that is in no cycle waits for that, so that from a loop to the world there is no fill. Of equals the
// one with the smallest index. Time and memory: those of counting the block operations of a factorization,
// and a logarithm for the choice.
BlockPattern eligible_minimum_degree(std::span<const BlockLdlt::Node> nodes,
                                     std::span<const BlockLdlt::Edge> edges);

}  // namespace lig
