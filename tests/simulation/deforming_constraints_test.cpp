// Bodies that deform under constraints that are more than loops and pairs: with a range of forces, on any
// number of bodies, of a whole subtree; in the three formulations that have such bodies.

#include "formulations/maximal/body_dynamics.h"
#include "support/allocating_steps.h"
#include "support/deforming_scenes.h"

#include <ligament/function_constraint.h>
#include <ligament/pair_kinds.h>

using namespace lig;
using namespace lig::test;

namespace {

constexpr const char* formulations[] = {"multiplier", "implicit", "impulse"};

SimulationOptions options_of(const std::string& formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    if (formulation == "implicit") options.touching = Touching::hard;
    return options;
}

struct Totals {
    double energy;
    Force<double> momentum;  // about the world's origin
};
Totals totals(const Simulation& sim, const std::shared_ptr<const Model>& model) {
    Workspace<double> ws(model);
    forward_kinematics(sim.state(), ws);
    return {total(energy(sim.state(), ws)), shift_back(momentum(ws), center_of_mass(ws))};
}
double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

// A rigid box in place of a jelly.
BodyId add_box(Scene& scene, const std::string& name, const Pose& pose, const Vec3d& half) {
    const BodyId body = scene.add_body(world, {.name = name, .pose = pose});
    scene.add_joint(body, {.name = name, .type = JointType::free, .align = true});
    scene.add_geom(body, {.shape = ShapeType::box,
                          .size = half,
                          .density = 100,
                          .contype = 0,
                          .conaffinity = 0});
    return body;
}

// A distance as a constraint between any number of bodies.
std::shared_ptr<const GroupConstraint> distance_of_two(double length) {
    return holonomic_group<2>([length](const auto& X, const auto&) {
        const auto d = X[1].p - X[0].p;
        return sqrt(dot(d, d)) - length;
    });
}

enum class Held {
    pair,
    group
};
// Two bodies tied to each other at corners; the first one hangs on a ball.
std::shared_ptr<const Model> tied(BodyKind kind, Held held, const Range& force = {}) {
    Scene scene;
    const BodyId a = add_jelly(scene, "a", {{0.5, 0, 0}}, {.kind = kind});
    const BodyId b =
        add_jelly(scene, "b", {{1.9, 0.1, 0}}, {.kind = BodyKind::affine, .half = {0.5, 0.2, 0.2}});
    scene.add_loop({.name = "hook", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
    const Pose on_a{{0.5, 0.2, 0.1}}, on_b{{-0.5, 0.2, -0.2}};
    const Vec3d between = Vec3d{1.4, 0.3, -0.2} - Vec3d{1, 0.2, 0.1};
    const double length = std::sqrt(dot(between, between));
    if (held == Held::pair)
        scene.add_constraint({.name = "rod",
                              .body_a = a,
                              .body_b = b,
                              .frame_a = on_a,
                              .frame_b = on_b,
                              .constraint = std::make_shared<DistanceConstraint>(length),
                              .force = force});
    else
        scene.add_group_constraint({.name = "rod",
                                    .bodies = {a, b},
                                    .frames = {on_a, on_b},
                                    .constraint = distance_of_two(length),
                                    .force = force});
    return compile(scene);
}

// Four corners of bodies of all kinds, which keep the volume between them.
std::shared_ptr<const Model> volume_of_four() {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const Vec3d half{0.3, 0.2, 0.1};
    const BodyId bodies[] = {add_jelly(scene, "a", {{0, 0, 0}}, {.kind = BodyKind::affine, .half = half}),
                             add_jelly(scene, "b", {{1, 0, 0}}, {.kind = BodyKind::stretching, .half = half}),
                             add_jelly(scene, "c", {{0, 1, 0}}, {.kind = BodyKind::scaling, .half = half}),
                             add_box(scene, "d", {{0, 0, 1}}, half)};
    GroupConstraintSpec group{.name = "volume",
                              .bodies = {std::begin(bodies), std::end(bodies)},
                              .frames = {Pose{{0.3, 0.2, 0.1}}, Pose{{0.3, 0.2, -0.1}},
                                         Pose{{0.3, -0.2, 0.1}}, Pose{{0.1, 0.2, 0.1}}}};
    const Vec3d p[] = {{0.3, 0.2, 0.1}, {1.3, 0.2, -0.1}, {0.3, 0.8, 0.1}, {0.1, 0.2, 1.1}};
    const double begin = dot(p[1] - p[0], cross(p[2] - p[0], p[3] - p[0]));
    group.constraint = holonomic_group<4>([begin](const auto& X, const auto&) {
        return dot(X[1].p - X[0].p, cross(X[2].p - X[0].p, X[3].p - X[0].p)) - begin;
    });
    scene.add_group_constraint(group);
    return compile(scene);
}

// A jelly and a box on a ball; the angular momentum of all is held at a target.
std::shared_ptr<const Model> held_angular_momentum(BodyKind kind, const Vec3d& target) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId a = add_jelly(scene, "a", {{0.5, 0, 0}}, {.kind = kind});
    const BodyId b = add_box(scene, "b", {{1.3, 0, 0}}, {0.3, 0.1, 0.2});
    scene.add_loop({.name = "knee",
                    .body_a = a,
                    .body_b = b,
                    .frame_a = {{0.5, 0.1, 0}},
                    .frame_b = {{-0.3, 0.1, 0}}});
    scene.add_subtree_constraint(
        {.name = "held", .body = world, .quantity = SubtreeQuantity::angular_momentum, .target = target});
    return compile(scene);
}

// A state in which everything moves, and what accelerates it.
JointState<double> moving_state(const Model& model) {
    JointState<double> state(model);
    for (int k = 0; k < model.nv; ++k) state.v[k] = 0.7 * std::sin(1.0 + k);
    return state;
}
std::vector<double> accelerations_of(const std::shared_ptr<const Model>& model,
                                     const JointState<double>& state, const Force<double>& on_last = {}) {
    SmoothDynamics inputs(model);
    inputs.xfrc_applied.back() = on_last;
    maximal::BodyDynamics bodies(model, EqualityMethod::direct);
    std::vector<double> qacc(model->nv);
    REQUIRE(bodies.accelerate(inputs, state, qacc).bad_link < 0);
    return qacc;
}

void spin(Simulation& sim) {
    const char* names[] = {"a", "b", "c", "d"};
    for (int k = 0; k < 4; ++k)
        set_velocity(sim, {0.3 * k, 0.2 - 0.1 * k, 0.1}, {1.0 - k, 0.5 * k, 0.7}, names[k]);
}

}  // namespace

TEST_CASE("deforming groups: a distance between any number of bodies is that between two") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        for (const Range& force : {Range{}, Range{.upper = 0}}) {
            const auto end = [&](const char* formulation, Held held, double dt) {
                SimulationOptions options = options_of(formulation);
                options.impulse.substeps = std::string(formulation) == "impulse" ? 1 : 0;
                Simulation sim(tied(kind, held, force), options);
                run(sim, 0.2, dt);
                return sim.state().q;
            };
            for (const char* formulation : {"multiplier", "implicit"}) {
                CAPTURE(std::string(formulation));
                CHECK(largest_difference(end(formulation, Held::pair, 1e-3),
                                         end(formulation, Held::group, 1e-3)) < 1e-9);
            }
            // Pairs follow the turning of their bodies within a sub-step there, groups do not.
            const double coarse = largest_difference(end("impulse", Held::pair, 4e-4),
                                                     end("impulse", Held::group, 4e-4));
            const double fine = largest_difference(end("impulse", Held::pair, 2e-4),
                                                   end("impulse", Held::group, 2e-4));
            CHECK(coarse < 2e-3);
            CHECK(fine < 0.6 * coarse + 1e-9);
        }
    }
}

TEST_CASE("deforming groups: accelerations of moving bodies are those of a pair") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const auto pair = tied(kind, Held::pair), group = tied(kind, Held::group);
        const std::vector<double> by_pair = accelerations_of(pair, moving_state(*pair));
        CHECK(largest_difference(by_pair, accelerations_of(group, moving_state(*group))) < 1e-9);
    }
}

TEST_CASE("deforming groups: bodies of all kinds keep the volume between them, their momenta and energy") {
    const auto model = volume_of_four();
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        Simulation sim(model, options_of(formulation));
        spin(sim);
        step_ok(sim, 1e-4);  // puts velocities onto the constraint
        const Totals begin = totals(sim, model);
        run(sim, 1, 1e-3, [&](const StepReport& report) {
            CHECK(report.equality_error < (std::string(formulation) == "impulse" ? 1e-5 : 1e-9));
        });
        const Totals now = totals(sim, model);
        CHECK(far(now.momentum.lin, begin.momentum.lin) < 1e-10);
        // RATTLE keeps it to rounding, velocity steps to first order; what corrections move, moves.
        const double kept = std::string(formulation) == "implicit"  ? 0.02
                            : std::string(formulation) == "impulse" ? 1e-5
                                                                    : 1e-9;
        CHECK(far(now.momentum.ang, begin.momentum.ang) < kept);
        if (std::string(formulation) == "multiplier")
            CHECK(std::abs(now.energy - begin.energy) < 1e-3 * begin.energy);
    }
}

TEST_CASE("deforming groups: Runge-Kutta keeps energy and constraint, so rows and their products fit") {
    const auto model = volume_of_four();
    Simulation sim(model, {.formulation = "multiplier",
                           .stepping = Stepping::smooth,
                           .integrator = SmoothIntegrator::rk45,
                           .tolerance = 1e-11});
    spin(sim);
    step_ok(sim, 1e-6);
    const double begin = totals(sim, model).energy;
    run(sim, 0.3, 0.01);
    CHECK(std::abs(totals(sim, model).energy - begin) < 1e-8 * begin);
}

TEST_CASE("deforming bounds: a motor of limited strength gives a body all the momentum it has") {
    for (const BodyKind kind : deforming_kinds)
        for (const char* formulation : formulations) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(formulation));
            Scene scene;
            scene.options.gravity = {0, 0, 0};
            const BodyId body = add_jelly(scene, "jelly", {{0, 0, 0}}, {.kind = kind});
            // It pulls a corner to a plane far away.
            scene.add_constraint({.name = "winch",
                                  .body_a = world,
                                  .body_b = body,
                                  .frame_a = {{0, 0, 100}},
                                  .frame_b = {{0.5, 0.3, 0.2}},
                                  .constraint = std::make_shared<PointOnPlaneConstraint>(0.0),
                                  .force = {-5, 5}});
            const auto model = compile(scene);
            Simulation sim(model, options_of(formulation));
            run(sim, 0.3, 1e-3);
            CHECK(far(totals(sim, model).momentum.lin, {0, 0, 1.5}) < 1e-9);
            std::vector<Force<double>> reaction(1);
            sim.pair_reactions(reaction);
            CHECK(reaction[0].lin.z == doctest::Approx(5).epsilon(1e-9));
            // It is stretched along the pull, but for what can only grow as a whole.
            const double* s = sim.state().q.data() + model->tree.stretches[0].q_adr;
            CHECK(s[kind == BodyKind::scaling ? 0 : 2] > 1);
        }
}

TEST_CASE("deforming bounds: a jelly that drops on a rope hangs as far down as Hooke says") {
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        Scene scene;
        const BodyId bar =
            add_jelly(scene, "bar", {{0, 0, -0.9}},
                      {.half = {0.2, 0.2, 0.5}, .young = 1e4, .poisson = 0.3, .damping = 0.05});
        scene.add_constraint({.name = "rope",
                              .body_a = world,
                              .body_b = bar,
                              .frame_b = {{0, 0, 0.5}},
                              .constraint = std::make_shared<DistanceConstraint>(0.5),
                              .force = {.upper = 0}});
        const auto model = compile(scene);
        const double weight = model->bodies[1].mass * gravity, stress = 0.5 * weight / (0.4 * 0.4);
        Simulation sim(model, options_of(formulation));
        run(sim, 0.1, 5e-3);  // the rope is slack
        CHECK(std::abs(velocity_of(sim, "bar").z + 0.1 * gravity) < 1e-9);
        CHECK(std::abs(sim.state().q[model->tree.stretches[0].q_adr + 2] - 1) < 1e-12);
        run(sim, 10, 5e-3);
        const double* s = sim.state().q.data() + model->tree.stretches[0].q_adr;
        CHECK(std::abs(s[2] - 1 - stress / 1e4) < 1e-5);
        CHECK(std::abs(s[0] - 1 + 0.3 * stress / 1e4) < 1e-5);
        CHECK(std::abs(position_of(sim, "bar").z + 0.5 + 0.5 * s[2]) < 2e-4);
        std::vector<Force<double>> reaction(1);
        sim.pair_reactions(reaction);
        CHECK(reaction[0].lin.z == doctest::Approx(weight).epsilon(1e-3));
    }
}

TEST_CASE("deforming subtrees: what holds the centre of mass does not stretch anything") {
    for (const BodyKind kind : deforming_kinds)
        for (const char* formulation : formulations) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(formulation));
            Scene scene;
            const BodyId body = add_jelly(scene, "jelly", {{0.1, 0.2, 0.3}}, {.kind = kind});
            scene.add_subtree_constraint({.name = "held", .body = body});
            const auto model = compile(scene);
            Simulation sim(model, options_of(formulation));
            run(sim, 0.5, 5e-3);
            CHECK(far(position_of(sim, "jelly"), {0.1, 0.2, 0.3}) < 1e-9);
            const TreeStretch& own = model->tree.stretches[0];
            for (int k = 0; k < own.count; ++k)
                CHECK(std::abs(sim.state().q[own.q_adr + k] - model->q0[own.q_adr + k]) < 1e-9);
        }
}

TEST_CASE("deforming subtrees: angular momentum is held against a moment, whatever the bodies do inside") {
    const Vec3d target{0.4, -0.2, 0.7};
    for (const BodyKind kind : deforming_kinds)
        for (const char* formulation : formulations) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(formulation));
            const auto model = held_angular_momentum(kind, target);
            Simulation sim(model, options_of(formulation));
            set_velocity(sim, {0, 0, 0}, {0.5, 0.3, -0.2}, "b");
            sim.inputs().xfrc_applied[model->find_body("b")] = {{0.5, 1, -2}, {3, 1, 2}};
            step_ok(sim, 1e-3);
            double off = 0;
            run(sim, 0.5, 1e-3, [&](const StepReport&) {
                Workspace<double> ws(model);
                forward_kinematics(sim.state(), ws);
                off = std::max(off, far(momentum(ws).ang, target));
            });
            CAPTURE(off);
            // As with rigid bodies: docs/constraints.md.
            CHECK(off < (std::string(formulation) == "multiplier" ? 1e-10 : 2e-3));
        }
}

TEST_CASE("deforming subtrees: accelerations of moving bodies change no angular momentum that is held") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const auto model = held_angular_momentum(kind, {0, 0, 0});
        const JointState<double> start = moving_state(*model);
        const std::vector<double> qacc = accelerations_of(model, start, {{0.5, 1, -2}, {3, 1, 2}});
        const auto angular = [&](double time) {
            JointState<double> state = start;
            Workspace<double> ws(model);
            std::vector<double> mean(start.v);
            for (int k = 0; k < model->nv; ++k) {
                mean[k] += 0.5 * time * qacc[k];
                state.v[k] += time * qacc[k];
            }
            integrate<double>(ws, start.q, mean, time, state.q);
            forward_kinematics(state, ws);
            return momentum(ws).ang;
        };
        constexpr double h = 1e-5;
        CHECK(far(angular(h), angular(-h)) / (2 * h) < 1e-6);
    }
}

TEST_CASE("deforming loops: the moment of a weld is about its point as it is now") {
    // A body that grows and does not turn has no moment about its centre of mass.
    Scene scene;
    const BodyId body = add_jelly(scene, "jelly", {{0.5, 0, 0}}, {.kind = BodyKind::scaling});
    scene.add_loop({.name = "weld",
                    .type = JointType::fixed,
                    .body_a = world,
                    .body_b = body,
                    .frame_a = {{0, 0.1, 0}},
                    .frame_b = {{-0.5, 0.1, 0}}});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q[model->tree.stretches[0].q_adr] = 1.3;
    state.q[0] = 0.65;
    state.q[1] = -0.03;
    SmoothDynamics inputs(model);
    maximal::BodyDynamics bodies(model, EqualityMethod::direct);
    std::vector<double> qacc(model->nv), multipliers(inputs.multipliers.size());
    REQUIRE(bodies.accelerate(inputs, state, qacc).bad_link < 0);
    bodies.write_multipliers(multipliers);
    inputs.take_multipliers(state, multipliers);
    std::vector<Force<double>> weld(1);
    inputs.loop_reactions(weld);
    const Vec3d arm{1.3 * -0.5, 1.3 * 0.1, 0};
    CHECK(weld[0].lin.z > 1);
    CHECK(far(weld[0].ang, -cross(arm, weld[0].lin)) < 1e-9);
}

TEST_CASE("deforming constraints: steps do not allocate") {
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        CHECK(allocating_again(volume_of_four(), options_of(formulation), 1e-3, 30) == 0);
        for (const Held held : {Held::pair, Held::group})
            CHECK(allocating_again(tied(BodyKind::affine, held, {.upper = 0}), options_of(formulation), 1e-3,
                                   30) == 0);
    }
}

TEST_CASE("deforming constraints: stiff bodies move as rigid ones do, in the limit") {
    // Velocity steps carry momenta on in another way where bodies deform: what differs is of first order.
    const auto end = [](double young, const char* formulation, double dt) {
        Scene scene;
        const auto add = [&](const std::string& name, const Pose& pose, const Vec3d& half) {
            return young > 0 ? add_jelly(scene, name, pose, {.half = half, .young = young, .damping = 1e-3})
                             : add_box(scene, name, pose, half);
        };
        const BodyId a = add("a", {{0.5, 0, 0}}, {0.5, 0.3, 0.2});
        const BodyId b = add("b", {{1.9, 0.1, 0}}, {0.5, 0.2, 0.2});
        scene.add_loop({.name = "hook", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
        scene.add_group_constraint({.name = "rod",
                                    .bodies = {a, b},
                                    .frames = {Pose{{0.5, 0.2, 0.1}}, Pose{{-0.5, 0.2, -0.2}}},
                                    .constraint = distance_of_two(std::sqrt(0.26))});
        scene.add_constraint({.name = "winch",
                              .body_a = world,
                              .body_b = b,
                              .frame_a = {{0, 0, 100}},
                              .frame_b = {{0.5, 0.2, 0.2}},
                              .constraint = std::make_shared<PointOnPlaneConstraint>(0.0),
                              .force = {-40, 40}});
        const auto model = compile(scene);
        Simulation sim(model, options_of(formulation));
        run(sim, 0.3, dt);
        std::vector<double> out;
        for (const char* name : {"a", "b"})
            for (const Vec3d& x : {position_of(sim, name), velocity_of(sim, name)})
                out.insert(out.end(), {x.x, x.y, x.z});
        return out;
    };
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        const double coarse = largest_difference(end(1e9, formulation, 2e-3), end(0, formulation, 2e-3)),
                     fine = largest_difference(end(1e9, formulation, 5e-4), end(0, formulation, 5e-4));
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK(coarse < 0.05);
        CHECK(fine < 0.35 * coarse);
    }
}
