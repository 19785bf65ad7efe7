// How many solutions Newton's method takes: tangents that are off show here.

#include "support/held_character.h"
#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

#include <filesystem>

using namespace lig;
using namespace lig::test;

namespace {

struct Count {
    double solves = 0, iterations = 0;  // a step: of bodies, and of impulses
    int rejected = 0;
};

Count count(Simulation& sim, double seconds, double dt) {
    Count out;
    int steps = 0;
    run(sim, seconds, dt, [&](const StepReport& report) {
        out.solves += report.newton_iterations;
        out.iterations += report.iterations;
        out.rejected += report.rejected;
        ++steps;
    });
    out.solves /= steps;
    out.iterations /= steps;
    return out;
}

std::shared_ptr<const Model> scene_file(const std::string& path) {
    Diagnostics log;
    return compile(load_scene(path, {}, log), log);
}

}  // namespace

TEST_CASE("implicit: solutions a step") {
    SimulationOptions options = implicit_options();
    options.touching = Touching::penalty;
    const auto check = [&](const std::string& name, std::shared_ptr<const Model> model, double seconds,
                           double dt, double most, auto&& prepare) {
        CAPTURE(name);
        Simulation sim(std::move(model), options);
        prepare(sim);
        const Count made = count(sim, seconds, dt);
        MESSAGE(name << ": " << made.solves << " solutions a step");
        CHECK(made.solves < most);
        CHECK(made.rejected <= 1);
    };
    const auto nothing = [](Simulation&) {};
    check("heavy chain", heavy_chain(100, 1000), 2, frame, 4.0, nothing);
    check("character", character(), 2, 0.005, 3.5, nothing);
    check("held character", compile(held_character()), 2, frame, 2.2, [](Simulation& sim) {
        sim.drive_to_pose(std::vector<double>(sim.state().q), {}, 20, 1, HUGE_VAL);
    });
    check("walker", model_of(walker), 2, 0.005, 1.3, nothing);
    check("four bars", model_of(four_bar), 2, frame, 3.7,
          [](Simulation& sim) { sim.inputs().ctrl[0] = 0.5; });
    check("plant", scene_file(LIG_SOURCE_DIR "/scenes/plant.xml"), 1, frame, 8.5, nothing);
}

TEST_CASE("implicit: at most four solutions a step on MuJoCo's humanoid as it falls") {
    const std::string path = std::string(LIG_SHARED_DIR) + "/models/mujoco/humanoid.xml";
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: " << path << " is not there");
        return;
    }
    for (const Touching touching : {Touching::penalty, Touching::hard}) {
        CAPTURE(touching == Touching::hard);
        SimulationOptions options = implicit_options();
        options.touching = touching;
        Simulation sim(scene_file(path), options);
        const Count made = count(sim, 3, 0.005);
        MESSAGE("humanoid: " << made.solves << " solutions a step, " << made.iterations << " of impulses");
        CHECK(made.solves < 4);
        CHECK(made.rejected == 0);
        // With hard contact steps are solved once for impulses; these are found in sweeps and by Newton's
        // method on few rows.
        CHECK(made.iterations < 20);
    }
}
