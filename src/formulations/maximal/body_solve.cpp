// The matrix factored and solved: thin bodies, and equalities by anticipation.

#include "bodies/body_list.h"
#include "formulations/maximal/body_matrix.h"
#include "linalg/small_dense.h"

#include <algorithm>

namespace lig::maximal {

namespace {

// Anticipation: of what a row of a loop does to itself; where less is left beside the others, it follows from
// them.
constexpr double equality_rank_tolerance = 1e-10;

}  // namespace

// Of one body by itself: j M⁻¹ jᵀ of a row's entries.
double BodyMatrix::compliance_of(int link, const double* row) const {
    const int dim = K_.dim(link);
    double a[bodies::max_body_dim * bodies::max_body_dim], x[bodies::max_body_dim];
    poses_.write_mass(link, a);
    graph_.visit(link, [&](auto kind) {
        using Kind = decltype(kind);
        std::copy_n(row, bodies::freedoms_of(kind), x);
        if constexpr (Kind::kind == BodyKind::program) {
            cholesky_of(dim, a);
            cholesky_solve_of(dim, a, x);
        } else {
            cholesky<Kind::dim>(a);
            cholesky_solve<Kind::dim>(a, x);
        }
    });
    double sum = 0;
    for (int k = 0; k < dim; ++k) sum += x[k] * row[k];
    return sum;
}

double BodyMatrix::free_response(std::span<const double> row) const {
    double sum = 0;
    for (int i = 0; i < graph_.links(); ++i) {
        const double* const own = row.data() + graph_.offset(i);
        if (std::any_of(own, own + K_.dim(i), [](double x) { return x != 0; })) sum += compliance_of(i, own);
    }
    return sum;
}

// ρ Jᵀ J of the hard rows of thin bodies' joints: ρ is of the size of what the row moves.
void BodyMatrix::add_thin_blocks() {
    for (const int i : poses_.chosen()) {
        const Link& node = graph_.link(i);
        if (!node.thin || node.rows == 0) continue;
        const int parent = tree_.links[i].parent;
        const int nc = K_.dim(i), np = parent >= 0 ? K_.dim(parent) : 0;
        const double* Jc = child_block(node);
        const double* Jp = np > 0 ? parent_block(node) : nullptr;
        double *Dc = K_.diagonal(i), *Dp = np > 0 ? K_.diagonal(parent) : nullptr;
        double* E = np > 0 ? K_.edge(node.body_edge) : nullptr;
        for (int r = 0; r < node.rows; ++r) {
            const double *c = Jc + r * nc, *p = Jp + r * np;
            for (int x = 0; x < nc; ++x)
                for (int y = 0; y < nc; ++y) Dc[x * nc + y] += node.mass * c[x] * c[y];
            for (int x = 0; x < nc; ++x)
                for (int y = 0; y < np; ++y) E[x * np + y] += node.mass * c[x] * p[y];
            for (int x = 0; x < np; ++x)
                for (int y = 0; y < np; ++y) Dp[x * np + y] += node.mass * p[x] * p[y];
        }
    }
}

void BodyMatrix::add_thin_forces(std::span<double> x) const {
    for (const int i : poses_.chosen()) {
        const Link& node = graph_.link(i);
        if (!node.thin || node.rows == 0) continue;
        for (const Edge& edge : graph_.edges_of(node.joint)) {
            const double* J = block(edge);
            const int dim = graph_.dim(edge.link);
            double* const f = x.data() + graph_.offset(edge.link);
            for (int r = 0; r < node.rows; ++r)
                for (int c = 0; c < dim; ++c) f[c] += node.mass * J[r * dim + c] * x[node.joint.begin + r];
        }
    }
}

BlockLdlt::Factored BodyMatrix::factor(double damping) {
    if (graph_.has_thin()) add_thin_blocks();
    return with_equalities(K_.factor(damping));
}

BlockLdlt::Factored BodyMatrix::factor_leaving_out() {
    if (graph_.has_thin()) add_thin_blocks();
    return with_equalities(K_.factor_leaving_out());
}

BlockLdlt::Factored BodyMatrix::with_equalities(BlockLdlt::Factored factored) {
    if (factored.bad_node < 0 && graph_.equality_method() == EqualityMethod::anticipation)
        factored.redundant_rows += factor_equalities();
    factored.redundant_rows += idle_rows_;
    return factored;
}

// Anticipation: A and its root. Returns how many rows follow from others.
int BodyMatrix::factor_equalities() {
    equality_terms_.clear();
    int row = 0, idle = 0;
    for (const Equality& equality : graph_.equalities())
        for (int k = 0; k < equality.count; ++k, ++row)
            for (const Edge& edge : graph_.edges_of(equality))
                equality_terms_.push_back({row, edge.link, block(edge) + k * K_.dim(edge.link)});
    response_.workless(K_, equality_terms_, graph_.equality_rows(), A_);
    // A row along which joints do not move is rounding beside what its bodies would do by themselves.
    std::size_t at = 0;
    const std::size_t n = static_cast<std::size_t>(graph_.equality_rows());
    for (std::size_t k = 0; k < n; ++k) {
        double alone = 0;
        for (; at < equality_terms_.size() && equality_terms_[at].column == static_cast<int>(k); ++at)
            alone += compliance_of(equality_terms_[at].node, equality_terms_[at].values);
        if (!(alone > 0)) ++idle;
        if (A_[k * (n + 1)] > equality_rank_tolerance * alone) continue;
        for (std::size_t j = 0; j < n; ++j) A_[k * n + j] = A_[j * n + k] = 0;
    }
    return graph_.equality_rows() - idle - root_.factor(A_, graph_.equality_rows(), equality_rank_tolerance);
}

// Anticipation: what the equalities do first, then the joints with it.
void BodyMatrix::solve_equalities(std::span<double> x) {
    std::copy_n(x.begin(), K_.size(), right_.begin());
    K_.solve(x.first(K_.size()));
    int row = 0;
    for (const Equality& equality : graph_.equalities())
        for (int k = 0; k < equality.count; ++k, ++row) {
            double sum = -x[equality.begin + k];
            for (const Edge& edge : graph_.edges_of(equality)) {
                const int dim = K_.dim(edge.link);
                const double *J = block(edge) + k * dim, *a = x.data() + graph_.offset(edge.link);
                for (int c = 0; c < dim; ++c) sum += J[c] * a[c];
            }
            equality_side_[row] = sum;
        }
    root_.solve(A_, equality_side_, equality_forces_);
    std::copy_n(right_.begin(), K_.size(), x.begin());
    row = 0;
    for (const Equality& equality : graph_.equalities())
        for (int k = 0; k < equality.count; ++k, ++row) {
            const double y = x[equality.begin + k] = equality_forces_[row];
            for (const Edge& edge : graph_.edges_of(equality)) {
                const int dim = K_.dim(edge.link);
                const double* J = block(edge) + k * dim;
                for (int c = 0; c < dim; ++c) x[graph_.offset(edge.link) + c] -= J[c] * y;
            }
        }
    K_.solve(x.first(K_.size()));
}

std::span<const char> BodyMatrix::redundant() {
    redundant_.assign(K_.redundant().begin(), K_.redundant().end());
    redundant_.resize(static_cast<std::size_t>(graph_.size()), 0);
    if (graph_.equality_method() == EqualityMethod::anticipation) {
        int row = 0;
        for (const Equality& equality : graph_.equalities())
            for (int k = 0; k < equality.count; ++k, ++row)
                redundant_[static_cast<std::size_t>(equality.begin + k)] = !root_.is_kept(row);
    }
    return redundant_;
}

void BodyMatrix::solve_joints(std::span<double> x) {
    if (graph_.has_thin()) add_thin_forces(x);
    K_.solve(x.first(K_.size()));
}

bool BodyMatrix::is_kept(std::size_t equality, int r) const {
    int row = 0;
    for (std::size_t e = 0; e < equality; ++e) row += graph_.equalities()[e].count;
    return root_.is_kept(row + entry_of(equality, r) - graph_.equalities()[equality].begin);
}

void BodyMatrix::solve(std::span<double> x) {
    if (graph_.has_thin()) add_thin_forces(x);
    if (graph_.equality_method() == EqualityMethod::anticipation && !graph_.equalities().empty())
        solve_equalities(x);
    else
        K_.solve(x);
}

BlockLdlt::Refined BodyMatrix::solve_refined(std::span<double> x, int solves, double tolerance) {
    if (graph_.has_thin()) add_thin_forces(x);
    if (graph_.equality_method() == EqualityMethod::anticipation && !graph_.equalities().empty()) {
        solve_equalities(x);
        return {2, 0};
    }
    std::copy(x.begin(), x.end(), right_.begin());
    return K_.solve_refined(right_, x, solves, tolerance);
}

}  // namespace lig::maximal
