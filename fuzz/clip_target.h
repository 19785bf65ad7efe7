#pragma once

// What the fuzz targets of motion clips share: a clip is read for a model, written and read again. Input may
// be refused with InputError and in no other way; what is accepted has finite numbers and comes back as it
// was.

#include <ligament/motion_clip.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <string>

namespace lig::fuzz {

// A free joint, a ball, a hinge, and a body with a slide and three hinges.
inline std::shared_ptr<const Model> limb() {
    Scene scene;
    const BodyId trunk = scene.add_body(world, {.name = "trunk"});
    const BodyId arm = scene.add_body(trunk, {.name = "arm"});
    const BodyId hand = scene.add_body(arm, {.name = "hand"});
    const BodyId finger = scene.add_body(hand, {.name = "finger"});
    for (const BodyId body : {trunk, arm, hand, finger}) scene.add_geom(body, {.size = {0.1, 0, 0}});
    scene.add_joint(trunk, {.name = "root", .type = JointType::free});
    scene.add_joint(arm, {.name = "shoulder", .type = JointType::ball});
    scene.add_joint(hand, {.name = "wrist", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_joint(finger, {.name = "length", .type = JointType::slide, .axis = {1, 0, 0}});
    scene.add_joint(finger, {.name = "x", .type = JointType::hinge, .axis = {1, 0, 0}});
    scene.add_joint(finger, {.name = "y", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_joint(finger, {.name = "z", .type = JointType::hinge, .axis = {0, 0, 1}});
    return compile(scene);
}

// `ending` tells the format, `write` writes it.
template <class Write>
void check_clip(const std::uint8_t* data, std::size_t size, const std::string& ending, Write write) {
    static const std::shared_ptr<const Model> model = limb();
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        Diagnostics log;
        const ClipSamples clip = parse_clip(text, "clip" + ending, *model, {}, log);
        for (const double x : clip.q)
            if (!std::isfinite(x)) std::abort();
        // Lengths that swallow each other's digits cannot come back.
        for (const double x : clip.q)
            if (std::abs(x) > 1e6) return;
        const ClipSamples back = parse_clip(write(*model, clip), "back" + ending, *model, {}, log);
        if (back.times.size() != clip.times.size()) std::abort();
        std::size_t own = 0, other = 0;
        for (std::size_t k = 0; k < clip.times.size(); ++k)
            for (const int j : back.joints) {
                const Model::Joint& joint = model->joints[j];
                const bool has = std::find(clip.joints.begin(), clip.joints.end(), j) != clip.joints.end();
                for (int c = 0; c < joint.nq && has && joint.nq == joint.nv; ++c) {
                    const double apart = clip.q[own + c] - back.q[other + c];
                    const bool turns = joint.type == JointType::hinge;
                    if (std::abs(turns ? std::remainder(apart, 2 * std::numbers::pi) : apart) > 1e-6)
                        std::abort();
                }
                if (has) own += joint.nq;
                other += joint.nq;
            }
    } catch (const InputError&) {}
}

}  // namespace lig::fuzz
