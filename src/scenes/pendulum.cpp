// Rods of 1 kg and 1 m on hinges without friction, horizontal and at rest.

#include "scenes/generator_list.h"
#include "scenes/parts.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "rods", 2, 1, 100000, true}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    Scene scene = contactless_scene("pendulum" + std::to_string(count));
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        body = add_solid(scene, body, "rod" + number, {.pos = {i == 0 ? 0.5 : 1, 0, 0}},
                         {.shape = ShapeType::capsule,
                          .size = {0.05, 0.45, 0},
                          .mass = 1,
                          .along = Along::x,
                          .colour = {0.30, 0.55, 0.70, 1}});
        scene.add_joint(body, {.name = "hinge" + number, .pos = {-0.5, 0, 0}, .axis = z_up({0, 0, 1})});
    }
    return scene;
}

}  // namespace

const Generator pendulum{"pendulum", "rods on hinges, let go when horizontal", parameters, make};

}  // namespace lig::scenes
