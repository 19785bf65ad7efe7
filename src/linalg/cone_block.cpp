#include "linalg/cone_block.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr int room = max_friction_rows;
// Sums this small beside their terms may be rounding: of a D, the axis may be one without response.
constexpr double negligible = 1e-13;
// And this small they are.
constexpr double rounding = 1e-15;

// Σ v_j x_j, or 0 where that is rounding and asked for.
double project(const double (&axes)[room][room], int axis, const double* friction, const double* x, int count,
               bool drop_rounding) {
    double sum = 0, size = 0;
    for (int j = 0; j < count; ++j) {
        const double term = axes[j][axis] * friction[j] * x[j];
        sum += term;
        size += std::fabs(term);
    }
    return drop_rounding && std::fabs(sum) <= 10 * rounding * size ? 0 : sum;
}

// m = V D Vᵀ by Jacobi rotations; the diagonal of m becomes D. Coefficients of very different size make rows
// of very different size; judged by √(m_pp m_qq), small rows come out as exact as large ones.
void diagonalize(double (&m)[room][room], double (&v)[room][room], int n) {
    for (int i = 0; i < room; ++i)
        for (int j = 0; j < room; ++j) v[i][j] = i == j;
    // Quadratic once it begins: five or six sweeps, more only where it works on the rounding of singular
    // matrices.
    for (int sweep = 0; sweep < 12; ++sweep) {
        bool rotated = false;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (m[p][q] * m[p][q] <= 1e-32 * std::fabs(m[p][p] * m[q][q])) continue;
                rotated = true;
                const double slope = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double tangent =
                    std::copysign(1.0, slope) / (std::fabs(slope) + std::sqrt(slope * slope + 1));
                const double c = 1 / std::sqrt(tangent * tangent + 1), s = tangent * c;
                for (int k = 0; k < n; ++k) {
                    const double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y;
                    m[q][k] = s * x + c * y;
                }
                m[p][q] = m[q][p] = 0;
                for (int k = 0; k < n; ++k) {
                    const double x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
        }
        if (!rotated) return;
    }
}

// The forces that belong to a σ.
struct Slide {
    double normal;
    double t[room];
    double length;  // |t|
    double excess;  // λ_n/|t| − 1: not negative inside the cone
};

// −c_n + Σ h g/D: the numerator of λ_n at σ = 0.
double numerator_of(const ConeBlock& block, const double* g, double c_n) {
    double sum = -c_n, size = std::fabs(c_n);
    for (int i = 0; i < block.count; ++i) {
        if (block.d[i] == 0) continue;
        const double term = block.h[i] * g[i] / block.d[i];
        sum += term;
        size += std::fabs(term);
    }
    return block.schur == 0 && std::fabs(sum) <= 10 * rounding * size ? 0 : sum;
}

Slide slide_at(const ConeBlock& block, const double* g, double numerator, double sigma) {
    // From the values at σ = 0 on, 1/D − 1/(D + σ) = σ/(D (D + σ)): in a singular block both are 0 there and
    // all digits would cancel.
    double denominator = block.schur;
    for (int i = 0; i < block.count; ++i) {
        if (block.d[i] == 0) continue;
        const double factor = sigma / (block.d[i] * (block.d[i] + sigma));
        numerator -= block.h[i] * g[i] * factor;
        denominator += block.h[i] * block.h[i] * factor;
    }
    Slide slide;
    slide.normal = numerator / denominator;
    double squares = 0;
    for (int i = 0; i < block.count; ++i) {
        const double force = -(g[i] + block.h[i] * slide.normal);
        slide.t[i] = force == 0 ? 0 : force / (block.d[i] + sigma);
        squares += slide.t[i] * slide.t[i];
    }
    slide.length = std::sqrt(squares);
    slide.excess = slide.length > 0 ? slide.normal / slide.length - 1 : 1;
    return slide;
}

// The forces at the σ where |t| = λ_n. `excess` is that of sticking, not positive.
Slide find_sliding(ConeBlock& block, const double* g, double c_n, double numerator, double excess) {
    // An end without meaning (|t| = ∞, or λ_n far below 0) must not spoil the secant.
    const auto bounded = [](double x) { return x > -1e3 ? x : -1e3; };
    double low = block.min_sigma, low_excess = bounded(excess), high = 0;
    Slide slide;
    // The last answer is near, in sweeps.
    if (block.sigma > low) {
        slide = slide_at(block, g, numerator, block.sigma);
        if (slide.excess >= 0) {
            high = block.sigma;
        } else {
            low = block.sigma;
            low_excess = bounded(slide.excess);
        }
    }
    if (high == 0) {
        // For large σ: |t| ≈ |g + h λ_n|/σ with λ_n ≈ −c_n/G.
        const double far = -c_n / block.g;
        double squares = 0, largest = 0;
        for (int i = 0; i < block.count; ++i) {
            squares += (g[i] + block.h[i] * far) * (g[i] + block.h[i] * far);
            largest = std::max(largest, block.d[i]);
        }
        high = std::max({std::sqrt(squares) / far, 2 * low, 1e-3 * largest});
        slide = slide_at(block, g, numerator, high);
        for (int i = 0; i < 100 && !(slide.excess >= 0); ++i) {
            low = high;
            low_excess = bounded(slide.excess);
            high *= 8;
            slide = slide_at(block, g, numerator, high);
        }
    }
    // Secant steps; an end that stays twice is given half its weight (Illinois). Mostly below ten; should
    // they not do, every other step halves.
    constexpr double exact = 4e-16;
    double high_excess = slide.excess;
    int last_moved = 0;
    for (int i = 0; i < 120 && slide.excess > exact && high - low > exact * high; ++i) {
        double middle = low + (high - low) * (low_excess / (low_excess - high_excess));
        if ((i > 12 && i % 2) || !(middle > low && middle < high)) middle = low + 0.5 * (high - low);
        const Slide tried = slide_at(block, g, numerator, middle);
        if (tried.excess >= -exact) {
            high = middle;
            high_excess = tried.excess;
            slide = tried;
            if (last_moved == 1) low_excess *= 0.5;
            last_moved = 1;
        } else {
            low = middle;
            low_excess = bounded(tried.excess);
            if (last_moved == -1) high_excess *= 0.5;
            last_moved = -1;
        }
    }
    block.sigma = high;
    // Exactly onto the cone.
    const double stretch = slide.length > 0 ? slide.normal / slide.length : 0;
    for (int i = 0; i < block.count; ++i) slide.t[i] *= stretch;
    return slide;
}

}  // namespace

ConeBlock prepare_cone(const double* a, int stride, const double* friction, int count) {
    ConeBlock block{};
    block.count = count;
    block.g = a[0];
    double m[room][room] = {}, diagonal[room];
    for (int i = 0; i < count; ++i) {
        block.friction[i] = friction[i];
        for (int j = 0; j < count; ++j)
            m[i][j] = friction[i] * a[(i + 1) * stride + j + 1] * friction[j];
        diagonal[i] = m[i][i];
    }
    diagonalize(m, block.axes, count);
    double largest = 0;
    for (int i = 0; i < count; ++i) largest = std::max(largest, m[i][i]);
    block.schur = block.g;
    bool singular = false;
    for (int i = 0; i < count; ++i) {
        double size = 0;  // of the terms of D
        for (int j = 0; j < count; ++j) size += block.axes[j][i] * block.axes[j][i] * diagonal[j];
        if (size == 0) continue;
        block.d[i] = std::max(m[i][i], rounding * size);
        block.doubtful[i] = m[i][i] <= negligible * size;
        block.h[i] = project(block.axes, i, friction, a + 1, count, block.doubtful[i]);
        block.schur -= block.h[i] * block.h[i] / block.d[i];
        singular = singular || m[i][i] <= 1e-10 * size;
    }
    singular = singular || block.schur <= 1e-10 * block.g;
    if (block.schur <= 10 * rounding * block.g) block.schur = 0;
    block.min_sigma = singular ? 1e-12 * largest : 0;
    return block;
}

bool solve_cone(ConeBlock& block, const double* c, double* lambda) {
    std::fill(lambda, lambda + block.count + 1, 0.0);
    const double c_n = c[0];
    if (c_n >= 0) return true;
    if (block.g <= 0) return false;

    double g[room] = {};
    for (int i = 0; i < block.count; ++i)
        g[i] = project(block.axes, i, block.friction, c + 1, block.count, block.doubtful[i]);

    double low = block.min_sigma;
    const double numerator = numerator_of(block, g, c_n);
    Slide slide = slide_at(block, g, numerator, low);
    if (!(slide.excess >= 0 && slide.normal >= 0))
        slide = find_sliding(block, g, c_n, numerator, slide.excess);
    lambda[0] = slide.normal;
    for (int i = 0; i < block.count; ++i) {
        double t = 0;
        for (int j = 0; j < block.count; ++j) t += block.axes[i][j] * slide.t[j];
        lambda[i + 1] = block.friction[i] * t;
    }
    return true;
}

}  // namespace lig
