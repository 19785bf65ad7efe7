#pragma once

// One state of a model, ready for the parts of an evaluation in body coordinates to be called and timed one
// by one: the rows (J and what is left of the second derivatives), the masses, the factor, the solution.

#include "formulations/maximal/body_dynamics.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace lig::bench {

class BodyProblem {
public:
    BodyProblem(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                EqualityMethod loops)
        : dynamics(model, loops), inputs_(model), state_(state), qacc_(model->nv) {
        dynamics.accelerate(inputs_, state_, qacc_);
        // Forces as accelerate_bodies takes them; gyroscopic ones it adds itself.
        forces_.resize(static_cast<std::size_t>(dynamics.system.graph.size()));
        changing_ = forces_;
        JointState<double> read = state_;
        dynamics.find_forces(inputs_, read, false, forces_);
    }

    maximal::BodyDynamics dynamics;

    // Masses, rows, factor and solution, from the poses and velocities of the bodies.
    maximal::BodyDynamics::Solved accelerate_bodies() {
        std::copy(forces_.begin(), forces_.end(), changing_.begin());
        return dynamics.accelerate_bodies(changing_, 0);
    }
    // The same from joint coordinates to their accelerations.
    std::span<const double> accelerate() {
        dynamics.accelerate(inputs_, state_, qacc_);
        return qacc_;
    }

    // (f, −c): the right-hand side.
    std::vector<double> right_side() {
        maximal::BodySystem& system = dynamics.system;
        std::vector<double> side(forces_);
        system.poses.add_gyroscopic_forces(side);
        const std::span<const double> products = system.matrix.products();
        for (int k = system.graph.body_entries(); k < system.graph.size(); ++k) side[k] = -products[k];
        return side;
    }

    // The largest |J a + c| of a solution of bodies and multipliers.
    double residual(std::span<const double> solution) const {
        const maximal::BodySystem& system = dynamics.system;
        std::vector<double> rates(static_cast<std::size_t>(system.graph.size()));
        system.matrix.row_velocities(solution, rates);
        double largest = 0;
        for (int k = system.graph.body_entries(); k < system.graph.size(); ++k)
            largest = std::max(largest, std::abs(rates[k] + system.matrix.products()[k]));
        return largest;
    }

private:
    SmoothDynamics inputs_;
    JointState<double> state_;
    std::vector<double> qacc_, forces_, changing_;
};

}  // namespace lig::bench
