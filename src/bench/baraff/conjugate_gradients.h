#pragma once

// Conjugate gradients on J M⁻¹ Jᵀ, which is not formed (Baraff 1996, sec. 3 and 9): O(n) per iteration, and
// as many iterations as the conditioning asks for, in exact arithmetic the number of rows at most.

#include "bench/baraff/delassus.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace lig::bench {

class ConjugateGradients {
public:
    explicit ConjugateGradients(const BlockLdlt& K) : delassus_(K) {
        const std::size_t n = std::size_t(delassus_.rows());
        for (auto* v : {&lambda_, &residual_, &direction_, &product_}) v->resize(n);
    }

    struct Result {
        int iterations = 0;
        double residual = 0;  // |r| / |b|
    };
    // Ends when the residual is below the tolerance, or after max_iterations with what it has got.
    Result solve(std::span<double> x, double tolerance, int max_iterations) {
        const int n = delassus_.rows();
        delassus_.load();
        delassus_.reduce(x, residual_);
        std::fill(lambda_.begin(), lambda_.end(), 0.0);
        direction_ = residual_;
        const double start = dot(residual_.data(), residual_.data(), n);
        double squares = start;
        Result result;
        while (squares > tolerance * tolerance * start && result.iterations < max_iterations) {
            delassus_.apply(direction_, product_);
            const double step = squares / dot(direction_.data(), product_.data(), n);
            add_scaled(step, direction_.data(), lambda_.data(), n);
            add_scaled(-step, product_.data(), residual_.data(), n);
            const double last = squares;
            squares = dot(residual_.data(), residual_.data(), n);
            for (int i = 0; i < n; ++i) direction_[i] = residual_[i] + squares / last * direction_[i];
            ++result.iterations;
        }
        result.residual = start > 0 ? std::sqrt(squares / start) : 0;
        delassus_.expand(lambda_, x);
        return result;
    }

private:
    Delassus delassus_;
    std::vector<double> lambda_, residual_, direction_, product_;
};

}  // namespace lig::bench
