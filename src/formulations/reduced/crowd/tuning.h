#pragma once

// Numbers that tune steps of crowds, with their units and what they were chosen by.

namespace lig {

struct CrowdTuning {
    // Sub-steps of a step: so many that links turn by no more than max_turn rad in one of them, but for the
    // fastest 2 %.
    int min_substeps = 4, max_substeps = 16;
    double max_turn = 0.025, fast_share = 0.02;
    // Limits that are passed resist motion by so many times the articulated inertia along it.
    double limit_resistance = 30;
    // Of an error, what a sub-step removes; rad/s or m/s at most.
    double limit_correction = 0.2, fastest_limit_correction = 8;
    // Sweeps of a sub-step: those that move coordinates, with errors removed, and those of the velocities.
    int biased_sweeps = 1, relaxing_sweeps = 1;
    // Smaller islands are swept again, until no row changes by more than this (m/s, rad/s) or so many blocks
    // have been solved.
    double accuracy = 1e-4;
    int swept_blocks = 600;  // with fewer a stack of ten boxes falls
    double min_bounce = 0.01;  // m/s: slower impacts do not bounce
};
inline constexpr CrowdTuning crowd_tuning;

}  // namespace lig
