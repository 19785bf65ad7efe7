// Springs and dampers between two bodies: closed forms, what they keep, slopes of their forces.

#include "dynamics/bushing_force.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

const char* const formulations[] = {"reduced", "multiplier"};

BodyId add_free(Scene& scene, const char* name, const Vec3d& pos, double mass, const Vec3d& moments,
                const Vec3d& com = {0, 0, 0}) {
    const InertialSpec inertial{mass, {com}, Sym3d::diagonal(moments.x, moments.y, moments.z), {}};
    const BodyId body = scene.add_body(world, {.name = name, .pose = {pos}, .inertial = inertial});
    scene.add_joint(body, {.name = name, .type = JointType::free});
    return body;
}

// Two bodies adrift, tied by an anisotropic bushing off their centres, at an angle to everything.
Scene free_pair(double damping = 0) {
    Scene scene("pair");
    scene.options.gravity = {0, 0, 0};
    const BodyId a = add_free(scene, "a", {0, 0, 0}, 2, {0.3, 0.4, 0.5}, {0.05, -0.02, 0.03});
    const BodyId b = add_free(scene, "b", {0.6, 0.2, -0.1}, 1, {0.1, 0.12, 0.15}, {-0.04, 0.01, 0.02});
    scene.add_bushing({.name = "tie",
                       .body_a = a,
                       .body_b = b,
                       .frame_a = {{0.3, 0.1, 0}, {0.9, 0.1, -0.3, 0.2}},
                       .frame_b = {{-0.25, -0.1, 0.1}, {0.8, -0.2, 0.3, 0.1}},
                       .stiffness = {40, 90, 160},
                       .damping = damping * Vec3d{1, 2, 3},
                       .turn_stiffness = {2, 5, 9},
                       .turn_damping = damping * Vec3d{0.1, 0.3, 0.2}});
    return scene;
}

JointState<double> stirred(const Model& model, int seed) {
    Random random(seed);
    JointState<double> state(model);
    for (const Model::Joint& joint : model.joints) {
        const Quatd turn = random_rotation(random, 0.8);
        const Vec3d p = random_vec(random, 0.1);
        for (int k = 0; k < 3; ++k) state.q[joint.q_adr + k] = model.q0[joint.q_adr + k] + p[k];
        state.q[joint.q_adr + 3] = turn.w;
        state.q[joint.q_adr + 4] = turn.x;
        state.q[joint.q_adr + 5] = turn.y;
        state.q[joint.q_adr + 6] = turn.z;
        for (int k = 0; k < 6; ++k) state.v[joint.v_adr + k] = random.uniform(-1, 1);
    }
    return state;
}

// A body on a bushing to the world, at its centre of mass.
Scene hung(BushingSpec bushing, const Vec3d& gravity = {0, 0, 0}) {
    Scene scene("hung");
    scene.options.gravity = gravity;
    bushing.body_a = world;
    bushing.body_b = add_free(scene, "bob", {0, 0, 0}, 3, {0.2, 0.3, 0.4});
    scene.add_bushing(bushing);
    return scene;
}

}  // namespace

// Without motion the spring carries the weight: K p = m g along the axes of F.
TEST_CASE("a weight on a bushing comes to rest where the springs carry it") {
    const Vec3d k{200, 500, 900}, g{3, -2, -9.81};
    for (const char* formulation : formulations) {
        Simulation sim(compile(hung({.stiffness = k,
                                     .damping = {40, 60, 80},
                                     .turn_stiffness = {5, 5, 5},
                                     .turn_damping = {1, 1, 1}},
                                    g)),
                       {.formulation = formulation});
        run(sim, 10);
        const Vec3d p = position_of(sim, "bob");
        for (int axis = 0; axis < 3; ++axis)
            CHECK(p[axis] == doctest::Approx(3 * g[axis] / k[axis]).epsilon(1e-6));
        CHECK(length(velocity_of(sim, "bob")) < 1e-6);
    }
}

// Along and about each axis by itself: x = a cos ωt with ω² = k/m, φ = a cos ωt with ω² = k_t/I, for large
// angles too.
TEST_CASE("a body on a bushing oscillates at the frequencies of its springs") {
    const Vec3d k{200, 500, 900}, turn{5, 8, 11}, moments{0.2, 0.3, 0.4};
    const auto model = compile(hung({.stiffness = k, .turn_stiffness = turn}));
    for (const char* formulation : formulations)
        for (int axis = 0; axis < 3; ++axis) {
            Simulation sim(
                model,
                {.formulation = formulation, .integrator = SmoothIntegrator::rk45, .tolerance = 1e-11});
            JointState<double> state = sim.state();
            Vec3d e{0, 0, 0};
            e[axis] = 1.5;
            const Quatd r = rotation_exp(e);
            state.q = {0, 0, 0, r.w, r.x, r.y, r.z};
            state.q[axis] = 0.3;
            sim.set_state(state);
            const double omega = std::sqrt(k[axis] / 3), turning = std::sqrt(turn[axis] / moments[axis]);
            double worst = 0;
            run(sim, 1, frame, [&](const StepReport& report) {
                const double* q = sim.state().q.data();
                const Vec3d turned = rotation_log(Quatd{q[3], q[4], q[5], q[6]});
                worst = std::max({worst, std::abs(q[axis] - 0.3 * std::cos(omega * report.time)),
                                  std::abs(turned[axis] - 1.5 * std::cos(turning * report.time))});
            });
            CAPTURE(std::string(formulation));
            CAPTURE(axis);
            CHECK(worst < 1e-7);
        }
}

// A step of an amplitude decays as e^(−ζωt) for ζ < 1; critically damped as (1 + ωt) e^(−ωt).
TEST_CASE("frequency and damping ratio give stiffness and damping of the two bodies") {
    BushingSpec tuned{.frequency = 2.0, .turn_frequency = 3.0, .damping_ratio = 0.25};
    const auto model = compile(hung(tuned));
    const Model::Bushing& bushing = model->bushings[0];
    const double omega = 4 * std::numbers::pi, turning = 6 * std::numbers::pi;
    const Vec3d moments{0.2, 0.3, 0.4};
    for (int k = 0; k < 3; ++k) {
        CHECK(bushing.stiffness[k] == doctest::Approx(3 * omega * omega).epsilon(1e-12));
        CHECK(bushing.damping[k] == doctest::Approx(0.5 * 3 * omega).epsilon(1e-12));
        CHECK(bushing.turn_stiffness[k] == doctest::Approx(moments[k] * turning * turning).epsilon(1e-12));
        CHECK(bushing.turn_damping[k] == doctest::Approx(0.5 * moments[k] * turning).epsilon(1e-12));
    }

    // Two bodies: reduced mass, and inertias about the axes of F, here turned by a quarter about z.
    Scene pair("pair");
    const BodyId a = add_free(pair, "a", {0, 0, 0}, 2, {0.3, 0.4, 0.5}, {1, 2, 3});
    const BodyId b = add_free(pair, "b", {1, 0, 0}, 6, {0.2, 0.6, 0.9}, {-1, 0, 0});
    const Quatd quarter = rotation_exp(Vec3d{0, 0, std::numbers::pi / 2});
    pair.add_bushing(
        {.body_a = a, .body_b = b, .frame_a = {{1, 1, 1}, quarter}, .frequency = 2.0, .turn_frequency = 3.0});
    const auto both = compile(pair);
    const double mass = 1 / (1.0 / 2 + 1.0 / 6);
    const Vec3d turn{1 / (1 / 0.4 + 1 / 0.6), 1 / (1 / 0.3 + 1 / 0.2), 1 / (1 / 0.5 + 1 / 0.9)};
    for (int k = 0; k < 3; ++k) {
        CHECK(both->bushings[0].stiffness[k] == doctest::Approx(mass * omega * omega).epsilon(1e-12));
        CHECK(both->bushings[0].damping[k] == doctest::Approx(2 * mass * omega).epsilon(1e-12));
        CHECK(both->bushings[0].turn_stiffness[k] ==
              doctest::Approx(turn[k] * turning * turning).epsilon(1e-12));
    }
}

TEST_CASE("a pair tied by an anisotropic bushing keeps its momentum and energy") {
    const auto model = compile(free_pair());
    for (const char* formulation : formulations) {
        Simulation sim(
            model, {.formulation = formulation, .integrator = SmoothIntegrator::rk45, .tolerance = 1e-10});
        sim.set_state(stirred(*model, 3));
        Workspace<double> ws(model);
        const auto moment = [&] {
            forward_kinematics(sim.state(), ws);
            // About the world's origin.
            return shift_back(momentum(ws), center_of_mass(ws));
        };
        const Force<double> start = moment();
        const double energy = total(sim.energy());
        double off = 0, gained = 0;
        run(sim, 4, frame, [&](const StepReport&) {
            off = std::max(off, largest(moment() - start));
            gained = std::max(gained, std::abs(total(sim.energy()) - energy));
        });
        CAPTURE(std::string(formulation));
        MESSAGE("free pair, 4 s, " << std::string(formulation) << ": momentum off by " << off
                                   << ", energy by " << gained << " of " << energy);
        // Momentum is not corrected towards anything: the integrator's error alone.
        CHECK(off < 1e-8);
        CHECK(gained < 1e-7 * energy);
    }
}

// ∂V/∂t = −power of the springs; dampers only take.
TEST_CASE("the power of a bushing is what its energy loses and its dampers take") {
    for (const double damping : {0.0, 3.0})
        for (int seed = 1; seed < 20; ++seed) {
            const auto model = compile(free_pair(damping));
            Workspace<double> ws(model);
            const JointState<double> state = stirred(*model, seed);
            const auto potential = [&](double t) {
                JointState<double> moved = state;
                integrate<double>(ws, state.q, state.v, t, moved.q);
                forward_kinematics(moved, ws);
                return bushing_energy(ws);
            };
            const double h = 1e-4;
            const double rate =
                (8 * (potential(h) - potential(-h)) - (potential(2 * h) - potential(-2 * h))) / (12 * h);
            forward_kinematics(state, ws);
            clear_external(ws);
            add_bushing_forces(ws);
            double power = 0;
            for (std::size_t i = 0; i < ws.poses.size(); ++i) power += dot(ws.f_ext[i], ws.poses[i].V_WL);
            if (damping == 0)
                CHECK(std::abs(power + rate) < 1e-9 * (1 + std::abs(rate)));
            else
                CHECK(power + rate < -0.1);
            // What it does to B is read out, too: at M's origin, and so in A's share.
            const Force<double> on_b = bushing_wrench(ws, 0);
            CHECK(largest(on_b.lin - ws.f_ext[1].lin) < 1e-12 * (1 + largest(on_b)));
            CHECK(largest(on_b.lin + ws.f_ext[0].lin) < 1e-12 * (1 + largest(on_b)));
        }
}

// A kinematic body drags what is tied to it: where both move as one there is no force, and what B lags behind
// is damped in the axes of F.
TEST_CASE("a bushing to a kinematic body sees its motion") {
    Scene scene("dragged");
    scene.options.gravity = {0, 0, 0};
    const BodyId hand = scene.add_body(world, {.name = "hand", .kinematic = true});
    const BodyId body = add_free(scene, "a", {0, 0, 0}, 1, {1, 1, 1});
    scene.add_bushing({.body_a = hand,
                       .body_b = body,
                       .frame_a = {{0.2, 0, 0.1}},
                       .frame_b = {{0.2, 0, 0.1}},
                       .stiffness = {10, 20, 30},
                       .damping = {1, 2, 3},
                       .turn_stiffness = {4, 5, 6},
                       .turn_damping = {7, 8, 9}});
    const auto model = compile(scene);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    const Quatd turn = rotation_exp(Vec3d{0.5, -1, 0.7});
    const Mat3d R = rotation_matrix(turn);
    const Vec3d p{0.3, 0.4, -0.2}, v{1, -2, 0.5}, w{0.3, 0.8, -1.1};
    state.q = {p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z};
    const Vec3d own = transpose_mul(R, w);
    state.v = {v.x, v.y, v.z, own.x, own.y, own.z};
    state.kinematic[0] = {p, turn, {w, v}, Motion<double>::zero()};
    forward_kinematics(state, ws);
    CHECK(largest(bushing_wrench(ws, 0)) < 1e-14);

    const Vec3d faster{0.2, 0.1, -0.3}, spin{-0.1, 0.4, 0.2};
    state.kinematic[0].velocity = {w + spin, v + faster};
    forward_kinematics(state, ws);
    const Force<double> pull = bushing_wrench(ws, 0);
    const Vec3d slip = transpose_mul(R, faster + cross(spin, R * Vec3d{0.2, 0, 0.1}));
    const Vec3d turning = transpose_mul(R, spin);
    CHECK(largest(pull.lin - R * Vec3d{slip.x, 2 * slip.y, 3 * slip.z}) < 1e-14);
    CHECK(largest(pull.ang - R * Vec3d{7 * turning.x, 8 * turning.y, 9 * turning.z}) < 1e-14);
    // Only the body yields.
    clear_external(ws);
    add_bushing_forces(ws);
    REQUIRE(ws.f_ext.size() == 1);
    CHECK(largest(ws.f_ext[0].lin - pull.lin) < 1e-15);
}

TEST_CASE("lanes give the bits of the scalar") {
    const auto model = compile(free_pair(1));
    Workspace<double> ws(model);
    Workspace<Lanes4d> wide(model);
    JointState<Lanes4d> lanes(*model);
    std::array<std::vector<Force<double>>, 4> forces;
    std::array<double, 4> energies;
    for (int lane = 0; lane < 4; ++lane) {
        const JointState<double> state = stirred(*model, 40 + lane);
        for (int k = 0; k < model->nq; ++k) set_lane(lanes.q[k], lane, state.q[k]);
        for (int k = 0; k < model->nv; ++k) set_lane(lanes.v[k], lane, state.v[k]);
        forward_kinematics(state, ws);
        clear_external(ws);
        add_bushing_forces(ws);
        forces[lane].assign(ws.f_ext.begin(), ws.f_ext.end());
        energies[lane] = bushing_energy(ws);
    }
    forward_kinematics(lanes, wide);
    clear_external(wide);
    add_bushing_forces(wide);
    const Lanes4d energy = bushing_energy(wide);
    for (int lane = 0; lane < 4; ++lane) {
        CHECK(get_lane(energy, lane) == energies[lane]);
        for (std::size_t i = 0; i < forces[lane].size(); ++i)
            for (int k = 0; k < 3; ++k) {
                CHECK(get_lane(wide.f_ext[i].lin[k], lane) == forces[lane][i].lin[k]);
                CHECK(get_lane(wide.f_ext[i].ang[k], lane) == forces[lane][i].ang[k]);
            }
    }
}

TEST_CASE("the switches for springs and dampers hold for bushings, and inactive ones do nothing") {
    Scene scene = free_pair(1);
    const auto forces = [&] {
        const auto model = compile(scene);
        Workspace<double> ws(model);
        JointState<double> state = stirred(*model, 2);
        forward_kinematics(state, ws);
        return std::pair{bushing_wrench(ws, 0), bushing_energy(ws)};
    };
    const auto [all, stored] = forces();
    scene.options.enabled.damper = false;
    const auto [spring, same] = forces();
    scene.options.enabled = {.spring = false};
    const auto [damper, none] = forces();
    CHECK(largest(all - spring - damper) < 1e-13 * largest(all));
    CHECK(largest(damper) > 0.1);
    CHECK(same == stored);
    CHECK(stored > 0);
    CHECK(none == 0);

    Scene idle("idle");
    const BodyId body = add_free(idle, "a", {1, 0, 0}, 1, {1, 1, 1});
    idle.add_bushing({.body_a = world, .body_b = body, .stiffness = {1, 1, 1}, .active = false});
    const auto model = compile(idle);
    CHECK_FALSE(has_bushings(*model));
    Workspace<double> ws(model);
    forward_kinematics(JointState<double>(*model), ws);
    CHECK(bushing_energy(ws) == 0);
    CHECK(largest(bushing_wrench(ws, 0)) == 0);
}

TEST_CASE("bushings that cannot be are refused, idle ones are named") {
    const auto messages = [](auto change) {
        BushingSpec spec{.name = "t", .stiffness = {1, 1, 1}};
        change(spec);
        Diagnostics log;
        try {
            compile(hung(spec), log);
        } catch (const InputError&) {
        }
        REQUIRE(log.all().size() == 1);
        return log.all()[0].to_string();
    };
    const auto refused = [&](auto change, const char* part) {
        const std::string text = messages(change);
        CAPTURE(text);
        CHECK(text.find("E171") != std::string::npos);
        CHECK(text.find(part) != std::string::npos);
        CHECK(text.find("'t'") != std::string::npos);
    };
    refused([](BushingSpec& b) { b.stiffness.y = -1; }, "stiffness is -1");
    refused([](BushingSpec& b) { b.damping.z = std::nan(""); }, "damping is");
    refused([](BushingSpec& b) { b.turn_stiffness.x = INFINITY; }, "turn stiffness is");
    refused([](BushingSpec& b) { b.turn_damping.x = -2; }, "turn damping is");
    refused([](BushingSpec& b) { b.frequency = 1; }, "both a frequency");
    refused([](BushingSpec& b) { b.turn_frequency = 0; }, "turn frequency is");
    refused([](BushingSpec& b) { b.damping_ratio = 1; }, "no frequency");
    refused([](BushingSpec& b) { b = {.name = "t", .frequency = 1.0, .damping_ratio = -1.0}; },
            "damping ratio is");
    CHECK(messages([](BushingSpec& b) { b.frame_b.quat = {0, 0, 0, 0}; }).find("E031") != std::string::npos);
    CHECK(messages([](BushingSpec& b) { b.stiffness = {0, 0, 0}; }).find("W172") != std::string::npos);

    // Two that cannot move, and a frequency of bodies without inertia.
    Scene scene("idle");
    scene.add_bushing({.name = "t", .body_a = world, .body_b = world, .frequency = 1.0});
    Diagnostics log;
    compile(scene, log);
    REQUIRE(log.all().size() == 1);
    CHECK(log.all()[0].to_string().find("W172") != std::string::npos);
}
