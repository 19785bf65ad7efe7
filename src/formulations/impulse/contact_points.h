#pragma once

// Contacts as sequential impulses: a normal impulse that only pushes, and friction as a motor without speed
// that the normal impulse limits.
//
// A point is found once a step and followed through its sub-steps: the arms to it turn with their bodies, but
// for the part by which a ball or capsule is round, which stays along the normal (a ball that rolls touches
// at its lowest point, not at the one it touched at before). Its gap is then
//     gap = n · (x_b + r_b − x_a − r_a) − (margin − gap of the properties).
// Open gaps may close within the step and no faster (n·v ≥ −gap/h): nothing is passed unseen.

#include "constraints/contact_rows.h"
#include "formulations/impulse/moving_bodies.h"
#include "formulations/impulse/give.h"

#include <ligament/collision.h>

#include <vector>

namespace lig::impulse {

struct ContactPoint {
    int a, b;
    int source;                // in Contacts::contacts
    int turning;               // in ContactPoints::turnings: torsional and rolling friction; −1: none
    Vec3d n, t1, t2;
    Vec3d local_a, local_b;    // from the centres of mass, in principal axes: of the part that turns,
    double round_a, round_b;   // and how far beyond it along n the surface is
    Vec3d arm_a, arm_b;        // at the beginning of the step; fixed within it
    double offset;             // margin − gap of the properties
    double friction[2];
    double restitution;
    double approach;           // speed along n before the step
    double gap;                // of the sub-step
    // Responses to unit impulses along n, t1, t2; inverse of the friction block.
    double inv_nn, nn, n1, n2;
    double i11, i12, i22;
    double impulse, tangent[2];
    double correction = 0;
    double largest;            // impulse within the step
};

// Friction against turning about the normal and rolling about the tangents, limited by lengths times the
// normal impulse.
struct ContactTurning {
    Vec3d axis[3];         // n, t1, t2
    double length[3];
    double inverse[3];     // 1/response
    double impulse[3];
    int count;             // 1: about the normal alone
};

struct ContactSettings {
    double h;              // of a sub-step
    double slop;
    double fastest = 4;    // m/s: of corrections
    bool per_axis = false;    // friction: each direction by itself
    bool accumulated = true;  // bounds hold for the sums of impulses
    bool bounce = false;      // restitution as a velocity bias,
    double least_bounce = 0.01;  // of what approaches faster: m/s
};

class ContactPoints {
public:
    // Points that may be reached within dt; `share`: of the impulses that contacts keep, to begin with.
    void find(const Contacts& contacts, const MovingBodies& bodies, double dt, double share);
    // Gaps where the bodies are.
    void look(const MovingBodies& bodies);
    void warm_start(const BodyView& bodies) const;
    // One sweep; returns the largest velocity error met.
    double sweep(const ContactSettings& settings, const Give& soft, const BodyView& bodies);
    // One sweep of the velocities that remove errors, at this rate: 1/s.
    void correct(double rate, const ContactSettings& settings, const BodyView& corrections);
    // Points that were hit fast enough bounce.
    void restitute(double threshold, const BodyView& bodies);
    void store(Contacts& contacts) const;
    double deepest() const;

    std::vector<ContactPoint> points;
    std::vector<ContactTurning> turnings;
};

}  // namespace lig::impulse
