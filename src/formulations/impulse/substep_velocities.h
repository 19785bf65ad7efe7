#pragma once

// The velocities around the impulses of a sub-step, for the energy ledger: an impulse does its work at the
// mean of those before and after it all, which is exact for the kinetic energy where bodies are.

#include "formulations/impulse/moving_bodies.h"

#include <ligament/energy_ledger.h>

namespace lig::impulse {

struct SubstepVelocities {
    double h;
    BodyView mean, after;
    int bases;        // bodies below are bases
    bool bases_move;  // some of them do: otherwise they do no work

    bool is_base(int body) const { return body < bases; }
};

}  // namespace lig::impulse
