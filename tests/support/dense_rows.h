#pragma once

// Rows as dense matrices: J from the motion subspaces, without the factor, and solutions in long double.

#include "constraints/rows.h"

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <cmath>
#include <utility>
#include <vector>

namespace lig::test {

// J (rows × nv): a link's velocity by each freedom below it, taken at the link's origin. After
// forward_kinematics.
inline std::vector<double> dense_jacobian(const Rows& rows, const Workspace<double>& ws) {
    const Model& model = ws.model();
    std::vector<double> J(rows.rows.size() * model.nv, 0.0);
    for (const RowBlock& block : rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows.rows[r];
            double* const out = J.data() + r * model.nv;
            for (const auto& [link, force] :
                 {std::pair(block.link_a, row.on_a), std::pair(block.link_b, row.on_b)})
                for (int i = link; i >= 0; i = model.tree.links[i].parent)
                    for (int k = 0; k < model.tree.links[i].nv; ++k) {
                        const int dof = model.tree.links[i].v_adr + k;
                        const Vec3d arm = ws.poses[link].X_WL.p - ws.poses[i].X_WL.p;
                        out[dof] += dot(shift(ws.S[dof], arm), force);
                    }
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                out[rows.entries[e].dof] += rows.entries[e].value;
        }
    return J;
}

// Symmetric positive definite systems in long double: L of A = L Lᵀ, and solutions of A x = b.
class LongCholesky {
public:
    LongCholesky(const std::vector<double>& A, int n) : n_(n), l_(A.begin(), A.end()) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                long double sum = at(i, j);
                for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
                at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
            }
    }
    std::vector<double> solve(const std::vector<double>& b) const {
        std::vector<long double> x(b.begin(), b.end());
        for (int i = 0; i < n_; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= at(i, k) * x[k];
            x[i] /= at(i, i);
        }
        for (int i = n_ - 1; i >= 0; --i) {
            for (int k = i + 1; k < n_; ++k) x[i] -= at(k, i) * x[k];
            x[i] /= at(i, i);
        }
        return {x.begin(), x.end()};
    }

private:
    long double& at(int i, int j) { return l_[static_cast<std::size_t>(i) * n_ + j]; }
    const long double& at(int i, int j) const { return l_[static_cast<std::size_t>(i) * n_ + j]; }

    int n_;
    std::vector<long double> l_;
};

inline double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
    long double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<long double>(a[k]) * b[k];
    return static_cast<double>(sum);
}

}  // namespace lig::test
