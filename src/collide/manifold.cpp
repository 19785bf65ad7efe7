// Four points out of many. A body rests on the outline of its contact, so the four that span most are kept,
// and the deepest point because its distance is that of the two shapes.
//
// The span is found by shape: the point farthest from the middle, the one farthest from that, and the two
// farthest off the line between them on either side. Points count for less the higher they are above the
// lowest: of what moves fast, corners that will not touch within the step are within the margin, and where a
// body widens upwards they would take the place of those that it rests on. Resting contacts are full of ties
// (the corners of a square), which rounding would decide differently at every step. So everything within
// `tie` of the largest counts as equally far, and the smallest feature among the equals is taken.

#include "collide/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lig::collide {

namespace {

constexpr double tie = 1e-2;            // relative, of what is compared
constexpr double half_height = 0.5;     // of the size of the contact: as high as this a point counts half
constexpr double no_width = 1e-6;       // of the length of the contact: narrower than this is a line
// Of the length of the contact.
constexpr double equally_deep = 1e-13, barely_deeper = 1e-4;

// The index of the largest measure; −1 when none is above zero.
template <class Measure>
int largest_by(const ManifoldPoint* points, int count, const Measure& measure) {
    double largest = 0;
    for (int i = 0; i < count; ++i) largest = std::max(largest, measure(points[i]));
    if (!(largest > 0)) return -1;
    int best = -1;
    for (int i = 0; i < count; ++i) {
        if (measure(points[i]) < (1 - tie) * largest) continue;
        if (best < 0 || points[i].feature < points[best].feature) best = i;
    }
    return best;
}

// Moves the points that span most to the front; returns how many these are.
int spanning_points_first(ManifoldPoint* points, int count, const Vec3d& normal) {
    const auto level_square = [&normal](const Vec3d& d) {
        const double rise = dot(normal, d);
        return std::max(0.0, dot(d, d) - rise * rise);
    };
    Vec3d middle = Vec3d::zero();
    for (int i = 0; i < count; ++i) middle += points[i].on_a - points[0].on_a;
    middle = points[0].on_a + (1.0 / count) * middle;
    double lowest = points[0].distance, size = 0;
    for (int i = 0; i < count; ++i) {
        lowest = std::min(lowest, points[i].distance);
        size = std::max(size, level_square(points[i].on_a - middle));
    }
    const double by = size > 0 ? 1 / (half_height * std::sqrt(size)) : 0.0;
    const auto share = [&](const ManifoldPoint& p) { return 1 / (1 + by * (p.distance - lowest)); };
    const auto share_square = [&](const ManifoldPoint& p) { return share(p) * share(p); };

    int chosen = 0;
    const auto choose = [&](int i) { std::swap(points[chosen++], points[i]); };
    const auto choose_largest = [&](const auto& measure) {
        const int i = largest_by(points + chosen, count - chosen, measure);
        if (i < 0) return false;
        choose(chosen + i);
        return true;
    };

    if (!choose_largest(
            [&](const ManifoldPoint& p) { return share_square(p) * level_square(p.on_a - middle); }))
        choose(0);
    const Vec3d first = points[0].on_a;
    if (!choose_largest(
            [&](const ManifoldPoint& p) { return share_square(p) * level_square(p.on_a - first); }))
        return chosen;
    const Vec3d line = points[1].on_a - first;
    const Vec3d sideways = cross(normal, line);
    const double line_square = level_square(line);
    for (const double side : {1.0, -1.0})
        choose_largest([&](const ManifoldPoint& p) {
            return share(p) * side * dot(sideways, p.on_a - first) - no_width * line_square;
        });
    if (chosen == 3) {
        // All lie on one side of the line: what is farthest out of the triangle.
        const Vec3d a = points[0].on_a, b = points[1].on_a, c = points[2].on_a;
        const double turn = dot(normal, cross(b - a, c - a)) > 0 ? -1 : 1;
        choose_largest([&](const ManifoldPoint& p) {
            const double past_bc = turn * dot(normal, cross(c - b, p.on_a - b));
            const double past_ca = turn * dot(normal, cross(a - c, p.on_a - c));
            return share(p) * std::max(past_bc, past_ca) - no_width * line_square;
        });
    }
    return chosen;
}

}  // namespace

void keep_extreme_points(ManifoldPoint* points, int count, PairManifold& manifold) {
    int kept = count;
    if (count > PairManifold::capacity) {
        const Vec3d& normal = manifold.normal;
        kept = spanning_points_first(points, count, normal);

        const Vec3d line = points[1].on_a - points[0].on_a;
        const double length_square = kept > 1 ? dot(line, line) : 0;
        int deepest = 0;
        for (int i = 1; i < count; ++i)
            if (points[i].distance < points[deepest].distance) deepest = i;
        double deepest_kept = points[0].distance;
        for (int i = 1; i < kept; ++i) deepest_kept = std::min(deepest_kept, points[i].distance);
        const double excess = deepest_kept - points[deepest].distance;
        if (excess > 0 && excess * excess > equally_deep * equally_deep * length_square) {
            if (kept < PairManifold::capacity) {
                std::swap(points[kept++], points[deepest]);
            } else {
                int nearest = 0;
                double nearest_square = std::numeric_limits<double>::infinity();
                for (int i = 0; i < kept; ++i) {
                    const Vec3d d = points[i].on_a - points[deepest].on_a;
                    if (dot(d, d) < nearest_square) {
                        nearest = i;
                        nearest_square = dot(d, d);
                    }
                }
                // At rest a tilt of nothing decides which point of a rim is deepest: it then goes by the name
                // of the one whose place it takes, and the manifold stays the same.
                const bool at_rest = excess * excess <= barely_deeper * barely_deeper * length_square;
                const std::uint32_t name = points[at_rest ? nearest : deepest].feature;
                points[nearest] = points[deepest];
                points[nearest].feature = name;
            }
        }
    }

    // In the order of features, which does not depend on how the points were found.
    for (int i = 1; i < kept; ++i)
        for (int j = i; j > 0 && points[j].feature < points[j - 1].feature; --j)
            std::swap(points[j], points[j - 1]);
    std::copy_n(points, kept, manifold.points.begin());
    manifold.count = kept;
}

PairManifold mirrored(const PairManifold& manifold) {
    PairManifold out = manifold;
    mirror(out);
    return out;
}

}  // namespace lig::collide
