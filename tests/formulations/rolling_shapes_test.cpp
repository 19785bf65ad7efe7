// Round things roll on, and a dodecahedron tips over an edge or slides on ice, under every formulation, and
// with penalties.

#include "support/contact_scenes.h"
#include "support/contenders.h"
#include "support/dodecahedron.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double radius = 0.2, speed = 3, seconds = 10;

struct Rolling {
    std::string name;
    std::string geom;
    double gyration;  // inertia about the axis it rolls about, over m r²
};

// The geoms have their axes along y; all weigh 1 kg.
const Rolling rolling_shapes[] = {
    {"ball", "<geom type='sphere' size='.2' mass='1'/>", 0.4},
    {"wheel", "<geom type='cylinder' size='.2 .1' euler='90 0 0' mass='1'/>", 0.5},
    // A cylinder of length 0.6 with two half balls: shares of the mass by volume, 0.6 and 0.8/3 r.
    {"capsule", "<geom type='capsule' size='.2 .3' euler='90 0 0' mass='1'/>",
     (0.5 * 0.6 + 0.4 * 4 * radius / 3) / (0.6 + 4 * radius / 3)},
    {"ellipsoid", "<geom type='ellipsoid' size='.2 .3 .2' mass='1'/>", 0.4},
    {"coin", "<geom type='cylinder' size='.2 .005' euler='90 0 0' mass='1'/>", 0.5},
};

std::string on_floor(const std::string& body) { return floor_with(1, 0, 0, 3, body); }

// A dodecahedron of edge a: heights of the centre over a face, an edge, and the distance of an edge from the
// middle of a face.
constexpr double golden = std::numbers::phi, scale = 0.1, edge = 2 * scale / golden;
const double over_face = edge * golden * golden / (2 * std::sqrt(3 - golden)),
             over_edge = edge * golden * golden / 2, apothem = edge * std::tan(0.3 * std::numbers::pi) / 2;

std::string dodecahedron_on_floor(double friction) {
    std::string vertices;
    for (const Vec3d& p : dodecahedron_corners())
        vertices += number(scale * p.x) + " " + number(scale * p.y) + " " + number(scale * p.z) + " ";
    // (1, 0, golden) is the normal of a face: it is turned upright, and the opposite face lies on the floor
    // with an edge towards +x.
    const double turn = -std::atan2(1, golden);
    return "<mujoco><compiler angle='radian'/><default><geom friction='" + number(friction) +
           " 0 0'/></default><asset><mesh name='it' vertex='" + vertices +
           "'/></asset><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 " + number(over_face) +
           "' euler='0 " + number(turn) +
           " 0'><freejoint name='root'/><geom type='mesh' mesh='it' mass='1'/></body></worldbody></mujoco>";
}

// Ten seconds along x, at its height and with its energy, to 0.1 %. moving: the energy of its motion.
void check_goes_straight(Simulation& sim, double moving, double height) {
    const double start = total(sim.energy());
    double highest = start, lowest = start;
    run(sim, seconds, frame, [&](const StepReport&) {
        highest = std::max(highest, total(sim.energy()));
        lowest = std::min(lowest, total(sim.energy()));
    });
    CHECK(highest - start < 1e-3 * moving);
    CHECK(start - lowest < 1e-3 * moving);
    const Vec3d end = position_of(sim);
    CHECK(std::abs(end.x - speed * seconds) < 1e-3 * speed * seconds);
    // A coin that leaves the upright goes round a circle.
    CHECK(std::abs(end.y) < 1e-3 * speed * seconds);
    CHECK(std::abs(end.z - height) < 1e-3 * height);
}

}  // namespace

TEST_CASE("balls, wheels, capsules, ellipsoids and coins roll 30 m in 10 s") {
    for (const auto& [formulation, options] : contenders())
        for (const Rolling& shape : rolling_shapes) {
            CAPTURE(formulation);
            CAPTURE(shape.name);
            Simulation sim(model_of(on_floor("<body pos='0 0 " + number(radius) +
                                             "'><freejoint name='root'/>" + shape.geom + "</body>")),
                           options);
            set_velocity(sim, {speed, 0, 0}, {0, speed / radius, 0});
            const double moving = 0.5 * speed * speed * (1 + shape.gyration);
            CHECK(sim.energy().kinetic == doctest::Approx(moving).epsilon(1e-9));
            check_goes_straight(sim, moving, radius);
        }
}

TEST_CASE("a dodecahedron tips over an edge and lies on the next face") {
    for (const auto& [formulation, options] : contenders()) {
        CAPTURE(formulation);
        Simulation sim(model_of(dodecahedron_on_floor(1)), options);
        // It begins to turn about that edge, with 1.3 times the energy that lifts it over.
        const double about_center = edge * edge * (39 * golden + 28) / 150;
        const double spin = std::sqrt(2 * 1.3 * gravity * (over_edge - over_face) /
                                      (about_center + over_edge * over_edge));
        set_velocity(sim, {spin * over_face, 0, spin * apothem}, {0, spin, 0});
        const double start = total(sim.energy());
        double highest = start;
        // What turns about a point below it gains ½ h ω² N r a second by backward Euler.
        run(sim, seconds, options.touching == Touching::penalty ? 1.0 / 960 : 1.0 / 240,
            [&](const StepReport&) { highest = std::max(highest, total(sim.energy())); });
        CHECK(highest - start < 1e-3 * start);
        const Vec3d end = position_of(sim);
        CHECK(std::abs(end.x - 2 * apothem) < 1e-3 * 2 * apothem);
        CHECK(std::abs(end.y) < 1e-3 * 2 * apothem);
        CHECK(std::abs(end.z - over_face) < 1e-3 * over_face);
        CHECK(sim.energy().kinetic < 1e-6);
    }
}

TEST_CASE("a dodecahedron slides 30 m on ice in 10 s") {
    for (const auto& [formulation, options] : contenders()) {
        CAPTURE(formulation);
        Simulation sim(model_of(dodecahedron_on_floor(0)), options);
        set_velocity(sim, {speed, 0, 0}, {});
        check_goes_straight(sim, 0.5 * speed * speed, over_face);
    }
}
