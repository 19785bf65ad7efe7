#pragma once

// J M⁻¹ Jᵀ formed and factored by Cholesky (Baraff 1996, sec. 5): dense, O(n³), or with the zeros before the
// first entry of every row left out (sec. 3). For a chain whose constraints are numbered along it that is a
// band, and O(n); a tree or a loop has rows that reach far back.

#include "bench/baraff/delassus.h"
#include "linalg/envelope_cholesky.h"

#include <algorithm>
#include <span>
#include <vector>

namespace lig::bench {

class DelassusCholesky {
public:
    enum class Storage {
        dense,
        banded
    };

    DelassusCholesky(const BlockLdlt& K, Storage storage) : delassus_(K) {
        const int n = delassus_.rows();
        A_.begin(n);
        if (storage == Storage::dense)
            for (int i = 0; i < n; ++i) A_.lower(i, 0);
        else
            delassus_.each_entry([&](int i, int j, double) { A_.lower(i, j); });
        A_.layout();
        lambda_.resize(std::size_t(n));
    }
    bool factor() {
        delassus_.load();
        for (int i = 0; i < delassus_.rows(); ++i)
            std::fill(A_.row_at(i) + A_.first(i), A_.row_at(i) + i + 1, 0.0);
        delassus_.each_entry([&](int i, int j, double value) { A_.row_at(i)[j] += value; });
        return A_.factor();
    }
    void solve(std::span<double> x) {  // vectors as those of K
        delassus_.reduce(x, lambda_);
        A_.solve(lambda_.data());
        delassus_.expand(lambda_, x);
    }

private:
    Delassus delassus_;
    EnvelopeCholesky A_;
    std::vector<double> lambda_;
};

}  // namespace lig::bench
