#pragma once

// Which flow of the energy ledger the work of a row belongs to (ligament/energy_ledger.h).

#include "constraints/rows.h"
#include "constraints/soft_row.h"
#include "dynamics/polynomial_force.h"

#include <ligament/energy_ledger.h>

#include <cmath>

namespace lig {

// normal: of the rows of a contact, the one that pushes.
inline void book_row_work(RowKind kind, bool normal, double work, EnergyFlows& flows) {
    switch (kind) {
        case RowKind::drive:
        case RowKind::tracking:
        case RowKind::pair_drive:
        case RowKind::group_drive: flows.drives += work; break;
        case RowKind::friction_loss:
        case RowKind::tendon_friction: flows.joint_friction -= work; break;
        case RowKind::limit:
        case RowKind::tendon_limit:
        case RowKind::pair_limit:
        case RowKind::group_limit: flows.limits -= work; break;
        case RowKind::contact: (normal ? flows.impacts : flows.contact_friction) -= work; break;
        default: break;  // they hold, or store; what they damp is counted by their force
    }
}

// The force of the damper of a joint or tendon at the end of a step that changes its speed, as steps take it
// implicitly.
template <class Damped>
double damper_force_after(const Damped& of, double speed, double change) {
    return speed * damping_at(of.damping, of.damping_poly, speed) +
           slope_at(of.damping, of.damping_poly, std::abs(speed)) * change;
}

}  // namespace lig
