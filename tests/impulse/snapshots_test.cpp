// A simulation that is restored goes on bit for bit, whatever acts in it, and a step that fails leaves
// everything as it was.

#include "support/impulse_runs.h"
#include "support/loop_scenes.h"

using namespace lig;
using namespace lig::test;

namespace {

// A robot: rotors, servos with and without limits, springs, dry friction, a tendon, a loop.
const char* const robot = R"(<mujoco>
  <worldbody>
    <geom type="plane" size="3 3 1"/>
    <body name="base" mocap="true" pos="0 0 0.5"><site name="anchor" pos="0 0.1 0.6"/>
      <body name="upper"><joint name="shoulder" axis="0 1 0" armature="0.3" frictionloss="0.2" damping="0.5"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" armature="0.1" stiffness="3"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="wrist" pos="0.3 0 0"/>
          <body name="slider" pos="0.3 0 0"><joint name="slide" type="slide" axis="1 0 0" range="-0.05 0.05"
            limited="true"/><geom size="0.04"/></body>
        </body>
      </body>
    </body>
    <body name="load" pos="0.9 0.3 0.06"><freejoint name="load"/>
      <geom type="box" size="0.05 0.05 0.05"/></body>
  </worldbody>
  <tendon><spatial name="cord" stiffness="20" damping="1" armature="0.2" springlength="0.4">
    <site site="anchor"/><site site="wrist"/></spatial></tendon>
  <actuator>
    <position joint="shoulder" kp="200" kv="20" forcerange="-20 20"/>
    <general joint="elbow" dyntype="filter" dynprm="0.1" gainprm="10" biastype="affine" biasprm="0 -10 -1"/>
  </actuator>
</mujoco>)";

}  // namespace

TEST_CASE("impulse snapshots: restored simulations go on bit for bit") {
    Diagnostics log;
    const auto hand = compile(load_scene(LIG_SOURCE_DIR "/scenes/hand.xml", {}, log));  // on bushings
    const std::shared_ptr<const Model> models[] = {model_of(robot), model_of(walker), model_of(four_bar),
                                                   model_of(moving_table), compile(heavy_four_bar_scene()),
                                                   hand};
    for (const auto& model : models)
        for (const char* solver : {"split-step", "soft-step"}) {
            CAPTURE(solver);
            SimulationOptions options = impulse_options(16, 2, solver);
            Simulation sim(model, options);
            for (double& u : sim.inputs().ctrl) u = 0.3;
            if (!model->kinematic_bodies.empty()) {
                BaseMotion<double> motion = sim.state().kinematic[0];
                motion.velocity.lin = {0.1, 0, 0};
                motion.acceleration.ang = {0, 0, 0.5};
                sim.set_kinematic(model->kinematic_bodies[0], motion);
            }
            run(sim, 0.5);
            options.threads = 2;
            Simulation other(model, options);
            other.restore(sim.save());
            for (int k = 0; k < 30; ++k) {
                // Steps of another length, too: impulses are scaled.
                const double dt = k < 15 ? frame : 0.6 * frame;
                step_ok(sim, dt);
                step_ok(other, dt);
                REQUIRE(same_bits(sim, other));
            }
        }
}

TEST_CASE("impulse snapshots: a force that is not finite fails the step and is named") {
    Simulation sim(model_of(robot), impulse_options());
    run(sim, 0.2);
    const Snapshot before = sim.save();
    sim.callbacks.control = [](const JointState<double>&, SmoothDynamics& inputs) {
        inputs.qfrc_applied[1] = std::nan("");
    };
    const StepReport report = sim.step(frame);
    CHECK(report.status == StepStatus::non_finite);
    CHECK(report.where.find("elbow") != std::string::npos);
    sim.callbacks.control = nullptr;
    CHECK(same_bytes(sim.save().to_bytes(), before.to_bytes()));
    step_ok(sim, frame);
}
