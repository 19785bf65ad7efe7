#pragma once

// Factorizations and solves of small symmetric matrices, over any scalar.
//
// Storage. A matrix is row-major and square, `a[i * ld + j]`. Symmetric input is read from its lower triangle
// only, and a factor is written there; what stands above the diagonal is neither read nor changed. Full
// storage and not packed: the blocks these kernels work on are read by matrix products too, and at this size
// the index arithmetic of a packed triangle costs more than the memory it saves.
//
// A factor keeps the reciprocals of its diagonal, so the solves do not divide:
//   cholesky:  A = L Lᵀ,   below the diagonal L, on it 1/L_ii;
//   ldlt:      A = L D Lᵀ, below the diagonal L (with unit diagonal), on it 1/D_ii.
//
// Nothing throws and nothing is repaired. A factorization says in which lanes it succeeded; where it did not,
// that lane holds NaN, infinities or numbers without meaning, and the other lanes are not affected.
//
// Each kernel comes twice: with the size as a template argument (1 to 12), for blocks whose size is a
// property of a type, and as `…_n` with the size as an argument (up to 6, rows 6 apart), for the freedoms of
// compound joints. Both run the same operations in the same order.

#include "core/scalar_math.h"
#include "linalg/unrolled.h"

#include <ligament/vec.h>

namespace lig {

// Rows of the matrices of the `…_n` kernels are this far apart.
inline constexpr int small_stride = 6;

// What ldlt finds. The sign of the determinant is that of (-1)^negative_pivots.
template <class T>
struct LdltReport {
    mask_t<T> nonsingular;
    T negative_pivots;

    LIG_INLINE mask_t<T> positive_definite() const {
        return nonsingular & (negative_pivots == T(real_t<T>(0)));
    }
};

// The bodies. `n` is an int or an Index (unrolled.h), rows are `ld` apart.
namespace detail {

template <class T, class Size>
LIG_INLINE mask_t<T> cholesky(T* a, Size n, int ld, real_t<T> tolerance) {
    using R = real_t<T>;
    mask_t<T> definite = T(R(0)) == T(R(0));
    each(Index<0>{}, n, [&](auto j) LIG_INLINE_LAMBDA {
        T pivot = a[j * ld + j];
        const T least = tolerance > 0 ? T(tolerance) * pivot : T(R(0));  // folds away for the default
        each(Index<0>{}, j, [&](auto k) LIG_INLINE_LAMBDA { pivot -= a[j * ld + k] * a[j * ld + k]; });
        definite = definite & (pivot > least) & (pivot > T(R(0)));
        const T reciprocal = T(R(1)) / sqrt(pivot);
        a[j * ld + j] = reciprocal;
        each(next(j), n, [&](auto i) LIG_INLINE_LAMBDA {
            T sum = a[i * ld + j];
            each(Index<0>{}, j, [&](auto k) LIG_INLINE_LAMBDA { sum -= a[i * ld + k] * a[j * ld + k]; });
            a[i * ld + j] = sum * reciprocal;
        });
    });
    return definite;
}

template <class T, class Size>
LIG_INLINE LdltReport<T> ldlt(T* a, Size n, int ld, real_t<T> tolerance) {
    using R = real_t<T>;
    LdltReport<T> report{T(R(0)) == T(R(0)), T(R(0))};
    each(Index<0>{}, n, [&](auto j) LIG_INLINE_LAMBDA {
        // Row j still holds L_jk D_k; it becomes L_jk on the way.
        T pivot = a[j * ld + j];
        const T least = tolerance > 0 ? T(tolerance) * abs(pivot) : T(R(0));
        each(Index<0>{}, j, [&](auto k) LIG_INLINE_LAMBDA {
            const T scaled = a[j * ld + k];
            const T l = scaled * a[k * ld + k];
            pivot -= l * scaled;
            a[j * ld + k] = l;
        });
        report.nonsingular = report.nonsingular & (abs(pivot) > least);
        report.negative_pivots += select(pivot < T(R(0)), T(R(1)), T(R(0)));
        a[j * ld + j] = T(R(1)) / pivot;
        each(next(j), n, [&](auto i) LIG_INLINE_LAMBDA {
            T sum = a[i * ld + j];
            each(Index<0>{}, j, [&](auto k) LIG_INLINE_LAMBDA { sum -= a[i * ld + k] * a[j * ld + k]; });
            a[i * ld + j] = sum;
        });
    });
    return report;
}

// The right-hand sides are the columns of b, rows ldb apart. Down: L y = b. Up: Lᵀ x = y.
template <bool UnitDiagonal, class T, class Size>
LIG_INLINE void solve_down(const T* l, Size n, int ld, T* b, int columns, int ldb) {
    each(Index<0>{}, n, [&](auto i) LIG_INLINE_LAMBDA {
        for (int c = 0; c < columns; ++c) {
            T sum = b[i * ldb + c];
            each(Index<0>{}, i, [&](auto k) LIG_INLINE_LAMBDA { sum -= l[i * ld + k] * b[k * ldb + c]; });
            b[i * ldb + c] = UnitDiagonal ? sum : sum * l[i * ld + i];
        }
    });
}

template <bool UnitDiagonal, class T, class Size>
LIG_INLINE void solve_up(const T* l, Size n, int ld, T* b, int columns, int ldb) {
    each_down(Index<0>{}, n, [&](auto i) LIG_INLINE_LAMBDA {
        for (int c = 0; c < columns; ++c) {
            T sum = b[i * ldb + c];
            each(next(i), n, [&](auto k) LIG_INLINE_LAMBDA { sum -= l[k * ld + i] * b[k * ldb + c]; });
            b[i * ldb + c] = UnitDiagonal ? sum : sum * l[i * ld + i];
        }
    });
}

template <class T, class Size>
LIG_INLINE void scale_rows(const T* d, Size n, int ld, T* b, int columns, int ldb) {
    each(Index<0>{}, n, [&](auto i) LIG_INLINE_LAMBDA {
        for (int c = 0; c < columns; ++c) b[i * ldb + c] *= d[i * ld + i];
    });
}

// From a Cholesky factor to the whole inverse, both triangles.
template <class T, class Size>
LIG_INLINE void inverse_from_cholesky(T* a, Size n, int ld) {
    // L⁻¹ in place of L: a row needs the finished rows above it and its own entries from the left on.
    each(Index<1>{}, n, [&](auto i) LIG_INLINE_LAMBDA {
        each(Index<0>{}, i, [&](auto j) LIG_INLINE_LAMBDA {
            T sum = a[i * ld + j] * a[j * ld + j];
            each(next(j), i, [&](auto k) LIG_INLINE_LAMBDA { sum += a[i * ld + k] * a[k * ld + j]; });
            a[i * ld + j] = -(sum * a[i * ld + i]);
        });
    });
    // L⁻ᵀ L⁻¹: entry (i, j) needs the rows from i on, so going down nothing is lost.
    each(Index<0>{}, n, [&](auto i) LIG_INLINE_LAMBDA {
        each(Index<0>{}, next(i), [&](auto j) LIG_INLINE_LAMBDA {
            T sum = a[i * ld + i] * a[i * ld + j];
            each(next(i), n, [&](auto k) LIG_INLINE_LAMBDA { sum += a[k * ld + i] * a[k * ld + j]; });
            a[i * ld + j] = sum;
            a[j * ld + i] = sum;
        });
    });
}

}  // namespace detail

// A = L Lᵀ in place. True where the matrix is positive definite: every pivot is above `tolerance` times
// the diagonal entry it came from (0: the sign alone decides).
template <int N, class T>
LIG_INLINE mask_t<T> cholesky(T* a, real_t<T> tolerance = 0) {
    return detail::cholesky(a, size_of<N, T>(), N, tolerance);
}
template <class T>
LIG_INLINE mask_t<T> cholesky_n(T* a, int n, real_t<T> tolerance = 0) {
    return detail::cholesky(a, n, small_stride, tolerance);
}

// The same of a matrix of any size whose rows are not apart.
template <class T>
LIG_INLINE mask_t<T> cholesky_of(int n, T* a, real_t<T> tolerance = 0) {
    return detail::cholesky(a, n, n, tolerance);
}
template <class T>
LIG_INLINE void cholesky_solve_of(int n, const T* l, T* b) {
    detail::solve_down<false>(l, n, n, b, 1, 1);
    detail::solve_up<false>(l, n, n, b, 1, 1);
}

// The halves of a solve: L y = b, then Lᵀ x = y, in place.
template <int N, class T>
LIG_INLINE void cholesky_solve_down(const T* l, T* b) {
    detail::solve_down<false>(l, size_of<N, T>(), N, b, 1, 1);
}
template <int N, class T>
LIG_INLINE void cholesky_solve_up(const T* l, T* b) {
    detail::solve_up<false>(l, size_of<N, T>(), N, b, 1, 1);
}
template <class T>
LIG_INLINE void cholesky_solve_down_n(const T* l, int n, T* b) {
    detail::solve_down<false>(l, n, small_stride, b, 1, 1);
}
template <class T>
LIG_INLINE void cholesky_solve_up_n(const T* l, int n, T* b) {
    detail::solve_up<false>(l, n, small_stride, b, 1, 1);
}

// A x = b in place for M right-hand sides, the columns of the row-major N×M matrix b.
template <int N, int M = 1, class T>
LIG_INLINE void cholesky_solve(const T* l, T* b) {
    detail::solve_down<false>(l, size_of<N, T>(), N, b, M, M);
    detail::solve_up<false>(l, size_of<N, T>(), N, b, M, M);
}
// The same with rows of b `stride` apart.
template <class T>
LIG_INLINE void cholesky_solve_n(const T* l, int n, T* b, int columns = 1, int stride = 1) {
    detail::solve_down<false>(l, n, small_stride, b, columns, stride);
    detail::solve_up<false>(l, n, small_stride, b, columns, stride);
}

// A = L D Lᵀ in place, without interchanges: for definite and quasi-definite matrices (a positive and a
// negative definite diagonal block), which need none. A pivot counts as zero when its size is not above
// `tolerance` times that of the diagonal entry it came from.
template <int N, class T>
LIG_INLINE LdltReport<T> ldlt(T* a, real_t<T> tolerance = 0) {
    return detail::ldlt(a, size_of<N, T>(), N, tolerance);
}
template <class T>
LIG_INLINE LdltReport<T> ldlt_n(T* a, int n, real_t<T> tolerance = 0) {
    return detail::ldlt(a, n, small_stride, tolerance);
}

template <int N, int M = 1, class T>
LIG_INLINE void ldlt_solve(const T* l, T* b) {
    detail::solve_down<true>(l, size_of<N, T>(), N, b, M, M);
    detail::scale_rows(l, size_of<N, T>(), N, b, M, M);
    detail::solve_up<true>(l, size_of<N, T>(), N, b, M, M);
}
template <class T>
LIG_INLINE void ldlt_solve_n(const T* l, int n, T* b, int columns = 1, int stride = 1) {
    detail::solve_down<true>(l, n, small_stride, b, columns, stride);
    detail::scale_rows(l, n, small_stride, b, columns, stride);
    detail::solve_up<true>(l, n, small_stride, b, columns, stride);
}

// Factor and solve in one: A x = b in place of b, A overwritten; a free joint's six equations. True where A
// is positive definite. By L D Lᵀ: the chain of pivots decides the time, and this way it has no square roots.
template <int N, int M = 1, class T>
LIG_INLINE mask_t<T> solve_definite(T* a, T* b) {
    const LdltReport<T> report = ldlt<N>(a);
    ldlt_solve<N, M>(a, b);
    return report.positive_definite();
}
template <class T>
LIG_INLINE mask_t<T> solve_definite_n(T* a, int n, T* b, int columns = 1, int stride = 1) {
    const LdltReport<T> report = ldlt_n(a, n);
    ldlt_solve_n(a, n, b, columns, stride);
    return report.positive_definite();
}

// The inverse by cofactors, and the determinant. Where that is zero, the result is not finite.
template <class T>
LIG_INLINE Sym3<T> inverse(const Sym3<T>& m, T& determinant) {
    const T xx = m.yy * m.zz - m.yz * m.yz;
    const T xy = m.xz * m.yz - m.xy * m.zz;
    const T xz = m.xy * m.yz - m.xz * m.yy;
    determinant = m.xx * xx + (m.xy * xy + m.xz * xz);
    const T s = T(real_t<T>(1)) / determinant;
    return {s * xx, s * (m.xx * m.zz - m.xz * m.xz), s * (m.xx * m.yy - m.xy * m.xy),
            s * xy, s * xz, s * (m.xy * m.xz - m.xx * m.yz)};
}
template <class T>
LIG_INLINE Sym3<T> inverse(const Sym3<T>& m) {
    T determinant;
    return inverse(m, determinant);
}

// The whole inverse (both triangles) of a positive definite matrix, in place. True where it is positive
// definite. Up to 3×3 by cofactors, which on a nearly singular matrix lose more digits than a factorization.
template <int N, class T>
LIG_INLINE mask_t<T> inverse_definite(T* a) {
    using R = real_t<T>;
    const T zero = T(R(0));
    if constexpr (N == 1) {
        const mask_t<T> definite = a[0] > zero;
        a[0] = T(R(1)) / a[0];
        return definite;
    } else if constexpr (N == 2) {
        const T xx = a[0], xy = a[2], yy = a[3];
        const T determinant = xx * yy - xy * xy, s = T(R(1)) / determinant;
        a[0] = s * yy;
        a[1] = a[2] = -(s * xy);
        a[3] = s * xx;
        return (xx > zero) & (determinant > zero);
    } else if constexpr (N == 3) {
        const Sym3<T> m = {a[0], a[4], a[8], a[3], a[6], a[7]};
        T determinant;
        const Sym3<T> w = inverse(m, determinant);
        a[0] = w.xx;
        a[4] = w.yy;
        a[8] = w.zz;
        a[1] = a[3] = w.xy;
        a[2] = a[6] = w.xz;
        a[5] = a[7] = w.yz;
        return (m.xx > zero) & (m.xx * m.yy - m.xy * m.xy > zero) & (determinant > zero);
    } else {
        const mask_t<T> definite = cholesky<N>(a);
        detail::inverse_from_cholesky(a, size_of<N, T>(), N);
        return definite;
    }
}
template <class T>
LIG_INLINE mask_t<T> inverse_definite_n(T* a, int n) {
    const mask_t<T> definite = cholesky_n(a, n);
    detail::inverse_from_cholesky(a, n, small_stride);
    return definite;
}

}  // namespace lig
