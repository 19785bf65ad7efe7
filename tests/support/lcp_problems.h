#pragma once

// Complementarity problems that own their numbers, and figures of a solution computed apart from the library:
// in long double, by the conditions as they are defined.

#include "linalg/lcp_list.h"
#include "scalar_types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lig::test {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

struct OwnedLcp {
    int n = 0;
    std::vector<double> a, b, lo, hi, mu;
    std::vector<int> partner;

    explicit OwnedLcp(int size)
        : n(size),
          a(std::size_t(size) * std::size_t(size)),
          b(std::size_t(size)),
          lo(std::size_t(size), -unbounded),
          hi(std::size_t(size), unbounded),
          mu(std::size_t(size)),
          partner(std::size_t(size), -1) {}
    double& at(int i, int j) { return a[std::size_t(i * n + j)]; }
    double at(int i, int j) const { return a[std::size_t(i * n + j)]; }
    LcpProblem view() const {
        return {n, a.data(), n, b.data(), lo.data(), hi.data(), partner.data(), mu.data()};
    }
    // A normal row and the friction rows behind it.
    void contact(int normal, std::initializer_list<double> coefficients) {
        lo[std::size_t(normal)] = 0;
        int i = normal;
        for (const double coefficient : coefficients) {
            ++i;
            partner[std::size_t(i)] = normal;
            mu[std::size_t(i)] = coefficient;
        }
    }
};

// A = J Jᵀ with J n × rank, and b = J v, so that rows that depend on each other ask for the same.
struct RandomLcp {
    int rank = 0;             // 0: n + 3, a regular matrix
    double spread = 0;        // rows scaled by 10^±spread
    bool repeat_rows = false; // every third row is the copy of an earlier one
    bool friction = false;    // contacts of three rows in place of unilateral rows
    double largest_mu = 0.5;
};

inline OwnedLcp random_lcp(Random& random, int n, const RandomLcp& kind) {
    const int rank = kind.rank > 0 ? kind.rank : n + 3;
    OwnedLcp lcp(n);
    std::vector<double> j(std::size_t(n * rank)), v(std::size_t(rank), 0.0);
    for (double& x : j) x = random.uniform(-1, 1);
    for (double& x : v) x = random.uniform(-1, 1);
    std::vector<int> copy_of(std::size_t(n), -1);
    for (int i = 0; i < n; ++i) {
        if (kind.repeat_rows && i % 3 == 2) {
            copy_of[std::size_t(i)] = i / 2;
            std::copy_n(&j[std::size_t(i / 2 * rank)], rank, &j[std::size_t(i * rank)]);
        } else {
            const double size = std::pow(10, random.uniform(-kind.spread, kind.spread));
            for (int k = 0; k < rank; ++k) j[std::size_t(i * rank + k)] *= size;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            long double sum = 0;
            for (int r = 0; r < rank; ++r)
                sum += (long double)(j[std::size_t(i * rank + r)]) * j[std::size_t(k * rank + r)];
            lcp.at(i, k) = double(sum);
        }
        long double sum = 0;
        for (int r = 0; r < rank; ++r) sum += (long double)(j[std::size_t(i * rank + r)]) * v[std::size_t(r)];
        lcp.b[std::size_t(i)] = double(sum);
    }
    for (int i = 0; i < n; ++i) {
        const double kind_of_row = random.uniform(0, 4);
        const double force = 1 / std::sqrt(lcp.at(i, i));
        if (kind.friction && kind_of_row < 2.5 && i + 2 < n) {
            lcp.contact(i, {random.uniform(0, kind.largest_mu), random.uniform(0, kind.largest_mu)});
            i += 2;
        } else if (kind_of_row < 1) {
            continue;  // bilateral
        } else if (kind_of_row < 2) {
            lcp.lo[std::size_t(i)] = 0;
        } else if (kind_of_row < 2.5) {
            lcp.hi[std::size_t(i)] = force * random.uniform(-0.2, 0.2);
        } else {
            lcp.lo[std::size_t(i)] = -force * random.uniform(0, 0.5);
            lcp.hi[std::size_t(i)] = force * random.uniform(0, 0.5);
        }
    }
    return lcp;
}

// A column of blocks of mass 1, each a contact with the one below, pushed sideways and stuck to each
// other: the forces of contact k carry the blocks from k on, λ_n = blocks − k and λ_t = −0.1 λ_n.
// Gauss-Seidel carries news by one block a sweep.
inline OwnedLcp column_of_blocks(int blocks, double mu) {
    OwnedLcp lcp(3 * blocks);
    for (int k = 0; k < blocks; ++k) {
        lcp.contact(3 * k, {mu, mu});
        for (int d = 0; d < 3; ++d) {
            lcp.at(3 * k + d, 3 * k + d) = k == 0 ? 1 : 2;
            if (k > 0) lcp.at(3 * k + d, 3 * k - 3 + d) = lcp.at(3 * k - 3 + d, 3 * k + d) = -1;
        }
    }
    lcp.b[0] = -1;  // of the ground only: relative velocities of the others are 0
    lcp.b[1] = 0.1;
    return lcp;
}

// Largest violation of a row's conditions relative to |b_i| + Σ |A_ij λ_j|: the distance of λ_i from what a
// step against w_i and back into the bounds would make of it, times A_ii. Friction in pyramids, diamonds or
// cones. Not
// relative: in the units of w.
inline double violation(const OwnedLcp& lcp, LcpFriction law, const std::vector<double>& lambda,
                        bool relative = true) {
    using Real = long double;
    std::vector<Real> w(std::size_t(lcp.n)), scale(std::size_t(lcp.n));
    for (int i = 0; i < lcp.n; ++i) {
        Real sum = lcp.b[std::size_t(i)], size = std::fabs(lcp.b[std::size_t(i)]);
        for (int j = 0; j < lcp.n; ++j) {
            const Real term = Real(lcp.at(i, j)) * lambda[std::size_t(j)];
            sum += term;
            size += std::fabs(term);
        }
        w[std::size_t(i)] = sum;
        scale[std::size_t(i)] = relative ? size : 1;
    }
    Real worst = 0;
    const auto note = [&](Real amount, Real size) {
        if (amount != 0) worst = std::max(worst, amount / size);
        if (std::isnan(amount)) worst = unbounded;
    };
    for (int i = 0; i < lcp.n; ++i) {
        const std::size_t k = std::size_t(i);
        const Real x = lambda[k], diagonal = lcp.at(i, i);
        const int normal = lcp.partner[k];
        Real lo = lcp.lo[k], hi = lcp.hi[k];
        if (normal >= 0) {
            hi = Real(lcp.mu[k]) * lambda[std::size_t(normal)];
            lo = -hi;
            const bool paired = i == normal + 1 ? i + 1 < lcp.n && lcp.partner[k + 1] == normal
                                                : i == normal + 2;
            if (law == LcpFriction::diamond && paired) {
                // The complementarity conditions of four directions and a slip, as they are written.
                if (i == normal + 2) continue;
                const Real radius = lambda[std::size_t(normal)];
                Real u[2], t[2], size = 0, stiff = 0, slip = 0;
                for (std::size_t r = 0; r < 2; ++r) {
                    const Real mu = lcp.mu[k + r];
                    u[r] = mu * w[k + r];
                    t[r] = mu > 0 ? lambda[k + r] / mu : 0;
                    if (mu == 0 && lambda[k + r] != 0) worst = unbounded;
                    size = std::max(size, mu * scale[k + r]);
                    stiff = std::max(stiff, mu * mu * Real(lcp.at(i + int(r), i + int(r))));
                    slip = std::max(slip, std::fabs(u[r]));
                }
                if (!relative) size = 1;
                const Real sum = std::fabs(t[0]) + std::fabs(t[1]);
                note(std::max<Real>(sum - radius * (1 + 1e-15L), 0), radius);
                for (std::size_t r = 0; r < 2; ++r)
                    for (const Real sign : {1, -1})
                        note(std::min(sign * u[r] + slip, stiff * std::max<Real>(sign * t[r], 0)), size);
                note(std::min(slip, stiff * std::max<Real>(radius - sum, 0)), size);
                continue;
            }
            if (law == LcpFriction::cone) {
                if (i != normal + 1) continue;
                // Sticking wants u = 0; sliding wants t on the circle and no u across it or along it.
                Real radius = lambda[std::size_t(normal)], uu = 0, tt = 0, ut = 0, size = 0, stiff = 0;
                for (int r = i; r < lcp.n && lcp.partner[std::size_t(r)] == normal; ++r) {
                    const Real mu = lcp.mu[std::size_t(r)];
                    if (mu == 0) continue;
                    const Real u = mu * w[std::size_t(r)], t = lambda[std::size_t(r)] / mu;
                    uu += u * u;
                    tt += t * t;
                    ut += u * t;
                    size += mu * scale[std::size_t(r)] * mu * scale[std::size_t(r)];
                    stiff = std::max(stiff, mu * mu * Real(lcp.at(r, r)));
                }
                if (radius == 0) {
                    if (tt > 0) worst = unbounded;
                    continue;
                }
                const Real slip = std::sqrt(uu), length = std::sqrt(tt);
                const Real along = length > 0 ? -ut / length : -1;
                Real across = 0;  // not by Pythagoras, which loses half of the digits
                for (int r = i; r < lcp.n && lcp.partner[std::size_t(r)] == normal; ++r) {
                    const Real mu = lcp.mu[std::size_t(r)];
                    if (mu == 0 || length == 0) continue;
                    const Real x = mu * w[std::size_t(r)] + along * lambda[std::size_t(r)] / (mu * length);
                    across += x * x;
                }
                const Real sliding = std::max(std::sqrt(across), stiff * std::max<Real>(radius - length, 0));
                note(along < 0 ? slip : std::min(slip, sliding), relative ? std::sqrt(size) : 1);
                note(std::max<Real>(length - radius * (1 + 1e-15L), 0), radius);
                continue;
            }
        }
        note(std::max<Real>({lo - x, x - hi, 0}), std::fabs(x));
        if (w[k] > 0) note(std::isinf(lo) ? w[k] : std::min(w[k], diagonal * (x - lo)), scale[k]);
        if (w[k] < 0) note(std::isinf(hi) ? -w[k] : std::min(-w[k], diagonal * (hi - x)), scale[k]);
    }
    return double(worst);
}

inline LcpResult solve(const LcpSolverInfo& solver, const OwnedLcp& lcp, std::vector<double>& lambda,
                       const LcpOptions& options = {}) {
    LcpWorkspace workspace(lcp.n);
    lambda.resize(std::size_t(lcp.n), 0.0);
    return solver.solve(lcp.view(), options, workspace, lambda);
}

}  // namespace lig::test
