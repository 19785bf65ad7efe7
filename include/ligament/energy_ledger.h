#pragma once

// EnergyLedger: where the energy of a step comes from and where it goes, in joules.
//
//   kinetic + potential after = before + work done − dissipated − removed + method
//
// Work and losses are measured where they happen: by the impulses that a sub-step has applied and the
// velocities they have acted on, or by integrals of power over the stages of a method. `method` is what is
// left: what the method itself has made (positive) or lost (negative). docs/energy.md tells more.

namespace lig {

// What crosses the boundary of the model or leaves it as heat.
struct EnergyFlows {
    // Work done on the model: positive adds energy.
    double drives = 0;     // of actuators, springs towards a pose, and tracking
    double applied = 0;    // of forces that were set from outside
    double kinematic = 0;  // of kinematic bodies and prescribed motion, by joints, loops and contacts
    // Dissipated: positive takes energy.
    double dampers = 0;           // of joints, tendons and bushings, and by the medium
    double joint_friction = 0;    // dry friction of joints and tendons
    double contact_friction = 0;  // sliding, torsional and rolling
    double impacts = 0;           // contacts, along their normals
    double limits = 0;
    double corrections = 0;  // positions put back: loops closed, depth and passed limits removed
    double removed = 0;      // by the guard, of what the method had made

    // What all of them together add.
    double net() const {
        return drives + applied + kinematic - dampers - joint_friction - contact_friction - impacts - limits -
               corrections - removed;
    }
    EnergyFlows& operator+=(const EnergyFlows& other) {
        drives += other.drives;
        applied += other.applied;
        kinematic += other.kinematic;
        dampers += other.dampers;
        joint_friction += other.joint_friction;
        contact_friction += other.contact_friction;
        impacts += other.impacts;
        limits += other.limits;
        corrections += other.corrections;
        removed += other.removed;
        return *this;
    }
};
inline EnergyFlows operator*(double s, const EnergyFlows& f) {
    return {s * f.drives, s * f.applied, s * f.kinematic, s * f.dampers, s * f.joint_friction,
            s * f.contact_friction, s * f.impacts, s * f.limits, s * f.corrections, s * f.removed};
}

struct EnergyLedger {
    double before = 0;     // kinetic and potential, at the beginning
    double kinetic = 0;    // after the step,
    double potential = 0;  // … of gravity and of everything elastic,
    double elastic = 0;    // … of that: springs of joints, tendons and bushings, and penalties
    EnergyFlows flows;
    double method = 0;

    double after() const { return kinetic + potential; }
};

}  // namespace lig
