// The depth h(n) of two cores along n is the largest −n·w of all their differences w. When B is moved by t
// n with t > h(n), the cores are apart, and GJK finds the direction n' of their distance exactly, whatever
// the shapes are made of:
//   distance = max over n' of (t n·n' − h(n')).
// Since n·n' <= 1 and the maximum is at least t − h(n), h(n') <= h(n): going on from n' leads downwards,
// and ends where the origin's way out is square to the surface, which is where h is least. On a flat face
// one turn does it. Where the surface of the differences has the radius of curvature R, an error of n
// shrinks to t / (R − h + t) of itself: fast for shallow overlaps, slowly where h is close to R. There the
// steps are lengthened as long as that leads down, and extrapolated as a linear recursion would go on
// (Anderson's mixing of the last three).

#include "collide/local_depth.h"

#include <algorithm>
#include <cmath>

namespace lig::collide {

namespace {

constexpr int max_turns = 32;
// How far apart the cores are moved beyond touching, relative to their size: the more, the more digits has
// the direction; the less, the faster is the approach.
constexpr double clearance = 1.0 / 128;
constexpr double rounding = 1e-15;
constexpr double same_direction = 1e-9;
// Of GJK's bounds at the first turn; later as it is worth while.
constexpr double first_accuracy = 1e-4;

// Directions and where a turn led from them, the newest last.
struct History {
    int count = 0;
    std::array<Vec3d, 3> from, step;

    void add(const Vec3d& n, const Vec3d& next) {
        if (count == 3) {
            std::copy(from.begin() + 1, from.end(), from.begin());
            std::copy(step.begin() + 1, step.end(), step.begin());
            --count;
        }
        from[count] = n;
        step[count++] = next - n;
    }
    // Where the steps would end if they depended on the direction linearly.
    Vec3d extrapolated() const {
        const Vec3d& last = step[2];
        const Vec3d d1 = last - step[1], d2 = step[1] - step[0];
        const double a = dot(d1, d1), b = dot(d1, d2), c = dot(d2, d2), p = dot(d1, last), q = dot(d2, last);
        const double determinant = a * c - b * b;
        double x, y;
        if (determinant > 1e-8 * a * c) {
            x = (p * c - q * b) / determinant;
            y = (q * a - p * b) / determinant;
        } else if (a > 0) {
            x = p / a;
            y = 0;
        } else {
            return from[2] + last;
        }
        return from[2] + last - x * (from[2] - from[1] + d1) - y * (from[1] - from[0] + d2);
    }
};

}  // namespace

LocalDepth descend(const CorePair& pair, const Vec3d& normal, double size) {
    LocalDepth best{normal, depth_along(pair, normal), {}};
    const auto way_out = [&](const Vec3d& n, double depth, double accuracy, const Simplex* start) {
        const Vec3d shift = (std::max(depth, 0.0) + clearance * size) * n;
        return gjk(pair, {.shift = shift, .accuracy = accuracy, .start = start});
    };

    Vec3d from = normal;
    double from_depth = best.depth;
    History history;
    Simplex simplex;
    Vec3d simplex_from = Vec3d::zero();
    double accuracy = first_accuracy, last_moved_square = 4;
    for (int turn = 0; turn < max_turns; ++turn) {
        const GjkResult apart = way_out(from, from_depth, accuracy, turn == 0 ? nullptr : &simplex);
        if (apart.kind != GjkResult::Kind::apart) break;
        simplex = apart.simplex;
        simplex_from = from;
        const Vec3d next = apart.normal;
        const double depth = depth_along(pair, next);
        const bool lower = depth < best.depth - rounding * size;
        if (depth < best.depth) {
            best.normal = next;
            best.depth = depth;
        }
        const Vec3d moved = next - from;
        const double moved_square = dot(moved, moved);
        if (!lower || moved_square <= rounding * rounding) {
            if (accuracy == 0) break;
            accuracy = 0;
            from = best.normal;
            from_depth = best.depth;
            continue;
        }
        // Extrapolating a slow approach needs exact steps.
        const bool slow = moved_square > 0.1 * last_moved_square;
        accuracy = slow ? 0 : std::min(accuracy, 1e-3 * moved_square);
        last_moved_square = moved_square;

        history.add(from, next);
        const auto try_from = [&](const Vec3d& guess) {
            const double length_square = dot(guess, guess);
            if (!(length_square > 0.25 && length_square < 4)) return false;
            const Vec3d there = (1 / std::sqrt(length_square)) * guess;
            const double depth_there = depth_along(pair, there);
            if (!(depth_there < from_depth)) return false;
            from = there;
            from_depth = depth_there;
            return true;
        };
        const Vec3d last = from;
        from = next;
        from_depth = depth;
        if (slow) {
            // Along the step while it leads down, each time twice as far.
            for (double factor = 2; try_from(last + factor * moved); factor *= 2) {}
            if (history.count == 3) try_from(history.extrapolated());
        }
    }

    // The touching points of this very direction, which the last turn has found already if it ended where
    // it began.
    const Vec3d off = best.normal - simplex_from;
    const bool have_them = accuracy == 0 && dot(off, off) <= same_direction * same_direction;
    best.touching = have_them ? simplex : way_out(best.normal, best.depth, 0, nullptr).simplex;
    for (int i = 0; i < best.touching.count; ++i)
        best.touching.points[i].difference = best.touching.points[i].b - best.touching.points[i].a;
    return best;
}

}  // namespace lig::collide
