// n × n balls of 1 kg, 1 m apart, joined to their neighbours halfway; the first row is fixed. The joints
// along the columns make the tree, those across close loops: n (n − 1) and (n − 1)² of them.

#include "scenes/generator_list.h"
#include "scenes/parts.h"

#include <vector>

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "balls along a side", 20, 1, 200, true}};

// What stands in column k and row i.
std::string label(int k, int i) { return std::to_string(k) + '_' + std::to_string(i); }

Scene make(std::span<const double> values) {
    const int side = static_cast<int>(values[0]);
    Scene scene = contactless_scene("net" + std::to_string(side));
    std::vector<BodyId> before(static_cast<std::size_t>(side)), column = before;
    for (int k = 0; k < side; ++k) {
        for (int i = 0; i < side; ++i) {
            const bool fixed = i == 0;
            const Vec3d pos = fixed ? Vec3d{static_cast<double>(k), 0, 0} : Vec3d{0, 0, 1};
            const Colour colour = fixed ? Colour{0.30, 0.30, 0.32, 1} : Colour{0.30, 0.55, 0.70, 1};
            column[i] = add_solid(scene, fixed ? world : column[i - 1], "ball" + label(k, i),
                                  {.pos = z_up(pos)},
                                  {.shape = ShapeType::sphere,
                                   .size = {0.4, 0, 0},
                                   .mass = 1,
                                   .colour = colour});
            if (fixed) continue;
            scene.add_joint(column[i], {.name = "joint" + label(k, i),
                                        .type = JointType::ball,
                                        .pos = z_up({0, 0, -0.5})});
            if (k > 0)
                scene.add_loop({.name = "loop" + label(k, i),
                                .type = JointType::ball,
                                .body_a = before[i],
                                .body_b = column[i],
                                .frame_a = {.pos = {0.5, 0, 0}},
                                .frame_b = {.pos = {-0.5, 0, 0}}});
        }
        before = column;
    }
    return scene;
}

}  // namespace

const Generator net{"net", "a net of balls that swings down from its first row", parameters, make};

}  // namespace lig::scenes
