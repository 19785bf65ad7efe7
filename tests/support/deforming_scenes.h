#pragma once

// Bodies that deform: boxes of some rubber, free or on loops.

#include "support/simulation_runs.h"

#include <ligament/scene.h>

#include <string>

namespace lig::test {

inline constexpr BodyKind deforming_kinds[] = {BodyKind::affine, BodyKind::stretching, BodyKind::scaling};

struct Jelly {
    BodyKind kind = BodyKind::affine;
    Vec3d half{0.5, 0.3, 0.2};
    double young = 2e4, poisson = 0.3, damping = 0, density = 100;
    bool touches = false;
};

inline BodyId add_jelly(Scene& scene, const std::string& name, const Pose& pose, const Jelly& jelly = {}) {
    const BodyId body = scene.add_body(world, {.name = name,
                                               .pose = pose,
                                               .kind = jelly.kind,
                                               .elastic = {jelly.young, jelly.poisson, jelly.damping}});
    scene.add_geom(body, {.name = name + "_box",
                          .shape = ShapeType::box,
                          .size = jelly.half,
                          .density = jelly.density,
                          .contype = jelly.touches ? 1 : 0,
                          .conaffinity = jelly.touches ? 1 : 0});
    return body;
}

// One in the air that turns, and is stretched and moves.
inline std::shared_ptr<const Model> free_jelly(BodyKind kind, double young = 2e4) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    add_jelly(scene, "jelly", {{0.3, -0.2, 1}}, {.kind = kind, .young = young});
    return compile(scene);
}

inline JointState<double> spinning(const Model& model) {
    JointState<double> state(model);
    const double v[6] = {0.5, -0.3, 0.2, 2, 3, -1};
    std::copy(std::begin(v), std::end(v), state.v.begin());
    const TreeStretch& own = model.tree.stretches[0];
    for (int k = 0; k < own.count; ++k) state.q[own.q_adr + k] += (k % 2 ? -0.05 : 0.08);
    return state;
}

// Three of them on loops, which fall onto the floor.
inline std::shared_ptr<const Model> falling_jellies() {
    Scene scene;
    scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}});
    const Vec3d half{0.3, 0.1, 0.1};
    const BodyId a = add_jelly(scene, "a", {{0, 0, 0.2}},
                               {.kind = BodyKind::affine, .half = half, .damping = 0.01, .touches = true});
    const BodyId b = add_jelly(scene, "b", {{0.65, 0, 0.2}},
                               {.kind = BodyKind::stretching,
                                .half = half,
                                .damping = 0.01,
                                .touches = true});
    const BodyId c = add_jelly(scene, "c", {{1.3, 0, 0.25}},
                               {.kind = BodyKind::scaling, .half = half, .damping = 0.01, .touches = true});
    scene.add_loop({.name = "ab",
                    .body_a = a,
                    .body_b = b,
                    .frame_a = {{0.325, 0, 0}},
                    .frame_b = {{-0.325, 0, 0}}});
    scene.add_loop({.name = "bc",
                    .body_a = b,
                    .body_b = c,
                    .frame_a = {{0.325, 0, 0.05}},
                    .frame_b = {{-0.325, 0, 0}}});
    return compile(scene);
}

}  // namespace lig::test
