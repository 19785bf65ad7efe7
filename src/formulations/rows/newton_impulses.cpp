#include "formulations/rows/newton_impulses.h"

#include "formulations/rows/row_kernels.h"
#include "formulations/rows/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const NewtonImpulsesTuning& tuning = newton_impulses_tuning;

}  // namespace

void NewtonImpulses::make_room(int coordinates) {
    const std::size_t n = static_cast<std::size_t>(coordinates);
    if (n <= local_.size() && !local_.empty()) return;
    local_.resize(n);
    for (std::vector<double>* x : {&gradient_, &direction_, &packed_, &saved_s_}) x->assign(n, 0.0);
}

void NewtonImpulses::begin(Problem& problem) {
    for (std::vector<double>* x : {&u_, &du_, &before_, &saved_before_, &compliance_, &responses_})
        x->resize(problem.rows.rows.size());
    for (std::size_t t = problem.trees.size(); t-- > 0;) {
        const Islands::Tree& tree = trees_[problem.trees[t]];
        for (int dof = tree.v_end - 1; dof >= tree.v_begin; --dof) local_[dof] = problem.n++;
    }
    blocks_.clear();
    runs_.clear();
    for (const int index : problem.blocks) {
        Block own = block_of(problem, index);
        // What nothing can move has no impulse. Bounded rows, of friction, may have any within their bounds.
        if (!(compliance_[own.begin] > 1e-300) && !(problem.rows.rows[own.begin].hi < HUGE_VAL)) {
            for (int r = own.begin; r < own.begin + own.count; ++r) problem.lambda[r] = 0;
            continue;
        }
        find_runs(problem.response.blocks[index], problem.response, own);
        blocks_.push_back(own);
    }
}

// A block without its runs, with the compliance and responses of its rows.
NewtonImpulses::Block NewtonImpulses::block_of(const Problem& problem, int index) {
    const Rows& rows = problem.rows;
    const RowResponse& response = problem.response;
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
        const double own_softness = tuning.softness * own_response[r] + 1e-300;
        compliance_[block.begin + r] = own_softness + rows.rows[block.begin + r].compliance;
        before_[block.begin + r] = problem.lambda[block.begin + r];
        responses_[block.begin + r] = own_response[r];
    }
    if (own.cone) {
        double largest = 0;
        for (int r = 1; r < block.count; ++r)
            if (r <= 2 || largest == 0) largest = std::max(largest, rows.rows[block.begin + r].friction);
        own.rho = own.min_rho = largest * largest;
        for (int r = 3; r < block.count; ++r) {
            const double mu = rows.rows[block.begin + r].friction;
            if (mu > 0)
                own.min_rho = std::min(own.min_rho, mu * mu * own_response[r] / own_response[0]);
        }
        own.min_rho = std::max(own.min_rho, tuning.min_rho_share * own.rho);
    }
    return own;
}

// Which places of the matrix a block acts on, and room for its terms.
void NewtonImpulses::find_runs(const ResponseBlock& z, const RowResponse& response, Block& own) {
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

// How far to go along the direction: to the root of the slope of the convex function, which rises.
double NewtonImpulses::search(const Problem& problem) {
    double start = 0, square = 0, first_slope = 0;
    for_each_dof(problem, [&](int dof) {
        start += direction_[dof] * (problem.s[dof] - problem.s_free[dof]);
        square += direction_[dof] * direction_[dof];
        first_slope += direction_[dof] * gradient_[dof];
    });
    double alpha = 1, low = 0, high = 0;
    for (int turn = 0; turn < tuning.max_searches; ++turn) {
        double slope = start + alpha * square, bend = square;
        for (Block& block : blocks_) {
            const Row* rows = &problem.rows.rows[block.begin];
            double u[6], impulse[6];
            for (int r = 0; r < block.count; ++r) u[r] = u_[block.begin + r] + alpha * du_[block.begin + r];
            project(Law::associated, block, rows, u, impulse);
            for (int r = 0; r < block.count; ++r) slope -= impulse[r] * du_[block.begin + r];
            bend += slope_curvature(block, rows, impulse, &du_[block.begin]);
        }
        if (std::fabs(slope) <= tuning.slope_share * std::fabs(first_slope)) break;
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
        if (block.cone && block.rho > block.min_rho) {
            block.rho = std::max(tuning.stiffer_share * block.rho, block.min_rho);
            stiffer = true;
        }
        if (block.stiffened == tuning.max_stiffenings) continue;
        ++block.stiffened;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const double given = problem.rows.rows[r].compliance;
            compliance_[r] = given + tuning.stiffer_share * (compliance_[r] - given);
        }
    }
    return stiffer;
}

// s of the impulses.
void NewtonImpulses::take_impulses(const Problem& problem) {
    for_each_dof(problem, [&](int dof) { direction_[dof] = 0; });
    add_impulses(problem, problem.lambda, direction_);
    for_each_dof(problem, [&](int dof) { problem.s[dof] = problem.s_free[dof] + direction_[dof]; });
}

// The measure of F, squared.
double NewtonImpulses::size_of(const Problem& problem) const {
    const Rows& rows = problem.rows;
    const std::span<const double> b = problem.b;
    double size = 1e-300;
    for_each_dof(problem, [&](int dof) { size += problem.s_free[dof] * problem.s_free[dof]; });
    // Where there is no force but a velocity to be stopped, that is the measure. (Rows of friction may have
    // any bias, and some rows have hardly any response.)
    double largest = 0, stopped = 0;
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            largest = std::max(largest, compliance_[r]);
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (!(rows.rows[r].friction > 0) && compliance_[r] > 1e-6 * largest) {
                const double impulse =
                    std::clamp(-tuning.softness * b[r] / compliance_[r], rows.rows[r].lo, rows.rows[r].hi);
                stopped += std::fabs(b[r] * impulse);
            }
    if (!(size > 1e-12 * stopped)) size = 1e-6 * stopped;
    return size;
}

// The state that has been solved for.
void NewtonImpulses::save(const Problem& problem) {
    for_each_dof(problem, [&](int dof) { saved_s_[dof] = problem.s[dof]; });
    for (Block& block : blocks_) block.saved_shift = block.shift;
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r) saved_before_[r] = before_[r];
}

// To the last state that was solved for.
void NewtonImpulses::back_to_associated(const Problem& problem, Progress& progress) {
    for_each_dof(problem, [&](int dof) { problem.s[dof] = saved_s_[dof]; });
    for (Block& block : blocks_) block.shift = block.saved_shift;
    for (const Block& block : blocks_)
        for (int r = block.begin; r < block.begin + block.count; ++r) before_[r] = saved_before_[r];
    progress.law = Law::associated;
    progress.turns = 0;
    find_velocities(problem, problem.s, true, u_);
    progress.gradient = find_gradient(progress.law, problem);
}

// F is solved: the impulses that it is counted from become those found. False: that was the last turn.
bool NewtonImpulses::end_turn(const Problem& problem, Progress& progress, NewtonResult& result) {
    const double missed = turn(progress.law, problem);
    result.residual = missed;
    if (missed <= problem.accuracy) {
        result.converged = true;
        return false;
    }
    progress.idle = missed > tuning.min_progress * progress.min_missed ? progress.idle + 1 : 0;
    progress.min_missed = std::min(progress.min_missed, missed);
    if (progress.idle >= tuning.max_idle_turns && missed < tuning.contradiction * problem.accuracy)
        return false;
    save(problem);
    if (progress.law == Law::associated && ++progress.turns >= 2) {
        progress.law = Law::coulomb;
        progress.patience = tuning.coulomb_patience;
        progress.last_missed = HUGE_VAL;
    } else if (progress.law == Law::coulomb) {
        // Slow turns: less compliance, now that it is known what acts.
        const bool stiffer = missed > tuning.slow_share * progress.last_missed && stiffen(problem);
        // Rows that contradict each other are missed by the same velocity in every turn.
        progress.stuck = missed > tuning.min_progress * progress.last_missed ? progress.stuck + !stiffer : 0;
        if (progress.stuck == tuning.max_stuck_turns) {
            result.converged = missed < tuning.contradiction * problem.accuracy;
            return false;
        }
        progress.last_missed = missed;
        progress.patience = tuning.coulomb_patience;
    }
    progress.gradient = find_gradient(progress.law, problem);
    return true;
}

// One step of Newton's method. False: there is none.
bool NewtonImpulses::iterate(const Problem& problem, Progress& progress) {
    const bool possible = find_direction(progress.law, problem);
    if (!possible || (progress.law == Law::coulomb && progress.patience-- == 0)) {
        if (progress.law == Law::associated) return false;
        back_to_associated(problem, progress);
        return true;
    }
    const double alpha = progress.law == Law::associated ? search(problem) : 1.0;
    for_each_dof(problem, [&](int dof) { problem.s[dof] += alpha * direction_[dof]; });
    find_velocities(problem, problem.s, true, u_);
    progress.gradient = find_gradient(progress.law, problem);
    return true;
}

NewtonResult NewtonImpulses::solve(const IslandProblem& given, double accuracy, std::span<double> lambda,
                                   std::span<double> s, int max_iterations) {
    NewtonResult result;
    Problem problem{given, lambda, s, accuracy};
    begin(problem);
    take_impulses(problem);
    find_velocities(problem, s, true, u_);
    for (Block& block : blocks_) block.shift = opening_speed(block, &problem.rows.rows[block.begin]);
    const double size = size_of(problem);
    // Most steps change little: Coulomb's law from the guess. If that does not do, what the guess was worth
    // is found out by associated turns.
    Progress progress{.law = Law::coulomb,
                      .gradient = find_gradient(Law::coulomb, problem),
                      .size = size,
                      .patience = tuning.coulomb_patience};
    result.residual = missed_speed(progress.law, problem);
    if (result.residual <= accuracy) {
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r) lambda[r] = before_[r];
        result.converged = true;
        return result;
    }
    save(problem);
    while (result.iterations < max_iterations) {
        const double enough = progress.law == Law::associated ? tuning.nearly_solved : tuning.solved;
        if (progress.gradient <= enough * progress.size) {
            if (!end_turn(problem, progress, result)) break;
            continue;
        }
        ++result.iterations;
        if (!iterate(problem, progress)) break;
    }
    // What is not solved may be anything; the impulses of the last turn that was are not.
    if (!result.converged)
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r)
                lambda[r] = saved_before_[r];
    take_impulses(problem);
    find_velocities(problem, s, true, u_);
    result.residual = std::max(result.residual, measured_miss(problem));
    result.converged = result.converged && result.residual < tuning.contradiction * accuracy;
    return result;
}

}  // namespace lig
