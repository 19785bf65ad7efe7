#include "linalg/lcp_expansion.h"

#include "linalg/lcp.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

std::size_t at(int i) { return std::size_t(i); }

// Unknowns of n rows: at most 15 for a normal row with five of friction, and 2 for any other.
int max_unknowns(int rows) { return (5 * rows + 1) / 2; }

// The power of two next to 1/√diagonal.
double scale_of(double diagonal) {
    return diagonal > 0 ? std::ldexp(1.0, -int(std::floor(0.5 * std::ilogb(diagonal)))) : 1;
}

double entry(const LcpProblem& problem, int i, int j) {
    return problem.a[std::ptrdiff_t(i) * problem.stride + j];
}

// A friction force counts as at its limit from here on, when a guess is read.
constexpr double nearly_all = 1 - 1e-9;

}  // namespace

void LcpExpansion::resize(int rows) {
    const int most = max_unknowns(rows);
    m_ = std::make_unique_for_overwrite<double[]>(at(most) * at(most));
    for (std::vector<double>* v : {&q_, &z_}) v->resize(at(most));
    for (std::vector<unsigned char>* v : {&free_, &basis_}) v->resize(at(most));
    unknowns_.resize(at(most));
    multipliers_.resize(at(rows));
    unknown_of_.resize(at(rows));
    start_.resize(at(rows));
    w_.resize(at(rows));
    lemke_.resize(most);
}

int LcpExpansion::add_force(int row, double first, double second) {
    unknowns_[at(n_)] = {row, first, second};
    free_[at(n_)] = 0;
    if (unknown_of_[at(row)] < 0) unknown_of_[at(row)] = n_;
    return n_++;
}

// Of the forces from `begin` on.
void LcpExpansion::add_multiplier(int begin, int normal, double limit) {
    multipliers_[at(multiplier_count_++)] = {n_, begin, n_, normal, limit};
    unknowns_[at(n_)] = {-1, 0, 0};
    free_[at(n_++)] = 0;
}

void LcpExpansion::add_row(const LcpProblem& problem, int row, double guess) {
    const double lo = problem.lo[row], hi = problem.hi[row];
    const double scale = scale_of(entry(problem, row, row));
    const bool below = lo > -HUGE_VAL, above = hi < HUGE_VAL;
    start_[at(row)] = below ? lo : above ? hi
                                         : guess;
    if (lo == hi) return;
    const int force = add_force(row, !below && above ? -scale : scale);
    if (!below && !above) free_[at(force)] = 1;
    if (below && above) add_multiplier(force, -1, (hi - lo) / scale);
}

void LcpExpansion::add_friction(const LcpProblem& problem, int normal, const TangentDirection* directions) {
    const int count = friction_rows(problem, normal), normal_force = unknown_of_[at(normal)];
    const double normal_scale = unknowns_[at(normal_force)].first;
    for (int k = 1; k <= count; ++k) start_[at(normal + k)] = 0;
    // The rows from `row` on that share a slip.
    const auto add_group = [&](int row, int rows) {
        const bool one_direction = directions && rows == 2;
        const double* mu = problem.friction + row;
        double coefficients[2] = {mu[0], rows == 2 ? mu[1] : 0};
        if (one_direction) {
            // The ellipse of both coefficients, in this direction.
            const double c1 = directions[normal].along_first, c2 = directions[normal].along_second;
            const double inverse = std::hypot(c1 != 0 ? c1 / mu[0] : 0, c2 != 0 ? c2 / mu[1] : 0);
            const double along = inverse > 0 ? 1 / inverse : 0;
            coefficients[0] = along * c1;
            coefficients[1] = along * c2;
        }
        double stiffness = 0;
        for (int k = 0; k < rows; ++k)
            stiffness =
                std::max(stiffness, coefficients[k] * coefficients[k] * entry(problem, row + k, row + k));
        const double scale = stiffness > 0 ? scale_of(stiffness) : normal_scale;
        const int begin = n_;
        if (one_direction) {
            if (coefficients[0] != 0 || coefficients[1] != 0)
                add_force(row, scale * coefficients[0], scale * coefficients[1]);
        } else {
            for (int k = 0; k < rows; ++k)
                if (coefficients[k] > 0)
                    for (const double sign : {1.0, -1.0}) add_force(row + k, sign * scale * coefficients[k]);
        }
        if (n_ > begin) add_multiplier(begin, normal_force, normal_scale / scale);
    };
    add_group(normal + 1, std::min(count, 2));
    for (int k = 3; k <= count; ++k) add_group(normal + k, 1);
}

// What λ asks of an unknown.
double LcpExpansion::force(const Unknown& unknown, std::span<const double> lambda) const {
    const double x = lambda[at(unknown.row)] - start_[at(unknown.row)];
    if (unknown.second == 0) return x / unknown.first;
    const double y = lambda[at(unknown.row + 1)] - start_[at(unknown.row + 1)];
    return (unknown.first * x + unknown.second * y) /
           (unknown.first * unknown.first + unknown.second * unknown.second);
}

void LcpExpansion::suggest_basis(const LcpProblem& problem, std::span<const double> lambda) {
    std::fill_n(basis_.begin(), n_, 0);
    if (std::all_of(lambda.begin(), lambda.begin() + problem.n, [](double x) { return x == 0; })) return;
    for (int i = 0; i < problem.n; ++i)
        w_[at(i)] =
            dot(problem.a + std::ptrdiff_t(i) * problem.stride, lambda.data(), problem.n) + problem.b[i];
    for (int k = 0; k < n_; ++k)
        if (unknowns_[at(k)].row >= 0 && !free_[at(k)]) basis_[at(k)] = force(unknowns_[at(k)], lambda) > 0;
    for (int i = 0; i < multiplier_count_; ++i) {
        const Multiplier& multiplier = multipliers_[at(i)];
        double sum = 0, limit = multiplier.limit, fastest = 0;
        int against = -1;
        if (multiplier.normal >= 0) limit *= force(unknowns_[at(multiplier.normal)], lambda);
        for (int k = multiplier.begin; k < multiplier.end; ++k) {
            const Unknown& unknown = unknowns_[at(k)];
            sum += std::max(force(unknown, lambda), 0.0);
            double rate = unknown.first * w_[at(unknown.row)];
            if (unknown.second != 0) rate += unknown.second * w_[at(unknown.row + 1)];
            if (rate < fastest) {
                fastest = rate;
                against = k;
            }
        }
        if (limit > 0) {
            basis_[at(multiplier.at)] = sum >= nearly_all * limit;
        } else if (against >= 0) {
            // An open contact slips: the direction against it is at its limit, 0.
            basis_[at(against)] = basis_[at(multiplier.at)] = 1;
        }
    }
}

void LcpExpansion::write(const LcpProblem& problem, const TangentDirection* directions,
                         std::span<const double> lambda) {
    n_ = multiplier_count_ = 0;
    std::fill_n(unknown_of_.begin(), problem.n, -1);
    for (int i = 0; i < problem.n;) {
        add_row(problem, i, lambda[at(i)]);
        const int count = friction_rows(problem, i);
        if (count > 0) add_friction(problem, i, directions);
        i += 1 + count;
    }
    suggest_basis(problem, lambda);

    for (int i = 0; i < problem.n; ++i)
        w_[at(i)] =
            dot(problem.a + std::ptrdiff_t(i) * problem.stride, start_.data(), problem.n) + problem.b[i];
    for (int k = 0; k < n_; ++k) {
        const Unknown& x = unknowns_[at(k)];
        double* row = m_.get() + std::ptrdiff_t(k) * n_;
        std::fill_n(row, n_, 0.0);
        q_[at(k)] = 0;
        if (x.row < 0) continue;
        q_[at(k)] = x.first * w_[at(x.row)] + (x.second != 0 ? x.second * w_[at(x.row + 1)] : 0);
        for (int l = 0; l < n_; ++l) {
            const Unknown& y = unknowns_[at(l)];
            if (y.row < 0) continue;
            double sum = x.first * entry(problem, x.row, y.row) * y.first;
            if (x.second != 0) sum += x.second * entry(problem, x.row + 1, y.row) * y.first;
            if (y.second != 0) sum += x.first * entry(problem, x.row, y.row + 1) * y.second;
            if (x.second != 0 && y.second != 0)
                sum += x.second * entry(problem, x.row + 1, y.row + 1) * y.second;
            row[l] = sum;
        }
    }
    for (int i = 0; i < multiplier_count_; ++i) {
        const Multiplier& multiplier = multipliers_[at(i)];
        double* own = m_.get() + std::ptrdiff_t(multiplier.at) * n_;
        for (int k = multiplier.begin; k < multiplier.end; ++k) {
            own[k] = -1;
            m_[at(k) * at(n_) + at(multiplier.at)] = 1;
        }
        if (multiplier.normal >= 0)
            own[multiplier.normal] = multiplier.limit;
        else
            q_[at(multiplier.at)] = multiplier.limit;
    }
}

LemkeResult LcpExpansion::solve(const LemkeOptions& options) {
    return solve_lemke_problem({n_, m_.get(), n_, q_.data(), free_.data()}, options, lemke_, basis_, z_);
}

void LcpExpansion::read(const LcpProblem& problem, std::span<double> lambda) const {
    std::copy_n(start_.begin(), problem.n, lambda.begin());
    const auto sum_of = [&](const Multiplier& multiplier) {
        double sum = 0;
        for (int k = multiplier.begin; k < multiplier.end; ++k) sum += z_[at(k)];
        return sum;
    };
    for (int k = 0; k < n_; ++k) {
        const Unknown& x = unknowns_[at(k)];
        if (x.row < 0) continue;
        lambda[at(x.row)] += x.first * z_[at(k)];
        if (x.second != 0) lambda[at(x.row + 1)] += x.second * z_[at(k)];
    }
    for (int i = 0; i < problem.n; ++i)
        if (friction_partner(problem, i) < 0)
            lambda[at(i)] = std::clamp(lambda[at(i)], problem.lo[i], problem.hi[i]);
    // Friction beyond its limit, if by rounding only, is cut: all directions of a slip alike.
    for (int i = 0; i < multiplier_count_; ++i) {
        const Multiplier& multiplier = multipliers_[at(i)];
        if (multiplier.normal < 0) {  // lo + (hi − lo) need not be hi
            if (basis_[at(multiplier.at)]) {
                const int row = unknowns_[at(multiplier.begin)].row;
                lambda[at(row)] = problem.hi[row];
            }
            continue;
        }
        const double sum = sum_of(multiplier), limit = multiplier.limit * z_[at(multiplier.normal)];
        if (!(sum > limit)) continue;
        for (int k = multiplier.begin; k < multiplier.end; ++k) {
            const Unknown& x = unknowns_[at(k)];
            const double part = (1 - limit / sum) * z_[at(k)];
            lambda[at(x.row)] -= x.first * part;
            if (x.second != 0) lambda[at(x.row + 1)] -= x.second * part;
        }
    }
}

void LcpExpansion::read_ray(const LcpProblem& problem, std::span<double> direction) const {
    std::fill_n(direction.begin(), problem.n, 0.0);
    for (int k = 0; k < n_; ++k) {
        const Unknown& x = unknowns_[at(k)];
        if (x.row < 0) continue;
        direction[at(x.row)] += x.first * lemke_.ray[at(k)];
        if (x.second != 0) direction[at(x.row + 1)] += x.second * lemke_.ray[at(k)];
    }
}

bool LcpExpansion::dependent(int row) const {
    const int unknown = unknown_of_[at(row)];
    return unknown >= 0 && free_[at(unknown)] && lemke_.dependent[at(unknown)];
}

}  // namespace lig
