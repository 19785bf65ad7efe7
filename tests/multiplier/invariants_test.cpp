// What must stay the same: momenta, joints that hold, the state on joint coordinates and on bodies, bits
// after a restore and with any number of threads.

#include "support/body_runs.h"
#include "support/loop_scenes.h"
#include "support/random_scene.h"
#include "support/simulation_cases.h"
#include "support/simulation_runs.h"

#include <functional>

using namespace lig;
using namespace lig::test;

namespace {

SimulationOptions options_with(Coordinates coordinates) {
    return {.formulation = "multiplier", .coordinates = coordinates};
}

using Case = SimulationCase;

std::vector<Case> cases() {
    std::vector<Case> out;
    out.push_back({"character", character(), 1.0 / 60, 40, 30, throw_character});
    out.push_back({"four-bar", model_of(four_bar), 0.01, 60, 60, push_four_bar});
    out.push_back({"walker", model_of(walker), 0.005, 100, 60, push_walker});
    out.push_back({"net", compile(net_scene(4)), 0.01, 30, 30});
    out.push_back({"moving table", model_of(moving_table), 0.01, 40, 40, move_table});
    return out;
}

// Of all bodies: mass times velocity, and angular momentum about the origin.
std::pair<Vec3d, Vec3d> momenta_of(const Simulation& sim, SmoothDynamics& dynamics) {
    const Model& model = sim.model();
    forward_kinematics(sim.state(), dynamics.ws);
    Vec3d p = Vec3d::zero(), L = Vec3d::zero();
    for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
        const Model::Body& body = model.bodies[b];
        const Transformd X = body_pose(dynamics.ws, b);
        const Motion<double> V = body_velocity(dynamics.ws, b);
        const Vec3d r = X * body.com, v = V.lin + cross(V.ang, r - X.p);
        p += body.mass * v;
        L += body.mass * cross(r, v) + X.R * (body.inertia * transpose_mul(X.R, V.ang));
    }
    return {p, L};
}

}  // namespace

// Springs and dampers of joints act on both sides, so they change nothing about it either.
TEST_CASE("multiplier: a floating chain keeps its momenta") {
    Random random(61);
    for (const Coordinates coordinates : {Coordinates::maximal, Coordinates::joint})
        for (const SmoothIntegrator integrator :
             {SmoothIntegrator::rattle, SmoothIntegrator::rk4, SmoothIntegrator::rk45}) {
            Scene floating;
            floating.options.gravity = {0, 0, 0};
            const BodyId root =
                floating.add_body(world, {.name = "root", .inertial = random_inertial(random)});
            floating.add_joint(root, {.name = "root", .type = JointType::free});
            BodyId parent = root;
            for (int k = 0; k < 6; ++k) {
                parent = floating.add_body(parent, {.name = "b" + std::to_string(k),
                                                    .pose = {random_vec(random, 0.4)},
                                                    .inertial = random_inertial(random)});
                const JointType types[] = {JointType::hinge, JointType::ball, JointType::universal,
                                           JointType::slide};
                floating.add_joint(parent,
                                   random_joint(random, types[k % 4], {.armature = 0, .springs = true},
                                                "j" + std::to_string(k)));
            }
            const auto model = compile(floating);
            SimulationOptions options = options_with(coordinates);
            options.integrator = integrator;
            options.stepping = Stepping::smooth;
            Simulation sim(model, options);
            sim.set_state(random_state(random, *model, 0.5, 1));
            SmoothDynamics dynamics(model);
            const auto [p0, L0] = momenta_of(sim, dynamics);
            double error = 0;
            run(sim, 2, 0.005,
                [&](const StepReport& report) { error = std::max(error, report.joint_error); });
            const auto [p, L] = momenta_of(sim, dynamics);
            CAPTURE(int(integrator));
            CAPTURE(coordinates == Coordinates::joint);
            // RATTLE keeps both to rounding and what Newton's method leaves; Runge–Kutta methods p, and L to
            // their order.
            CHECK(largest(p - p0) < 1e-9);
            CHECK(largest(L - L0) < (integrator == SmoothIntegrator::rattle ? 1e-8 : 1e-6));
            CHECK(error < 1e-10);
        }
}

// On joint coordinates joints hold by themselves; both ways make the same steps.
TEST_CASE("multiplier: coordinates of joints and of bodies agree") {
    for (const auto& [model, start] :
         {std::pair(reference_chain10(), chain10_start(*reference_chain10())),
          std::pair(reference_double_pendulum(false), JointState<double>(*reference_double_pendulum(false))),
          std::pair(reference_bricard(), JointState<double>(*reference_bricard()))}) {
        Simulation maximal(model, options_with(Coordinates::maximal)),
            joint(model, options_with(Coordinates::joint));
        JointState<double> state = start;
        if (model->nv == 2) state.q[0] = 1.5;
        maximal.set_state(state);
        joint.set_state(state);
        for (int k = 0; k < 200; ++k) {
            step_ok(maximal, 0.005);
            step_ok(joint, 0.005);
        }
        // What Newton's method leaves, 1e-12 a step, and what has become of it.
        CHECK(largest_difference(maximal.state().q, joint.state().q) < 1e-9);
        CHECK(largest_difference(maximal.state().v, joint.state().v) < 1e-8);
    }
}

TEST_CASE("multiplier: saved, restored and continued bit for bit, with any threads") {
    for (const Coordinates coordinates : {Coordinates::maximal, Coordinates::joint})
        for (const Case& c : cases()) {
            CAPTURE(c.name);
            CAPTURE(coordinates == Coordinates::joint);
            SimulationOptions options = options_with(coordinates);
            Simulation sim(c.model, options);
            c.prepare(sim);
            take_steps(sim, c.dt, c.before);
            const Snapshot saved = sim.save();
            take_steps(sim, c.dt, c.after);
            const std::vector<std::byte> end = sim.save().to_bytes();

            sim.restore(saved);
            CHECK(same_bytes(sim.save().to_bytes(), saved.to_bytes()));
            take_steps(sim, c.dt, c.after);
            CHECK(same_bytes(sim.save().to_bytes(), end));
            for (const int threads : {1, 2}) {
                CAPTURE(threads);
                options.threads = threads;
                Simulation other(c.model, options);
                other.restore(Snapshot::from_bytes(saved.to_bytes()));
                take_steps(other, c.dt, c.after);
                CHECK(same_bytes(other.save().to_bytes(), end));
            }
        }
}

TEST_CASE("multiplier: reset is the beginning, bit for bit") {
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        Simulation sim(c.model, options_with(Coordinates::maximal)),
            fresh(c.model, options_with(Coordinates::maximal));
        c.prepare(sim);
        take_steps(sim, c.dt, 20);
        sim.reset();
        CHECK(same_bits(sim, fresh));
        take_steps(sim, c.dt, 20);
        take_steps(fresh, c.dt, 20);
        CHECK(same_bits(sim, fresh));
    }
}

TEST_CASE("multiplier: asking for reactions and energies changes nothing") {
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        Simulation asked(c.model, options_with(Coordinates::maximal)),
            left_alone(c.model, options_with(Coordinates::maximal));
        std::vector<Force<double>> joints(c.model->bodies.size()), loops(c.model->loops.size());
        for (int k = 0; k < 30; ++k) {
            asked.step(c.dt);
            left_alone.step(c.dt);
            asked.joint_reactions(joints);
            asked.loop_reactions(loops);
            asked.energy();
        }
        CHECK(same_bits(asked, left_alone));
    }
}

// A snapshot of one formulation is none of another.
TEST_CASE("multiplier: snapshots of joint coordinates alone are taken over") {
    const auto model = model_of(four_bar);
    Simulation reduced(model), bodies(model, options_with(Coordinates::maximal));
    take_steps(reduced, 0.01, 20);
    bodies.set_state(reduced.state());
    CHECK(bodies.state().q == reduced.state().q);
    CHECK(step_ok(bodies, 0.01).equality_error < 1e-10);
    CHECK_THROWS_AS(reduced.restore(bodies.save()), std::invalid_argument);
}
