// Independent coordinates of models with loops, and forces that cause given accelerations there, against
// accelerations (smooth_motion), dense rows and closed forms.

#include "support/random_loops.h"
#include "support/random_model.h"
#include "support/reference_problems.h"

#include <ligament/loop_dynamics.h>
#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

double largest_of(std::span<const double> all) {
    double most = 0;
    for (const double x : all) most = std::max(most, std::abs(x));
    return most;
}

double difference(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

// In the plane y = 0 a crank of length 1, a coupler and a rocker; hinges about −y, so that angles count from
// x towards z. The joints of the crank, of the coupler and of the rocker are named a, b and c.
struct FourBar {
    double crank = 1, coupler = 2, rocker = 1.8, ground = 2.2;

    Scene scene() const {
        Scene out;
        const Vec3d axis{0, -1, 0};
        const BodyId one = out.add_body(world, {.name = "crank", .inertial = rod_mass(2, {1, 0, 0})});
        out.add_joint(one, {.name = "a", .axis = axis});
        const BodyId two = out.add_body(
            one, {.name = "coupler", .pose = {{crank, 0, 0}}, .inertial = rod_mass(3, {1, 0, 0})});
        out.add_joint(two, {.name = "b", .axis = axis});
        const BodyId three = out.add_body(
            world, {.name = "rocker", .pose = {{ground, 0, 0}}, .inertial = rod_mass(1, {1, 0, 0})});
        out.add_joint(three, {.name = "c", .axis = axis});
        out.add_loop({.name = "pin",
                      .type = JointType::hinge,
                      .body_a = two,
                      .body_b = three,
                      .frame_a = {{coupler, 0, 0}, turned()},
                      .frame_b = {{rocker, 0, 0}, turned()}});
        return out;
    }
    // z of the frame along y.
    static Quatd turned() { return rotation_exp(Vec3d{-1.5707963267948966, 0, 0}); }

    // Angles of a, b (relative to the crank) and c with the crank at `angle`, by the triangle of the coupler
    // and the rocker over the line between their far ends.
    std::array<double, 3> angles(double angle) const {
        const double x = ground - crank * std::cos(angle), z = -crank * std::sin(angle);
        const double way = std::hypot(x, z), direction = std::atan2(z, x);
        const double at_coupler = std::acos((coupler * coupler + way * way - rocker * rocker) /
                                            (2 * coupler * way)),
                     at_rocker =
                         std::acos((rocker * rocker + way * way - coupler * coupler) / (2 * rocker * way));
        return {angle, direction + at_coupler - angle, direction + std::numbers::pi - at_rocker};
    }
    // db/da and dc/da: the textbook's ratios, with angles of the coupler and the rocker in the plane.
    std::array<double, 2> ratios(double angle) const {
        const auto [a, b, c] = angles(angle);
        const double t = a + b;  // of the coupler
        const double of_coupler = crank * std::sin(c - a) / (coupler * std::sin(t - c));
        return {of_coupler - 1, crank * std::sin(t - a) / (rocker * std::sin(t - c))};
    }
};

}  // namespace

TEST_CASE("forces of accelerations cause these accelerations, in random mechanisms, redundant ones too") {
    int checked = 0, redundant = 0;
    for (int seed = 0; seed < 400 && checked < 60; ++seed) {
        CAPTURE(seed);
        const auto model = random_model(seed);
        SmoothDynamics dynamics(model);
        if (!dynamics.has_equalities() || model->nv > 80) continue;
        Random random(seed);
        JointState<double> state = keyframe_state(*model, 0);
        for (double& x : state.v) x += random.uniform(-1, 1);
        REQUIRE(dynamics.close_equalities(state).closed);
        for (double& x : dynamics.qfrc_applied) x = random.uniform(-5, 5);
        const std::vector<double> qacc = [&] {
            const auto all = dynamics.accelerate(state);
            return std::vector<double>(all.begin(), all.end());
        }();
        // Near singular positions accelerations are known to rounding over the sine of rows.
        if (dynamics.smallest_sine < 1e-4) continue;
        ++checked;
        redundant += dynamics.redundant_rows > 0;

        LoopDynamics loops(model);
        REQUIRE(loops.set_state(state) == LoopStatus::ok);
        const int nv = model->nv, d = loops.freedoms();
        CHECK(d == nv - dynamics.equality_rows + dynamics.redundant_rows);
        const double size = std::max(largest_of(loops.map()), 1.0);

        // v = N w + n, J N = 0.
        std::vector<double> w(d), v(nv);
        for (int i = 0; i < d; ++i) w[i] = state.v[loops.independent()[i]];
        loops.velocities(w, v);
        CHECK(difference(v, state.v) < 1e-9 * size * std::max(largest_of(state.v), 1.0));
        EqualityRows rows(model);
        rows.assemble(state);
        const std::vector<double> J = rows.jacobian();
        double off = 0;
        for (std::size_t r = 0; r < J.size() / nv; ++r)
            for (int i = 0; i < d; ++i) {
                double sum = 0;
                for (int k = 0; k < nv; ++k) sum += J[r * nv + k] * loops.map()[k * d + i];
                off = std::max(off, std::abs(sum));
            }
        CHECK(off < 1e-9 * size);

        // From the independent accelerations alone.
        std::vector<double> asked(nv, 1e3);
        for (const int k : loops.independent()) asked[k] = qacc[k];
        REQUIRE(loops.find_forces(asked) == LoopStatus::ok);
        CHECK(difference(asked, qacc) < 1e-9 * size * std::max(largest_of(qacc), 1.0));
        for (int k = 0; k < nv; ++k)
            if (std::find(loops.independent().begin(), loops.independent().end(), k) ==
                loops.independent().end())
                CHECK(loops.joint_force[k] == 0);
        dynamics.qfrc_applied = loops.joint_force;
        const std::span<const double> again = dynamics.accelerate(state);
        const double push = std::max(largest_of(loops.joint_force), 5.0);
        CHECK(difference(again, qacc) < 1e-9 * size * std::max({largest_of(qacc), push, 1.0}));
        // What holds the loops is the same, where it is determined.
        if (dynamics.redundant_rows == 0)
            CHECK(difference(loops.multipliers, dynamics.multipliers) <
                  1e-8 * size * std::max(largest_of(dynamics.multipliers), push));
    }
    CHECK(checked == 60);
    CHECK(redundant > 5);
}

TEST_CASE("a four-bar has one freedom, with the ratios of its textbook") {
    const FourBar bar;
    const auto model = compile(bar.scene());
    for (const double angle : {0.3, 1.2, 2.5, 4.0, 5.5}) {
        CAPTURE(angle);
        JointState<double> state(*model);
        const auto at = bar.angles(angle);
        std::copy(at.begin(), at.end(), state.q.begin());
        const auto [of_b, of_c] = bar.ratios(angle);
        LoopDynamics loops(model, {0});
        REQUIRE(loops.set_state(state) == LoopStatus::ok);
        REQUIRE(loops.freedoms() == 1);
        CHECK(loops.map()[0] == 1);
        CHECK(loops.map()[1] == doctest::Approx(of_b).epsilon(1e-9));
        CHECK(loops.map()[2] == doctest::Approx(of_c).epsilon(1e-9));
        // By the rocker: the reciprocal.
        LoopDynamics by_rocker(model, {2});
        REQUIRE(by_rocker.set_state(state) == LoopStatus::ok);
        CHECK(by_rocker.map()[0] == doctest::Approx(1 / of_c).epsilon(1e-9));
        // The pin moves with the rocker: 1.8 m at its rate, about −y.
        std::vector<double> J(6);
        loops.jacobian(model->find_body("rocker"), {bar.rocker, 0, 0}, Axes::world, J);
        CHECK(J[1] == doctest::Approx(-of_c).epsilon(1e-9));
        CHECK(J[3] == doctest::Approx(-bar.rocker * std::sin(at[2]) * of_c).epsilon(1e-9));
        CHECK(J[5] == doctest::Approx(bar.rocker * std::cos(at[2]) * of_c).epsilon(1e-9));
    }
}

TEST_CASE("of many actuators the forces of least squares") {
    const FourBar bar;
    Scene scene = bar.scene();
    const std::array<double, 3> gears{2, -1, 3};
    int k = 0;
    for (const char* name : {"a", "b", "c"}) {
        ActuatorSpec motor;
        motor.name = std::string("motor_") + name;
        motor.joint = scene.find_joint(name);
        motor.gear[0] = gears[k++];
        scene.add_actuator(motor);
    }
    const auto model = compile(scene);
    const double angle = 0.9;
    JointState<double> state(*model);
    const auto at = bar.angles(angle);
    std::copy(at.begin(), at.end(), state.q.begin());
    const auto [of_b, of_c] = bar.ratios(angle);

    // Weight at rest, by virtual work: −dV/da = −g Σ m dz/da of the centres of mass.
    std::vector<double> qacc(3, 0.0);
    LoopDynamics loops(model, {0});
    REQUIRE(loops.set_state(state) == LoopStatus::ok);
    REQUIRE(loops.find_forces(qacc) == LoopStatus::ok);
    CHECK(loops.spare_actuators == 2);
    const double coupler_angle = at[0] + at[1];
    const double held = 9.81 * (2 * 0.5 * std::cos(angle) +
                                3 * (std::cos(angle) + 0.5 * std::cos(coupler_angle) * (1 + of_b)) +
                                1 * 0.5 * std::cos(at[2]) * of_c);
    // Power per rate of the crank of each: f = held a / (a · a).
    const std::array<double, 3> a{gears[0], gears[1] * of_b, gears[2] * of_c};
    const double squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    for (int i = 0; i < 3; ++i)
        CHECK(loops.actuator_force[i] == doctest::Approx(held * a[i] / squares).epsilon(1e-9));
    for (int i = 0; i < 3; ++i)
        CHECK(loops.joint_force[i] == doctest::Approx(gears[i] * loops.actuator_force[i]).epsilon(1e-12));
}

TEST_CASE("what actuators cannot do, and coordinates that are not independent, are named") {
    // A chain of four rods, closed to the ground: two freedoms, one motor.
    Scene scene;
    BodyId parent = world;
    for (const char* name : {"a", "b", "c", "d"}) {
        parent = scene.add_body(parent, {.pose = {{parent == world ? 0.0 : 1.0, 0, 0}},
                                         .inertial = rod_mass(1, {1, 0, 0})});
        scene.add_joint(parent, {.name = name, .axis = {0, -1, 0}});
    }
    scene.add_loop({.name = "pin",
                    .type = JointType::ball,
                    .body_a = world,
                    .body_b = parent,
                    .frame_a = {{2.5, 0, 0}},
                    .frame_b = {{1, 0, 0}}});
    ActuatorSpec motor;
    motor.joint = scene.find_joint("a");
    scene.add_actuator(motor);
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q = {1.2, -0.7214, -0.9572, -0.7214};
    SmoothDynamics dynamics(model);
    REQUIRE(dynamics.close_equalities(state).closed);
    LoopDynamics loops(model);
    REQUIRE(loops.set_state(state) == LoopStatus::ok);
    REQUIRE(loops.freedoms() == 2);
    CHECK(loops.independent()[0] == 0);  // what the motor drives comes first
    std::vector<double> qacc(4, 0.0);
    CHECK(loops.find_forces(qacc) == LoopStatus::unreachable);
    CHECK(loops.where.find("no actuator gives the motion what it asks for along") == 0);

    // What is missing, along the velocity that no motor drives: with it the motion is the one asked for.
    loops.allow_residual = true;
    qacc = {0.5, 0, 0, 0};
    qacc[loops.independent()[1]] = -0.7;
    REQUIRE(loops.find_forces(qacc) == LoopStatus::ok);
    for (int k = 0; k < 4; ++k) {
        CHECK((loops.joint_force[k] != 0) == (k == 0));
        CHECK((loops.residual[k] != 0) == (k == loops.independent()[1]));
        dynamics.qfrc_applied[k] = loops.joint_force[k] + loops.residual[k];
    }
    CHECK(difference(dynamics.accelerate(state), qacc) < 1e-9);
    // A motion that the motor causes by itself leaves none.
    dynamics.qfrc_applied = {3, 0, 0, 0};
    const std::span<const double> caused = dynamics.accelerate(state);
    qacc.assign(caused.begin(), caused.end());
    REQUIRE(loops.find_forces(qacc) == LoopStatus::ok);
    CHECK(loops.joint_force[0] == doctest::Approx(3).epsilon(1e-9));
    CHECK(largest_of(loops.residual) == 0);

    LoopDynamics one(model, {0});
    CHECK(one.set_state(state) == LoopStatus::dependent);
    CHECK(one.where.find("there are 2 freedoms here, not 1") == 0);
    LoopDynamics three(model, {0, 1, 2});
    CHECK(three.set_state(state) == LoopStatus::dependent);
    CHECK_THROWS_AS(LoopDynamics(model, {0, 4}), std::invalid_argument);
    CHECK_THROWS_AS(LoopDynamics(model, {1, 1}), std::invalid_argument);

    // Open by a decimetre.
    state.q[3] += 0.1;
    CHECK(loops.set_state(state) == LoopStatus::open);
    CHECK(loops.where.find("loop 'pin'") == 0);
}
