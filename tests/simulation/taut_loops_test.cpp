// Loops that are nearly drawn straight: walkways of planks between two supports that are as far apart as the
// planks are long, but for a share of slack. The axial row of such a loop is at an angle of about √slack to
// the others and carries all of the load. A walkway of length L cannot sag by more than ½ √(L² − c²) in the
// middle, c being the distance of its ends, whatever lies on it.

#include "support/passive_run.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace lig;
using namespace lig::test;

namespace {

constexpr int planks = 16;
constexpr double length = 0.3, height = 2;  // m

// How far each plank turns against the one before it, so that the chord is 1 − slack of the length: a regular
// polygon that turns by t at each corner has the chord sin(n t/2) / sin(t/2).
double turn_for(double slack) {
    double low = 0, high = 0.3;
    for (int k = 0; k < 100 && slack > 0; ++k) {
        const double t = 0.5 * (low + high);
        (std::sin(planks * t / 2) / (planks * std::sin(t / 2)) > 1 - slack ? low : high) = t;
    }
    return low;
}

// With a box of 300 kg that falls on it.
std::string walkway(double slack) {
    const double turn = turn_for(slack);
    std::ostringstream text;
    text.precision(17);
    text << R"(<mujoco><compiler angle="radian"/><worldbody>)";
    for (int k = 0; k < planks; ++k) {
        text << "<body name=\"p" << k << "\" pos=\"";
        if (k == 0)
            text << -0.5 * planks * length * (1 - slack) << " 0 " << height << "\" euler=\"0 "
                 << 0.5 * (planks - 1) * turn;
        else
            text << length << " 0 0\" euler=\"0 " << -turn;
        text << R"( 0"><joint type="ball"/><geom type="box" size=".141 .4 .02" pos=".15 0 0" mass="1"/>)";
    }
    for (int k = 0; k < planks; ++k) text << "</body>";
    text << R"(<body name="box" pos="-.3 0 2.4"><freejoint/>
        <geom type="box" size=".25 .25 .2" mass="300"/></body></worldbody>
        <equality><connect body1="p15" anchor=".3 0 0"/></equality></mujoco>)";
    return text.str();
}

}  // namespace

TEST_CASE("taut loops: a heavy box stays on a walkway that is nearly straight") {
    for (const char* formulation : {"reduced", "multiplier"})
        for (const double slack : {1e-2, 1e-4, 1e-5, 1e-6, 1e-7}) {
            CAPTURE(formulation);
            CAPTURE(slack);
            const auto model = model_of(walkway(slack));
            SimulationOptions options;
            options.formulation = formulation;
            const PassiveRun run = run_passive(model, options, 1.0 / 60, 1);
            CAPTURE(run.where);
            CHECK(std::string(name_of(run.verdict)) == "true");
            Simulation simulation(model, options);
            for (int k = 0; k < 60; ++k) REQUIRE(simulation.step(1.0 / 60).status == StepStatus::ok);
            const double L = planks * length, chord = L * (1 - slack);
            const double sag = 0.5 * std::sqrt(L * L - chord * chord);
            std::vector<Transformd> poses(model->bodies.size());
            simulation.body_poses(poses);
            // Half of the box, half of a plank; and what contacts may be deep.
            CHECK(poses.back().p.z > height - sag + 0.2 + 0.02 - 5e-3);
            CHECK(poses.back().p.z < 2.4 - 0.1);  // it has fallen
        }
}

// Loops are closed to 1e-7 m only where they are straight, so that tension holds what falls on them. Before,
// it fell through. How deep it presses them in is a promise that such runs miss, and say so.
TEST_CASE("taut loops: a ball does not fall through planks in a straight line") {
    std::ostringstream text;
    text << "<mujoco><worldbody>";
    for (int k = 0; k < 10; ++k)
        text << "<body name=\"p" << k << "\" pos=\"" << (k == 0 ? "-1 0 1.5" : ".2 0 0")
             << R"("><joint axis="0 1 0"/><geom type="box" size=".095 .2 .01" pos=".1 0 0" mass=".1"/>)";
    for (int k = 0; k < 10; ++k) text << "</body>";
    text << R"(<body name="ball" pos=".05 0 1.8"><freejoint/><geom size=".15" mass="80"/></body></worldbody>
        <equality><connect body1="p9" anchor=".2 0 0"/></equality></mujoco>)";
    const auto model = model_of(text.str());
    for (const char* formulation : {"reduced", "multiplier", "implicit"}) {
        CAPTURE(formulation);
        Simulation simulation(model, {.formulation = formulation});
        for (int k = 0; k < 60; ++k) {
            const StepReport report = simulation.step(1.0 / 60);
            CAPTURE(report.where);
            REQUIRE(was_taken(report));
        }
        std::vector<Transformd> poses(model->bodies.size());
        simulation.body_poses(poses);
        CHECK(poses.back().p.z > 1.5 + 0.01 + 0.15 - 0.05);
        CHECK(poses.back().p.z < 1.5 + 0.01 + 0.15 + 1e-3);
    }
}

// No slack at all: rows of velocities do not see that the planks cannot move. Closing takes back what they
// have moved, and their velocities with it. Loops may be open by 1e-7 m, by which planks sag as if they were
// that much longer.
TEST_CASE("taut loops: planks in a straight line hold themselves") {
    std::string text = walkway(0);
    const std::size_t begin = text.find("<body name=\"box\"");
    text.erase(begin, text.find("</body>", begin) + 7 - begin);
    const auto model = model_of(text);
    for (const char* formulation : {"reduced", "multiplier"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation simulation(model, options);
        const double start = simulation.energy().potential;
        for (int k = 0; k < 60; ++k) REQUIRE(simulation.step(1.0 / 60).status == StepStatus::ok);
        const double L = planks * length, sag = 0.5 * std::sqrt(L * L - (L - 1e-7) * (L - 1e-7));
        CHECK(std::abs(simulation.energy().potential - start) < planks * 9.81 * sag);
        CHECK(simulation.energy().kinetic < 1e-3);
    }
}
