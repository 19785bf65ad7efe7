#pragma once

// Which contacts could come to act within a step: a body meets others as far away as its speed may carry it.

#include <ligament/collision.h>
#include <ligament/workspace.h>

#include <vector>

namespace lig {

class Surroundings {
public:
    // Contacts farther away than this speed covers in a step are left out, unless they approach faster. m/s
    static constexpr double reach_speed = 0.5;

    explicit Surroundings(const Model& model);

    // Contacts that may act within h, for the bodies where `ws` has them. False: the model's contacts are
    // switched off, and nothing has been looked for. After forward_kinematics.
    bool look(const Workspace<double>& ws, double h, int threads, CollisionWorkspace& collision);
    // Those that act now, and overlaps.
    bool look_here(const Workspace<double>& ws, int threads, CollisionWorkspace& collision);

    // Of the geoms of the body that reaches farthest from its origin; 0 without any.
    double size() const { return size_; }

private:
    bool place(const Workspace<double>& ws);

    std::vector<Transformd> poses_;  // (nbody)
    std::vector<double> radius_;     // (nbody) of the geoms about the body's origin
    std::vector<double> reach_;      // (nbody)
    double size_ = 0;
};

}  // namespace lig
