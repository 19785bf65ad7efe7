// What the slides say of sequential impulses, as the solver `classic` does it: clamping of accumulated and of
// corrective impulses, the bias factor, when sweeps are done, warm starting, friction as a motor.

#include "core/length.h"
#include "support/contact_scenes.h"
#include "support/impulse_benchmarks.h"

#include <ligament/load.h>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const Model> shipped(const std::string& name) {
    Diagnostics log;
    return compile(load_scene(LIG_SOURCE_DIR "/scenes/" + name, {}, log));
}

SimulationOptions classic(int iterations = 0) {
    SimulationOptions options = usual();
    options.solver = "classic";
    options.iterations = iterations;
    return options;
}

Vec3d at(const Simulation& sim, std::string_view body) {
    std::vector<Transformd> poses(sim.model().bodies.size());
    sim.body_poses(poses);
    return poses[sim.model().find_body(body)].p;
}

struct Landing {
    double rebound = 0;  // m/s upwards, at any time after that
    double risen = 0;    // m, above where it belongs
    double late = 0;     // J, of the second half of the time at most
};
Landing land(const SimulationOptions& options) {
    Simulation sim(shipped("falling_box.xml"), options);
    Landing landing;
    bool down = false;
    run(sim, 2, frame, [&](const StepReport& report) {
        double up = 0;
        for (const Contact& contact : sim.contacts().contacts) up += contact.impulse.z;
        down = down || up > 0;
        if (!down) return;
        landing.rebound = std::max(landing.rebound, sim.state().v[2]);
        landing.risen = std::max(landing.risen, sim.state().q[2] - 0.2);
        if (report.time > 1) landing.late = std::max(landing.late, sim.energy().kinetic);
    });
    REQUIRE(down);
    return landing;
}

}  // namespace

// The box comes with v = √(2 g 0.2) within a step's change: the contacts must take that and the weight of the
// step. Each of the corners, in its turn, is pushed too much by what the others have not yet done; the next
// sweep takes it back, if it may. If not, the box never comes to rest; with the impulses of the last step to
// begin with, there is always too much, and it is thrown up.
TEST_CASE("slides: a falling box settles when sums are clamped, and hops when corrections are") {
    for (const bool warm : {false, true}) {
        SimulationOptions options = classic(20);
        options.impulse.warm_starting = warm;
        const Landing right = land(options);
        options.impulse.accumulated_clamping = false;
        options.energy_guard = 0;  // it would end the hopping
        const Landing wrong = land(options);
        MESSAGE("sums clamped: rebound " << right.rebound << " m/s, risen " << right.risen << " m, energy "
                                         << right.late << " J; corrections clamped: " << wrong.rebound
                                         << " m/s, " << wrong.risen << " m, " << wrong.late << " J");
        CHECK(right.rebound < 1e-6);
        CHECK(right.risen < 1e-9);
        CHECK(right.late < 1e-12);
        CHECK(wrong.rebound > (warm ? 1 : 1e-3));
        CHECK(wrong.risen > (warm ? 0.1 : 1e-4));
        // Without impulses from the step before it comes down again, and stays when it is slow enough to be
        // stopped in one sweep.
        if (warm) CHECK(wrong.late > 1);
    }
}

// The slide's two contacts: a capsule that falls flat. With P = ½ m v each it stops. It may still close its
// gap within the step in which it is about to land, so that the impulse is spread over two steps: the sum
// over both is m v and what gravity adds meanwhile, and the two ends share it.
TEST_CASE("slides: two contacts of a body that falls flat share its momentum") {
    SimulationOptions options = classic(100);
    options.accuracy = 1e-14;
    Simulation sim(model_of("<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.3' "
                            "euler='0 90 0'><freejoint name='root'/><geom type='capsule' size='0.1 0.4' "
                            "mass='4'/></body></worldbody></mujoco>"),
                   options);
    double before = 0, momentum = 0, given[2] = {0, 0}, steps = 0;
    run(sim, 1, frame, [&](const StepReport&) {
        const std::vector<Contact>& contacts = sim.contacts().contacts;
        if (contacts.size() == 2 && (steps > 0 || contacts[0].impulse.z + contacts[1].impulse.z > 0)) {
            if (steps == 0) momentum = -4 * before;
            ++steps;
            // By place: the order may change.
            for (const Contact& contact : contacts) given[contact.on_b.x > 0] += contact.impulse.z;
        }
        before = velocity_of(sim).z;
    });
    REQUIRE(steps > 10);
    CHECK(momentum > 4 * 1.5);
    const double expected = 0.5 * (momentum + 4 * gravity * frame * steps);
    MESSAGE("impulses of the two ends " << given[0] << ", " << given[1] << " N s of " << expected);
    for (const double own : given) CHECK(std::abs(own / expected - 1) < 1e-9);
    CHECK(std::abs(velocity_of(sim).z) < 1e-12);
}

// A ball 0.1 m below its pin: one block, which each sweep satisfies, so that C falls by 1 − β in a step,
// whatever its length, and e^(−β t/h) to first order in β.
TEST_CASE("slides: a joint that is pulled apart closes by the bias factor") {
    const auto model = shipped("joint_tuning.xml");
    for (const double beta : {0.05, 0.1, 0.2, 0.5, 1.0})
        for (const double h : {1.0 / 60, 1.0 / 240}) {
            CAPTURE(beta);
            CAPTURE(h);
            SimulationOptions options = classic();
            options.impulse.bias_factor = beta;
            Simulation sim(model, options);
            for (int n = 1; n <= 20; ++n) {
                step_ok(sim, h);
                const double wanted = 0.1 * std::pow(1 - beta, n);
                CHECK(std::abs(1.5 - at(sim, "ball").z - wanted) < 1e-12);
                if (beta <= 0.1) CHECK(std::abs(wanted / (0.1 * std::exp(-beta * n)) - 1) < 0.006 * n);
            }
        }
}

// A joint of the tree, whose bodies are moved apart by hand along the line of their centres.
TEST_CASE("slides: a joint between two bodies closes the same way, and nothing else moves") {
    const auto model = model_of(
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><freejoint/><geom size='0.1' mass='3'/>"
        "<body name='b' pos='0.5 0 0'><joint type='ball' pos='-0.25 0 0'/><geom size='0.1' mass='1'/></body>"
        "</body></worldbody></mujoco>");
    for (const double beta : {0.1, 0.3, 0.8}) {
        SimulationOptions options = classic();
        options.impulse.bias_factor = beta;
        Simulation sim(model, options);
        REQUIRE(at(sim, "b").x == 0.5);
        Snapshot apart = sim.save();
        apart.bodies[2 + 13] += 0.04;  // x of the centre of mass of the second link
        sim.restore(apart);
        REQUIRE(std::abs(at(sim, "b").x - 0.54) < 1e-15);
        for (int n = 1; n <= 30; ++n) {
            step_ok(sim, frame);
            const Vec3d a = at(sim, "a"), b = at(sim, "b");
            CHECK(std::abs(b.x - a.x - 0.5 - 0.04 * std::pow(1 - beta, n)) < 1e-14);
            CHECK(std::abs((3 * a.x + b.x) / 4 - 0.135) < 1e-14);
            CHECK(std::abs(a.y) + std::abs(a.z) + std::abs(b.y) + std::abs(b.z) < 1e-14);
        }
    }
}

// The second way to be done. (The first is a fixed count.)
TEST_CASE("slides: sweeps end after their count, or when velocity errors are small") {
    const auto sweeps = [](double accuracy, int most) {
        SimulationOptions options = classic(most);
        options.accuracy = accuracy;
        Simulation sim(generated(scenes::stack, 2), options);
        return step_ok(sim, frame).iterations;
    };
    const double never = 1e-300;
    for (const int count : {1, 7, 40}) CHECK(sweeps(never, count) == count);
    const int rough = sweeps(1e-2, 1000), fine = sweeps(1e-4, 1000), finest = sweeps(1e-6, 1000);
    MESSAGE("stack of 2: sweeps to 1e-2, 1e-4, 1e-6 m/s: " << rough << ", " << fine << ", " << finest);
    CHECK(1 < rough);
    CHECK(rough < fine);
    CHECK(fine < finest);
    CHECK(finest < 1000);
    // What rests has its impulses already: one sweep finds that there is nothing to do.
    Simulation sim(generated(scenes::stack, 2), classic(1000));
    run(sim, 5);
    CHECK(step_ok(sim, frame).iterations == 1);
}

// "Improved stacking." Ten sweeps hold a stack of five that begins from the last step's impulses. Without
// them every step begins with nothing, and the stack is let down further until the bias carries it.
TEST_CASE("slides: warm starting improves stacking") {
    double depth[2], residual[2];
    for (const bool warm : {false, true}) {
        SimulationOptions options = classic(10);
        options.impulse.warm_starting = warm;
        Simulation sim(generated(scenes::stack, 5), options);
        const Standing standing = stand(sim, 2);
        depth[warm] = standing.settled;
        residual[warm] = step_ok(sim, frame).residual;
    }
    MESSAGE("stack of 5, 10 sweeps: depth " << 1e3 * depth[1] << " mm warm, " << 1e3 * depth[0]
                                            << " mm cold; velocities met in the sweeps " << residual[1]
                                            << " and " << residual[0] << " m/s");
    CHECK(depth[1] < 1.5e-3);
    CHECK(depth[0] > 5 * depth[1]);
    CHECK(residual[0] > 5 * residual[1]);
}

// Friction is a motor of speed 0 and limited force. A box of 2 kg is pulled along a diagonal with 1.2 μ m g:
// the circle lets it go with 0.2 μ g; of the square each side holds 0.85 μ m g.
TEST_CASE("slides: friction by axes holds what the cone lets go") {
    const auto model = model_of(floor_with(
        0.5, 0, 0, 3,
        "<body name='it' pos='0 0 0.1'><freejoint name='root'/><geom type='box' size='0.3 0.3 0.1' mass='2'/>"
        "</body>"));
    for (const char* solver : {"classic", "soft-step", "split-step"})
        for (const FrictionLaw law : {FrictionLaw::cone, FrictionLaw::per_axis}) {
            CAPTURE(std::string(solver));
            SimulationOptions options = usual();
            options.solver = solver;
            options.friction = law;
            Simulation sim(model, options);
            const double share = 1.2 * 0.5 * 2 * gravity / std::sqrt(2);
            sim.inputs().xfrc_applied[model->find_body("it")].lin = {share, share, 0};
            run(sim, 2);
            const Vec3d v = velocity_of(sim);
            const double along = (v.x + v.y) / std::sqrt(2), wanted = 2 * 0.2 * 0.5 * gravity;
            MESSAGE(std::string(solver) << (law == FrictionLaw::cone ? ", cone: " : ", axes: ") << along
                                        << " m/s");
            if (law == FrictionLaw::cone)
                CHECK(std::abs(along / wanted - 1) < 2e-3);
            else
                CHECK(length(v) < 1e-4);
        }
}
