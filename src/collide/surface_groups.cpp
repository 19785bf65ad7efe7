#include "collide/surface_groups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lig::collide {

namespace {

// Six bits for each component: normals 1/31 apart are told apart, and those along the axes are in the middle
// of their cells.
constexpr int cells = 31, part_bits = 18;

std::uint32_t part_of(const Vec3d& n) {
    std::uint32_t part = 0;
    for (int i = 0; i < 3; ++i)
        part = part << 6 | static_cast<std::uint32_t>(std::lround(n[i] * cells) + cells);
    return part;
}

}  // namespace

void SurfaceGroups::Group::add(const Vec3d& n, const ManifoldPoint& point) {
    if (point.distance < deepest) {
        deepest = point.distance;
        normal = n;
    }
    for (int i = 0; i < count; ++i)
        if (points[i].feature == point.feature) {
            if (point.distance < points[i].distance) points[i] = point;
            return;
        }
    if (count == point_capacity) {
        PairManifold few;
        few.normal = normal;
        keep_extreme_points(points.data(), count, few);
        count = few.count;
        std::copy_n(few.points.begin(), count, points.begin());
    }
    points[count++] = point;
}

SurfaceGroups::Group* SurfaceGroups::group_for(const Vec3d& normal, double deepest) {
    for (int i = 0; i < count_; ++i) {
        const Vec3d off = cross(normal, groups_[i].anchor);
        if (dot(normal, groups_[i].anchor) > 0 && dot(off, off) <= same_normal * same_normal)
            return &groups_[i];
    }
    Group* group = nullptr;
    if (count_ < capacity) {
        group = &groups_[count_++];
    } else {
        group = &*std::max_element(groups_.begin(), groups_.end(),
                                   [](const Group& a, const Group& b) { return a.deepest < b.deepest; });
        if (!(deepest < group->deepest)) return nullptr;
    }
    group->anchor = group->normal = normal;
    group->deepest = deepest;
    group->count = 0;
    return group;
}

void SurfaceGroups::add(const Vec3d& normal, const ManifoldPoint* points, int count) {
    if (count == 0) return;
    double deepest = points[0].distance;
    for (int i = 1; i < count; ++i) deepest = std::min(deepest, points[i].distance);
    Group* group = group_for(normal, deepest);
    if (!group) return;
    for (int i = 0; i < count; ++i) group->add(normal, points[i]);
}

void SurfaceGroups::append_to(std::vector<PairManifold>& manifolds, const Transformd& X) const {
    const std::size_t begin = manifolds.size();
    for (int g = 0; g < count_; ++g) {
        const Group& group = groups_[g];
        PairManifold manifold;
        manifold.normal = group.normal;
        std::array<ManifoldPoint, point_capacity> points = group.points;
        keep_extreme_points(points.data(), group.count, manifold);
        manifold.part = part_of(group.normal);
        // Two groups in one cell of normals: the later one goes on to the next free number.
        for (std::size_t i = begin; i < manifolds.size();)
            if (manifolds[i].part == manifold.part) {
                manifold.part += 1u << part_bits;
                i = begin;
            } else {
                ++i;
            }
        manifold.normal = X.R * manifold.normal;
        for (int i = 0; i < manifold.count; ++i) {
            ManifoldPoint& point = manifold.points[i];
            point.on_a = X * point.on_a;
            point.on_b = point.on_a + point.distance * manifold.normal;
        }
        manifolds.push_back(manifold);
    }
    std::sort(manifolds.begin() + static_cast<std::ptrdiff_t>(begin), manifolds.end(),
              [](const PairManifold& a, const PairManifold& b) { return a.part < b.part; });
}

double SurfaceGroups::min_distance() const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count_; ++i) least = std::min(least, groups_[i].deepest);
    return least;
}

const ManifoldPoint& SurfaceGroups::deepest(Vec3d& normal) const {
    const Group& group =
        *std::min_element(groups_.begin(), groups_.begin() + count_,
                          [](const Group& a, const Group& b) { return a.deepest < b.deepest; });
    normal = group.normal;
    return *std::min_element(
        group.points.begin(), group.points.begin() + group.count,
        [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.distance < b.distance; });
}

}  // namespace lig::collide
