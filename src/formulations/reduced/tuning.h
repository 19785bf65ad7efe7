#pragma once

// Numbers that tune steps from event to event, with their units. They are guards and tolerances that were not
// fitted to scenes. Figures: docs/event-stepping.md.

namespace lig {

struct EventTuning {
    // The step (event_loop.cpp, event_step.cpp).
    double fallback_parts = 8;   // of a step: what velocity steps make where an event step does not exist
    int attempts_per_event = 5;  // sub-steps, with those that were taken again, per event that is allowed
    int max_attempts = 60;       // at one sub-step
    double max_turn = 0.5;       // rad, of a link in a sub-step while something is near that it could touch

    // What touches (event_step.cpp, event_set.cpp, event_detection.cpp).
    double closed_share = 1e-9;  // of the size of bodies: up to it what bounces does so
    // What does not bounce is caught from as many times the tolerance on (a share of the size; rad), and held
    // up to twice that; slower than that many times the tolerance nothing approaches, parts or slides (m/s,
    // rad/s). Bodies that come to rest rattle infinitely often in a finite time: this ends it.
    double caught_tolerances = 100;
    double min_caught = 1e-9;    // m, rad: up to this gap nothing has been passed
    // s, for gaps: of a row in a step this short, bias · h is the gap, and what else is in it is not felt.
    double gap_step = 1e-9;
    // How far a contact may have opened within a step and still be looked for, by the size of the smaller
    // geom.
    double looking_share = 0.05;
    // What slides slower than that many times more sticks, if its friction holds it: the direction of
    // friction turns by μg/v per second, and no explicit method follows that down to v = 0.
    double slow_share = 10;

    // Accelerations and forces (event_forces.cpp).
    // Squared sine of the angle between a row of a loop and the others below which it follows from them.
    double equality_rank_tolerance = 1e-8;
    // By how much accelerations may miss their rows, for 1 m/s² or rad/s². How exact they are wanted goes
    // with the tolerance.
    double max_missed = 1e-3;
    // Forces change little from stage to stage: a few sweeps, then Newton's method from the last ones. From
    // nothing it takes more.
    int few_sweeps = 2, many_sweeps = 30, max_iterations = 40;
    // m/s², rad/s²: the acceleration that stands for sliding: so large that friction can only be against it.
    // Pivoting would lose all digits of the others over that: for the LCP solvers it is less.
    double sliding_acceleration = 1e9, sliding_acceleration_for_lcp = 1e4;
    double small_error = 1e-12, small_rate = 1e-12;  // of coordinates and velocities: below it is left alone
    double settled_share = 1e-4;      // of them: what may be left each time
    double still_accuracies = 1000;   // what accelerates by no more than so many times their accuracy sticks
    double fastest_correction = 0.1;  // m/s, rad/s: overlaps from elsewhere are removed no faster,
    double max_passed = 1e-3;         // rad, m: … nor at the price of limits that are passed by more
    double onset_slips = 100;  // times what counts as slow: what begins to slide, after its first step
    int max_bounces = 200;     // of one pair in a step; what comes then does not bounce
};
inline constexpr EventTuning event_tuning;

// Accelerations and forces of single states in which something touches (contact_dynamics.cpp).
struct ContactTuning {
    double accuracy = 1e-11;  // m/s², rad/s²: as wanted of the solver, which is taken as a first guess
    // Of the largest term of a row's acceleration, as it was found and as it is given: less counts as zero.
    double same_found = 1e-8, same_given = 1e-6;
    double least_share = 1e-9;  // of the largest force, or of a bound: as good as none, or at it
    int refinements = 20;       // of modes and forces; few are needed where modes are known
    double refined = 1e-13, settled = 1e-9;  // of the largest force: what the last one may change, or leave
    double past_bounds = 1e-9;  // of the largest force and of the bound: what rounding may be beyond it
};
inline constexpr ContactTuning contact_tuning;

}  // namespace lig
