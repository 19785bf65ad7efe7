#pragma once

// MomentumAccount: what acts on a model from outside, for the momentum ledger (ligament/momentum_ledger.h).
//
// Links fall into two sets. What *floats* hangs on free joints of the world and is not tied to it otherwise,
// by no spring, loop, spatial tendon, bushing or thruster, nor to anything that is. All that acts on it is
// known by forces: weight, applied forces, the medium, contacts. So what the method makes of its momentum is
// measured. What is *held* takes from the world, through joints and the like, whatever it needs: that is
// `supports`, and follows from its momentum.
//
// Whoever integrates notes the forces of its stages and proposes what they come to; what is proposed counts
// once the step is accepted.

#include "constraints/rows.h"

#include <ligament/momentum_ledger.h>
#include <ligament/smooth_motion.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace lig {

// Momenta about the world's origin.
struct Momenta {
    Force<double> all = Force<double>::zero(), floating = Force<double>::zero();
};

// Forces from outside or their impulses, about the world's origin.
struct OutsideImpulses {
    MomentumFlows flows;  // on everything; without supports
    Force<double> on_floating = Force<double>::zero();  // on what floats, by all that does not

    OutsideImpulses& operator+=(const OutsideImpulses& other);
};
OutsideImpulses operator*(double s, const OutsideImpulses& impulses);

class MomentumAccount {
public:
    explicit MomentumAccount(std::shared_ptr<const Model> model);

    bool floats(int link) const { return floats_[link] != 0; }
    // Links that do not move for now, whatever pushes them, count as standing outside. (links) Empty: none.
    std::vector<char> asleep;
    // A place for poses, for whoever has none.
    Workspace<double>& workspace() { return ws_; }

    // The forces of a stage; and proposes Σ h weights · forces in the place of what was proposed before.
    static constexpr int max_stages = 7;
    OutsideImpulses& stage(int k) { return stages_[k]; }
    void propose(double h, std::span<const double> weights);
    void propose(const OutsideImpulses& impulses) { proposed_ = impulses; }
    const OutsideImpulses& proposed() const { return proposed_; }
    void accept() { sum += proposed_; }
    OutsideImpulses sum;  // of the present step

    // Weight, applied forces and the medium, with links where `poses` has them. The medium's forces are in
    // inputs.ws, after push_bodies, where the model has a medium.
    OutsideImpulses forces(const Workspace<double>& poses, const SmoothDynamics& inputs) const;
    // The same in parts: without the medium; and what it does to a link, about the world's origin.
    OutsideImpulses forces_without_medium(const Workspace<double>& poses, const SmoothDynamics& inputs) const;
    void add_drag(int link, const Force<double>& force, OutsideImpulses& sum) const;
    // What a contact with `other` (negative: the world or a kinematic body) does to a link, about the world's
    // origin. Both sides are told of.
    void add_contact(int link, int other, const Force<double>& impulse, OutsideImpulses& sum) const;
    // The same of all rows of contacts with these impulses, or forces.
    void add_contacts(const Workspace<double>& ws, const Rows& rows, std::span<const double> lambda,
                      OutsideImpulses& sum) const;
    // Adds the momentum of a link, or a force on it, about the world's origin.
    void add_link(int link, const Force<double>& momentum, Momenta& sum) const;
    Momenta momenta(const JointState<double>& state);

    // Closes the ledger of a step, by `sum` and the momenta before and after it.
    void close(const Momenta& before, const Momenta& after, MomentumLedger& ledger) const;
    // Something else has changed momenta after the step.
    static void note_change(const Momenta& from, const Momenta& to, MomentumLedger& ledger);

private:
    bool is_asleep(int link) const { return !asleep.empty() && asleep[link]; }
    void add_to(int link, const Force<double>& force, Force<double> MomentumFlows::* flow,
                OutsideImpulses& sum) const;

    std::vector<char> floats_;     // (links)
    bool floats_any_ = false, holds_any_ = false;
    std::vector<int> free_roots_;  // links on free joints of the world
    Workspace<double> ws_;  // its own, so that asking does not disturb what is asked about
    std::array<OutsideImpulses, max_stages> stages_;
    OutsideImpulses proposed_;
};

}  // namespace lig
