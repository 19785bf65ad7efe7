// Adhesion of geoms and by actuators against what balances it, under every formulation.

#include <ligament/sensors.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;

namespace {

constexpr double g = 9.81;
constexpr const char* formulations[] = {"reduced", "multiplier", "impulse", "implicit"};

Simulation made(const Scene& scene, const std::string& formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    return Simulation(compile(scene), options);
}

void run(Simulation& sim, double seconds) {
    while (sim.state().time < seconds - 1e-9) REQUIRE(sim.step(1.0 / 240).status == StepStatus::ok);
}

BodySpec kilogram(Pose pose) {
    return {.pose = pose, .inertial = InertialSpec{1, {}, Sym3d::diagonal(0.01, 0.01, 0.01), {}}};
}

double pressure(const Simulation& sim) {
    double sum = 0;
    for (const Contact& contact : sim.contacts().contacts) sum += dot(contact.normal, contact.impulse);
    return sum / sim.contact_time();
}

// A ball below a ceiling, which it touches.
Scene ceiling(double of_ceiling, double of_ball) {
    Scene scene;
    scene.add_geom(
        world, {.shape = ShapeType::box, .pose = {{0, 0, 1}}, .size = {1, 1, 0.5}, .adhesion = of_ceiling});
    const BodyId ball = scene.add_body(world, kilogram({{0, 0, 0.4}}));
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_geom(ball, {.size = {0.1, 0, 0}, .adhesion = of_ball});
    return scene;
}

// A box against a wall that faces +x, with friction 0.5; an actuator draws it there.
struct Wall {
    Wall() {
        scene.add_geom(
            world,
            {.shape = ShapeType::box, .pose = {{-0.5, 0, 0}}, .size = {0.5, 2, 20}, .friction = {0.5, 0, 0}});
        const BodyId box = scene.add_body(world, kilogram({{0.1, 0, 0}}));
        scene.add_joint(box, {.type = JointType::free});
        scene.add_geom(box, {.shape = ShapeType::box, .size = {0.1, 0.1, 0.1}, .friction = {0.5, 0, 0}});
        scene.add_actuator(
            {.transmission = Transmission::body, .body = box, .gain = {10, 0, 0}, .ctrl_range = {0, 5}});
    }
    Scene scene;
};

}  // namespace

TEST_CASE("adhesion: a ball hangs from what holds it by more than its weight") {
    for (const char* formulation : formulations) {
        INFO(formulation);
        Simulation held = made(ceiling(9, 6), formulation), lost = made(ceiling(9, 0), formulation);
        run(held, 1);
        CHECK(std::abs(held.state().q[2] - 0.4) < 1e-4);
        // The ceiling bears what is drawn beyond the weight.
        CHECK(pressure(held) == doctest::Approx(15 - g).epsilon(1e-3));
        run(lost, 1);
        CHECK(lost.state().q[2] < 0.4 - 0.5);
        for (const Force<double>& f : held.inputs().xfrc_applied) CHECK(dot(f.lin, f.lin) == 0);
    }
}

TEST_CASE("adhesion: friction grows with what draws a box to a wall") {
    const Wall wall;
    for (const char* formulation : formulations) {
        INFO(formulation);
        Simulation holds = made(wall.scene, formulation), slides = made(wall.scene, formulation);
        holds.inputs().ctrl[0] = 4;
        run(holds, 0.5);
        CHECK(std::abs(holds.state().q[2]) < 2e-4);
        CHECK(pressure(holds) == doctest::Approx(40).epsilon(1e-3));
        slides.inputs().ctrl[0] = 1.5;
        run(slides, 0.5);
        // g less 0.5 · 15 N / kg; steps begin half a step early.
        const double a = g - 7.5, t = slides.state().time;
        CHECK(slides.state().v[2] == doctest::Approx(-a * t).epsilon(0.01));
        CHECK(slides.state().q[2] == doctest::Approx(-a * t * t / 2).epsilon(0.02));
    }
}

TEST_CASE("adhesion: over a gap it is a constant force") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    scene.add_geom(world, {.size = {0.1, 0, 0}, .gap = 0.2, .adhesion = 2});
    const BodyId ball = scene.add_body(world, kilogram({{0.3, 0, 0}}));
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_geom(ball, {.size = {0.1, 0, 0}});
    for (const char* formulation : formulations) {
        INFO(formulation);
        Simulation sim = made(scene, formulation);
        run(sim, 0.25);
        CHECK(sim.state().v[0] == doctest::Approx(-2 * 0.25).epsilon(1e-9));
        CHECK(sim.state().q[0] == doctest::Approx(0.3 - 0.25 * 0.25).epsilon(0.01));
        // Another one as far again is not drawn.
    }
    scene.body(ball).pose.pos.x = 0.41;
    Simulation apart = made(scene, "reduced");
    run(apart, 0.25);
    CHECK(apart.state().v[0] == 0);
}

TEST_CASE("adhesion: what sticks to an arm hangs on its joint") {
    Scene scene;
    const BodyId arm = scene.add_body(
        world, {.inertial = InertialSpec{2, {{0.3, 0, 0}}, Sym3d::diagonal(0.01, 0.01, 0.01), {}}});
    const JointId hinge = scene.add_joint(arm, {.axis = {0, 1, 0}, .damping = 5});
    scene.add_geom(arm, {.shape = ShapeType::box, .pose = {{0.6, 0, 0}}, .size = {0.2, 0.2, 0.05}});
    const SiteId wrist = scene.add_site(arm, {});
    const BodyId ball = scene.add_body(world, kilogram({{0.6, 0, -0.15}}));
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_geom(ball, {.size = {0.1, 0, 0}, .friction = {1, 0.1, 0.1}});
    scene.add_actuator({.joint = hinge, .gain = {1e4, 0, 0}, .bias = {0, -1e4, 0}});
    scene.add_actuator({.transmission = Transmission::body, .body = ball, .gain = {30, 0, 0}});
    scene.add_sensor({.type = SensorType::force, .object = {ObjectRef::Kind::site, wrist.index}});
    for (const char* formulation : formulations) {
        INFO(formulation);
        Simulation sim = made(scene, formulation);
        sim.inputs().ctrl[1] = 1;
        run(sim, 1);
        std::vector<Force<double>> reactions(sim.model().bodies.size());
        sim.joint_reactions(reactions);
        CHECK(reactions[arm.index].lin.z == doctest::Approx(3 * g).epsilon(1e-3));
        const std::vector<double>& force = sim.read_sensors().readings;
        CHECK(std::hypot(force[0], force[1], force[2]) == doctest::Approx(3 * g).epsilon(1e-3));
    }
}

TEST_CASE("adhesion: of two geoms the sum counts, of a higher priority its own") {
    const auto holds = [](int priority, double of_ceiling) {
        Scene scene = ceiling(of_ceiling, 6);
        scene.geom({1}).priority = priority;
        Simulation sim = made(scene, "reduced");
        run(sim, 0.25);
        return std::abs(sim.state().q[2] - 0.4) < 1e-4;
    };
    CHECK(holds(0, 4));
    CHECK_FALSE(holds(0, 3.5));
    CHECK_FALSE(holds(1, 100));
}
