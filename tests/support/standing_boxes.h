#pragma once

// Boxes that stand on each other, watched for a while.

#include "support/simulation_runs.h"

#include <cmath>
#include <vector>

namespace lig::test {

struct Standing {
    double moved = 0;  // m, of any box from where it started, at any time
    double penetration = 0;  // m, of neighbours, at any time,
    double settled = 0;      // … and in the second half
    double sunk = 0;         // m, of any box from where it started, at any time
    double kinetic = 0;  // J, at the end
};

// Penetration is measured as the benchmark has it: overlap in height of boxes of which one stands on the
// other, or with the ground, which is what it is as long as they stand upright.
inline Standing stand(Simulation& sim, double seconds) {
    const Model& model = sim.model();
    const std::vector<double> start = sim.state().q;
    struct Rest {
        int above, below;  // joints; −1: the ground
        double distance;  // of their centres
    };
    std::vector<Rest> rests;
    const auto at = [&](const std::vector<double>& q, int joint) {
        const double* p = q.data() + model.joints[joint].q_adr;
        return Vec3d{p[0], p[1], p[2]};
    };
    const int boxes = static_cast<int>(model.joints.size());
    for (int a = 0; a < boxes; ++a) {
        const Vec3d p = at(start, a);
        if (p.z < 0.75) rests.push_back({a, -1, p.z});
        for (int b = 0; b < boxes; ++b) {
            const Vec3d d = p - at(start, b);
            if (std::abs(d.z - 1) < 0.25 && std::abs(d.x) < 0.99 && std::abs(d.y) < 0.99)
                rests.push_back({a, b, d.z});
        }
    }
    REQUIRE(static_cast<int>(rests.size()) >= boxes);

    Standing standing;
    run(sim, seconds, frame, [&](const StepReport&) {
        const std::vector<double>& q = sim.state().q;
        for (int b = 0; b < boxes; ++b) {
            const Vec3d d = at(q, b) - at(start, b);
            standing.moved = std::max(standing.moved, std::sqrt(dot(d, d)));
            standing.sunk = std::max(standing.sunk, -d.z);
        }
        double deepest = 0;
        for (const Rest& rest : rests) {
            const double below = rest.below < 0 ? 0 : at(q, rest.below).z;
            deepest = std::max(deepest, rest.distance - (at(q, rest.above).z - below));
        }
        standing.penetration = std::max(standing.penetration, deepest);
        if (sim.state().time > seconds / 2) standing.settled = std::max(standing.settled, deepest);
    });
    standing.kinetic = sim.energy().kinetic;
    return standing;
}

}  // namespace lig::test
