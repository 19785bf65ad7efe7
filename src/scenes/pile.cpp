// Characters in the air, in layers of K × K at most above each other, turned and tilted at random, that fall
// on each other. K is the smallest number for which five layers are enough.

#include "core/rotation.h"
#include "core/scalar_math.h"
#include "scenes/character.h"
#include "scenes/generator_list.h"
#include "scenes/random.h"

#include <numbers>

namespace lig::scenes {

namespace {

constexpr Colour shirts[] = {
    {0.80, 0.28, 0.24, 1},
    {0.25, 0.48, 0.72, 1},
    {0.93, 0.72, 0.25, 1},
    {0.33, 0.60, 0.43, 1},
    {0.56, 0.38, 0.62, 1},
    {0.90, 0.90, 0.88, 1},
};

int side_of(int count) {
    int side = 1;
    while (5 * side * side < count) ++side;
    return side;
}

Pose pelvis_of(int n, int side, XorShift& random) {
    constexpr double pi = std::numbers::pi;
    const double yaw = 2 * pi * random.u();
    const double tilt = (random.u() - 0.5) * pi;
    const double tilt_direction = 2 * pi * random.u();
    const double height = 0.2 * random.u();
    double sine, cosine;
    sin_cos(tilt_direction, sine, cosine);
    // Turned about the pelvis, so that its place is that of an upright character.
    const Quatd turn = rotation_exp(yaw * z_up({0, 1, 0})) * rotation_exp(tilt * z_up({cosine, 0, sine}));

    const int layer = n / (side * side), place = n % (side * side);
    const double middle = (side - 1) / 2.0;
    const Vec3d ground{(place % side - middle) * 2.1, 0.5 + 2.3 * layer + height,
                       (place / side - middle) * 2.1};
    return {z_up(ground + Vec3d{0, pelvis_height, 0}), turn};
}

constexpr Parameter parameters[] = {{"count", "characters", 100, 1, 5000, true},
                                    {"damping", "of the joints [N·m·s/rad]", 0, 0, 1e6, false},
                                    {"seed", "of how they are turned and tilted", 0, 0, 1e9, true}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    const int side = side_of(count);
    Scene scene = frame_scene("pile" + std::to_string(count));
    add_ground(scene);
    XorShift random(static_cast<std::uint64_t>(values[2]));
    for (int n = 0; n < count; ++n)
        add_character(scene, "c" + std::to_string(n) + "_", pelvis_of(n, side, random), values[1],
                      shirts[n % static_cast<int>(std::size(shirts))]);
    return scene;
}

}  // namespace

const Generator pile{"pile", "characters that fall on each other", parameters, make};

}  // namespace lig::scenes
