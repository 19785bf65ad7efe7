#pragma once

// Numbers that tune `multiplier` where nothing is touched, with their units. Where nothing is said of scenes,
// the number is a guard or a tolerance that was not fitted to any. Figures: docs/multiplier.md.

namespace lig::multiplier {

struct MotionTuning {
    // Newton's method on positions, of RATTLE and of projections (rattle.cpp, body_projection.cpp).
    int max_iterations = 40;
    int max_stuck = 4;           // iterations in a row that hardly improve anything
    double small_error = 1e-9;   // m, rad: what is left may be this where Newton's method gets no further
    // Of the size of the parts: what may be left of an error where nothing improves it, for the next steps to
    // remove; and times that, where steps one after the other leave some.
    double left_error = 1e-6, max_left = 3;
    // Of the factor that finds the impulses of RATTLE where rows are redundant. Nets of 8 to 20 lose less
    // than 0.1 % in 2 s with 1e-7 to 1e-4. Planks in a straight line are shaken more with 1e-6 and 1e-5;
    // Newton takes one solution more on a four-bar linkage than with 3e-6.
    double beginning_damping = 1e-4;
    int max_removals = 6;        // factors anew in a step, to remove what has piled up beyond left_error
    double min_share = 1e-3;     // of a correction
    double measurable = 1e3;     // times rounding: errors whose contraction is measured
    // From one iteration to the next: beyond the most a step is too long, and the next one is chosen for the
    // good one. Corrections along the rows of the beginning are off by what bodies turn within the step, the
    // more the heavier what they pull is beside what they turn: it goes with (h ω)², ω the fastest swing of
    // what is under tension, and where it does not converge RATTLE is not stable either.
    double max_contraction = 0.5, good_contraction = 0.2;

    // Lengths of steps (body_motion.cpp, rattle.cpp, body_stages.cpp, body_stepper.cpp).
    int max_halvings = 16;
    // Halvings because of contraction. Joints with rotors have singular positions, too; of equalities, and
    // before it is left to projection.
    int max_by_contraction = 10, max_by_equalities = 3, max_before_projection = 5;
    int halvings_before_projection = 4;
    double longest_turn = 1;  // rad, of a body: beyond half a turn the turns of joints would be lost
    double far_off = 1e4;     // of the error, times what is tolerated: the step is too long in any case
    // Of the energy of motion: a step in which it grows by more than what forces do is too long.
    double energy_tolerance = 0.01;
    int max_misses = 2;       // times a step is made shorter that ends next to a singular position
    // Kicks are explicit: of a freedom's own force by a change of its coordinate or velocity, relative to its
    // inertia, no more than this within one of them, in so many parts of a step at most. The second ones
    // where there are no velocity steps to leave it to, and steps are kept as they are while they are stable.
    double max_stiff = 0.5, max_stiff_smooth = 1;
    int max_parts = 16, max_smooth_parts = 4096;

    // Errors of Runge–Kutta steps that lead off the constraints count by their square: a hundredth of the
    // tolerance is left to these, a thousandth to the others.
    double off_rows_weight = 10, along_weight = 1000;
};
inline constexpr MotionTuning motion_tuning;

}  // namespace lig::multiplier
