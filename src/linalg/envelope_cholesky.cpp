#include "linalg/envelope_cholesky.h"

#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

void EnvelopeCholesky::begin(int n) {
    n_ = n;
    first_.resize(n);
    for (int i = 0; i < n; ++i) first_[i] = i;
}

void EnvelopeCholesky::layout() {
    start_.resize(n_);
    reciprocal_.resize(n_);
    int used = 0;
    for (int i = 0; i < n_; ++i) {
        start_[i] = used;
        used += i - first_[i] + 1;
    }
    entries_.assign(used, 0.0);
}

bool EnvelopeCholesky::factor() {
    for (int i = 0; i < n_; ++i) {
        double* row = row_at(i);
        const int begin = first_[i];
        for (int j = begin; j < i; ++j) {
            const int common = std::max(begin, first_[j]);
            row[j] = (row[j] - dot(row + common, row_at(j) + common, j - common)) * reciprocal_[j];
        }
        const double pivot = row[i] - dot(row + begin, row + begin, i - begin);
        if (!(pivot > 0)) return false;
        row[i] = std::sqrt(pivot);
        reciprocal_[i] = 1 / row[i];
    }
    return true;
}

void EnvelopeCholesky::solve(double* x) const {
    const auto row_of = [&](int i) { return entries_.data() + start_[i] - first_[i]; };
    for (int i = 0; i < n_; ++i)
        x[i] = (x[i] - dot(row_of(i) + first_[i], x + first_[i], i - first_[i])) * reciprocal_[i];
    for (int i = n_ - 1; i >= 0; --i) {
        x[i] *= reciprocal_[i];
        add_scaled(-x[i], row_of(i) + first_[i], x + first_[i], i - first_[i]);
    }
}

}  // namespace lig
