// K x, what a solution misses of K x = rhs, and solutions that are refined by that.

#include "linalg/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace lig {

void BlockLdlt::multiply(std::span<const double> x, std::span<double> out) const {
    for (int v = 0; v < nodes(); ++v) {
        const double* const m = matrix_.data() + diagonal_at_[v];
        const double* const from = x.data() + offset_[v];
        for (int p = 0; p < dim(v); ++p) {
            double sum = 0;
            for (int q = 0; q < dim(v); ++q) sum += m[p * dim(v) + q] * from[q];
            out[offset_[v] + p] = sum;
        }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* const m = matrix_.data() + edge_at_[e];
        const auto [a, b] = edges_[e];
        const auto add = [&, a = a, b = b](auto columns) {
            const double *const xa = x.data() + offset_[a], *const xb = x.data() + offset_[b];
            double *const to_a = out.data() + offset_[a], *const to_b = out.data() + offset_[b];
            for (int p = 0; p < dim(a); ++p) {
                double sum = 0;
                for (int q = 0; q < columns; ++q) {
                    sum += m[p * columns + q] * xb[q];
                    to_b[q] += m[p * columns + q] * xa[p];
                }
                to_a[p] += sum;
            }
        };
        if (dim(b) == 6)
            add(std::integral_constant<int, 6>());  // rigid bodies: known to the compiler
        else
            add(dim(b));
    }
}

// The largest |rhs − K x| of constraint rows, each relative to what its terms would be at most, however the
// accelerations of its bodies were directed: a row that holds a body still, or turns it about an axis through
// its centre, has terms that are nothing but rounding. A quick look before measure_residual.
double BlockLdlt::row_residual(std::span<const double> rhs, std::span<const double> x) {
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        for (int p = 0; p < dim(v); ++p) {
            double sum = rhs[offset_[v] + p];
            for (int q = 0; q < dim(v); ++q) sum -= m[p * dim(v) + q] * x[offset_[v] + q];
            residual_[offset_[v] + p] = sum;
            scale_[offset_[v] + p] = std::fabs(rhs[offset_[v] + p]);
        }
    }
    const auto larger = [](double a, double b) { return a < b ? b : a; };
    const auto largest = [&](double a, double b, double c) {
        return larger(larger(std::fabs(a), std::fabs(b)), std::fabs(c));
    };
    // Rigid bodies: the larger of the linear and the angular acceleration, by the radius of gyration, as
    // both.
    for (int v = 0; v < nodes(); ++v) {
        if (nodes_[v].constraint || dim(v) != 6) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        const double* const own = x.data() + offset_[v];
        const double angular = largest(own[0], own[1], own[2]), linear = largest(own[3], own[4], own[5]);
        const double radius = std::sqrt(largest(m[0], m[7], m[14]) / largest(m[21], m[28], m[35]));
        if_alone_[offset_[v]] = larger(angular, linear / radius);
        if_alone_[offset_[v] + 3] = larger(linear, angular * radius);
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double* const m = matrix_.data() + edge_at_[e];
        const auto [a, b] = edges_[e];
        if (nodes_[a].constraint == nodes_[b].constraint) continue;
        const bool first = nodes_[a].constraint;
        const int constraint = first ? a : b, body = first ? b : a;
        const double* const from = x.data() + offset_[body];
        double *const sums = residual_.data() + offset_[constraint], *const scales =
                                                                         scale_.data() + offset_[constraint];
        if (first && dim(body) == 6) {
            const double angular = if_alone_[offset_[body]], linear = if_alone_[offset_[body] + 3];
            for (int p = 0; p < dim(constraint); ++p) {
                const double* const row = m + 6 * p;
                sums[p] -= (row[0] * from[0] + row[1] * from[1] + row[2] * from[2]) +
                           (row[3] * from[3] + row[4] * from[4] + row[5] * from[5]);
                scales[p] = larger(scales[p], larger(largest(row[0], row[1], row[2]) * angular,
                                                     largest(row[3], row[4], row[5]) * linear));
            }
            continue;
        }
        const int along = first ? 1 : dim(b), across = first ? dim(b) : 1;
        for (int p = 0; p < dim(constraint); ++p)
            for (int q = 0; q < dim(body); ++q) {
                const double term = m[p * across + q * along] * from[q];
                sums[p] -= term;
                scales[p] = larger(scales[p], std::fabs(term));
            }
    }
    double worst = 0;
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        for (int i = offset_[v]; i < offset_[v] + dim(v); ++i) {
            if (std::fabs(residual_[i]) <= worst * scale_[i]) continue;
            worst = std::fabs(residual_[i]) / scale_[i];
            if (std::isnan(worst)) return worst;
        }
    }
    return worst;
}

// residual_ = rhs − K x. Of constraint rows, the largest
//   of_terms   relative to the largest term of its row,
//   of_forces  relative to what the row would come to if one of the forces on its bodies acted alone. Forces
//              that cancel leave an acceleration made of rounding; a residual that is no more counts as none.
BlockLdlt::Missed BlockLdlt::measure_residual(std::span<const double> rhs, std::span<const double> x) {
    multiply(x, residual_);
    for (int i = 0; i < size_; ++i) {
        residual_[i] = rhs[i] - residual_[i];
        scale_[i] = std::fabs(rhs[i]);
    }
    const auto raise = [](double& a, double b) { a = a < b ? b : a; };
    for (int v = 0; v < nodes(); ++v) {
        if (nodes_[v].constraint) continue;
        const double* const m = matrix_.data() + diagonal_at_[v];
        for (int p = 0; p < dim(v); ++p)
            for (int q = 0; q < dim(v); ++q)
                raise(scale_[offset_[v] + p], std::fabs(m[p * dim(v) + q] * x[offset_[v] + q]));
    }
    const auto each_term = [&](const auto& f) {  // f(row, entry, column) of J and of its transpose
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const double* m = matrix_.data() + edge_at_[e];
            const auto [a, b] = edges_[e];
            if (nodes_[a].constraint == nodes_[b].constraint) continue;
            const bool first = nodes_[a].constraint;
            for (int i = offset_[a]; i < offset_[a] + dim(a); ++i)
                for (int j = offset_[b]; j < offset_[b] + dim(b); ++j, ++m)
                    f(first ? i : j, *m, first ? j : i);
        }
    };
    each_term([&](int row, double entry, int column) {
        raise(scale_[row], std::fabs(entry * x[column]));
        raise(scale_[column], std::fabs(entry * x[row]));
    });
    for (int v = 0; v < nodes(); ++v)
        if (!nodes_[v].constraint)
            for (int p = 0; p < dim(v); ++p)
                scale_[offset_[v] + p] /= matrix_[diagonal_at_[v] + std::size_t(p * dim(v) + p)];
    std::fill(if_alone_.begin(), if_alone_.end(), 0.0);
    each_term([&](int row, double entry, int column) {
        raise(if_alone_[row], std::fabs(entry) * scale_[column]);
    });
    constexpr double of_sums = 16 * std::numeric_limits<double>::epsilon();
    Missed worst;
    for (int v = 0; v < nodes(); ++v) {
        if (!nodes_[v].constraint) continue;
        for (int i = offset_[v]; i < offset_[v] + dim(v); ++i) {
            const double missed = std::fabs(residual_[i]);
            if (!(missed > of_sums * if_alone_[i])) continue;
            raise(worst.of_terms, missed / scale_[i]);
            raise(worst.of_forces, missed / std::max(scale_[i], if_alone_[i]));
        }
    }
    return worst;
}

BlockLdlt::Refined BlockLdlt::solve_refined(std::span<const double> rhs, std::span<double> x, int max_solves,
                                            double tolerance) {
    Refined result;
    std::copy(rhs.begin(), rhs.end(), x.begin());
    solve(x);
    result.solves = 1;
    // Without damping a second solution is as good as rounding lets it be, also where what is missed is no
    // more than rounding of forces: accelerations may be far smaller than these forces would make them.
    const auto is_good = [&] { return !damped_ && (result.residual = row_residual(rhs, x)) <= tolerance; };
    if (is_good()) return result;
    Missed missed = measure_residual(rhs, x);
    bool goes_on = missed.of_terms > tolerance || !damped_;
    while (goes_on && result.solves < max_solves) {
        solve(residual_);
        for (int i = 0; i < size_; ++i) x[i] += residual_[i];
        ++result.solves;
        if (is_good()) return result;
        const double last = missed.of_forces;
        missed = measure_residual(rhs, x);
        goes_on = missed.of_terms > tolerance && missed.of_forces < 0.5 * last;
    }
    result.residual = missed.of_terms;
    return result;
}

}  // namespace lig
