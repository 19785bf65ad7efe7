#include "linalg/growing_cholesky.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

void GrowingCholesky::append(const double* reduced, double pivot) {
    double* row = l + size * stride;
    std::copy(reduced, reduced + size, row);
    row[size] = std::sqrt(pivot);
    reciprocal[size] = 1 / row[size];
    ++size;
}

void GrowingCholesky::remove(int k) {
    --size;
    // The row that moves up to place i was rotated by the columns before it and then gives its own rotation.
    for (int i = k; i < size; ++i) {
        double* row = l + i * stride;
        const double* below = row + stride;
        std::copy(below, below + k, row);
        double carried = below[k];
        for (int j = k; j < i; ++j) {
            const double c = rotations[2 * j], s = rotations[2 * j + 1], next = below[j + 1];
            row[j] = c * carried + s * next;
            carried = c * next - s * carried;
        }
        const double last = below[i + 1], length = std::sqrt(carried * carried + last * last);
        rotations[2 * i] = carried / length;
        rotations[2 * i + 1] = last / length;
        row[i] = length;
        reciprocal[i] = 1 / length;
    }
}

void GrowingCholesky::solve_down(double* x) const {
    for (int i = 0; i < size; ++i) x[i] = (x[i] - dot(l + i * stride, x, i)) * reciprocal[i];
}

void GrowingCholesky::solve_up(double* x) const {
    for (int i = size - 1; i >= 0; --i) {
        x[i] *= reciprocal[i];
        add_scaled(-x[i], l + i * stride, x, i);
    }
}

}  // namespace lig
