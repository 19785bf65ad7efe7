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

// The symmetric part of r fᵀ.
inline Sym3d symmetric_outer(const Vec3d& r, const Vec3d& f) {
    return {r.x * f.x,
            r.y * f.y,
            r.z * f.z,
            0.5 * (r.x * f.y + r.y * f.x),
            0.5 * (r.x * f.z + r.z * f.x),
            0.5 * (r.y * f.z + r.z * f.y)};
}

class TensionStiffness {
public:
    explicit TensionStiffness(const Model& model);

    void clear();  // no forces
    // A force on a link, at `arm` from its origin in world axes.
    void push(int link, const Vec3d& arm, const Vec3d& force);
    // A moment that turns against the link as it turns: by −K θ.
    void resist(int link, const Sym3d& K);
    // Forces act through all links towards the root. After all of them, and forward_kinematics.
    void pull_on_parents(const Workspace<double>& ws);
    // N = (scale · sym K − share · I)₊ of each link, I its inertia; returns whether there is any.
    bool find(const Workspace<double>& ws, double scale, double share);
    // The same of some links; those of the others stay as they were.
    bool find(const Workspace<double>& ws, std::span<const int> links, double scale, double share);
    std::span<const Sym3d> of_links() const { return added_; }
    // Since `clear`: the largest of N over I, along an axis of N; 0: there is none.
    double largest_share() const { return largest_share_; }

private:
    void hold(int link, const Vec3d& r, const Vec3d& f);
    bool find(const Workspace<double>& ws, int link, double scale, double share);

    std::vector<Vec3d> force_;  // (links)
    std::vector<Sym3d> pull_;   // (links) sym Σ r fᵀ
    std::vector<Sym3d> added_;  // (links)
    double largest_share_ = 0;
};

}  // namespace lig
