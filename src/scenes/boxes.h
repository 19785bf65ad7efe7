#pragma once

// The boxes of the stack and the pyramid: cubes of 1 m and 100 kg that stand on the ground or each other.

#include "scenes/parts.h"

namespace lig::scenes {

inline Scene ground_scene(std::string name) {
    Scene scene = frame_scene(std::move(name));
    add_ground(scene);
    return scene;
}

// In level i above the ground, its centre at x.
inline void add_box(Scene& scene, int index, int level, double x) {
    const std::string number = std::to_string(index);
    const Colour colours[] = {{0.84, 0.65, 0.42, 1}, {0.72, 0.50, 0.32, 1}};
    const BodyId box = add_solid(
        scene, world, "box" + number, {.pos = z_up({x, level + 0.5, 0})},
        {.shape = ShapeType::box, .size = {0.5, 0.5, 0.5}, .mass = 100, .colour = colours[level % 2]});
    scene.add_joint(box, {.name = "root" + number, .type = JointType::free});
}

}  // namespace lig::scenes
