#pragma once

// EnergyLedger: where the energy of a step comes from and where it goes, in joules.
//
//   kinetic + potential after = before + work done − dissipated − removed + method
//
// Work and losses are measured where they happen: by the impulses that a sub-step has applied and the
// velocities they have acted on, or by integrals of power over the stages of a method. `method` is what is
// left: what the method itself has made (positive) or lost (negative). docs/energy.md tells more.

#include <iterator>
#include <string_view>

namespace lig {

// What crosses the boundary of the model or leaves it as heat.
struct EnergyFlows {
    // Work done on the model: positive adds energy.
    double drives = 0;     // of actuators, springs towards a pose, and tracking
    double applied = 0;    // of forces that were set from outside
    double kinematic = 0;  // of kinematic bodies and prescribed motion, by joints, equalities and contacts
    // Dissipated: positive takes energy.
    double dampers = 0;           // of joints, tendons and bushings, and by the medium
    double joint_friction = 0;    // dry friction of joints and tendons
    double contact_friction = 0;  // sliding, torsional and rolling
    double impacts = 0;           // contacts, along their normals
    double limits = 0;
    double corrections = 0;  // positions put back: equalities closed, depth and passed limits removed
    double removed = 0;      // by the guard, of what the method had made

    // What all of them together add.
    double net() const;
    EnergyFlows& operator+=(const EnergyFlows& other);
};

// The flows one by one: sums, tables, files and pages walk over this list.
struct EnergyFlow {
    std::string_view name;   // in files
    std::string_view title;  // for readers
    int sign;                // of what it adds to the energy of the model
    double EnergyFlows::* value;
};
inline constexpr EnergyFlow energy_flows[] = {
    {"work_drives", "drives", 1, &EnergyFlows::drives},
    {"work_applied", "applied forces", 1, &EnergyFlows::applied},
    {"work_kinematic", "kinematic bodies", 1, &EnergyFlows::kinematic},
    {"lost_dampers", "dampers", -1, &EnergyFlows::dampers},
    {"lost_joint_friction", "dry friction of joints", -1, &EnergyFlows::joint_friction},
    {"lost_contact_friction", "friction of contacts", -1, &EnergyFlows::contact_friction},
    {"lost_impacts", "impacts", -1, &EnergyFlows::impacts},
    {"lost_limits", "limits", -1, &EnergyFlows::limits},
    {"lost_corrections", "corrections", -1, &EnergyFlows::corrections},
    {"removed_by_guard", "the guard", -1, &EnergyFlows::removed},
};
static_assert(sizeof(EnergyFlows) == std::size(energy_flows) * sizeof(double), "one of them is not listed");
// What EnergyLedger::method is called beside them.
inline constexpr std::string_view method_energy_name = "made_by_method", method_energy_title = "the method";

inline double EnergyFlows::net() const {
    double sum = 0;
    for (const EnergyFlow& flow : energy_flows) sum += flow.sign * (this->*flow.value);
    return sum;
}
inline EnergyFlows& EnergyFlows::operator+=(const EnergyFlows& other) {
    for (const EnergyFlow& flow : energy_flows) this->*flow.value += other.*flow.value;
    return *this;
}
inline EnergyFlows operator*(double s, const EnergyFlows& flows) {
    EnergyFlows scaled;
    for (const EnergyFlow& flow : energy_flows) scaled.*flow.value = s * (flows.*flow.value);
    return scaled;
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
