// After the workspace is sized, nothing allocates. The global operator new of this whole program counts.

#include "sensors/sensor_scene.h"
#include "support/allocation_counter.h"
#include "support/drive_reference.h"
#include "support/recursions.h"
#include "support/reference_problems.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>
#include <ligament/sensors.h>
#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("dynamics: allocations are counted") {
    // Through volatile pointers, so that the compiler cannot leave them out.
    int* volatile plain = nullptr;
    CHECK(count_allocations([&] { plain = new int(1); }) == 1);
    delete plain;
    Lanes16f* volatile aligned = nullptr;
    CHECK(count_allocations([&] { aligned = new Lanes16f[3]; }) == 1);
    delete[] aligned;
    std::vector<double> list;
    CHECK(count_allocations([&] { list.resize(100); }) == 1);
}

TEST_CASE_TEMPLATE("dynamics: no function allocates once the workspace is there", T, LIG_TEST_SCALARS) {
    Random random(41);
    TreeShape shape;
    shape.bodies = 50;
    shape.kinematic = 2;
    shape.springs = true;
    Scene scene = random_scene(random, shape);
    scene.body({5}).gravity_scale = 0;
    scene.add_bushing({.body_a = {7}, .body_b = {20}, .stiffness = {1, 2, 3}, .turn_stiffness = {4, 5, 6}});
    const auto model = compile(scene);
    const std::size_t nv = model->nv;

    Workspace<T> ws(model);
    Lanewise<T> in(*model);
    for (int lane = 0; lane < lane_width<T>; ++lane) in.set(lane, random_inputs<real_t<T>>(random, *model));
    std::vector<T> qacc(nv), tau(nv), M(nv * nv), q(model->nq), v(nv), J(6 * nv);
    BodyState<T> bodies(*model);
    const int last = static_cast<int>(model->bodies.size()) - 1;
    const Vec3<T> point = Vec3<T>::zero();
    forward_dynamics<T>(in.state, in.tau, ws, qacc);  // the first call chooses the instruction set

    CHECK(count_allocations([&] { forward_dynamics<T>(in.state, in.tau, ws, qacc, true); }) == 0);
    CHECK(count_allocations([&] { inverse_dynamics<T>(in.state, qacc, ws, tau, true); }) == 0);
    CHECK(count_allocations([&] { mass_matrix<T>(in.state, ws, M); }) == 0);
    CHECK(count_allocations([&] { forward_kinematics(in.state, ws); }) == 0);
    CHECK(count_allocations([&] { body_state(in.state, ws, bodies); }) == 0);
    CHECK(count_allocations([&] { frame_jacobian<T>(ws, last, point, Axes::local, J); }) == 0);
    CHECK(count_allocations([&] { integrate<T>(ws, in.state.q, in.state.v, in.h, q); }) == 0);
    CHECK(count_allocations([&] { difference<T>(ws, in.state.q, in.q1, v); }) == 0);
    CHECK(count_allocations([&] { clear_external(ws); }) == 0);
    CHECK(count_allocations([&] { add_body_wrench(ws, last, point, point); }) == 0);
    CHECK(count_allocations([&] { add_gravity_compensation(ws); }) == 0);
    CHECK(count_allocations([&] { add_bushing_forces(ws); }) == 0);
    CHECK(count_allocations([&] { add_spring_forces<T>(in.state, *model, tau); }) == 0);
    CHECK(count_allocations([&] { add_damping_forces<T>(in.state, *model, tau); }) == 0);
    CHECK(count_allocations([&] { (void)energy(in.state, ws); }) == 0);
    CHECK(count_allocations([&] { (void)center_of_mass(ws); }) == 0);
    CHECK(count_allocations([&] { (void)momentum(ws); }) == 0);
}

TEST_CASE_TEMPLATE("dynamics: tendons and actuators do not allocate", T, LIG_TEST_SCALARS) {
    for (const char* name : {"transmissions", "tendons", "actuators", "tendon_armature"}) {
        CAPTURE(std::string(name));
        const DriveReference reference(name);
        const Model& model = *reference.model;
        JointState<T> state(model);
        Driven<T> here(reference.model, state);
        const std::vector<T> ctrl(model.nu, T(1));
        std::vector<T> tau(model.nv, T(0)), qacc(model.nv), act(model.na);
        std::vector<T> M(static_cast<std::size_t>(model.nv) * model.nv);
        forward_dynamics<T>(state, tau, here.ws, here.drives, qacc);

        CHECK(count_allocations([&] { update_drives(state, here.ws, here.drives); }) == 0);
        CHECK(count_allocations([&] { add_smooth_forces<T>(state, model, ctrl, here.drives, tau); }) == 0);
        CHECK(count_allocations([&] { next_activation<T>(state, model, here.drives, 0.01, act); }) == 0);
        CHECK(count_allocations([&] { forward_dynamics<T>(state, tau, here.ws, here.drives, qacc); }) == 0);
        CHECK(count_allocations([&] { inverse_dynamics<T>(state, qacc, here.ws, here.drives, tau); }) == 0);
        CHECK(count_allocations([&] { mass_matrix<T>(state, here.ws, here.drives, M); }) == 0);
        CHECK(count_allocations([&] { (void)energy(state, here.ws, here.drives); }) == 0);
    }
}

TEST_CASE("dynamics: neither a medium nor sensors allocate") {
    SensorScene source;
    for (const SensorRow& row : sensor_rows()) source.add(row);
    source.scene.options.density = 1.2;
    const auto model = compile(source.scene);
    REQUIRE(has_medium(*model));
    JointState<double> state(*model);
    Driven<double> here(model, state);
    SensorWorkspace<double> sensors(*model);
    const std::vector<double> qacc(model->nv, 1.0);
    const std::vector<Force<double>> applied(model->bodies.size(), Force<double>::zero());
    CHECK(count_allocations([&] { add_fluid_forces(here.ws); }) == 0);
    CHECK(count_allocations(
              [&] { read_sensors<double>(state, qacc, applied, here.drives, here.ws, sensors); }) == 0);
}

TEST_CASE("dynamics: motion with loops allocates at first only, through singular positions too") {
    const auto model = reference_four_bars(3);
    SmoothMotion motion(model);
    JointState<double> state = four_bars_start(*model);
    motion.advance(state, 2);
    const JointState<double> later = state;
    for (const SmoothMethod method : {SmoothMethod::euler, SmoothMethod::rk4, SmoothMethod::rk45}) {
        CAPTURE(int(method));
        state = later;
        const SmoothOptions options{.method = method, .step = 0.005};
        MotionReport report;
        CHECK(count_allocations([&] { report = motion.advance(state, 2, options); }) == 0);
        CHECK(report.status == MotionStatus::ok);
    }
}
