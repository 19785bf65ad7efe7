// A full binary tree of boxes on ball joints, in preorder.

#include "scenes/box_links.h"
#include "scenes/generator_list.h"

#include <vector>

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"depth", "levels; the tree has 2^levels − 1 links", 7, 1, 16, true}};

Scene make(std::span<const double> values) {
    const int depth = static_cast<int>(values[0]);
    const int count = (1 << depth) - 1;
    Scene scene = box_link_scene("tree" + std::to_string(count));
    struct Link {
        BodyId parent;
        Vec3d pos;
        int levels;  // of the tree that begins here
    };
    std::vector<Link> waiting{{world, {0, 0, 0}, depth}};
    for (int i = 0; i < count; ++i) {
        const Link link = waiting.back();
        waiting.pop_back();
        const BodyId body = add_box_link(scene, link.parent, i, link.pos);
        scene.add_joint(body, {.name = "joint" + std::to_string(i), .type = JointType::ball});
        if (link.levels == 1) continue;
        // The last one comes first.
        for (const double side : {-0.05, 0.05})
            waiting.push_back({body, {box_link_length, side, 0}, link.levels - 1});
    }
    return scene;
}

}  // namespace

const Generator tree{"tree", "a full binary tree of boxes on ball joints", parameters, make};

}  // namespace lig::scenes
