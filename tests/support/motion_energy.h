#pragma once

// The energy of a state, of motion and of position together.

#include <ligament/smooth_motion.h>

namespace lig::test {

inline double total_energy(SmoothDynamics& dynamics, const JointState<double>& state) {
    forward_kinematics(state, dynamics.ws);
    update_drives(state, dynamics.ws, dynamics.drives);
    const Energy<double> e = energy(state, dynamics.ws, dynamics.drives);
    return e.kinetic + e.potential;
}
inline double total_energy(SmoothMotion& motion, const JointState<double>& state) {
    return total_energy(motion.dynamics, state);
}

}  // namespace lig::test
