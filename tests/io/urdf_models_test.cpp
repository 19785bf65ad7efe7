// Real robots, read as their reference results expect them.

#include "io/support.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <vector>

using namespace lig;
using lig::test::all_text;

namespace {

// The motion of a joint from its coordinates, written out for the three kinds these robots have.
Transformd joint_motion(const JointSpec& spec, const std::vector<double>& q) {
    if (spec.type == JointType::free)
        return {rotation_matrix(Quatd{q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
    const Vec3d axis = spec.axis * (1 / std::sqrt(dot(spec.axis, spec.axis)));
    if (spec.type == JointType::slide) return {Mat3d::identity(), axis * q[0]};
    const Vec3d half = axis * std::sin(q[0] / 2);
    return {rotation_matrix(Quatd{std::cos(q[0] / 2), half.x, half.y, half.z}), {0, 0, 0}};
}

// The largest distance of a link's origin from where the reference has it.
double frame_error(const Scene& scene, const nlohmann::json& state) {
    std::vector<Transformd> X_WB{Transformd::identity()};
    double largest = 0;
    for (std::size_t i = 1; i < scene.bodies().size(); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        Transformd X =
            X_WB[body.parent.index] * Transformd{rotation_matrix(body.spec.pose.quat), body.spec.pose.pos};
        for (const JointId id : body.joints) {
            const JointSpec& spec = scene.joints()[id.index].spec;
            X = X * joint_motion(spec, state["joint"][spec.name]["qpos"].get<std::vector<double>>());
        }
        X_WB.push_back(X);
        const auto p = state["frame"][body.spec.name].get<std::vector<double>>();
        const Vec3d gap = X.p - Vec3d{p[0], p[1], p[2]};
        largest = std::max(largest, std::sqrt(dot(gap, gap)));
    }
    return largest;
}

}  // namespace

TEST_CASE("urdf: the movable joints, frames and masses of real robots") {
    const std::filesystem::path shared = std::filesystem::path(LIG_SHARED_DIR) / "models";
    if (!std::filesystem::is_directory(shared / "urdf")) {
        MESSAGE("skipped: there are no models in " << shared.string());
        return;
    }
    // The reference orders joints by name within a link, so joints are compared as sets.
    const std::map<std::string, JointType> types = {
        {"R", JointType::hinge}, {"P", JointType::slide}, {"F", JointType::free}};
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(shared / "urdf")) {
        if (entry.path().extension() != ".urdf") continue;
        for (const auto& [suffix, base] :
             {std::pair{"fixed", BaseMode::fixed}, std::pair{"free", BaseMode::free}}) {
            const std::string stem = entry.path().stem().string();
            CAPTURE(stem);
            CAPTURE(suffix);
            std::ifstream file(shared / "urdf-reference" / (stem + "." + suffix + ".json"));
            REQUIRE(file.good());
            const nlohmann::json reference = nlohmann::json::parse(file);

            Diagnostics log;
            LoadOptions options;
            options.base = base;
            const Scene scene = load_scene(entry.path(), options, log);
            INFO(all_text(log));
            CHECK(log.error_count() == 0);

            std::map<std::string, JointType> expected, found;
            for (const auto& joint : reference["joints"])
                expected[joint["name"]] = types.at(joint["type"].get<std::string>().substr(10, 1));
            for (const Scene::Joint& joint : scene.joints()) found[joint.spec.name] = joint.spec.type;
            CHECK(expected == found);
            CHECK(scene.joints().size() == expected.size());

            double mass = 0;
            std::set<std::string> bodies, frames;
            for (const Scene::Body& body : scene.bodies()) {
                if (body.parent.index < 0) continue;
                bodies.insert(body.spec.name);
                mass += body.spec.inertial->mass;
            }
            for (const auto& frame : reference["states"][0]["frame"].items()) frames.insert(frame.key());
            CHECK(bodies == frames);
            CHECK(mass == doctest::Approx(reference["total_mass"].get<double>()).epsilon(1e-12));
            for (const nlohmann::json& state : reference["states"]) CHECK(frame_error(scene, state) < 1e-10);
            ++count;
        }
    }
    CHECK(count == 16);
}
