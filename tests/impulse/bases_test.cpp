// Kinematic bodies under `impulse`: they go on within a step, and what hangs, is held or lies on them goes
// with them.

#include "support/impulse_runs.h"
#include "support/pair_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

void check(const Convergence& found, double tolerance) {
    CAPTURE(found.coarse);
    CAPTURE(found.fine);
    CHECK(found.fine < tolerance);
    CHECK(found.ratio() == doctest::Approx(2).epsilon(0.15));
}

// From where the base is.
auto led_by(const Motion<double>& velocity, const Motion<double>& acceleration) {
    return [=](Simulation& sim) {
        BaseMotion<double> motion = sim.state().kinematic[0];
        motion.velocity = velocity;
        motion.acceleration = acceleration;
        sim.set_kinematic(sim.model().kinematic_bodies[0], motion);
    };
}

const auto tumbling = led_by({{0.5, 1, -0.3}, {0.4, 0, 0.2}}, {{1, -2, 0.5}, {3, 0.5, -1}});

// A cart with a pendulum of two links, and beside it a body that `add` ties to the cart.
template <class Add>
std::shared_ptr<const Model> cart(Add add) {
    Scene scene;
    const BodyId base = scene.add_body(world, {.name = "cart", .kinematic = true});
    BodyId parent = base;
    for (int k = 0; k < 2; ++k) {
        parent = scene.add_body(parent, {.name = "bar" + std::to_string(k),
                                         .pose = {{k == 0 ? 0.2 : 0.5, 0, 0}},
                                         .inertial = mass(1, {0.01, 0.1, 0.1}, {0.25, 0, 0})});
        scene.add_joint(parent, {.name = "bar" + std::to_string(k), .axis = {0, 1, 0}});
    }
    const BodyId apart =
        scene.add_body(world, {.name = "apart", .pose = {{0, 1, 0}}, .inertial = mass(2, {0.1, 0.2, 0.25})});
    scene.add_joint(apart, {.type = JointType::free});
    add(scene, base, parent, apart);
    return compile(scene);
}

}  // namespace

TEST_CASE("impulse bases: what hangs on, is tied to and is pulled by a base that tumbles") {
    const Effort effort{.substeps = 32};
    SUBCASE("joints alone")
    check(converge(cart([](Scene&, BodyId, BodyId, BodyId) {}), 0.3, effort, tumbling), 0.03);
    SUBCASE("a rod between the base and a body")
    check(converge(cart([](Scene& scene, BodyId base, BodyId, BodyId apart) {
                       scene.add_constraint({.name = "rod",
                                             .body_a = base,
                                             .body_b = apart,
                                             .constraint = make<DistanceConstraint>(1)});
                   }),
                   0.3, effort, tumbling),
          0.03);
    SUBCASE("a loop between the base and a link of it")
    check(converge(cart([](Scene& scene, BodyId base, BodyId link, BodyId) {
                       scene.add_constraint({.name = "rod",
                                             .body_a = base,
                                             .body_b = link,
                                             .frame_a = {{0, 0, 0.5}},
                                             .constraint = make<DistanceConstraint>(std::sqrt(0.74))});
                   }),
                   0.3, effort, tumbling),
          0.03);
    SUBCASE("a loop between a link of the base and a body apart")
    check(converge(cart([](Scene& scene, BodyId, BodyId link, BodyId apart) {
                       LoopSpec pin;
                       pin.name = "pin";
                       pin.type = JointType::ball;
                       pin.body_a = link;
                       pin.body_b = apart;
                       pin.frame_a = {{0.5, 0, 0}};
                       pin.frame_b = {{1.2, -1, 0}};
                       scene.add_loop(pin);
                   }),
                   0.3, effort, tumbling),
          0.03);
}

TEST_CASE("impulse bases: a tendon from a base that moves, with spring and inertia") {
    const auto model = model_of(
        "<mujoco><worldbody><body name='cart' mocap='true'><site name='c' pos='0.3 0 1'/></body>"
        "<body name='a'><joint axis='0 1 0'/><inertial pos='0.3 0 0' mass='1' diaginertia='0.01 0.05 0.05'/>"
        "<site name='s' pos='0.5 0.1 0'/></body></worldbody>"
        "<tendon><spatial stiffness='40' damping='2' armature='1' springlength='0.6'><site site='c'/>"
        "<site site='s'/></spatial></tendon></mujoco>");
    check(converge(model, 0.3, {.substeps = 32}, tumbling), 0.03);
}

TEST_CASE("impulse bases: a pendulum on a cart that accelerates hangs askew") {
    const auto model = model_of(
        "<mujoco><worldbody><body name='cart' mocap='true'><body name='bob'>"
        "<joint axis='0 1 0' damping='8'/><inertial pos='0 0 -1' mass='2' diaginertia='0.1 0.1 0.1'/>"
        "</body></body></worldbody></mujoco>");
    Simulation sim(model, impulse_options());
    led_by(Motion<double>::zero(), {{0, 0, 0}, {3, 0, 0}})(sim);
    run(sim, 12);
    CHECK(sim.state().q[0] == doctest::Approx(std::atan2(3, g)).epsilon(1e-4));
    CHECK(sim.state().kinematic[0].pos.x == doctest::Approx(0.5 * 3 * 12 * 12).epsilon(1e-12));
    CHECK(sim.state().kinematic[0].velocity.lin.x == doctest::Approx(36).epsilon(1e-12));
}

TEST_CASE("impulse bases: boxes ride on a table that speeds up and turns") {
    const auto model = model_of(moving_table);
    Simulation sim(model, impulse_options());
    run(sim, 1);
    led_by(Motion<double>::zero(), {{0, 0, 0.5}, {1, 0, 0.5}})(sim);
    const auto place_on_table = [&] {
        const BaseMotion<double>& table = sim.state().kinematic[0];
        return transpose_mul(rotation_matrix(table.quat), position_of(sim, "box") - table.pos);
    };
    const Vec3d before = place_on_table();
    double deepest = 0;
    run(sim, 1, frame, [&](const StepReport& report) { deepest = std::max(deepest, report.penetration); });
    // Sub-steps of 1 ms in which the table gains 0.5 mm/s: it leads by half of that at the end.
    const Vec3d moved_by = place_on_table() - before;
    CHECK(std::abs(moved_by.x) < 1e-3);
    CHECK(std::abs(moved_by.y) < 1e-3);
    CHECK(std::abs(moved_by.z) < 2e-4);
    CHECK(deepest < 1e-3);
    CHECK(velocity_of(sim, "box").x == doctest::Approx(1).epsilon(5e-3));
}

TEST_CASE("impulse bases: nothing on a cart tells how fast it goes") {
    const auto model = cart([](Scene& scene, BodyId base, BodyId link, BodyId) {
        scene.add_constraint({.name = "rod",
                              .body_a = base,
                              .body_b = link,
                              .frame_a = {{0, 0, 0.5}},
                              .constraint = make<DistanceConstraint>(std::sqrt(0.74))});
    });
    const auto ends = [&](const Vec3d& velocity) {
        Simulation sim(model, impulse_options(16, 20));
        led_by({{0, 0, 0}, velocity}, Motion<double>::zero())(sim);
        run(sim, 1);
        return sim.state();
    };
    const JointState<double> still = ends({0, 0, 0}), fast = ends({20, -30, 10});
    for (int k = 0; k < 2; ++k) {
        CHECK(std::abs(still.q[k] - fast.q[k]) < 1e-7);
        CHECK(std::abs(still.v[k] - fast.v[k]) < 1e-6);
    }
}
