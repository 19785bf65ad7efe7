#pragma once

// Impulses by block Gauss–Seidel over RowResponse: the method of linalg/lcp_block_pgs.cpp without the matrix.
//
// A contact with friction is solved exactly with its cone (linalg/cone_block.h), other rows one by one. w = Z
// s + b
// + compliance · λ is read off s when a block's turn comes, so a sweep costs the supports of the rows and no
// more.

#include "constraints/rows.h"
#include "formulations/rows/row_response.h"
#include "linalg/cone_block.h"

#include <span>
#include <vector>

namespace lig {

struct SweepResult {
    int sweeps = 0;
    double residual = 0;  // largest change of a row's velocity in the last sweep
    bool converged = false;
};

class Sweeps {
public:
    // After all blocks have been added to the response. Keeps references to both until the next call.
    void begin(const Rows& rows, const RowResponse& response);
    // What `run` needs of these blocks, once.
    void prepare(std::span<const int> blocks);
    bool prepared(int block) const { return blocks_[block].products >= 0; }

    // Over the given blocks, from λ and the s that belongs to it (s = s_free + Zᵀ λ) until a sweep changes no
    // row's velocity by more than `accuracy`, or `limit` sweeps are done. b: w of the rows at s = 0 and λ =
    // 0.
    SweepResult run(std::span<const int> blocks, std::span<const double> b, double accuracy, int limit,
                    std::span<double> lambda, std::span<double> s);

private:
    struct Block {
        ResponseBlock z;
        int begin;         // first row
        int products;      // in products_: rows × rows, with compliance on the diagonal
        int cone;          // in cones_, or −1: rows by themselves
    };
    template <int Width>
    double relax(Block& block, std::span<const double> b, std::span<double> lambda, std::span<double> s);

    const Rows* rows_ = nullptr;
    const RowResponse* response_ = nullptr;
    std::vector<Block> blocks_;
    std::vector<double> products_;
    std::vector<ConeBlock> cones_;
};

}  // namespace lig
