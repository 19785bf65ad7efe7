#pragma once

// Adhesion: what draws contacts together, of geoms that stick and by actuators. Pulling as a force from
// outside does it: it loads the contact, whose friction grows with it, and holds until what pulls away is
// stronger.
//
// Before forces of a step, or a sub-step, are computed, contacts are looked for in a workspace of its own,
// and the pull is added to what is applied to the bodies; take_off leaves that as it was given. Its work
// counts as that of what is applied.

#include <ligament/collision.h>
#include <ligament/smooth_motion.h>

#include <memory>
#include <vector>

namespace lig {

class Adhesion {
public:
    static bool is_in(const Model& model);
    explicit Adhesion(std::shared_ptr<const Model> model);

    // acting: what was added, (bodies).
    void put_on(const JointState<double>& state, SmoothDynamics& dynamics,
                std::vector<Force<double>>& acting);
    void take_off(SmoothDynamics& dynamics);

private:
    void find_contacts_at(const JointState<double>& state);
    void find_pulls(const JointState<double>& state, const SmoothDynamics& dynamics);

    const std::shared_ptr<const Model> model_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    CollisionWorkspace contacts_;
    std::vector<Transformd> poses_;     // (bodies)
    std::vector<double> pulls_;         // (contacts) N
    std::vector<Force<double>> given_;  // (bodies) what is applied without it
    bool is_on_ = false;
};

}  // namespace lig
