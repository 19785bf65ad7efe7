#pragma once

// The table of Lemke's method: basic variables by rows, the others by columns, at some basis of M and q. What
// it is made of stands in a LemkeWorkspace.

#include "linalg/lemke.h"
#include "linalg/vector_ops.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace lig {

class LemkeTable {
public:
    // A pivot this small means that a free row depends on those before it.
    static constexpr double dependent_pivot = 1e-12;

    LemkeTable(const LemkeProblem& problem, LemkeWorkspace& workspace)
        : p_(problem), n_(problem.n), ws_(workspace) {}

    bool is_free(int i) const { return p_.free && p_.free[i]; }
    double m(int i, int j) const { return p_.m[std::ptrdiff_t(i) * p_.stride + j]; }
    double* row(int r) { return ws_.table.get() + std::ptrdiff_t(r) * (n_ + 1); }
    // Variables: w_i is i, z_i is n + i, z₀ is 2n. Positions: rows from 0 on, column c as −1 − c. z₀ begins
    // in column 0.
    int w_of(int i) const { return i; }
    int z_of(int i) const { return n_ + i; }
    int lift() const { return 2 * n_; }
    int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }
    int index(int variable) const { return variable < n_ ? variable : variable - n_; }
    // Whether the row of this variable takes part in ratio tests.
    bool bounded(int variable) const { return variable == lift() || !is_free(index(variable)); }
    int width() const { return width_; }  // columns that still count

    void exchange(int r, int c) {
        double* pivot_row = row(r);
        const double reciprocal = 1 / pivot_row[c];
        for (int j = 0; j < width_; ++j) pivot_row[j] *= -reciprocal;
        pivot_row[c] = reciprocal;
        ws_.values[at(r)] *= -reciprocal;
        for (int i = 0; i < n_; ++i) {
            if (i == r) continue;
            double* other = row(i);
            const double factor = other[c];
            if (factor == 0) continue;
            other[c] = 0;
            add_scaled(factor, pivot_row, other, width_);
            ws_.values[at(i)] += factor * ws_.values[at(r)];
        }
        std::swap(ws_.basic[at(r)], ws_.nonbasic[at(c)]);
        ws_.position[at(ws_.basic[at(r)])] = r;
        ws_.position[at(ws_.nonbasic[at(c)])] = -1 - c;
    }

    // Exchanges the chosen variables, those that stand in rows against those that stand in columns, the
    // largest pivot first. False where rows without pivot are left.
    template <class Out, class In>
    bool exchange_all(Out&& out, In&& in) {
        for (;;) {
            int best_row = -1, best_column = -1;
            double largest = dependent_pivot;
            bool any = false;
            for (int r = 0; r < n_; ++r) {
                const int leaving = ws_.basic[at(r)];
                if (!out(leaving)) continue;
                any = true;
                for (int c = 0; c < width_; ++c) {
                    const int entering = ws_.nonbasic[at(c)];
                    if (!in(entering)) continue;
                    // Diagonal ones first: rows and columns that are left over are then of the same indices.
                    const double size = std::fabs(row(r)[c]) * (entering == complement(leaving) ? 1 : 0.5);
                    if (size > largest) {
                        largest = size;
                        best_row = r;
                        best_column = c;
                    }
                }
            }
            if (best_row < 0) return !any;
            exchange(best_row, best_column);
        }
    }

    // From M and q, at the basis of the free rows alone. Returns how many of these depend on others.
    int write() {
        width_ = n_ + 1;
        for (int i = 0; i < n_; ++i) {
            double* r = row(i);
            r[0] = ws_.cover[at(i)];
            for (int j = 0; j < n_; ++j) r[1 + j] = m(i, j);
            ws_.values[at(i)] = p_.q[i];
            ws_.basic[at(i)] = w_of(i);
            ws_.position[at(w_of(i))] = i;
            ws_.nonbasic[at(1 + i)] = z_of(i);
            ws_.position[at(z_of(i))] = -2 - i;
        }
        ws_.nonbasic[0] = lift();
        ws_.position[at(lift())] = -1;
        const auto is_free_w = [&](int v) { return v < n_ && is_free(v); };
        const auto is_free_z = [&](int v) { return v >= n_ && v != lift() && is_free(index(v)); };
        exchange_all(is_free_w, is_free_z);
        int dependent = 0;
        for (int i = 0; i < n_; ++i) {
            ws_.dependent[at(i)] = 0;
            if (!is_free(i)) continue;
            // Exchanges need not be in pairs of one row: what is left of rows and of columns is as many.
            if (ws_.position[at(w_of(i))] >= 0) {
                ws_.dependent[at(i)] = 1;
                ++dependent;
            }
            for (const int variable : {w_of(i), z_of(i)})
                if (const int position = ws_.position[at(variable)]; position < 0) drop_column(-1 - position);
        }
        return dependent;
    }

private:
    static std::size_t at(int i) { return std::size_t(i); }

    // A column that is never looked at again: its variable stays 0.
    void drop_column(int c) {
        --width_;
        if (c != width_) {
            for (int i = 0; i < n_; ++i) std::swap(row(i)[c], row(i)[width_]);
            std::swap(ws_.nonbasic[at(c)], ws_.nonbasic[at(width_)]);
            ws_.position[at(ws_.nonbasic[at(c)])] = -1 - c;
        }
        ws_.position[at(ws_.nonbasic[at(width_)])] = -1 - width_;
    }

    const LemkeProblem& p_;
    const int n_;
    LemkeWorkspace& ws_;
    int width_ = 0;
};

}  // namespace lig
