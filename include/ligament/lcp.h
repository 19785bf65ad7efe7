#pragma once

// Linear complementarity with bounds and friction, free of physics: the forces of contacts, limits, motors
// and loops together. docs/lcp.md has the methods and measurements.
//
//   w = A λ + b,  lo ≤ λ ≤ hi:   w_i ≥ 0 where λ_i = lo_i,  w_i ≤ 0 where λ_i = hi_i,  w_i = 0 between.
//
// A is symmetric positive semidefinite; compliance is the caller's, on its diagonal. Infinite bounds on both
// sides are a bilateral row (loop, joint), one side a contact or limit, finite ones a motor or dry friction.
//
// Friction. Row i with partner p ≥ 0 is a friction row of the normal row p: its bounds come from λ_p and its
// coefficient μ_i. The friction rows of p stand directly behind it, at most five (two tangential, one
// torsional, two rolling). Three laws; which one holds is a property of the solver (LcpSolverInfo::friction):
//   pyramid   |λ_i| ≤ μ_i λ_p, each row by itself, with the conditions above;
//   diamond   |λ_1/μ_1| + |λ_2/μ_2| ≤ λ_p of the first two rows, and of all such forces one that dissipates
//             most: with γ = max |μ_i w_i|, λ_i is 0 unless w_i = −sign(λ_i) γ/μ_i, and γ is 0 inside. This
//             is friction by four directions and a slip. The other rows as in pyramids;
//   cone      Σ (λ_i/μ_i)² ≤ λ_p², and of all such forces the one that dissipates most:
//             λ_i/μ_i = −λ_p u_i/|u| with u_i = μ_i w_i, wherever u ≠ 0. This is Coulomb's law, with
//             w_p λ_p = 0 also while sliding; the ellipse is that of MuJoCo's condim 3, 4 and 6.

#include <atomic>
#include <memory>
#include <span>
#include <string_view>

namespace lig {

struct LcpProblem {
    int n = 0;
    const double* a = nullptr;  // row-major, rows `stride` apart, both triangles
    int stride = 0;
    const double* b = nullptr;
    const double* lo = nullptr;  // −∞ allowed; not read for friction rows
    const double* hi = nullptr;  // +∞ allowed; not read for friction rows
    // Per row: the normal row of a friction row, −1 otherwise; and μ of a friction row. Both null: no
    // friction. A normal row with friction rows has the bounds 0 and ∞.
    const int* partner = nullptr;
    const double* friction = nullptr;
};

enum class LcpFriction : unsigned char {
    pyramid,
    cone,
    diamond
};
std::string_view name_of(LcpFriction law);

enum class LcpStatus : unsigned char {
    solved,           // the residual is below the tolerance
    iteration_limit,  // it is not, after as many iterations as allowed; λ is usable: within its bounds
    interrupted,      // the same, because the caller asked to stop
    infeasible,       // no λ satisfies some row; λ is within its bounds and satisfies what it can
    not_finite,       // NaN or infinity in the input or, by overflow, the result; λ is 0 moved into bounds
    invalid,          // lo > hi, negative diagonal or μ, wrong partner, workspace too small; λ unchanged
};
std::string_view name_of(LcpStatus status);

// How well some λ solves a problem. Dimensionless: everything is relative to the row's scale
// s_i = |b_i| + Σ_j |A_ij λ_j|, the size of what cancels in w_i, so that 1e-16 is rounding in any units.
struct LcpFigures {
    // Largest violation of the conditions on w. A row's is |w_i|, where λ_i could move to reduce it, or A_ii
    // times the way to the bound if that is less; friction in a cone or diamond is taken as one vector, in
    // the coordinates λ_i/μ_i and μ_i w_i in which the ellipse is round.
    double residual = 0;
    // Largest |w_i| times the fraction g/(|λ_i| + g), g the distance from the bound at which w_i would be
    // allowed; of a cone or diamond, the power that friction fails to dissipate.
    double complementarity = 0;
    // How far λ is outside its bounds or cone, relative to both. Solvers return rounding at most.
    double outside = 0;
};

struct LcpResult {
    LcpStatus status = LcpStatus::invalid;
    int iterations = 0;     // pivots of `dantzig` and `lemke`, sweeps of the others
    int redundant = 0;      // rows that depend on others and kept the λ they came with (pivoting ones only)
    int impossible = 0;     // rows that no λ satisfies
    int first_impossible = -1;
    LcpFigures figures;
};

struct LcpOptions {
    double tolerance = 1e-10;  // of LcpFigures::residual
    int iterations = 0;        // 0: the solver's own limit
    // Set from outside to make a solver return with what it has, after the iteration that runs.
    const std::atomic<bool>* stop = nullptr;
};

// Room for problems of up to `capacity` rows. Solvers allocate nothing.
class LcpWorkspace {
public:
    explicit LcpWorkspace(int capacity = 0);
    LcpWorkspace(LcpWorkspace&&) noexcept;
    LcpWorkspace& operator=(LcpWorkspace&&) noexcept;
    ~LcpWorkspace();

    void resize(int capacity);
    int capacity() const;

    // Written by every solver: A λ + b, and the scales of LcpFigures, both of the result.
    std::span<const double> w() const;
    std::span<const double> scale() const;

    struct Parts;
    Parts& parts() { return *parts_; }  // for solvers

private:
    std::unique_ptr<Parts> parts_;
};

// λ comes in with a guess, 0 if there is none, and goes out with the result.
using LcpSolver = LcpResult (*)(const LcpProblem& problem, const LcpOptions& options,
                                LcpWorkspace& workspace, std::span<double> lambda);

struct LcpSolverInfo {
    std::string_view name;
    LcpFriction friction;
    std::string_view summary;
    LcpSolver solve;
};

// All there are, as `ligament list solvers` prints them.
std::span<const LcpSolverInfo> lcp_solvers();
// Null where none has that name.
const LcpSolverInfo* find_lcp_solver(std::string_view name);

// The figures of any λ under any law, by their definition: O(n²), apart from what the solvers compute.
// Writes A λ + b and the scales, n numbers each.
LcpFigures measure_lcp(const LcpProblem& problem, LcpFriction law, const double* lambda, double* w,
                       double* scale);

}  // namespace lig
