#pragma once

// A = L Lᵀ of a sparse symmetric positive definite matrix, stored row by row from each row's first entry to
// the diagonal. Nothing outside of that fills in. Rows whose first entries are near the diagonal are cheap;
// of a tree, numbered from the leaves to the root in depth-first order, a row holds its descendants and
// nothing else.

#include <vector>

namespace lig {

class EnvelopeCholesky {
public:
    // A matrix of n rows; then first(row) ≤ row may be lowered, and layout fixes the places. Entries are 0.
    void begin(int n);
    void lower(int row, int column) {
        if (column < first_[row]) first_[row] = column;
    }
    void layout();

    // The row so that row_at(i)[j] is the entry (i, j), first(i) ≤ j ≤ i.
    double* row_at(int i) { return entries_.data() + start_[i] - first_[i]; }
    int first(int i) const { return first_[i]; }

    // False where a pivot is not positive.
    bool factor();
    // The same by a function of the caller's, built for the machine at hand: it gets n, the places of the
    // rows' first entries, their columns, the entries and room for the reciprocals of the diagonal.
    template <class Kernel>
    bool factor(Kernel&& kernel) {
        return kernel(n_, start_.data(), first_.data(), entries_.data(), reciprocal_.data());
    }
    double* entries() { return entries_.data(); }
    const int* starts() const { return start_.data(); }
    const int* firsts() const { return first_.data(); }
    void solve(double* x) const;
    // By a function of the caller's, as factor.
    template <class Kernel>
    void solve(Kernel&& kernel, double* x) const {
        kernel(n_, start_.data(), first_.data(), entries_.data(), reciprocal_.data(), x);
    }

private:
    int n_ = 0;
    std::vector<int> first_;
    std::vector<int> start_;
    std::vector<double> entries_;
    std::vector<double> reciprocal_;
};

}  // namespace lig
