// Bodies that are given in each other, with joints, loops and couplings that hold them there. Where they are
// less deep than anywhere near, no small motion gets them out, and corrections that follow tangents leap to
// and fro over that place for ever, paid for by the motion. The trees stand on planes along which nothing
// holds them: whatever their links do to each other, the centre of mass falls along the plane.

#include "support/simulation_scenes.h"

#include <ligament/load.h>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A hub on a plane with this normal, two arms on it whose geoms are in each other, and what joins them.
struct Given {
    const char* what;
    Vec3d normal;
    std::string hub, arms, equality;
};

const Given given_scenes[] = {
    {"a distance between the arms",
     {-0.3694, 0.4472, 0.8146},
     R"(<geom size=".03" mass="0.359" contype="0" conaffinity="0"/>)",
     R"(<body name="arm0" pos="-0.1384 0.0564 0.0140">
        <joint pos="0.0459 -0.1902 -0.0098" axis="-0.0012 0.9803 0.1976" range="-0.84 0.99"/>
        <geom type="ellipsoid" size="0.1147 0.1352 0.0931" pos="0.2075 0.0073 -0.1589"
         quat="-0.3335 -0.6514 0.6694 -0.1280" mass="3.011"/></body>
        <body name="arm1" pos="-0.2356 0.1779 -0.0361">
        <joint pos="0.0267 -0.0611 0.1617" axis="-0.7271 0.6862 -0.0227" range="-1.05 0.83"/>
        <joint pos="0.0172 0.1196 -0.1419" axis="0.6349 0.7724 0.0158" range="-0.74 0.96" damping="0.606"/>
        <joint pos="0.0757 0.0589 -0.1891" axis="-0.6515 0.6509 0.3898" damping="0.081"/>
        <geom type="box" size="0.0794 0.0830 0.1071" pos="0.3841 -0.0872 -0.0257"
         quat="-0.5598 -0.1264 -0.6139 0.5420" mass="0.226"/></body>)",
     R"(<distance body1="arm0" body2="arm1" pos1="-0.0239 -0.1257 -0.0387" pos2="0.0843 0.0343 -0.0704"/>)"},
    {"a distance from the hub to an arm",
     {0.4824, -0.8400, -0.2486},
     R"(<geom size=".03" mass="2.839" contype="0" conaffinity="0"/>)",
     R"(<body name="arm0" pos="-0.2364 0.0477 -0.1319">
        <joint pos="0.0750 0.0986 0.0082" axis="0.7263 -0.5747 0.3772"/>
        <geom size="0.1039" pos="0.1925 0.0103 0.0327" mass="3.322"/></body>
        <body name="arm1" pos="0.0749 -0.0327 0.0107">
        <joint pos="-0.1135 -0.0939 0.0303" axis="0.3549 -0.3504 -0.8668"/>
        <joint pos="0.0321 0.0183 -0.1589" axis="0.5970 -0.7962 0.0978" range="-0.37 1.05"/>
        <joint pos="0.0064 0.0783 0.0670" axis="0.7485 -0.3133 -0.5844" damping="0.115"/>
        <geom type="box" size="0.1305 0.0765 0.1103" pos="-0.1474 0.1195 -0.1153"
         quat="0.3086 -0.7782 -0.5382 0.0973" mass="1.596"/></body>)",
     R"(<distance body1="hub" body2="arm1" pos1="-0.0270 0.0131 0.1118"/>)"},
    {"a coupling that lets two balls slide apart by a fiftieth of their turn",
     {0.6, 0, 0.8},
     R"(<geom size=".05" mass="1" contype="0" conaffinity="0"/>)",
     R"(<body name="arm0" pos="-.06 0 0"><joint name="j0" axis="1 0 0"/>
        <geom size=".09" pos="0 .1 -.2" mass="2"/></body>
        <body name="arm1" pos=".06 0 0"><joint name="j1" axis="1 0 0"/>
        <geom size=".09" pos="0 .1 -.2" mass="1"/></body>)",
     R"(<joint joint1="j1" joint2="j0" polycoef="0 1.02 0 0 0"/>)"},
};

std::shared_ptr<const Model> model_of(const Given& given) {
    const Vec3d& n = given.normal;
    return test::model_of(
        "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"hub\" pos=\"0 0 1\">"
        "<joint type=\"planar\" axis=\"" +
        std::to_string(n.x) + " " + std::to_string(n.y) + " " + std::to_string(n.z) + "\"/>" +
        given.hub + given.arms + "</body></worldbody><equality>" + given.equality +
        "</equality></mujoco>");
}

Vec3d centre_of_mass(const Simulation& simulation) {
    const Model& model = simulation.model();
    std::vector<Transformd> poses(model.bodies.size());
    simulation.body_poses(poses);
    Vec3d sum = Vec3d::zero();
    double mass = 0;
    for (std::size_t b = 1; b < poses.size(); ++b) {
        sum += model.bodies[b].mass * (poses[b] * model.bodies[b].com);
        mass += model.bodies[b].mass;
    }
    return (1 / mass) * sum;
}

}  // namespace

TEST_CASE("bodies that are held in each other fall as one") {
    for (const Given& given : given_scenes)
        for (const char* formulation : {"reduced", "multiplier", "implicit", "impulse"})
            for (const double rate : {240.0, 500.0}) {
                CAPTURE(given.what);
                CAPTURE(formulation);
                CAPTURE(rate);
                SimulationOptions options;
                options.formulation = formulation;
                Simulation simulation(model_of(given), options);
                const Vec3d start = centre_of_mass(simulation);
                constexpr double time = 0.25;
                for (int k = 0; k < static_cast<int>(time * rate); ++k) {
                    const StepReport report = simulation.step(1 / rate);
                    CAPTURE(report.where);
                    REQUIRE(report.status == StepStatus::ok);
                }
                const Vec3d n = (1 / std::sqrt(dot(given.normal, given.normal))) * given.normal;
                const Vec3d g = simulation.model().options.gravity;
                const Vec3d way = (0.5 * time * time) * (g - dot(g, n) * n);
                const Vec3d moved = centre_of_mass(simulation) - start;
                const Vec3d off = moved - dot(moved, n) * n - way;
                // The first order of the steps, h/t = 1/60, and what corrections have to be paid with.
                CHECK(std::sqrt(dot(off, off)) < 0.05 * std::sqrt(dot(way, way)));
            }
}

// As many rows of a contact and of joints and equalities as there are freedoms, and friction that jams: what
// is left of the last row is 1e-11 of what its bodies would yield alone, and impulses are 1e6 N·s. Left out,
// it made kilojoules in a step, in both directions.
TEST_CASE("bodies that jam in each other are not driven by what responses leave out") {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models/real/one_distance.xml";
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: there is no " << path.string());
        return;
    }
    Diagnostics log;
    Scene scene = load_scene(path, {}, log);
    scene.options.enabled.actuation = false;
    const std::shared_ptr<const Model> model = compile(scene);
    for (const char* formulation : {"reduced", "multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation simulation(model, options);
        double removed = 0, moving = 0;
        for (int k = 0; k < 300; ++k) {
            const StepReport report = simulation.step(1e-3);
            CAPTURE(report.where);
            REQUIRE(report.status == StepStatus::ok);
            removed += report.energy.flows.removed;
            moving = std::max(moving, report.energy.kinetic);
        }
        CHECK(removed < 0.05 * moving);
    }
}
