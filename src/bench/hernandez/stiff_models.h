#pragma once

// What Hernandez et al. 2011 measure (sec. 5): chains of links with stiff joints, and a hand of 16 bones and
// 15 joints, with joint stiffness, each bone drawn to where it should be by linear and torsional springs.

#include <ligament/model.h>

#include <array>
#include <memory>
#include <string>

namespace lig::bench {

inline InertialSpec bone(double mass, const Vec3d& centre, const Vec3d& sides) {
    InertialSpec inertial;
    inertial.mass = mass;
    inertial.frame = {centre};
    const auto moment = [&](double a, double b) { return mass * (a * a + b * b) / 12; };
    inertial.inertia =
        Sym3d::diagonal(moment(sides.y, sides.z), moment(sides.x, sides.z), moment(sides.x, sides.y));
    return inertial;
}

inline JointSpec stiff_joint(std::string name, JointType type, double stiffness, double damping) {
    JointSpec joint;
    joint.name = std::move(name);
    joint.type = type;
    joint.axis = {0, 1, 0};
    joint.stiffness = stiffness;
    joint.damping = damping;
    return joint;
}

// Links of 0.1 m and 0.1 kg on ball joints, along x.
inline std::shared_ptr<const Model> stiff_chain(int count) {
    Scene scene("stiff_chain");
    scene.options.gravity = {0, 0, -9.81};
    BodyId body = world;
    for (int i = 0; i < count; ++i) {
        BodySpec link;
        link.name = "link" + std::to_string(i);
        link.pose = {{i == 0 ? 0.0 : 0.1, 0, 0}};
        link.inertial = bone(0.1, {0.05, 0, 0}, {0.1, 0.02, 0.02});
        body = scene.add_body(body, link);
        scene.add_joint(body, stiff_joint("joint" + std::to_string(i), JointType::ball, 1, 0.02));
    }
    return compile(scene);
}

inline std::shared_ptr<const Model> stiff_hand() {
    Scene scene("stiff_hand");
    scene.options.gravity = {0, 0, -9.81};
    const auto draw = [&](BodyId body, const std::string& name, const Vec3d& at) {
        BushingSpec spring;
        spring.name = "target_" + name;
        spring.body_a = world;
        spring.body_b = body;
        spring.frame_a = {at};
        spring.stiffness = {100, 100, 100};
        spring.damping = {1, 1, 1};
        spring.turn_stiffness = {0.5, 0.5, 0.5};
        spring.turn_damping = {0.005, 0.005, 0.005};
        scene.add_bushing(spring);
    };
    BodySpec palm;
    palm.name = "palm";
    palm.inertial = bone(0.2, {0.05, 0, 0}, {0.1, 0.08, 0.02});
    const BodyId root = scene.add_body(world, palm);
    scene.add_joint(root, stiff_joint("root", JointType::free, 0, 0));
    draw(root, "palm", {0.01, 0, 0.01});
    for (int finger = 0; finger < 5; ++finger) {
        BodyId body = root;
        double x = 0.1;
        for (int k = 0; k < 3; ++k) {
            const double length = 0.04 - 0.007 * k;
            const std::string name = std::to_string(finger) + "_" + std::to_string(k);
            BodySpec part;
            part.name = "bone" + name;
            part.pose = {k == 0 ? Vec3d{0.1, 0.02 * (finger - 2), 0} : Vec3d{length + 0.007, 0, 0}};
            part.inertial = bone(0.01, {0.5 * length, 0, 0}, {length, 0.015, 0.015});
            body = scene.add_body(body, part);
            scene.add_joint(
                body, stiff_joint("joint" + name, k == 0 ? JointType::ball : JointType::hinge, 0.1, 1e-4));
            draw(body, name, {x, 0.02 * (finger - 2), 0.01 * (k + 1)});
            x += length;
        }
    }
    return compile(scene);
}

}  // namespace lig::bench
