// Velocity steps in which nothing is touched: of second order, and long smooth motions that are not given up.

#include "support/ledgers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

SimulationOptions velocity_steps(const std::string& formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    options.stepping = Stepping::velocity;
    return options;
}

const std::string formulations[] = {"reduced", "multiplier"};

// Three links on crossed hinges, with these ranges.
std::string arm(const std::string& ranges) {
    const auto link = [&](const std::string& pos, const std::string& axis, const std::string& mass) {
        return "<body pos=\"" + pos + "\"><joint axis=\"" + axis + "\" " + ranges +
               "/><geom type=\"capsule\" fromto=\"0 0 0 .5 0 0\" size=\".03\" mass=\"" + mass + "\"/>";
    };
    return "<mujoco><option><flag contact=\"disable\"/></option><worldbody>" + link("0 0 2", "0 0 1", "2") +
           link(".5 0 0", "1 0 0", ".3") + link(".5 0 0", "0 1 0", ".3") +
           "</body></body></body></worldbody></mujoco>";
}

Simulation thrown(const std::string& text, const SimulationOptions& options) {
    Simulation sim(model_of(text), options);
    JointState<double> state = sim.state();
    state.v = {-2.4, 10, 7.2};
    sim.set_state(state);
    return sim;
}

}  // namespace

// A rod about a hinge at its end, without weight: its speed is constant. Turning by a sixth of a radian a
// step, what is put off by the curvature of its way is (1 − ¾ φ²/2)² of it a step in halves at one end.
TEST_CASE("a rod that turns about its end keeps its speed") {
    for (const std::string& formulation : formulations) {
        CAPTURE(formulation);
        Simulation sim(model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint axis="0 0 1"/>
            <geom type="capsule" fromto="0 0 0 1 0 0" size=".01" mass="1"/></body></worldbody></mujoco>)"),
                       velocity_steps(formulation));
        JointState<double> state = sim.state();
        state.v[0] = 10;
        sim.set_state(state);
        run(sim, 1);
        CHECK(sim.state().v[0] == doctest::Approx(10).epsilon(0.005));
    }
}

TEST_CASE("energy errors in flight are of second order") {
    for (const std::string& formulation : formulations) {
        CAPTURE(formulation);
        double before = 0;
        for (const double h : {1.0 / 120, 1.0 / 240, 1.0 / 480}) {
            CAPTURE(h);
            Simulation sim = thrown(arm(""), velocity_steps(formulation));
            const Ledger sum = ledger_of(sim, 0.5, h);
            if (before != 0) CHECK(sum.max_method < before / 3);
            before = sum.max_method;
        }
        CHECK(before < 1e-3);  // of 4 J
    }
}

TEST_CASE("an arm that is thrown against its limits never gains") {
    for (const std::string& formulation : formulations) {
        CAPTURE(formulation);
        std::string text = arm("range=\"-30 30\"");
        const std::string second = "axis=\"1 0 0\" range=\"-30 30\"";
        text.replace(text.find(second), second.size(), "axis=\"1 0 0\" range=\"-120 120\"");
        Simulation sim = thrown(text, velocity_steps(formulation));
        double lowest = total(sim.energy()), rise = 0, moving = sim.energy().kinetic;
        run(sim, 5, frame, [&](const StepReport& report) {
            const double now = report.energy.after();
            rise = std::max(rise, now - lowest);
            lowest = std::min(lowest, now);
            moving = std::max(moving, report.energy.kinetic);
        });
        CHECK(rise < 0.005 * moving);
    }
}

// 20 t on ten links of 200 g: thousands of smooth steps in a step of 0.1 s, which velocity steps would only
// damp away.
TEST_CASE("a heavy load on light links keeps its energy") {
    std::string text = "<mujoco><option><flag contact=\"disable\"/></option><worldbody>", end;
    for (int k = 0; k < 10; ++k) {
        text += std::string("<body pos=\"") + (k > 0 ? ".1" : "0") +
                " 0 0\"><joint type=\"ball\"/><geom type=\"capsule\" fromto=\"0 0 0 .1 0 0\" size=\".01\" "
                "mass=\".2\"/>";
        end += "</body>";
    }
    text += R"(<body pos=".1 0 0"><joint type="ball"/><geom size=".2" pos=".2 0 0" mass="20000"/></body>)" +
            end + "</worldbody></mujoco>";
    Simulation sim(model_of(text), SimulationOptions());
    const double start = total(sim.energy());
    double moving = 0;
    int most = 0;
    run(sim, 1, 0.1, [&](const StepReport& report) {
        CHECK(report.velocity_steps == 0);
        CHECK(report.fallbacks == 0);
        most = std::max(most, report.smooth_steps);
        moving = std::max(moving, report.energy.kinetic);
        CHECK(std::abs(report.energy.after() - start) < 1e-6 * std::max(moving, 1.0));
    });
    CHECK(most > 1000);
}

// A rod of 1 kg and 1 m, held out by the moment of its weight, applied to its joint or by a spring.
TEST_CASE("an arm that is held stays where it is") {
    for (const std::string& formulation : formulations)
        for (const bool sprung : {false, true}) {
            CAPTURE(formulation);
            CAPTURE(sprung);
            Simulation sim(model_of(std::string(R"(<mujoco><worldbody><body><joint axis="0 1 0")") +
                                    (sprung ? R"( stiffness="2000" springref="0")" : "") +
                                    R"(/><geom type="capsule" fromto="0 0 0 1 0 0" size=".01" mass="1"/>
                                    </body></worldbody></mujoco>)"),
                           velocity_steps(formulation));
            double held = 0;
            if (sprung) {
                // 2000 φ = ½ m g cos φ, φ down
                for (int k = 0; k < 50; ++k) held = 0.5 * gravity * std::cos(held) / 2000;
                JointState<double> state = sim.state();
                state.q[0] = held;
                sim.set_state(state);
            } else {
                sim.inputs().qfrc_applied[0] = -0.5 * gravity;
            }
            run(sim, 1);
            CHECK(std::abs(sim.state().q[0] - held) < 1e-9);
        }
}
