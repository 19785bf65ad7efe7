// The matrix of Newton's method, and its directions.

#include "formulations/rows/newton_impulses.h"
#include "formulations/rows/row_kernels.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

// out (by place) = Zᵀ weights
void NewtonImpulses::scatter(const ResponseBlock& block, const RowResponse& response, const double* weights,
                             double* out) const {
    for (int j = 0; j < block.support_count; ++j) {
        double sum = 0;
        for (int r = 0; r < block.rows; ++r)
            sum += weights[r] * response.z[block.z_begin + static_cast<std::size_t>(block.width * j + r)];
        out[local_[response.support[block.support_begin + j]]] = sum;
    }
}

// The vectors y = √factor Zᵀ weights of one block whose products y yᵀ are added to H, all at once.
class NewtonImpulses::Terms {
public:
    Terms(NewtonImpulses& of, const Block& block, const Problem& problem)
        : of_(of),
          block_(block),
          count_(problem.response.blocks[block.index].support_count),
          width_(problem.response.blocks[block.index].width),
          z_(problem.response.z.data() + problem.response.blocks[block.index].z_begin) {}

    void add(const double* weights, double factor) {
        const double root = std::sqrt(factor);
        double scaled[6];
        for (int r = 0; r < block_.count; ++r) scaled[r] = root * weights[r];
        double* y = next();
        for (int j = 0; j < count_; ++j) {
            double sum = 0;
            for (int r = 0; r < block_.count; ++r) sum += scaled[r] * z_[width_ * j + r];
            y[j] = sum;
        }
    }
    void add_row(int r, double factor) {
        const double root = std::sqrt(factor);
        double* y = next();
        for (int j = 0; j < count_; ++j) y[j] = root * z_[width_ * j + r];
    }
    void flush() {
        if (terms_ > 0)
            row_kernels().add_outer({of_.terms_.data(), terms_, count_, of_.runs_.data() + block_.run_begin,
                                     block_.run_count},
                                    of_.H_.entries(), of_.H_.starts(), of_.H_.firsts());
        terms_ = 0;
    }

private:
    double* next() { return of_.terms_.data() + static_cast<std::size_t>(terms_++ * count_); }

    NewtonImpulses& of_;
    const Block& block_;
    const int count_, width_;
    const double* const z_;
    int terms_ = 0;
};

// H += the curvature of one block.
void NewtonImpulses::add_curvature(Law law, const Block& block, const Problem& problem) {
    if (block.part == Part::open) return;
    const Row* row = &problem.rows.rows[block.begin];
    const double* R = compliance_.data() + block.begin;
    const double* lambda = &problem.lambda[block.begin];
    Terms terms(*this, block, problem);
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r)
            if (lambda[r] > row[r].lo && lambda[r] < row[r].hi) terms.add_row(r, 1 / R[r]);
    } else if (block.part == Part::sticks) {
        terms.add_row(0, 1 / R[0]);
        for (int i = 1; i < block.count; ++i)
            if (row[i].friction > 0)
                terms.add_row(i, row[i].friction * row[i].friction / (R[0] * block.rho));
    } else {
        add_sliding(law, block, problem, terms);
    }
    terms.flush();
}

// Of a contact that slides.
void NewtonImpulses::add_sliding(Law law, const Block& block, const Problem& problem, Terms& terms) {
    const Row* row = &problem.rows.rows[block.begin];
    const double* R = compliance_.data() + block.begin;
    double weights[6] = {};
    // Across the direction of sliding: M (1 − e eᵀ) M, by vectors orthogonal to e.
    const double across = block.normal / (block.length * R[0] * block.rho);
    const int k = block.count - 1;
    if (k == 2) {
        weights[1] = -row[1].friction * block.e[1];
        weights[2] = row[2].friction * block.e[0];
        terms.add(weights, across);
    } else if (k > 2) {
        // The columns of a reflection that takes the first axis to ±e: all but the first are orthogonal to e.
        double v[5] = {};
        const double sign = block.e[0] >= 0 ? 1.0 : -1.0;
        double square = 0;
        for (int i = 0; i < k; ++i) {
            v[i] = block.e[i] + (i == 0 ? sign : 0.0);
            square += v[i] * v[i];
        }
        for (int c = 1; c < k; ++c) {
            for (int i = 0; i < k; ++i)
                weights[1 + i] = row[1 + i].friction * ((i == c) - 2 * v[i] * v[c] / square);
            terms.add(weights, across);
        }
    }
    std::fill(weights, weights + 6, 0.0);
    for (int i = 1; i < block.count; ++i) weights[i] = row[i].friction * block.e[i - 1];
    if (law == Law::associated) {
        weights[0] = 1;
        terms.add(weights, 1 / (R[0] * (1 + block.rho)));
        return;
    }
    const std::size_t at = static_cast<std::size_t>(pairs_) * problem.n;
    left_.resize(at + problem.n);
    right_.resize(at + problem.n);
    std::fill(left_.begin() + static_cast<std::ptrdiff_t>(at), left_.end(), 0.0);
    std::fill(right_.begin() + static_cast<std::ptrdiff_t>(at), right_.end(), 0.0);
    scatter(problem.response.blocks[block.index], problem.response, weights, left_.data() + at);
    std::fill(weights, weights + 6, 0.0);
    weights[0] = 1 / R[0];
    scatter(problem.response.blocks[block.index], problem.response, weights, right_.data() + at);
    pair_blocks_.push_back(static_cast<int>(&block - blocks_.data()));
    ++pairs_;
    terms.add_row(0, 1 / R[0]);
}

// pair_side_ = pair_matrix_⁻¹ pair_side_, of k rows, by elimination.
bool NewtonImpulses::solve_small(int k) {
    double* C = pair_matrix_.data();
    for (int c = 0; c < k; ++c) {
        int pivot = c;
        for (int i = c + 1; i < k; ++i)
            if (std::fabs(C[i * k + c]) > std::fabs(C[pivot * k + c])) pivot = i;
        if (!(std::fabs(C[pivot * k + c]) > 0)) return false;
        if (pivot != c) {
            for (int j = c; j < k; ++j) std::swap(C[c * k + j], C[pivot * k + j]);
            std::swap(pair_side_[c], pair_side_[pivot]);
        }
        for (int i = c + 1; i < k; ++i) {
            const double factor = C[i * k + c] / C[c * k + c];
            if (factor == 0) continue;
            for (int j = c + 1; j < k; ++j) C[i * k + j] -= factor * C[c * k + j];
            pair_side_[i] -= factor * pair_side_[c];
        }
    }
    for (int i = k - 1; i >= 0; --i) {
        for (int j = i + 1; j < k; ++j) pair_side_[i] -= C[i * k + j] * pair_side_[j];
        pair_side_[i] /= C[i * k + i];
    }
    return true;
}

// packed_ = (H + Σ left rightᵀ)⁻¹ packed_, H factored.
bool NewtonImpulses::solve_pairs() {
    const auto solve = row_kernels().solve_envelope;
    H_.solve(solve, packed_.data());
    if (pairs_ == 0) return true;
    const int k = pairs_, n = static_cast<int>(left_.size()) / k;
    // A right vector is that of one row: zero off the places of its block.
    const auto right_times = [&](int pair, const double* x) {
        const Block& block = blocks_[pair_blocks_[pair]];
        const double* right = right_.data() + static_cast<std::size_t>(pair * n);
        double sum = 0;
        for (int run = block.run_begin; run < block.run_begin + 2 * block.run_count; run += 2)
            sum += dot(right + runs_[run], x + runs_[run], runs_[run + 1]);
        return sum;
    };
    pair_matrix_.resize(static_cast<std::size_t>(k * k));
    pair_side_.resize(static_cast<std::size_t>(k));
    for (int j = 0; j < k; ++j) H_.solve(solve, left_.data() + static_cast<std::size_t>(j * n));
    double* C = pair_matrix_.data();
    for (int i = 0; i < k; ++i) {
        for (int j = 0; j < k; ++j)
            C[i * k + j] = (i == j) + right_times(i, left_.data() + j * n);
        pair_side_[i] = right_times(i, packed_.data());
    }
    if (!solve_small(k)) return false;
    for (int j = 0; j < k; ++j)
        for (int i = 0; i < n; ++i) packed_[i] -= pair_side_[j] * left_[static_cast<std::size_t>(j * n + i)];
    return true;
}

// direction_ = −H⁻¹ F, du_ = Z direction_.
bool NewtonImpulses::find_direction(Law law, const Problem& problem) {
    const RowResponse& response = problem.response;
    H_.begin(problem.n);
    for (const Block& block : blocks_) {
        const ResponseBlock& z = response.blocks[block.index];
        if (block.part == Part::open || z.support_count == 0) continue;
        const int* support = response.support.data() + z.support_begin;
        const int first = local_[support[0]];
        for (int j = 0; j < z.support_count; ++j) H_.lower(local_[support[j]], first);
    }
    H_.layout();
    for (int i = 0; i < problem.n; ++i) H_.row_at(i)[i] = 1;
    pairs_ = 0;
    left_.clear();
    right_.clear();
    pair_blocks_.clear();
    for (const Block& block : blocks_) add_curvature(law, block, problem);
    if (!H_.factor(row_kernels().factor_envelope)) return false;
    for_each_dof(problem, [&](int dof) { packed_[local_[dof]] = -gradient_[dof]; });
    if (!solve_pairs()) return false;
    for_each_dof(problem, [&](int dof) { direction_[dof] = packed_[local_[dof]]; });
    find_velocities(problem, direction_, false, du_);
    return true;
}

// duᵀ G du under the associated law.
double NewtonImpulses::slope_curvature(const Block& block, const Row* row, const double* lambda,
                                       const double* du) const {
    if (block.part == Part::open) return 0;
    const double* R = compliance_.data() + block.begin;
    double sum = 0;
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r)
            if (lambda[r] > row[r].lo && lambda[r] < row[r].hi) sum += du[r] * du[r] / R[r];
        return sum;
    }
    double along = 0, squares = 0;
    for (int i = 1; i < block.count; ++i) {
        const double x = row[i].friction * du[i];
        if (block.part == Part::slides) along += block.e[i - 1] * x;
        squares += x * x;
    }
    if (block.part == Part::sticks) return du[0] * du[0] / R[0] + squares / (R[0] * block.rho);
    const double g = du[0] + along;
    return g * g / (R[0] * (1 + block.rho)) +
           block.normal / (block.length * R[0] * block.rho) * (squares - along * along);
}

}  // namespace lig
