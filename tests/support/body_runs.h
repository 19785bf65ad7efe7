#pragma once

// Motion in body coordinates, for tests: a model with its inputs, its joint state and the bodies of it.

#include "formulations/multiplier/body_motion.h"
#include "support/reference_checks.h"

#include <algorithm>
#include <cmath>

namespace lig::test {

// The largest difference of the bodies' positions, and of the ends of unit vectors fixed to them.
inline double pose_difference(const std::shared_ptr<const Model>& model, const JointState<double>& a,
                              const JointState<double>& b) {
    Workspace<double> at_a(model), at_b(model);
    forward_kinematics(a, at_a);
    forward_kinematics(b, at_b);
    double most = 0;
    for (std::size_t i = 1; i < model->bodies.size(); ++i) {
        const Transformd x = body_pose(at_a, static_cast<int>(i)), y = body_pose(at_b, static_cast<int>(i));
        for (const Vec3d& p : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
            const Vec3d d = x * p - y * p;
            most = std::max(most, std::sqrt(dot(d, d)));
        }
    }
    return most;
}

// Bodies on their own, without a simulation around them.
struct BodyRun {
    explicit BodyRun(std::shared_ptr<const Model> model, EqualityMethod loops = EqualityMethod::direct)
        : inputs(model), motion(model, loops), state(*model) {}

    // Takes over `state`: bodies are put where it says.
    void begin() {
        forward_kinematics(state, inputs.ws);
        motion.dynamics.system.poses.from_joints(inputs.ws, state, bodies);
        MotionReport report;
        REQUIRE(motion.project(state, bodies, report));
        begun_ = true;
    }

    MotionReport advance(double duration, const multiplier::BodyMotionOptions& options) {
        if (!begun_) begin();
        return motion.advance(inputs, state, bodies, duration, options);
    }
    MotionReport advance_ok(double duration, const multiplier::BodyMotionOptions& options) {
        MotionReport report = advance(duration, options);
        INFO(report.where);
        REQUIRE(report.status == MotionStatus::ok);
        return report;
    }

    SmoothDynamics inputs;
    multiplier::BodyMotion motion;
    maximal::BodyCoordinates bodies;
    JointState<double> state;

private:
    bool begun_ = false;
};

// A mover of reference_checks.h by one of the methods of BodyMotion.
template <multiplier::Method method>
struct ByBodies {
    static constexpr double closed = 1e-11;  // m, rad: what constraints are held to

    ByBodies(std::shared_ptr<const Model> model, double tolerance) : run(model), tolerance_(tolerance) {}

    Moved go_to(double time) {
        const MotionReport report = run.advance_ok(
            time - state.time,
            {.method = method, .step = 0.02, .tolerance = tolerance_, .max_steps = 200000});
        CHECK(report.joint_error < closed);
        return {run.motion.dynamics.system.graph.equality_rows(), report.redundant_rows,
                report.equality_error};
    }

    BodyRun run;
    SmoothDynamics& inputs = run.inputs;
    JointState<double>& state = run.state;

private:
    double tolerance_;
};

// The same through a simulation.
struct ByMultiplier {
    static constexpr double closed = 1e-11;

    ByMultiplier(std::shared_ptr<const Model> model, double tolerance)
        : sim(model, {.formulation = "multiplier",
                      .stepping = Stepping::smooth,
                      .integrator = SmoothIntegrator::rk45,
                      .tolerance = tolerance,
                      .max_substeps = 20000}),
          state(*model) {}

    Moved go_to(double time) {
        if (state.time == 0) sim.set_state(state);
        const StepReport report = sim.step(time - state.time);
        INFO(report.where);
        REQUIRE(report.status == StepStatus::ok);
        CHECK(report.joint_error < closed);
        state = sim.state();
        return {report.equality_rows, report.redundant_rows, report.equality_error};
    }

    Simulation sim;
    SmoothDynamics& inputs = sim.inputs();
    JointState<double> state;
};

}  // namespace lig::test
