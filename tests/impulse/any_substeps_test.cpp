// Ropes that are pulled taut, heavy things on light ones and what is driven, with any number of sub-steps:
// right, or said where not.

#include "support/impulse_runs.h"
#include "support/loaded_rope.h"

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <filesystem>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const Model> real_model(const char* name) {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models" / "real" / name;
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: no " << path.string());
        return nullptr;
    }
    Diagnostics log;
    return compile(load_scene(path.string(), {}, log), log);
}

// A box of a ton on one of a kilogram, 0.12 m high.
constexpr const char* ton_on_kilogram =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body name='light' pos='0 0 0.06'><freejoint/>"
    "<geom type='box' size='0.2 0.2 0.06' mass='1'/></body><body name='heavy' pos='0.02 0 0.42'><freejoint/>"
    "<geom type='box' size='0.3 0.3 0.3' mass='1000'/></body></worldbody></mujoco>";

struct Outcome {
    bool finite = true;
    std::string said;  // by the first step that is not ok
};

Outcome run_out(Simulation& sim, double seconds) {
    Outcome out;
    for (int k = 0; k < std::lround(seconds / frame) && out.finite; ++k) {
        const StepReport report = sim.step(frame);
        if (report.status != StepStatus::ok && out.said.empty()) out.said = report.where;
        out.finite = report.status != StepStatus::non_finite && total(sim.energy()) < 1e5;
        if (!was_taken(report)) break;
    }
    return out;
}

}  // namespace

TEST_CASE("impulse: a rope that is pulled taut keeps its energy, by sub-steps that follow its tension") {
    // By itself, and beside a triangle that has nothing to do with it.
    const std::string alone = loaded_rope();
    std::string beside = alone;
    const auto put_before = [&](const char* mark, const char* what) {
        beside.insert(beside.find(mark), what);
    };
    put_before("</worldbody>", R"(<body pos="20 0 1"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1"/>
        <body name="side" pos=".5 0 0" euler="0 1 0"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1"/></body></body>)");
    put_before("</equality>", R"(<connect body1="side" anchor=".5 0 0"/>)");
    for (const std::string& text : {alone, beside}) {
        Simulation sim(model_of(text), usual());
        double made = 0, moving = 0;
        int most = 0, last = 0;
        run(sim, 1, frame, [&](const StepReport& report) {
            made += report.energy.method;
            moving = std::max(moving, sim.energy().kinetic);
            most = std::max(most, last = report.substeps);
        });
        CAPTURE(moving);
        MESSAGE("the method makes " << made << " J, " << most << " sub-steps at most, " << last
                                    << " at last");
        CHECK(std::abs(made) < 0.05 * moving);  // with sub-steps of one length 0.8
        CHECK(most > 2 * last);
    }
}

TEST_CASE("impulse: with any number of sub-steps a rope holds what falls on it, or says so") {
    const auto model = model_of(loaded_rope());
    const std::size_t height = model->nq - 5;
    for (const char* solver : {"split-step", "soft-step"})
        for (const int substeps : {1, 2, 4, 8, 32}) {
            CAPTURE(solver);
            CAPTURE(substeps);
            Simulation sim(model, impulse_options(substeps, 0, solver));
            const Outcome out = run_out(sim, 1.5);
            CHECK(out.finite);
            const bool held = sim.state().q[height] > 1.5;
            CHECK((held || !out.said.empty()));
        }
}

TEST_CASE("impulse: with any number of sub-steps a kilogram holds a ton, or that is said") {
    const auto model = model_of(ton_on_kilogram);
    for (const char* solver : {"split-step", "soft-step"})
        for (const int substeps : {1, 2, 4, 8, 32}) {
            CAPTURE(solver);
            CAPTURE(substeps);
            Simulation sim(model, impulse_options(substeps, 0, solver));
            const Outcome out = run_out(sim, 1);
            CHECK(out.finite);
            if (sim.state().q[9] > 0.41) {
                CHECK(out.said == "");
            } else {
                CHECK(out.said.find("are not held apart: they overlap by") != std::string::npos);
            }
        }
}

TEST_CASE("impulse: what sweeps leave does not push a car aside") {
    const auto model = real_model("car.xml");
    if (!model) return;
    constexpr double dt = 1e-3, mass = 1300;
    for (const int substeps : {1, 2, 4}) {
        CAPTURE(substeps);
        Simulation sim(model, impulse_options(substeps));
        sim.reset(0);
        double before = 0, force = 0;
        run(sim, 0.6, dt, [&](const StepReport&) {
            const double aside = sim.state().v[1];
            if (sim.state().time > 0.1) force = std::max(force, mass * std::abs(aside - before) / dt);
            before = aside;
        });
        CHECK(force < 50);  // N; 1.1 kN were seen
    }
}

TEST_CASE("impulse: energy is guarded while bodies overlap from the beginning, too") {
    const auto model = real_model("one_distance.xml");
    if (!model) return;
    Simulation sim(model, usual());
    const double start = total(sim.energy());
    double rise = 0;
    for (int k = 0; k < 100; ++k) {
        if (!was_taken(sim.step(0.005))) break;
        rise = std::max(rise, total(sim.energy()) - start);
    }
    CHECK(rise < 1);  // J, of 115
}
