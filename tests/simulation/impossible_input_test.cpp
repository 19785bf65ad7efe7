// What no motion can satisfy, in C++ and in files: it is named, with its place, and nothing is lost.

#include <ligament/function_constraint.h>
#include <ligament/load.h>
#include <ligament/pair_kinds.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;

namespace {

BodyId add_ball(Scene& scene, const std::string& name, double x) {
    const BodyId ball =
        scene.add_body(world, {.name = name, .pose = {{x, 0, 1}}, .kind = BodyKind::particle});
    scene.add_geom(ball, {.shape = ShapeType::sphere, .size = {0.1}, .mass = 1.0, .collides = false});
    return ball;
}

// Steps until one fails; then the state is the last good one. What it says of the failure.
std::string failure_of(const std::shared_ptr<const Model>& model, const char* formulation,
                       StepStatus wanted = StepStatus::equality_open) {
    Simulation sim(model, {.formulation = formulation});
    for (int k = 0; k < 200; ++k) {
        const JointState<double> before = sim.state();
        const StepReport report = sim.step(0.005);
        if (report.status == StepStatus::ok) continue;
        CHECK(report.status == wanted);
        CHECK(sim.state().q == before.q);
        CHECK(sim.state().v == before.v);
        CHECK(sim.state().time == before.time);
        return report.where;
    }
    return "no failure";
}

std::string said_of(const std::string& text) {
    Diagnostics log;
    try {
        compile(parse_scene(text, "odd.xml", {}, log), log);
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("impossible input: constraints that contradict each other") {
    Scene pairs;
    const BodyId a = add_ball(pairs, "a", 0), b = add_ball(pairs, "b", 1);
    pairs.add_constraint(
        {.name = "near", .body_a = a, .body_b = b, .constraint = std::make_shared<DistanceConstraint>(1)});
    pairs.add_constraint(
        {.name = "far", .body_a = a, .body_b = b, .constraint = std::make_shared<DistanceConstraint>(1.5)});
    Scene groups;
    GroupConstraintSpec near{.name = "near",
                             .bodies = {add_ball(groups, "a", 0), add_ball(groups, "b", 1)},
                             .constraint = holonomic_group<2>([](const auto& X, const auto&) {
                                 return X[1].p.x - X[0].p.x - 1.0;
                             })};
    GroupConstraintSpec far = near;
    far.name = "far";
    far.constraint = holonomic_group<2>([](const auto& X, const auto&) { return X[1].p.x - X[0].p.x - 1.5; });
    groups.add_group_constraint(near);
    groups.add_group_constraint(far);
    for (const auto& model : {compile(pairs), compile(groups)})
        for (const char* formulation : {"reduced", "multiplier", "implicit", "impulse"}) {
            CAPTURE(formulation);
            const std::string where = failure_of(model, formulation);
            CAPTURE(where);
            CHECK((where.find("'far'") != std::string::npos || where.find("'near'") != std::string::npos));
            CHECK(where.find("open by") != std::string::npos);
        }
}

// What some pose closes is no contradiction, however far it is open: sweeps close it in time.
TEST_CASE("impossible input: what is only far open is closed under impulse") {
    Scene scene;
    const BodyId a = add_ball(scene, "a", 0), b = add_ball(scene, "b", 1);
    scene.add_constraint(
        {.name = "far", .body_a = a, .body_b = b, .constraint = std::make_shared<DistanceConstraint>(1.5)});
    Simulation sim(compile(scene), {.formulation = "impulse"});
    StepReport report;
    for (int step = 0; step < 400; ++step) {
        report = sim.step(0.005);
        REQUIRE(report.status == StepStatus::ok);
    }
    CHECK(report.equality_error < 1e-3);
}

TEST_CASE("impossible input: a function that is no number at some point of the way") {
    Scene scene;
    const BodyId ball = add_ball(scene, "ball", 0);
    scene.add_constraint(
        {.name = "ends", .body_b = ball, .constraint = holonomic([](const auto& X, const auto&) {
                                             return X.p.x + 0.0 * sqrt(X.p.z - 0.5);
                                         })});
    scene.add_group_constraint(
        {.name = "fine", .bodies = {ball}, .constraint = holonomic_group<1>([](const auto& X, const auto&) {
                                               return X[0].p.y;
                                           })});
    const auto model = compile(scene);
    for (const char* formulation : {"reduced", "multiplier", "impulse", "implicit"}) {
        CAPTURE(formulation);
        const std::string where = failure_of(model, formulation, StepStatus::non_finite);
        CHECK(where.find("function 'ends'") != std::string::npos);
        CHECK(where.find("not finite") != std::string::npos);
    }
}

TEST_CASE("impossible input: files name the place of a body without stiffness, and of a program's kind") {
    const std::string begin = "<mujoco><worldbody>\n<body name=\"jelly\" ";
    const std::string end = "><geom type=\"box\" size=\"0.1 0.1 0.1\"/></body></worldbody></mujoco>";
    const std::string soft = said_of(begin + "kind=\"affine\"" + end);
    CHECK(soft.find("odd.xml:2:") != std::string::npos);
    CHECK(soft.find("E173") != std::string::npos);
    CHECK(soft.find("'jelly'") != std::string::npos);
    const std::string program = said_of(begin + "kind=\"program\"" + end);
    CHECK(program.find("odd.xml:2:") != std::string::npos);
    CHECK(program.find("no program gives it") != std::string::npos);
}
