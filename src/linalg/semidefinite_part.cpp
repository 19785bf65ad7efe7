#include "linalg/semidefinite_part.h"

#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr int largest = 6, max_sweeps = 30;

}  // namespace

void make_semidefinite(int n, double* a) {
    double A[largest * largest], V[largest * largest] = {}, below = 0;
    std::copy_n(a, n * n, A);
    if (cholesky_of<double>(n, A)) return;
    std::copy_n(a, n * n, A);
    for (int k = 0; k < n; ++k) V[k * n + k] = 1;
    for (int k = 0; k < n * n; ++k) below = std::max(below, 1e-16 * std::abs(A[k]));
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        double off = 0;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                const double apq = A[p * n + q];
                off = std::max(off, std::abs(apq));
                if (!(std::abs(apq) > below)) continue;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(1 + theta * theta));
                const double c = 1 / std::sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double kp = A[k * n + p], kq = A[k * n + q];
                    A[k * n + p] = c * kp - s * kq;
                    A[k * n + q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; ++k) {
                    const double pk = A[p * n + k], qk = A[q * n + k], vp = V[k * n + p], vq = V[k * n + q];
                    A[p * n + k] = c * pk - s * qk;
                    A[q * n + k] = s * pk + c * qk;
                    V[k * n + p] = c * vp - s * vq;
                    V[k * n + q] = s * vp + c * vq;
                }
            }
        if (!(off > below)) break;
    }
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += V[r * n + k] * std::max(A[k * n + k], 0.0) * V[c * n + k];
            a[r * n + c] = sum;
        }
}

}  // namespace lig
