#pragma once

// Forces that act beside those of actuators and equalities: of contacts, limits, dry friction and constraints
// whose forces have bounds. Some are known by the state, of others only the bounds are.

#include <ligament/specs.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lig {

// One force within a range, or those of a contact in its cone.
struct BoundedForce {
    std::vector<double> along;  // (count × nv) what a unit of each does along the velocities; of a cone the
                                // normal one first, friction times its coefficient
    Range range;
    bool cone = false;
    std::vector<double> force;  // (count)

    std::span<const double> row(int k, int nv) const {
        return std::span(along).subspan(static_cast<std::size_t>(k) * nv, nv);
    }
    void add_to(std::span<double> tau, double factor) const {
        for (std::size_t k = 0; k < force.size(); ++k)
            for (std::size_t i = 0; i < tau.size(); ++i)
                tau[i] += factor * force[k] * along[k * tau.size() + i];
    }
};

struct ForcesBesides {
    std::vector<double> given;  // (nv) the sum of what is known; empty: nothing
    std::vector<BoundedForce> unknown;
};

}  // namespace lig
