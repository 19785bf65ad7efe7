#pragma once

// What the bend of a limit does: a bound that pushes with a force is a stiffness against turning along it.

#include "constraints/limit_rows.h"
#include "dynamics/joint_terms.h"

namespace lig {

// row: entries of the bound's row, to scale 1.
inline void add_bend(std::span<const RowEntry> row, const LimitBend& bend, double force, JointTerms& terms) {
    const double stiffness = bend.bend * force;
    const bool along = dot(bend.along, bend.along) > 0;
    for (int k = 0; k < static_cast<int>(row.size()) && stiffness > 0; ++k)
        for (int l = 0; l <= k; ++l) {
            const double across =
                along ? bend.along[k] * bend.along[l] : (k == l) - row[k].value * row[l].value;
            terms.added[terms.added_at(row[k].dof, row[l].dof)] += stiffness * across;
        }
}

}  // namespace lig
