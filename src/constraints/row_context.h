#pragma once

// What assembling functions know of the step that their rows are for, and how one-sided rows become biases.

#include "constraints/rows.h"

#include <algorithm>

namespace lig {

struct RowContext {
    double h;         // the step
    double time = 0;  // at its start
    // A bound that is this far away, times h, may be reached within the step even from rest: an impact
    // elsewhere can throw a limb at its limit. m/s or rad/s, beside the present speed.
    double reach_speed = 5;
    double correction = 0.3;  // the share of an error that one step removes
    // Of what curvature does to an equality within the step: 1 for velocities that fit it at its end, ½ for
    // coordinates that do.
    double product_share = 1;
    // The same for contacts, by the curvature of coordinates alone: bodies that turn show other points.
    double contact_product_share = 0;
    double fastest_correction = 1;  // m/s, rad/s
    double slop = 1e-4;       // m, rad: errors up to this are left alone
};

// Bias of a row whose gap must not become negative (its rate is J v plus `base_rate`), by the end of the
// step.
inline void set_gap(Row& row, const RowContext& context, double gap, double base_rate) {
    row.base_rate = base_rate;
    row.kept_bias = base_rate + std::max(gap, 0.0) / context.h;
    row.bias = gap >= -context.slop
                   ? row.kept_bias
                   : base_rate + std::max(context.correction * (gap + context.slop) / context.h,
                                          -context.fastest_correction);
}

// The gap that such a row asks for at the end of the step, where there is no curvature.
inline double gap_behind(const RowContext& context, double gap) {
    if (gap >= -context.slop) return std::min(gap, 0.0);
    return gap + std::min(-context.correction * (gap + context.slop), context.h * context.fastest_correction);
}

// Whether a bound at this distance, closing at −rate, is to have a row.
inline bool within_reach(const RowContext& context, double gap, double rate) {
    return gap <= context.h * (context.reach_speed + std::max(-2 * rate, 0.0));
}

}  // namespace lig
