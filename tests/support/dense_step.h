#pragma once

// Steps of rows on a JointFactor, solved by dense algebra: what solvers of impulses are to find.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace lig::test {

// A x = b by elimination with pivots; A is n × n, row by row.
inline std::vector<double> dense_solve(std::vector<double> A, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
        for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = A[i * n + k] / A[k * n + k];
            for (std::size_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return b;
}

// v⁺ of a step with impulses x and rows of entries alone; the rows' impulses are left in them. By
// elimination, and where that exceeds bounds by sweeps until nothing changes. `factor` is computed.
inline std::vector<double> stepped(JointFactor& factor, const std::vector<double>& v, std::vector<double> x,
                                   Rows& rows, int max_sweeps = 200000) {
    const std::size_t nv = v.size(), n = rows.rows.size();
    const auto response = [&](std::vector<double> impulse) {
        std::vector<double> out(nv);
        factor.inward(impulse);
        factor.outward(impulse, out);
        return out;
    };
    std::vector<double> next = response(std::move(x));
    for (std::size_t k = 0; k < nv; ++k) next[k] += v[k];
    std::vector<std::vector<double>> J(n, std::vector<double>(nv)), X(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows.rows[i];
        for (int k = 0; k < row.entry_count; ++k)
            J[i][rows.entries[row.entry_begin + k].dof] += rows.entries[row.entry_begin + k].value;
        X[i] = response(J[i]);
    }
    const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t k = 0; k < nv; ++k) sum += a[k] * b[k];
        return sum;
    };
    std::vector<double> A(n * n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[i * n + j] = dot(J[i], X[j]);
        A[i * n + i] += rows.rows[i].compliance;
        b[i] = -(dot(J[i], next) + rows.rows[i].bias);
    }
    const std::vector<double> direct = dense_solve(A, b);
    bool within = true;
    for (std::size_t i = 0; i < n; ++i)
        within &= direct[i] >= rows.rows[i].lo && direct[i] <= rows.rows[i].hi;
    for (std::size_t i = 0; i < n; ++i) {
        rows.rows[i].lambda = within ? direct[i] : 0;
        for (std::size_t k = 0; k < nv && within; ++k) next[k] += direct[i] * X[i][k];
    }
    double change = within ? 0 : 1;
    for (int sweep = 0; sweep < max_sweeps && change > 0; ++sweep) {
        change = 0;
        for (std::size_t i = 0; i < n; ++i) {
            Row& row = rows.rows[i];
            const double w = dot(J[i], next) + row.bias + row.compliance * row.lambda;
            const double lambda =
                std::clamp(row.lambda - w / (dot(J[i], X[i]) + row.compliance), row.lo, row.hi);
            const double step = lambda - row.lambda;
            if (std::abs(step) <= 1e-16 * std::abs(lambda)) continue;
            change = std::max(change, std::abs(step));
            for (std::size_t k = 0; k < nv; ++k) next[k] += step * X[i][k];
            row.lambda = lambda;
        }
    }
    return next;
}

}  // namespace lig::test
