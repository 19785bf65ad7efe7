// Chains under high tension at 60 Hz: a ball of a thousand and of a hundred thousand times the mass of a
// link.

#include "support/implicit_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

struct Swing {
    double lost = 0;      // of the energy, as a share of what the fall could give
    double gained = 0;    // the most above the start, likewise
    double joint_error = 0;
    int solves = 0, steps = 0, rejected = 0, max_solves = 0;
};

Swing swing(const std::shared_ptr<const Model>& model, double mass, const SimulationOptions& options,
            double seconds) {
    Simulation sim(model, options);
    const double scale = (mass * 20.5 + 100 * 10) * gravity, start = total(sim.energy());
    Swing result;
    run(sim, seconds, frame, [&](const StepReport& report) {
        result.joint_error = std::max(result.joint_error, report.joint_error);
        result.gained = std::max(result.gained, (total(sim.energy()) - start) / scale);
        result.solves += report.newton_iterations;
        result.max_solves = std::max(result.max_solves, report.newton_iterations);
        result.steps += report.substeps;
        result.rejected += report.rejected;
    });
    result.lost = (start - total(sim.energy())) / scale;
    return result;
}

}  // namespace

TEST_CASE("implicit: the heavy chain of the benchmarks swings for 10 s at 60 Hz") {
    for (const double mass : {1000.0, 100000.0}) {
        CAPTURE(mass);
        const auto model = heavy_chain(100, mass);
        const Swing euler = swing(model, mass, implicit_options(), 10);
        // Positions are numbers of up to 20 m, and Newton's method has converged to rounding.
        CHECK(euler.joint_error < 1e-12);
        CHECK(euler.gained <= 1e-9);
        // Of a swing of 9.1 s: first order.
        CHECK(euler.lost < 0.2);
        CHECK(euler.rejected == 0);
        CHECK(euler.solves < 5 * euler.steps);

        const Swing second = swing(model, mass, implicit_options(SmoothIntegrator::bdf2), 10);
        MESSAGE("ball of " << mass << " kg: backward Euler loses " << 100 * euler.lost << " %, "
                           << static_cast<double>(euler.solves) / euler.steps << " solves a step; BDF2 "
                           << 100 * second.lost << " %, "
                           << static_cast<double>(second.solves) / second.steps);
        CHECK(second.joint_error < 1e-12);
        CHECK(second.gained <= 1e-9);
        CHECK(second.lost < 0.01);
        CHECK(second.lost > -1e-4);
    }
}

TEST_CASE("implicit: without geometric stiffness the heavy chain cannot be held") {
    SimulationOptions options = implicit_options();
    options.implicit.geometric_stiffness = false;
    const auto model = heavy_chain(100, 1000);
    Simulation sim(model, options);
    int steps = 0, solves = 0, rejected = 0;
    bool ok = true;
    for (int k = 0; k < 120 && ok; ++k) {
        const StepReport report = sim.step(frame);
        ok = report.status == StepStatus::ok;
        steps += report.substeps;
        solves += report.newton_iterations;
        rejected += report.rejected;
        // Never nonsense.
        CHECK(report.joint_error < 1e-6);
    }
    CHECK((!ok || rejected > 0 || solves > 8 * steps));
}

TEST_CASE("implicit: a single solution per step ends as not_converged where it cannot hold") {
    SimulationOptions options = implicit_options();
    options.implicit.newton = 1;
    const auto model = heavy_chain(100, 100000);
    Simulation sim(model, options);
    JointState<double> state = sim.state();
    for (std::size_t k = 0; k < state.v.size(); ++k)
        state.v[k] = 0.4 * std::sin(2.3 * static_cast<double>(k));
    sim.set_state(state);
    const double start = total(sim.energy()), scale = 100000 * gravity * 20;
    StepReport report;
    for (int k = 0; k < 600; ++k) {
        const JointState<double> before = sim.state();
        report = sim.step(frame);
        if (report.status != StepStatus::ok) {
            CHECK(report.status == StepStatus::not_converged);
            CHECK(!was_taken(report));
            CHECK(sim.state().q == before.q);
            CHECK(sim.state().time == before.time);
            CHECK(!report.where.empty());
            break;
        }
        // What is told is how good it was.
        CHECK(report.joint_error < 0.1);
        CHECK(total(sim.energy()) < start + 0.5 * scale);
    }
}

// The reference problem: 20 rods of 0.1 m and 0.05 kg, hanging, bent to and fro, with a mass at the end.
TEST_CASE("implicit: heavy_bob_chain stays where it hangs") {
    for (const double end : {0.05, 5.0, 500.0}) {
        CAPTURE(end);
        Scene scene;
        scene.options.gravity = {0, 0, -gravity};
        BodyId body = world;
        for (int i = 0; i < 20; ++i) {
            const double m = i == 19 ? 0.05 + end : 0.05;
            // The last rod carries the end as a point.
            const double com = i == 19 ? (0.05 * 0.05 + end * 0.1) / m : 0.05;
            const double I = 0.05 * 0.01 / 12 + 0.05 * (com - 0.05) * (com - 0.05) +
                             (i == 19 ? end * (0.1 - com) * (0.1 - com) : 0.0);
            body = scene.add_body(
                body, {.name = "rod" + std::to_string(i),
                       .pose = {{0, 0, i == 0 ? 0.0 : -0.1}},
                       .inertial = InertialSpec{m, {{0, 0, -com}}, Sym3d::diagonal(I, I, 1e-6), {}}});
            scene.add_joint(body, {.name = "hinge" + std::to_string(i), .axis = {0, 1, 0}});
        }
        Simulation sim(compile(scene), implicit_options());
        JointState<double> state = sim.state();
        double before = 0;
        for (int i = 0; i < 20; ++i) {
            const double angle = 0.01 * std::sin(2.3 * (i + 1));
            state.q[i] = angle - before;
            before = angle;
        }
        sim.set_state(state);
        double most = 0;
        int k = 0;
        run(sim, 5, frame, [&](const StepReport& report) {
            REQUIRE(report.joint_error < 1e-9);
            double x = 0, angle = 0;
            for (int i = 0; i < 20; ++i) {
                angle += sim.state().q[i];
                x -= 0.1 * std::sin(angle);
                if (k > 250) most = std::max(most, std::abs(x));
            }
            ++k;
        });
        // Of the order of what is left after 4 s; linearized constraints alone blow up to 0.2, 17 and 79 m.
        CHECK(most < 1e-2);
    }
}
