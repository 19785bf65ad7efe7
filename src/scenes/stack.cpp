// Boxes on top of each other.

#include "scenes/boxes.h"
#include "scenes/generator_list.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "boxes", 20, 1, 10000, true}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    Scene scene = ground_scene("stack" + std::to_string(count));
    for (int i = 0; i < count; ++i) add_box(scene, i, i, 0);
    return scene;
}

}  // namespace

const Generator stack{"stack", "boxes on top of each other", parameters, make};

}  // namespace lig::scenes
