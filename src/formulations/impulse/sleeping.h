#pragma once

// Sleeping: islands of bodies that have come to rest are left alone until something disturbs them.
//
// A link is still while neither its centre of mass nor its turning, at the radius of gyration, is faster than
// still_speed (SleepTuning); the time for which it has been still grows then, stays between that speed and
// moving_speed, and begins anew above (hysteresis: what jitters about one threshold neither flickers nor is
// taken for at rest). All links of an island have the least of their times: it rests as a whole or not at
// all. Islands that have rested for rest_time fall asleep at the beginning of a step.
//
// Islands are those of joints, constraints and of contacts that touch or will within the time that is looked
// ahead. So one that sleeps cannot lose what carries it unseen: whatever carries it sleeps in the same island
// or is a base. It wakes up where
//   · it gets a link that has not rested: something has come to touch it,
//   · a base moves that it touches or hangs on,
//   · applied forces act on it, at all; controls or activations have changed since the step before (all
//   wake), · joints are driven to a pose or along a clip (nothing sleeps), · constraints of it have errors
//   that time changes (pairs, loops that are being closed).
// Springs, dampers, dry friction, drives with a constant control and equalities do not keep from sleeping:
// what stands still under them would go on standing still.

#include "core/number_stream.h"
#include "formulations/impulse/contact_islands.h"
#include "formulations/impulse/moving_bodies.h"

#include <ligament/smooth_motion.h>

#include <span>
#include <utility>
#include <vector>

namespace lig::impulse {

class Sleeping {
public:
    // `connected`: as of ContactIslands.
    Sleeping(const MovingBodies& bodies, const std::vector<std::pair<int, int>>& connected);

    // What acts from outside in the step that begins. driven: joints are, by more than that.
    void begin_step(const JointState<double>& state, const SmoothDynamics& inputs, bool driven);
    // With the contacts that are at hand for a time to come. Islands wake up; at the beginning of a step they
    // may fall asleep, too. Returns whether any did: asleep() has changed.
    bool look(const Contacts& contacts, const MovingBodies& bodies, double time, bool beginning);
    // How long links have been still now, after a step of dt.
    void end_step(const MovingBodies& bodies, double dt);

    // (links)
    std::span<const char> asleep() const { return asleep_; }
    int count() const;
    void wake_all();

    // Times, who sleeps, controls and activations; always as many numbers.
    void save_or_restore(NumberStream& numbers);

private:
    bool touches(const Contacts& contacts, const Manifold& manifold, const MovingBodies& bodies,
                 double time) const;

    const Model& model_;
    ContactIslands islands_;
    std::vector<double> size_;             // (links) radius of gyration: m
    std::vector<double> still_;            // (links) for how long: s
    std::vector<char> asleep_;             // (links)
    std::vector<char> pushed_;             // (links) by what acts from outside
    std::vector<char> base_moves_;         // (bases)
    std::vector<char> timed_;              // (links) in a constraint that time changes
    std::vector<char> disturbed_;          // (links) islands, by their lowest link
    std::vector<double> least_;            // (links) the same: the least time of stillness
    std::vector<double> controls_;         // of the step before, and activations
};

}  // namespace lig::impulse
