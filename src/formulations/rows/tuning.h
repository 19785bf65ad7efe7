#pragma once

// Numbers that tune who finds the impulses of rows, with their units and what they were chosen by. Where
// nothing is said of scenes, the number is a guard or a tolerance that was not fitted to any. Figures:
// docs/reduced.md.

namespace lig {

// Who solves which island, and how long (row_solver.cpp).
struct RowSolverTuning {
    int max_sweeps = 200, step_sweeps = 30;  // where an island is too large for Newton's method, by effort
    // Where Newton's method has failed: by how many entries of responses sweeps may go, in how many sweeps.
    int further_entries = 1000000, min_further_sweeps = 100, max_further_sweeps = 2000;
    double cold_miss = 0.05;  // m/s, rad/s: where rows are missed by more after all, none is the guess
    double root_tolerance = 1e-13;  // of a row's own response: with less left it follows from the others
    // Islands up to so many freedoms are left to Newton's method: of fixed steps, of others, and of bodies
    // that have no joints between them, whose matrix is narrow.
    int max_fixed_newton_freedoms = 64, max_newton_freedoms = 200, max_narrow_newton_freedoms = 360;
    // Larger ones, up to so many, where sweeps miss rows by more than this (m/s, rad/s): a heap of five
    // characters has 215 freedoms.
    int max_rescued_freedoms = 500;
    double rescued_miss = 5e-3;
    int max_dense_rows = 600;  // for LCP solvers: their work grows with the cube
};
inline constexpr RowSolverTuning row_solver_tuning;

// Newton's method on the impulses (newton_impulses.cpp).
struct NewtonImpulsesTuning {
    double softness = 1e-2;      // compliance beside a row's response; less needs fewer turns, each harder
    double stiffer_share = 0.1;  // of that compliance: what is left of it where turns are slow
    // F is solved when it is this small beside the impulses, squared: of Coulomb's law, of the associated.
    double solved = 1e-18, nearly_solved = 1e-8;
    // Of the square of sliding friction: rows of rolling friction below it are resolved slowly.
    double min_rho_share = 1e-10;
    double slope_share = 0.01;   // of the first slope: a search along a direction ends below it
    double slow_share = 0.1;     // of what rows missed in the turn before: with more left turns are slow
    int max_searches = 12, coulomb_patience = 4, max_stiffenings = 4;
    // Turns that do not bring rows nearer than they have been: under Coulomb's law alone, where no compliance
    // is left to be taken out; and of both laws in turn, where rounding keeps Coulomb's from being solved and
    // rows are missed by little (contradiction).
    int max_stuck_turns = 3, max_idle_turns = 6;
    double min_progress = 0.95;
    double contradiction = 1e3;  // times the accuracy: what rows that contradict each other may miss
};
inline constexpr NewtonImpulsesTuning newton_impulses_tuning;

}  // namespace lig
