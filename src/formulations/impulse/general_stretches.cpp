// What the stretches of bodies that deform do to the rows of general forces.

#include "formulations/impulse/general_forces.h"

namespace lig::impulse {

// The acceleration along a row as bodies stretch on while nothing acts on them.
double GeneralForces::stretched_away(const Row& row, const Bend& bend, const MovingBodies& bodies) const {
    double sum = 0;
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
        const RowEntry& entry = from_.rows.entries[e];
        const Freedom& freedom = freedoms_[entry.dof];
        if (freedom.b <= bodies.idle()) continue;
        sum += entry.value * (dot(freedom.lin, bend.spins[freedom.b].change) +
                              dot(freedom.ang_b, bend.spins[freedom.b].w));
    }
    return sum;
}

}  // namespace lig::impulse
