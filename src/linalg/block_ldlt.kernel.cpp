// The size of a pivot block is a template argument: up to 6 the loops over it are unrolled, and the part of a
// panel that is being worked on stays in registers. Columns go by in registers of four.

#include "linalg/block_ldlt_kernels.h"
#include "linalg/unrolled.h"

#include <ligament/lanes.h>

namespace lig {
namespace {

using Four = Lanes4d;
constexpr int four = ldlt_lanes;

// A pivot below this share of what its row would have without the other constraints: the row follows from
// them, or so nearly that the multipliers it would need are made of rounding.
constexpr double redundant_share = 1e-8;
constexpr double largest = 1.7976931348623157e308;

LIG_INLINE Four load(const double* p) {
    Four x(0.0);
    for (int k = 0; k < four; ++k) x.set(k, p[k]);
    return x;
}
LIG_INLINE void store(const Four& x, double* p) {
    for (int k = 0; k < four; ++k) p[k] = x[k];
}

template <int D>
LIG_INLINE auto dimension() {
    if constexpr (D <= 6)
        return Index<D>{};
    else
        return int(D);
}

// f(Index<dim>).
template <class F>
LIG_INLINE void with_dimension(int dim, const F& f) {
    switch (dim) {
        case 1: f(Index<1>{}); break;
        case 2: f(Index<2>{}); break;
        case 3: f(Index<3>{}); break;
        case 4: f(Index<4>{}); break;
        case 5: f(Index<5>{}); break;
        case 6: f(Index<6>{}); break;
        case 7: f(Index<7>{}); break;
        case 8: f(Index<8>{}); break;
        case 9: f(Index<9>{}); break;
        case 10: f(Index<10>{}); break;
        case 11: f(Index<11>{}); break;
        default: f(Index<12>{}); break;
    }
}

// A block of C columns, row by row.
template <int C>
LIG_INLINE void copy_rows(const double* from, int rows, double* to, int stride) {
    for (int p = 0; p < rows; ++p, from += C, to += stride) {
        constexpr int whole = C / four * four;
        for (int c = 0; c < whole; c += four) store(load(from + c), to + c);
        each(Index<whole>{}, Index<C>{}, [&](auto c) LIG_INLINE_LAMBDA { to[c] = from[c]; });
    }
}
// The same, transposed: C columns become rows.
template <int C>
LIG_INLINE void copy_columns(const double* from, int rows, double* to, int stride) {
    for (int p = 0; p < rows; ++p, from += C, ++to)
        each(Index<0>{}, Index<C>{}, [&](auto c) LIG_INLINE_LAMBDA { to[c * stride] = from[c]; });
}

void load_row(const LdltView& view, const LdltRow& row) {
    double* const to = view.factor + row.at;
    const Four zero(0.0);
    for (int c = 0; c < row.dim * row.stride; c += four) store(zero, to + c);
    for (int k = row.copies_begin; k < row.copies_end; ++k) {
        const LdltCopy& copy = view.copies[k];
        const double* const from = view.matrix + copy.from;
        double* const block = to + copy.column;
        // Bodies have six columns, or three.
        if (copy.columns == 6 && copy.transposed) {
            copy_columns<6>(from, copy.rows, block, row.stride);
        } else if (copy.columns == 6) {
            copy_rows<6>(from, copy.rows, block, row.stride);
        } else if (copy.columns == 3 && !copy.transposed) {
            copy_rows<3>(from, copy.rows, block, row.stride);
        } else if (copy.transposed) {
            for (int p = 0; p < copy.rows; ++p)
                for (int q = 0; q < copy.columns; ++q)
                    block[q * row.stride + p] = from[p * copy.columns + q];
        } else {
            for (int p = 0; p < copy.rows; ++p)
                for (int q = 0; q < copy.columns; ++q)
                    block[p * row.stride + q] = from[p * copy.columns + q];
        }
    }
    if (row.constraint)
        for (int p = 0; p < row.dim; ++p) view.relieved[row.place + p] = 0;
}

// What becomes of the pivot of a constraint's row. Without damping, a redundant row is counted and taken out,
// by a pivot beside which what is left of the row is nothing: it does not hide others. With damping, what
// rounding has made positive is zero. A row of zeros has no scale.
LIG_INLINE void constraint_pivot(const LdltView& view, const LdltRow& row, int p, double damping,
                                 double& pivot, BlockLdltKernels::Factored& found) {
    if (row.soft || !(__builtin_fabs(pivot) <= largest)) return;
    const double start = view.relieved[row.place + p] - pivot;
    const double scale = start > 0 ? start : 1;
    if (damping > 0) {
        const double added = start > 0 ? damping * start : 1;
        view.added[row.offset + p] = added;
        pivot = (pivot < 0 ? pivot : 0) - added;
    } else {
        const bool redundant = !(-pivot > redundant_share * start);
        view.added[row.offset + p] = 0;
        view.redundant[row.offset + p] = redundant;
        if (redundant) {
            pivot = -scale;
            ++found.redundant_rows;
        } else if (-pivot < found.min_share * start) {
            found.min_share = -pivot / start;
        }
    }
}

// False where a pivot is not what it must be.
template <int D, bool Constraint>
bool factor_row(const LdltView& view, const LdltRow& row, double damping, BlockLdltKernels::Factored& found) {
    const auto d = dimension<D>();
    double* const f = view.factor + row.at;
    const int stride = row.stride;
    double a[D * D], reciprocal[D];
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
        each(p, d, [&](auto q) LIG_INLINE_LAMBDA { a[p * D + q] = f[p * stride + q]; });
    });
    bool good = true;
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
        double pivot = a[p * D + p];
        if constexpr (Constraint) {
            constraint_pivot(view, row, p, damping, pivot, found);
            good = good && pivot < 0 && pivot >= -largest;
        } else {
            good = good && pivot > 0 && pivot <= largest;
        }
        const double inverse = 1 / pivot;
        view.reciprocal[row.place + p] = inverse;
        reciprocal[p] = inverse;
        each(next(p), d, [&](auto q) LIG_INLINE_LAMBDA {
            const double l = a[p * D + q] * inverse;
            each(q, d, [&](auto r) LIG_INLINE_LAMBDA { a[q * D + r] -= l * a[p * D + r]; });
            f[p * stride + q] = l;
        });
        each(next(p), d, [&](auto q) LIG_INLINE_LAMBDA { a[p * D + q] *= inverse; });
    });
    if (!good) return false;

    for (int c = ldlt_padded(D); c < stride; c += four) {
        Four v[D];
        each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA { v[p] = load(f + p * stride + c); });
        each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
            each(next(p), d,
                 [&](auto q) LIG_INLINE_LAMBDA { v[q] = v[q] - Four(a[p * D + q]) * v[p]; });
        });
        each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
            store(v[p], view.products + p * stride + c);
            store(v[p] * Four(reciprocal[p]), f + p * stride + c);
        });
    }

    for (int b = row.begin; b < row.end; ++b) {
        const LdltBlock& block = view.blocks[b];
        const LdltRow& target = view.rows[block.row];
        double* const t = view.factor + target.at;
        const double* const products = view.products + block.column;
        for (int r = block.runs_begin; r < block.runs_end; ++r) {
            const LdltRun& run = view.runs[r];
            for (int c = 0; c < run.columns; c += four) {
                Four u[D];
                each(Index<0>{}, d,
                     [&](auto p) LIG_INLINE_LAMBDA { u[p] = load(f + p * stride + run.from + c); });
                // Below the diagonal nothing is read.
                const int column = run.to + c, most = column + four;
                const int rows = block.dim < most ? block.dim : most;
                double* to = t + column;
                for (int q = 0; q < rows; ++q, to += target.stride) {
                    Four sum = load(to);
                    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
                        sum = sum - Four(products[p * stride + q]) * u[p];
                    });
                    store(sum, to);
                }
            }
        }
        if (Constraint && target.constraint)
            for (int q = 0; q < block.dim; ++q) {
                double sum = view.relieved[block.place + q];
                for (int p = 0; p < D; ++p)
                    sum -= products[p * stride + q] * f[p * stride + block.column + q];
                view.relieved[block.place + q] = sum;
            }
    }
    return true;
}

BlockLdltKernels::Factored factor(const LdltView& view, double damping) {
    BlockLdltKernels::Factored result;
    for (int c = 0; c < view.chosen_count; ++c) {
        const int k = view.chosen[c];
        for (int i = view.load_begin[k]; i < view.load_begin[k + 1]; ++i)
            load_row(view, view.rows[view.load_order[i]]);
        const LdltRow& row = view.rows[k];
        bool good = false;
        with_dimension(row.dim, [&](auto dim) LIG_INLINE_LAMBDA {
            if (row.constraint)
                good = factor_row<dim, true>(view, row, damping, result);
            else
                good = factor_row<dim, false>(view, row, damping, result);
        });
        if (!good) {
            result.bad_row = k;
            return result;
        }
    }
    return result;
}

template <int D>
void forward_row(const LdltView& view, const LdltRow& row, double* x) {
    const auto d = dimension<D>();
    const double* const f = view.factor + row.at;
    const int stride = row.stride;
    double own[D];
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA { own[p] = x[row.place + p]; });
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
        each(next(p), d, [&](auto q) LIG_INLINE_LAMBDA { own[q] -= f[p * stride + q] * own[p]; });
        x[row.place + p] = own[p];
    });
    for (int b = row.begin; b < row.end; ++b) {
        const LdltBlock& block = view.blocks[b];
        for (int c = 0; c < block.dim; c += four) {
            Four sum = load(x + block.place + c);
            each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
                sum = sum - load(f + p * stride + block.column + c) * Four(own[p]);
            });
            store(sum, x + block.place + c);
        }
    }
}

template <int D>
void backward_row(const LdltView& view, const LdltRow& row, double* x) {
    const auto d = dimension<D>();
    const double* const f = view.factor + row.at;
    const int stride = row.stride;
    Four sum[D];
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA { sum[p] = Four(0.0); });
    for (int b = row.begin; b < row.end; ++b) {
        const LdltBlock& block = view.blocks[b];
        for (int c = 0; c < block.dim; c += four) {
            const Four other = load(x + block.place + c);
            each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
                sum[p] = sum[p] + load(f + p * stride + block.column + c) * other;
            });
        }
    }
    double own[D];
    each_down(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
        own[p] = x[row.place + p] - ((sum[p][0] + sum[p][1]) + (sum[p][2] + sum[p][3]));
        each(next(p), d, [&](auto q) LIG_INLINE_LAMBDA { own[p] -= f[p * stride + q] * own[q]; });
        x[row.place + p] = own[p];
    });
}

void forward(const LdltView& view, double* x) {
    for (int c = 0; c < view.chosen_count; ++c) {
        const LdltRow& row = view.rows[view.chosen[c]];
        with_dimension(row.dim, [&](auto dim) LIG_INLINE_LAMBDA { forward_row<dim>(view, row, x); });
    }
}

void backward(const LdltView& view, double* x) {
    for (int c = view.chosen_count - 1; c >= 0; --c) {
        const LdltRow& row = view.rows[view.chosen[c]];
        with_dimension(row.dim, [&](auto dim) LIG_INLINE_LAMBDA { backward_row<dim>(view, row, x); });
    }
}

template <int D>
void forward4_row(const LdltView& view, const LdltRow& row, double* y) {
    const auto d = dimension<D>();
    const double* const f = view.factor + row.at;
    const int stride = row.stride;
    Four own[D];
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA { own[p] = load(y + four * (row.offset + p)); });
    each(Index<0>{}, d, [&](auto p) LIG_INLINE_LAMBDA {
        each(next(p), d,
             [&](auto q) LIG_INLINE_LAMBDA { own[q] = own[q] - Four(f[p * stride + q]) * own[p]; });
        store(own[p], y + four * (row.offset + p));
    });
    for (int b = row.begin; b < row.end; ++b) {
        const LdltBlock& block = view.blocks[b];
        const double* from = f + block.column;
        double* to = y + four * view.rows[block.row].offset;
        for (int q = 0; q < block.dim; ++q, ++from, to += four) {
            Four sum = load(to);
            each(Index<0>{}, d,
                 [&](auto p) LIG_INLINE_LAMBDA { sum = sum - Four(from[p * stride]) * own[p]; });
            store(sum, to);
        }
    }
}

void forward4(const LdltView& view, const int* rows, int count, double* y) {
    for (int k = 0; k < count; ++k) {
        const LdltRow& row = view.rows[rows[k]];
        with_dimension(row.dim, [&](auto dim) LIG_INLINE_LAMBDA { forward4_row<dim>(view, row, y); });
    }
}

void products4(const double* y, const int* entries, int count, const double* z, double* a) {
    Four sum[four] = {load(a), load(a + 4), load(a + 8), load(a + 12)};
    for (int i = 0; i < count; ++i) {
        const Four other = load(z + four * entries[i]);
        for (int r = 0; r < four; ++r) sum[r] = sum[r] + Four(y[four * i + r]) * other;
    }
    for (int r = 0; r < four; ++r) store(sum[r], a + four * r);
}

}  // namespace

namespace LIG_ISA {

void add_block_ldlt_kernels(BlockLdltKernels& table) {
    table = {&factor, &forward, &backward, &forward4, &products4};
}

}  // namespace LIG_ISA
}  // namespace lig
