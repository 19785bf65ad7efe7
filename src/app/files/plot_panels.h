#pragma once

// The panels of plots over time, one for each kind of number, so that each has one unit.

#include "app/run/trajectory.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lig::app {

struct PanelKind {
    PlotPlace place;
    std::string_view title, unit;
    bool unless_zero;    // left out where it never is anything else
    bool in_pictures = true;  // false: only where the reader can choose what to see
};

inline constexpr PanelKind panels_before_errors[] = {
    {PlotPlace::positions, "positions", "m", false},
    {PlotPlace::angles, "angles", "rad", false},
    {PlotPlace::orientations, "orientations (quaternions)", "", false},
    {PlotPlace::velocities, "velocities", "m/s", false},
    {PlotPlace::angular_velocities, "angular velocities", "rad/s", false},
    {PlotPlace::energy, "energy", "J", false},
    {PlotPlace::ledger, "work and losses since the start", "J", true},
    {PlotPlace::momentum, "momentum", "N·s", true, false},
    {PlotPlace::angular_momentum, "angular momentum about the centre of mass", "N·m·s", true, false},
    {PlotPlace::momentum_ledger, "momentum ledger: impulses since the start", "N·s", true, false},
    {PlotPlace::angular_momentum_ledger, "momentum ledger: their moments about the world's origin", "N·m·s",
     true, false},
    {PlotPlace::joint_forces, "forces of joints and loops", "N", false},
    {PlotPlace::joint_moments, "moments of joints and loops", "Nm", false},
    {PlotPlace::contact_forces, "contact forces on bodies", "N", true},
};
inline constexpr PanelKind panels_behind_errors[] = {
    {PlotPlace::tracking_error, "largest distance from the clip (rad or m)", "", true},
    {PlotPlace::work, "work between samples", "", true},
    {PlotPlace::stages, "time of the stages between samples", "s", true, false},
};
inline constexpr auto panel_kinds = [] {
    std::array<PanelKind, std::size(panels_before_errors) + std::size(step_errors) +
                              std::size(panels_behind_errors)>
        all{};
    auto next = std::ranges::copy(panels_before_errors, all.begin()).out;
    for (std::size_t k = 0; k < std::size(step_errors); ++k)
        *next++ = {place_of_error(k), step_errors[k].title, step_errors[k].unit, true};
    std::ranges::copy(panels_behind_errors, next);
    return all;
}();

}  // namespace lig::app
