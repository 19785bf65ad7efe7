#include "scenes/parts.h"

#include "shapes/shape_mass.h"

#include <numbers>

namespace lig::scenes {

namespace {

// Turns z into the axis. The shapes are symmetric about it.
Quatd turn_of(Along along) {
    constexpr double half = std::numbers::sqrt2 / 2;
    switch (along) {
        case Along::x: return {half, 0, half, 0};
        case Along::y: return {half, -half, 0, 0};
        case Along::z: break;
    }
    return Quatd::identity();
}

// Written without a product of rotations, so that there are no products of inertia from rounding.
Sym3d inertia_of(const Solid& solid) {
    const Sym3d own = solid.mass * shape_mass(solid.shape, solid.size)->unit_inertia_solid;
    switch (solid.along) {
        case Along::x: return Sym3d::diagonal(own.zz, own.yy, own.xx);
        case Along::y: return Sym3d::diagonal(own.xx, own.zz, own.yy);
        case Along::z: break;
    }
    return own;
}

}  // namespace

BodyId add_solid(Scene& scene, BodyId parent, std::string name, const Pose& pose, const Solid& solid) {
    const BodyId body = scene.add_body(
        parent, {.name = name,
                 .pose = pose,
                 .inertial = InertialSpec{.mass = solid.mass, .inertia = inertia_of(solid)}});
    scene.add_geom(body, {.name = std::move(name),
                          .shape = solid.shape,
                          .pose = {.quat = turn_of(solid.along)},
                          .size = solid.size,
                          .friction = friction,
                          .rgba = solid.colour});
    return body;
}

Scene frame_scene(std::string name) {
    Scene scene(std::move(name));
    scene.options.timestep = 1.0 / 60;
    return scene;
}

Scene contactless_scene(std::string name) {
    Scene scene = frame_scene(std::move(name));
    scene.options.enabled.contact = false;
    return scene;
}

void add_ground(Scene& scene) {
    scene.add_geom(world, {.name = "ground",
                           .shape = ShapeType::plane,
                           .size = {0, 0, 1},
                           .friction = friction,
                           .rgba = {0.86, 0.86, 0.84, 1}});
}

}  // namespace lig::scenes
