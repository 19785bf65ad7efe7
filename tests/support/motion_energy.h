#pragma once

// The energy of a state, of motion and of position together.

#include <ligament/smooth_motion.h>

namespace lig::test {

inline double total_energy(SmoothMotion& motion, const JointState<double>& state) {
    forward_kinematics(state, motion.dynamics.ws);
    update_drives(state, motion.dynamics.ws, motion.dynamics.drives);
    const Energy<double> e = energy(state, motion.dynamics.ws, motion.dynamics.drives);
    return e.kinetic + e.potential;
}

}  // namespace lig::test
