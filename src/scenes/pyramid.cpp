// Rows of boxes, each a box shorter than the one below it, side by side without a gap.

#include "scenes/boxes.h"
#include "scenes/generator_list.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"count", "boxes in the lowest row", 20, 1, 300, true}};

Scene make(std::span<const double> values) {
    const int base = static_cast<int>(values[0]);
    Scene scene = ground_scene("pyramid" + std::to_string(base));
    int index = 0;
    for (int i = 0; i < base; ++i)
        for (int j = i; j < base; ++j) add_box(scene, index++, i, 0.5 * (i + 1) + (j - i) - 0.5 * base);
    return scene;
}

}  // namespace

const Generator pyramid{"pyramid", "boxes in rows, each one shorter than the one below", parameters, make};

}  // namespace lig::scenes
