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

}  // namespace lig::test
