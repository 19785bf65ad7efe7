#pragma once

// Bushings in an implicit step: forces on the bodies, stiffness and damping. Against the world or a kinematic
// body they are a block of the one body that yields; between two bodies that move, rows (stiff_rows.h).

#include "formulations/implicit/stiff_rows.h"
#include "formulations/multiplier/body_system.h"

#include <span>

namespace lig::implicit {

// Into the body entries of f.
void add_bushing_forces(const multiplier::BodySystem& system, std::span<double> f);
// η² K + η D of all bushings at the bodies that `system` looked at. After find_inertias.
void add_bushing_stiffness(double eta, multiplier::BodySystem& system, StiffRows& rows);

}  // namespace lig::implicit
