#pragma once

// Transmissions through linkages: how an actuator (a cylinder, a rod, a crank) and the joints that it moves
// go together, over the whole range of a parallel mechanism. The curve of poses is followed along its
// branch, by its own length, so that it passes positions in which the actuator or a joint stands still.
//
// With s along the curve, l the actuator's length and θ a joint's coordinate,
//     dθ/dl = θ'/l'   the ratio of speeds,   dl/dθ = l'/θ'   the torque at the joint per force of the
//     actuator.

#include <ligament/model.h>
#include <ligament/state.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace lig {

struct TransmissionPoint {
    std::vector<double> q;       // (nq)
    std::vector<double> motion;  // (nv) along the curve: velocities in the proportions of the linkage
    double length;               // of the actuator, along its transmission,
    double length_rate;          // and its rate with this motion

    double ratio(int velocity) const { return motion[velocity] / length_rate; }
    double arm(int velocity) const { return length_rate / motion[velocity]; }
};

// Where a ratio has a zero or a pole.
struct TransmissionSingularity {
    int velocity;  // that stands still: there the joint yields to no force; −1: the actuator does, and has no
                   // effect
    TransmissionPoint at;
};

struct TransmissionCurve {
    int actuator = -1;
    int freedom = -1;             // the independent velocity that varies; others are held
    std::vector<TransmissionPoint> points;  // from end to end, the start among them
    std::array<std::string, 2> ends;  // why the curve ends: "the limit of joint 'boom'", "a dead end"
    bool closed = false;          // it comes back to where it began
    std::vector<TransmissionSingularity> singular;
    std::vector<int> moved;       // velocities of hinges and slides that the actuator moves, but its own
};

struct TransmissionOptions {
    double step = 0.02;  // rad, or of a length, times the size of the model: how far points are apart
    int points = 4000;   // at most
};

// Follows the curve of an actuator from a state that is on its equalities. Throws std::invalid_argument where
// there is none: the state is open, or the actuator moves nothing. Limits of hinges and slides end it.
TransmissionCurve trace_transmission(std::shared_ptr<const Model> model, const JointState<double>& state,
                                     int actuator, const TransmissionOptions& options = {});

}  // namespace lig
