#pragma once

// Numbers that tune `impulse`, with their units and what they were chosen by. Figures: docs/impulse.md.

namespace lig::impulse {

// The three solvers, what they look around for, and when something is not held.
struct SolverTuning {
    int classic_sweeps = 10;       // of a step: Catto's slides
    int soft_substeps = 4;         // of a step
    int sweeps = 1;                // of a sub-step: at equal cost sub-steps are better than sweeps
    int stiff_sweeps = 4;          // … where springs, drives or rotors are stiffer than what they act on,
    int soft_stiff_sweeps = 16;    // … and of soft-step; fewer feed on themselves
    double stiff_ratio = 10;       // times the inertia: stiffer than this
    double min_bounce = 0.01;      // m/s: what approaches more slowly does not bounce
    double reach_share = 0.5;      // of the speed of bodies: how far beyond it they are looked around
    double min_broken = 1e-3;      // m, rad: what is off by more in a state that was set is mended first
    double suspicious_gap = 0.01;  // m, rad: joints that are farther apart are looked at one by one
    double torn_way = 0.05;        // m: joints that are farther apart are not held,
    double torn_sine = 0.3;        // … or turned by more,
    double soft_torn_sine = 0.8;   // … of classic and soft-step
    double passed_by_far = 0.3;    // m, rad: limits that are passed by more are not held,
    double soft_passed_by_far = 1; // … of classic and soft-step
};

// split-step by sweeps. Chosen by the stacks and by piles of 20, 100 and 500 (bench_piles).
struct SweepTuning {
    // As many sub-steps as the motion needs, by the root of the velocity (m/s) by which joints and
    // contacts were missed in the step before, or of `hit_weight` times that at which something is about to
    // be hit. No fewer than smooth_substeps where springs, drives, equalities and the like act.
    int min_substeps = 8, smooth_substeps = 16, max_substeps = 32;
    // … but where elasticity of bodies alone does, which loses as if its damping time were longer by a
    // sub-step: as many as make that no more than this share of it.
    double elastic_share = 0.02;
    double substeps_per_root = 5, hit_weight = 2;
    int substeps_per_look = 8;   // contacts are looked for again after so many
    double removed_share = 0.9;  // of an error, in a sub-step
    // Contacts of islands without joints are swept until velocities are met to the tolerance (m/s), so often
    // at most, by whether something is faster than steady_speed (m/s). Where nothing is, several sweeps
    // remove errors.
    double steady_tolerance = 3e-4, steady_speed = 1;
    int max_loose_sweeps = 8, max_steady_sweeps = 50, correcting_sweeps = 4;
    // Trees that a sweep finds off by more than this (m/s) are swept on. Of that they may keep a share for
    // each sweep they have had; it ends after max_unmet_sweeps. Sub-steps shorter than this (s) ask for more,
    // by the square, so that impacts converge with the step.
    double unmet_velocity = 2, allowed_by_sweep = 0.1, short_substep = 7e-4;
    int max_unmet_sweeps = 24;
    // With drives, springs, equalities and the like: where velocities are missed by more than this (m/s), a
    // sub-step gets so many sweeps.
    double blow_speed = 4;
    int blow_sweeps = 2;
};

// split-step by direct solutions. Chosen by the scenes of tests/impulse/hard_scenes and large_scenes, random
// scenes, and the time of a heap of five and of piles.
struct DirectTuning {
    // Of an island: rows that depend on each other have a dense matrix. Of a model: the factor has room for
    // all of its links, 7 kB for each.
    int max_links = 64, max_points = 64, max_model_links = 2048;
    // Small models: where sweeps leave more than this of velocities (m/s, rad/s) or joints are farther apart
    // (m, rad), impulses are found directly in this sub-step and some more; and where contacts, limits or
    // equalities are off by more than sweeps can correct without tearing joints apart (m, rad). In sub-steps
    // shorter than this (s) the bound on velocities falls by the square: left as it was, it was a force of
    // 40 kN on a car, which kept it rocking on the edges of its wheels.
    double met_velocity = 2e-3, short_substep = 1e-3, met_gap = 2e-5, correctable = 1e-3;
    int substeps = 32;
    double heavy_ratio = 100;  // of masses: where a link carries more, all sub-steps are direct
    // As many sub-steps that joints come apart by no more than this as their bodies turn within one, m.
    double turning_gap = 1e-4;
    int max_turning_substeps = 64;
    // … and so many times as many as follow the tension of links, which grows from one to the next as a rope
    // is pulled taut. Chosen by the energy of a man on a tightrope.
    double tension_margin = 2;
    int max_tension_substeps = 128;
    // Contacts are looked for again when something whose points of contact move has turned by so much (rad).
    // What is farther apart than this (m) does not touch before.
    double max_turned = 0.02, near_gap = 0.01;
    // Large models, islands that are always solved directly: a link between others that weigh so many times
    // as much, and trees that touch.
    double heavy_link_ratio = 10, heavy_touch_ratio = 20;
    // … and those in which a limit or a contact was hit faster than this (m/s), for so many sub-steps: a blow
    // takes two where the gap was open, and loads are to be found after it. An impulse that a sweep has more
    // than doubled is that of a blow, not of a load.
    double hit_velocity = 0.1, max_of_change = 2;
    int hit_substeps = 3;
    // … of so many links and points: with 24 links, which takes in characters, a step of a pile of 100 took
    // 12.8 ms instead of 9.1. A body by itself is met by sweeps.
    int min_hit_links = 2, max_hit_links = 8, max_hit_points = 8;
    // … or any number, where sub-steps are shorter than this, s: shorter than those of piles at 60 Hz. Of
    // what a character loses as it lands, sweeps leave a tenth to the method, whatever the step.
    double exact_substep = 2.5e-4;
    double correction_accuracy = 1e-4;  // m/s, rad/s: of velocities that remove errors
    // Impulses of rows that ask for no motion take kinetic energy, whatever the masses. With more than
    // sound_gain times that of before, rows that nearly follow from each other have been asked for what they
    // cannot give. They are asked again with damping, a share of what a row's bodies yield to it alone
    // (the one that RATTLE begins with); with max_gain times the energy even then, the sub-step is swept.
    double sound_gain = 1.02, damping = 1e-4, max_gain = 2;
    double reach_speed = 5;  // m/s, rad/s: an impact elsewhere can throw a limb so fast
};

// Points of contact. Chosen by hand on piles and rolling shapes.
struct ContactTuning {
    // m/s: what moves against each other more slowly is left out where it could not meet: what a step adds to
    // the speed of a limb.
    double reach_speed = 12;
    double far_away = 0.05;  // m: farther apart than corrections could bring things together
    double away = 5e-3;      // m: what is farther apart and has no impulse goes into packs of its own
    // Sine of the angle between a normal and the cross section of a cylinder that lies on its side.
    double lying = 0.1;
    double sliding = 0.999;  // of the friction there may be: from there on a point counts as sliding
    // Of the larger response squared: tangents whose determinant is less are one direction.
    double single_tangent = 1e-12;
};

// Points of joints in packs. Chosen by hand.
struct JointTuning {
    // m: both bodies get their impulses at one point, so that angular momentum is kept; but a joint that has
    // come apart by more than this must not pull at a long lever.
    double max_lever = 0.005;
};

// Limits of balls and hinges in packs. Chosen by hand on characters.
struct LimitTuning {
    // rad: narrower circles could be crossed within a sub-step; they go by general rows, which surround them.
    double narrowest = 0.2;
    // rad/s: limits this near have rows, whatever the speed: what hits elsewhere can turn a joint.
    double reach_speed = 20;
    // Tangents of half angles are not used next to half a turn, where they do not tell which side of it a
    // joint is on: such a bound is always near.
    double steepest = 10;
    double lever = 0.1;           // m: what limits miss, as a velocity
    double max_twist_rate = 1e8;  // rad per rad of swing: next to half a turn the twist changes without bound
    double nothing = 1e-150;      // 1/(kg m²): what yields less does not turn
};

// General rows and bodies. Chosen by hand: what rounding leaves.
struct RowTuning {
    double trace = 1e-7;  // of a row's own response, for blocks whose rows follow from each other
    // A row across the plane of planar bodies, or about a particle, moves nothing but by rounding: its
    // response is below this share of what bodies free in all directions would have.
    double nothing = 1e-20;
    // Of the largest moment of inertia, at least: rods without inertia about their axis.
    double thinnest = 1e-7;
};

// Islands that rest. Chosen by hand.
struct SleepTuning {
    double still_speed = 0.03, moving_speed = 0.06;  // m/s
    double rest_time = 0.5;                          // s
};

inline constexpr SolverTuning solver_tuning;
inline constexpr SweepTuning sweep_tuning;
inline constexpr DirectTuning direct_tuning;
inline constexpr ContactTuning contact_tuning;
inline constexpr JointTuning joint_tuning;
inline constexpr LimitTuning limit_tuning;
inline constexpr RowTuning row_tuning;
inline constexpr SleepTuning sleep_tuning;

}  // namespace lig::impulse
