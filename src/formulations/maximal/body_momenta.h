#pragma once

// Momenta of bodies, for the momentum ledger.

#include "formulations/maximal/body_system.h"
#include "simulation/momentum_account.h"

namespace lig::maximal {

Momenta momenta_of(const Model& model, const BodyCoordinates& bodies, const MomentumAccount& account);

}  // namespace lig::maximal
