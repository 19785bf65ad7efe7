#pragma once

// The joint-space workloads: models and states defined to the letter, so that figures can be set side by side
// with those of other libraries.
//
//   chainN    links of 1 kg, boxes of 0.1 × 0.05 × 0.05 m along x, hinges about x, y, z in turn, 0.1 m apart
//   tree127   a full binary tree of depth 7 of the same links on ball joints, children at (0.1, ±0.05, 0)
//   arm, quadruped, humanoid…   public models that the project does not ship; left out where they are absent
//
// States: s ← 6364136223846793005 s + 1442695040888963407, seed 12345, u in [−1, 1]; q = π u (quaternions:
// four u, normalized), v = u, tau = u; all q, then all v, then all tau. 64 states in turn.

#include "scenes/generator_list.h"
#include "scenes/random.h"

#include <ligament/dynamics.h>
#include <ligament/load.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace lig::bench {

inline std::shared_ptr<const Model> chain(int count) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(count)}};
    return compile(scenes::generate(scenes::hinges, settings));
}

inline std::shared_ptr<const Model> tree127() { return compile(scenes::generate(scenes::tree, {})); }

// A model from the folder of test data, or null when it is not there. `lock`: joints to make fixed. `bare`:
// without armature, damping and stiffness.
inline std::shared_ptr<const Model> shared_model(const std::string& file, BaseMode base,
                                                 const std::vector<std::string>& lock = {},
                                                 bool bare = false) {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models" / file;
    if (!std::filesystem::exists(path)) return nullptr;
    Diagnostics log;
    Scene scene = load_scene(path, {.base = base}, log);
    for (std::size_t j = 0; j < scene.joints().size(); ++j) {
        JointSpec& joint = scene.joint({static_cast<int>(j)});
        for (const std::string& name : lock)
            if (joint.name == name) joint.type = JointType::fixed;
        if (bare) joint.armature = joint.damping = joint.stiffness = 0;
    }
    return compile(scene, log);
}

struct Workload {
    std::string name;
    std::shared_ptr<const Model> model;  // null: the data is absent
};

inline std::vector<Workload> workloads() {
    return {{"arm7", shared_model("urdf/panda.urdf", BaseMode::fixed,
                                  {"panda_finger_joint1", "panda_finger_joint2"})},
            {"quadruped18", shared_model("urdf/solo12.urdf", BaseMode::free)},
            {"humanoid38", shared_model("urdf/talos_reduced.urdf", BaseMode::free)},
            {"humanoid27", shared_model("mujoco/humanoid.xml", BaseMode::fixed, {}, true)},
            {"chain10", chain(10)},
            {"chain100", chain(100)},
            {"chain1000", chain(1000)},
            {"chain10000", chain(10000)},
            {"tree127", tree127()}};
}

template <class T>
struct Input {
    JointState<T> state;
    std::vector<T> tau;
};

// 64 states, W to a pack.
template <class T>
std::vector<Input<T>> inputs(const Model& model) {
    using R = real_t<T>;
    scenes::Congruence random(12345);
    std::vector<Input<T>> list(64 / lane_width<T>, {JointState<T>(model), std::vector<T>(model.nv, T(0))});
    for (Input<T>& input : list) {
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            for (const Model::Joint& joint : model.joints) {
                const int quat = joint.type == JointType::ball ? 0 : joint.type == JointType::free ? 3
                                                                                                   : joint.nq;
                for (int k = 0; k < quat; ++k)
                    set_lane(input.state.q[joint.q_adr + k], lane, R(std::numbers::pi * random.u()));
                if (quat == joint.nq) continue;
                double q[4], length = 0;
                for (double& x : q) {
                    x = random.u();
                    length += x * x;
                }
                for (int k = 0; k < 4; ++k)
                    set_lane(input.state.q[joint.q_adr + quat + k], lane, R(q[k] / std::sqrt(length)));
            }
            for (T& x : input.state.v) set_lane(x, lane, R(random.u()));
            for (T& x : input.tau) set_lane(x, lane, R(random.u()));
        }
    }
    return list;
}

}  // namespace lig::bench
