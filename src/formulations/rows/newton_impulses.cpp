#include "formulations/rows/newton_impulses.h"

#include "formulations/rows/row_kernels.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Compliance beside the response of a row. Less of it needs fewer turns, each of them harder.
constexpr double softness = 1e-2;
// F is solved when it is this small beside the impulses, squared.
constexpr double solved = 1e-18, nearly_solved = 1e-8;
// Of the square of sliding friction: rows of rolling friction below it are resolved slowly.
constexpr double least_rho_share = 1e-10;
constexpr int most_searches = 12, coulomb_patience = 4, most_stiffenings = 4;
// Turns that do not bring rows nearer than they have been: under Coulomb's law alone, where no compliance is
// left to be taken out; and of both laws in turn, where rounding keeps Coulomb's from being solved and rows
// are missed by little (contradiction).
constexpr int max_stuck_turns = 3, max_idle_turns = 6;
constexpr double least_progress = 0.95;
// Times the accuracy: what rows that contradict each other may be missed by.
constexpr double contradiction = 1e3;

}  // namespace

void NewtonImpulses::make_room(int coordinates) {
    const std::size_t n = static_cast<std::size_t>(coordinates);
    if (n <= local_.size() && !local_.empty()) return;
    local_.resize(n);
    for (std::vector<double>* x : {&gradient_, &direction_, &packed_, &saved_s_}) x->assign(n, 0.0);
}

template <class F>
void NewtonImpulses::for_each_dof(const Problem& problem, F&& f) const {
    for (const int t : problem.trees)
        for (int dof = trees_[t].v_begin; dof < trees_[t].v_end; ++dof) f(dof);
}

void NewtonImpulses::begin(Problem& problem, std::span<const int> which) {
    const Rows& rows = problem.rows;
    const RowResponse& response = problem.response;
    for (std::vector<double>* x : {&u_, &du_, &before_, &saved_before_, &compliance_, &responses_})
        x->resize(rows.rows.size());
    for (std::size_t t = problem.trees.size(); t-- > 0;) {
        const Islands::Tree& tree = trees_[problem.trees[t]];
        for (int dof = tree.v_end - 1; dof >= tree.v_begin; --dof) local_[dof] = problem.n++;
    }
    blocks_.clear();
    runs_.clear();
    for (const int index : which) {
        const RowBlock& block = rows.blocks[index];
        const ResponseBlock& z = response.blocks[index];
        Block own{};
        own.index = index;
        own.begin = block.begin;
        own.count = block.count;
        own.cone = block.kind == RowKind::contact && block.count > 1;
        double own_response[6] = {};
        for (int j = 0; j < z.support_count; ++j)
            for (int r = 0; r < block.count; ++r) {
                const double entry = response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)];
                own_response[r] += entry * entry;
            }
        for (int r = 0; r < block.count; ++r) {
            // Compliance of the row itself is no artifice: it is there in every turn, so λ⁰ must not count
            // it. With w = u + c λ and λ = λ⁰ − w/ε, λ = (ε λ⁰ − u)/(ε + c): the same form with λ⁰ ε/(ε + c).
            const double own_softness = softness * own_response[r] + 1e-300;
            compliance_[block.begin + r] = own_softness + rows.rows[block.begin + r].compliance;
            before_[block.begin + r] = problem.lambda[block.begin + r];
            responses_[block.begin + r] = own_response[r];
        }
        // What nothing can move has no impulse. Bounded rows, of friction, may have any within their bounds.
        if (!(compliance_[block.begin] > 1e-300) && !(rows.rows[block.begin].hi < HUGE_VAL)) {
            for (int r = block.begin; r < block.begin + block.count; ++r) problem.lambda[r] = 0;
            continue;
        }
        if (own.cone) {
            double largest = 0;
            for (int r = 1; r < block.count; ++r)
                if (r <= 2 || largest == 0) largest = std::max(largest, rows.rows[block.begin + r].friction);
            own.rho = own.least_rho = largest * largest;
            for (int r = 3; r < block.count; ++r) {
                const double mu = rows.rows[block.begin + r].friction;
                if (mu > 0)
                    own.least_rho = std::min(own.least_rho, mu * mu * own_response[r] / own_response[0]);
            }
            own.least_rho = std::max(own.least_rho, least_rho_share * own.rho);
        }
        own.run_begin = static_cast<int>(runs_.size());
        for (int j = 0; j < z.support_count; ++j) {
            const int place = local_[response.support[z.support_begin + j]];
            if (own.run_count > 0 && runs_[runs_.size() - 2] + runs_.back() == place) {
                ++runs_.back();
            } else {
                runs_.push_back(place);
                runs_.push_back(1);
                ++own.run_count;
            }
        }
        if (terms_.size() < 6 * static_cast<std::size_t>(z.support_count))
            terms_.resize(6 * static_cast<std::size_t>(z.support_count));
        blocks_.push_back(own);
    }
}

void NewtonImpulses::find_velocities(const Problem& problem, std::span<const double> s, bool with_b,
                                     std::vector<double>& out) const {
    const RowResponse& response = problem.response;
    for (const Block& block : blocks_) {
        const ResponseBlock& z = response.blocks[block.index];
        double sum[6] = {};
        if (z.width == 4) {
            row_kernels().gather4(response.z.data() + z.z_begin, response.support.data() + z.support_begin,
                                  z.support_count, s.data(), sum);
        } else {
            for (int j = 0; j < z.support_count; ++j) {
                const double entry = s[response.support[z.support_begin + j]];
                for (int r = 0; r < block.count; ++r)
                    sum[r] += response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)] * entry;
            }
        }
        for (int r = 0; r < block.count; ++r)
            out[block.begin + r] = sum[r] + (with_b ? problem.b[block.begin + r] : 0.0);
    }
}

void NewtonImpulses::add_impulses(const Problem& problem, std::span<const double> lambda,
                                  std::vector<double>& s) const {
    const RowResponse& response = problem.response;
    for (const Block& block : blocks_) {
        const ResponseBlock& z = response.blocks[block.index];
        bool any = false;
        for (int r = 0; r < block.count; ++r) any = any || lambda[block.begin + r] != 0;
        if (!any) continue;
        if (z.width == 4) {
            double change[4] = {};
            for (int r = 0; r < block.count; ++r) change[r] = lambda[block.begin + r];
            row_kernels().scatter4(response.z.data() + z.z_begin, response.support.data() + z.support_begin,
                                   z.support_count, change, s.data());
            continue;
        }
        for (int j = 0; j < z.support_count; ++j) {
            double sum = 0;
            for (int r = 0; r < block.count; ++r)
                sum += response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)] *
                       lambda[block.begin + r];
            s[response.support[z.support_begin + j]] += sum;
        }
    }
}

// λ of a block from the velocities u of its rows; `rows`, u and lambda point to its first row.
void NewtonImpulses::project(Law law, Block& block, const Row* rows, const double* u, double* lambda) const {
    const double* R = compliance_.data() + block.begin;
    const double* before = before_.data() + block.begin;
    block.part = Part::open;
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r) {
            const double kept = rows[r].compliance > 0 ? (R[r] - rows[r].compliance) / R[r] : 1.0;
            lambda[r] = std::clamp(kept * before[r] - u[r] / R[r], rows[r].lo, rows[r].hi);
            if (lambda[r] != 0) block.part = Part::sticks;
        }
        return;
    }
    const int k = block.count - 1;
    const double shift = law == Law::associated ? block.shift : 0.0;
    const double normal = before[0] - (u[0] + shift) / R[0];
    double squares = 0, y[5];
    for (int i = 0; i < k; ++i) {
        const double mu = rows[1 + i].friction;
        y[i] = mu > 0 ? before[1 + i] / mu - mu * u[1 + i] / (R[0] * block.rho) : 0.0;
        squares += y[i] * y[i];
    }
    const double T = std::sqrt(squares);
    const bool opens = law == Law::associated ? normal <= -block.rho * T : normal <= 0;
    if (opens) {
        std::fill(lambda, lambda + block.count, 0.0);
        return;
    }
    block.part = Part::sticks;
    lambda[0] = normal;
    double scale = 1;
    if (T > normal) {
        block.part = Part::slides;
        if (law == Law::associated) lambda[0] = (normal + block.rho * T) / (1 + block.rho);
        scale = lambda[0] / T;
        block.normal = lambda[0];
        block.length = T;
        for (int i = 0; i < k; ++i) block.e[i] = y[i] / T;
    }
    for (int i = 0; i < k; ++i) lambda[1 + i] = rows[1 + i].friction * scale * y[i];
}

// |M u_t|
double NewtonImpulses::opening_speed(const Block& block, const Row* rows) const {
    if (!block.cone) return 0;
    double squares = 0;
    for (int i = 1; i < block.count; ++i) {
        const double x = rows[i].friction * u_[block.begin + i];
        squares += x * x;
    }
    return std::sqrt(squares);
}

double NewtonImpulses::find_gradient(Law law, const Problem& problem) {
    for (Block& block : blocks_)
        project(law, block, &problem.rows.rows[block.begin], &u_[block.begin], &problem.lambda[block.begin]);
    for_each_dof(problem, [&](int dof) { gradient_[dof] = 0; });
    add_impulses(problem, problem.lambda, gradient_);
    double squares = 0;
    for_each_dof(problem, [&](int dof) {
        gradient_[dof] = problem.s[dof] - problem.s_free[dof] - gradient_[dof];
        squares += gradient_[dof] * gradient_[dof];
    });
    return squares;
}

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

// H += the curvature of one block: Σ factor · y yᵀ with y = Zᵀ weights, of all its rows at once.
void NewtonImpulses::add_curvature(Law law, const Block& block, const Problem& problem) {
    if (block.part == Part::open) return;
    const RowResponse& response = problem.response;
    const ResponseBlock& z = response.blocks[block.index];
    const Row* row = &problem.rows.rows[block.begin];
    const double* R = compliance_.data() + block.begin;
    const double* lambda = &problem.lambda[block.begin];
    const int count = z.support_count;
    const double* zs = response.z.data() + z.z_begin;
    int terms = 0;
    const auto add_term = [&](const double* weights, double factor) {
        const double root = std::sqrt(factor);
        double scaled[6];
        for (int r = 0; r < block.count; ++r) scaled[r] = root * weights[r];
        double* y = terms_.data() + static_cast<std::size_t>(terms++ * count);
        for (int j = 0; j < count; ++j) {
            double sum = 0;
            for (int r = 0; r < block.count; ++r) sum += scaled[r] * zs[z.width * j + r];
            y[j] = sum;
        }
    };
    const auto add_row = [&](int r, double factor) {
        const double root = std::sqrt(factor);
        double* y = terms_.data() + static_cast<std::size_t>(terms++ * count);
        for (int j = 0; j < count; ++j) y[j] = root * zs[z.width * j + r];
    };
    const auto flush = [&] {
        if (terms > 0)
            row_kernels().add_outer(terms_.data(), terms, count, runs_.data() + block.run_begin,
                                    block.run_count, H_.entries(), H_.starts(), H_.firsts());
        terms = 0;
    };
    double weights[6] = {};
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r)
            if (lambda[r] > row[r].lo && lambda[r] < row[r].hi) add_row(r, 1 / R[r]);
        flush();
        return;
    }
    if (block.part == Part::sticks) {
        add_row(0, 1 / R[0]);
        for (int i = 1; i < block.count; ++i)
            if (row[i].friction > 0) add_row(i, row[i].friction * row[i].friction / (R[0] * block.rho));
        flush();
        return;
    }
    // Across the direction of sliding: M (1 − e eᵀ) M, by vectors orthogonal to e.
    const double across = block.normal / (block.length * R[0] * block.rho);
    const int k = block.count - 1;
    if (k == 2) {
        weights[1] = -row[1].friction * block.e[1];
        weights[2] = row[2].friction * block.e[0];
        add_term(weights, across);
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
            add_term(weights, across);
        }
    }
    std::fill(weights, weights + 6, 0.0);
    for (int i = 1; i < block.count; ++i) weights[i] = row[i].friction * block.e[i - 1];
    if (law == Law::associated) {
        weights[0] = 1;
        add_term(weights, 1 / (R[0] * (1 + block.rho)));
        flush();
        return;
    }
    const std::size_t at = static_cast<std::size_t>(pairs_) * problem.n;
    left_.resize(at + problem.n);
    right_.resize(at + problem.n);
    std::fill(left_.begin() + static_cast<std::ptrdiff_t>(at), left_.end(), 0.0);
    std::fill(right_.begin() + static_cast<std::ptrdiff_t>(at), right_.end(), 0.0);
    scatter(z, response, weights, left_.data() + at);
    std::fill(weights, weights + 6, 0.0);
    weights[0] = 1 / R[0];
    scatter(z, response, weights, right_.data() + at);
    pair_blocks_.push_back(static_cast<int>(&block - blocks_.data()));
    ++pairs_;
    add_row(0, 1 / R[0]);
    flush();
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

// How far to go along the direction: to the root of the slope of the convex function, which rises.
double NewtonImpulses::search(const Problem& problem) {
    double start = 0, square = 0, first_slope = 0;
    for_each_dof(problem, [&](int dof) {
        start += direction_[dof] * (problem.s[dof] - problem.s_free[dof]);
        square += direction_[dof] * direction_[dof];
        first_slope += direction_[dof] * gradient_[dof];
    });
    double alpha = 1, low = 0, high = 0;
    for (int turn = 0; turn < most_searches; ++turn) {
        double slope = start + alpha * square, bend = square;
        for (Block& block : blocks_) {
            const Row* rows = &problem.rows.rows[block.begin];
            double u[6], impulse[6];
            for (int r = 0; r < block.count; ++r) u[r] = u_[block.begin + r] + alpha * du_[block.begin + r];
            project(Law::associated, block, rows, u, impulse);
            for (int r = 0; r < block.count; ++r) slope -= impulse[r] * du_[block.begin + r];
            bend += slope_curvature(block, rows, impulse, &du_[block.begin]);
        }
        if (std::fabs(slope) <= 0.01 * std::fabs(first_slope)) break;
        (slope < 0 ? low : high) = alpha;
        double next = alpha - slope / bend;
        if (!(next > low) || (high > 0 && !(next < high))) next = high > 0 ? 0.5 * (low + high) : 2 * alpha;
        alpha = next;
    }
    return alpha;
}

double NewtonImpulses::turn(Law law, const Problem& problem) {
    const double missed = missed_speed(law, problem);
    for (Block& block : blocks_) {
        for (int r = block.begin; r < block.begin + block.count; ++r) before_[r] = problem.lambda[r];
        block.shift = opening_speed(block, &problem.rows.rows[block.begin]);
    }
    return missed;
}

// Takes most of the compliance that is ours out of all rows.
bool NewtonImpulses::stiffen(const Problem& problem) {
    bool stiffer = false;
    for (Block& block : blocks_) {
        if (block.cone && block.rho > block.least_rho) {
            block.rho = std::max(0.1 * block.rho, block.least_rho);
            stiffer = true;
        }
        if (block.stiffened == most_stiffenings) continue;
        ++block.stiffened;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const double given = problem.rows.rows[r].compliance;
            compliance_[r] = given + 0.1 * (compliance_[r] - given);
        }
    }
    return stiffer;
}

NewtonResult NewtonImpulses::solve(const Rows& rows, const RowResponse& response, std::span<const int> which,
                                   std::span<const int> trees, std::span<const double> b,
                                   std::span<const double> s_free, double accuracy, std::span<double> lambda,
                                   std::span<double> s, int most_iterations) {
    NewtonResult result;
    Problem problem{rows, response, trees, b, s_free, lambda, s};
    begin(problem, which);
    const auto take_impulses = [&] {
        for_each_dof(problem, [&](int dof) { direction_[dof] = 0; });
        add_impulses(problem, lambda, direction_);
        for_each_dof(problem, [&](int dof) { s[dof] = s_free[dof] + direction_[dof]; });
    };
    take_impulses();
    find_velocities(problem, s, true, u_);
    for (Block& block : blocks_) block.shift = opening_speed(block, &rows.rows[block.begin]);
    double size = 1e-300;
    for_each_dof(problem, [&](int dof) { size += s_free[dof] * s_free[dof]; });
    // Where there is no force but a velocity to be stopped, that is the measure. (Rows of friction may have
    // any bias, and some rows have hardly any response.)
    double largest = 0, stopped = 0;
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            largest = std::max(largest, compliance_[r]);
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (!(rows.rows[r].friction > 0) && compliance_[r] > 1e-6 * largest) {
                const double impulse = std::clamp(-softness * b[r] / compliance_[r], rows.rows[r].lo,
                                                  rows.rows[r].hi);
                stopped += std::fabs(b[r] * impulse);
            }
    if (!(size > 1e-12 * stopped)) size = 1e-6 * stopped;

    // Most steps change little: Coulomb's law from the guess. If that does not do, what the guess was worth
    // is found out by associated turns.
    Law law = Law::coulomb;
    int turns = 0, patience = coulomb_patience, stuck = 0, idle = 0;
    double last_missed = HUGE_VAL, least_missed = HUGE_VAL;
    double gradient = find_gradient(law, problem);
    result.residual = missed_speed(law, problem);
    if (result.residual <= accuracy) {
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r) lambda[r] = before_[r];
        result.converged = true;
        return result;
    }
    const auto save = [&] {
        for_each_dof(problem, [&](int dof) { saved_s_[dof] = s[dof]; });
        for (Block& block : blocks_) block.saved_shift = block.shift;
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r) saved_before_[r] = before_[r];
    };
    save();
    // To the last state that was solved for.
    const auto back_to_associated = [&] {
        for_each_dof(problem, [&](int dof) { s[dof] = saved_s_[dof]; });
        for (Block& block : blocks_) block.shift = block.saved_shift;
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r) before_[r] = saved_before_[r];
        law = Law::associated;
        turns = 0;
        find_velocities(problem, s, true, u_);
        gradient = find_gradient(law, problem);
    };
    while (result.iterations < most_iterations) {
        if (gradient <= (law == Law::associated ? nearly_solved : solved) * size) {
            const double missed = turn(law, problem);
            result.residual = missed;
            if (missed <= accuracy) {
                result.converged = true;
                break;
            }
            idle = missed > least_progress * least_missed ? idle + 1 : 0;
            least_missed = std::min(least_missed, missed);
            if (idle >= max_idle_turns && missed < contradiction * accuracy) break;
            save();
            if (law == Law::associated && ++turns >= 2) {
                law = Law::coulomb;
                patience = coulomb_patience;
                last_missed = HUGE_VAL;
            } else if (law == Law::coulomb) {
                // Slow turns: less compliance, now that it is known what acts.
                const bool stiffer = missed > 0.1 * last_missed && stiffen(problem);
                // Rows that contradict each other are missed by the same velocity in every turn.
                stuck = missed > least_progress * last_missed ? stuck + !stiffer : 0;
                if (stuck == max_stuck_turns) {
                    result.converged = missed < contradiction * accuracy;
                    break;
                }
                last_missed = missed;
                patience = coulomb_patience;
            }
            gradient = find_gradient(law, problem);
            continue;
        }
        const bool possible = find_direction(law, problem);
        ++result.iterations;
        if (!possible || (law == Law::coulomb && patience-- == 0)) {
            if (law == Law::associated) break;
            back_to_associated();
            continue;
        }
        const double alpha = law == Law::associated ? search(problem) : 1.0;
        for_each_dof(problem, [&](int dof) { s[dof] += alpha * direction_[dof]; });
        find_velocities(problem, s, true, u_);
        gradient = find_gradient(law, problem);
    }
    // What is not solved may be anything; the impulses of the last turn that was are not.
    if (!result.converged)
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r)
                lambda[r] = saved_before_[r];
    take_impulses();
    find_velocities(problem, s, true, u_);
    result.residual = std::max(result.residual, measured_miss(problem));
    result.converged = result.converged && result.residual < contradiction * accuracy;
    return result;
}

}  // namespace lig
