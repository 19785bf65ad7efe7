// The character thrown about while it marches with limited torques, limp now and then: torques stay within
// their limits, and nothing runs away.

#include "support/character_drops.h"

#include <ligament/tracking.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("a marching character thrown about sixty times") {
    const auto model = character();
    Diagnostics log;
    const MotionClip march(*model, load_clip(LIG_SOURCE_DIR "/scenes/motions/march.bvh", *model, {}, log),
                           ClipEnds::loop);
    Random random(31);
    int rough = 0, steps = 0;
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        const double limit = trial % 3 == 0 ? 20 : trial % 3 == 1 ? 80
                                                                  : 300;
        Simulation sim(model, {.stepping = trial % 2 ? Stepping::velocity : Stepping::automatic});
        sim.reset(model->find_keyframe("tumble"));
        JointState<double> state = sim.state();
        const Quatd turn = uniform_rotation(random);
        state.q[3] = turn.w;
        state.q[4] = turn.x;
        state.q[5] = turn.y;
        state.q[6] = turn.z;
        for (int k = 0; k < 6; ++k) state.v[k] = random.uniform(-5, 5);
        sim.set_state(state);
        const double limp = random.uniform(0.5, 2);
        sim.track(march, {.gains = settling_gains(random.uniform(0.03, 0.5)),
                          .torque_limit = limit,
                          .limp = {{limp, limp + 0.5}}});
        std::vector<double> torque(model->nv);
        for (int k = 0; k < 180; ++k, ++steps) {
            const StepReport report = sim.step(frame);
            CAPTURE(report.where);
            REQUIRE((report.status == StepStatus::ok || report.status == StepStatus::not_converged));
            rough += report.status != StepStatus::ok;
            sim.tracking_forces(torque);
            for (const double t : torque) CHECK(std::abs(t) <= limit * (1 + 1e-9));
            for (const double v : sim.state().v) CHECK(std::abs(v) < 200);
        }
    }
    // None are known to; a few may, where impacts meet limbs that are driven.
    INFO(rough, " of ", steps);
    CHECK(rough <= 5);
}
