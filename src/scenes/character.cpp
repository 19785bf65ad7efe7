// The numbers of the character, as they are defined: millimetres and degrees, y up, x to the left, z ahead.
// Millimetres are whole, so that differences of positions are exact.

#include "scenes/character.h"

#include <numbers>
#include <optional>
#include <string_view>

namespace lig::scenes {

namespace {

enum class Cloth {
    skin,
    shirt,
    trousers,
    shoe
};

struct Part {
    std::string_view name;
    int parent;
    Vec3d centre;
    Along along;
    double half_length, radius;
    double mass;
    Cloth cloth;
    // The joint to the parent. A ball has a swing; of a hinge the range is the twist.
    std::string_view joint;
    Vec3d anchor, axis;
    std::optional<double> swing;
    Range twist;
};

using enum Along;
using enum Cloth;

constexpr Vec3d up{0, 1, 0}, down{0, -1, 0}, left{1, 0, 0}, right{-1, 0, 0};
constexpr Range bend{0, 140};

// clang-format off
constexpr Part parts[] = {
    {"pelvis", -1, {0, 1000, 0}, x, 80, 110, 9.1, trousers, "", {}, {}, {}, {}},
    {"abdomen", 0, {0, 1160, 0}, x, 60, 100, 9.8, shirt, "waist", {0, 1090, 0}, up, 25, {-20, 20}},
    {"chest", 1, {0, 1360, 0}, x, 90, 130, 15.4, shirt, "spine", {0, 1250, 0}, up, 25, {-20, 20}},
    {"head", 2, {0, 1660, 0}, y, 50, 90, 5.6, skin, "neck", {0, 1520, 0}, up, 40, {-45, 45}},
    {"upper_arm_left", 2, {360, 1420, 0}, x, 110, 45, 1.96, shirt,
     "shoulder_left", {220, 1420, 0}, left, 80, {-45, 45}},
    {"forearm_left", 4, {630, 1420, 0}, x, 100, 40, 1.12, skin,
     "elbow_left", {500, 1420, 0}, down, {}, bend},
    {"hand_left", 5, {830, 1420, 0}, x, 40, 35, 0.42, skin,
     "wrist_left", {760, 1420, 0}, left, 45, {-20, 20}},
    {"upper_arm_right", 2, {-360, 1420, 0}, x, 110, 45, 1.96, shirt,
     "shoulder_right", {-220, 1420, 0}, right, 80, {-45, 45}},
    {"forearm_right", 7, {-630, 1420, 0}, x, 100, 40, 1.12, skin,
     "elbow_right", {-500, 1420, 0}, up, {}, bend},
    {"hand_right", 8, {-830, 1420, 0}, x, 40, 35, 0.42, skin,
     "wrist_right", {-760, 1420, 0}, right, 45, {-20, 20}},
    {"thigh_left", 0, {100, 720, 0}, y, 160, 70, 7.35, trousers,
     "hip_left", {100, 930, 0}, down, 60, {-30, 30}},
    {"shin_left", 10, {100, 290, 0}, y, 160, 55, 3.15, trousers,
     "knee_left", {100, 500, 0}, left, {}, bend},
    {"foot_left", 11, {100, 40, 50}, z, 70, 40, 1.05, shoe,
     "ankle_left", {100, 80, 0}, down, 30, {-15, 15}},
    {"thigh_right", 0, {-100, 720, 0}, y, 160, 70, 7.35, trousers,
     "hip_right", {-100, 930, 0}, down, 60, {-30, 30}},
    {"shin_right", 13, {-100, 290, 0}, y, 160, 55, 3.15, trousers,
     "knee_right", {-100, 500, 0}, left, {}, bend},
    {"foot_right", 14, {-100, 40, 50}, z, 70, 40, 1.05, shoe,
     "ankle_right", {-100, 80, 0}, down, 30, {-15, 15}},
};
// clang-format on

// From the axes of the table to those of the scene.
Along z_up(Along along) { return along == y ? z : along == z ? y
                                                             : x; }

Vec3d metres(const Vec3d& millimetres) {
    return scenes::z_up({millimetres.x / 1000, millimetres.y / 1000, millimetres.z / 1000});
}

double radians(double degrees) { return degrees * (std::numbers::pi / 180); }

Colour colour_of(Cloth cloth, const Colour& shirt_colour) {
    switch (cloth) {
        case skin: return {0.87, 0.68, 0.55, 1};
        case shirt: return shirt_colour;
        case trousers: return {0.22, 0.27, 0.38, 1};
        case shoe: break;
    }
    return {0.16, 0.14, 0.13, 1};
}

JointSpec joint_of(const Part& part, const std::string& prefix, double damping) {
    const Range range{radians(part.twist.lower), radians(part.twist.upper)};
    JointSpec joint{.name = prefix + std::string(part.joint),
                    .type = part.swing ? JointType::ball : JointType::hinge,
                    .pos = metres(part.anchor - part.centre),
                    .axis = scenes::z_up(part.axis),
                    .damping = damping};
    if (part.swing) {
        joint.swing = radians(*part.swing);
        joint.twist = range;
    } else {
        joint.range[0] = range;
    }
    return joint;
}

}  // namespace

void add_character(Scene& scene, const std::string& prefix, const Pose& pelvis, double damping,
                   const Colour& shirt_colour) {
    std::array<BodyId, std::size(parts)> bodies;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        const Part& part = parts[i];
        const bool is_root = part.parent < 0;
        const Pose pose = is_root ? pelvis : Pose{.pos = metres(part.centre - parts[part.parent].centre)};
        bodies[i] = add_solid(scene, is_root ? world : bodies[part.parent], prefix + std::string(part.name),
                              pose,
                              {.shape = ShapeType::capsule,
                               .size = {part.radius / 1000, part.half_length / 1000, 0},
                               .mass = part.mass,
                               .along = z_up(part.along),
                               .colour = colour_of(part.cloth, shirt_colour)});
        scene.add_joint(bodies[i], is_root ? JointSpec{.name = prefix + "root", .type = JointType::free}
                                           : joint_of(part, prefix, damping));
    }
}

}  // namespace lig::scenes
