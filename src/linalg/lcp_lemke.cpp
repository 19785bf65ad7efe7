// Lemke's method (lemke.h) on the problem written as one with friction by six rows (lcp_expansion.h). Exact
// up to rounding, friction included; no iteration over bounds. O(N³), with N about twice the rows of
// contacts.
//
// The basis that the guess suggests is tried first; where it is the right one, that is all. Where the method
// does not end with a solution, the better one of what it found last and of the guess is returned. A ray, if
// it holds up to a test, is a combination of rows that asks for what no force can do: these are impossible.

#include "linalg/lcp_list.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

std::size_t at(int i) { return std::size_t(i); }

// Guesses come in within pyramids.
void move_into_diamonds(const LcpProblem& problem, std::span<double> lambda) {
    for (int i = 0; i < problem.n; ++i) {
        if (friction_rows(problem, i) < 2) continue;
        const double mu_1 = problem.friction[i + 1], mu_2 = problem.friction[i + 2];
        if (!(mu_1 > 0 && mu_2 > 0)) continue;
        double x = lambda[at(i + 1)] / mu_1, y = lambda[at(i + 2)] / mu_2;
        if (std::fabs(x) + std::fabs(y) <= lambda[at(i)]) continue;
        move_into_diamond(lambda[at(i)], x, y);
        lambda[at(i + 1)] = mu_1 * x;
        lambda[at(i + 2)] = mu_2 * y;
    }
}

// A ray of forces d with A d = 0 along which b·d < 0: rows that push against each other without end. What is
// left of w in those rows is then there for good. Returns how many there are and the first.
void count_impossible(const LcpProblem& problem, const double* w, const double* direction,
                      LcpResult& result) {
    constexpr double rounding = 1e-9;
    double power = 0, size = 0, largest = 0;
    for (int i = 0; i < problem.n; ++i) {
        const double* row = problem.a + std::ptrdiff_t(i) * problem.stride;
        double terms = 0;
        for (int j = 0; j < problem.n; ++j) terms += std::fabs(row[j] * direction[j]);
        if (!(std::fabs(dot(row, direction, problem.n)) <= rounding * terms)) return;
        power += problem.b[i] * direction[i];
        size += std::fabs(problem.b[i] * direction[i]);
        largest = std::max(largest, std::fabs(direction[i]));
    }
    if (!(power < -rounding * size)) return;
    for (int i = 0; i < problem.n; ++i) {
        if (!(std::fabs(direction[i]) > rounding * largest && w[i] * direction[i] < 0)) continue;
        if (result.impossible++ == 0) result.first_impossible = i;
    }
}

}  // namespace

LcpResult solve_lemke(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                      std::span<double> lambda) {
    constexpr LcpFriction law = LcpFriction::diamond;
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda);
    if (result.status != LcpStatus::solved) return result;
    move_into_diamonds(problem, lambda);
    LcpWorkspace::Parts& room = workspace.parts();
    std::copy_n(lambda.begin(), problem.n, room.lo.begin());
    double *w = room.w.data(), *scale = room.scale.data();

    LcpExpansion& expansion = room.expansion;
    expansion.write(problem, nullptr, lambda);
    const LemkeResult found = expansion.solve({.pivots = options.iterations, .stop = options.stop});
    result.iterations = found.pivots;
    expansion.read(problem, lambda);
    LcpFigures figures = measure_lcp(problem, law, lambda.data(), w, scale);
    if (found.status == LemkeStatus::ray) {
        expansion.read_ray(problem, room.hi);
        count_impossible(problem, w, room.hi.data(), result);
    } else if (found.status != LemkeStatus::solved &&
               measure_lcp(problem, law, room.lo.data(), w, scale).residual < figures.residual) {
        std::copy_n(room.lo.begin(), problem.n, lambda.begin());
        measure_lcp(problem, law, lambda.data(), w, scale);
    }
    for (int i = 0; i < problem.n; ++i) {
        if (!expansion.dependent(i)) continue;
        if (std::fabs(w[i]) <= options.tolerance * scale[i]) {
            ++result.redundant;
        } else {
            if (result.impossible++ == 0) result.first_impossible = i;
        }
    }
    finish_lcp(problem, law, options, workspace, lambda, result);
    return result;
}

}  // namespace lig
