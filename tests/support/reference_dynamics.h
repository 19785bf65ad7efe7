#pragma once

// Accelerations of a model under everything but its constraints, in the states that reference files hold:
// JSON objects with qpos, qvel and, where a model has them, act, ctrl, qfrc_applied, mocap_pos, mocap_quat.

#include <ligament/drives.h>
#include <ligament/fluid.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

namespace lig::test {

inline std::vector<double> numbers(const nlohmann::json& object, const char* key) {
    return object.contains(key) ? object[key].get<std::vector<double>>() : std::vector<double>{};
}

inline JointState<double> reference_state(const Model& model, const nlohmann::json& reference) {
    JointState<double> state(model);
    state.q = numbers(reference, "qpos");
    state.v = numbers(reference, "qvel");
    if (reference.contains("act")) state.act = numbers(reference, "act");
    const std::vector<double> pos = numbers(reference, "mocap_pos"), quat = numbers(reference, "mocap_quat");
    for (std::size_t k = 0; 3 * k < pos.size() && k < state.kinematic.size(); ++k) {
        state.kinematic[k].pos = {pos[3 * k], pos[3 * k + 1], pos[3 * k + 2]};
        state.kinematic[k].quat = {quat[4 * k], quat[4 * k + 1], quat[4 * k + 2], quat[4 * k + 3]};
    }
    return state;
}

struct ReferenceDynamics {
    explicit ReferenceDynamics(std::shared_ptr<const Model> shared)
        : model(std::move(shared)), ws(model), drives(*model), tau(model->nv), qacc(model->nv) {}

    // With the actuators, or without. Leaves the kinematics of the state in ws.
    const std::vector<double>& accelerations(const JointState<double>& state, const nlohmann::json& reference,
                                             bool actuated) {
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        std::fill(tau.begin(), tau.end(), 0.0);
        const std::vector<double> applied = numbers(reference, "qfrc_applied");
        std::copy(applied.begin(), applied.end(), tau.begin());
        std::vector<double> ctrl = numbers(reference, "ctrl");
        ctrl.resize(model->nu);
        if (actuated)
            add_smooth_forces<double>(state, *model, ctrl, drives, tau);
        else
            add_passive_forces<double>(state, *model, drives, tau);
        clear_external(ws);
        add_fluid_forces(ws);
        forward_dynamics<double>(state, tau, ws, drives, qacc, true);
        return qacc;
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    DriveWorkspace<double> drives;
    std::vector<double> tau, qacc;
};

// The largest difference, relative to the largest number of `wanted`. NaN when one of them is none.
inline double relative_error(std::span<const double> found, std::span<const double> wanted) {
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double difference = std::abs(found[i] - wanted[i]);
        if (!(difference <= error)) error = difference;
        largest = std::max(largest, std::abs(wanted[i]));
    }
    return error == 0 ? 0 : error / largest;
}

}  // namespace lig::test
