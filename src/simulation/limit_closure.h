#pragma once

// LimitClosure: a state that has passed limits is put back, by the least change of coordinates in the measure
// of the inertia, with equalities closed and contacts at their distances.
//
// A row of a limit is a tangent. Along the circle of a cone, and where equalities are nearly taut or light
// links carry a heavy load, the velocities that would remove an error lead past others; here rows are taken
// anew after each change.

#include "simulation/equality_closure.h"

#include <ligament/drives.h>

#include <vector>

namespace lig {

class LimitClosure {
public:
    explicit LimitClosure(const Model& model);

    // Whether the model has limits at all.
    static bool needed_by(const Model& model);

    // What is to be held.
    std::vector<HeldLimit> limits;
    std::vector<HeldContact> contacts;

    // After a step of length h, as EqualityClosure::resist_stretching. Newton's method on equalities, limits
    // and contacts while errors fall to half of what they were with each change. False: it got stuck, and
    // coordinates are as before. Kinematics and tendons of the state are in ws and drives afterwards.
    bool close(JointState<double>& state, Workspace<double>& ws, DriveWorkspace<double>& drives,
               double h = 0);
    // What it has left open, relative to the parts, or rad.
    double left() const { return left_; }

private:
    EqualityErrors look(const JointState<double>& state, Workspace<double>& ws,
                        DriveWorkspace<double>& drives);

    EqualityClosure rows_;
    double left_ = 0;
    std::vector<double> start_q_, better_q_;  // (nq)
    std::vector<double> change_;              // (nv)
};

}  // namespace lig
