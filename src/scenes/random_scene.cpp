// Passive scenes drawn from a seed: one to three parts beside each other (random_parts.h), most on a ground,
// some of it ice, some with a ball that flies about. Nothing drives them, so their energy may only fall.
//
// The reference configuration is the start; loops are closed in it, nothing overlaps that collides. The
// velocities of the keyframe `start` are random ones, less the part that would open loops, or zero.

#include "scenes/generator_list.h"
#include "scenes/random_parts.h"
#include "scenes/random_start.h"
#include "scenes/tree_order.h"

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {{"seed", "what it is drawn from", 0, 0, 1e9, true}};

// What everything has in common.
void set_surfaces(Sketch& sketch) {
    Draw& draw = sketch.draw;
    const bool ice = draw.chance(0.25), bounces = draw.chance(0.15);
    const double sliding = ice ? 0 : draw.between(0.1, 1.2);
    const double restitution = bounces ? draw.between(0.1, 0.8) : 0;
    const int condim = ice ? 1 : draw.chance(0.8) ? 3
                                                  : 6;
    for (int k = 0; k < static_cast<int>(sketch.scene.geoms().size()); ++k) {
        GeomSpec& geom = sketch.scene.geom({k});
        geom.friction = {sliding, friction.y, friction.z};
        geom.restitution = restitution;
        geom.condim = condim;
    }
}

Scene make(std::span<const double> values) {
    const auto seed = static_cast<std::uint64_t>(values[0]);
    Sketch sketch("random" + std::to_string(seed), seed);
    Draw& draw = sketch.draw;
    if (draw.chance(0.05)) sketch.scene.options.gravity = {0, 0, 0};
    if (draw.chance(0.85)) add_ground(sketch.scene);
    const int count = draw.whole(1, 3);
    for (int k = 0; k < count; ++k) {
        const Part& part = random_parts[draw.whole(0, static_cast<int>(std::size(random_parts)) - 1)];
        sketch.part = std::string(part.name) + std::to_string(k);
        part.add(sketch, {0, 2.0 * k, 0});
    }
    if (draw.chance(0.3)) {
        sketch.part = "flying";
        const double x = draw.between(-1, 1), z = draw.between(0.5, 3), radius = draw.between(0.05, 0.2);
        const Solid ball{.shape = ShapeType::sphere, .size = {radius, 0, 0}, .mass = draw.ratio(3)};
        sketch.set_free(sketch.add(world, "ball", {Mat3d::identity(), {x, -1, z}}, ball));
    }
    set_surfaces(sketch);
    Scene scene = in_tree_order(sketch.scene);
    add_start(scene, draw);
    return scene;
}

}  // namespace

const Generator random_scene{"random", "a passive scene as a stranger might build it, drawn from a seed",
                             parameters, make};

}  // namespace lig::scenes
