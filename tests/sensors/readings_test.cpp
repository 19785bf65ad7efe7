// Every sensor against MuJoCo, and against what is known without it.

#include "sensors/sensor_scene.h"

#include <ligament/dynamics.h>
#include <ligament/sensors.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// A model with all it takes to read its sensors.
template <class T>
struct Bench {
    explicit Bench(const Scene& scene)
        : model(compile(scene)), ws(model), drives(*model), sensors(*model), state(*model) {}

    void read(const std::vector<T>& ctrl = {}, const std::vector<Force<T>>& applied = {}) {
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        std::vector<T> tau(model->nv, T(0));
        qacc.resize(model->nv);
        add_smooth_forces<T>(state, *model, ctrl, drives, tau);
        clear_external(ws);
        for (std::size_t b = 0; b < applied.size(); ++b)
            add_body_wrench<T>(ws, static_cast<int>(b), applied[b].lin, applied[b].ang);
        forward_dynamics<T>(state, tau, ws, qacc, true);
        read_sensors<T>(state, qacc, applied, drives, ws, sensors);
    }
    std::vector<T> reading(int sensor) const {
        const auto begin = sensors.readings.begin() + model->sensors[sensor].adr;
        return {begin, begin + model->sensors[sensor].dim};
    }

    std::shared_ptr<const Model> model;
    Workspace<T> ws;
    DriveWorkspace<T> drives;
    SensorWorkspace<T> sensors;
    JointState<T> state;
    std::vector<T> qacc;
};

template <class T>
void compare_with_mujoco(double tolerance) {
    SensorScene scene;
    for (const SensorRow& row : sensor_rows()) scene.add(row);
    Bench<T> bench(scene.scene);
    for (int s = 0; s < 2; ++s) {
        CAPTURE(s);
        std::copy(std::begin(sensor_states::q[s]), std::end(sensor_states::q[s]), bench.state.q.begin());
        std::copy(std::begin(sensor_states::v), std::end(sensor_states::v), bench.state.v.begin());
        bench.read({std::begin(sensor_states::ctrl), std::end(sensor_states::ctrl)});
        for (std::size_t i = 0; i < sensor_rows().size(); ++i) {
            const SensorRow& row = sensor_rows()[i];
            const std::vector<double>& expected = s == 0 ? row.first : row.second;
            const std::vector<T> got = bench.reading(static_cast<int>(i));
            CAPTURE(row.name);
            CHECK(bench.sensors.status[i] == SensorStatus::read);
            REQUIRE(got.size() == expected.size());
            // A quaternion and its negative are the same rotation.
            double sign = 1, largest = 1;
            if (got.size() == 4) {
                double product = 0;
                for (int k = 0; k < 4; ++k) product += got[k] * expected[k];
                sign = product < 0 ? -1 : 1;
            }
            for (const double x : expected) largest = std::max(largest, std::abs(x));
            // MuJoCo keeps a camera's sensor size and focal length in single precision.
            const double allowed = std::string_view(row.name) == "c2" ? std::max(tolerance, 1e-6) : tolerance;
            for (std::size_t k = 0; k < got.size(); ++k)
                CHECK(std::abs(sign * got[k] - expected[k]) < allowed * largest);
        }
    }
}

Vec3d vec(const std::vector<double>& a) { return {a.at(0), a.at(1), a.at(2)}; }

// An arm on a vertical hinge with a sensor at its end.
struct Arm {
    Scene scene{"arm"};
    BodyId body = scene.add_body(
        world, {.name = "arm", .inertial = InertialSpec{2, {{1, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
    JointId joint = scene.add_joint(body, {.name = "hinge"});
    SiteId site = scene.add_site(body, {.name = "end", .pose = {{2, 0, 0}}});
    void add(SensorType type) { scene.add_sensor({.type = type, .object = {Kind::site, site.index}}); }
};

}  // namespace

TEST_CASE("sensors: all readings as MuJoCo has them") {
    // Accelerations reach 600 here; MuJoCo solves for them with another factorization: 1e-10 of the largest.
    compare_with_mujoco<double>(1e-10);
}

TEST_CASE("sensors: in single precision") { compare_with_mujoco<float>(2e-3); }

TEST_CASE("sensors: an arm that spins feels its weight and the centripetal acceleration") {
    Arm arm;
    for (const SensorType type : {SensorType::accelerometer, SensorType::gyro, SensorType::velocimeter,
                                  SensorType::force, SensorType::torque})
        arm.add(type);
    Bench<double> bench(arm.scene);
    bench.read();
    CHECK(vec(bench.reading(0)).z == doctest::Approx(9.81).epsilon(1e-15));  // at rest: +g
    bench.state.q[0] = 0.7;
    bench.state.v[0] = 3;
    bench.read();
    const auto check = [&](int sensor, const Vec3d& expected) {
        CAPTURE(sensor);
        const Vec3d got = vec(bench.reading(sensor));
        for (int k = 0; k < 3; ++k) CHECK(std::abs(got[k] - expected[k]) < 1e-13);
    };
    check(0, {-3 * 3 * 2, 0, 9.81});
    check(1, {0, 0, 3});
    check(2, {0, 6, 0});
    // The hinge carries the weight of 2 kg and pulls its centre, 1 m out, to the axis; seen from the end, 1 m
    // further out than the centre of mass, the force has a moment.
    check(3, {-2 * 9, 0, 2 * 9.81});
    check(4, {0, 2 * 9.81, 0});
}

TEST_CASE("sensors: what is applied to a body is not carried by its joint") {
    Arm arm;
    arm.add(SensorType::force);
    Bench<double> bench(arm.scene);
    // The weight is held by hand.
    bench.read({}, {Force<double>::zero(), {{0, 0, 0}, {0, 0, 2 * 9.81}}});
    for (const double f : bench.reading(0)) CHECK(std::abs(f) < 1e-13);
}

TEST_CASE("sensors: accelerations are the rates of velocities") {
    SensorScene scene;
    scene.scene.options.gravity = {0, 0, 0};
    const SensorRow rows[] = {
        {"v", SensorType::framelinvel, {Kind::site, "tip"}, {Kind::none, ""}, 0, {}},
        {"w", SensorType::frameangvel, {Kind::site, "tip"}, {Kind::none, ""}, 0, {}},
        {"a", SensorType::framelinacc, {Kind::site, "tip"}, {Kind::none, ""}, 0, {}},
        {"alpha", SensorType::frameangacc, {Kind::site, "tip"}, {Kind::none, ""}, 0, {}},
    };
    for (const SensorRow& row : rows) scene.add(row);
    Bench<double> bench(scene.scene);
    std::copy(std::begin(sensor_states::q[0]), std::end(sensor_states::q[0]), bench.state.q.begin());
    std::copy(std::begin(sensor_states::v), std::end(sensor_states::v), bench.state.v.begin());
    const std::vector<double> ctrl(3, 0.0);
    bench.read(ctrl);
    const JointState<double> start = bench.state;
    const std::vector<double> qacc = bench.qacc;
    const Vec3d a = vec(bench.reading(2)), alpha = vec(bench.reading(3));
    // Central difference along q̈; its error is of second order in h.
    const double h = 1e-5;
    std::vector<Vec3d> v, w;
    for (const double time : {-h, h}) {
        std::vector<double> middle(start.v);
        for (std::size_t k = 0; k < qacc.size(); ++k) {
            middle[k] += 0.5 * time * qacc[k];
            bench.state.v[k] = start.v[k] + time * qacc[k];
        }
        integrate<double>(bench.ws, start.q, middle, time, bench.state.q);
        bench.read(ctrl);
        v.push_back(vec(bench.reading(0)));
        w.push_back(vec(bench.reading(1)));
    }
    for (int k = 0; k < 3; ++k) {
        CHECK((v[1][k] - v[0][k]) / (2 * h) == doctest::Approx(a[k]).epsilon(1e-4));
        CHECK((w[1][k] - w[0][k]) / (2 * h) == doctest::Approx(alpha[k]).epsilon(1e-4));
    }
}

TEST_CASE("sensors: the momentum of everything agrees with the library's") {
    SensorScene scene;
    scene.add({"p", SensorType::subtreelinvel, {Kind::subtree, "root"}, {Kind::none, ""}, 0, {}});
    scene.add({"l", SensorType::subtreeangmom, {Kind::subtree, "root"}, {Kind::none, ""}, 0, {}});
    Bench<double> bench(scene.scene);
    std::copy(std::begin(sensor_states::v), std::end(sensor_states::v), bench.state.v.begin());
    bench.read(std::vector<double>(3, 0.0));
    const Force<double> whole = momentum(bench.ws);
    const double mass = 2 + 0.7 + 0.4 + 0.5;
    for (int k = 0; k < 3; ++k) {
        CHECK(mass * bench.reading(0)[k] == doctest::Approx(whole.lin[k]).epsilon(1e-12));
        CHECK(bench.reading(1)[k] == doctest::Approx(whole.ang[k]).epsilon(1e-12));
    }
}

TEST_CASE("sensors: the weight of a body that is held up counts as energy, as in MuJoCo") {
    Arm arm;
    arm.scene.body(arm.body).pose.pos = {0, 0, 3};
    arm.scene.body(arm.body).gravity_scale = 0;
    arm.scene.add_sensor({.type = SensorType::e_potential});
    Bench<double> bench(arm.scene);
    bench.read();
    CHECK(bench.reading(0)[0] == doctest::Approx(2 * 9.81 * 3).epsilon(1e-15));
}

TEST_CASE("sensors: on a planar body that spins and falls, and on a particle") {
    Scene scene;
    const InertialSpec inertial{2, {}, Sym3d::diagonal(0.1, 0.2, 0.3), {}};
    const BodyId flat = scene.add_body(world, {.inertial = inertial, .kind = BodyKind::planar});
    const BodyId bead = scene.add_body(world, {.inertial = inertial, .kind = BodyKind::particle});
    const SiteId rim = scene.add_site(flat, {.pose = {{0.5, 0.1, 0}}});
    const SiteId there = scene.add_site(bead, {.pose = {{0.5, 0.1, 0}}});
    for (const SiteId site : {rim, there})
        for (const SensorType type : {SensorType::framelinvel, SensorType::gyro, SensorType::accelerometer})
            scene.add_sensor({.type = type, .object = {Kind::site, site.index}});
    Bench<double> bench(scene);
    bench.state.v = {1, 2, 4, 5, 6, 7};
    bench.read();
    const auto reads = [&](int sensor, const Vec3d& wanted) {
        const std::vector<double> numbers = bench.reading(sensor);
        for (int k = 0; k < 3; ++k) CHECK(std::abs(numbers[k] - wanted[k]) < 1e-14);
    };
    // ω = 4 about y at 0.5 m: 2 m/s along −z, and 8 m/s² towards the centre. Who falls feels no gravity.
    reads(0, {1, 0, 0});
    reads(1, {0, 4, 0});
    reads(2, {-8, 0, 0});
    reads(3, {5, 6, 7});
    reads(4, {0, 0, 0});
    reads(5, {0, 0, 0});
}

// A slide along x; a bushing pulls its carriage sideways, which the rail has to hold, and so does what the
// carriage carries on a joint of its own.
TEST_CASE("sensors: force and torque are those of the joint, whatever bushings do beside it") {
    Scene scene("carriage");
    scene.options.gravity = {0, 0, 0};
    const InertialSpec unit{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    const BodyId carriage = scene.add_body(world, {.name = "carriage", .inertial = unit});
    scene.add_joint(carriage, {.name = "rail", .type = JointType::slide, .axis = {1, 0, 0}});
    const BodyId arm = scene.add_body(carriage, {.name = "arm", .inertial = unit});
    scene.add_joint(arm, {.name = "hinge", .axis = {1, 0, 0}});
    const int site = scene.add_site(carriage, {.name = "foot"}).index;
    for (const SensorType type : {SensorType::force, SensorType::torque})
        scene.add_sensor({.type = type, .object = {ObjectRef::Kind::site, site}});
    // At rest 0.2 m along y and 0.1 m along z from where it is, at x = 0.5 m.
    scene.add_bushing({.body_a = world,
                       .body_b = carriage,
                       .frame_a = {{0.5, 0.2, 0.1}},
                       .frame_b = {{0.5, 0, 0}},
                       .stiffness = {7, 100, 30}});
    // Within what moves as one tree: what the arm gets is taken from the carriage.
    scene.add_bushing(
        {.body_a = carriage, .body_b = arm, .frame_b = {{0.3, 0.1, 0}}, .stiffness = {0, 50, 0}});
    Bench<double> bench(scene);
    bench.read();
    const double* readings = bench.sensors.readings.data();
    // The bushing pulls by (0, 20, 3) at x = 0.5; the rail holds against it.
    const double expected[] = {0, -20, -3, 0, 1.5, -10};
    for (int k = 0; k < 6; ++k) {
        CAPTURE(k);
        CHECK(readings[k] == doctest::Approx(expected[k]).epsilon(1e-13));
    }
}

TEST_CASE("sensors: what is not computed says so") {
    Arm arm;
    arm.add(SensorType::touch);
    arm.add(SensorType::gyro);
    Bench<double> bench(arm.scene);
    bench.read();
    CHECK(bench.sensors.status[0] == SensorStatus::not_evaluated);
    CHECK(bench.sensors.status[1] == SensorStatus::read);

    arm.scene.options.enabled.sensor = false;
    CHECK(Bench<double>(arm.scene).sensors.status[1] == SensorStatus::not_evaluated);
}

TEST_CASE("sensors: one that does not fit its object is refused by name") {
    const auto refused = [](const SensorRow& row) {
        SensorScene scene;
        scene.add(row);
        Diagnostics log;
        CHECK_THROWS_AS(compile(scene.scene, log), InputError);
        REQUIRE(log.all().size() == 1);
        CHECK(log.all()[0].code->id == std::string_view("E057"));
        CHECK(log.all()[0].message.find(row.name) != std::string::npos);
    };
    const NamedObject none{Kind::none, ""};
    refused({"a", SensorType::jointpos, {Kind::joint, "ball"}, none, 0, {}});
    refused({"b", SensorType::ballquat, {Kind::joint, "elbow"}, none, 0, {}});
    refused({"c", SensorType::gyro, {Kind::xbody, "arm"}, none, 0, {}});
    refused({"e", SensorType::jointlimitpos, {Kind::joint, "root"}, none, 0, {}});
    refused({"f", SensorType::framexaxis, {Kind::xbody, "arm"}, none, 0.5, {}});
    refused({"g", SensorType::camprojection, {Kind::site, "tip"}, none, 0, {}});
}
