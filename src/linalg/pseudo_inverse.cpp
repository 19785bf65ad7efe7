#include "linalg/pseudo_inverse.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

namespace {

constexpr int max_sweeps = 60;  // about ten do

}  // namespace

int PseudoInverse::factor(std::span<const double> G, int n, double tolerance) {
    n_ = n;
    const std::size_t size = static_cast<std::size_t>(n);
    scale_.resize(size);
    inverse_.resize(size);
    x_.resize(size);
    h_.resize(size * size);
    vectors_.assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i)
        scale_[i] = G[i * (size + 1)] > 0 ? 1 / std::sqrt(G[i * (size + 1)]) : 0;
    for (std::size_t i = 0; i < size; ++i) {
        vectors_[i * (size + 1)] = 1;
        for (std::size_t j = 0; j < size; ++j)
            h_[i * size + j] = 0.5 * scale_[i] * scale_[j] * (G[i * size + j] + G[j * size + i]);
    }
    // Rotations until what is left off the diagonal is rounding of rows of unit length.
    constexpr double negligible = 0.1 * std::numeric_limits<double>::epsilon();
    bool turned = true;
    for (int sweep = 0; sweep < max_sweeps && turned; ++sweep) {
        turned = false;
        for (std::size_t p = 0; p + 1 < size; ++p)
            for (std::size_t q = p + 1; q < size; ++q) {
                double *const rp = h_.data() + p * size, *const rq = h_.data() + q * size;
                const double off = rp[q];
                if (!(std::fabs(off) > negligible)) continue;
                turned = true;
                const double theta = (rq[q] - rp[p]) / (2 * off);
                const double t = std::copysign(1.0, theta) / (std::fabs(theta) + std::hypot(1.0, theta));
                const double c = 1 / std::hypot(1.0, t), s = t * c;
                const double pp = rp[p] - t * off, qq = rq[q] + t * off;
                for (std::size_t k = 0; k < size; ++k) {
                    const double x = rp[k], y = rq[k];
                    rp[k] = c * x - s * y;
                    rq[k] = s * x + c * y;
                }
                for (std::size_t k = 0; k < size; ++k) {
                    h_[k * size + p] = rp[k];
                    h_[k * size + q] = rq[k];
                }
                rp[p] = pp;
                rq[q] = qq;
                rp[q] = rq[p] = 0;
                double *const vp = vectors_.data() + p * size, *const vq = vectors_.data() + q * size;
                for (std::size_t k = 0; k < size; ++k) {
                    const double x = vp[k], y = vq[k];
                    vp[k] = c * x - s * y;
                    vq[k] = s * x + c * y;
                }
            }
    }
    int rank = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double value = h_[i * (size + 1)];
        const bool counts = value > tolerance * tolerance;
        inverse_[i] = counts ? 1 / value : 0;
        rank += counts;
    }
    return rank;
}

void PseudoInverse::solve(std::span<const double> target, std::span<double> lambda) {
    for (int i = 0; i < n_; ++i) x_[i] = scale_[i] * target[i];
    std::fill_n(lambda.begin(), n_, 0.0);
    for (int i = 0; i < n_; ++i) {
        if (inverse_[i] == 0) continue;
        const double* const v = vectors_.data() + static_cast<std::size_t>(i) * n_;
        add_scaled(inverse_[i] * dot(v, x_.data(), n_), v, lambda.data(), n_);
    }
    for (int i = 0; i < n_; ++i) lambda[i] *= scale_[i];
}

}  // namespace lig
