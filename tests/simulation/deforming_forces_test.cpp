// Forces on bodies that deform: bushings that pull, a medium, tendons that follow each other; and sensors on
// them.

#include "support/allocating_steps.h"
#include "support/deforming_scenes.h"
#include "support/ledgers.h"

#include <ligament/body_kind.h>
#include <ligament/fluid.h>
#include <ligament/sensors.h>

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

double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

std::shared_ptr<const ProgramBody> bending_kind() {
    return body_kind<2>(
        [](const auto& r) {
            const auto none = 0.0 * r.x;
            return std::array{Vec3{none, none, r.x * r.x}, Vec3{none, r.x * r.y, none}};
        },
        [](const auto& s) { return 200.0 * s[0] * s[0] + 150.0 * s[1] * s[1]; });
}
BodyId add_deforming(Scene& scene, const std::string& name, const Pose& pose, BodyKind kind) {
    if (kind != BodyKind::program) return add_jelly(scene, name, pose, {.kind = kind});
    const BodyId body =
        scene.add_body(world, {.name = name, .pose = pose, .kind = kind, .program = bending_kind()});
    scene.add_geom(
        body, {.shape = ShapeType::box, .size = {0.5, 0.3, 0.2}, .density = 100, .collides = false});
    return body;
}

// Two bodies in the air, held together at corners by a bushing that pulls differently along its axes.
struct Mount {
    double damping = 1, stiffness = 1;
    bool springs = true;
    double strain_damping = 0;  // s, of the bodies
};
std::shared_ptr<const Model> mounted(BodyKind kind, const Mount& mount = {}) {
    const auto& [damping, stiffness, springs, strain_damping] = mount;
    Scene scene;
    scene.options.enabled.spring = springs;
    scene.options.gravity = {0, 0, 0};
    const BodyId a = add_deforming(scene, "a", {{0, 0, 0}}, kind);
    const BodyId b = add_jelly(
        scene, "b", {{1.1, 0.1, 0}},
        {.kind = BodyKind::affine, .half = {0.5, 0.2, 0.2}, .damping = strain_damping});
    scene.add_bushing({.name = "mount",
                       .body_a = a,
                       .body_b = b,
                       .frame_a = {{0.5, 0.2, 0.1}, {0.9, 0.1, 0.3, -0.3}},
                       .frame_b = {{-0.5, 0.2, -0.2}},
                       .stiffness = stiffness * Vec3d{800, 300, 500},
                       .damping = damping * Vec3d{4, 9, 6},
                       .turn_stiffness = {20, 30, 10},
                       .turn_damping = damping * Vec3d{0.5, 0.2, 0.3}});
    return compile(scene);
}
void spin(Simulation& sim) {
    set_velocity(sim, {0.3, 0.2, 0.1}, {1, 0.5, 0.7}, "a");
    set_velocity(sim, {-0.3, 0.1, 0.4}, {-0.5, 1, 0.2}, "b");
}

}  // namespace

TEST_CASE("deforming bushings: no pull makes energy or momentum, and dampers have their work in the ledger") {
    for (const BodyKind kind :
         {BodyKind::affine, BodyKind::stretching, BodyKind::scaling, BodyKind::program})
        for (const double damping : {0.0, 1.0}) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(damping);
            const auto model = mounted(kind, {.damping = damping});
            const auto momentum_of = [&](const Simulation& sim) {
                Workspace<double> ws(model);
                forward_kinematics(sim.state(), ws);
                return shift_back(momentum(ws), center_of_mass(ws));
            };
            Simulation sim(model, smooth_by("multiplier", SmoothIntegrator::rk45));
            spin(sim);
            const Force<double> begin = momentum_of(sim);
            const Ledger ledger = ledger_of(sim, 0.5, 0.01);
            const Force<double> now = momentum_of(sim);
            CHECK(far(now.lin, begin.lin) < 1e-10);
            CHECK(far(now.ang, begin.ang) < 1e-9);
            CHECK(ledger.max_method < 1e-7 * ledger.before);
            if (damping > 0) CHECK(ledger.flows.dampers > 0.02 * ledger.before);
        }
}

TEST_CASE("deforming bushings: implicit and impulse get to what multiplier has, to first order") {
    for (const auto& [kind, springs] :
         {std::pair{BodyKind::affine, true}, std::pair{BodyKind::stretching, true},
          std::pair{BodyKind::scaling, true}, std::pair{BodyKind::affine, false}}) {
        CAPTURE(springs);
        const auto model = mounted(kind, {.springs = springs});
        const auto end = [&](const SimulationOptions& options, double dt) {
            Simulation sim(model, options);
            spin(sim);
            run(sim, 0.2, dt);
            return sim.state().q;
        };
        const std::vector<double> best = end(smooth_by("multiplier", SmoothIntegrator::rk45, 1e-10), 0.01);
        for (const char* formulation : {"implicit", "impulse"}) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(std::string(formulation));
            SimulationOptions options = options_of(formulation);
            if (std::string(formulation) == "implicit") {
                options.integrator = SmoothIntegrator::backward_euler;
                options.tolerance = 1e-11;
            } else {
                options.impulse.substeps = 1;
            }
            const double coarse = largest_difference(end(options, 2e-4), best);
            const double fine = largest_difference(end(options, 1e-4), best);
            CAPTURE(coarse);
            CHECK(coarse < 0.02);
            CHECK(fine < 0.56 * coarse);
        }
        // RATTLE, with its forces at the ends of steps, is of second order.
        const SimulationOptions rattle = smooth_by("multiplier", SmoothIntegrator::rattle);
        const double coarse = largest_difference(end(rattle, 2e-3), best);
        const double fine = largest_difference(end(rattle, 1e-3), best);
        CHECK(coarse < 0.01);
        CHECK(fine < 0.35 * coarse);
    }
}

TEST_CASE("deforming bushings: velocity steps book all that dampers take, to first order") {
    const auto left = [](double dt, double damping, double strain_damping) {
        SimulationOptions options = options_of("multiplier");
        options.stepping = Stepping::velocity;
        options.energy_guard = 0;
        Simulation sim(mounted(BodyKind::affine, {.damping = damping, .strain_damping = strain_damping}),
                       options);
        spin(sim);
        JointState<double> state = sim.state();
        for (const TreeStretch& own : sim.model().tree.stretches) state.q[own.q_adr] = 1.05;
        sim.set_state(state);
        const Ledger ledger = ledger_of(sim, 0.1, dt);
        CHECK(ledger.flows.dampers > 0.02 * ledger.before);
        return std::abs(ledger.method);
    };
    for (const auto& [damping, strain_damping] : {std::pair{20.0, 0.0}, std::pair{0.0, 0.02}}) {
        CAPTURE(damping);
        const double coarse = left(4e-4, damping, strain_damping), fine = left(1e-4, damping, strain_damping);
        CAPTURE(coarse);
        CHECK(fine < 0.35 * coarse);
    }
}

TEST_CASE("deforming bushings: steps do not allocate") {
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        for (const double stiffness : {1.0, 1e6})
            CHECK(allocating_again(mounted(BodyKind::affine, {.stiffness = stiffness}),
                                   options_of(formulation), 1e-3, 30) == 0);
    }
}

TEST_CASE("deforming bushings: a jelly hangs on a mount of any stiffness as far down as Hooke says") {
    for (const double stiffness : {500.0, 1e8})
        for (const char* formulation : formulations) {
            CAPTURE(stiffness);
            CAPTURE(std::string(formulation));
            Scene scene;
            const BodyId bar =
                add_jelly(scene, "bar", {{0, 0, -0.5}},
                          {.half = {0.2, 0.2, 0.5}, .young = 1e4, .poisson = 0.3, .damping = 0.05});
            const double damping = 0.2 * stiffness;
            scene.add_bushing({.name = "mount",
                               .body_a = world,
                               .body_b = bar,
                               .frame_b = {{0, 0, 0.5}},
                               .stiffness = {stiffness, stiffness, stiffness},
                               .damping = {damping, damping, damping}});
            const auto model = compile(scene);
            const double weight = model->bodies[1].mass * gravity, stress = 0.5 * weight / (0.4 * 0.4);
            Simulation sim(model, options_of(formulation));
            run(sim, 10, 5e-3);
            const double* s = sim.state().q.data() + model->tree.stretches[0].q_adr;
            CHECK(std::abs(s[2] - 1 - stress / 1e4) < 1e-5);
            CHECK(std::abs(s[0] - 1 + 0.3 * stress / 1e4) < 1e-5);
            CHECK(std::abs(position_of(sim, "bar").z + 0.5 * s[2] + weight / stiffness) < 1e-5);
            std::vector<Force<double>> pull(1);
            sim.bushing_forces(pull);
            CHECK(pull[0].lin.z == doctest::Approx(weight).epsilon(1e-3));
        }
}

TEST_CASE("deforming media: drag is that of the box that a body is now") {
    // Of a stretched box the sides are; in a medium that is only thick, or only heavy.
    for (const BodyKind kind : deforming_kinds)
        for (const bool heavy : {false, true}) {
            CAPTURE(static_cast<int>(kind));
            Scene scene;
            (heavy ? scene.options.density : scene.options.viscosity) = heavy ? 1.2 : 0.4;
            const Vec3d half{0.5, 0.3, 0.2};
            add_jelly(scene, "jelly", {{0, 0, 0}}, {.kind = kind, .half = half});
            const auto model = compile(scene);
            JointState<double> state(*model);
            const Vec3d stretch = kind == BodyKind::scaling ? Vec3d{2, 2, 2} : Vec3d{1.5, 0.8, 1.2};
            const TreeStretch& own = model->tree.stretches[0];
            for (int k = 0; k < std::min(own.count, 3); ++k) state.q[own.q_adr + k] = stretch[k];
            const double speed = -3;
            state.v[2] = speed;
            Workspace<double> ws(model);
            forward_kinematics(state, ws);
            clear_external(ws);
            add_fluid_forces(ws);
            const Vec3d sides{2 * half.x * stretch.x, 2 * half.y * stretch.y, 2 * half.z * stretch.z};
            const double mean = (sides.x + sides.y + sides.z) / 3;
            const double plate = 0.5 * 1.2 * sides.x * sides.y * speed * speed;
            const double sphere = -3 * std::numbers::pi * mean * 0.4 * speed;
            CHECK(ws.f_ext[0].lin.z == doctest::Approx(heavy ? plate : sphere).epsilon(1e-12));
        }
}

TEST_CASE("deforming media: a stiff jelly sinks and tumbles as a rigid box does, in the limit") {
    const auto end = [](double young, const char* formulation) {
        Scene scene;
        scene.options.density = 30;
        scene.options.viscosity = 0.5;
        scene.options.wind = {1, 0, 0};
        const Vec3d half{0.5, 0.3, 0.2};
        if (young > 0) {
            add_jelly(scene, "box", {{0, 0, 0}}, {.half = half, .young = young, .damping = 1e-3});
        } else {
            const BodyId body = scene.add_body(world, {.name = "box"});
            scene.add_joint(body, {.name = "box", .type = JointType::free, .align = true});
            scene.add_geom(body, {.shape = ShapeType::box, .size = half, .density = 100, .collides = false});
        }
        Simulation sim(compile(scene), options_of(formulation));
        set_velocity(sim, {0, 0, 0}, {2, 1, 3}, "box");
        run(sim, 0.5, 1e-3);
        const Vec3d x = position_of(sim, "box"), v = velocity_of(sim, "box"), w = spin_of(sim, "box");
        return std::vector<double>{x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z};
    };
    for (const char* formulation : formulations) {
        CAPTURE(std::string(formulation));
        const std::vector<double> rigid = end(0, formulation);
        const double soft = largest_difference(end(1e5, formulation), rigid),
                     stiff = largest_difference(end(1e6, formulation), rigid);
        CAPTURE(soft);
        CAPTURE(stiff);
        CHECK(stiff < 0.3 * soft);
        CHECK(stiff < 1e-2);
    }
}

TEST_CASE("deforming sensors: places, velocities and accelerations are each other's derivatives") {
    for (const BodyKind kind :
         {BodyKind::affine, BodyKind::stretching, BodyKind::scaling, BodyKind::program}) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        scene.options.gravity = {0, 0, 0};
        const BodyId body = add_deforming(scene, "jelly", {{0.2, 0.1, 0.3}}, kind);
        const GeomId geom{0};
        const SiteId site = scene.add_site(body, {.pose = {{0.4, -0.2, 0.15}, {0.9, 0.3, 0.2, -0.1}}});
        for (const SensorType type : {SensorType::framepos, SensorType::framelinvel, SensorType::framelinacc})
            for (const ObjectRef& object : {ObjectRef{ObjectRef::Kind::site, site.index},
                                            ObjectRef{ObjectRef::Kind::geom, geom.index},
                                            ObjectRef{ObjectRef::Kind::xbody, body.index}})
                scene.add_sensor({.type = type, .object = object});
        scene.add_sensor({.type = SensorType::subtreeangmom,
                          .object = {ObjectRef::Kind::subtree, body.index}});
        const auto model = compile(scene);
        JointState<double> start(*model);
        std::vector<double> qacc(model->nv);
        for (int k = 0; k < model->nv; ++k) {
            start.v[k] = 0.7 * std::sin(1.0 + k);
            qacc[k] = 1.5 * std::cos(2.0 + 3 * k);
        }
        const TreeStretch& own = model->tree.stretches[0];
        for (int k = 0; k < own.count; ++k) start.q[own.q_adr + k] += 0.05 * (k % 2 ? -1 : 1);
        // All readings a time later, under these accelerations.
        Force<double> momentum_now = Force<double>::zero();
        const auto read = [&](double time) {
            JointState<double> state = start;
            Workspace<double> ws(model);
            std::vector<double> mean(start.v);
            for (int k = 0; k < model->nv; ++k) {
                mean[k] += 0.5 * time * qacc[k];
                state.v[k] += time * qacc[k];
            }
            integrate<double>(ws, start.q, mean, time, state.q);
            DriveWorkspace<double> drives(*model);
            SensorWorkspace<double> sensors(*model);
            forward_kinematics(state, ws);
            momentum_now = momentum(ws);
            update_drives(state, ws, drives);
            read_sensors<double>(state, qacc, {}, drives, ws, sensors);
            return sensors.readings;
        };
        constexpr double h = 1e-4;
        const std::vector<double> after = read(h), before = read(-h), now = read(0);
        for (int k = 0; k < 9; ++k) {
            CAPTURE(k);
            CHECK(std::abs((after[k] - before[k]) / (2 * h) - now[9 + k]) < 1e-6);
            CHECK(std::abs((after[9 + k] - before[9 + k]) / (2 * h) - now[18 + k]) < 1e-6);
        }
        const Vec3d angular{now[27], now[28], now[29]};
        CHECK(far(angular, momentum_now.ang) < 1e-12);
    }
}

TEST_CASE("deforming tendons: a coupling of two lengths is held, and does no work") {
    // Each of two ropes runs from the world to a corner of a jelly; one is paid out as the other is drawn in.
    const auto model = model_of(R"(<mujoco><option gravity="0 0 -9.81"/><worldbody>
        <site name="left" pos="-0.6 0.1 1.5"/><site name="right" pos="0.8 0 1.5"/>
        <body name="jelly" kind="affine" young="2e4" poisson="0.3" pos="0 0 0.5">
          <geom type="box" size="0.5 0.3 0.2" density="100" contype="0" conaffinity="0"/>
          <site name="a" pos="-0.5 0.2 0.2"/><site name="b" pos="0.5 -0.3 0.2"/></body></worldbody>
        <tendon><spatial name="l"><site site="left"/><site site="a"/></spatial>
          <spatial name="r"><site site="right"/><site site="b"/></spatial></tendon>
        <equality><tendon tendon1="l" tendon2="r" polycoef="0 -1 0 0 0"/></equality></mujoco>)");
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(std::string(formulation));
        SimulationOptions options = options_of(formulation);
        Simulation sim(model, options);
        run(sim, 0.5, 1e-3, [&](const StepReport& report) {
            CHECK(report.equality_error < (std::string(formulation) == "impulse" ? 1e-4 : 1e-9));
        });
    }
    Simulation sim(model, smooth_by("multiplier", SmoothIntegrator::rk45));
    const Ledger ledger = ledger_of(sim, 0.5, 0.01);
    CHECK(ledger.max_method < 1e-6);
}

TEST_CASE("deforming tendons: what winds a rope up falls with what hangs on it") {
    // A rope to the centre of mass stretches nothing: z̈ = −g m/(m + a).
    const auto model = model_of(R"(<mujoco><option gravity="0 0 -9.81"/><worldbody>
        <site name="drum" pos="0 0 2"/>
        <body name="jelly" kind="affine" young="2e4" poisson="0.3">
          <geom type="box" size="0.5 0.3 0.2" density="100" contype="0" conaffinity="0"/>
          <site name="hook"/></body></worldbody>
        <tendon><spatial name="rope" armature="5"><site site="drum"/><site site="hook"/></spatial></tendon>
        </mujoco>)");
    Simulation sim(model, options_of("impulse"));
    run(sim, 0.5, 5e-3);
    const double mass = model->bodies[1].mass;
    CHECK(velocity_of(sim, "jelly").z == doctest::Approx(-0.5 * gravity * mass / (mass + 5)).epsilon(1e-9));
}

TEST_CASE("deforming joints: a stiff arm on a hinge with a rotor is as heavy as a rigid one") {
    // A rod of 1 m about its end, with the rotor: α = τ/(m l²/3 + m b²/12 + a).
    const auto model = model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody>
        <body name="arm" kind="affine" young="1e9" poisson="0.3" damping="0.001" pos="0.5 0 0">
          <joint name="hinge" axis="0 0 1" pos="-0.5 0 0" armature="2"/>
          <geom type="box" size="0.5 0.1 0.1" mass="3" contype="0" conaffinity="0"/></body></worldbody>
        <actuator><motor joint="hinge"/></actuator></mujoco>)");
    const auto error = [&](double dt) {
        Simulation sim(model, options_of("impulse"));
        sim.inputs().ctrl[0] = 6;
        run(sim, 0.5, dt);
        double q[1], v[1];
        sim.loop_coordinates(model->find_loop("hinge"), q, v);
        return std::abs(v[0] - 0.5 * 6 / (3.0 / 3 + 3 * 0.04 / 12 + 2));
    };
    const double coarse = error(1e-3), fine = error(2.5e-4);
    CHECK(coarse < 1e-3);
    CHECK(fine < 0.3 * coarse);
}
