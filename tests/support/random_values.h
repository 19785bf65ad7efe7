#pragma once

// Random vectors, rotations and coordinates that repeat.

#include "core/rotation.h"
#include "joints/joint_list.h"
#include "scalar_types.h"

#include <algorithm>

namespace lig::test {

inline Vec3d random_vec(Random& random, double size) {
    const double x = random.uniform(-size, size), y = random.uniform(-size, size),
                 z = random.uniform(-size, size);
    return {x, y, z};
}

inline Vec3d random_direction(Random& random) {
    while (true) {
        const Vec3d a = random_vec(random, 1);
        const double length = std::sqrt(dot(a, a));
        if (length > 0.1 && length < 1) return (1 / length) * a;
    }
}

inline Quatd random_rotation(Random& random, double largest_angle = 3.14) {
    return rotation_exp(random.uniform(0, largest_angle) * random_direction(random));
}

inline int random_index(Random& random, int count) {
    return static_cast<int>(random.next() % std::uint64_t(count));
}

inline double largest(const Vec3d& a) { return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}); }
inline double largest(const Mat3d& m) { return std::max({largest(m.x), largest(m.y), largest(m.z)}); }
inline double largest(const Motion<double>& m) { return std::max(largest(m.ang), largest(m.lin)); }
inline double largest(const Force<double>& f) { return std::max(largest(f.ang), largest(f.lin)); }
inline double length(const Vec3d& a) { return std::sqrt(dot(a, a)); }

// Coordinates of a joint, angles and lengths up to `reach`.
inline void random_coordinates(Random& random, const joints::JointInfo& info, double reach, double* q) {
    for (int k = 0; k < info.nq; ++k) {
        if (info.coordinate_kinds[k] != joints::Coordinate::quaternion) {
            q[k] = random.uniform(-reach, reach);
            continue;
        }
        const Quatd r = random_rotation(random);
        q[k] = r.w;
        q[k + 1] = r.x;
        q[k + 2] = r.y;
        q[k + 3] = r.z;
        k += 3;
    }
}

}  // namespace lig::test
