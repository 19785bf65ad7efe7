#pragma once

// Bushings as soft rows (soft_row.h), one along and one about each axis of frame F on body A: they are taken
// at the end of a step, and may be as stiff as one likes. What turns a bushing's force within a step is left
// out of the slopes; the force itself is exact at its beginning.

#include "constraints/rows.h"
#include "constraints/warm_starts.h"

#include <ligament/workspace.h>

#include <span>

namespace lig {

inline constexpr int rows_of_bushing = WarmStarts::rows_of_bushing;

// Rows of all bushings that act; their guesses, and where they are kept (Row::warm), are in `impulses`: six
// of each bushing. After forward_kinematics.
void add_bushing_rows(const Workspace<double>& ws, double h, std::span<const double> impulses, Rows& rows);

// For steps that have the forces of bushings at their beginning already: rows of what these change by within
// the step, of bushings that a step of length h is too long for. A bushing of few h² k + h c beside the
// inertia of its bodies gets none.
void add_stiff_bushing_rows(const Workspace<double>& ws, double h, const WarmStarts& warm, Rows& rows);

// What a wrench on a link, about its origin, would make it yield by if no joint held it: f M⁻¹ f.
double response_alone(const Workspace<double>& ws, int link, const Force<double>& f);
// The same of all that a row acts on. inertia_of(dof): along a freedom.
template <class InertiaOf>
double response_alone(const Workspace<double>& ws, const Rows& rows, const RowBlock& block, const Row& row,
                      InertiaOf&& inertia_of) {
    double response = 0;
    if (block.link_a >= 0) response += response_alone(ws, block.link_a, row.on_a);
    if (block.link_b >= 0) response += response_alone(ws, block.link_b, row.on_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
        const RowEntry& entry = rows.entries[e];
        response += entry.value * entry.value / inertia_of(entry.dof);
    }
    return response;
}

}  // namespace lig
