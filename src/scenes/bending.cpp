// A chain of boxes on ball joints with springs and dampers, horizontal and at rest: the chain of Hernandez
// et al. 2011, whose stiffness against bending is the joints'. It hangs on one end.

#include "scenes/box_links.h"
#include "scenes/generator_list.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "links", 100, 1, 100000, true},
                                    {"stiffness", "of the balls [N·m/rad]", 100, 0, 1e9, false},
                                    {"damping", "of the balls [N·m·s/rad]", 1, 0, 1e9, false}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    Scene scene = box_link_scene("bending" + std::to_string(count));
    scene.options.timestep = 1.0 / 60;
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        body = add_box_link(scene, body, i, {i == 0 ? 0 : box_link_length, 0, 0});
        scene.add_joint(body, {.name = "joint" + std::to_string(i),
                               .type = JointType::ball,
                               .damping = values[2],
                               .stiffness = values[1]});
    }
    return scene;
}

}  // namespace

const Generator bending{"bending", "a chain of boxes on stiff ball joints", parameters, make};

}  // namespace lig::scenes
