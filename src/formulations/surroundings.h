#pragma once

// Which contacts could come to act within a step: a body meets others as far away as its speed may carry it.

#include "core/length.h"

#include <ligament/collision.h>
#include <ligament/workspace.h>

#include <algorithm>
#include <cmath>
#include <span>
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
    // The same of bodies that a formulation has by itself: their velocities, in world axes at the origins of
    // their frames, by `velocity(body)`; poses() were set before. still_reach: from how far on what does not
    // move is met, beside that.
    template <class Velocity>
    void look(double h, double still_reach, int threads, CollisionWorkspace& collision,
              Velocity&& velocity) {
        find_reaches(h, still_reach, velocity);
        find_contacts(poses_, {.reach = reach_, .stretches = stretches_, .threads = threads}, collision);
    }
    std::span<Transformd> poses() { return poses_; }
    // Before that, of each of Model::deforming.
    void stretch(const Model& model, int deforming, const StretchWork<double>& shape);
    // Those that act now, and overlaps; what `collision` had before is forgotten.
    bool look_here(const Workspace<double>& ws, int threads, CollisionWorkspace& collision);

    // The speed that no point of a body exceeds, m/s. After forward_kinematics.
    double fastest(const Workspace<double>& ws) const;

    // Of the geoms of the body that reaches farthest from its origin; 0 without any.
    double size() const { return size_; }

private:
    template <class Velocity>
    void find_reaches(double h, double still_reach, Velocity&& velocity) {
        const int bodies = static_cast<int>(poses_.size());
        for (int b = 0; b < bodies; ++b) {
            double radius = radius_[b];
            if (std::isinf(radius)) {  // a plane: as far as there is something that it could meet
                radius = 0;
                for (int k = 0; k < bodies; ++k)
                    if (std::isfinite(radius_[k]))
                        radius = std::max(radius, length(poses_[k].p - poses_[b].p) + radius_[k]);
            }
            reach_[b] = still_reach;
            if (!(radius > 0)) continue;
            const Motion<double> V = velocity(b);
            // Twice, for what the step itself may add to the speed.
            reach_[b] = h * (reach_speed + 2 * (length(V.lin) + length(V.ang) * radius + slip_[b]));
        }
    }
    bool place(const Workspace<double>& ws);

    std::vector<Transformd> poses_;  // (nbody)
    std::vector<double> radius_;     // (nbody) of the geoms about the body's origin
    std::vector<double> reach_;      // (nbody)
    std::vector<double> slip_;       // (nbody) how fast points move by the stretching of their body
    std::vector<StretchWork<double>> stretches_;  // (Model::deforming)
    std::vector<double> rest_radius_;             // (Model::deforming) as radius_, at rest
    double size_ = 0;
};

}  // namespace lig
