#pragma once

// EnergyGuard: how much energy the method of a simulation may make (docs/energy.md).
//
// It keeps an account of what steps have made, the sum of EnergyLedger::method as far as the energy has risen
// by it: an energy that swings to and fro, as that of symplectic methods does, counts with how far it is
// above its mean, not with the sum of its rises. It is compared with `moving`, the largest kinetic energy of
// about the last second, or what kinematic bodies give or take within a second if that is more. Both fade
// alike. A step is admitted while made ≤ share · moving; what is lost counts against it. Methods that were
// asked for by name may swing more.
//
// Positions that are put back (EnergyFlows::corrections) may raise the energy, too. Shorter steps seldom do
// without that: it is admitted, counts as made, and what is too much is taken out of the motion, as far as
// there is some.

#include <ligament/energy_ledger.h>
#include <ligament/simulation.h>

namespace lig {

// Takes energy out of a motion.
class Brake {
public:
    // Sizes what `slow_down` needs.
    void reserve(int nv) {
        velocities_.resize(static_cast<std::size_t>(nv));
        locked_.resize(static_cast<std::size_t>(nv));
    }
    // Slows the model down until its kinetic energy is less by `surplus` J: joints by a common share, what
    // floats keeps its momentum, kinematic bodies their motion. Where that is not enough, what floats slows
    // down, too. False, with the state as it was: there is not as much.
    bool slow_down(double surplus, SmoothDynamics& dynamics, JointState<double>& state);

private:
    std::vector<double> velocities_, locked_;  // (nv) scratch
};

class EnergyGuard {
public:
    static constexpr double fading_time = 1;  // s, of what was made and of what was in motion

    // 0: anything is admitted. Where there is wind, drag may give energy, which no other damper does. Where
    // contacts are soft they keep energy and give it back: what was lost before counts against what is made.
    EnergyGuard(double share, const Model& model, bool has_soft_contacts = false);

    static constexpr int max_parts = 16;  // of a step that is taken again
    // Sub-steps of a step, with those that were rejected, beyond which it is not taken again.
    static constexpr int max_attempts = 2000;

    // What is kept from step to step, and belongs into snapshots. parts: in how many parts steps have had to
    // be taken.
    struct Account {
        double made = 0, moving = 0;
        int parts = 1;
    };
    Account account;

    // By how much a step of length h is beyond what may be made, J; 0 or less: it is admitted. least: an
    // energy of motion that is as good as none.
    double surplus(const EnergyLedger& step, double h, double least) const;
    // What corrections have raised the energy by in a step, J, and by how much of it that is too much.
    double raised_in(const EnergyLedger& step) const;
    double surplus_raised(const EnergyLedger& step, double h, double least) const;
    // Takes a step that was admitted, or that has had its surplus removed, into the account; raised: what
    // counts as made besides.
    void note(const EnergyLedger& step, double h, double raised = 0);

private:
    Account after(const EnergyLedger& step, double h) const;
    double admitted(const EnergyLedger& step, const Account& next, double least) const;
    double made_in(const EnergyLedger& step) const;

    double share_;
    bool wind_, soft_;
};

// By how much the energy of a passive motion may have risen since its beginning while a guard admits its
// steps. The account of what is made never has more than share · moving + least, and of that the part that
// fades in a step may be made again.
class AdmittedRise {
public:
    AdmittedRise(double share, double least) : share_(share), least_(least) {}
    // A step of length h that ends with this kinetic energy.
    void note(double kinetic, double h);
    double most() const { return faded_ + account_; }

private:
    double share_, least_;
    double moving_ = 0, account_ = 0, faded_ = 0;
};

// An energy of motion that is as good as none, J: of everything at a millimetre per second; and what lifting
// everything by the depth takes that contacts rest at.
double idle_energy(const Model& model, double depth);

// Sums counts, and takes the largest figures, of a step made in parts.
void add_part(const StepReport& part, StepReport& whole);

}  // namespace lig
