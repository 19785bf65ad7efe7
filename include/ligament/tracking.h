#pragma once

// Motion control: how joints are made to follow a clip (Simulation::track). docs/motion-control.md has the
// figures.
//
// An error e between a joint and its target decays as e″ + damping e′ + stiffness e = 0. The gains say how
// fast; torques are whatever that takes, up to a limit.

#include <ligament/motion_clip.h>

#include <limits>
#include <vector>

namespace lig {

// Per inertia: 1/s² and 1/s.
struct TrackingGains {
    double stiffness, damping;
};

// Critically damped gains with which an error at rest has shrunk to `share` of itself at the settling time:
// (1 + x) e⁻ˣ = share, stiffness x²/t², damping 2x/t; for a tenth 15.130/t² and 7.7794/t. Throws
// std::invalid_argument unless the time is positive and the share between 0 and 1.
TrackingGains settling_gains(double settling_time, double share = 0.1);
// 1/t² and 2/t, as Kokkevis 2004 prints them for a tenth. They are critically damped, too, but x is 1: at the
// settling time 2/e = 73.6 % of the error are left.
TrackingGains paper_gains(double settling_time);

enum class TrackingMethod {
    acceleration,  // joint accelerations are what the error asks for, whatever inertia, gravity and the rest
                   // of the body are: Kokkevis 2004, equation (22) as a constraint
    pd             // torques from the error, by the inertia beyond the joint in the reference configuration
};

struct TrackingOptions {
    TrackingMethod method = TrackingMethod::acceleration;
    TrackingGains gains = settling_gains(0.2);
    // The target's own acceleration is part of what is asked for: without it, as in (22), joints lag behind
    // by the acceleration over the stiffness.
    bool feed_forward = true;
    std::vector<int> joints{};    // which, in Model::joints; empty: all of the clip. Free ones never are
    // Of each freedom, N·m or N: of all joints, or (if not empty) of each joint of the model.
    double torque_limit = std::numeric_limits<double>::infinity();
    std::vector<double> torque_limits{};
    double start = 0;             // the time of the simulation at which the clip is at 0

    // Joints are let go from one time to another, and taken up again.
    struct Interval {
        double from, to;
    };
    std::vector<Interval> limp{};
};

}  // namespace lig
