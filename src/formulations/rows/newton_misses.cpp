// By which velocities the impulses of Newton's method miss the rows.

#include "formulations/rows/newton_impulses.h"

#include <algorithm>
#include <cmath>

namespace lig {

// Of the compliance of a row of a block, what is not its own but ours.
double NewtonImpulses::own_compliance(const Block& block, const Row* rows, int r) const {
    if (!block.cone || r == 0) return compliance_[block.begin + r] - rows[r].compliance;
    const double mu = rows[r].friction;
    return mu > 0 ? compliance_[block.begin] * block.rho / (mu * mu) : 0.0;
}

// The velocity that a change of a row's impulse stands for. Friction that can do little, as rolling friction
// may, is off by no more than it could change.
double NewtonImpulses::speed_of(const Block& block, const Row* rows, int r, double change,
                                double normal) const {
    const double speed = own_compliance(block, rows, r) * std::fabs(change);
    if (!block.cone || r == 0) return speed;
    return std::min(speed, 2 * responses_[block.begin + r] * rows[r].friction * std::fabs(normal));
}

double NewtonImpulses::missed_speed(Law law, const Problem& problem) const {
    double missed = 0;
    for (const Block& block : blocks_) {
        const Row* const rows = &problem.rows.rows[block.begin];
        const double* const lambda = &problem.lambda[block.begin];
        const double* const before = &before_[block.begin];
        for (int r = 0; r < block.count; ++r)
            missed = std::max(missed, speed_of(block, rows, r, lambda[r] - before[r],
                                               std::max(lambda[0], before[0])));
        if (law == Law::associated)
            missed = std::max(missed,
                              std::fabs(opening_speed(block, &problem.rows.rows[block.begin]) - block.shift));
    }
    return missed;
}

// By how much rows are missed with the impulses and s as they are, whatever has been solved. After
// find_velocities; λ⁰ becomes λ.
double NewtonImpulses::measured_miss(const Problem& problem) {
    double missed = 0;
    for (Block& block : blocks_) {
        const Row* const rows = &problem.rows.rows[block.begin];
        const double* const lambda = &problem.lambda[block.begin];
        double wanted[6];
        for (int r = 0; r < block.count; ++r) before_[block.begin + r] = lambda[r];
        project(Law::coulomb, block, rows, &u_[block.begin], wanted);
        for (int r = 0; r < block.count; ++r)
            missed = std::max(missed, speed_of(block, rows, r, lambda[r] - wanted[r],
                                               std::max(lambda[0], wanted[0])));
    }
    return missed;
}

}  // namespace lig
