#pragma once

// K by test forces and whole evaluations [K04 sec. 4.1, 4.2].
//
// Solved:   the columns of K in  h(v̇) − h(v̇₀) = K f                                        [eq. 10]
// How:      a test force of magnitude f_t along row i, an evaluation of the forward dynamics, and
//               k_ji = (h_j(v̇_ti) − h_j(v̇₀)) / f_t                        [eq. 11; 8 for one]
// Cost:     m + 1 evaluations of O(n), and m² values: O(nm + m²).
//
// The evaluations are independent, "they can be computed in parallel": with lanes, W of them run side by
// side, the same state in each lane and another test force. Each lane has the bits of an evaluation of
// its own.
//
// Departure: the paper leaves the magnitude of the test force open. The differences of eq. 11 lose
// |h_j(v̇₀)| / |k_ji f_t| times the precision of h, so the force is large against everything that acts anyway
// (ConstraintOptions::test_force).

#include "formulations/reduced/acceleration/constraint_rows.h"

#include <ligament/dynamics.h>

#include <vector>

namespace lig {

// J v̇ of all rows. `at` is a state after forward_kinematics; a (links) is scratch: the accelerations of the
// links beyond those at v̇ = 0.
template <class T>
void row_values(const ConstraintRows& rows, const Workspace<double>& at, std::span<const T> qacc,
                std::span<Motion<T>> a, std::span<T> values);

// The sum of the absolute values of the terms of J v̇ of one row, with the accelerations that row_values
// has left in `a`: what rounding of the value is a share of.
double size_of_terms(const ConstraintRows& rows, const RowBlock& block, const Row& row,
                     std::span<const double> qacc, std::span<const Motion<double>> a);

template <class T>
class TestForces {
public:
    explicit TestForces(const std::shared_ptr<const Model>& model);

    // The state of `at` with the forces that act anyway: tau on the joints, at.f_ext on the links.
    void set_state(const JointState<double>& state, std::span<const double> tau, const Workspace<double>& at);

    // The columns of K of `lane_width<T>` rows from `first` on, as far as there are so many; K is m × m.
    // `start` (m): J v̇₀.
    void columns(const ConstraintRows& rows, const Workspace<double>& at, int first, double test_force,
                 std::span<const double> start, std::span<double> K);

    // J v̇ of all rows while the test force acts along each lane's row.
    std::span<const T> evaluate(const ConstraintRows& rows, const Workspace<double>& at, int first,
                                double test_force);
    // After evaluate.
    std::span<const T> joint_accelerations() const { return qacc_; }
    std::span<const Motion<T>> link_accelerations() const { return acceleration_; }

private:
    JointState<T> state_;
    Workspace<T> ws_;
    std::vector<T> tau_, pushed_, qacc_;    // (nv)
    std::vector<Force<T>> f_ext_;           // (links)
    std::vector<Motion<T>> acceleration_;   // (links)
    std::vector<T> values_;                 // (rows)
};

}  // namespace lig
