#pragma once

// Sums over long rows, and what else is done with all entries. Compilers do not reorder floating-point sums,
// so a plain loop waits for every addition; four sums side by side do not, and stay the same on every
// machine.

#include <cmath>
#include <span>

namespace lig {

inline double dot(const double* x, const double* y, int n) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; ++i) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

// The largest size of an entry; not a number where an entry is not one.
inline double largest_of(std::span<const double> x) {
    double most = 0;
    for (const double e : x)
        if (!(std::abs(e) <= most)) most = std::abs(e);
    return most;
}

// y += factor x
inline void add_scaled(double factor, const double* x, double* y, int n) {
    for (int i = 0; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace lig
