#pragma once

// Gathers what a shape's contacts with single triangles give into few manifolds: one for every normal.

#include "collide/manifold.h"

#include <array>
#include <vector>

namespace lig::collide {

class SurfaceGroups {
public:
    // A pair of shapes has no more manifolds; of more the shallowest are left out.
    static constexpr int capacity = 8;

    // Points whose normals are less than this apart (sine) share a manifold.
    static constexpr double same_normal = 0.01;

    void clear() { count_ = 0; }
    bool empty() const { return count_ == 0; }

    // The points of one triangle; their features tell them apart from those of other triangles. Of two with
    // the same feature in one group the deeper stays.
    void add(const Vec3d& normal, const ManifoldPoint* points, int count);

    // Appends the manifolds in rising order of `part`, moved by the pose. A part is made of the normal in the
    // surface's frame alone: what rests on or slides over a flat place keeps it.
    void append_to(std::vector<PairManifold>& manifolds, const Transformd& X) const;

    // Infinity for an empty one.
    double min_distance() const;
    // The deepest point of all, with its normal. Not of an empty one.
    const ManifoldPoint& deepest(Vec3d& normal) const;

private:
    static constexpr int point_capacity = 24;
    struct Group {
        Vec3d anchor;   // the normal it began with
        Vec3d normal;   // of its deepest point
        double deepest; // distance
        int count;
        std::array<ManifoldPoint, point_capacity> points;

        void add(const Vec3d& n, const ManifoldPoint& point);
    };
    Group* group_for(const Vec3d& normal, double deepest);

    std::array<Group, capacity> groups_;
    int count_ = 0;
};

}  // namespace lig::collide
