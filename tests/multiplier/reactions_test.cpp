// Forces through joints and loops under `multiplier`: those of statics, and those that `reduced` has in the
// same state.

#include "support/loop_scenes.h"
#include "support/random_loops.h"
#include "support/reaction_lists.h"
#include "support/simulation_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

struct Difference {
    double worst = 0, size = 1;
    void add(const std::vector<Force<double>>& a, const std::vector<Force<double>>& b) {
        for (std::size_t k = 0; k < a.size(); ++k) {
            worst = std::max(worst, largest(a[k] - b[k]));
            size = std::max(size, largest(b[k]));
        }
    }
};

}  // namespace

TEST_CASE("multiplier reactions: joints of a hanging chain carry what is below them") {
    Scene scene;
    BodyId parent = world;
    for (int k = 0; k < 8; ++k) {
        parent = scene.add_body(parent, {.name = std::to_string(k),
                                         .pose = {{0, 0, k == 0 ? 0.0 : -0.4}},
                                         .inertial = box_mass(k + 1, {0, 0, -0.2}, {0.04, 0.04, 0.4})});
        scene.add_joint(parent, {.name = std::to_string(k), .type = JointType::ball});
    }
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(compile(scene), {.formulation = "multiplier", .stepping = stepping});
        run(sim, 0.03, 0.01);
        double below = 0;
        for (int k = 7; k >= 0; --k) {
            below += (k + 1) * gravity;
            const Force<double> reaction = joint_reactions(sim)[k + 1];
            CHECK(largest(reaction.lin - Vec3d{0, 0, below}) < 1e-9);
            CHECK(largest(reaction.ang) < 1e-9);
        }
    }
}

// m (γ cos θ + l ω²) along the rod, after a smooth step in the state it has ended with, after a velocity step
// in that it began with.
TEST_CASE("multiplier reactions: a pendulum that swings") {
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(reference_pendulum(), {.formulation = "multiplier", .stepping = stepping});
        JointState<double> state = sim.state();
        state.q[0] = 1.2;
        sim.set_state(state);
        for (int k = 0; k < 50; ++k) {
            const JointState<double> before = sim.state();
            step_ok(sim, 0.001);
            const JointState<double>& at = stepping == Stepping::velocity ? before : sim.state();
            const double angle = at.q[0], pull = gravity * std::cos(angle) + at.v[0] * at.v[0];
            const Force<double> reaction = joint_reactions(sim)[1];
            CHECK(largest(reaction.lin - pull * Vec3d{-std::sin(angle), 0, std::cos(angle)}) < 1e-8);
            CHECK(largest(reaction.ang) < 1e-8);
        }
    }
}

TEST_CASE("multiplier reactions: as those of reduced in the same state, smooth and by velocity steps") {
    Random random(131);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        Scene scene =
            random_scene(random, {.bodies = 2 + trial % 8, .compound = 0, .springs = trial % 2 == 1});
        const auto model = compile(scene);
        JointState<double> state = random_state(random, *model, 1, 1);
        for (const bool smooth : {true, false}) {
            CAPTURE(smooth);
            // So short that states after it are the same; or so slow that velocity steps damp nothing.
            const double dt = smooth ? 1e-9 : 1e-3;
            if (!smooth)
                for (double& v : state.v) v *= 1e-4;
            std::vector<Force<double>> both[2];
            for (const bool bodies : {false, true}) {
                Simulation sim(model,
                               {.formulation = bodies ? "multiplier" : "reduced",
                                .stepping = smooth ? Stepping::smooth : Stepping::velocity,
                                .integrator = smooth ? SmoothIntegrator::rk4 : SmoothIntegrator::automatic});
                sim.set_state(state);
                step_ok(sim, dt);
                both[bodies] = joint_reactions(sim);
            }
            Difference d;
            d.add(both[1], both[0]);
            CHECK(d.worst <= 1e-8 * d.size);
        }
    }
}

// Loops whose rows are independent: their forces are unique.
TEST_CASE("multiplier reactions: of loops as those of reduced") {
    {
        const auto model = compile(pinned_chain_scene(6, 0.3, 1, 1.2, true));
        JointState<double> state(*model);
        const double angle = std::acos(1.2 / 1.8);
        state.q[0] = std::cos(0.5 * angle);
        state.q[2] = std::sin(0.5 * angle);
        state.q[12] = std::cos(angle);
        state.q[14] = -std::sin(angle);
        for (int k = 0; k < model->nv; ++k) state.v[k] = 0.1 * ((k * 3) % 5 - 2);
        SmoothDynamics closing_loops(model);
        REQUIRE(closing_loops.close_equalities(state).closed);
        for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
            CAPTURE(loops == EqualityMethod::direct);
            Difference d;
            std::vector<Force<double>> at_joints[2], at_loops[2];
            for (const bool bodies : {false, true}) {
                Simulation sim(model,
                               {.formulation = bodies ? "multiplier" : "reduced",
                                .stepping = Stepping::smooth,
                                .integrator = SmoothIntegrator::rk4,
                                .multiplier = {.equalities = bodies ? loops : EqualityMethod::direct}});
                sim.set_state(state);
                step_ok(sim, 1e-9);
                at_joints[bodies] = joint_reactions(sim);
                at_loops[bodies] = loop_reactions(sim);
            }
            d.add(at_joints[1], at_joints[0]);
            d.add(at_loops[1], at_loops[0]);
            CHECK(d.size > 3);
            CHECK(d.worst <= 1e-8 * d.size);
        }
    }
}

// 4 kg with the centre half a metre off hang on a weld to the world, stated from either side.
TEST_CASE("multiplier reactions: a weight that hangs on a loop") {
    for (const bool world_first : {true, false})
        for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
            Scene scene;
            const BodyId body = scene.add_body(
                world,
                {.name = "body", .inertial = InertialSpec{4, {{0.5, 0, 0}}, Sym3d::diagonal(1, 1, 1), {}}});
            scene.add_joint(body, {.name = "root", .type = JointType::free});
            scene.add_loop({.name = "weld",
                            .type = JointType::fixed,
                            .body_a = world_first ? world : body,
                            .body_b = world_first ? body : world,
                            .frame_a = {{0, 0, 0.3}},
                            .frame_b = {{0, 0, 0.3}}});
            Simulation sim(compile(scene),
                           {.formulation = "multiplier", .multiplier = {.equalities = loops}});
            run(sim, 0.02, 0.01);
            const double sign = world_first ? 1 : -1;
            CHECK(largest(loop_reactions(sim)[0].lin - Vec3d{0, 0, sign * 4 * gravity}) < 1e-8);
            CHECK(largest(loop_reactions(sim)[0].ang - Vec3d{0, -sign * 4 * gravity * 0.5, 0}) < 1e-8);
            CHECK(largest(joint_reactions(sim)[1]) < 1e-8);
        }
}

// A free joint transmits nothing, whatever happens elsewhere: only if all forces are counted is the sum zero.
TEST_CASE("multiplier reactions: roots that are free") {
    struct Case {
        std::shared_ptr<const Model> model;
        double dt;
        int steps;
    };
    for (const Case& c : {Case{character(), 1.0 / 60, 60}, Case{model_of(walker), 0.005, 150}}) {
        Simulation sim(c.model, {.formulation = "multiplier"});
        for (double& u : sim.inputs().ctrl) u = 0.3;
        sim.inputs().xfrc_applied[2] = {{0, 0.3, 0}, {2, 0, 1}};
        double most = 0, largest_joint = 0;
        for (int k = 0; k < c.steps; ++k) {
            REQUIRE(was_taken(sim.step(c.dt)));
            const std::vector<Force<double>> reactions = joint_reactions(sim);
            most = std::max(most, largest(reactions[1]));
            for (const Force<double>& reaction : reactions)
                largest_joint = std::max(largest_joint, largest(reaction));
        }
        CHECK(largest_joint > 50);
        CHECK(most < 1e-10 * largest_joint * double(sim.model().bodies.size()));
    }
}
