// Real robots with their meshes: accelerations with and without actuators against MuJoCo's.

#include "support/reference_dynamics.h"

#include <ligament/load.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace lig;
using namespace lig::test;

namespace fs = std::filesystem;

namespace {

// What is asked of us; 1e-12 and 1e-15 m are usual.
constexpr double acceleration_tolerance = 1e-8;
constexpr double position_tolerance = 1e-10;
constexpr double mass_tolerance = 1e-9;

void check_model(const std::shared_ptr<const Model>& model, const nlohmann::json& reference) {
    REQUIRE(model->nq == reference["nq"].get<int>());
    REQUIRE(model->nv == reference["nv"].get<int>());
    REQUIRE(model->nu == reference["nu"].get<int>());
    REQUIRE(model->bodies.size() == reference["nbody"].get<std::size_t>());
    REQUIRE(model->tendons.size() == reference["ntendon"].get<std::size_t>());
    CHECK(model->total_mass ==
          doctest::Approx(reference["total_mass"].get<double>()).epsilon(mass_tolerance));
    ReferenceDynamics dynamics(model);
    for (std::size_t i = 0; i < reference["states"].size(); ++i) {
        CAPTURE(i);
        const nlohmann::json& wanted = reference["states"][i];
        const JointState<double> state = reference_state(*model, wanted);
        CHECK(relative_error(dynamics.accelerations(state, wanted, false), numbers(wanted, "qacc")) <
              acceleration_tolerance);
        if (wanted.contains("qacc_ctrl"))
            CHECK(relative_error(dynamics.accelerations(state, wanted, true), numbers(wanted, "qacc_ctrl")) <
                  acceleration_tolerance);
        const std::vector<double> xpos = numbers(wanted, "xpos");
        for (std::size_t b = 0; b < model->bodies.size(); ++b) {
            CAPTURE(model->bodies[b].name);
            const Vec3d gap = body_pose(dynamics.ws, static_cast<int>(b)).p -
                              Vec3d{xpos[3 * b], xpos[3 * b + 1], xpos[3 * b + 2]};
            CHECK(std::sqrt(dot(gap, gap)) < position_tolerance);
        }
    }
}

}  // namespace

TEST_CASE("menagerie references: accelerations, positions and masses of real robots") {
    const fs::path models = fs::path(LIG_SHARED_DIR) / "models";
    if (!fs::is_directory(models / "menagerie-reference")) {
        MESSAGE("skipped: there are no references in " << models.string());
        return;
    }
    int files = 0;
    for (const auto& entry : fs::directory_iterator(models / "menagerie-reference")) {
        if (entry.path().extension() != ".json") continue;
        std::string name = entry.path().stem().string();  // folder+file.xml
        CAPTURE(name);
        name.replace(name.find('+'), 1, "/");
        std::ifstream file(entry.path());
        const nlohmann::json reference = nlohmann::json::parse(file);
        Diagnostics log;
        check_model(compile(load_scene(models / "menagerie" / name, {}, log), log), reference);
        ++files;
    }
    CHECK(files == 18);
}
