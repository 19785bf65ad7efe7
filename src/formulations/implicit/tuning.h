#pragma once

// Numbers that tune `implicit`, with their units and what they were chosen by. Figures: docs/implicit.md.
// Where nothing is said of scenes, the number is a guard that was not fitted to any.

namespace lig::implicit {

// Newton's method on the bodies, and the lengths of steps.
struct NewtonTuning {
    int max_iterations = 25;           // of an attempt; the paper's scenes take 3.3 to 8.6 on average
    int max_solves = 12;               // of one solution where rows are redundant: it is refined
    int max_halvings = 12;             // of a step, before it ends as not_converged
    double position_tolerance = 1e-8;  // of the size of the parts, and rad: of joints and equalities
    double too_far = 1e3;              // of the size of the parts: what moves bodies by more has lost its way
    double max_apart = 0.1;            // the same of joints and equalities that a single solution may leave
    double law_tolerance = 1e-3;       // of the tolerance: by how much the laws of penalties may be missed
    double largest_ratio = 2;          // of steps, for BDF2 to be stable; its bound is 1 + √2
    // How much deeper contacts may be after a step than the points that it has followed (m); it is looked at
    // where something goes farther than min_way (m) within a step, and not in the shortest parts of one. A
    // box that slides off the round end of a capsule at 60 Hz gets 3 mm deep by it instead of 16.
    double passing_tolerance = 1e-3, min_way = 5e-3;
    int max_parts = 32;
};
inline constexpr NewtonTuning newton_tuning;

// The impulses of rows beside the matrix (law_solver.h).
struct LawTuning {
    int max_iterations = 40;
    int max_held = 12;        // iterations with cones that are held
    int first_sweeps = 2, held_sweeps = 3, max_sweeps = 64;
    int max_halvings = 2;      // of a step of Newton's method
    double enough = 0.1;       // of the share of a step: how much less the merit has to be
    int max_direct = 600;      // rows that Newton's method is for: dense work grows with their cube
    int max_scalar = 30;       // iterations for the push of a single row; it converges from one side
    double rank_tolerance = 1e-14;  // of linear rows, whose matrix is definite by their weights
};
inline constexpr LawTuning law_tuning;

// What penalties act by, and where.
struct PenaltyTuning {
    double creep_speed = 1e-4;  // m/s, rad/s: of joints and tendons that dry friction holds
    // Corners of a face are held where they were, unless they have slipped by more than this share of the way
    // to where contacts were found anew, or that is deeper by this factor. Chosen by prisms of 5 to 12 sides,
    // which come to rest by it (tests/implicit/resting_test.cpp).
    double max_slipped = 0.01, much_deeper = 2;
    double standing = 0.02;     // sine: of a cylinder this near to upright the rim is touched all around
    double on_the_side = 1e-3;  // of the radius: a point of the rim farther off its side is a corner
    // Of the inertia, per step: the damper that stands for any torque that a clip asks for. Accelerations are
    // missed by its inverse.
    double held = 1e8;
};
inline constexpr PenaltyTuning penalty_tuning;

// How much of what makes the matrix indefinite is left in it (geometric_stiffness.h).
struct GeometricTuning {
    double max_taken = 0.25;     // of the inertia: what stiffness below zero may take off it
    double max_between = 0.45;   // of the geometric mean of two diagonal entries: what may stand between
                                 // them; below a half the matrix is definite
};
inline constexpr GeometricTuning geometric_tuning;

}  // namespace lig::implicit
