// Bushings in velocity steps: as stiff as one likes, with their work in the ledger.

#include "support/ledgers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>

using namespace lig;
using namespace lig::test;

namespace {

SimulationOptions velocity_steps(const std::string& formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    options.stepping = Stepping::velocity;
    options.energy_guard = 0;  // what the method makes is to be seen
    return options;
}

const std::string formulations[] = {"reduced", "multiplier"};

std::string mounted(double stiffness, double damping, const std::string& base = "") {
    return R"(<mujoco><option gravity="0 0 -9.81"/><worldbody>)" + base +
           R"(<body name="box"><freejoint name="root"/><geom type="box" size=".1 .2 .3" mass="2"/></body>
        </worldbody><force><bushing body1=")" +
           (base.empty() ? "world" : "cart") + R"(" body2="box" stiffness=")" + std::to_string(stiffness) +
           R"(" damping=")" + std::to_string(damping) + R"(" turnstiffness="500" turndamping="3"/></force>
        </mujoco>)";
}

}  // namespace

// v⁺ = (m v − h k x − h m g)/(m + h c + h² k), x⁺ = x + h v⁺: a bushing taken at the end of the step.
TEST_CASE("a stiff mount is taken at the end of the step") {
    const double m = 2, h = frame, g = gravity;
    for (const std::string& formulation : formulations)
        for (const auto& [k, c] : {std::pair{3e4, 500.0}, std::pair{3e8, 0.0}, std::pair{0.0, 1e5}}) {
            CAPTURE(formulation);
            CAPTURE(k);
            Simulation sim(model_of(mounted(k, c)), velocity_steps(formulation));
            double x = 0, v = 0;
            for (int step = 0; step < 60; ++step) {
                v = (m * v - h * k * x - h * m * g) / (m + h * c + h * h * k);
                x += h * v;
                step_ok(sim, h);
                CHECK(position_of(sim).z == doctest::Approx(x).epsilon(1e-9));
                CHECK(velocity_of(sim).z == doctest::Approx(v).epsilon(1e-9).scale(1e-3));
            }
        }
}

// A soft one acts with its force at the beginning of the step, as before: v⁺ = v − h (k x + c v)/m − h g.
TEST_CASE("a soft mount acts with its force at the beginning of the step") {
    const double m = 2, h = 1e-3, g = gravity, k = 100, c = 5;
    for (const std::string& formulation : formulations) {
        Simulation sim(model_of(mounted(k, c)), velocity_steps(formulation));
        double x = 0, v = 0;
        for (int step = 0; step < 100; ++step) {
            v += -h * (k * x + c * v) / m - h * g;
            x += h * v;
            step_ok(sim, h);
        }
        // 500 N·m/rad is stiff for the box at 1 ms, but it does not turn.
        CHECK(position_of(sim).z == doctest::Approx(x).epsilon(0.02));
    }
}

// A box on a cart that sets off at 1 m/s: the cart does m V² of work, half of it into the damper.
TEST_CASE("the work of a moving base through a bushing, and of its damper") {
    const char* const cart = R"(<body name="cart" mocap="true"/>)";
    for (const std::string& formulation : formulations) {
        double before = 0;
        for (const double h : {1.0 / 60, 1.0 / 240, 1.0 / 960}) {
            CAPTURE(formulation);
            CAPTURE(h);
            Simulation sim(model_of(mounted(2 * 100 * 100, 2 * 2 * 100, cart)), velocity_steps(formulation));
            run(sim, 1, h);
            BaseMotion<double> motion = sim.state().kinematic[0];
            motion.velocity.lin = {1, 0, 0};
            sim.set_kinematic(sim.model().find_body("cart"), motion);
            const Ledger sum = ledger_of(sim, 1, h);
            CHECK(sum.flows.kinematic == doctest::Approx(2.0).epsilon(1e-6));
            CHECK(sum.flows.dampers - sum.method == doctest::Approx(1.0).epsilon(1e-6));
            CHECK(sum.method < 1e-9);
            if (before != 0) CHECK(std::abs(sum.method) < 0.5 * std::abs(before));
            before = sum.method;
        }
    }
}

// Two boxes in space, tied by a stiff bushing along three different axes, and turning.
TEST_CASE("stiff bushings keep momentum and make no energy") {
    for (const std::string& formulation : formulations) {
        CAPTURE(formulation);
        SimulationOptions options = velocity_steps(formulation);
        options.momentum_ledger = true;
        Simulation sim(model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody>
            <body name="a"><freejoint name="root"/><geom type="box" size=".1 .2 .3" mass="2"
            contype="0" conaffinity="0"/></body>
            <body name="b" pos=".5 0 0"><freejoint name="other"/><geom type="box" size=".2 .1 .1" mass="1"
            contype="0" conaffinity="0"/></body>
            </worldbody><force><bushing body1="a" body2="b" stiffness="3e4 1e6 1e5" damping="1 2 3"
            turnstiffness="1e3 2e3 1e4" turndamping=".1"/></force></mujoco>)"),
                       options);
        set_velocity(sim, {1, 2, 0}, {0, 3, 1});
        const double start = total(sim.energy());
        double highest = start;
        run(sim, 2, frame, [&](const StepReport& report) {
            CHECK(std::sqrt(dot(report.momentum.method.lin, report.momentum.method.lin)) < 1e-12);
            highest = std::max(highest, report.energy.after());
        });
        CHECK(highest < 1.001 * start);
    }
}
