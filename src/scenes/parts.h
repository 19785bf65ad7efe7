#pragma once

// What the generated scenes share: the axes of their definitions, solid bodies, the options of the benchmark.

#include <ligament/scene.h>

#include <array>
#include <string>

namespace lig::scenes {

// The definitions have y up; here z is.
inline Vec3d z_up(const Vec3d& v) { return {v.x, 0 - v.z, v.y}; }

enum class Along {
    x,
    y,
    z
};

using Colour = std::array<double, 4>;

// Of everything: sliding, torsional, rolling.
inline constexpr Vec3d friction{0.6, 0.005, 0.0001};

// A solid of uniform density about the origin of its body, with the mass and inertia written out, so that
// every program that reads the scene has the same numbers.
struct Solid {
    ShapeType shape;
    Vec3d size;
    double mass;
    Along along = Along::z;  // the axis of a capsule
    Colour colour{0.5, 0.5, 0.5, 1};
};

// A body and its geom, of the same name.
BodyId add_solid(Scene& scene, BodyId parent, std::string name, const Pose& pose, const Solid& solid);

// A scene with frames of 1/60 s.
Scene frame_scene(std::string name);
// The same without contacts.
Scene contactless_scene(std::string name);
// The ground z = 0.
void add_ground(Scene& scene);

}  // namespace lig::scenes
