// A chain of boxes on hinges about x, y and z in turn: the chain of the joint-space workloads. With springs
// and dampers in the hinges it is the stiff chain.

#include "scenes/box_links.h"
#include "scenes/generator_list.h"

namespace lig::scenes {

Scene box_link_scene(std::string name) {
    Scene scene(std::move(name));
    scene.options.enabled.contact = false;
    return scene;
}

BodyId add_box_link(Scene& scene, BodyId parent, int index, const Vec3d& pos) {
    const std::string name = "link" + std::to_string(index);
    const Vec3d middle{box_link_length / 2, 0, 0};
    // The moments are rounded in the definition.
    const BodyId body = scene.add_body(
        parent, {.name = name,
                 .pose = {.pos = pos},
                 .inertial = InertialSpec{.mass = 1,
                                          .frame = {.pos = middle},
                                          .inertia = Sym3d::diagonal(4.1667e-4, 1.04167e-3, 1.04167e-3)}});
    scene.add_geom(body, {.name = name,
                          .shape = ShapeType::box,
                          .pose = {.pos = middle},
                          .size = {0.05, 0.025, 0.025},
                          .rgba = {0.30, 0.55, 0.70, 1}});
    return body;
}

Scene hinge_chain(std::string name, int count, double stiffness, double damping) {
    constexpr Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Scene scene = box_link_scene(std::move(name));
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        body = add_box_link(scene, body, i, {i == 0 ? 0 : box_link_length, 0, 0});
        scene.add_joint(body, {.name = "joint" + std::to_string(i),
                               .type = JointType::hinge,
                               .axis = axes[i % 3],
                               .damping = damping,
                               .stiffness = stiffness});
    }
    return scene;
}

namespace {

constexpr Parameter parameters[] = {{"count", "links", 100, 1, 100000, true},
                                    {"stiffness", "of the hinges [N·m/rad]", 0, 0, 1e9, false},
                                    {"damping", "of the hinges [N·m·s/rad]", 0, 0, 1e9, false}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    return hinge_chain("hinges" + std::to_string(count), count, values[1], values[2]);
}

}  // namespace

const Generator hinges{"hinges", "a chain of boxes on hinges about x, y and z in turn", parameters, make};

}  // namespace lig::scenes
