#pragma once

// Impulses by Newton's method, for rows that sweeps resolve too slowly: stacks, heavy on light, many contacts
// on one character.
//
// Sweeps solve one block after another and need many turns where blocks work against each other. Here all
// rows of an island are solved together. With a compliance R and impulses λ⁰ from which it is counted, the
// impulses follow from the velocities u = Z s + b block by block, λ = P(λ⁰ − R⁻¹ u), P the projection on the
// bounds or on the cone, and what is left is one equation for s:
//     F(s) = s − s_free − Zᵀ λ(u(s)) = 0,    H = 1 + Zᵀ G Z,  G = −∂λ/∂u.
// H has the pattern of the supports, without fill on trees (EnvelopeCholesky). When F = 0, λ⁰ becomes λ and
// the equation is solved again (the method of multipliers): each turn divides what the compliance leaves by
// about softness, until it is not felt. Rows that depend on each other or contradict each other do no harm.
//
// Friction. In the variables t_i = λ_i/μ_i the cone is round; R = R_n diag(1, ρ/μ_i²). With y = λ⁰ − R⁻¹ u in
// these variables and T = |y_t|, e = y_t/T, there are two laws:
//   associated   P is the projection on the cone. F is then the gradient of a convex function, and Newton's
//   method
//                with a search along its direction cannot fail. But a sliding contact opens at the speed |M
//                u_t|, M = diag μ, since its force is normal to the cone, not against the velocity; adding
//                just that speed to the normal row's b (De Saxcé and Feng 1998) makes up for it, one turn
//                late.
//                    slides, −ρT < y_n < T:   λ_n = (y_n + ρT)/(1 + ρ),   t = λ_n e,
//                    G = g gᵀ/(R_n (1 + ρ)) + λ_n/(T R_n ρ) (0 ⊕ M (1 − e eᵀ) M),   g = (1, M e)
//   Coulomb      λ_n = max(0, y_n), t = y_t cut to the length λ_n. This is what is wanted, but G has a part
//   that is
//                not symmetric,
//                    slides:  G = (1/R_n ⊕ λ_n/(T R_n ρ) M (1 − e eᵀ) M) + (0, M e) (1, 0)ᵀ/R_n,
//                and nothing is minimized. One vector pair per sliding contact: H is solved by its symmetric
//                part and a small system (Woodbury).
// So the first turn is associated, which finds out what opens, sticks and slides from any start; then
// Coulomb's law from there, quadratically. Where that does not go well, associated turns again.

#include "formulations/rows/island_problem.h"
#include "formulations/rows/islands.h"
#include "linalg/envelope_cholesky.h"

#include <cmath>
#include <span>
#include <vector>

namespace lig {

struct NewtonResult {
    int iterations = 0;
    double residual = 0;  // velocity by which rows are missed
    bool converged = false;
};

class NewtonImpulses {
public:
    // Keeps a reference to the trees. nv: coordinates; more are made room for.
    NewtonImpulses(const std::vector<Islands::Tree>& trees, int nv) : trees_(trees) { make_room(nv); }
    void make_room(int coordinates);

    // λ comes in as a guess. Writes λ of the rows and s of the trees of the island. Converged: rows are
    // missed by no more than `accuracy`. max_iterations: then it gives up.
    NewtonResult solve(const IslandProblem& given, double accuracy, std::span<double> lambda,
                       std::span<double> s, int max_iterations = 200);

private:
    enum class Law : unsigned char {
        associated,
        coulomb
    };
    enum class Part : unsigned char {
        open,
        sticks,
        slides
    };
    struct Block {
        int index;        // in Rows::blocks
        int begin, count; // rows
        bool cone;
        double rho, min_rho;
        double shift, saved_shift;  // added to the normal row's velocity under the associated law
        Part part;
        double normal, length, e[5];  // sliding: λ_n, T and e
        int run_begin, run_count;     // in runs_
        int stiffened;                // how often
    };
    // What one call works on.
    struct Problem : IslandProblem {
        std::span<double> lambda, s;
        double accuracy;
        int n = 0;  // freedoms
    };
    // How far it has got.
    struct Progress {
        Law law;
        double gradient;  // |F|²
        double size;      // of impulses, squared
        int turns = 0, patience, stuck = 0, idle = 0;
        double last_missed = HUGE_VAL, min_missed = HUGE_VAL;
    };

    void begin(Problem& problem);
    Block block_of(const Problem& problem, int index);
    void find_runs(const ResponseBlock& z, const RowResponse& response, Block& block);
    double size_of(const Problem& problem) const;
    void take_impulses(const Problem& problem);
    void save(const Problem& problem);
    void back_to_associated(const Problem& problem, Progress& progress);
    bool end_turn(const Problem& problem, Progress& progress, NewtonResult& result);
    bool iterate(const Problem& problem, Progress& progress);
    template <class F>
    void for_each_dof(const Problem& problem, F&& f) const {
        for (const int t : problem.trees)
            for (int dof = trees_[t].v_begin; dof < trees_[t].v_end; ++dof) f(dof);
    }
    void find_velocities(const Problem& problem, std::span<const double> s, bool with_b,
                         std::vector<double>& out) const;
    void add_impulses(const Problem& problem, std::span<const double> lambda, std::vector<double>& s) const;
    void project(Law law, Block& block, const Row* rows, const double* u, double* lambda) const;
    double opening_speed(const Block& block, const Row* rows) const;
    // |F|², F in gradient_, for the impulses that belong to u_.
    double find_gradient(Law law, const Problem& problem);
    bool find_direction(Law law, const Problem& problem);
    // newton_curvature.cpp
    class Terms;
    void add_curvature(Law law, const Block& block, const Problem& problem);
    void add_sliding(Law law, const Block& block, const Problem& problem, Terms& terms);
    void scatter(const ResponseBlock& block, const RowResponse& response, const double* weights,
                 double* out) const;
    bool solve_pairs();
    bool solve_small(int k);
    double search(const Problem& problem);
    double slope_curvature(const Block& block, const Row* rows, const double* lambda, const double* du) const;
    // By which velocity λ⁰ misses the rows; then λ⁰ becomes λ.
    double own_compliance(const Block& block, const Row* rows, int r) const;
    double speed_of(const Block& block, const Row* rows, int r, double change, double normal) const;
    double missed_speed(Law law, const Problem& problem) const;
    double measured_miss(const Problem& problem);
    double turn(Law law, const Problem& problem);
    bool stiffen(const Problem& problem);

    const std::vector<Islands::Tree>& trees_;
    std::vector<int>
        local_;  // (nv) place of a freedom in the matrix; the last freedom first, so supports rise
    std::vector<Block> blocks_;
    EnvelopeCholesky H_;
    std::vector<double> u_, du_, before_, saved_before_, compliance_, responses_;  // (rows)
    std::vector<double> gradient_, direction_, saved_s_;  // (nv)
    std::vector<double> packed_;                        // (nv) by place in the matrix
    std::vector<double> left_, right_;                  // (pairs × n) the vectors that make H unsymmetric
    std::vector<int> pair_blocks_;                      // (pairs) whose they are, in blocks_
    std::vector<double> pair_matrix_, pair_side_;
    int pairs_ = 0;
    std::vector<int> runs_;       // places of the supports that follow each other: the first, and how many
    std::vector<double> terms_;   // the vectors whose products a block adds to H
};

}  // namespace lig
