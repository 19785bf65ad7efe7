// What MJCF means: small files, each about one feature or the interplay of a few, with the numbers that
// MuJoCo computes for them. tests/data/mjcf/regenerate.mjs says what they are and makes them.

#include "support/reference_dynamics.h"

#include <ligament/load.h>
#include <ligament/sensors.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace lig;
using namespace lig::test;

namespace fs = std::filesystem;

namespace {

// Both sides compute in double. What is left is rounding, magnified by how far the smallest inertia of a
// model is from its largest: about 1e-12 of the largest acceleration in these files.
constexpr double acceleration_tolerance = 1e-9;
// Poses are products of at most six transforms with entries of about a metre: a few 1e-16.
constexpr double position_tolerance = 1e-11;
constexpr double mass_tolerance = 1e-12;
// Of a reading's largest number, or of 1: readings are positions, velocities, forces and accelerations.
constexpr double reading_tolerance = 1e-9;

void check_positions(const Model& model, const Workspace<double>& ws, const nlohmann::json& xpos) {
    for (const auto& [name, position] : xpos.items()) {
        const int body = model.find_body(name);
        REQUIRE_MESSAGE(body > 0, name);
        const auto p = position.get<std::vector<double>>();
        const Vec3d gap = body_pose(ws, body).p - Vec3d{p[0], p[1], p[2]};
        CHECK_MESSAGE(std::sqrt(dot(gap, gap)) < position_tolerance, name);
    }
}

void check_readings(const JointState<double>& state, ReferenceDynamics& dynamics,
                    const nlohmann::json& reference) {
    const Model& model = *dynamics.model;
    SensorWorkspace<double> sensors(model);
    read_sensors<double>(state, dynamics.qacc, {}, dynamics.drives, dynamics.ws, sensors);
    const std::vector<double> wanted = numbers(reference, "sensordata");
    REQUIRE(sensors.readings.size() == wanted.size());
    for (std::size_t s = 0; s < model.sensors.size(); ++s) {
        const Model::Sensor& sensor = model.sensors[s];
        CAPTURE(s);
        CHECK(sensors.status[s] == SensorStatus::read);
        // A quaternion and its negative are the same orientation.
        const bool turns = sensor.spec.type == SensorType::framequat;
        const double sign = turns && sensors.readings[sensor.adr] * wanted[sensor.adr] < 0 ? -1 : 1;
        double error = 0, largest = 1;
        for (int k = sensor.adr; k < sensor.adr + sensor.dim; ++k) {
            error = std::max(error, std::abs(sign * sensors.readings[k] - wanted[k]));
            largest = std::max(largest, std::abs(wanted[k]));
        }
        CHECK(error < reading_tolerance * largest);
    }
}

void check_keyframes(const Model& model, const nlohmann::json& keys) {
    REQUIRE(model.keyframes.size() == keys["qpos"].size());
    for (std::size_t k = 0; k < model.keyframes.size(); ++k) {
        CAPTURE(k);
        const JointState<double> state = keyframe_state(model, static_cast<int>(k));
        CHECK(state.time == keys["time"][k][0].get<double>());
        const auto check = [&](const std::vector<double>& found, const char* field) {
            CAPTURE(field);
            const auto wanted = keys[field][k].get<std::vector<double>>();
            REQUIRE(found.size() == wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i)
                CHECK(found[i] == doctest::Approx(wanted[i]).epsilon(1e-15));
        };
        check(state.q, "qpos");
        check(state.v, "qvel");
        check(state.act, "act");
        check(model.keyframes[k].ctrl, "ctrl");
        std::vector<double> pos, quat;
        for (const BaseMotion<double>& base : state.kinematic) {
            pos.insert(pos.end(), {base.pos.x, base.pos.y, base.pos.z});
            quat.insert(quat.end(), {base.quat.w, base.quat.x, base.quat.y, base.quat.z});
        }
        check(pos, "mpos");
        check(quat, "mquat");
    }
}

void check_file(const fs::path& file, const nlohmann::json& reference) {
    Diagnostics log;
    const auto model = compile(load_scene(file, {}, log), log);
    REQUIRE(model->nq == reference["nq"].get<int>());
    REQUIRE(model->nv == reference["nv"].get<int>());
    REQUIRE(model->nu == reference["nu"].get<int>());
    REQUIRE(model->na == reference["na"].get<int>());
    REQUIRE(model->joints.size() == reference["njnt"].get<std::size_t>());
    CHECK(model->total_mass ==
          doctest::Approx(reference["total_mass"].get<double>()).epsilon(mass_tolerance));
    if (reference.contains("keys")) check_keyframes(*model, reference["keys"]);

    ReferenceDynamics dynamics(model);
    for (std::size_t i = 0; i < reference["states"].size(); ++i) {
        CAPTURE(i);
        const nlohmann::json& wanted = reference["states"][i];
        const JointState<double> state = reference_state(*model, wanted);
        CHECK(relative_error(dynamics.accelerations(state, wanted, false), numbers(wanted, "qacc")) <
              acceleration_tolerance);
        const char* actuated = wanted.contains("qacc_ctrl") ? "qacc_ctrl" : "qacc";
        CHECK(relative_error(dynamics.accelerations(state, wanted, true), numbers(wanted, actuated)) <
              acceleration_tolerance);
        check_positions(*model, dynamics.ws, wanted["xpos"]);
        if (wanted.contains("sensordata")) check_readings(state, dynamics, wanted);
    }
}

}  // namespace

TEST_CASE("MJCF: every feature means what it means in MuJoCo") {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(LIG_SOURCE_DIR) / "tests/data/mjcf")) {
        if (entry.path().extension() != ".xml") continue;
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        fs::path numbers = entry.path();
        std::ifstream file(numbers.replace_extension(".json"));
        REQUIRE_MESSAGE(file, "regenerate.mjs has not been run for it");
        const nlohmann::json reference = nlohmann::json::parse(file);
        CHECK_NOTHROW(check_file(entry.path(), reference));
        ++files;
    }
    CHECK(files >= 60);
}
