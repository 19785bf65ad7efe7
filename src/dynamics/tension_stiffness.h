#pragma once

// TensionStiffness: how forces that pull on links resist their turning.
//
// A force f at r from a link's inboard joint has the moment r × f. When the link turns by θ, that changes by
// −K θ, K = (f·r) 1 − r fᵀ: a pulled link is held like a pendulum. In the angles of the links K has no
// entries between two of them, so a block a link is all of it.

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class TensionStiffness {
public:
    explicit TensionStiffness(const Model& model);

    void clear();  // no forces
    // A force on a link, at `arm` from its origin in world axes. It acts through all links towards the root.
    void push(int link, const Vec3d& arm, const Vec3d& force);
    // N = (scale · sym K − share · I)₊ of each link, I its inertia; returns whether there is any. After
    // forward_kinematics.
    bool find(const Workspace<double>& ws, double scale, double share);
    std::span<const Sym3d> of_links() const { return added_; }

private:
    void hold(int link, const Vec3d& r, const Vec3d& f);

    std::vector<Vec3d> force_;  // (links) on a link and, in `find`, on all beyond it
    std::vector<Sym3d> pull_;   // (links) sym Σ r fᵀ
    std::vector<Sym3d> added_;  // (links)
};

}  // namespace lig
