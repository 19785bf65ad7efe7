#pragma once

// The procedures densefactor and densesolve of Baraff 1996, sec. 7.2: the block matrix H with all its blocks,
// O(n³) and O(n²) for n blocks. Blocks are in the order of elimination of the BlockLdlt whose K it is.

#include "bench/baraff/small_blocks.h"
#include "linalg/block_ldlt.h"

#include <span>

namespace lig::bench {

class DenseLdlt {
public:
    explicit DenseLdlt(const BlockLdlt& K);
    void factor();
    void solve(std::span<double> x);  // vectors as those of K

private:
    SmallBlock& block(int i, int j) { return H_[std::size_t(i) * std::size_t(n_) + std::size_t(j)]; }

    const BlockLdlt& K_;
    int n_;
    std::vector<int> dim_, offset_;
    std::vector<SmallBlock> H_;        // the upper triangle: Lᵀ, on the diagonal D
    std::vector<SmallBlock> inverse_;  // of D
    SmallBlock scratch_;
};

}  // namespace lig::bench
