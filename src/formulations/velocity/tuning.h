#pragma once

// Numbers that tune velocity steps, with their units and what they were chosen by. Where nothing is said of
// scenes, the number is a guard or a tolerance that was not fitted to any. Figures: docs/reduced.md.

namespace lig {

struct VelocityTuning {
    // Lengths of sub-steps (velocity_step.cpp).
    int shortest_parts = 256;  // of a step: no sub-step is shorter for the sake of accuracy
    int closing_parts = 16;    // of such a part, before equalities are said to be open
    int max_cuts = 40;         // of a step, by which contacts that would act from afar are approached first
    int max_bends = 4096;      // sub-steps that contact points ask for which leave their tangents
    // m/s, rad/s: rows that are missed by more are not satisfied. The step is taken again, so many times, or
    // the report says so.
    double gross_miss = 0.1;
    int max_misses = 4;

    // What a step may do before it is to be shorter (step_checks.cpp, contact_gaps.cpp).
    double curvature_tolerance = 5e-4;  // m: how far a contact point may curve away from its tangent
    // rad: how far a link may turn: forces that depend on velocities are taken at the beginning.
    double rotation_tolerance = 0.4;
    double limit_tolerance = 0.01;      // rad, m: how far limits may be passed
    double passing_tolerance = 1e-3;    // m: how deep it may lead into something
    // m: by which bodies may be pressed into each other, and by which before the step is to be shorter.
    double pressed_tolerance = 1e-5, max_pressed = 5e-4;

    // Impulses (step_impulses.cpp).
    double correction_accuracy = 1e-4;  // m/s, rad/s: of velocities that remove errors
    double min_bounce = 0.01;           // m/s: slower impacts do not bounce
    double ghost_gap = 2e-4;            // m: contacts that would act from farther away are approached first
    double instant = 1e-5;              // of a step: for a bounce that happens now
    double far_away = 1e12;             // m/s: what parts so fast is not touched
    // Of the kinetic energy: work of rows within a step, beyond which they drive the motion; and growth by
    // impulses, beyond which the energy behind the sub-step is looked at.
    double max_work_of_rows = 0.2, max_growth = 0.05;
    // Contacts that equalities hold almost entirely (two links that are pinned together touch at the pin): of
    // whose motion, squared, less than this is left. By so much, in m, they may be passed before they act;
    // then they are off the pin, and yield. Chosen by random scenes with loops, where such contacts had
    // impulses of 1e10.
    double min_yield = 1e-4, pinned_slack = 1e-5;

    // The state behind a sub-step (step_advance.cpp, end_velocities.cpp).
    // Of corrections: m/s of the centre of mass of a link, and rad that it turns by in a step. Nearly
    // dependent rows ask for any speed. The turn was chosen by random scenes with loops.
    double max_correction_speed = 2, max_correction_turn = 0.4;
    // Of the kinetic energy: what a sub-step may make, and what may be taken out of it.
    double max_made = 0.05, max_slowed = 0.85;
    // Of the kinetic energy: closing that moves links by more of it has taken back motion. Where equalities
    // are far from singular it is of fourth order in the step.
    double taken_back_share = 0.01;

    // Closing equalities and putting limits back (equality_closing.cpp, limits_put_back.cpp).
    double closed_enough = 1e-8;  // relative to the parts: equalities that are open by no more are closed
    double max_opened = 1.5;      // times what was open of equalities before the step
    double open_at_last = 1e-7;   // m, rad, where steps cannot be shorter: what they promise
    // rad; m of slides, and of tendons over their arms: limits that are passed by more, beside what the step
    // was to leave of errors, are put back. Chosen by random scenes with limits.
    double passed_tolerance = 3e-3;
    double passed_rounding = 1e-8;
    int max_rounds = 5;  // in which contacts and limits are found that it would press
};
inline constexpr VelocityTuning velocity_tuning;

}  // namespace lig
