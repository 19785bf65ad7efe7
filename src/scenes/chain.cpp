// Links of 1 kg on ball joints, 0.2 m long, hanging on the world, with a heavy ball at the end; horizontal
// and at rest. The tension makes the sideways motions of the links stiff.

#include "scenes/generator_list.h"
#include "scenes/parts.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "links", 100, 1, 100000, true},
                                    {"mass", "of the ball at the end [kg]", 1000, 1e-6, 1e9, false}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    Scene scene = contactless_scene("chain" + std::to_string(count));
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        body = add_solid(scene, body, "link" + number, {.pos = {i == 0 ? 0.1 : 0.2, 0, 0}},
                         {.shape = ShapeType::capsule,
                          .size = {0.03, 0.06, 0},
                          .mass = 1,
                          .along = Along::x,
                          .colour = {0.55, 0.58, 0.62, 1}});
        scene.add_joint(body, {.name = "joint" + number, .type = JointType::ball, .pos = {-0.1, 0, 0}});
    }
    body = add_solid(scene, body, "ball", {.pos = {0.6, 0, 0}},
                     {.shape = ShapeType::sphere,
                      .size = {0.5, 0, 0},
                      .mass = values[1],
                      .colour = {0.78, 0.33, 0.25, 1}});
    scene.add_joint(body, {.name = "ball_joint", .type = JointType::ball, .pos = {-0.5, 0, 0}});
    return scene;
}

}  // namespace

const Generator chain{"chain", "a chain of ball joints with a heavy ball at its end", parameters, make};

}  // namespace lig::scenes
