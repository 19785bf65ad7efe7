#pragma once

// Contacts as rows: one for the normal, then friction by condim: 3 sliding in the tangent plane, 4 and
// turning about the normal, 6 and rolling about the tangents.
//
// Normal, from A to B, n; at the point p between the witnesses
//   gap = distance − (margin − gap of the properties),   d gap/dt = n · (v_B − v_A)(p),
// so λ is the impulse on B along n. Friction rows are t·(v_B − v_A), n·(ω_B − ω_A), t·(ω_B − ω_A) with the
// axes t of contact_frame; their coefficients are lengths for the latter two kinds. Warm starts are the
// impulses that the manifold kept, taken apart in these axes.

#include "constraints/row_context.h"
#include "constraints/rows.h"

#include <ligament/collision.h>
#include <ligament/workspace.h>

namespace lig {

// Two unit vectors t1, t2 with n = t1 × t2.
struct ContactFrame {
    Vec3d n, t1, t2;
};
ContactFrame contact_frame(const Vec3d& normal);

// By which the surfaces of a contact are farther apart than where it begins to act.
double contact_gap(const Contacts& contacts, const Contact& contact);

// Rows for the contacts that may act within the step. `impulse_scale`: by which the kept impulses are
// multiplied, the ratio of this step to the one they are of. After forward_kinematics.
void add_contact_rows(const Contacts& contacts, const Workspace<double>& ws, const RowContext& context,
                      double impulse_scale, Rows& rows);

// Writes the impulses of solved rows back into the contacts; those without rows get none.
void store_contact_impulses(const Rows& rows, Contacts& contacts);

}  // namespace lig
