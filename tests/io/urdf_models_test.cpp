// Real robots, read as their reference results expect them.

#include "io/support.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>

using namespace lig;
using lig::test::all_text;

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
            // A fixed base takes its mass out of the reference's sum; the free one counts every link.
            if (base == BaseMode::free)
                CHECK(mass == doctest::Approx(reference["total_mass"].get<double>()).epsilon(1e-12));
            ++count;
        }
    }
    CHECK(count == 16);
}
