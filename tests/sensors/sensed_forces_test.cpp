// Sensors of what acts in a step, under every formulation, against the weights that are carried.

#include <ligament/sensors.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lig;

namespace {

using Kind = ObjectRef::Kind;

constexpr double g = 9.81;
constexpr const char* formulations[] = {"reduced", "multiplier", "impulse", "implicit"};

SensorSpec sensor(SensorType type, ObjectRef object = {}, ObjectRef reference = {}) {
    return {.type = type, .object = object, .reference = reference};
}

// Steps until everything has come to rest.
Simulation settled(const Scene& scene, const std::string& formulation, double seconds = 2) {
    SimulationOptions options;
    options.formulation = formulation;
    Simulation sim(compile(scene), options);
    while (sim.state().time < seconds) REQUIRE(sim.step(1.0 / 240).status == StepStatus::ok);
    return sim;
}

std::vector<double> reading(const Simulation& sim, int which) {
    const SensorWorkspace<double>& sensors = sim.read_sensors();
    REQUIRE(sensors.status[which] == SensorStatus::read);
    const auto begin = sensors.readings.begin() + sim.model().sensors[which].adr;
    return {begin, begin + sim.model().sensors[which].dim};
}

void check(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(got[k] - expected[k]) <= tolerance);
    }
}

// A crate of 2 kg on a table of 5 kg, which a post carries; the table is fixed to the post by no joint.
struct Table {
    Scene scene{"table"};
    BodyId table = scene.add_body(world, {.name = "table",
                                          .pose = {{0, 0, 0.5}},
                                          .inertial = InertialSpec{5, {}, Sym3d::diagonal(1, 1, 1), {}}});
    GeomId top = scene.add_geom(table, {.name = "top", .shape = ShapeType::box, .size = {1, 1, 0.1}});
    SiteId post = scene.add_site(table, {.name = "post", .pose = {{0.5, 0, 0}}});
    BodyId crate =
        scene.add_body(world, {.name = "crate",
                               .pose = {{0.1, 0, 0.7}},
                               .inertial = InertialSpec{2, {}, Sym3d::diagonal(0.01, 0.01, 0.01), {}}});
    JointId free = scene.add_joint(crate, {.type = JointType::free});
    GeomId box = scene.add_geom(crate, {.name = "box", .shape = ShapeType::box, .size = {0.1, 0.1, 0.1}});
    // Around its lower half; above it, away from all contacts; below it, where only the normals lead.
    SiteId sole = scene.add_site(
        crate, {.name = "sole", .pose = {{0, 0, -0.1}}, .shape = ShapeType::box, .size = {0.2, 0.2, 0.05}});
    SiteId lid = scene.add_site(
        crate, {.name = "lid", .pose = {{0, 0, 0.1}}, .shape = ShapeType::box, .size = {0.2, 0.2, 0.05}});
    SiteId below = scene.add_site(
        crate, {.name = "below", .pose = {{0, 0, -0.3}}, .shape = ShapeType::box, .size = {0.2, 0.2, 0.05}});
    // Around two of the four corners.
    SiteId half = scene.add_site(
        crate,
        {.name = "half", .pose = {{0.1, 0, -0.1}}, .shape = ShapeType::box, .size = {0.05, 0.2, 0.05}});
};

ObjectRef of(SiteId site) { return {Kind::site, site.index}; }
ObjectRef of(GeomId geom) { return {Kind::geom, geom.index}; }
ObjectRef of(BodyId body, Kind kind = Kind::body) { return {kind, body.index}; }

}  // namespace

TEST_CASE("sensors: a crate on a table is felt where it presses") {
    Table made;
    for (const SiteId site : {made.sole, made.lid, made.below, made.half})
        made.scene.add_sensor(sensor(SensorType::touch, of(site)));
    made.scene.add_sensor(sensor(SensorType::force, of(made.post)));
    made.scene.add_sensor(sensor(SensorType::torque, of(made.post)));
    made.scene.add_sensor(sensor(SensorType::accelerometer, of(made.sole)));
    for (const char* formulation : formulations) {
        INFO(formulation);
        const Simulation sim = settled(made.scene, formulation);
        const double tolerance = 1e-3 * 2 * g;
        check(reading(sim, 0), {2 * g}, tolerance);
        check(reading(sim, 1), {0}, 0);
        check(reading(sim, 2), {2 * g}, tolerance);
        check(reading(sim, 3), {g}, tolerance);
        // The post carries both. The crate stands 0.4 m, the table 0.5 m from it towards −x.
        check(reading(sim, 4), {0, 0, 7 * g}, tolerance);
        check(reading(sim, 5), {0, 5 * g * 0.5 + 2 * g * 0.4, 0}, tolerance);
        check(reading(sim, 6), {0, 0, g}, tolerance);
    }
}

TEST_CASE("sensors: contacts between two objects, one by one and summed up") {
    Table made;
    const auto add = [&](ObjectRef first, ObjectRef second, const char* reduce, int count,
                         std::vector<std::string> data) {
        SensorSpec spec = sensor(SensorType::contact, first, second);
        spec.reduce = reduce;
        spec.count = count;
        spec.data = std::move(data);
        made.scene.add_sensor(spec);
    };
    const std::vector<std::string> net{"found", "force", "torque", "dist", "pos", "normal", "tangent"};
    add(of(made.box), of(made.top), "netforce", 1, net);
    add(of(made.table), {}, "netforce", 1, net);
    add(of(made.crate, Kind::subtree), of(made.table), "mindist", 5, {"found", "force", "normal"});
    add({}, of(made.box), "none", 1, {"force", "normal"});
    add(of(made.box), of(made.box), "none", 2, {"found"});
    SensorSpec volume = sensor(SensorType::contact);
    volume.site = of(made.half);
    volume.data = {"found"};
    made.scene.add_sensor(volume);
    for (const char* formulation : formulations) {
        INFO(formulation);
        const Simulation sim = settled(made.scene, formulation);
        const double tolerance = 1e-3 * 2 * g;
        // What the first does to the second: the crate presses the table down, the table the crate up.
        check(reading(sim, 0), {4, 0, 0, -2 * g, 0, 0, 0, 0, 0.1, 0, 0.6, 1, 0, 0, 0, 1, 0}, tolerance);
        check(reading(sim, 1), {4, 0, 0, 2 * g, 0, 0, 0, 0, 0.1, 0, 0.6, 1, 0, 0, 0, 1, 0}, tolerance);
        // In axes of each contact the force is along the first.
        const std::vector<double> single = reading(sim, 2);
        double sum = 0;
        for (int slot = 0; slot < 4; ++slot) {
            CHECK(single[7 * slot] == 4);
            sum += single[7 * slot + 1];
            check({single.begin() + 7 * slot + 4, single.begin() + 7 * slot + 7}, {0, 0, -1}, 1e-6);
        }
        CHECK(sum == doctest::Approx(2 * g).epsilon(1e-3));
        check({single.begin() + 28, single.end()}, std::vector<double>(7, 0.0), 0);
        const std::vector<double> last = reading(sim, 3);
        CHECK(last[0] > 0);
        check({last.begin() + 3, last.end()}, {0, 0, 1}, 1e-6);
        check(reading(sim, 4), {0, 0}, 0);
        check(reading(sim, 5), {2}, 0);
    }
}

TEST_CASE("sensors: limits push as hard as what leans on them") {
    Scene scene("limits");
    const InertialSpec bob{2, {{1, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}};
    // An arm that lies on its lower limit, about y, where positive angles lower it.
    const BodyId arm = scene.add_body(world, {.name = "arm", .inertial = bob});
    const JointId hinge = scene.add_joint(arm, {.name = "hinge", .axis = {0, 1, 0}, .range = {Range{-1, 0}}});
    // A weight on a rope of half a metre.
    const BodyId weight =
        scene.add_body(world, {.name = "weight",
                               .pose = {{5, 0, -0.4}},
                               .inertial = InertialSpec{3, {}, Sym3d::diagonal(1, 1, 1), {}}});
    scene.add_joint(weight, {.name = "rail", .type = JointType::slide});
    const SiteId top = scene.add_site(world, {.name = "top", .pose = {{5, 0, 0}}});
    const SiteId eye = scene.add_site(weight, {.name = "eye"});
    const TendonId rope =
        scene.add_tendon({.name = "rope", .stops = {{.site = top}, {.site = eye}}, .range = {0, 0.5}});
    scene.add_sensor(sensor(SensorType::jointlimitfrc, {Kind::joint, hinge.index}));
    scene.add_sensor(sensor(SensorType::tendonlimitfrc, {Kind::tendon, rope.index}));
    for (const char* formulation : formulations) {
        INFO(formulation);
        const Simulation sim = settled(scene, formulation);
        check(reading(sim, 0), {2 * g}, 1e-3 * 2 * g);
        check(reading(sim, 1), {3 * g}, 1e-3 * 3 * g);
    }
}

TEST_CASE("sensors: before the first step nothing has acted") {
    Table made;
    made.scene.add_sensor(sensor(SensorType::touch, of(made.sole)));
    made.scene.add_sensor(sensor(SensorType::framepos, of(made.crate, Kind::xbody)));
    const Simulation sim(compile(made.scene));
    CHECK(sim.read_sensors().status[0] == SensorStatus::not_evaluated);
    check(reading(sim, 1), {0.1, 0, 0.7}, 1e-15);
}

TEST_CASE("sensors: reading changes nothing") {
    Table made;
    made.scene.add_sensor(sensor(SensorType::touch, of(made.sole)));
    made.scene.add_sensor(sensor(SensorType::accelerometer, of(made.sole)));
    Simulation read(compile(made.scene)), alone(compile(made.scene));
    for (int k = 0; k < 30; ++k) {
        read.step(1.0 / 240);
        alone.step(1.0 / 240);
        read.read_sensors();
    }
    CHECK(read.state().q == alone.state().q);
    CHECK(read.state().v == alone.state().v);
}
