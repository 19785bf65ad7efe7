// Forces of the last sub-step, looked at afterwards: joints, loops, pair constraints and limits.

#include "support/impulse_runs.h"
#include "support/pair_runs.h"
#include "support/reaction_lists.h"

using namespace lig;
using namespace lig::test;

namespace {

double apart(const Vec3d& a, const Vec3d& b) { return length(a - b); }

}  // namespace

TEST_CASE("impulse reactions: a pendulum at rest, and one that swings") {
    // 2 kg, 1.5 m below the hinge.
    const auto model = model_of(
        "<mujoco><worldbody><body name='bob' pos='0 0 3'><joint axis='0 1 0'/>"
        "<inertial pos='0 0 -1.5' mass='2' diaginertia='1e-3 1e-3 1e-3'/></body></worldbody></mujoco>");
    SimulationOptions options = impulse_options();
    options.impulse.substeps = 16;
    Simulation sim(model, options);
    CHECK(length(joint_reactions(sim)[1].lin) == 0);  // nothing has been stepped yet
    run(sim, 0.1, 0.01);
    CHECK(apart(joint_reactions(sim)[1].lin, {0, 0, 2 * g}) < 1e-9);
    JointState<double> state = sim.state();
    state.v[0] = 2;
    sim.set_state(state);
    CHECK(length(joint_reactions(sim)[1].lin) == 0);
    run(sim, 0.3, 0.01);
    // m (g + a) of the centre of mass: ω² r along the rod, and across it what gravity leaves.
    const double angle = sim.state().q[0], w = sim.state().v[0];
    const double pull = 2 * (g * std::cos(angle) + w * w * 1.5);
    const double inertia = 2 * 1.5 * 1.5 + 1e-3;
    const double across = 2 * g * std::sin(angle) * (1 - 2 * 1.5 * 1.5 / inertia);
    const Vec3d reaction = joint_reactions(sim)[1].lin;
    const Vec3d along{std::sin(angle), 0, std::cos(angle)}, aside{std::cos(angle), 0, -std::sin(angle)};
    // Of the sub-step, 1/1600 s.
    CHECK(dot(reaction, along) == doctest::Approx(pull).epsilon(2e-3));
    CHECK(std::abs(dot(reaction, aside) - across) < 0.05);
}

TEST_CASE("impulse reactions: rods, pins and stops carry weights") {
    SUBCASE("a body on a rod") {
        Scene scene;
        const BodyId body =
            scene.add_body(world, {.name = "body", .pose = {{0, 0, -0.7}}, .inertial = mass(2, {1, 1, 1})});
        scene.add_joint(body, {.type = JointType::free});
        scene.add_constraint(
            {.name = "rod", .body_a = world, .body_b = body, .constraint = make<DistanceConstraint>(0.7)});
        Simulation sim(compile(scene), impulse_options());
        run(sim, 0.5);
        std::vector<Force<double>> out(1);
        sim.pair_reactions(out);
        CHECK(apart(out[0].lin, {0, 0, 2 * g}) < 1e-6);
    }
    SUBCASE("a beam on a hinge and a pin") {
        Scene scene;
        const BodyId beam = scene.add_body(
            world, {.name = "beam", .inertial = mass(4, {0.01, 0.4, 0.4}, {0.25, 0, 0})});
        scene.add_joint(beam, {.axis = {0, 1, 0}});
        LoopSpec pin;
        pin.name = "pin";
        pin.type = JointType::ball;
        pin.body_a = world;
        pin.body_b = beam;
        pin.frame_a = {{1, 0, 0}};
        pin.frame_b = {{1, 0, 0}};
        scene.add_loop(pin);
        Simulation sim(compile(scene), impulse_options(16, 50));
        run(sim, 0.5);
        // A quarter of the weight at the pin; along x the two can press against each other as they like.
        CHECK(loop_reactions(sim)[0].lin.z == doctest::Approx(g).epsilon(1e-4));
        CHECK(joint_reactions(sim)[1].lin.z == doctest::Approx(3 * g).epsilon(1e-4));
    }
    SUBCASE("an arm at its stop") {
        Simulation sim(model_of("<mujoco><worldbody><body name='arm'><joint axis='0 1 0' range='-90 10' "
                                "limited='true'/><inertial pos='0.5 0 0' mass='2' "
                                "diaginertia='0.01 0.2 0.2'/></body></worldbody></mujoco>"),
                       impulse_options());
        run(sim, 2);
        std::vector<double> force(1);
        sim.limit_forces(force);
        CHECK(force[0] == doctest::Approx(-g * std::cos(sim.state().q[0])).epsilon(1e-4));
    }
    SUBCASE("a box on the floor, under another body's joint") {
        Simulation sim(model_of("<mujoco><worldbody><geom type='plane' size='2 2 1'/><body name='foot' "
                                "pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' mass='3'/>"
                                "<body name='mast' pos='0 0 0.1'><joint axis='0 1 0' stiffness='1e4' "
                                "damping='50'/><geom type='box' pos='0 0 0.2' size='0.02 0.02 0.2' mass='2'/>"
                                "</body></body></worldbody></mujoco>"),
                       impulse_options());
        run(sim, 1);
        CHECK(joint_reactions(sim)[2].lin.z == doctest::Approx(2 * g).epsilon(1e-4));
        CHECK(std::abs(joint_reactions(sim)[1].lin.z) < 1e-2);  // a free joint carries nothing
    }
}
