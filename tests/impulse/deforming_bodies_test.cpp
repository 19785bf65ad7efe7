// Bodies that deform under `impulse`: what free ones keep, any stiffness at 60 Hz, statics, and the motion
// that `multiplier` has, to first order in the sub-step.

#include "support/deforming_scenes.h"
#include "support/impulse_runs.h"

#include "joints/joint_list.h"

#include <ligament/pair_kinds.h>

using namespace lig;
using namespace lig::test;

namespace {

constexpr const char* all_solvers[] = {"split-step", "soft-step", "classic"};

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

// How far coordinates are from those of `multiplier` after some time: smooth motion there is of high order.
struct Order {
    double coarse, fine;
};
template <class Setup>
Order order_of(const std::shared_ptr<const Model>& model, double seconds, double dt, Setup setup,
               const SimulationOptions& exact = {.formulation = "multiplier",
                                                 .stepping = Stepping::smooth,
                                                 .integrator = SmoothIntegrator::rk45,
                                                 .tolerance = 1e-10},
               double exact_dt = 0.01, const char* solver = "automatic") {
    const auto end = [&](const SimulationOptions& options, double step) {
        Simulation sim(model, options);
        setup(sim);
        run(sim, seconds, step);
        return sim.state().q;
    };
    const std::vector<double> best = end(exact, exact_dt);
    const SimulationOptions own = impulse_options(1, 0, solver);
    return {largest_difference(end(own, dt), best), largest_difference(end(own, dt / 2), best)};
}

void spin_jelly(Simulation& sim) { sim.set_state(spinning(sim.model())); }
void leave(Simulation&) {}

// A box of jelly, or a rigid one, on the floor or above it.
std::shared_ptr<const Model> jelly_on_floor(BodyKind kind, double young, double height, double friction,
                                            double damping, double restitution = 0) {
    Scene scene;
    GeomSpec floor{.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}};
    floor.friction = {friction, 0, 0};
    floor.restitution = restitution;
    scene.add_geom(world, floor);
    BodySpec spec{.name = "jelly", .pose = {{0, 0, height}}, .kind = kind};
    if (kind != BodyKind::rigid) spec.elastic = {young, 0.2, damping};
    const BodyId body = scene.add_body(world, spec);
    if (kind == BodyKind::rigid) scene.add_joint(body, {.name = "jelly", .type = JointType::free});
    GeomSpec box{.name = "box", .shape = ShapeType::box, .size = {0.3, 0.3, 0.2}, .density = 100};
    box.friction = {friction, 0, 0};
    box.restitution = restitution;
    scene.add_geom(body, box);
    return compile(scene);
}

}  // namespace

TEST_CASE("impulse deforming: free bodies keep both momenta to rounding, and gain no energy") {
    for (const BodyKind kind : deforming_kinds)
        for (const char* solver : all_solvers) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(solver));
            const auto model = free_jelly(kind);
            Simulation sim(model, impulse_options(0, 0, solver));
            spin_jelly(sim);
            const Totals begin = totals(sim, model);
            double lowest = begin.energy;
            for (int k = 0; k < 600; ++k) {
                step_ok(sim, 0.002);
                const Totals now = totals(sim, model);
                CHECK(far(now.momentum.lin, begin.momentum.lin) < 1e-11);
                CHECK(far(now.momentum.ang, begin.momentum.ang) < 1e-10);
                CHECK(now.energy < lowest + 2e-3 * begin.energy);
                lowest = std::min(lowest, now.energy);
            }
        }
}

TEST_CASE("impulse deforming: a free jelly moves as it does under multiplier, to first order") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const Order order = order_of(free_jelly(kind), 0.2, 1e-4, spin_jelly);
        CAPTURE(order.coarse);
        CHECK(order.coarse < 0.02);
        CHECK(order.fine < 0.56 * order.coarse);
    }
}

TEST_CASE("impulse deforming: two limbs on balls, and a body that grows on a spring, to first order") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        const BodyId a = add_jelly(scene, "a", {{0.5, 0, 0}}, {.kind = kind});
        const BodyId b = add_jelly(scene, "b", {{1.5, 0, 0}},
                                   {.kind = BodyKind::affine, .half = {0.5, 0.2, 0.2}});
        scene.add_loop({.name = "hip", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
        scene.add_loop({.name = "knee",
                        .body_a = a,
                        .body_b = b,
                        .frame_a = {{0.5, 0.1, 0}},
                        .frame_b = {{-0.5, 0.1, 0}}});
        const Order limbs = order_of(compile(scene), 0.2, 2e-4, leave);
        CAPTURE(limbs.coarse);
        CHECK(limbs.coarse < 0.01);
        CHECK(limbs.fine < 0.56 * limbs.coarse);
    }
    Scene scene;
    const BodyId weight = scene.add_body(
        world, {.name = "weight", .inertial = InertialSpec{5, {}, Sym3d::diagonal(1, 1, 1), {}}});
    scene.add_joint(weight,
                    {.name = "spring", .type = JointType::slide, .axis = {0, 0, 1}, .stiffness = 400});
    const BodyId ball = add_jelly(scene, "ball", {{0.1, 0, -0.5}},
                                  {.kind = BodyKind::scaling, .young = 200, .damping = 0.02});
    scene.add_loop({.body_a = weight, .body_b = ball, .frame_b = {{-0.1, 0, 0.5}}});
    const Order hung = order_of(compile(scene), 0.3, 2e-4, leave);
    CAPTURE(hung.coarse);
    CHECK(hung.coarse < 0.01);
    CHECK(hung.fine < 0.56 * hung.coarse);
}

TEST_CASE("impulse deforming: a jelly that is dropped lands as it does under multiplier, to first order") {
    // It hits the floor after 0.04 s and is pressed together.
    const auto model = jelly_on_floor(BodyKind::affine, 2e4, 0.25, 0, 0.02);
    const auto drop = [](Simulation& sim) { set_velocity(sim, {0, 0, -1}, {0, 0, 0}, "jelly"); };
    const Order order = order_of(model, 0.08, 1e-3, drop, {.formulation = "multiplier"}, 2.5e-5);
    CAPTURE(order.coarse);
    CHECK(order.coarse < 0.01);
    CHECK(order.fine < 0.65 * order.coarse);
}

TEST_CASE("impulse deforming: loops of all kinds between any two kinds of bodies") {
    const BodyKind pairs[][2] = {{BodyKind::affine, BodyKind::rigid},
                                 {BodyKind::stretching, BodyKind::affine},
                                 {BodyKind::scaling, BodyKind::stretching},
                                 {BodyKind::rigid, BodyKind::scaling}};
    for (const joints::JointInfo& info : joints::joint_list) {
        if (info.type == JointType::free) continue;
        for (const auto& pair : pairs) {
            CAPTURE(info.name);
            CAPTURE(static_cast<int>(pair[0]));
            Scene scene;
            BodyId bodies[2];
            for (int k = 0; k < 2; ++k) {
                const Pose pose{{1.0 * k, 0, 0}};
                if (pair[k] == BodyKind::rigid) {
                    bodies[k] = scene.add_body(world, {.name = "rigid", .pose = pose});
                    scene.add_joint(bodies[k], {.name = "float", .type = JointType::free});
                    scene.add_geom(bodies[k], {.shape = ShapeType::box,
                                               .size = {0.5, 0.2, 0.3},
                                               .density = 100,
                                               .contype = 0,
                                               .conaffinity = 0});
                } else {
                    bodies[k] = add_jelly(scene, "b" + std::to_string(k), pose, {.kind = pair[k]});
                }
            }
            scene.add_loop({.type = info.type,
                            .body_a = bodies[0],
                            .body_b = bodies[1],
                            .frame_a = {{0.5, 0.1, 0.05}},
                            .frame_b = {{-0.5, 0.1, 0.05}},
                            .pitch = 0.1});
            scene.add_constraint({.name = "rope",
                                  .body_a = world,
                                  .body_b = bodies[1],
                                  .frame_a = {{1, 0.1, 1}},
                                  .frame_b = {{0.5, 0.1, 0}},
                                  .constraint = std::make_shared<DistanceConstraint>(std::sqrt(1.25))});
            const Order order = order_of(compile(scene), 0.1, 1e-3, leave);
            CAPTURE(order.coarse);
            CHECK(order.coarse < 0.01);
            CHECK(order.fine < 0.6 * order.coarse);
        }
    }
}

TEST_CASE("impulse deforming: a gigapascal at 60 Hz") {
    for (const BodyKind kind : deforming_kinds)
        for (const char* solver : all_solvers) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(solver));
            Scene scene;
            const BodyId bar = add_jelly(scene, "bar", {{0, 0, -0.5}},
                                         {.kind = kind, .half = {0.2, 0.2, 0.5}, .young = 1e9});
            scene.add_loop({.name = "hook", .body_a = world, .body_b = bar, .frame_b = {{0, 0, 0.5}}});
            const auto model = compile(scene);
            SimulationOptions options = usual();
            options.solver = solver;
            Simulation sim(model, options);
            set_velocity(sim, {-0.25, 0.5, 0}, {1, 0.5, 2}, "bar");  // about the hook
            run(sim, 3);
            const TreeStretch& own = model->tree.stretches[0];
            // The one sub-step of classic is 1/60 s long: what it takes its turning for changes by 2 % in it,
            // and so does what it pushes against, ½ (h ω)² = 7e-4 of its size.
            const double most = std::string(solver) == "classic" ? 2e-5 : 1e-5;
            for (int k = 0; k < own.count; ++k)
                CHECK(std::abs(sim.state().q[own.q_adr + k] - model->q0[own.q_adr + k]) < most);
        }
}

TEST_CASE("impulse deforming: a weight hangs as far down as Hooke says") {
    // Its own weight acts at its middle, half of its length below the hook.
    Scene scene;
    const BodyId bar = add_jelly(scene, "bar", {{0, 0, -0.5}},
                                 {.half = {0.2, 0.2, 0.5}, .young = 1e4, .poisson = 0.3, .damping = 0.05});
    scene.add_loop({.name = "hook", .body_a = world, .body_b = bar, .frame_b = {{0, 0, 0.5}}});
    const auto model = compile(scene);
    Simulation sim(model, usual());
    run(sim, 5);
    const double stress = 0.5 * model->bodies[1].mass * gravity / (0.4 * 0.4);
    const double* s = sim.state().q.data() + model->tree.stretches[0].q_adr;
    CHECK(std::abs(s[2] - 1 - stress / 1e4) < 1e-6);
    CHECK(std::abs(s[0] - 1 + 0.3 * stress / 1e4) < 1e-6);
    CHECK(std::abs(s[1] - s[0]) < 1e-9);
}

TEST_CASE(
    "impulse deforming: a jelly that may slide rests as low as its one strain says; a stiff one is rigid") {
    // Half of the weight, ρ g H/2, acts through its one strain; it spreads freely.
    constexpr double height = 0.4, density = 100, poisson = 0.2;
    for (const BodyKind kind : {BodyKind::affine, BodyKind::stretching})
        for (const double young : {2e4, 1e9})
            for (const char* solver : all_solvers) {
                CAPTURE(static_cast<int>(kind));
                CAPTURE(young);
                CAPTURE(std::string(solver));
                const auto model = jelly_on_floor(kind, young, 0.2, 0, young > 1e8 ? 0 : 0.05);
                SimulationOptions options = usual();
                options.solver = solver;
                Simulation sim(model, options);
                run(sim, 4);
                const double strain = density * gravity * height / (2 * young);
                const double* s = sim.state().q.data() + model->tree.stretches[0].q_adr;
                CHECK(std::abs(1 - s[2] - strain) < 1e-6 + 1e-4 * strain);
                CHECK(std::abs(s[0] - 1 - poisson * strain) < 1e-6 + 1e-4 * strain);
                CHECK(std::abs(s[1] - s[0]) < 1e-6);
                // The lower side is on the floor, within what contacts may overlap (ImpulseOptions::slop).
                const double lower = sim.state().q[2] - 0.2 * s[2];
                CHECK(lower > -options.impulse.slop - 1e-3);
                CHECK(lower < 1e-6);
                for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-3);
            }
}

TEST_CASE("impulse deforming: a stiff box bounces as a rigid one does") {
    const double fall = std::sqrt(2 * 1.0 / gravity);
    const auto apex_of = [&](BodyKind kind) {
        Simulation sim(jelly_on_floor(kind, 1e9, 1.2, 0.5, 0.01, 0.5), usual());
        double apex = 0;
        run(sim, 2 * fall, 1e-3, [&](const StepReport& report) {
            if (report.time > 1.05 * fall) apex = std::max(apex, sim.state().q[2] - 0.2);
        });
        return apex;
    };
    const double rigid = apex_of(BodyKind::rigid);
    CHECK(rigid > 0.1);
    CHECK(std::abs(apex_of(BodyKind::affine) - rigid) < 0.01);
}

TEST_CASE("impulse deforming: friction holds a jelly on a slope, and lets it slide as Coulomb says") {
    for (const double friction : {0.4, 0.1}) {
        const auto flat = jelly_on_floor(BodyKind::affine, 1e6, 0.2, friction, 0.02);
        Simulation sim(flat, usual());
        // A slope of 15 degrees: gravity is turned instead, and beginning at rest takes the sag with it.
        const double slope = std::numbers::pi / 12;
        Force<double>& pull = sim.inputs().xfrc_applied[flat->find_body("jelly")];
        const double weight = flat->bodies[1].mass * gravity;
        pull.lin = {weight * std::tan(slope), 0, 0};
        run(sim, 1, 0.005);
        const double acceleration = std::max(0.0, gravity * (std::tan(slope) - friction));
        CHECK(std::abs(velocity_of(sim, "jelly").x - acceleration) < 0.02 * (0.05 + acceleration));
    }
}

TEST_CASE("impulse deforming: applied forces act on all that a body has") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const auto model = free_jelly(kind);
        Simulation sim(model, impulse_options());
        sim.inputs().xfrc_applied[1] = {{0.3, -0.1, 0.2}, {5, 2, -1}};
        const int own = model->tree.stretches[0].v_adr;
        sim.inputs().qfrc_applied[own] = 10;
        const Totals begin = totals(sim, model);
        run(sim, 0.5, 0.005);
        const Totals now = totals(sim, model);
        CHECK(far(now.momentum.lin - begin.momentum.lin, {2.5, 1, -0.5}) < 1e-10);
        // About the world's origin, of a body that accelerates evenly from x: L = τ t + x × F t.
        const Vec3d x{0.3, -0.2, 1}, F{5, 2, -1}, torque{0.3, -0.1, 0.2};
        CHECK(far(now.momentum.ang - begin.momentum.ang, 0.5 * (torque + cross(x, F))) < 1e-9);
        CHECK(sim.state().q[model->tree.stretches[0].q_adr] > 1);
    }
}

TEST_CASE("impulse deforming: what falls makes no momentum and no energy, and comes to rest") {
    for (const char* solver : all_solvers) {
        CAPTURE(std::string(solver));
        SimulationOptions options = usual();
        options.solver = solver;
        options.momentum_ledger = true;
        const auto model = falling_jellies();
        Simulation sim(model, options);
        const double begin = totals(sim, model).energy;
        const double in_motion = 3 * 2.4 * gravity * 0.15;  // what its fall may give
        Vec3d made{0, 0, 0};
        run(sim, 1.5, 0.002, [&](const StepReport& report) {
            REQUIRE(report.momentum.measured);
            made += report.momentum.method.lin;
            CHECK(totals(sim, model).energy < begin + 0.01 * in_motion);
            if (std::string(solver) == "split-step") CHECK(report.penetration < 5e-4);
        });
        CHECK(far(made, {0, 0, 0}) < 1e-9);
        for (const double v : sim.state().v) CHECK(std::abs(v) < 0.05);
    }
}

TEST_CASE("impulse deforming: a table that moves carries a jelly") {
    Scene scene;
    const BodyId table = scene.add_body(world, {.name = "table", .kinematic = true});
    scene.add_geom(table, {.shape = ShapeType::box, .size = {2, 2, 0.1}});
    const BodyId body = scene.add_body(
        world,
        {.name = "jelly", .pose = {{0, 0, 0.3}}, .kind = BodyKind::affine, .elastic = {1e5, 0.3, 0.05}});
    scene.add_geom(body, {.shape = ShapeType::box, .size = {0.3, 0.3, 0.2}, .density = 100});
    Simulation sim(compile(scene), usual());
    run(sim, 0.5);
    JointState<double> state = sim.state();
    state.kinematic[0].velocity.lin = {0.5, 0, 0};
    sim.set_state(state);
    run(sim, 1);
    CHECK(std::abs(velocity_of(sim, "jelly").x - 0.5) < 0.01);
}

TEST_CASE("impulse deforming: a simulation that is restored goes on bit for bit") {
    const auto model = falling_jellies();
    for (const char* solver : all_solvers) {
        SimulationOptions options = usual();
        options.solver = solver;
        Simulation sim(model, options), other(model, options);
        run(sim, 0.3, 0.005);
        other.restore(sim.save());
        for (int k = 0; k < 20; ++k) {
            step_ok(sim, 0.005);
            step_ok(other, 0.005);
            REQUIRE(sim.state().q == other.state().q);
            REQUIRE(sim.state().v == other.state().v);
        }
    }
}

TEST_CASE("impulse deforming: sub-steps follow the damping of what is elastic") {
    // A sub-step damps strain as if its damping time were longer by it: by no more than a fiftieth of that.
    const auto substeps = [](double damping, double dt, bool hung) {
        Scene scene;
        const BodyId body =
            add_jelly(scene, "jelly", {{0, 0, -0.5}}, {.half = {0.2, 0.2, 0.5}, .damping = damping});
        if (hung) scene.add_loop({.body_a = world, .body_b = body, .frame_b = {{0, 0, 0.5}}});
        const auto model = compile(scene);
        Simulation sim(model, usual());
        JointState<double> state = sim.state();
        state.q[model->tree.stretches[0].q_adr] = 1.1;
        sim.set_state(state);
        return step_ok(sim, dt).substeps;
    };
    for (const bool hung : {false, true}) {
        CHECK(substeps(0.02, 2e-3, hung) == 8);
        CHECK(substeps(0.05, 0.012, hung) == 12);
        CHECK(substeps(0.02, frame, hung) == 16);
        CHECK(substeps(0, 2e-3, hung) == 16);
    }
}

TEST_CASE("impulse deforming: jellies fall asleep, and wake up when they are pushed") {
    const auto model = jelly_on_floor(BodyKind::affine, 2e4, 0.21, 0.5, 0.05);
    SimulationOptions options = usual();
    options.impulse.sleeping = true;
    Simulation sim(model, options);
    int asleep = 0;
    for (int k = 0; k < 600 && asleep == 0; ++k) asleep = step_ok(sim, frame).sleeping;
    REQUIRE(asleep == 1);
    const std::vector<double> rest = sim.state().q;
    run(sim, 0.5);
    CHECK(sim.state().q == rest);
    sim.inputs().xfrc_applied[model->find_body("jelly")].lin = {0, 0, 300};
    CHECK(step_ok(sim, frame).sleeping == 0);
    run(sim, 0.1);
    CHECK(sim.state().q != rest);
}
