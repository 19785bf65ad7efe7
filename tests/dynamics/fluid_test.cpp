// A medium: against MuJoCo, against closed forms, and that it never gives energy to what moves in it.

#include <ligament/dynamics.h>
#include <ligament/fluid.h>

#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

// The accelerations with the medium and gravity, and nothing else.
template <class T>
std::vector<T> accelerations(const JointState<T>& state, Workspace<T>& ws) {
    std::vector<T> tau(ws.model().nv, T(0)), qacc(ws.model().nv);
    forward_kinematics(state, ws);
    clear_external(ws);
    add_fluid_forces(ws);
    forward_dynamics<T>(state, tau, ws, qacc, true);
    return qacc;
}

GeomSpec geom(ShapeType shape, const Vec3d& size, const Vec3d& pos, const Quatd& quat, double density) {
    return {.shape = shape, .pose = {pos, quat}, .size = size, .density = density};
}

GeomSpec in_fluid(GeomSpec spec, const FluidSpec& fluid = {}) {
    spec.fluid = fluid;
    return spec;
}

// A free body with an ellipsoid in the fluid, a second body with a capsule and a cylinder, a third that is
// seen as the box of its inertia, whose axes are none of the body's.
Scene swimmer() {
    Scene scene("swimmer");
    scene.options.density = 1.2;
    scene.options.viscosity = 0.3;
    scene.options.wind = {0.4, -0.3, 0.2};
    const Quatd none{1, 0, 0, 0};
    const BodyId a = scene.add_body(world, {.name = "a", .pose = {{0, 0, 1}}});
    scene.add_joint(a, {.type = JointType::free});
    scene.add_geom(a, in_fluid(geom(ShapeType::ellipsoid, {.1, .2, .3}, {.05, 0, 0}, {.9, .1, .2, .3}, 50),
                               {0.5, 0.25, 1.5, 1.0, 0.7}));
    scene.add_geom(a, geom(ShapeType::box, {.05, .1, .02}, {-.2, 0, .1}, none, 50));
    const BodyId b = scene.add_body(a, {.name = "b", .pose = {{.3, 0, 0}}});
    scene.add_joint(b, {.axis = {0, 1, 0}});
    scene.add_geom(b, in_fluid(geom(ShapeType::capsule, {.05, .2, 0}, {0, 0, 0}, none, 80)));
    scene.add_geom(b, in_fluid(geom(ShapeType::cylinder, {.02, .1, 0}, {0, .1, 0}, none, 80)));
    const BodyId c = scene.add_body(b, {.name = "c", .pose = {{0, 0, .4}}});
    scene.add_joint(c, {.axis = {1, 0, 0}});
    scene.add_geom(c, geom(ShapeType::box, {.1, .05, .2}, {0, 0, 0}, {.8, .3, .1, -.2}, 30));
    scene.add_geom(c, geom(ShapeType::sphere, {.04, 0, 0}, {.1, .1, .1}, none, 100));
    return scene;
}

JointState<double> state_of(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
    JointState<double> state(model);
    state.q = q;
    state.v = v;
    return state;
}

// A free ball or box in a medium at rest.
Scene free_body(const InertialSpec& inertial) {
    Scene scene("free");
    const BodyId body = scene.add_body(world, {.name = "b", .inertial = inertial});
    scene.add_joint(body, {.type = JointType::free});
    return scene;
}

}  // namespace

TEST_CASE("fluid: a swimmer accelerates as in MuJoCo") {
    const auto model = compile(swimmer());
    CHECK(model->fluid_boxes.size() == 1);
    CHECK(model->fluid_ellipsoids.size() == 3);
    Workspace<double> ws(model);
    // Computed with MuJoCo 3.14.
    struct Case {
        std::vector<double> q, v, qacc;
    };
    const Case cases[] = {
        {{0.3, -0.2, 1.4, 0.5, -0.1, 0.7, 0.5, 0.4, -0.9},
         {0.7, -1.1, 0.4, 2.0, -1.5, 0.8, 1.2, -2.5},
         {-0.8880654986709493, 1.2266251671419413, -10.19234241110457, -6.8414332544011565, 1.837524117357705,
          -1.7722133227428998, 0.18844211195637328, 11.825973920744003}},
        {{-1, 0.5, 0.2, 0.10000000000000002, 0.7000000000000001, -0.10000000000000002, 0.7000000000000001,
          -1.3, 0.6},
         {-2.0, 0.3, 1.1, -0.6, 0.9, 3.0, -0.7, 1.9},
         {3.2130550437791383, -0.8763820370312352, -10.815903684838679, 1.6324567995690642,
          -9.823501289153091, -11.369254450642806, 11.630707542393791, -9.112349821404333}},
    };
    for (const Case& c : cases) {
        const std::vector<double> qacc = accelerations(state_of(*model, c.q, c.v), ws);
        double largest = 0;
        for (const double x : c.qacc) largest = std::max(largest, std::abs(x));
        for (int k = 0; k < model->nv; ++k) CHECK(std::abs(qacc[k] - c.qacc[k]) < 1e-11 * largest);
    }
}

TEST_CASE("fluid: forces on a body are those on its ellipsoids, and small ones are similar to large ones") {
    // Two leaves, as thin as they come, that are carried along without turning.
    const Quatd tilts[] = {{0.9, 0.3, 0.1, -0.2}, {0.8, -0.4, 0.3, 0.1}};
    const auto force = [&](double size, bool first, bool second) {
        Scene scene = free_body({1, {}, Sym3d::diagonal(1, 1, 1), {}});
        scene.options.density = 1.2;
        const bool wanted[] = {first, second};
        for (int k = 0; k < 2; ++k)
            if (wanted[k])
                scene.add_geom({1}, in_fluid(geom(ShapeType::ellipsoid, size * Vec3d{.025, .01, .001},
                                                  {k == 0 ? size * .03 : -size * .03, 0, 0}, tilts[k], 1)));
        const auto model = compile(scene);
        Workspace<double> ws(model);
        JointState<double> state(*model);
        state.v = {0.3, -0.7, 0.5, 0, 0, 0};
        forward_kinematics(state, ws);
        clear_external(ws);
        add_fluid_forces(ws);
        return ws.f_ext[0];
    };
    const Force<double> both = force(1, true, true), tiny = force(1e-3, true, true);
    const Force<double> sum = force(1, true, false) + force(1, false, true);
    const double strength = std::sqrt(dot(both.lin, both.lin));
    REQUIRE(strength > 1e-5);
    for (int k = 0; k < 3; ++k) {
        CHECK(std::abs(both.lin[k] - sum.lin[k]) < 1e-13 * strength);
        CHECK(std::abs(both.ang[k] - sum.ang[k]) < 1e-13 * strength);
        CHECK(std::abs(1e6 * tiny.lin[k] - both.lin[k]) < 1e-12 * strength);
        CHECK(std::abs(1e9 * tiny.ang[k] - both.ang[k]) < 1e-12 * strength);
    }
}

TEST_CASE("fluid: added mass of a sphere is half of what it displaces, and that of a disc ends at its own") {
    // Lamb's coefficients have closed forms for a sphere. MuJoCo's weights have eight digits: 1e-7.
    Scene scene = free_body({1, {}, Sym3d::diagonal(1, 1, 1), {}});
    scene.options.density = 1;
    scene.add_geom({1}, in_fluid({.shape = ShapeType::sphere, .size = {0.5, 0, 0}, .mass = 0.0}));
    const auto model = compile(scene);
    const Model::FluidEllipsoid& sphere = model->fluid_ellipsoids.at(0);
    const double displaced = 4.0 / 3.0 * pi * 0.125;
    for (int k = 0; k < 3; ++k) {
        CHECK(sphere.added_mass[k] == doctest::Approx(displaced / 2).epsilon(1e-6));
        CHECK(sphere.added_inertia[k] == 0);
    }
}

TEST_CASE("fluid: terminal velocity of a falling cube, and Stokes' law") {
    // The box of a cube's inertia is the cube: drag ½ ρ s² v² = m g.
    const double mass = 2, side = 0.4, density = 1.2;
    const double moment = mass * side * side / 6;
    Scene scene = free_body({mass, {}, Sym3d::diagonal(moment, moment, moment), {}});
    scene.options.density = density;
    const auto model = compile(scene);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    state.v[2] = -std::sqrt(2 * mass * 9.81 / (density * side * side));
    CHECK(std::abs(accelerations(state, ws)[2]) < 1e-13);
    state.v[2] *= 0.5;
    CHECK(accelerations(state, ws)[2] == doctest::Approx(-9.81 * 0.75).epsilon(1e-14));

    // Viscous resistance 3 π η d v of a sphere of the box's mean side.
    scene.options.density = 0;
    scene.options.viscosity = 0.1;
    const auto viscous = compile(scene);
    Workspace<double> slow(viscous);
    JointState<double> falling(*viscous);
    falling.v[2] = -mass * 9.81 / (3 * pi * 0.1 * side);
    CHECK(std::abs(accelerations(falling, slow)[2]) < 1e-13);
}

TEST_CASE("fluid: wind is motion of the medium") {
    // A body that moves with the wind feels nothing; one that stands feels the wind reversed.
    Scene scene = swimmer();
    scene.options.gravity = {0, 0, 0};
    const auto windy = compile(scene);
    Workspace<double> ws(windy);
    JointState<double> drifting(*windy);
    for (int k = 0; k < 3; ++k) drifting.v[k] = scene.options.wind[k];
    for (const double a : accelerations(drifting, ws)) CHECK(std::abs(a) < 1e-13);

    JointState<double> standing(*windy);
    const std::vector<double> blown = accelerations(standing, ws);
    scene.options.wind = {0, 0, 0};
    const auto still = compile(scene);
    Workspace<double> calm(still);
    JointState<double> moving(*still);
    for (int k = 0; k < 3; ++k) moving.v[k] = -windy->options.wind[k];
    const std::vector<double> braked = accelerations(moving, calm);
    for (int k = 0; k < still->nv; ++k) CHECK(blown[k] == doctest::Approx(braked[k]).epsilon(1e-12));
}

TEST_CASE("fluid: a medium at rest never gives energy") {
    // Lift and added mass do no work, drag takes energy: the power is never positive.
    Scene scene = swimmer();
    scene.options.wind = {0, 0, 0};
    const auto model = compile(scene);
    Workspace<double> ws(model);
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        JointState<double> state(*model);
        for (double& v : state.v) v = random.uniform(-3, 3);
        for (int k = 7; k < model->nq; ++k) state.q[k] = random.uniform(-3, 3);
        forward_kinematics(state, ws);
        clear_external(ws);
        add_fluid_forces(ws);
        double power = 0, scale = 0;
        for (std::size_t link = 0; link < ws.poses.size(); ++link) {
            power += dot(ws.f_ext[link], ws.poses[link].V_WL);
            scale += std::abs(dot(ws.f_ext[link], ws.poses[link].V_WL));
        }
        CHECK(power < -1e-6 * scale);
    }
}

TEST_CASE("fluid: the choice of axes does not matter where MuJoCo's box has none of its own") {
    // The inertia's axes are found from the full tensor in a turned body frame, to 1e-12 of the largest
    // moment.
    const Sym3d moments = Sym3d::diagonal(0.1, 0.2, 0.25);
    const Mat3d R = rotation_matrix(Quatd{.7, .1, -.5, .3});
    Scene given = free_body({3, {{.1, .2, .3}, {.7, .1, -.5, .3}}, moments, {}});
    Scene full = free_body({3, {{.1, .2, .3}}, rotate(R, moments), {}});
    for (Scene* scene : {&given, &full}) {
        scene->options.density = 1.2;
        scene->options.viscosity = 0.01;
    }
    const auto a = compile(given), b = compile(full);
    Workspace<double> wa(a), wb(b);
    JointState<double> state(*a);
    state.v = {1, -2, 3, 4, -5, 6};
    const std::vector<double> qa = accelerations(state, wa), qb = accelerations(state, wb);
    for (int k = 0; k < 6; ++k) CHECK(qa[k] == doctest::Approx(qb[k]).epsilon(1e-10));
}

TEST_CASE("fluid: float and lanes give what double gives") {
    const auto model = compile(swimmer());
    Workspace<double> ws(model);
    Workspace<float> ws_float(model);
    Workspace<Lanes4d> ws_lanes(model);
    JointState<double> state(*model);
    for (int k = 0; k < model->nv; ++k) state.v[k] = 0.3 * k - 1;
    JointState<float> state_float(*model);
    JointState<Lanes4d> state_lanes(*model);
    for (int k = 0; k < model->nv; ++k) state_float.v[k] = static_cast<float>(state.v[k]);
    for (int lane = 0; lane < 4; ++lane) set_lane(state_lanes, lane, state);
    const std::vector<double> expected = accelerations(state, ws);
    const std::vector<float> single = accelerations(state_float, ws_float);
    const std::vector<Lanes4d> lanes = accelerations(state_lanes, ws_lanes);
    for (int k = 0; k < model->nv; ++k) {
        CHECK(single[k] == doctest::Approx(expected[k]).epsilon(1e-4));
        for (int lane = 0; lane < 4; ++lane) CHECK(lanes[k][lane] == expected[k]);
    }
}

TEST_CASE("fluid: without a medium there is nothing to pay") {
    Scene scene = swimmer();
    CHECK(has_medium(*compile(scene)));
    scene.options.enabled.spring = scene.options.enabled.damper = false;
    CHECK(!has_medium(*compile(scene)));  // nothing passive acts
    scene.options.enabled = {};
    scene.options.density = scene.options.viscosity = 0;
    CHECK(!has_medium(*compile(scene)));
}
