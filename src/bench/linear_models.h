#pragma once

// Chains and random trees of any size, of the links of the joint-space workloads on hinges about x, y and z
// in turn, at rest in a pose from a fixed sequence.

#include "scenes/box_links.h"
#include "scenes/random.h"

#include <ligament/model.h>
#include <ligament/state.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lig::bench {

// Every link hangs on the end of one of those before it, each as likely as the others: depths grow like the
// logarithm of the number.
inline std::shared_ptr<const Model> random_tree(int count) {
    constexpr Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Scene scene = scenes::box_link_scene("tree" + std::to_string(count));
    scenes::XorShift random;
    std::vector<BodyId> bodies;
    for (int i = 0; i < count; ++i) {
        const BodyId parent =
            i == 0 ? world : bodies[std::min(static_cast<std::size_t>(random.u() * i), bodies.size() - 1)];
        bodies.push_back(
            scenes::add_box_link(scene, parent, i, {i == 0 ? 0 : scenes::box_link_length, 0, 0}));
        scene.add_joint(bodies.back(),
                        {.name = "joint" + std::to_string(i), .type = JointType::hinge, .axis = axes[i % 3]});
    }
    return compile(scene);
}

inline std::shared_ptr<const Model> linear_model(std::string_view kind, int count) {
    if (kind == "tree") return random_tree(count);
    return compile(scenes::hinge_chain("chain" + std::to_string(count), count, 0, 0));
}

inline JointState<double> resting_state(const Model& model) {
    scenes::Congruence random(777);
    JointState<double> state(model);
    for (double& q : state.q) q = 1.5 * random.u();
    return state;
}

}  // namespace lig::bench
