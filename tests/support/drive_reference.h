#pragma once

// The models of tests/dynamics/drives, each with one state and what MuJoCo makes of it.

#include <ligament/drives.h>
#include <ligament/load.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace lig::test {

struct DriveReference {
    explicit DriveReference(const std::string& name, void (*change)(Scene&) = nullptr) {
        const std::string path = std::string(LIG_SOURCE_DIR "/tests/dynamics/drives/") + name;
        Diagnostics log;
        Scene scene = load_scene(path + ".xml", {}, log);
        if (change) change(scene);
        model = compile(scene, log);
        std::ifstream file(path + ".json");
        REQUIRE(file.good());
        numbers = nlohmann::json::parse(file);
        state = JointState<double>(*model);
        state.q = get("qpos");
        state.v = get("qvel");
        if (model->na > 0) state.act = get("act");
        ctrl = model->nu > 0 ? get("ctrl") : std::vector<double>{};
    }

    std::vector<double> get(const char* field) const { return numbers.at(field).get<std::vector<double>>(); }

    std::shared_ptr<const Model> model;
    JointState<double> state;
    std::vector<double> ctrl;
    nlohmann::json numbers;
};

// Everything that is known about the tendons and actuators of a state.
template <class T>
struct Driven {
    Driven(const std::shared_ptr<const Model>& model, const JointState<T>& state)
        : ws(model), drives(*model) {
        update(state);
    }
    void update(const JointState<T>& state) {
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
    }
    Workspace<T> ws;
    DriveWorkspace<T> drives;
};

// The largest difference, relative to the largest wanted number.
inline double difference_of(const std::vector<double>& got, const std::vector<double>& wanted) {
    REQUIRE(got.size() == wanted.size());
    double scale = 1e-300, worst = 0;
    for (const double x : wanted) scale = std::max(scale, std::abs(x));
    for (std::size_t k = 0; k < got.size(); ++k) worst = std::max(worst, std::abs(got[k] - wanted[k]));
    return worst / scale;
}

// The same state moved along one velocity.
inline JointState<double> moved(const Workspace<double>& ws, const JointState<double>& state,
                                const std::vector<double>& v, double h) {
    JointState<double> out = state;
    integrate<double>(ws, state.q, v, h, out.q);
    return out;
}

}  // namespace lig::test
