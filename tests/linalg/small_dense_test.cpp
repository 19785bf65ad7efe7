// Small dense kernels against long double arithmetic written differently: products of the factors, and
// elimination with complete pivoting for the solves.

#include "linalg/small_dense.h"

#include "scalar_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lig::test {
namespace {

using Real = long double;

template <class F>
void for_sizes(const F& f) {
    for (int n = 1; n <= 12; ++n) f(n);
}

struct Matrix {
    int rows, cols;
    std::vector<Real> entries;
    Matrix(int r, int c) : rows(r), cols(c), entries(std::size_t(r) * c) {}
    Real& operator()(int i, int j) { return entries[std::size_t(i) * cols + j]; }
    Real operator()(int i, int j) const { return entries[std::size_t(i) * cols + j]; }
    Real largest() const {
        Real worst = 0;
        for (Real x : entries) worst = std::isnan(x) ? x : std::max(worst, std::fabs(x));
        return worst;
    }
};

Matrix multiply(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = 0; k < a.cols; ++k)
            for (int j = 0; j < b.cols; ++j) out(i, j) += a(i, k) * b(k, j);
    return out;
}
Matrix transposed(const Matrix& a) {
    Matrix out(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
    return out;
}
Matrix difference(const Matrix& a, const Matrix& b) {
    Matrix out = a;
    for (std::size_t i = 0; i < out.entries.size(); ++i) out.entries[i] -= b.entries[i];
    return out;
}

// a x = b by Gauss-Jordan elimination with complete pivoting.
Matrix solve(Matrix a, Matrix b) {
    const int n = a.rows;
    std::vector<int> row_of(n, -1);
    std::vector<bool> used(n, false);
    for (int step = 0; step < n; ++step) {
        int r = -1, c = -1;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (!used[i] && row_of[j] < 0 && (r < 0 || std::fabs(a(i, j)) > std::fabs(a(r, c))))
                    r = i, c = j;
        used[r] = true;
        row_of[c] = r;
        for (int i = 0; i < n; ++i) {
            if (i == r) continue;
            const Real m = a(i, c) / a(r, c);
            for (int j = 0; j < n; ++j) a(i, j) -= m * a(r, j);
            for (int j = 0; j < b.cols; ++j) b(i, j) -= m * b(r, j);
        }
    }
    Matrix x(n, b.cols);
    for (int c = 0; c < n; ++c)
        for (int j = 0; j < b.cols; ++j) x(c, j) = b(row_of[c], j) / a(row_of[c], c);
    return x;
}

template <class T>
Matrix lane_of(const T* a, int rows, int cols, int ld, int lane) {
    Matrix out(rows, cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) out(i, j) = get_lane(a[i * ld + j], lane);
    return out;
}
// The symmetric matrix whose lower triangle is stored.
template <class T>
Matrix symmetric_lane(const T* a, int n, int ld, int lane) {
    Matrix out = lane_of(a, n, n, ld, lane);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) out(i, j) = out(j, i);
    return out;
}

// B Bᵀ + shift · 1, different in every lane. Above the diagonal stands rubbish that nobody may read.
template <class T>
void random_definite(Random& random, T* a, int n, int ld, double shift) {
    using R = real_t<T>;
    std::vector<double> b(std::size_t(n) * n);
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        for (double& x : b) x = random.uniform(-1, 1);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = i == j ? shift : 0;
                for (int k = 0; k < n; ++k) sum += b[i * n + k] * b[j * n + k];
                set_lane(a[i * ld + j], lane, j <= i ? R(sum) : std::numeric_limits<R>::quiet_NaN());
            }
        }
    }
}

// The factors as matrices: L with its diagonal, D.
template <class T>
std::pair<Matrix, Matrix> factors(const T* f, int n, int ld, int lane, bool cholesky_factor) {
    Matrix l(n, n), d(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) l(i, j) = get_lane(f[i * ld + j], lane);
        const Real diagonal = 1 / Real(get_lane(f[i * ld + i], lane));
        l(i, i) = cholesky_factor ? diagonal : 1;
        d(i, i) = cholesky_factor ? 1 : diagonal;
    }
    return {l, d};
}

template <class T>
double factor_error(const Matrix& a, const T* f, int n, int ld, int lane, bool cholesky_factor) {
    const auto [l, d] = factors(f, n, ld, lane, cholesky_factor);
    return double(difference(a, multiply(multiply(l, d), transposed(l))).largest() / a.largest());
}

template <class T>
bool lanes_match(const T* lanes, const real_t<T>* scalar, int count, int lane) {
    for (int i = 0; i < count; ++i)
        if (!same_bits<real_t<T>>(get_lane(lanes[i], lane), scalar[i])) return false;
    return true;
}
template <class T>
std::vector<real_t<T>> take_lane(const T* lanes, int count, int lane) {
    std::vector<real_t<T>> out(count);
    for (int i = 0; i < count; ++i) out[i] = get_lane(lanes[i], lane);
    return out;
}

// The kernels under test, called by a size known at run time: they are forced inline everywhere else, and the
// tests compiled anew for every size and scalar would take the compiler minutes.
namespace called {

// Calls f(Index<n>{}).
template <class F>
auto with_size(int n, const F& f) {
    switch (n) {
#define LIG_CASE(N) \
    case N: return f(Index<N>{})
        LIG_CASE(1);
        LIG_CASE(2);
        LIG_CASE(3);
        LIG_CASE(4);
        LIG_CASE(5);
        LIG_CASE(6);
        LIG_CASE(7);
        LIG_CASE(8);
        LIG_CASE(9);
        LIG_CASE(10);
        LIG_CASE(11);
#undef LIG_CASE
    }
    REQUIRE(n == 12);
    return f(Index<12>{});
}

template <class T>
[[gnu::noinline]] mask_t<T> cholesky(int n, T* a, real_t<T> tolerance = 0) {
    return with_size(n, [&](auto size) { return lig::cholesky<size()>(a, tolerance); });
}
template <class T>
[[gnu::noinline]] LdltReport<T> ldlt(int n, T* a, real_t<T> tolerance = 0) {
    return with_size(n, [&](auto size) { return lig::ldlt<size()>(a, tolerance); });
}
template <int M = 1, class T>
[[gnu::noinline]] void cholesky_solve(int n, const T* l, T* b) {
    with_size(n, [&](auto size) { lig::cholesky_solve<size(), M>(l, b); });
}
template <class T>
[[gnu::noinline]] void cholesky_solve_down(int n, const T* l, T* b) {
    with_size(n, [&](auto size) { lig::cholesky_solve_down<size()>(l, b); });
}
template <class T>
[[gnu::noinline]] void cholesky_solve_up(int n, const T* l, T* b) {
    with_size(n, [&](auto size) { lig::cholesky_solve_up<size()>(l, b); });
}
template <int M = 1, class T>
[[gnu::noinline]] void ldlt_solve(int n, const T* l, T* b) {
    with_size(n, [&](auto size) { lig::ldlt_solve<size(), M>(l, b); });
}
template <int M = 1, class T>
[[gnu::noinline]] mask_t<T> solve_definite(int n, T* a, T* b) {
    return with_size(n, [&](auto size) { return lig::solve_definite<size(), M>(a, b); });
}
template <class T>
[[gnu::noinline]] mask_t<T> inverse_definite(int n, T* a) {
    return with_size(n, [&](auto size) { return lig::inverse_definite<size()>(a); });
}
template <class T>
[[gnu::noinline]] mask_t<T> cholesky_n(T* a, int n) { return lig::cholesky_n(a, n); }
template <class T>
[[gnu::noinline]] LdltReport<T> ldlt_n(T* a, int n) { return lig::ldlt_n(a, n); }
template <class T>
[[gnu::noinline]] void cholesky_solve_n(const T* l, int n, T* b, int columns, int stride) {
    lig::cholesky_solve_n(l, n, b, columns, stride);
}
template <class T>
[[gnu::noinline]] void ldlt_solve_n(const T* l, int n, T* b, int columns, int stride) {
    lig::ldlt_solve_n(l, n, b, columns, stride);
}
template <class T>
[[gnu::noinline]] mask_t<T> solve_definite_n(T* a, int n, T* b, int columns, int stride) {
    return lig::solve_definite_n(a, n, b, columns, stride);
}
template <class T>
[[gnu::noinline]] mask_t<T> inverse_definite_n(T* a, int n) { return lig::inverse_definite_n(a, n); }

}  // namespace called

}  // namespace

TEST_CASE_TEMPLATE("factors multiply back, sizes 1 to 12", T, LIG_TEST_SCALARS) {
    for_sizes([](auto size) {
        const int n = size;
        CAPTURE(n);
        Random random(100 + n);
        T a[12 * 12], l[12 * 12], d[12 * 12];
        for (int round = 0; round < 10; ++round) {
            random_definite(random, a, n, n, 0.1);
            std::copy(a, a + n * n, l);
            std::copy(a, a + n * n, d);
            CHECK(all(called::cholesky(n, l)));
            const LdltReport<T> report = called::ldlt(n, d);
            CHECK(all(report.nonsingular));
            CHECK(all(report.positive_definite()));
            bool same = true;
            for (int lane = 0; lane < lane_width<T>; ++lane) {
                const Matrix exact = symmetric_lane(a, n, n, lane);
                CHECK(factor_error(exact, l, n, n, lane, true) < (n + 3) * epsilon<T>);
                CHECK(factor_error(exact, d, n, n, lane, false) < (n + 3) * epsilon<T>);
                auto l1 = take_lane(a, n * n, lane), d1 = l1;
                called::cholesky(n, l1.data());
                called::ldlt(n, d1.data());
                same =
                    same && lanes_match(l, l1.data(), n * n, lane) && lanes_match(d, d1.data(), n * n, lane);
            }
            CHECK(same);
        }
    });
}

TEST_CASE_TEMPLATE("solves agree with elimination, sizes 1 to 12, several right-hand sides", T,
                   LIG_TEST_SCALARS) {
    using R = real_t<T>;
    for_sizes([](auto size) {
        const int n = size;
        constexpr int m = 3;
        CAPTURE(n);
        Random random(200 + n);
        T a[12 * 12], l[12 * 12], d[12 * 12], w[12 * 12], b[12 * m], x[12 * m], y[12 * m], z[12 * m],
            single[12];
        for (int round = 0; round < 4; ++round) {
            random_definite(random, a, n, n, 1.0);  // condition below 50
            for (T& entry : b) entry = random.lanes<T>(-1, 1);
            for (T* copy : {l, d, w}) std::copy(a, a + n * n, copy);
            for (T* copy : {x, y, z}) std::copy(b, b + n * m, copy);
            called::cholesky(n, l);
            called::cholesky_solve<m>(n, l, x);
            called::ldlt(n, d);
            called::ldlt_solve<m>(n, d, y);
            CHECK(all(called::solve_definite<m>(n, w, z)));
            for (int i = 0; i < n; ++i) single[i] = b[i * m + 1];
            called::cholesky_solve_down(n, l, single);
            called::cholesky_solve_up(n, l, single);
            bool same = true;
            for (int lane = 0; lane < lane_width<T>; ++lane) {
                const Matrix exact = solve(symmetric_lane(a, n, n, lane), lane_of(b, n, m, m, lane));
                const Real bound = 100 * epsilon<T> * std::max(Real(1), exact.largest());
                CHECK(difference(lane_of(x, n, m, m, lane), exact).largest() < bound);
                CHECK(difference(lane_of(y, n, m, m, lane), exact).largest() < bound);
                CHECK(difference(lane_of(z, n, m, m, lane), exact).largest() < bound);
                for (int i = 0; i < n; ++i)
                    same = same && same_bits<R>(get_lane(single[i], lane), get_lane(x[i * m + 1], lane));
                auto a1 = take_lane(a, n * n, lane), x1 = take_lane(b, n * m, lane), a2 = a1, z1 = x1;
                called::cholesky(n, a1.data());
                called::cholesky_solve<m>(n, a1.data(), x1.data());
                called::solve_definite<m>(n, a2.data(), z1.data());
                same =
                    same && lanes_match(x, x1.data(), n * m, lane) && lanes_match(z, z1.data(), n * m, lane);
            }
            CHECK(same);
        }
    });
}

TEST_CASE_TEMPLATE("the inverse is symmetric and inverts, sizes 1 to 12", T, LIG_TEST_SCALARS) {
    for_sizes([](auto size) {
        const int n = size;
        CAPTURE(n);
        Random random(300 + n);
        T a[12 * 12], w[12 * 12];
        Matrix identity(n, n);
        for (int i = 0; i < n; ++i) identity(i, i) = 1;
        for (int round = 0; round < 4; ++round) {
            random_definite(random, a, n, n, 1.0);
            std::copy(a, a + n * n, w);
            CHECK(all(called::inverse_definite(n, w)));
            bool same = true;
            for (int lane = 0; lane < lane_width<T>; ++lane) {
                const Matrix exact = solve(symmetric_lane(a, n, n, lane), identity),
                             got = lane_of(w, n, n, n, lane);
                CHECK(difference(got, exact).largest() < 100 * epsilon<T>);
                CHECK(difference(got, transposed(got)).largest() == 0);
                auto w1 = take_lane(a, n * n, lane);
                called::inverse_definite(n, w1.data());
                same = same && lanes_match(w, w1.data(), n * n, lane);
            }
            CHECK(same);
        }
    });
}

TEST_CASE_TEMPLATE("the inverse of an indefinite Sym3", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    // Chosen by hand: determinant 2·(3·(-4) - 1) - 1·(1·(-4) - 0.5) + 0.5·(1 - 1.5) = -21.75.
    const Sym3<T> m = {T(R(2)), T(R(3)), T(R(-4)), T(R(1)), T(R(0.5)), T(R(1))};
    T determinant;
    const Sym3<T> w = inverse(m, determinant);
    CHECK(std::fabs(double(get_lane(determinant, 0)) + 21.75) < 40 * epsilon<T>);
    const Mat3<T> product = m.full() * w.full();
    for (int lane = 0; lane < lane_width<T>; ++lane)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                CHECK(std::fabs(double(get_lane(product(i, j), lane)) - (i == j)) < 8 * epsilon<T>);
    const Sym3<T> again = inverse(m);
    CHECK(all(again.yz == w.yz));
    CHECK(all(again.xx == w.xx));
}

TEST_CASE_TEMPLATE("run-time sizes give the bits of compile-time sizes", T, LIG_TEST_SCALARS) {
    for_sizes([](auto size) {
        const int n = size;
        constexpr int ld = small_stride;
        if (n <= 6) {
            CAPTURE(n);
            Random random(400 + n);
            T a[12 * 12], b[12 * 2];
            random_definite(random, a, n, n, 0.5);
            for (T& entry : b) entry = random.lanes<T>(-1, 1);

            const auto wide = [&](T* out) {
                for (int i = 0; i < n; ++i) std::copy(a + i * n, a + (i + 1) * n, out + i * ld);
            };
            const auto equal = [&](const T* got, int got_ld, const T* expected, int cols, bool lower) {
                bool same = true;
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < (lower ? i + 1 : cols); ++j)
                        same = same && all(got[i * got_ld + j] == expected[i * cols + j]);
                return same;
            };

            T fixed[12 * 12], free[ld * ld], x[12 * 2], padded[12 * 5];
            const auto solved = [&](auto factor, auto solve, auto factor_n, auto solve_n) {
                std::copy(a, a + n * n, fixed);
                std::copy(b, b + n * 2, x);
                wide(free);
                for (int i = 0; i < n; ++i) std::copy(b + i * 2, b + i * 2 + 2, padded + i * 5);
                factor(fixed);
                solve(fixed, x);
                factor_n(free);
                solve_n(free, padded);
                CHECK(equal(free, ld, fixed, n, true));
                CHECK(equal(padded, 5, x, 2, false));
            };
            solved([&](T* f) { CHECK(all(called::cholesky(n, f))); },
                   [&](T* f, T* y) { called::cholesky_solve<2>(n, f, y); },
                   [&](T* f) { CHECK(all(called::cholesky_n(f, n))); },
                   [&](T* f, T* y) { called::cholesky_solve_n(f, n, y, 2, 5); });
            solved([&](T* f) { called::ldlt(n, f); }, [&](T* f, T* y) { called::ldlt_solve<2>(n, f, y); },
                   [&](T* f) { CHECK(all(called::ldlt_n(f, n).positive_definite())); },
                   [&](T* f, T* y) { called::ldlt_solve_n(f, n, y, 2, 5); });
            solved([&](T*) {}, [&](T* f, T* y) { called::solve_definite<2>(n, f, y); },
                   [&](T*) {}, [&](T* f, T* y) { CHECK(all(called::solve_definite_n(f, n, y, 2, 5))); });

            // The halves, and the inverse (below 4 the fixed sizes use cofactors).
            std::copy(a, a + n * n, fixed);
            wide(free);
            called::cholesky(n, fixed);
            called::cholesky_n(free, n);
            T half[12], half_n[12];
            for (int i = 0; i < n; ++i) half[i] = half_n[i] = b[i];
            called::cholesky_solve_down(n, fixed, half);
            called::cholesky_solve_up(n, fixed, half);
            cholesky_solve_down_n(free, n, half_n);
            cholesky_solve_up_n(free, n, half_n);
            CHECK(equal(half_n, 1, half, 1, false));
            std::copy(a, a + n * n, fixed);
            wide(free);
            called::inverse_definite(n, fixed);
            CHECK(all(called::inverse_definite_n(free, n)));
            if (n > 3) {
                CHECK(equal(free, ld, fixed, n, false));
            } else {
                for (int i = 0; i < n * n; ++i)
                    CHECK(all(abs(free[i / n * ld + i % n] - fixed[i]) < T(50 * epsilon<T>)));
            }
        }
    });
}

TEST_CASE_TEMPLATE("ill-conditioned matrices: small backward error, small residual", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    for_sizes([](auto size) {
        const int n = size;
        // Hilbert matrices whose condition (about 33^n / 300) the precision can still bear.
        if (n <= (sizeof(R) == 8 ? 10 : 4)) {
            CAPTURE(n);
            T a[12 * 12], l[12 * 12], b[12];
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) a[i * n + j] = T(R(1) / R(i + j + 1));
            for (int i = 0; i < n; ++i) b[i] = T(R(i % 2 ? -1 : 1));
            std::copy(a, a + n * n, l);
            CHECK(all(called::cholesky(n, l)));
            T x[12];
            std::copy(b, b + n, x);
            called::cholesky_solve(n, l, x);
            const Matrix exact = symmetric_lane(a, n, n, 0), x1 = lane_of(x, n, 1, 1, 0);
            CHECK(factor_error(exact, l, n, n, 0, true) < 4 * epsilon<T>);
            // ‖A x - b‖ ≤ c ε ‖A‖ ‖x‖ however large the condition.
            const Real residual = difference(multiply(exact, x1), lane_of(b, n, 1, 1, 0)).largest();
            CHECK(residual < 3 * n * epsilon<T> * std::max(Real(1), x1.largest()));

            // Stiff against soft, as in a chain of heavy and light bodies: rows and columns scaled apart.
            Random random(500 + n);
            random_definite(random, a, n, n, 0.5);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j <= i; ++j) a[i * n + j] = a[i * n + j] * T(R(std::exp2(-4 * (i + j))));
            std::copy(a, a + n * n, l);
            CHECK(all(called::ldlt(n, l).positive_definite()));
            CHECK(factor_error(symmetric_lane(a, n, n, 0), l, n, n, 0, false) < (n + 3) * epsilon<T>);
        }
    });
}

TEST_CASE_TEMPLATE("a lane that is not definite is flagged, and no other", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    for_sizes([](auto size) {
        const int n = size;
        CAPTURE(n);
        for (int bad = 0; bad < lane_width<T>; ++bad) {
            for (int where = 0; where < n; ++where) {
                Random random(600 + n);
                T a[12 * 12], l[12 * 12], d[12 * 12], w[12 * 12];
                random_definite(random, a, n, n, 1.0);
                // A diagonal entry below zero makes exactly one eigenvalue, hence one pivot, negative.
                set_lane(a[where * n + where], bad, R(-50));
                for (T* copy : {l, d, w}) std::copy(a, a + n * n, copy);
                const mask_t<T> definite = called::cholesky(n, l),
                                inverse_ok = called::inverse_definite(n, w);
                const LdltReport<T> report = called::ldlt(n, d);
                bool right = true;
                for (int lane = 0; lane < lane_width<T>; ++lane) {
                    right = right && get_mask(definite, lane) == (lane != bad) &&
                            get_mask(inverse_ok, lane) == (lane != bad) &&
                            get_mask(report.nonsingular, lane) &&
                            get_mask(report.positive_definite(), lane) == (lane != bad) &&
                            get_lane(report.negative_pivots, lane) == R(lane == bad);
                }
                CHECK(right);
                // The factors of the good lanes, and of the indefinite one by ldlt, are still right.
                const Matrix indefinite = symmetric_lane(a, n, n, bad);
                CHECK(factor_error(indefinite, d, n, n, bad, false) < 20 * n * epsilon<T>);
                const int good = (bad + 1) % lane_width<T>;
                if (good != bad)
                    CHECK(factor_error(symmetric_lane(a, n, n, good), l, n, n, good, true) <
                          (n + 3) * epsilon<T>);
            }
        }
    });
}

TEST_CASE_TEMPLATE("singular matrices and tolerances", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    // Twice the same row: the second pivot is exactly zero.
    T twice[4] = {T(R(4)), T(R(4)), T(R(4)), T(R(4))};
    T copy[4] = {twice[0], twice[1], twice[2], twice[3]};
    CHECK(!any(called::cholesky(2, copy)));
    std::copy(twice, twice + 4, copy);
    CHECK(!any(called::ldlt(2, copy).nonsingular));
    std::copy(twice, twice + 4, copy);
    CHECK(!any(called::inverse_definite(2, copy)));

    // Nearly so: the second pivot is 8 ε of its diagonal entry. The sign says definite, a tolerance says no.
    twice[3] = T(R(4) + 32 * epsilon<T>);
    for (bool strict : {false, true}) {
        const R tolerance = strict ? 100 * epsilon<T> : R(0);
        std::copy(twice, twice + 4, copy);
        CHECK(all(called::cholesky(2, copy, tolerance)) != strict);
        std::copy(twice, twice + 4, copy);
        CHECK(all(called::ldlt(2, copy, tolerance).nonsingular) != strict);
    }

    // Not a number is never definite.
    T bad[1] = {T(std::numeric_limits<R>::quiet_NaN())};
    CHECK(!any(called::cholesky(1, bad)));
    bad[0] = T(std::numeric_limits<R>::quiet_NaN());
    CHECK(!any(called::ldlt(1, bad).nonsingular));
    bad[0] = T(std::numeric_limits<R>::quiet_NaN());
    CHECK(!any(called::inverse_definite(1, bad)));
}

TEST_CASE_TEMPLATE("ldlt of a quasi-definite matrix counts its negative pivots", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    // [M Gᵀ; G -C] with M of 5 and C of 3: five positive and three negative pivots in any order.
    constexpr int n = 8;
    Random random(700);
    T a[12 * 12], d[12 * 12], m[25], c[9], b[12], x[12];
    random_definite(random, m, 5, 5, 1.0);
    random_definite(random, c, 3, 3, 1.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            if (i < 5)
                a[i * n + j] = m[i * 5 + j];
            else if (j < 5)
                a[i * n + j] = random.lanes<T>(-1, 1);
            else
                a[i * n + j] = -c[(i - 5) * 3 + (j - 5)];
        }
        b[i] = random.lanes<T>(-1, 1);
    }
    std::copy(a, a + n * n, d);
    std::copy(b, b + n, x);
    const LdltReport<T> report = called::ldlt(n, d);
    CHECK(all(report.nonsingular));
    CHECK(!any(report.positive_definite()));
    CHECK(all(report.negative_pivots == T(R(3))));
    called::ldlt_solve(n, d, x);
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        const Matrix exact = solve(symmetric_lane(a, n, n, lane), lane_of(b, n, 1, 1, lane));
        CHECK(difference(lane_of(x, n, 1, 1, lane), exact).largest() < 100 * epsilon<T>);
    }
}

}  // namespace lig::test
