#pragma once

// Stiffness and damping of bushings in an implicit step. Against the world or a kinematic body they are a
// block of the one body that yields; between two bodies that move, rows (stiff_rows.h).

#include "formulations/implicit/stiff_rows.h"
#include "formulations/multiplier/body_system.h"

namespace lig::implicit {

// η² K + η D of all bushings at the bodies that `system` looked at. After find_inertias.
void add_bushing_stiffness(double eta, multiplier::BodySystem& system, StiffRows& rows);

}  // namespace lig::implicit
