#pragma once

// MomentumLedger: where the momentum of a step comes from, as EnergyLedger has it of the energy.
//
//   momentum after = before + impulses from outside + method
//
// All of it is linear momentum (N·s) and angular momentum about the world's origin (N·m·s), of all links;
// kinematic bodies stand outside. It is kept where SimulationOptions::momentum_ledger asks for it.
// docs/energy.md tells what is measured and what is not.

#include <ligament/spatial.h>

#include <iterator>
#include <string_view>

namespace lig {

// Impulses of what acts from outside, and their moments about the world's origin.
struct MomentumFlows {
    Force<double> weight = Force<double>::zero();    // but for what is held up (gravcomp)
    Force<double> applied = Force<double>::zero();   // xfrc_applied; qfrc_applied on free joints of the world
    Force<double> contacts = Force<double>::zero();  // with the world and with kinematic bodies
    Force<double> supports = Force<double>::zero();  // all else that holds to them: joints, equalities, …
    Force<double> medium = Force<double>::zero();

    Force<double> net() const;
    MomentumFlows& operator+=(const MomentumFlows& other);
};

// The flows one by one: sums, tables, files and pages walk over this list.
struct MomentumFlow {
    std::string_view name;   // in files, behind "momentum_" and "angular_momentum_"
    std::string_view title;  // for readers
    Force<double> MomentumFlows::* value;
};
inline constexpr MomentumFlow momentum_flows[] = {
    {"by_weight", "weight", &MomentumFlows::weight},
    {"by_applied", "applied forces", &MomentumFlows::applied},
    {"by_contacts", "contacts", &MomentumFlows::contacts},
    {"by_supports", "supports", &MomentumFlows::supports},
    {"by_medium", "the medium", &MomentumFlows::medium},
};
static_assert(sizeof(MomentumFlows) == std::size(momentum_flows) * sizeof(Force<double>),
              "one of them is not listed");
// What MomentumLedger::method is called beside them.
inline constexpr std::string_view method_momentum_name = "made_by_method",
                                  method_momentum_title = "the method";

inline Force<double> MomentumFlows::net() const {
    Force<double> sum = Force<double>::zero();
    for (const MomentumFlow& flow : momentum_flows) sum += this->*flow.value;
    return sum;
}
inline MomentumFlows& MomentumFlows::operator+=(const MomentumFlows& other) {
    for (const MomentumFlow& flow : momentum_flows) this->*flow.value += other.*flow.value;
    return *this;
}
inline MomentumFlows operator*(double s, const MomentumFlows& flows) {
    MomentumFlows scaled;
    for (const MomentumFlow& flow : momentum_flows) scaled.*flow.value = s * (flows.*flow.value);
    return scaled;
}

struct MomentumLedger {
    Force<double> before = Force<double>::zero(), after = Force<double>::zero();
    MomentumFlows flows;
    Force<double> method = Force<double>::zero();  // what the method has made, of what floats;
    bool measured = false;                         // … if anything does
};

}  // namespace lig
